package host

import (
	"context"
	"crypto/ed25519"
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
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/oserror"
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
	cache *Cache // nil: nobody looks how much there is

	observer Observer

	owes   bool // what was saved last lacks the call graph, or the times of files
	tidied time.Time

	failing bool      // the last save failed, and the log has said so
	again   time.Time // before which it is not tried again
	backoff oserror.Backoff
}

// newKeeper makes the root's folder, which is dir, and takes away what a killed server
// left there.
func newKeeper(dir, root string, x *index.Index, log *slog.Logger, cache *Cache) (*keeper, error) {
	k := &keeper{x: x, path: SnapshotOf(dir), log: log, cache: cache, observer: unobserved{}, backoff: oserror.Backoff{First: saveLook, Longest: saveAtLatest}}
	if err := makeFolder(dir, root); err != nil {
		return nil, err
	}
	left, err := os.ReadDir(dir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), snapshotName+".") || strings.HasPrefix(e.Name(), deltaName+".") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keep the index: %w", err)
	}
	return k, nil
}

// makeFolder makes the folder of a root's snapshot, which nobody else may look into.
func makeFolder(dir, root string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	// For people who wonder whose folder it is.
	if err := os.WriteFile(rootFile(dir), []byte(root+"\n"), 0o600); err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	return nil
}

// rootFile is the file that says whose folder it is. Its time is that of the last use.
func rootFile(dir string) string { return filepath.Join(dir, "root") }

// gone reports whether somebody has removed what was saved.
func (k *keeper) gone() bool {
	_, err := os.Lstat(k.path)
	return errors.Is(err, fs.ErrNotExist)
}

// Given is a snapshot that somebody else has made.
type Given struct {
	Path string              // "": none
	Keys []ed25519.PublicKey // one of which must have signed it; none: nobody needs to
}

// Restore takes over the first of the root's own snapshot and the given one ("" for
// none) that can be used. Without one the index stays empty, which is no error; but a
// given file that does not exist is, and one that is not signed as it has to be. c may be
// nil.
func Restore(x *index.Index, log *slog.Logger, c *collector.Collector, own string, given Given) error {
	for _, path := range []string{own, given.Path} {
		if path == "" {
			continue
		}
		began := time.Now()
		// All that is read stays: nothing is to be collected meanwhile.
		resume := c.Stop()
		var err error
		if path == own {
			err = restoreKept(x, log, path)
		} else {
			err = x.RestoreWith(path, index.RestoreOptions{Foreign: true, Keys: given.Keys})
		}
		resume()
		switch {
		case err == nil:
			st := x.State()
			log.Debug("restored the index", "snapshot", path, "files", st.Files, "chunks", st.Chunks, "seconds", time.Since(began).Seconds())
			return nil
		case errors.Is(err, index.ErrSnapshot):
			log.Warn("the index is rebuilt", "err", err)
		case path == given.Path || !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// originOf is what a line of the log says of where an index comes from.
func originOf(project string, o *answer.Origin) []any {
	signed := "unsigned"
	if o.SignedBy != "" {
		signed = "by " + o.SignedBy
		if !o.Trusted {
			signed += ", which nobody has asked for"
		}
	}
	attrs := []any{
		"project", project, "program", o.Program, "made_by", o.By, "commit", o.Commit, "sha256", o.ID, "verified", o.Verified,
		"signed", signed, "texts_verified", fmt.Sprintf("%d of %d", o.Proved, o.Texts), "rebuilt", o.NRebuilt,
	}
	if o.Made != nil {
		attrs = append(attrs, "made_at", o.Made.Format(time.RFC3339))
	}
	return attrs
}

// run saves the index whenever it is not as it was saved, until ctx ends, and then once
// more. What fails is tried again, at intervals that grow from saveLook to saveAtLatest. What was restored is saved already: saved is the state before anything else.
func (k *keeper) run(ctx context.Context, saved answer.State) error {
	news, ended := k.news(ctx)
	defer func() { <-ended }()
	timer := time.NewTimer(saveLook)
	defer timer.Stop()
	look := true // the timer is set
	seen, changed, first := saved.Generation, time.Time{}, time.Time{}
	if saved.Restored {
		saved.State = answer.Ready
	}
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveOnExit)
			defer cancel()
			if st := k.x.State(); (st.Generation != saved.Generation || k.owes || k.gone()) && !st.Restored && st.State != answer.Indexing {
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
		case st.State != answer.Ready && (st.State != answer.Stale || st.Pending > st.Unread) || st.Generation == saved.Generation:
		case now.Before(k.again):
		case st.GraphOld: // it would have to be made again after the next start
		case saved.State == answer.Indexing, now.Sub(changed) >= saveQuiet, now.Sub(first) >= saveAtLatest:
			if k.save(ctx, false) {
				saved = st
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
		var last answer.Event
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
	// A folder that was removed while it was in use is made again.
	_, err := os.Lstat(filepath.Dir(k.path))
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeFolder(filepath.Dir(k.path), k.x.Root()); err == nil {
			k.log.Warn("the folder of the index was removed and is made again", "folder", filepath.Dir(k.path))
		}
	}
	if err == nil {
		err = k.write(ctx, last)
	}
	if err == nil || ctx.Err() == nil {
		k.observer.Saved(time.Since(began), err)
	}
	if err != nil {
		if ctx.Err() == nil {
			level := slog.LevelDebug
			if !k.failing {
				level = slog.LevelWarn
			}
			k.failing = true
			k.again = time.Now().Add(k.backoff.Next())
			k.log.Log(ctx, level, "the index was not saved, which is tried again", "err", err)
		}
		return false
	}
	if k.failing {
		k.failing = false
		k.backoff.Reset()
		k.log.Info("the index is saved after all", "snapshot", k.path)
	}
	k.log.Debug("saved the index", "snapshot", k.path, "seconds", time.Since(began).Seconds())
	k.tidy()
	return true
}
