package api

import (
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/quarry-search/quarry/api/slot"
)

// metrics are what the server counts. Labels are endpoints, status codes and words of
// this package only: nothing that a client wrote becomes a label, so that there are never
// more series than the code has words for. To count takes no lock.
type metrics struct {
	seconds   *prometheus.HistogramVec
	queue     map[slot.Class]prometheus.Observer
	inFlight  prometheus.Gauge
	panics    prometheus.Counter
	refused   *prometheus.CounterVec
	returned  *prometheus.CounterVec
	raw       *prometheus.CounterVec
	truncated *prometheus.CounterVec
	ways      [ways]prometheus.Counter
	endpoints map[string]*endpointMeters
	handler   http.Handler
}

// newMetrics registers the metrics of a server that is complete but for its routes.
func newMetrics(s *Server, reg *prometheus.Registry) (*metrics, error) {
	var all []prometheus.Collector
	if reg == nil {
		reg = prometheus.NewRegistry()
		all = append(all, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	// /health takes well under a millisecond, a search a few, and a request may
	// last 30 s.
	buckets := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	byLabel := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quarry_request_seconds", Help: "Time from a request's header to the end of its response.", Buckets: buckets,
		}, []string{"endpoint", "code"}),
		queue:    map[slot.Class]prometheus.Observer{},
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "quarry_requests_in_flight", Help: "Requests being answered."}),
		panics:   counter("quarry_panics_total", "Panics in handlers."),
		refused: byLabel("quarry_rate_limited_total",
			"Requests refused because there were too many, by what of: a class of slots, or connections, events, session and verify.", "class"),
		returned:  byLabel("quarry_tokens_returned_total", "Tokens of what answers gave to read, four characters each.", "endpoint"),
		raw:       byLabel("quarry_tokens_raw_total", "Tokens of the files that these answers named, whole.", "endpoint"),
		truncated: byLabel("quarry_answers_truncated_total", "Answers that left something out, and said so.", "endpoint"),
	}
	queue := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "quarry_queue_seconds", Help: "Time that requests waited for a slot, by class.", Buckets: buckets,
	}, []string{"class"})
	requests := byLabel("quarry_requests_total", "Requests by the way they came, those that other requests lead to included.", "way")
	m.ways = countWays(requests)
	all = append(all, m.seconds, queue, m.inFlight, m.panics, m.refused, m.returned, m.raw, m.truncated, requests, s.newProjectsCollector())
	all = append(all, s.opt.Meters.collectors()...)
	all = append(all, s.ownGauges()...)
	// What has not happened is 0, not absent: so alerts can be about its first time.
	for _, c := range slot.Classes() {
		m.queue[c] = queue.WithLabelValues(string(c)) // found once: to look it up takes a lock
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quarry_queue_waiting", Help: "Requests that wait for a slot, by class.", ConstLabels: prometheus.Labels{"class": string(c)},
		}, func() float64 { return float64(s.service.Waiting(c)) }))
	}
	for _, c := range slot.Crowds() {
		m.refused.WithLabelValues(c)
	}
	if s.opt.Figures.Watcher != nil {
		all = append(all, watcherCollector(s.opt.Figures.Watcher))
	}
	if s.opt.Figures.Parsers != nil {
		all = append(all, parserCollectors(s.opt.Figures.Parsers)...)
	}
	if s.opt.Figures.Watches != nil {
		all = append(all, watchGauges(s.opt.Figures.Watches)...)
	}
	var errs []error
	for _, c := range all {
		errs = append(errs, reg.Register(c))
	}
	m.handler = promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	return m, errors.Join(errs...)
}

// ownGauges are of what the server keeps for its clients.
func (s *Server) ownGauges() []prometheus.Collector {
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
	}
	const connections = "quarry_connections"
	all := []prometheus.Collector{
		gauge("quarry_sessions", "Sessions whose readers are remembered, by project.", nil, func() float64 { return float64(s.service.Sessions().Count()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "quarry_sessions_seen_total", Help: "Sessions that were begun, by project."},
			func() float64 { return float64(s.service.Sessions().Seen()) }),
		gauge("quarry_handles", "Handles that stand for what answers left out.", nil, func() float64 { n, _ := s.service.Handles(); return float64(n) }),
		gauge("quarry_handles_bytes", "What the handles take.", nil, func() float64 { _, n := s.service.Handles(); return float64(n) }),
		gauge("quarry_event_streams", "Clients that listen to /events.", nil, func() float64 { return float64(s.streams.Load()) }),
		gauge(connections, "Open connections.", prometheus.Labels{"way": wayHTTP.String()}, func() float64 { return float64(s.connections.count()) }),
	}
	if open := s.opt.Figures.SocketConnections; open != nil {
		all = append(all, gauge(connections, "Open connections.", prometheus.Labels{"way": waySocket.String()}, func() float64 { return float64(open()) }))
	}
	return all
}

// A watcherCollector collects the watcher's counters, whatever their names, as
// one metric with a label.
type watcherCollector func() map[string]uint64

func (c watcherCollector) desc() *prometheus.Desc {
	return prometheus.NewDesc("quarry_watcher_total", "What the file watcher counted.", []string{"what"}, nil)
}

// Describe implements prometheus.Collector.
func (c watcherCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc() }

// Collect implements prometheus.Collector.
func (c watcherCollector) Collect(ch chan<- prometheus.Metric) {
	for what, n := range c() {
		ch <- prometheus.MustNewConstMetric(c.desc(), prometheus.CounterValue, float64(n), what)
	}
}
