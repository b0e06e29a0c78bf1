// Package ingest brings a View in line with its root. Many goroutines read, parse and chunk
// files, one at a time commits, and vectors and the call graph follow. The first build, an
// update of some files and a retry are the same work.
package ingest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/priority"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// Sizes of the pipeline. Queues are short: what waits in them is memory.
const (
	queueLength = 16                   // parsed files, or batches of vectors, waiting for a commit
	commitFiles = 32                   // files in a commit at most
	commitFor   = 2 * time.Millisecond // the same, under the lock
	embedChunks = 32                   // chunks in a call of the embedder, see shared measurements in embed
)

// A job is one path to bring up to date: a file to read, a skip to note, or,
// with neither, a file that is gone. old is what is indexed under the path; it
// is looked up before the pipeline starts, so that the workers, which may run at
// low priority, never hold a lock that a search waits for.
type job struct {
	path string
	file *source.File
	skip *source.Skip
	old  *store.Record

	urgency int64 // set by the agenda: what has more comes sooner
}

// prepared is a job on its way to the commit.
type prepared struct {
	job
	record  *store.Record // nil: skipped, unchanged or gone
	same    bool          // its content is what is indexed already
	docs    []lexical.Doc
	drop    []lexical.Doc // those of old
	lowered *ir.File      // for the call graph; nil: it has no calls
	config  []byte        // the text, where it decides what imports lead to
	pending bool          // an error that passes hides it: old stays
	soon    bool          // that error is gone in a second or two
	late    bool          // it was not lowered: the graph may be made again of all files
	codes   []vector.Code // of the pieces, nil where there is none; nil: of no piece
}

// A ModelError says that the vectors could not be computed; words and symbols
// are in.
type ModelError struct{ err error }

func (e *ModelError) Error() string { return "index: computing vectors: " + e.err.Error() }
func (e *ModelError) Unwrap() error { return e.err }

// Ingest is the pipeline from a list of files to a committed index. The caller
// holds the writer's token.
func (x *Writer) Ingest(ctx context.Context, files []source.File, skips []source.Skip, gone []string, report *Report, progress func(Progress)) error {
	jobs := make([]job, 0, len(files)+len(skips)+len(gone))
	for _, p := range gone {
		jobs = append(jobs, job{path: p, old: x.Table.Files[p]})
	}
	for i := range skips {
		jobs = append(jobs, job{path: skips[i].Path, skip: &skips[i], old: x.Table.Files[skips[i].Path]})
	}
	for i := range files {
		jobs = append(jobs, job{path: files[i].Path, file: &files[i], old: x.Table.Files[files[i].Path]})
	}
	behind := newBacklog()
	if x.Over == nil { // a draft leaves that to the index that it is one of
		x.resume(behind)
	}
	var kept *packs
	if len(files)+len(gone) >= packFiles {
		kept = OpenPacks(x.View)
		defer kept.Close()
	}
	late := x.Graph.Lazy() || x.Opt.Background && x.Counters.Built.Load() && len(files) >= callgraph.RemakeFiles(len(x.Table.Files))

	small := len(jobs) <= callgraph.SmallWork
	defer x.Opt.Bulk.Begin(small)()
	group, ctx := fault.WithContext(ctx)
	twins := newTwins(jobs)
	todo := newAgenda(jobs)
	out := make(chan prepared, queueLength)
	vectors := make(chan embedded, queueLength)
	parsed := make(chan struct{})
	computed := make(chan struct{}) // the vectors are
	var workers sync.WaitGroup
	for range max(1, min(x.Opt.Readers(), len(jobs))) {
		workers.Add(1)
		group.Go(func() error {
			defer workers.Done()
			w := &worker{index: x, kept: kept, twins: twins, late: late}
			if len(jobs) >= manyFiles {
				w.room = &store.Room{}
			}
			return w.work(ctx, todo, out, small)
		})
	}
	group.Go(func() error {
		workers.Wait()
		close(out)
		return nil
	})
	var model *ModelError
	group.Go(func() error {
		defer close(vectors)
		defer close(computed)
		if x.Dim == 0 {
			return nil
		}
		// Parsing has all processors first; then vectors are computed, and the calls
		// resolved at the same time where that is not done aside: it takes one.
		select {
		case <-parsed:
		case <-ctx.Done():
			return ctx.Err()
		}
		behind.sort()
		vectorsOf := x.computing(behind.len())
		embedders, ctx := fault.WithContext(ctx)
		for range max(1, x.Opt.Workers) {
			embedders.Go(func() error { return embedAll(ctx, x.View, behind.take, vectorsOf, vectors, small) })
		}
		err := embedders.Wait()
		errors.As(err, &model)
		if model != nil {
			return nil // words go on without vectors
		}
		return err
	})
	group.Go(func() error {
		c := committer{index: x, kept: kept, behind: behind, report: report, progress: progress, total: len(files), parsed: parsed}
		return c.run(ctx, out, vectors)
	})
	group.Go(func() error {
		select {
		case <-parsed:
		case <-ctx.Done():
			return nil
		}
		if x.Opt.Background && len(jobs) >= callgraph.AsideFiles {
			// Nobody waits for it, but for the vectors, which take all processors.
			select {
			case <-computed:
			case <-ctx.Done():
				return nil
			}
		}
		x.ResolveGraph()
		return nil
	})
	err := group.Wait()
	// A first build that was cancelled is a server that ends: of a large tree it would
	// take minutes to solve a graph that nobody asks.
	if x.Over == nil && (x.Counters.Built.Load() || !errors.Is(err, context.Canceled)) {
		x.Graph.Resolve() // what was committed before an end that came early
		if !x.Opt.Background {
			x.Graph.Wait()
		}
	}
	x.refineLater()
	report.Generation = x.Counters.Generation.Load()
	report.Skipped = len(x.Table.Skips)
	if err == nil && model != nil {
		return model
	}
	return err
}

// manyFiles is how many files are enough for what they keep to lie side by side.
const manyFiles = 256

// worker reads, parses and chunks files. It belongs to one goroutine.
type worker struct {
	index   *Writer
	kept    *packs
	twins   *twins
	late    bool // nothing is lowered
	files   *source.Reader
	parser  *syntax.Parser
	builder lexical.Builder
	room    *store.Room // nil where there are few files
	yield   func()      // gives way to answers, between two parts of the work on a file
}

func (w *worker) work(ctx context.Context, todo *agenda, out chan<- prepared, small bool) error {
	x := w.index
	if x.Opt.Background {
		priority.Lower()
	}
	w.files, w.parser = x.Tree.Reader(), x.newParser()
	defer w.files.Close()
	defer func() { w.parser.Close() }()
	way := x.Opt.Throttle.Worker()
	w.yield = func() { way.Yield(ctx.Done()) }
	for j, ok := todo.next(); ok; j, ok = todo.next() {
		way.Wait(ctx.Done(), small)
		select {
		case out <- w.prepare(j):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (w *worker) prepare(j job) prepared {
	p := prepared{job: j}
	if j.file != nil {
		began := time.Now().UnixNano()
		src, skip, err := w.files.Read(*j.file)
		switch {
		case err != nil:
			p.skip = &source.Skip{Path: j.path, Reason: source.Unreadable, Detail: err.Error()}
		case skip != nil:
			p.skip = skip
		case j.old != nil && j.old.Size == int64(len(src)) && j.old.Hash == xxhash.Sum64(src):
			p.same = true
			return p
		default:
			f := *j.file
			f.Size = int64(len(src))
			err := fault.Caught(func() error {
				if w.parse(&p, f, src); p.record == nil {
					return nil
				}
				p.record.ReadAt.Store(began)
				w.yield()
				p.docs = persist.Documents(p.record, &w.builder, src)
				return nil
			})
			if err != nil { // it costs this file, until it is another one
				x := w.index
				x.Log.Error("a file could not be parsed", "path", j.path, "fault", err)
				p = prepared{job: j}
				p.skip = &source.Skip{Path: j.path, Reason: source.ParseError, Detail: "the parser failed: the log says how"}
				w.parser, w.builder = x.newParser(), lexical.Builder{} // the old one may be in any state
			}
		}
	}
	p.pending = p.skip != nil && p.skip.Reason == source.Pending
	if j.old != nil && !p.pending {
		p.drop = persist.Documents(j.old, &w.builder, j.old.Text.All())
	}
	return p
}

// parse makes the record of a file's text, or finds that it was made before, and what
// the call graph needs of it. There is no record where it has to be tried again.
func (w *worker) parse(p *prepared, f source.File, src []byte) {
	lang := source.Language(f.Path, src)
	config := graph.IsConfig(f.Path)
	if config {
		p.config = bytes.Clone(src)
	}
	p.late = w.late && !config
	x := w.index
	p.record, p.codes = w.kept.find(f, src, lang)
	if p.record == nil && !config {
		p.record = w.twins.find(f, src, lang)
	}
	if p.record != nil {
		x.Counters.Reused.Add(1)
		if !config && !w.late {
			p.lowered = x.LowerOf(p.record)
		}
		return
	}
	x.Counters.Parsed.Add(1)
	parsed, tree := w.parser.ParseTree(lang, src)
	if parsed.Fault.Passes() {
		detail := "no process can be started to parse it"
		if p.soon = parsed.Fault == syntax.Unfinished; p.soon {
			detail = "it takes long to parse"
		}
		p.skip = &source.Skip{Path: f.Path, Reason: source.Pending, Detail: detail}
		return
	}
	w.yield()
	p.record = store.NewRecord(f, src, lang, &parsed, chunk.Split(&parsed, src), w.room)
	if config {
		return
	}
	w.yield()
	made := lower.File(&parsed, tree)
	if form := x.Forms.Pack(made); len(form) > 0 {
		p.record.Lowered = w.room.Hold(form)
	}
	w.twins.note(p.record, f)
	if !w.late {
		p.lowered = made
	}
}
