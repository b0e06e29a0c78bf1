package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
)

// Progress describes a running build.
type Progress struct {
	Phase       string // "walk", "files" or "vectors"
	FilesDone   int
	FilesTotal  int // 0 while it is not known
	ChunksDone  int // with their vector
	ChunksTotal int
}

// Report says what a Build or an Update did.
type Report struct {
	Added, Changed, Removed, Unchanged int // files
	Skipped                            int // files that are known and not indexed
	Pending                            int // files and folders that cannot be read now and are tried again; what was indexed of them stays
	Chunks                             int // new chunks
	Embedded                           int // chunks whose vector was computed, not taken over
	Generation                         uint64
}

// Build brings the whole index in line with the root: the first time it indexes
// everything, later it reads only files whose size or time differ, and drops
// those that are gone. progress, if not nil, is called now and then from one
// goroutine. Files that cannot be indexed never fail a Build; they are reported
// in Status().Coverage.
func (x *Writer) Build(ctx context.Context, progress func(Progress)) (Report, error) {
	return x.BuildAll(ctx, progress, false)
}

func (x *Writer) BuildAll(ctx context.Context, progress func(Progress), reset bool) (report Report, err error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	if err := x.Acquire(ctx); err != nil {
		return report, err
	}
	defer x.Settled() // once nothing of it runs any more
	defer x.Release()
	began := time.Now()
	x.Counters.Unrefined.Store(nil) // it is tried again
	x.Counters.Done.Store(0)
	x.Counters.Todo.Store(1) // a build runs, its size is not known yet
	defer x.Counters.Todo.Store(0)
	progress(Progress{Phase: "walk"})
	if !x.Counters.Built.Load() {
		x.Opt.Warm() // while the tree is walked
	}
	x.Tree.Refresh()
	files, skips, err := x.Tree.Walk(ctx)
	if err != nil {
		err = fmt.Errorf("index: %w", err)
		if oserror.Transient(err) {
			x.retryLater(true, err.Error())
		}
		x.outcome(ctx, err)
		return report, err
	}
	x.noteCommit(ctx)
	x.Retries.walked()
	again := map[string]bool{}
	for _, p := range x.Retries.Take(func(string) bool { return true }) {
		again[p] = true
	}

	// Only the holder of the writer's token changes the table, so reading it
	// here needs no lock.
	var changed []source.File
	for _, f := range files {
		if !reset && !again[f.Path] && x.unchanged(f) {
			report.Unchanged++
			continue
		}
		changed = append(changed, f)
	}
	gone := x.Gone(files, skips, func(string) bool { return true })
	x.Counters.Todo.Store(int64(max(len(changed), 1)))
	err = x.Ingest(ctx, changed, skips, gone, &report, progress)
	x.unread(err, slices.Collect(maps.Keys(again)))
	x.outcome(ctx, err)
	var model *ModelError
	if err == nil || errors.As(err, &model) {
		x.Counters.Built.Store(true)
		x.Counters.Restored.Store(false)
		took := time.Since(began)
		x.Counters.Seconds.Store(int64(took))
		x.Opt.Observer.Built(took)
	}
	return report, err
}

// Gone returns the paths in the table, among those that were looked at, that are
// neither files nor skips any more. A file that is skipped now is not gone: its
// skip takes it out. Nor is what an error hides for now.
func (x *Writer) Gone(files []source.File, skips []source.Skip, looked func(path string) bool) []string {
	listed := make(map[string]bool, len(files)+len(skips))
	for _, f := range files {
		listed[f.Path] = true
	}
	hidden := map[string]bool{}
	for _, s := range skips {
		listed[s.Path] = true
		if s.Reason == source.Pending {
			hidden[s.Path] = true
		}
	}
	var gone []string
	for p := range x.Table.Files {
		if !listed[p] && looked(p) && !source.Below(p, hidden) {
			gone = append(gone, p)
		}
	}
	for p := range x.Table.Skips {
		if !listed[p] && looked(p) && !source.Below(p, hidden) {
			gone = append(gone, p)
		}
	}
	return gone
}

// noteCommit remembers the work tree's commit for Status.
func (x *Writer) noteCommit(ctx context.Context) {
	if commit, err := x.Tree.HeadCommit(ctx); err == nil {
		x.Counters.Commit.Store(&commit)
	}
}

// unchanged reports whether a file is surely the one that was indexed or
// skipped before.
func (x *Writer) unchanged(f source.File) bool {
	r := x.Table.Files[f.Path]
	return r != nil && r.Size == f.Size && r.ModTime == f.ModTime && r.Settled()
}

// Update brings the given files and folders in line with the root. Paths are
// relative to the root or absolute inside it; what is gone is dropped, what is
// ignored is ignored. It returns when the changes are visible to Search. A path
// outside the root gives ErrOutside, and nothing is updated. What cannot be read now for
// an error that passes, see Transient, stays as it is, and Run tries it again.
func (x *Writer) Update(ctx context.Context, paths []string) (report Report, err error) {
	asked := make(map[string]bool, len(paths))
	for _, p := range paths {
		rel, err := x.Tree.Resolve(p)
		if oserror.Transient(err) {
			x.retryLater(false, err.Error(), x.plainAll(paths)...)
		}
		if err != nil {
			return report, err
		}
		// Where a folder has become a link, what was indexed below its own
		// name must go, and what the link leads to may have changed.
		for _, q := range []string{rel, x.plain(p)} {
			if q == "." || source.IsIgnoreFile(q) {
				return x.Build(ctx, nil)
			}
			asked[q] = true
		}
	}
	defer x.Settled() // once nothing of it runs any more
	x.Counters.Updating.Add(int64(len(asked)))
	defer x.Counters.Updating.Add(-int64(len(asked)))
	if err := x.Acquire(ctx); err != nil {
		return report, err
	}
	defer x.Release()
	rels := make([]string, 0, len(asked))
	for p := range asked {
		rels = append(rels, p)
	}
	files, skips, _, err := x.Tree.Lookup(ctx, rels)
	if err != nil {
		err = fmt.Errorf("index: %w", err)
		if oserror.Transient(err) {
			x.retryLater(false, err.Error(), rels...)
		}
		x.outcome(ctx, err)
		return report, err
	}
	again := x.Retries.Take(func(path string) bool { return source.Below(path, asked) })
	gone := x.Gone(files, skips, func(path string) bool { return source.Below(path, asked) })
	err = x.Ingest(ctx, files, skips, gone, &report, func(Progress) {})
	x.unread(err, again)
	if err != nil || x.Counters.Built.Load() {
		x.outcome(ctx, err)
	}
	x.noteCommit(ctx)
	return report, err
}

// unread has what was taken to be read again tried once more, where an ingest has ended
// before it came to all.
func (x *Writer) unread(err error, taken []string) {
	var model *ModelError
	if err != nil && !errors.As(err, &model) && len(taken) > 0 {
		x.retryLater(false, err.Error(), taken...)
	}
}

// plainAll is plain of several.
func (x *Writer) plainAll(paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = x.plain(p)
	}
	return all
}

// plain returns a path that Resolve has let pass relative to the root as it is
// written, links not followed.
func (x *Writer) plain(path string) string {
	path = filepath.Clean(filepath.FromSlash(path))
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(x.Tree.Root(), path)
		if err != nil || !filepath.IsLocal(rel) {
			return "."
		}
		path = rel
	}
	return filepath.ToSlash(path)
}
