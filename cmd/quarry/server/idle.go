package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index/answer"
)

// errIdle ends a server that nobody has needed for a while. It is no failure.
var errIdle = errors.New("idle")

// buildPoll is the time between two looks whether a first build has ended.
const buildPoll = 100 * time.Millisecond

// endWhenIdle returns errIdle once a server has been idle for as long as limit, and
// nil when ctx ends; with the limit 0 at once. A first build is let end: until then
// there is nothing to keep, and the next server would start over.
func endWhenIdle(ctx context.Context, limit time.Duration, idle func() time.Duration, list func(context.Context) []api.ProjectInfo) error {
	if limit == 0 {
		return nil
	}
	for {
		left := limit - idle()
		if left <= 0 {
			if !slices.ContainsFunc(list(ctx), func(p api.ProjectInfo) bool { return p.Loaded && p.State.State == answer.Indexing }) {
				return errIdle
			}
			left = buildPoll
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(left):
		}
	}
}
