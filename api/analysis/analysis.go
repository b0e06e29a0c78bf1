// Package analysis has the endpoints that answer what a program does, not only where its
// text is: each is a free function over a service, which bounds and sends what it gives.
package analysis

import "github.com/quarry-search/quarry/api/service"

// Endpoints are those of the analyses.
func Endpoints(s *service.Service) []service.Endpoint {
	return readable([]service.Endpoint{
		service.Of("/dead", findDead(s)),
	})
}

// readable says of endpoints that they answer from an index, and also as text.
func readable(list []service.Endpoint) []service.Endpoint {
	for i := range list {
		list[i].Readable, list[i].Gives = true, true
	}
	return list
}
