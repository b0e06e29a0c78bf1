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

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
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
	base  *ingest.Writer
	index *ingest.Writer // nil: not made yet

	key   [sha256.Size]byte // of the overlay that it has or is getting
	users int
	busy  chan struct{} // closed once it has that overlay; nil: it has
	used  time.Time

	making *making // nil unless it is busy

	generation uint64 // of the base, which it is otherwise like
	partial    bool   // the base had chunks without a vector
	plain      bool   // files as the base has them have vectors that are still to be replaced
	remake     bool   // the model has failed: chunks of its own have none
	over       map[string]source.Text
	own        map[string]*store.Record // its own, by path
	admitted   map[string]*source.Skip
	leftOut    []answer.SkippedFile

	solving sync.Mutex
	standIn bool // the base's call graph has answered in place of its own
	late    bool // its own was not ready when it was last asked for, since the last commit
}

// A savedFile is what the base has under a path.
type savedFile struct {
	record          *store.Record // nil: none
	modTime, readAt int64
	skip            *source.Skip // nil: none
}

func savedAt(t *store.Table, path string) (s savedFile) {
	if r := t.Files[path]; r != nil {
		return savedFile{record: r, modTime: r.ModTime, readAt: r.ReadAt.Load()}
	}
	if skip, ok := t.Skips[path]; ok {
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
			saved[path] = savedAt(d.index.Table, path)
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
		if skip, ok := d.index.Table.Skips[path]; ok {
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
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return nil, answer.ErrClosed
	}
	now := x.Counters.Generation.Load()
	e := x.ChangedSince(d.generation)
	if e.All || len(e.Changed) > maxFollowed || d.partial && now != d.generation || d.plain && x.Counters.Plain.Load() == 0 {
		return nil, nil
	}
	saved := map[string]savedFile{}
	for path := range o.texts {
		saved[path] = savedAt(x.Table, path)
	}
	for path := range d.own {
		saved[path] = savedAt(x.Table, path)
	}
	for path := range d.over {
		saved[path] = savedAt(x.Table, path)
	}
	for _, path := range e.Changed {
		saved[path] = savedAt(x.Table, path)
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
	opt := x.Opt
	opt.Throttle, opt.Bulk = nil, nil // it is part of an answer
	opt.CacheDir, opt.Background, opt.Refine = "", false, false
	y, err := ingest.Open(x.Tree.Root(), opt, x.View)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	y.Over = &store.Over{Base: x.View, Solve: d.solve, State: d.state}
	// With the token, no commit waits for the copy, and behind it no search.
	select {
	case x.Token <- struct{}{}:
		defer x.Release()
	default:
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		_ = y.Close() // it is empty
		return answer.ErrClosed
	}
	y.Table, d.partial = x.Table.Clone()
	d.generation = x.Counters.Generation.Load()
	y.Counters.Files.Store(x.Counters.Files.Load())
	y.Counters.Chunks.Store(x.Counters.Chunks.Load())
	y.Counters.Embedded.Store(x.Counters.Embedded.Load())
	y.CountPlain()
	y.Counters.Unrefined.Store(x.Counters.Unrefined.Load())
	d.plain = y.Counters.Plain.Load() > 0
	y.Counters.Commit.Store(x.Counters.Commit.Load())
	y.Counters.Built.Store(true)
	y.Foreign.Store(x.Foreign.Load())
	y.Graph.Missing.Store(true) // it is made when somebody asks for it
	y.Graph.Background = true
	y.Weigh(y.Table)
	d.standIn, d.remake = false, false
	d.index, d.over, d.own, d.admitted = y, nil, map[string]*store.Record{}, map[string]*source.Skip{}
	return nil
}

// admit says why a file of the overlay would not be indexed, as far as its name tells.
func (d *draft) admit(ctx context.Context, path string, deleted bool, s savedFile) (*source.Skip, error) {
	if source.IsIgnoreFile(path) || !deleted && s.record == nil && s.skip == nil {
		skip, known := d.admitted[path]
		if !known {
			var err error
			if skip, err = d.index.Tree.Admit(ctx, path); err != nil {
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
	if err := y.Acquire(ctx); err != nil {
		return err
	}
	defer y.Release()
	var files []source.File
	var skips []source.Skip
	var gone []string
	texts := maps.Clone(d.over)
	for _, path := range slices.Sorted(maps.Keys(saved)) {
		s, have := saved[path], y.Table.Files[path]
		_, skipped := y.Table.Skips[path]
		over, overlaid := d.over[path]
		switch {
		case overlaid && over.Content != nil:
			if have != nil && have.Is(over.Content) {
				// As it is, under the time that its record has.
				over.ModTime = have.ModTime
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
		case have != nil && have.Hash == s.record.Hash && have.Size == s.record.Size:
		default:
			texts[path] = source.Text{Content: s.record.Text.All(), ModTime: s.modTime}
			files = append(files, source.File{Path: path, Size: s.record.Size, ModTime: s.modTime})
		}
	}
	d.late = false
	y.Tree.Overlay(texts)
	var report Report
	err := y.Ingest(ctx, files, skips, gone, &report, func(Progress) {})
	y.Tree.Overlay(d.over)
	if model := (*ingest.ModelError)(nil); errors.As(err, &model) {
		// As after a save: the words are in. The next overlay has it tried again.
		y.Log.Warn("the vectors of an overlay could not be computed", "err", err)
		d.remake = true
	} else if err != nil {
		return err
	}
	for _, f := range files {
		d.own[f.Path] = y.Table.Files[f.Path]
	}
	for path, s := range saved {
		own := d.own[path]
		if own == nil || own != y.Table.Files[path] {
			delete(d.own, path)
		} else if _, overlaid := d.over[path]; !overlaid && s.record != nil {
			own.ModTime = s.modTime // as the base has seen it
			own.ReadAt.Store(s.readAt)
			d.plain = d.plain || y.Table.PlainIn(own) > 0
		}
	}
	return nil
}
