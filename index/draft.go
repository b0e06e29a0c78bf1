package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quarry-search/quarry/index/internal/source"
)

// draftTime is the time of a file that is not saved: so long ago that an equal one is
// believed.
const draftTime = 1

// maxFollowed is how many saved files a draft brings in line one by one; of more, the
// table is copied again.
const maxFollowed = 64

// graphWait is how long a request waits for a draft's call graph. That of some hundred
// files is made in it; that of the Go distribution takes half a minute, and is then kept
// up to date from one request to the next.
const graphWait = time.Second

// A draft is one private copy of an index. Its fields are under the lock of drafts, or
// belong to the goroutine that has marked it as busy.
type draft struct {
	base  *Writer
	index *Writer // nil: not made yet

	key   [sha256.Size]byte // of the overlay that it has or is getting
	users int
	busy  chan struct{} // closed once it has that overlay; nil: it has
	used  time.Time

	making *making // nil unless it is busy

	generation uint64 // of the base, which it is otherwise like
	partial    bool   // the base had chunks without a vector
	remake     bool   // the model has failed: chunks of its own have none
	over       map[string]source.Text
	own        map[string]*record // its own, by path
	admitted   map[string]*source.Skip
	leftOut    []SkippedFile

	solving sync.Mutex
	standIn bool // the base's call graph has answered in place of its own
	late    bool // its own was not ready when it was last asked for, since the last commit
}

// A savedFile is what the base has under a path.
type savedFile struct {
	record          *record // nil: none
	modTime, readAt int64
	skip            *source.Skip // nil: none
}

func (t *table) saved(path string) (s savedFile) {
	if r := t.files[path]; r != nil {
		return savedFile{record: r, modTime: r.modTime, readAt: r.readAt.Load()}
	}
	if skip, ok := t.skips[path]; ok {
		s.skip = &skip
	}
	return s
}

// prepare brings the draft in line with what is saved, and with an overlay. After an error
// it is of no use.
func (d *draft) prepare(ctx context.Context, o *overlaid) error {
	saved, err := d.follow(o)
	if err != nil {
		return err
	}
	if saved == nil {
		if err := d.fork(ctx); err != nil {
			return err
		}
		saved = map[string]savedFile{}
		for path := range o.texts {
			saved[path] = d.index.table.saved(path)
		}
	}
	d.leftOut, d.over = nil, map[string]source.Text{}
	for _, path := range o.paths() {
		skip, err := d.admit(ctx, path, o.texts[path].Content == nil, saved[path])
		if err != nil {
			return err
		}
		if skip != nil {
			d.leave(skip)
		} else {
			d.over[path] = o.texts[path]
		}
	}
	if err := d.commit(ctx, saved); err != nil {
		return err
	}
	for path := range d.over {
		if skip, ok := d.index.table.skips[path]; ok {
			d.leave(&skip)
		}
	}
	sortSkipped(d.leftOut)
	return nil
}

// follow returns what the base has now under each path that matters: those of an overlay,
// of the last one, and those that were saved since the draft was last brought in line.
// nil: the draft has to be made again.
func (d *draft) follow(o *overlaid) (map[string]savedFile, error) {
	if d.index == nil || d.remake {
		return nil, nil
	}
	x := d.base
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, ErrClosed
	}
	now := x.state.generation.Load()
	e := x.changedSince(d.generation)
	if e.All || len(e.Changed) > maxFollowed || d.partial && now != d.generation {
		return nil, nil
	}
	saved := map[string]savedFile{}
	for path := range o.texts {
		saved[path] = x.table.saved(path)
	}
	for path := range d.own {
		saved[path] = x.table.saved(path)
	}
	for path := range d.over {
		saved[path] = x.table.saved(path)
	}
	for _, path := range e.Changed {
		saved[path] = x.table.saved(path)
	}
	d.generation = now
	return saved, nil
}

// fork makes the draft a copy of the base.
func (d *draft) fork(ctx context.Context) error {
	x := d.base
	if d.index != nil {
		if err := d.index.Close(); err != nil {
			return err
		}
		d.index = nil
	}
	opt := x.opt
	opt.Throttle, opt.Bulk = nil, nil // it is part of an answer
	opt.CacheDir, opt.Background = "", false
	y, err := openWriter(x.tree.Root(), opt, x.View)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	y.over = &over{base: x.View, solve: d.solve, state: d.state}
	// With the token, no commit waits for the copy, and behind it no search.
	select {
	case x.token <- struct{}{}:
		defer x.release()
	default:
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		_ = y.Close() // it is empty
		return ErrClosed
	}
	y.table, d.partial = x.table.clone()
	d.generation = x.state.generation.Load()
	y.state.files.Store(x.state.files.Load())
	y.state.chunks.Store(x.state.chunks.Load())
	y.state.embedded.Store(x.state.embedded.Load())
	y.state.commit.Store(x.state.commit.Load())
	y.state.built.Store(true)
	y.foreign.Store(x.foreign.Load())
	y.calls.missing.Store(true) // it is made when somebody asks for it
	y.calls.background = true
	y.weigh(y.table)
	d.standIn, d.remake = false, false
	d.index, d.over, d.own, d.admitted = y, nil, map[string]*record{}, map[string]*source.Skip{}
	return nil
}

// admit says why a file of the overlay would not be indexed, as far as its name tells.
func (d *draft) admit(ctx context.Context, path string, deleted bool, s savedFile) (*source.Skip, error) {
	if source.IsIgnoreFile(path) || !deleted && s.record == nil && s.skip == nil {
		skip, known := d.admitted[path]
		if !known {
			var err error
			if skip, err = d.index.tree.Admit(ctx, path); err != nil {
				return nil, fmt.Errorf("index: %w", err)
			}
			if len(d.admitted) >= 1024 { // of files that come and go in a long day
				clear(d.admitted)
			}
			d.admitted[path] = skip
		}
		return skip, nil
	}
	if s.skip != nil && !deleted {
		switch s.skip.Reason {
		case source.Secret, source.Symlink, source.Special:
			return s.skip, nil
		}
	}
	return nil, nil // what the text says, the pipeline finds out
}

// commit has the pipeline bring all files in line that are not as they should be.
func (d *draft) commit(ctx context.Context, saved map[string]savedFile) error {
	y := d.index
	if err := y.acquire(ctx); err != nil {
		return err
	}
	defer y.release()
	var files []source.File
	var skips []source.Skip
	var gone []string
	texts := maps.Clone(d.over)
	for _, path := range slices.Sorted(maps.Keys(saved)) {
		s, have := saved[path], y.table.files[path]
		_, skipped := y.table.skips[path]
		over, overlaid := d.over[path]
		switch {
		case overlaid && over.Content != nil:
			if have != nil && have.is(over.Content) {
				// As it is, under the time that its record has.
				over.ModTime = have.modTime
				d.over[path] = over
				continue
			}
			files = append(files, source.File{Path: path, Size: int64(len(over.Content)), ModTime: draftTime})
		case overlaid || s.record == nil && s.skip == nil:
			if have != nil || skipped {
				gone = append(gone, path)
			}
		case s.record == nil:
			skips = append(skips, *s.skip)
		case have != nil && have.hash == s.record.hash && have.size == s.record.size:
		default:
			texts[path] = source.Text{Content: s.record.text.all(), ModTime: s.modTime}
			files = append(files, source.File{Path: path, Size: s.record.size, ModTime: s.modTime})
		}
	}
	d.late = false
	y.tree.Overlay(texts)
	var report Report
	err := y.ingest(ctx, files, skips, gone, &report, func(Progress) {})
	y.tree.Overlay(d.over)
	if model := (*modelError)(nil); errors.As(err, &model) {
		// As after a save: the words are in. The next overlay has it tried again.
		y.log.Warn("the vectors of an overlay could not be computed", "err", err)
		d.remake = true
	} else if err != nil {
		return err
	}
	for _, f := range files {
		d.own[f.Path] = y.table.files[f.Path]
	}
	for path, s := range saved {
		own := d.own[path]
		if own == nil || own != y.table.files[path] {
			delete(d.own, path)
		} else if _, overlaid := d.over[path]; !overlaid && s.record != nil {
			own.modTime = s.modTime // as the base has seen it
			own.readAt.Store(s.readAt)
		}
	}
	return nil
}
