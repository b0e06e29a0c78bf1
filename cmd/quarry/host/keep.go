package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/index"
)

// How often a server saves its index: when nothing has changed for a while, or a
// while after the first change that is not saved.
const (
	saveQuiet    = 10 * time.Second
	saveAtLatest = 5 * time.Minute
	saveLook     = time.Second
	saveOnExit   = 20 * time.Second // how long the last save may take
)

// snapshotName is the name of a root's snapshot in its folder.
const snapshotName = "index.quarry"

// SnapshotOf returns the path of the snapshot that is kept in a root's folder.
func SnapshotOf(dir string) string { return filepath.Join(dir, snapshotName) }

// A keeper keeps the snapshot of one root. The caller holds the root's lock.
type keeper struct {
	x     *index.Index
	path  string
	log   *slog.Logger
	shelf *Shelf // nil: nobody looks how much there is

	observer Observer

	owes   bool // what was saved last lacks the call graph, or the times of files
	tidied time.Time
}

// newKeeper makes the root's folder, which is dir, and takes away what a killed server
// left there.
func newKeeper(dir, root string, x *index.Index, log *slog.Logger, shelf *Shelf) (*keeper, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep the index: %w", err)
	}
	k := &keeper{x: x, path: SnapshotOf(dir), log: log, shelf: shelf, observer: unobserved{}}
	left, err := os.ReadDir(dir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), snapshotName+".") || strings.HasPrefix(e.Name(), deltaName+".") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keep the index: %w", err)
	}
	// For people who wonder whose folder it is.
	if err := os.WriteFile(filepath.Join(dir, "root"), []byte(root+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("keep the index: %w", err)
	}
	return k, nil
}

// Restore takes over the first of the root's own snapshot and the given one ("" for
// none) that can be used. Without one the index stays empty, which is no error; but a
// given file that does not exist is. c may be nil.
func Restore(x *index.Index, log *slog.Logger, c *collector.Collector, own, given string) error {
	for _, path := range []string{own, given} {
		if path == "" {
			continue
		}
		began := time.Now()
		// All that is read stays: nothing is to be collected meanwhile.
		resume := c.Stop()
		err := restoreKept(x, log, path)
		resume()
		switch {
		case err == nil:
			st := x.State()
			log.Debug("restored the index", "snapshot", path, "files", st.Files, "chunks", st.Chunks, "seconds", time.Since(began).Seconds())
			return nil
		case errors.Is(err, index.ErrSnapshot):
			log.Warn("the index is built anew", "err", err)
		case path == given || !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// run saves the index whenever it is not as it was saved, until ctx ends, and then once
// more. What was restored is saved already: saved is the state before anything else.
func (k *keeper) run(ctx context.Context, saved index.State) error {
	news, ended := k.news(ctx)
	defer func() { <-ended }()
	timer := time.NewTimer(saveLook)
	defer timer.Stop()
	look := true // the timer is set
	seen, changed, first := saved.Generation, time.Time{}, time.Time{}
	if saved.Restored {
		saved.State = index.Ready
	}
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveOnExit)
			defer cancel()
			if st := k.x.State(); (st.Generation != saved.Generation || k.owes) && !st.Restored && st.State != index.Indexing {
				k.save(last, true)
			}
			return nil
		case <-news:
			if !look {
				timer.Reset(saveLook)
				look = true
			}
			continue // what comes with it is seen at once
		case <-timer.C:
		}
		st, now := k.x.State(), time.Now()
		if st.Generation != seen {
			if seen == saved.Generation {
				first = now
			}
			seen, changed = st.Generation, now
		}
		switch {
		case st.State != index.Ready || st.Generation == saved.Generation:
		case st.GraphOld: // it would have to be made again after the next start
		case saved.State == index.Indexing, now.Sub(changed) >= saveQuiet, now.Sub(first) >= saveAtLatest:
			if k.save(ctx, false) {
				saved = st
			} else {
				first = now // not again at once
				changed = now
			}
		}
		if look = k.x.State().Generation != saved.Generation; look {
			timer.Reset(saveLook)
		}
	}
}

// news holds a token when there was a commit, so that a server at rest need not look.
// ended is closed when ctx has ended and nothing more comes.
func (k *keeper) news(ctx context.Context) (news <-chan struct{}, ended <-chan struct{}) {
	out, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		var last index.Event
		for {
			e, err := k.x.Changes(ctx, last)
			if err != nil {
				return // the end
			}
			last = e
			select {
			case out <- struct{}{}:
			default: // one is pending
			}
		}
	}()
	return out, done
}

// save saves the index, for the last time or not.
func (k *keeper) save(ctx context.Context, last bool) bool {
	began := time.Now()
	err := k.write(ctx, last)
	if err == nil || ctx.Err() == nil {
		k.observer.Saved(time.Since(began), err)
	}
	if err != nil {
		if ctx.Err() == nil {
			k.log.Warn("the index was not saved", "err", err)
		}
		return false
	}
	k.log.Debug("saved the index", "snapshot", k.path, "seconds", time.Since(began).Seconds())
	k.tidy()
	return true
}
