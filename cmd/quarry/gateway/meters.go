package gateway

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/access"
)

// Meters count what a Gateway does besides answering. They are safe for concurrent use.
type Meters struct {
	bytes    prometheus.Counter
	forwards *prometheus.CounterVec
	hooks    *prometheus.CounterVec
	tokens   *prometheus.CounterVec
}

// What has become of a token of the issuer.
const (
	tokenAccepted  = "accepted"
	tokenRefused   = "refused"
	tokenUnchecked = "unchecked" // the issuer does not answer
)

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
		tokens:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quarry_gateway_tokens_total", Help: "Tokens of the issuer that were shown, by what has become of them."}, []string{"outcome"}),
	}
	// What has not happened is 0, not absent: so alerts can be about its first time.
	for _, outcome := range []string{forwarded, passedOver, nobodyThere} {
		m.forwards.WithLabelValues(outcome)
	}
	for _, outcome := range []string{hookQueued, hookRemoved, hookIgnored, hookRefused, hookFailed} {
		m.hooks.WithLabelValues(outcome)
	}
	for _, outcome := range []string{tokenAccepted, tokenRefused, tokenUnchecked} {
		m.tokens.WithLabelValues(outcome)
	}
	return m
}

// counted counts what becomes of tokens.
func (m *Meters) counted(identify func(context.Context, string) (*identity.Identity, error)) func(context.Context, string) (*identity.Identity, error) {
	return func(ctx context.Context, token string) (*identity.Identity, error) {
		who, err := identify(ctx, token)
		outcome := tokenAccepted
		if p := (*wire.Problem)(nil); errors.As(err, &p) && p.Code == wire.CodeUnauthorized {
			outcome = tokenRefused
		} else if err != nil {
			outcome = tokenUnchecked
		}
		m.tokens.WithLabelValues(outcome).Inc()
		return who, err
	}
}

// rightsInOrder tells whether a file of permissions is what holds.
func rightsInOrder(f *access.File) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quarry_gateway_permissions_valid", Help: "1 if the file of permissions is what holds; 0: it is not in order, and what was read before holds."}, func() float64 {
		if f.Err() != nil {
			return 0
		}
		return 1
	})
}

// collectors are those of a Gateway.
func (g *Gateway) collectors() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	all := []prometheus.Collector{
		g.opt.Meters.bytes, g.opt.Meters.forwards, g.opt.Meters.hooks, g.opt.Meters.tokens,
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
