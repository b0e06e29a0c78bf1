package api

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// other is the endpoint of requests for something that is none.
const other = "other"

// endpointMeters are the metrics of an endpoint, found once: to look them up by their
// labels takes a lock, which all requests would share. Each is made when it is first
// needed, so that /metrics has no series that say nothing.
type endpointMeters struct {
	of      *metrics
	name    string
	seconds [500]atomic.Pointer[prometheus.Observer] // by status, from 100

	returned, raw, truncated atomic.Pointer[prometheus.Counter]
}

// enumerate makes the meters of all endpoints; nothing is added to the map later.
func (m *metrics) enumerate(router chi.Routes) error {
	m.endpoints = map[string]*endpointMeters{other: {of: m, name: other}}
	return chi.Walk(router, func(_, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		m.endpoints[route] = &endpointMeters{of: m, name: route}
		return nil
	})
}

// endpoint returns the meters of an endpoint.
func (m *metrics) endpoint(path string) *endpointMeters {
	if e := m.endpoints[path]; e != nil {
		return e
	}
	return m.endpoints[other]
}

// took counts a request.
func (e *endpointMeters) took(status int, seconds float64) {
	if status == 0 { // net/http sends this for a handler that wrote nothing
		status = http.StatusOK
	}
	i := status - 100
	if i < 0 || i >= len(e.seconds) {
		status, i = http.StatusInternalServerError, http.StatusInternalServerError-100
	}
	o := e.seconds[i].Load()
	if o == nil {
		made := e.of.seconds.WithLabelValues(e.name, strconv.Itoa(status))
		o = &made
		e.seconds[i].Store(o)
	}
	(*o).Observe(seconds)
}

// charge counts what an answer cost its reader.
func (e *endpointMeters) charge(tokens, raw int) {
	add(&e.returned, e.of.returned, e.name, tokens)
	add(&e.raw, e.of.raw, e.name, raw)
}

// cut counts an answer that left something out.
func (e *endpointMeters) cut(truncated bool) {
	if truncated {
		add(&e.truncated, e.of.truncated, e.name, 1)
	}
}

// add adds to the counter that a vector has for an endpoint, kept in at.
func add(at *atomic.Pointer[prometheus.Counter], in *prometheus.CounterVec, endpoint string, n int) {
	c := at.Load()
	if c == nil {
		made := in.WithLabelValues(endpoint)
		c = &made
		at.Store(c)
	}
	(*c).Add(float64(n))
}
