package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/watcher"
)

// runIndex keeps the index current; its first build is shown.
func runIndex(ctx context.Context, x *index.Index, bar *progress) error {
	err := x.Run(ctx, func(p index.Progress) {
		if x.State().State == index.Indexing {
			bar.update(p)
		} else {
			bar.end()
		}
	})
	bar.end()
	return err
}

// follow brings the index in line with what the watcher saw.
func follow(x *index.Index, w *watcher.Watcher) func(context.Context, watcher.Batch) error {
	asked := false // for a Rescan that has not come yet
	return func(ctx context.Context, b watcher.Batch) error {
		err := apply(ctx, x, b)
		if ctx.Err() != nil {
			return nil // the end, not a failure
		}
		if err != nil {
			return err // the watcher logs it and tries once more
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

// settle waits for the end of the first build. Then it gives back the memory
// that only the build needed, says so when nothing was indexed, and with tell
// prints how the build ended.
func settle(ctx context.Context, x *index.Index, tell bool, out io.Writer) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	st := x.State()
	for (st.State == index.Indexing || st.Restored) && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		st = x.State() // after ctx too: the build may have ended just before
	}
	if st.State == index.Indexing || st.Restored {
		return nil
	}
	if st.State == index.Failed {
		if tell {
			fmt.Fprintln(out, "quarry: the first build failed")
		}
		return nil
	}
	if st.Files == 0 {
		fmt.Fprintln(out, "quarry: "+nothingIndexed(x.Status(0)))
	}
	if tell { // ready, or stale already: a change has come in since
		fmt.Fprintf(out, "quarry: ready, %d files, %d chunks\n", st.Files, st.Chunks)
	}
	if ctx.Err() == nil {
		debug.FreeOSMemory()
	}
	return nil
}

// nothingIndexed says why an index is empty.
func nothingIndexed(s index.Status) string {
	if s.Coverage.Skipped == 0 {
		return fmt.Sprintf("nothing in %s is indexed: everything in it is ignored", s.Root)
	}
	return fmt.Sprintf("nothing in %s is indexed: %d files were left out (%s)", s.Root, s.Coverage.Skipped, counts(s.Coverage.Reasons))
}
