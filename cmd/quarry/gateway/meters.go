package gateway

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Meters count what a Gateway does besides answering. They are safe for concurrent use.
type Meters struct {
	bytes    prometheus.Counter
	forwards *prometheus.CounterVec
	hooks    *prometheus.CounterVec
}

// What has become of a forward.
const (
	forwarded   = "answered"
	passedOver  = "peer_down"     // the next one was asked
	nobodyThere = "answered_here" // since no other gateway could
)

// What has become of a webhook.
const (
	hookQueued  = "queued"
	hookRemoved = "removed"
	hookIgnored = "ignored"
	hookRefused = "refused"
	hookFailed  = "failed"
)

// NewMeters returns Meters that have counted nothing yet.
func NewMeters() *Meters {
	m := &Meters{
		bytes:    prometheus.NewCounter(prometheus.CounterOpts{Name: "quarry_gateway_snapshot_bytes_total", Help: "Bytes of snapshots that were taken from the store."}),
		forwards: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quarry_gateway_forwards_total", Help: "Requests for which another gateway answers, by what has become of them."}, []string{"outcome"}),
		hooks:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quarry_gateway_webhooks_total", Help: "Webhooks, by what has become of them."}, []string{"outcome"}),
	}
	// What has not happened is 0, not absent: so alerts can be about its first time.
	for _, outcome := range []string{forwarded, passedOver, nobodyThere} {
		m.forwards.WithLabelValues(outcome)
	}
	for _, outcome := range []string{hookQueued, hookRemoved, hookIgnored, hookRefused, hookFailed} {
		m.hooks.WithLabelValues(outcome)
	}
	return m
}

// collectors are those of a Gateway.
func (g *Gateway) collectors() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	all := []prometheus.Collector{
		g.opt.Meters.bytes, g.opt.Meters.forwards, g.opt.Meters.hooks,
		gauge("quarry_gateway_repositories", "Repositories of the catalogue, as it was last read.", func() float64 {
			g.mu.Lock()
			defer g.mu.Unlock()
			return float64(len(g.known))
		}),
		gauge("quarry_gateway_repositories_warm", "Repositories that are in memory.", func() float64 { return float64(len(g.Host.Loaded())) }),
		gauge("quarry_gateway_catalogue_read_timestamp_seconds", "When the catalogue was last read; 0: never.", func() float64 {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.read.IsZero() {
				return 0
			}
			return float64(g.read.Unix())
		}),
	}
	if p := g.opt.Peers; p != nil {
		all = append(all, gauge("quarry_gateway_peers_up", "Gateways of the list that answer, this one included.", func() float64 { return float64(p.up()) }))
	}
	return all
}
