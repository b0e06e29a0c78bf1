package host

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/watcher"
)

// follow brings the index in line with what the watcher saw.
func follow(x *index.Index, w *watcher.Watcher, o Observer) func(context.Context, watcher.Batch) error {
	asked := false // for a Rescan that has not come yet
	return func(ctx context.Context, b watcher.Batch) error {
		err := apply(ctx, x, b)
		if ctx.Err() != nil {
			return nil // the end, not a failure
		}
		if err != nil && !index.Transient(err) { // which the index itself tries again
			return err // the watcher logs it and tries once more
		}
		if !b.First.IsZero() { // a walk that was asked for has no first change
			o.Followed(time.Since(b.First))
		}
		// What is ignored may have changed, so other folders are of interest now.
		// A Rescan for too many changes does not name the ignore files among them.
		need := hasIgnoreFile(b.Paths)
		if b.Rescan {
			need, asked = !asked, false
		}
		if need {
			asked = true
			w.Rescan()
		}
		return nil
	}
}

// apply updates the index with one batch.
func apply(ctx context.Context, x *index.Index, b watcher.Batch) error {
	if !b.Rescan {
		_, err := x.Update(ctx, b.Paths)
		if !errors.Is(err, index.ErrOutside) {
			return err
		}
		// One of the paths has become a link out of the root. That must not keep
		// the others from being read.
	}
	_, err := x.Build(ctx, nil)
	return err
}

// hasIgnoreFile reports whether a .gitignore or its like is among the paths.
func hasIgnoreFile(paths []string) bool {
	for _, p := range paths {
		if base := path.Base(p); strings.HasPrefix(base, ".") && strings.HasSuffix(base, "ignore") {
			return true
		}
	}
	return false
}

// catchUp has the root walked once more when the watcher is ready after all:
// nobody saw what changed after the first build had read it and before its
// folder was watched.
func catchUp(ctx context.Context, x *index.Index, w *watcher.Watcher) error {
	select {
	case <-ctx.Done():
		return nil
	case <-w.Ready():
	}
	_, _, err := x.Invalidate(index.Invalidation{All: true})
	return err
}

// settled waits for the end of the first build, or of the comparison with what was
// restored, and reports whether that came. It looks once more when ctx ends: the build
// may have ended just before.
func settled(ctx context.Context, x *index.Index) bool {
	tick := time.NewTicker(settleLook)
	defer tick.Stop()
	st := x.State()
	for (st.State == answer.Indexing || st.Restored) && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		st = x.State()
	}
	return st.State != answer.Indexing && !st.Restored
}
