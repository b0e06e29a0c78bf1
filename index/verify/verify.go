// Package verify builds an index once more from its root and compares the two: files,
// symbols, chunks, postings, vectors and the call graph.
package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// ErrNotBuilt says that there is no complete index yet.
var ErrNotBuilt = errors.New("index: the first build is not complete")

// How long Verify lets the index catch up with files that it holds otherwise than the
// disk does. A watcher that polls looks every two seconds.
const (
	verifyPause    = 300 * time.Millisecond
	verifyPatience = 5 * time.Second // for a file that has stopped changing
	verifyLongest  = 12              // times as long, for files that go on changing

	defaultDifferences = 100
)

// VerifyOptions say what Verify compares. The zero value is everything.
type VerifyOptions struct {
	Sample int    // files, drawn at random; 0, or more than there are: everything
	Seed   uint64 // of the draw: of the same files the same one draws the same sample
	Limit  int    // differences and changed files to list; 0: 100

	Patience time.Duration // 0: verifyPatience
}

// A Verification is what Verify has compared, and what it found.
type Verification struct {
	// Proved says that everything was compared, and nothing differs.
	Proved bool `json:"proved"`

	Sampled   bool `json:"sampled"` // Files are drawn, not all
	Files     int  `json:"files"`   // compared, skipped ones included
	Symbols   int  `json:"symbols"`
	Chunks    int  `json:"chunks"`
	Terms     int  `json:"terms"`
	Postings  int  `json:"postings"`
	Vectors   int  `json:"vectors"`
	Rounded   int  `json:"rounded"` // vectors that were summed otherwise, as backends and batches do; no differences
	GraphDone bool `json:"graph"`   // edges and sites were compared
	Edges     int  `json:"edges"`
	Sites     int  `json:"sites"` // calls that lead to no definition

	Differences []Difference `json:"differences"` // at most Limit
	Total       int          `json:"total"`       // differences
	Truncated   bool         `json:"truncated"`   // Differences is not all
	Changed     []string     `json:"changed"`     // files that changed too often to be compared; at most Limit
	Unchecked   []string     `json:"unchecked"`   // what was not compared, and why
	Seconds     float64      `json:"seconds"`
	State       answer.State `json:"-"`
}

// A Difference is one thing that the index has otherwise than one that is built afresh.
type Difference struct {
	Kind   string `json:"kind"` // one of DifferenceKinds
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail"`
}

// DifferenceKinds are the kinds of difference: the content of a file, what is known of
// it, its text, a symbol, a chunk, a word in one, its vector; a node or edge of the call
// graph, a call that leads nowhere, the graph as a whole; a total.
func DifferenceKinds() []string {
	return []string{"file", "record", "text", "symbol", "chunk", "posting", "vector", "node", "edge", "site", "graph", "count"}
}

// Verify is Index.Verify.
func Verify(ctx context.Context, x *ingest.Writer, opt VerifyOptions) (Verification, error) {
	began := time.Now()
	defer x.Opt.Throttle.Expedite()() // somebody waits for what is built alongside, and for the index to come to rest
	if opt.Limit <= 0 {
		opt.Limit = defaultDifferences
	}
	if opt.Patience == 0 {
		opt.Patience = verifyPatience
	}
	if !x.Counters.Built.Load() {
		return Verification{}, ErrNotBuilt
	}
	beside := x.Opt
	beside.Logger = nil
	beside.Refine = false // it takes a hundred times as long: only where there is something to compare, see round
	fresh, err := ingest.Open(x.Tree.Root(), beside, nil)
	if err != nil {
		return Verification{}, err
	}
	defer fresh.Close() // nothing is written, so that nothing can be lost
	// Resolving a large graph takes seconds, and looks at no context.
	defer context.AfterFunc(ctx, fresh.Graph.Graph.Halt)()

	v := &Verifier{Live: x, fresh: fresh, Opt: opt, apart: map[string]discord{}}
	v.Differences, v.Changed, v.Unchecked = []Difference{}, []string{}, []string{}
	v.Draw()
	for done := false; !done; {
		if err := v.rebuild(ctx); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return Verification{}, err
		}
		if done, err = v.round(ctx); err != nil {
			return Verification{}, err
		}
		if !done {
			select {
			case <-ctx.Done():
				return Verification{}, ctx.Err()
			case <-time.After(verifyPause):
			}
		}
	}
	v.Truncated = v.Total > len(v.Differences)
	v.Proved = v.Total == 0 && len(v.Unchecked) == 0
	v.Seconds = time.Since(began).Seconds()
	v.State = x.State()
	return v.Verification, nil
}

// A Verifier compares an index with one that is built alongside it.
type Verifier struct {
	Verification
	Live, fresh *ingest.Writer
	Opt         VerifyOptions
	Sample      []string           // nil: everything
	apart       map[string]discord // what the two hold otherwise
	first       time.Time          // when apart was not empty for the first time
}

// A discord is a file that the two indexes hold otherwise, since when they do so.
type discord struct {
	live, fresh content
	since       time.Time
}

// content tells the contents of a file apart, as far as they are indexed.
type content struct {
	hash   uint64
	size   int64
	reason source.Reason // "": indexed
	known  bool
}

func contentOf(t *store.Table, path string) content {
	if r := t.Files[path]; r != nil {
		return content{hash: r.Hash, size: r.Size, known: true}
	}
	if s, ok := t.Skips[path]; ok {
		return content{reason: s.Reason, known: true}
	}
	return content{}
}

func (c content) String() string {
	switch {
	case !c.known:
		return "no file"
	case c.reason != "":
		return fmt.Sprintf("a file that is not indexed (%s)", c.reason)
	}
	return fmt.Sprintf("a file of %d bytes with the hash %016x", c.size, c.hash)
}

// Draw chooses the sample.
func (v *Verifier) Draw() {
	x := v.Live
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if v.Opt.Sample <= 0 || v.Opt.Sample >= len(x.Table.Files) {
		return
	}
	paths := slices.Sorted(maps.Keys(x.Table.Files))
	r := rand.New(rand.NewPCG(v.Opt.Seed, 0))
	for i := range v.Opt.Sample {
		j := i + r.IntN(len(paths)-i)
		paths[i], paths[j] = paths[j], paths[i]
	}
	v.Sample = slices.Sorted(slices.Values(paths[:v.Opt.Sample]))
	v.Sampled = true
}

// rebuild brings the second index in line with the root.
func (v *Verifier) rebuild(ctx context.Context) error {
	f := v.fresh
	if !v.Sampled {
		_, err := f.Build(ctx, nil)
		return err
	}
	if err := f.Acquire(ctx); err != nil {
		return err
	}
	defer f.Release()
	f.Tree.Refresh()
	files, skips, _, err := f.Tree.Lookup(ctx, v.Sample)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	gone := f.Gone(files, skips, func(string) bool { return true })
	return f.Ingest(ctx, files, skips, gone, &ingest.Report{}, func(ingest.Progress) {})
}

// round compares the two indexes, once they hold the same files and the call graph is
// there; until then it reports that it is not done.
func (v *Verifier) round(ctx context.Context) (done bool, err error) {
	if err := v.Live.Acquire(ctx); err != nil {
		return false, err
	}
	defer v.Live.Release()
	// From here on nothing is committed, so that reading the tables needs no lock.
	v.look(time.Now())
	if !v.settled(time.Now()) {
		return false, nil
	}
	if !v.Sampled && (v.Live.Graph.Behind() || v.fresh.Graph.Behind()) {
		return false, nil
	}
	if t := v.Live.Table.Vectors; t != nil && t.Plain() < t.Len() && v.fresh.Table.Vectors.Plain() > 0 && !v.fresh.Opt.Refine {
		v.fresh.Opt.Refine = true // while the index is updated
		return false, nil
	}
	return true, v.compare(ctx)
}

// look finds the files that the two hold otherwise.
func (v *Verifier) look(now time.Time) {
	apart := map[string]discord{}
	live, fresh := v.Live.Table, v.fresh.Table
	for _, path := range v.paths() {
		d := discord{contentOf(live, path), contentOf(fresh, path), now}
		if d.live == d.fresh {
			continue
		}
		if before, ok := v.apart[path]; ok && before.live == d.live && before.fresh == d.fresh {
			d.since = before.since
		}
		apart[path] = d
	}
	if v.apart = apart; len(apart) > 0 && v.first.IsZero() {
		v.first = now
	}
}

// paths returns all files in question, in order.
func (v *Verifier) paths() []string {
	if v.Sampled {
		return v.Sample
	}
	all := map[string]bool{}
	for _, t := range []*store.Table{v.Live.Table, v.fresh.Table} {
		for p := range t.Files {
			all[p] = true
		}
		for p := range t.Skips {
			all[p] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// settled reports whether nothing can be expected any more of the files that the two
// hold otherwise.
func (v *Verifier) settled(now time.Time) bool {
	if len(v.apart) == 0 || now.Sub(v.first) > verifyLongest*v.Opt.Patience {
		return true
	}
	for _, d := range v.apart {
		if !v.unseen(d, now) {
			return false
		}
	}
	return true
}

// unseen reports whether the index has missed a change: it had time to see it, and
// knows of nothing that it has still to do.
func (v *Verifier) unseen(d discord, now time.Time) bool {
	return now.Sub(d.since) >= v.Opt.Patience && v.Live.State().Pending == 0 && d.fresh.reason != source.Pending
}
