package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// ErrSnapshot says that a snapshot cannot be used: it is damaged, or was made by
// another version, with another model or other limits. The index is as it was.
var ErrSnapshot = errors.New("the snapshot cannot be used")

// Restore takes over a snapshot, at once and as it is; the index must be empty, and
// counts as stale until the next Build has compared it with the root. A file that
// does not exist gives fs.ErrNotExist, one that does not fit ErrSnapshot.
func (x *Index) Restore(path string) error { return x.RestoreDelta(path, "") }

// RestoreDelta is Restore of a snapshot together with what SaveDelta has written of
// the difference from it; "" for none. A delta that belongs to another snapshot gives
// ErrSnapshot, too.
func (x *Index) RestoreDelta(path, delta string) error {
	f, err := snapshot.Open(path)
	if err != nil {
		return unusable(err)
	}
	defer f.Close()
	var d *snapshot.File
	if delta != "" {
		if d, err = snapshot.Open(delta); err != nil {
			return unusable(err)
		}
		defer d.Close()
	}
	r, err := x.read(f, d != nil && d.Has(secGraph))
	if err != nil {
		return unusable(fmt.Errorf("%s: %w", path, err))
	}
	if d != nil {
		if err := x.apply(r, d); err != nil {
			return unusable(fmt.Errorf("%s: %w", delta, err))
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ErrClosed
	}
	if len(x.table.files) > 0 || x.state.built.Load() {
		return errors.New("index: a snapshot is restored into an empty index only")
	}
	x.table, x.base = r.table, r.base
	x.weigh(x.table)
	if r.graph != nil {
		x.supply(r.graph, r.table.files)
	}
	x.calls.restore(r.graph, r.graphOld)
	x.foreign.Store(true)
	c := &x.state
	c.files.Store(int64(len(r.table.files)))
	c.chunks.Store(int64(r.table.words.Len()))
	c.embedded.Store(r.embedded)
	c.indexedAt.Store(r.indexedAt)
	c.seconds.Store(r.seconds)
	c.commit.Store(&r.about.Commit)
	c.generation.Store(r.generation + 1)
	c.reused.Add(uint64(len(r.table.files)))
	c.restored.Store(true)
	c.built.Store(true)
	x.startOver()
	return nil
}

func unusable(err error) error {
	if errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, snapshot.ErrVersion) {
		return fmt.Errorf("index: %w: %w", ErrSnapshot, err)
	}
	return fmt.Errorf("index: %w", err)
}

// restored is what a snapshot holds.
type restored struct {
	about      about
	table      *table
	records    []*record
	base       *base
	graph      *graph.Graph // nil: it was behind
	graphOld   bool         // it lacks the changes of the delta
	embedded   int64
	generation uint64
	indexedAt  int64
	seconds    int64
}

// read decodes a snapshot, its sections side by side: all that they have in common is
// the number of chunks. Its graph is left out where another one is at hand.
func (x *Index) read(f *snapshot.File, graphless bool) (*restored, error) {
	r := &restored{indexedAt: time.Now().UnixNano()} // unless it says when
	if err := x.fits(f, r); err != nil {
		return nil, err
	}
	table, err := newTable(x.dim)
	if err != nil {
		return nil, err
	}
	r.table = table
	var group crew
	group.Go(func() error {
		return section(f, secWords, func(d *snapshot.Decoder) { table.words = lexical.Restore(d) })
	})
	group.Go(func() error {
		if graphless {
			return nil
		}
		return r.calls(f)
	})
	group.Go(func() error { return r.files(f) })
	group.Go(func() error { return r.vectors(f, x.dim) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if n := r.about.Chunks; table.words.Len() != n || len(table.chunks) != n {
		return nil, fmt.Errorf("%w: %d chunks, words of %d; there should be %d", snapshot.ErrDamaged, len(table.chunks), table.words.Len(), n)
	}
	r.count(r.records)
	r.base = newBase(f.ID(), r.about.Root == x.tree.Root(), r.records)
	return r, r.stat(f, x.tree.Root())
}

// calls takes over the graph, where there is one.
func (r *restored) calls(f *snapshot.File) error {
	if !f.Has(secGraph) {
		return nil
	}
	return section(f, secGraph, func(d *snapshot.Decoder) {
		g, err := graph.Restore(d)
		if err != nil {
			d.Fail("%v", err)
		}
		r.graph = g
	})
}

// fits compares what made the snapshot with what would make it now.
func (x *Index) fits(f *snapshot.File, r *restored) error {
	b, err := f.Section(secMeta)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &r.about); err != nil {
		return fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	want := x.about()
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

// section decodes a section to its end.
func section(f *snapshot.File, name string, decode func(d *snapshot.Decoder)) error {
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

// files enters the records. Their chunks get the numbers 0, 1, 2 and so on.
func (r *restored) files(f *snapshot.File) error {
	text, err := f.Section(secText)
	if err != nil {
		return err
	}
	blocks := snapshot.NewDecoder(text)
	t := r.table
	err = section(f, secFiles, func(d *snapshot.Decoder) {
		in := interned{}
		n := d.Len(20)
		r.records = make([]*record, 0, n)
		before := ""
		for range n {
			one := restoreRecord(d, blocks, in)
			if d.Err() != nil {
				return
			}
			if one.path <= before {
				d.Fail("file %q after %q", one.path, before)
				return
			}
			before = one.path
			r.records = append(r.records, one)
			for i := range one.pieces {
				one.pieces[i].id = uint32(len(t.chunks))
				t.chunks = append(t.chunks, place{one, uint32(i)})
			}
			t.enter(one)
		}
		t.restoreSkips(d, in)
	})
	if err != nil {
		return err
	}
	return blocks.End()
}

func (t *table) restoreSkips(d *snapshot.Decoder, in interned) {
	for range d.Len(3) {
		s := source.Skip{Path: d.String(), Reason: source.Reason(in.string(d)), Detail: d.String()}
		t.skips[s.Path] = s
	}
}

// interned are the strings that were read, so that the same one is kept once.
type interned map[string]string

func (in interned) string(d *snapshot.Decoder) string {
	b := d.Raw(d.Len(1))
	if s, ok := in[string(b)]; ok {
		return s
	}
	s := string(b)
	in[s] = s
	return s
}

func restoreRecord(d, text *snapshot.Decoder, in interned) *record {
	r := restoreHead(d, in)
	count := (r.text.size + blockSize - 1) / blockSize
	if count > d.Left() {
		d.Fail("file %s has more blocks than there are", r.path)
		return r
	}
	r.text.blocks = make([][]byte, count)
	for i := range r.text.blocks {
		r.text.blocks[i] = text.Raw(int(d.Below(2 * blockSize)))
	}
	r.lowered = text.Raw(text.Len(1))
	r.restoreParts(d, in)
	if err := text.Err(); err != nil {
		d.Fail("%v", err)
	}
	return r
}

func restoreHead(d *snapshot.Decoder, in interned) *record {
	r := &record{path: d.String(), size: d.Int(), hash: d.Uint64(), lang: in.string(d), grammar: d.Bool(), errors: d.Bool()}
	r.refs, r.code, r.abstract = int(d.Uint32n()), int(d.Uint32n()), d.Float64()
	r.role, r.traits = source.RoleOf(r.path), source.TraitsOf(r.path)
	r.text.size = int(d.Below(math.MaxInt32))
	if r.size != int64(r.text.size) || !(r.abstract >= 0 && r.abstract <= 1) {
		d.Fail("file %s of %d bytes has a text of %d", r.path, r.size, r.text.size)
		r.text.size = 0
	}
	return r
}

func (r *record) restoreParts(d *snapshot.Decoder, in interned) {
	bound := uint64(r.text.size) + 1
	r.symbols = make([]symbol, d.Len(13))
	for i := range r.symbols {
		r.symbols[i].restore(d, bound, in)
	}
	r.pieces = make([]piece, d.Len(16))
	for i := range r.pieces {
		p := &r.pieces[i]
		p.start, p.end, p.lead = uint32(d.Below(bound)), uint32(d.Below(bound)), uint32(d.Below(bound))
		p.line, p.last = d.Uint32n(), d.Uint32n()
		symbol := d.Int()
		p.defines, p.head, p.hash = d.Bool(), d.Bool(), d.Uint64()
		if symbol < -1 || symbol >= int64(len(r.symbols)) || p.start > p.end {
			d.Fail("file %s has a chunk of nothing", r.path)
			return
		}
		p.symbol = int32(symbol)
	}
}

func (s *symbol) restore(d *snapshot.Decoder, bound uint64, in interned) {
	s.name, s.parent, s.signature = in.string(d), in.string(d), d.String()
	kind, ok := syntax.Kind(in.string(d)).Number()
	if !ok {
		d.Fail("a symbol of no kind")
	}
	s.number = kind
	s.start, s.end = uint32(d.Below(bound)), uint32(d.Below(bound))
	s.docAt, s.docTo = uint32(d.Below(bound)), uint32(d.Below(bound))
	s.line, s.last, s.nameLine = d.Uint32n(), d.Uint32n(), d.Uint32n()
	s.exported = d.Bool()
	if s.start > s.end || s.docAt > s.docTo {
		d.Fail("symbol %s ends before it begins", s.name)
	}
}

// vectors enters the vectors of the chunks.
func (r *restored) vectors(f *snapshot.File, dim int) error {
	if dim == 0 {
		return nil
	}
	return section(f, secVectors, func(d *snapshot.Decoder) {
		for id, code := range restoreCodes(d, r.about.Chunks, dim) {
			r.table.addCode(d, uint32(id), code)
		}
	})
}

// restoreCodes reads the vectors of those of n chunks that have one.
func restoreCodes(d *snapshot.Decoder, n, dim int) iter.Seq2[int, vector.Code] {
	return func(yield func(int, vector.Code) bool) {
		bits := d.Raw((n + 7) / 8)
		for i := range n {
			if d.Err() != nil {
				return
			}
			if bits[i/8]>>(i%8)&1 == 0 {
				continue
			}
			if code := d.Raw(vector.CodeBytes(dim)); code == nil || !yield(i, code) {
				return
			}
		}
	}
}

func (t *table) addCode(d *snapshot.Decoder, id uint32, code vector.Code) {
	if err := t.vectors.AddCode(id, code); err != nil {
		d.Fail("%v", err)
	}
}

// count counts the vectors of records, and makes those of files.
func (r *restored) count(records []*record) {
	t := r.table
	if t.vectors == nil {
		return
	}
	for _, one := range records {
		for i := range one.pieces {
			if t.vectors.Has(one.pieces[i].id) {
				one.ready++
			}
		}
		r.embedded += int64(one.ready)
		t.sum(one)
	}
}

// stat takes over the times, where the snapshot was made of this root. Without them
// every file is read and compared by the next Build: in a copy of the root, a file of
// the same size and time may be another one.
func (r *restored) stat(f *snapshot.File, root string) error {
	if r.about.Root != root || !f.Has(secStat) {
		return nil
	}
	return section(f, secStat, func(d *snapshot.Decoder) {
		r.generation, r.indexedAt, r.seconds = d.Uint(), d.Int(), d.Int()
		var modTime, readAt int64
		for _, one := range r.records {
			modTime += d.Int()
			readAt += d.Int()
			one.modTime = modTime
			one.readAt.Store(readAt)
		}
	})
}
