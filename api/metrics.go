package api

import (
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/quarry-search/quarry/index"
)

// metrics are what the server counts. Labels are endpoints and status codes
// only: nothing that a client wrote becomes a label.
type metrics struct {
	seconds  *prometheus.HistogramVec
	queue    *prometheus.HistogramVec
	inFlight prometheus.Gauge
	panics   prometheus.Counter
	refused  *prometheus.CounterVec
	returned *prometheus.CounterVec
	raw      *prometheus.CounterVec
	handler  http.Handler
}

func newMetrics(reg *prometheus.Registry, s *Server, watcher func() map[string]uint64, watches func() Watches) (*metrics, error) {
	projects, sessions, handles := s.projects, s.sessions, &s.handles
	var all []prometheus.Collector
	if reg == nil {
		reg = prometheus.NewRegistry()
		all = append(all, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	// /health takes well under a millisecond, a search a few, and a request may
	// last 30 s.
	buckets := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quarry_request_seconds", Help: "Time from a request's header to the end of its response.", Buckets: buckets,
		}, []string{"endpoint", "code"}),
		queue: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quarry_queue_seconds", Help: "Time that requests waited for a slot, by class.", Buckets: buckets,
		}, []string{"class"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "quarry_requests_in_flight", Help: "Requests being answered."}),
		panics:   prometheus.NewCounter(prometheus.CounterOpts{Name: "quarry_panics_total", Help: "Panics in handlers."}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quarry_rate_limited_total", Help: "Requests refused because there were too many, by what of: a class of slots, or connections, events, session and verify.",
		}, []string{"class"}),
		returned: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quarry_tokens_returned_total", Help: "Tokens of what answers gave to read, four characters each.",
		}, []string{"endpoint"}),
		raw: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quarry_tokens_raw_total", Help: "Tokens of the files that these answers named, whole.",
		}, []string{"endpoint"}),
	}
	// Of all projects together: their names are no labels.
	total := func(value func(ProjectInfo) float64) func() float64 {
		return func() (sum float64) {
			for _, p := range projects.List() {
				sum += value(p)
			}
			return sum
		}
	}
	gauge := func(name, help string, value func(index.State) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, total(func(p ProjectInfo) float64 { return value(p.State) }))
	}
	counter := func(name, help string, value func(index.Work) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, total(func(p ProjectInfo) float64 { return float64(value(p.Work)) }))
	}
	all = append(all, m.seconds, m.queue, m.inFlight, m.panics, m.refused, m.returned, m.raw,
		gauge("quarry_index_files", "Files in the index.", func(s index.State) float64 { return float64(s.Files) }),
		gauge("quarry_index_chunks", "Chunks in the index.", func(s index.State) float64 { return float64(s.Chunks) }),
		gauge("quarry_index_generation", "Commits to the index.", func(s index.State) float64 { return float64(s.Generation) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_index_vectors_ratio", Help: "Share of the chunks that have their vector."}, func() float64 {
			have, all := 0.0, 0
			for _, p := range projects.List() {
				have, all = have+p.State.Vectors*float64(p.State.Chunks), all+p.State.Chunks
			}
			return have / float64(max(all, 1))
		}),
		gauge("quarry_index_pending", "Changed paths that are not in the index yet.", func(s index.State) float64 { return float64(s.Pending) }),
		counter("quarry_files_parsed_total", "Files that were read and parsed.", func(w index.Work) uint64 { return w.Parsed }),
		counter("quarry_files_lowered_total", "Files that were parsed again for the call graph only.", func(w index.Work) uint64 { return w.Lowered }),
		counter("quarry_chunks_embedded_total", "Chunks whose vector was computed.", func(w index.Work) uint64 { return w.Embedded }),
		counter("quarry_files_reused_total", "Files whose symbols and chunks were taken over from a snapshot or another root.", func(w index.Work) uint64 { return w.Reused }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_sessions", Help: "Sessions whose readers are remembered, by project."}, func() float64 { return float64(sessions.count()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_handles", Help: "Handles that stand for what answers left out."}, func() float64 { n, _ := handles.Size(); return float64(n) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_handles_bytes", Help: "What the handles take."}, func() float64 { _, n := handles.Size(); return float64(n) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_projects", Help: "Projects of the server."}, func() float64 { return float64(len(projects.List())) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_projects_loaded", Help: "Projects whose index is in memory."},
			total(func(p ProjectInfo) float64 {
				if p.Loaded {
					return 1
				}
				return 0
			})),
	)
	// What has not happened is 0, not absent: so alerts can be about its first time.
	for _, c := range classes() {
		m.queue.WithLabelValues(string(c))
		slots := s.slots[c]
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quarry_queue_waiting", Help: "Requests that wait for a slot, by class.", ConstLabels: prometheus.Labels{"class": string(c)},
		}, func() float64 { return float64(slots.waiting.Load()) }))
	}
	for _, c := range crowds() {
		m.refused.WithLabelValues(c)
	}
	all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_connections", Help: "Open connections of HTTP."}, func() float64 { return float64(s.connections.Load()) }))
	if watcher != nil {
		all = append(all, watcherCollector(watcher))
	}
	if watches != nil {
		all = append(all, watchGauges(watches)...)
	}
	var errs []error
	for _, c := range all {
		errs = append(errs, reg.Register(c))
	}
	m.handler = promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	return m, errors.Join(errs...)
}

// charge counts what an answer cost its reader.
func (m *metrics) charge(endpoint string, b *bill) {
	m.returned.WithLabelValues(endpoint).Add(float64(b.tokens))
	m.raw.WithLabelValues(endpoint).Add(float64(b.raw))
}

// A watcherCollector collects the watcher's counters, whatever their names, as
// one metric with a label.
type watcherCollector func() map[string]uint64

func (c watcherCollector) desc() *prometheus.Desc {
	return prometheus.NewDesc("quarry_watcher_total", "What the file watcher counted.", []string{"what"}, nil)
}

func (c watcherCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc() }

func (c watcherCollector) Collect(ch chan<- prometheus.Metric) {
	for what, n := range c() {
		ch <- prometheus.MustNewConstMetric(c.desc(), prometheus.CounterValue, float64(n), what)
	}
}
