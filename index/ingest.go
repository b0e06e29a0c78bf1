package index

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/source"
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
	old  *record

	urgency int64 // set by the agenda: what has more comes sooner
}

// prepared is a job on its way to the commit.
type prepared struct {
	job
	record  *record // nil: skipped, unchanged or gone
	same    bool    // its content is what is indexed already
	docs    []lexical.Doc
	drop    []lexical.Doc // those of old
	lowered *ir.File      // for the call graph; nil: it has no calls
	config  []byte        // the text, where it decides what imports lead to
	pending bool          // an error that passes hides it: old stays
	soon    bool          // that error is gone in a second or two
	late    bool          // it was not lowered: the graph may be made again of all files
	codes   []vector.Code // of the pieces, nil where there is none; nil: of no piece
}

// A modelError says that the vectors could not be computed; words and symbols
// are in.
type modelError struct{ err error }

func (e *modelError) Error() string { return "index: computing vectors: " + e.err.Error() }
func (e *modelError) Unwrap() error { return e.err }

// ingest is the pipeline from a list of files to a committed index. The caller
// holds the writer's token.
func (x *Writer) ingest(ctx context.Context, files []source.File, skips []source.Skip, gone []string, report *Report, progress func(Progress)) error {
	jobs := make([]job, 0, len(files)+len(skips)+len(gone))
	for _, p := range gone {
		jobs = append(jobs, job{path: p, old: x.table.files[p]})
	}
	for i := range skips {
		jobs = append(jobs, job{path: skips[i].Path, skip: &skips[i], old: x.table.files[skips[i].Path]})
	}
	for i := range files {
		jobs = append(jobs, job{path: files[i].Path, file: &files[i], old: x.table.files[files[i].Path]})
	}
	behind := newBacklog()
	if x.over == nil { // a draft leaves that to the index that it is one of
		x.resume(behind)
	}
	var kept *packs
	if len(files)+len(gone) >= packFiles {
		kept = x.openPacks()
		defer kept.close()
	}
	late := x.calls.lazy() || x.opt.Background && x.state.built.Load() && len(files) >= remakeFiles(len(x.table.files))

	small := len(jobs) <= smallWork
	defer x.opt.Bulk.begin(small)()
	group, ctx := newCrew(ctx)
	twins := newTwins(jobs)
	todo := newAgenda(jobs)
	out := make(chan prepared, queueLength)
	vectors := make(chan embedded, queueLength)
	parsed := make(chan struct{})
	computed := make(chan struct{}) // the vectors are
	var workers sync.WaitGroup
	for range max(1, min(x.opt.readers(), len(jobs))) {
		workers.Add(1)
		group.Go(func() error {
			defer workers.Done()
			w := &worker{index: x, kept: kept, twins: twins, late: late}
			return w.work(ctx, todo, out, small)
		})
	}
	group.Go(func() error {
		workers.Wait()
		close(out)
		return nil
	})
	var model *modelError
	group.Go(func() error {
		defer close(vectors)
		defer close(computed)
		if x.dim == 0 {
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
		embedders, ctx := newCrew(ctx)
		for range max(1, x.opt.Workers) {
			embedders.Go(func() error { return x.embedAll(ctx, behind, vectors, small) })
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
		if x.opt.Background && len(jobs) >= asideFiles {
			// Nobody waits for it, but for the vectors, which take all processors.
			select {
			case <-computed:
			case <-ctx.Done():
				return nil
			}
		}
		x.resolveGraph()
		return nil
	})
	err := group.Wait()
	// A first build that was cancelled is a server that ends: of a large tree it would
	// take minutes to solve a graph that nobody asks.
	if x.over == nil && (x.state.built.Load() || !errors.Is(err, context.Canceled)) {
		x.calls.resolve() // what was committed before an end that came early
		if !x.opt.Background {
			x.calls.wait()
		}
	}
	report.Generation = x.state.generation.Load()
	report.Skipped = len(x.table.skips)
	if err == nil && model != nil {
		return model
	}
	return err
}

// worker reads, parses and chunks files. It belongs to one goroutine.
type worker struct {
	index   *Writer
	kept    *packs
	twins   *twins
	late    bool // nothing is lowered
	files   *source.Reader
	parser  *syntax.Parser
	builder lexical.Builder
	yield   func() // gives way to answers, between two parts of the work on a file
}

func (w *worker) work(ctx context.Context, todo *agenda, out chan<- prepared, small bool) error {
	x := w.index
	if x.opt.Background {
		lowerPriority()
	}
	w.files, w.parser = x.tree.Reader(), x.newParser()
	defer w.files.Close()
	defer func() { w.parser.Close() }()
	way := x.opt.Throttle.Worker()
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
		case j.old != nil && j.old.size == int64(len(src)) && j.old.hash == xxhash.Sum64(src):
			p.same = true
			return p
		default:
			f := *j.file
			f.Size = int64(len(src))
			err := caught(func() error {
				if w.parse(&p, f, src); p.record == nil {
					return nil
				}
				p.record.readAt.Store(began)
				w.yield()
				p.docs = p.record.documents(&w.builder, src)
				return nil
			})
			if err != nil { // it costs this file, until it is another one
				x := w.index
				x.log.Error("a file could not be parsed", "path", j.path, "fault", err)
				p = prepared{job: j}
				p.skip = &source.Skip{Path: j.path, Reason: source.ParseError, Detail: "the parser failed: the log says how"}
				w.parser, w.builder = x.newParser(), lexical.Builder{} // the old one may be in any state
			}
		}
	}
	p.pending = p.skip != nil && p.skip.Reason == source.Pending
	if j.old != nil && !p.pending {
		p.drop = j.old.documents(&w.builder, j.old.text.all())
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
		x.state.reused.Add(1)
		if !config && !w.late {
			p.lowered = x.lower(p.record)
		}
		return
	}
	x.state.parsed.Add(1)
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
	p.record = newRecord(f, src, lang, &parsed, chunk.Split(&parsed, src))
	if config {
		return
	}
	w.yield()
	made := lower.File(&parsed, tree)
	p.record.lowered = x.forms.save(made)
	w.twins.note(p.record, f)
	if !w.late {
		p.lowered = made
	}
}
