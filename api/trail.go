package api

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// A trail is what a request leaves for the log of slow ones: figures, and names that are
// the operator's. Nothing is in it that a client has written or that a file holds.
type trail struct {
	id      string // of the request
	project string // its name
	class   class  // "": it took no slot
	waited  time.Duration
	worked  time.Duration
	asks    atomic.Bool // it has other endpoints answer, which have trails of their own
	lasts   bool        // it takes as long as its client likes, or as it was told to
	plan    func() answer.Plan
}

type trailKey struct{}

// trailOf returns the trail of a request; one without, as a test may make it, has a new
// one.
func trailOf(ctx context.Context) *trail {
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		return t
	}
	return new(trail)
}

// withTrail begins a trail. What one request asks for in this process goes by its id.
func (s *Server) withTrail(ctx context.Context, id func() string) (context.Context, *trail) {
	t := &trail{}
	if outer, ok := ctx.Value(trailKey{}).(*trail); ok {
		outer.asks.Store(true)
		t.id = outer.id
	} else {
		t.id = id()
	}
	if s.opt.SlowQuery > 0 {
		ctx, t.plan = answer.WithPlan(ctx)
	}
	return context.WithValue(ctx, trailKey{}, t), t
}

// slow logs a request that has waited and worked for long. One without a slot counts from
// its beginning to its end; with one, a client that takes its time does not make it slow.
func (s *Server) slow(ctx context.Context, t *trail, endpoint string, status int, size int64, took time.Duration) {
	counts := t.waited + t.worked
	if t.class == "" {
		counts = took
	}
	if s.opt.SlowQuery <= 0 || counts < s.opt.SlowQuery || t.asks.Load() || t.lasts {
		return
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "slow request",
		slog.String("endpoint", endpoint), slog.String("request_id", t.id), slog.String("project", t.project),
		slog.String("class", string(t.class)), slog.Duration("queue", t.waited), slog.Duration("work", t.worked), slog.Duration("total", took),
		slog.Int("status", status), slog.Int64("bytes", size), slog.Any("plan", t.plan()))
}
