package api

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// Figures say, for /metrics, what the server cannot see by itself. A nil func: there is
// nothing to say.
type Figures struct {
	Departed          func() answer.Work        // of projects that were removed
	Watches           func() Watches            // how many folders are watched, and may be
	SocketConnections func() int                // open ones of Unix sockets
	Watcher           func() map[string]uint64  // what the file watchers counted, by name
	Parsers           func() index.ParserCounts // of the processes that parse files
}

// A look is what one scrape is told of the projects, all at one time. They are added up:
// their names are no labels, since a client can make some.
type look struct {
	projects []ProjectInfo
	work     answer.Work
	memory   Memory
}

func (s *Server) look() *look {
	l := &look{projects: s.projects.List(identity.With(context.Background(), identity.Operator())), memory: s.memory()}
	if s.opt.Figures.Departed != nil {
		l.work = s.opt.Figures.Departed()
	}
	for i := range l.projects {
		l.work = l.work.Add(l.projects[i].Work)
	}
	return l
}

// sum adds up a figure of the projects.
func (l *look) sum(value func(p *ProjectInfo) float64) (sum float64) {
	for i := range l.projects {
		sum += value(&l.projects[i])
	}
	return sum
}

// largest is the largest of a figure of the projects.
func (l *look) largest(value func(p *ProjectInfo) float64) (most float64) {
	for i := range l.projects {
		most = max(most, value(&l.projects[i]))
	}
	return most
}

// A figure is a metric that is computed of a look.
type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	label string // its value; "": the metric has none
	value func(l *look) float64
}

// A projectsCollector collects figures.
type projectsCollector struct {
	look    func() *look
	figures []figure
}

func (c *projectsCollector) add(kind prometheus.ValueType, name, help string, value func(l *look) float64) {
	c.figures = append(c.figures, figure{prometheus.NewDesc(name, help, nil, nil), kind, "", value})
}

// split adds a metric with a label, which has the values given.
func (c *projectsCollector) split(kind prometheus.ValueType, name, help, label string, value func(l *look, of string) float64, values ...string) {
	desc := prometheus.NewDesc(name, help, []string{label}, nil)
	for _, of := range values {
		c.figures = append(c.figures, figure{desc, kind, of, func(l *look) float64 { return value(l, of) }})
	}
}

// Describe implements prometheus.Collector.
func (c *projectsCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.figures {
		ch <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *projectsCollector) Collect(ch chan<- prometheus.Metric) {
	l := c.look()
	for _, f := range c.figures {
		var labels []string
		if f.label != "" {
			labels = []string{f.label}
		}
		ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(l), labels...)
	}
}

// newProjectsCollector returns what collects the figures of the projects.
func (s *Server) newProjectsCollector() *projectsCollector {
	c := &projectsCollector{look: s.look}
	gauge := func(name, help string, value func(p *ProjectInfo) float64) {
		c.add(prometheus.GaugeValue, name, help, func(l *look) float64 { return l.sum(value) })
	}
	gauge("quarry_projects", "Projects of the server.", func(*ProjectInfo) float64 { return 1 })
	gauge("quarry_projects_loaded", "Projects whose index is in memory.", func(p *ProjectInfo) float64 { return truth(p.Loaded) })
	gauge("quarry_index_files", "Files in the index.", func(p *ProjectInfo) float64 { return float64(p.State.Files) })
	gauge("quarry_index_chunks", "Chunks in the index.", func(p *ProjectInfo) float64 { return float64(p.State.Chunks) })
	gauge("quarry_index_generation", "Commits to the index.", func(p *ProjectInfo) float64 { return float64(p.State.Generation) })
	gauge("quarry_index_pending", "Changed paths that are not in the index yet.", func(p *ProjectInfo) float64 { return float64(p.State.Pending) })
	gauge("quarry_overlays", "Overlays of unsaved files that are kept for the next request.", func(p *ProjectInfo) float64 { return float64(p.Overlays) })
	c.add(prometheus.GaugeValue, "quarry_index_vectors_ratio", "Share of the chunks that have their vector.", vectorsRatio)
	gauge("quarry_index_unrefined_chunks", "Chunks whose vector is still to be refined.", func(p *ProjectInfo) float64 {
		share, _ := p.State.Refining()
		return math.Round((1 - share) * float64(p.State.Chunks))
	})
	c.add(prometheus.GaugeValue, "quarry_index_last_commit_timestamp_seconds", "Time of the last commit to an index, since 1970; 0: there was none.", lastCommit)
	c.add(prometheus.GaugeValue, "quarry_graph_lag_generations", "Commits that the call graph furthest behind does not have.", func(l *look) float64 {
		return l.largest(func(p *ProjectInfo) float64 { return float64(p.State.GraphLag) })
	})
	c.split(prometheus.GaugeValue, "quarry_projects_in_state", "Projects by the state of their index.", "state", func(l *look, state string) float64 {
		return l.sum(func(p *ProjectInfo) float64 { return truth(p.State.State == state) })
	}, answer.Indexing, answer.Ready, answer.Stale, answer.Failed)
	c.split(prometheus.GaugeValue, "quarry_index_memory_bytes", "What indexes take in memory, by part.", "part", func(l *look, part string) float64 {
		return l.sum(func(p *ProjectInfo) float64 { return float64(memoryPart(&p.Parts, part)) })
	}, "text", "symbols", "words", "vectors", "graph", "overlays")
	c.add(prometheus.GaugeValue, "quarry_memory_budget_bytes", "Memory that the server may take; 0: any.", func(l *look) float64 { return float64(l.memory.Budget) })
	s.addWork(c)
	return c
}

// addWork adds what only grows.
func (s *Server) addWork(c *projectsCollector) {
	counter := func(name, help string, value func(l *look) float64) {
		c.add(prometheus.CounterValue, name, help, value)
	}
	counter("quarry_files_parsed_total", "Files that were read and parsed.", func(l *look) float64 { return float64(l.work.Parsed) })
	counter("quarry_files_lowered_total", "Files that were parsed again for the call graph only.", func(l *look) float64 { return float64(l.work.Lowered) })
	counter("quarry_files_reused_total", "Files whose symbols and chunks were taken over from a snapshot, another root or another file of the same text.", func(l *look) float64 { return float64(l.work.Reused) })
	counter("quarry_files_rebuilt_total", "Files that were left out of a snapshot because it had another text of them than was indexed, and indexed again.", func(l *look) float64 { return float64(l.work.Rebuilt) })
	counter("quarry_chunks_embedded_total", "Chunks whose vector was computed.", func(l *look) float64 { return float64(l.work.Embedded) })
	counter("quarry_chunks_refined_total", "Chunks whose vector was refined.", func(l *look) float64 { return float64(l.work.Refined) })
	counter("quarry_projects_evicted_total", "Projects that were put on disk to make room.", func(l *look) float64 { return float64(l.memory.Evicted) })
	counter("quarry_memory_refused_total", "Requests that were refused for want of memory.", func(l *look) float64 { return float64(l.memory.Refused) })
	caches := []string{"overlay", "lines", "links"}
	c.split(prometheus.CounterValue, "quarry_cache_hits_total", "What requests needed and found made already, by cache.", "cache", func(l *look, cache string) float64 {
		hits, _ := s.cached(l, cache)
		return float64(hits)
	}, caches...)
	c.split(prometheus.CounterValue, "quarry_cache_misses_total", "What requests needed and had to be made, by cache.", "cache", func(l *look, cache string) float64 {
		_, misses := s.cached(l, cache)
		return float64(misses)
	}, caches...)
}

// cached says how often a cache had what was asked for, and how often not.
func (s *Server) cached(l *look, cache string) (hits, misses uint64) {
	switch cache {
	case "overlay":
		return l.work.OverlaysFound, l.work.OverlaysMade
	case "lines":
		return l.work.LinesFound, l.work.LinesMade
	}
	return s.service.Across().Cached()
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func vectorsRatio(l *look) float64 {
	all := l.sum(func(p *ProjectInfo) float64 { return float64(p.State.Chunks) })
	return l.sum(func(p *ProjectInfo) float64 { return p.State.Vectors * float64(p.State.Chunks) }) / max(all, 1)
}

func lastCommit(l *look) float64 {
	return l.largest(func(p *ProjectInfo) float64 {
		if p.State.IndexedAt.IsZero() {
			return 0
		}
		return float64(p.State.IndexedAt.UnixNano()) / float64(time.Second)
	})
}

func memoryPart(m *answer.Memory, part string) int64 {
	switch part {
	case "text":
		return m.Text
	case "symbols":
		return m.Symbols
	case "words":
		return m.Words
	case "vectors":
		return m.Vectors
	case "graph":
		return m.Graph
	}
	return m.Drafts
}

// parserCollectors are of the processes that parse files.
func parserCollectors(counts func() index.ParserCounts) []prometheus.Collector {
	gauge := func(name, help string, value func(c index.ParserCounts) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(counts()) })
	}
	counter := func(name, help string, labels prometheus.Labels, value func(c index.ParserCounts) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value(counts())) })
	}
	const faults, said = "quarry_parser_faults_total", "Texts that have no syntax tree for a fault of their parser, by reason."
	reason := func(name string) prometheus.Labels { return prometheus.Labels{"reason": name} }
	return []prometheus.Collector{
		gauge("quarry_parser_processes", "Processes that parse files.", func(c index.ParserCounts) float64 { return float64(c.Live) }),
		gauge("quarry_parser_memory_bytes", "Memory of the processes that parse files, without what they share.", func(c index.ParserCounts) float64 { return float64(c.Resident) }),
		counter("quarry_parser_started_total", "Processes that were started to parse files.", nil, func(c index.ParserCounts) uint64 { return c.Started }),
		counter(faults, said, reason("parser_crashed"), func(c index.ParserCounts) uint64 { return c.Crashed }),
		counter(faults, said, reason("parser_late"), func(c index.ParserCounts) uint64 { return c.Late }),
		counter(faults, said, reason("parser_memory"), func(c index.ParserCounts) uint64 { return c.Memory }),
	}
}
