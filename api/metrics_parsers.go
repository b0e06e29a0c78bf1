package api

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/index"
)

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
