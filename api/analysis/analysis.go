// Package analysis has the endpoints that answer what a program does, not only where its
// text is: each asks a function of index over a service, which bounds and sends what it gives.
package analysis

import (
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
)

// analyses are the endpoints over a service.
type analyses struct{ *service.Service }

// Endpoints are those of the analyses.
func Endpoints(of *service.Service) []service.Endpoint {
	s := &analyses{of}
	list := []service.Endpoint{
		service.Of("/arch", s.arch),
		service.Of("/cfg", s.control),
		service.Of("/dead", s.dead),
		service.Of("/definition", s.definition),
		service.Of("/dfg", s.data),
		service.Of("/diagnostics", s.diagnostics),
		service.Of("/flows", s.flows),
		service.Then(service.Of("/graph", s.graph), func(d *fields.Fields, q *wire.GraphRequest) { q.To = end(d) }),
		service.Of("/map", s.tree),
		service.Then(service.Of("/slice", s.slice), func(d *fields.Fields, q *wire.SliceRequest) { q.To = end(d) }),
	}
	for i := range list {
		list[i].Readable, list[i].Gives = true, true
	}
	return list
}

// end reads the other end of what lies between two targets, "" where there is none.
func end(d *fields.Fields) string {
	if !d.Has("to") {
		return ""
	}
	return d.Target("to")
}

// as gives an answer its type.
func as[T any](body any, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return body.(*T), nil
}

func place(p *answer.Place) wire.Place { return wire.Place(*p) }
