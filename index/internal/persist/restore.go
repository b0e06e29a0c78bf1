package persist

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/store"
)

// ErrSnapshot says that a snapshot cannot be used: it is damaged, or was made by
// another version, with another model or other limits. The index is as it was.
var ErrSnapshot = errors.New("the snapshot cannot be used")

// ErrUntrusted says that a snapshot is not signed by a key that it should be signed by, or
// has been changed since. The index is as it was.
var ErrUntrusted = snapshot.ErrUntrusted

// RestoreOptions say what a snapshot has to prove.
type RestoreOptions struct {
	Delta   string              // what SaveDelta has written of the difference from it; "": nothing
	Foreign bool                // it may be anybody's: files are compared by content, whatever it says of their times
	Keys    []ed25519.PublicKey // one of which must have signed it; none: nobody needs to
}

// Restore takes over a snapshot that has to prove something, and returns the base that it
// is from then on.
func Restore(x *store.View, path string, opt RestoreOptions) (*Base, error) {
	var r *Restored
	err := fault.Caught(func() (err error) { // of bytes that were made up
		r, err = decode(x, path, opt)
		return err
	})
	if err != nil {
		return nil, distrusted(err, opt.Keys)
	}
	if err := takeOver(x, r); err != nil {
		return nil, err
	}
	return r.base, nil
}

// takeOver makes what a snapshot holds the table of an index that has none yet.
func takeOver(x *store.View, r *Restored) error {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	if x.Closed {
		return answer.ErrClosed
	}
	if n := len(r.rebuilt); n > 0 && x.Tree.Sealed() { // nobody could index them again
		return fmt.Errorf("index: %w: it has another text of %d files than was indexed, the first %s", ErrSnapshot, n, r.rebuilt[0])
	}
	if len(x.Table.Files) > 0 || x.Counters.Built.Load() {
		return errors.New("index: a snapshot is restored into an empty index only")
	}
	x.Table = r.table
	if x.Tree.Sealed() {
		x.Tree.Seal(store.Archive{Table: r.table, Linked: r.about.Links})
	}
	x.Facts.Store(r.facts)
	x.Opt.Remember(r.table.Files)
	x.Weigh(x.Table)
	if fault := fault.Caught(func() error { return takeGraph(x, r) }); fault != nil {
		x.Log.Warn("the call graph is made again", "err", fault)
		x.Graph.Graph = x.EmptyGraph()
		x.Graph.Restore(nil, false)
	}
	x.Foreign.Store(true)
	c := &x.Counters
	c.Files.Store(int64(len(r.table.Files)))
	c.Chunks.Store(int64(r.table.Words.Len()))
	x.CountPlain()
	c.Embedded.Store(r.embedded)
	c.IndexedAt.Store(r.indexedAt)
	c.Seconds.Store(r.seconds)
	c.Commit.Store(&r.about.Commit)
	c.Generation.Store(r.generation + 1)
	c.Reused.Add(uint64(len(r.table.Files)))
	c.Rebuilt.Add(uint64(len(r.rebuilt)))
	c.Origin.Store(r.origin())
	c.Restored.Store(!x.Tree.Sealed())
	c.Built.Store(true)
	x.StartOver()
	if n := len(r.rebuilt); n > 0 {
		x.Log.Warn("files are indexed again: the snapshot has another text of them than was indexed", "files", n, "first", r.rebuilt[0])
	}
	return nil
}

// takeGraph takes over the graph, and what it needs to change.
func takeGraph(x *store.View, r *Restored) error {
	if r.graph != nil {
		x.Supply(r.graph, r.table.Files)
	}
	x.Graph.Restore(r.graph, r.graphOld)
	return nil
}

// decode reads all that a snapshot and its delta hold, and leaves the index as it is.
func decode(x *store.View, path string, opt RestoreOptions) (*Restored, error) {
	f, err := openTrusted(path, opt.Keys)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var d *snapshot.File
	if opt.Delta != "" {
		if d, err = snapshot.Open(opt.Delta); err != nil {
			return nil, err
		}
		defer d.Close()
	}
	r, err := read(x, f, d != nil && d.Has(SecGraph), opt.Foreign)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d != nil {
		if err := apply(x, r, d); err != nil {
			return nil, fmt.Errorf("%s: %w", opt.Delta, err)
		}
	}
	r.dropBad()
	r.trusted = len(opt.Keys) > 0
	return r, nil
}

// Signed gives ErrUntrusted unless one of some keys has signed a snapshot, and nil where
// there are none. It reads no more than the head, so that it does not say whether the rest
// is what was signed: RestoreWith does. A file of another version gives nil, as it is not
// restored.
func Signed(path string, keys []ed25519.PublicKey) error {
	if len(keys) == 0 {
		return nil
	}
	f, err := openTrusted(path, keys)
	switch {
	case errors.Is(err, snapshot.ErrVersion):
		return nil
	case err != nil:
		return distrusted(err, keys)
	}
	return f.Close()
}

// openTrusted opens a snapshot, which one of the keys must have signed if there are any.
func openTrusted(path string, keys []ed25519.PublicKey) (*snapshot.File, error) {
	f, err := snapshot.Open(path)
	if err != nil || len(keys) == 0 {
		return f, err
	}
	if err := f.Trust(keys); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// distrusted is unusable, but where there are keys a snapshot that is damaged is one that
// nobody has signed.
func distrusted(err error, keys []ed25519.PublicKey) error {
	var panicked *fault.Error
	switch {
	case errors.Is(err, ErrUntrusted):
		return fmt.Errorf("index: %w", err)
	case len(keys) > 0 && (errors.Is(err, snapshot.ErrDamaged) || errors.As(err, &panicked)):
		return fmt.Errorf("index: %w: %w", ErrUntrusted, err)
	}
	return unusable(err)
}

func unusable(err error) error {
	var panicked *fault.Error
	if errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, snapshot.ErrVersion) || errors.As(err, &panicked) {
		return fmt.Errorf("index: %w: %w", ErrSnapshot, err)
	}
	return fmt.Errorf("index: %w", err)
}

// Restored is what a snapshot holds.
type Restored struct {
	about      about
	table      *store.Table
	records    []*store.Record
	base       *Base
	graph      *graph.Graph // nil: it was behind
	graphOld   bool         // it lacks the changes of the delta
	facts      *scip.Facts  // nil: there are none
	embedded   int64
	generation uint64
	indexedAt  int64
	seconds    int64

	id      snapshot.ID
	signer  ed25519.PublicKey      // nil: nobody
	trusted bool                   // it had to be signed
	delta   bool                   // one has been applied
	bad     map[*store.Record]bool // records whose texts are not what their hashes say
	rebuilt []string               // the paths of those that have been left out for it
	proved  int                    // texts that are what their hashes say
}

// read decodes a snapshot, its sections side by side: all that they have in common is
// the number of chunks. Its graph is left out where another one is at hand, and of a
// foreign one what it says of this machine.
func read(x *store.View, f *snapshot.File, graphless, foreign bool) (*Restored, error) {
	r := &Restored{indexedAt: time.Now().UnixNano(), id: f.ID(), signer: f.Signer()} // unless it says when
	if err := Fits(x, f, r); err != nil {
		return nil, err
	}
	table, err := store.NewTable(x.Vectors)
	if err != nil {
		return nil, err
	}
	r.table = table
	var group fault.ErrGroup
	group.Go(func() error {
		return Section(f, SecWords, func(d *snapshot.Decoder) { table.Words = lexical.Restore(d) })
	})
	group.Go(func() error {
		if graphless {
			return nil
		}
		return r.calls(f)
	})
	texts := newProver()
	for range x.Opt.Workers {
		group.Go(func() error {
			texts.work()
			return nil
		})
	}
	group.Go(func() error {
		defer texts.end()
		return r.files(f, texts)
	})
	group.Go(func() error { return r.vectors(f, &x.Vectors) })
	group.Go(func() error { return r.said(f) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if n := r.about.Chunks; table.Words.Len() != n || len(table.Chunks) != n {
		return nil, fmt.Errorf("%w: %d chunks, words of %d; there should be %d", snapshot.ErrDamaged, len(table.Chunks), table.Words.Len(), n)
	}
	if x.Tree.Sealed() {
		if err := r.leftOut(f); err != nil {
			return nil, err
		}
	}
	if r.bad, err = texts.found(len(r.records)); err != nil {
		return nil, err
	}
	r.count(r.records)
	own := !foreign && r.about.Root == x.Tree.Root()
	r.base = newBase(f.ID(), own, table, r.records, r.bad)
	r.base.facts = r.facts
	if !own {
		return r, nil
	}
	return r, r.stat(f, x.Tree.Root())
}

// calls takes over the graph, where there is one.
func (r *Restored) calls(f *snapshot.File) error {
	if !f.Has(SecGraph) {
		return nil
	}
	return Section(f, SecGraph, func(d *snapshot.Decoder) {
		g, err := graph.Restore(d)
		if err != nil {
			d.Fail("%v", err)
		}
		r.graph = g
	})
}

// said takes over what SCIP indexes say, where there is something.
func (r *Restored) said(f *snapshot.File) error {
	if !f.Has(SecSCIP) {
		return nil
	}
	return Section(f, SecSCIP, func(d *snapshot.Decoder) { r.facts = scip.Restore(d) })
}

// Fits compares what made the snapshot with what would make it now.
func Fits(x *store.View, f *snapshot.File, r *Restored) error {
	b, err := f.Section(SecMeta)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &r.about); err != nil {
		return fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	want := About(x)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"contents of version", r.about.Content, want.Content},
		{"grammars", r.about.Grammars, want.Grammars},
		{"model", r.about.Model, want.Model},
		{"dimensions", r.about.Dim, want.Dim},
		{"largest file", r.about.MaxFileBytes, want.MaxFileBytes},
		{"masks of version", r.about.Masked, want.Masked},
		{"longest line", r.about.MaxLineBytes, want.MaxLineBytes},
	} {
		if c.got != c.want {
			return fmt.Errorf("%w: %s %v, wanted %v", snapshot.ErrVersion, c.what, c.got, c.want)
		}
	}
	return nil
}

// Section decodes a section to its end.
func Section(f *snapshot.File, name string, decode func(d *snapshot.Decoder)) error {
	b, err := f.Section(name)
	if err != nil {
		return err
	}
	d := snapshot.NewDecoder(b)
	decode(d)
	if err := d.End(); err != nil {
		return fmt.Errorf("section %s: %w", name, err)
	}
	return nil
}
