package index

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"path"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// files enters the records. Their chunks get the numbers 0, 1, 2 and so on.
func (r *restored) files(f *snapshot.File, texts *prover) error {
	var text []byte // of all, which takes as long to hash as the rest to unpack
	var group crew
	group.Go(func() (err error) {
		text, err = f.Section(secText)
		return err
	})
	files, err := f.Section(secFiles)
	if err := errors.Join(err, group.Wait()); err != nil {
		return err
	}
	blocks := snapshot.NewDecoder(text)
	t := r.table
	d := snapshot.NewDecoder(files)
	in := interned{}
	n := d.Len(20)
	r.records = make([]*record, 0, n)
	before := ""
	for range n {
		one := restoreRecord(d, blocks, in)
		if d.Err() != nil {
			break
		}
		if one.path <= before {
			d.Fail("file %q after %q", one.path, before)
			break
		}
		before = one.path
		r.records = append(r.records, one)
		texts.take(one)
		for i := range one.pieces {
			one.pieces[i].id = uint32(len(t.chunks))
			t.chunks = append(t.chunks, place{one, uint32(i)})
		}
		t.enter(one)
	}
	t.restoreSkips(d, in)
	if err := d.End(); err != nil {
		return fmt.Errorf("section %s: %w", secFiles, err)
	}
	return blocks.End()
}

func (t *table) restoreSkips(d *snapshot.Decoder, in interned) {
	for range d.Len(3) {
		s := source.Skip{Path: d.String(), Reason: source.Reason(in.string(d)), Detail: d.String()}
		if !plainPath(s.Path) || t.files[s.Path] != nil || strings.Trim(string(s.Reason), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			d.Fail("file %q is left out for %q", s.Path, s.Reason)
			return
		}
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

// plainPath reports whether a path may be that of a file in a root.
func plainPath(name string) bool {
	return name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) && strings.IndexByte(name, 0) < 0
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
	r := &record{path: d.String(), size: d.Int(), hash: d.Uint64(), lang: in.string(d), grammar: d.Bool(), errors: d.Bool(), fault: syntax.Fault(d.Below(syntax.Faults))}
	r.refs, r.code, r.abstract = int(d.Uint32n()), int(d.Uint32n()), d.Float64()
	r.role, r.traits = source.RoleOf(r.path), source.TraitsOf(r.path)
	r.text.size = int(d.Below(math.MaxInt32))
	if !plainPath(r.path) {
		d.Fail("a file with the name %q", r.path)
	}
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
		p.line, p.last = uint32(d.Below(bound+1)), uint32(d.Below(bound+1)) // no line is shorter than its end
		symbol := d.Int()
		p.defines, p.head, p.hash = d.Bool(), d.Bool(), d.Uint64()
		if symbol < -1 || symbol >= int64(len(r.symbols)) || p.start > p.end || p.lead < p.start || p.lead > p.end || p.line > p.last {
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
	s.line, s.last, s.nameLine = uint32(d.Below(bound+1)), uint32(d.Below(bound+1)), uint32(d.Below(bound+1))
	s.exported = d.Bool()
	if s.start > s.end || s.docAt > s.docTo || s.line > s.last {
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
