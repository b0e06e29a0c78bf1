package persist

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"path"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// files enters the records. Their chunks get the numbers 0, 1, 2 and so on.
func (r *Restored) files(f *snapshot.File, texts *prover) error {
	var text []byte // of all, which takes as long to hash as the rest to unpack
	var group fault.ErrGroup
	group.Go(func() (err error) {
		text, err = f.Section(SecText)
		return err
	})
	files, err := f.Section(SecFiles)
	if err := errors.Join(err, group.Wait()); err != nil {
		return err
	}
	blocks := snapshot.NewDecoder(text)
	t := r.table
	d := snapshot.NewDecoder(files)
	in := Interned{}
	n := d.Len(20)
	r.records = make([]*store.Record, 0, n)
	before := ""
	for range n {
		one := restoreRecord(d, blocks, in)
		if d.Err() != nil {
			break
		}
		if one.Path <= before {
			d.Fail("file %q after %q", one.Path, before)
			break
		}
		before = one.Path
		r.records = append(r.records, one)
		texts.take(one)
		for i := range one.Chunks {
			one.Chunks[i].ID = uint32(len(t.Chunks))
			t.Chunks = append(t.Chunks, store.ChunkRef{Record: one, Chunk: uint32(i)})
		}
		t.Enter(one)
	}
	restoreSkips(t, d, in)
	if err := d.End(); err != nil {
		return fmt.Errorf("section %s: %w", SecFiles, err)
	}
	return blocks.End()
}

func restoreSkips(t *store.Table, d *snapshot.Decoder, in Interned) {
	for range d.Len(3) {
		s := source.Skip{Path: d.String(), Reason: source.Reason(in.String(d)), Detail: d.String()}
		if !plainPath(s.Path) || t.Files[s.Path] != nil || strings.Trim(string(s.Reason), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			d.Fail("file %q is left out for %q", s.Path, s.Reason)
			return
		}
		t.Skips[s.Path] = s
	}
}

// Interned are the strings that were read, so that the same one is kept once.
type Interned map[string]string

func (in Interned) String(d *snapshot.Decoder) string {
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

func restoreRecord(d, text *snapshot.Decoder, in Interned) *store.Record {
	r := RestoreHead(d, in)
	count := (r.Text.Size + store.BlockSize - 1) / store.BlockSize
	if count > d.Left() {
		d.Fail("file %s has more blocks than there are", r.Path)
		return r
	}
	r.Text.Blocks = make([][]byte, count)
	for i := range r.Text.Blocks {
		r.Text.Blocks[i] = text.Raw(int(d.Below(2 * store.BlockSize)))
	}
	r.Lowered = text.Raw(text.Len(1))
	RestoreParts(r, d, in)
	if err := text.Err(); err != nil {
		d.Fail("%v", err)
	}
	return r
}

func RestoreHead(d *snapshot.Decoder, in Interned) *store.Record {
	r := &store.Record{Path: d.String(), Size: d.Int(), Hash: d.Uint64(), Lang: in.String(d), Grammar: d.Bool(), Errors: d.Bool(), Fault: syntax.Fault(d.Below(syntax.Faults))}
	r.Refs, r.Code, r.Abstract = int(d.Uint32n()), int(d.Uint32n()), d.Float64()
	r.Role, r.Traits = source.RoleOf(r.Path), source.TraitsOf(r.Path)
	r.Text.Size = int(d.Below(math.MaxInt32))
	if !plainPath(r.Path) {
		d.Fail("a file with the name %q", r.Path)
	}
	if r.Size != int64(r.Text.Size) || !(r.Abstract >= 0 && r.Abstract <= 1) {
		d.Fail("file %s of %d bytes has a text of %d", r.Path, r.Size, r.Text.Size)
		r.Text.Size = 0
	}
	return r
}

func RestoreParts(r *store.Record, d *snapshot.Decoder, in Interned) {
	bound := uint64(r.Text.Size) + 1
	r.Symbols = make([]store.Symbol, d.Len(13))
	for i := range r.Symbols {
		restoreSymbol(&r.Symbols[i], d, bound, in)
	}
	r.Chunks = make([]store.Chunk, d.Len(16))
	for i := range r.Chunks {
		p := &r.Chunks[i]
		p.Start, p.End, p.Lead = uint32(d.Below(bound)), uint32(d.Below(bound)), uint32(d.Below(bound))
		p.Line, p.Last = uint32(d.Below(bound+1)), uint32(d.Below(bound+1)) // no line is shorter than its end
		symbol := d.Int()
		p.Defines, p.Head, p.Hash = d.Bool(), d.Bool(), d.Uint64()
		if symbol < -1 || symbol >= int64(len(r.Symbols)) || p.Start > p.End || p.Lead < p.Start || p.Lead > p.End || p.Line > p.Last {
			d.Fail("file %s has a chunk of nothing", r.Path)
			return
		}
		p.Symbol = int32(symbol)
	}
}

func restoreSymbol(s *store.Symbol, d *snapshot.Decoder, bound uint64, in Interned) {
	s.Name, s.Parent, s.Signature = in.String(d), in.String(d), d.String()
	kind, ok := syntax.Kind(in.String(d)).Number()
	if !ok {
		d.Fail("a symbol of no kind")
	}
	s.Number = kind
	s.Start, s.End = uint32(d.Below(bound)), uint32(d.Below(bound))
	s.DocAt, s.DocTo = uint32(d.Below(bound)), uint32(d.Below(bound))
	s.Line, s.Last, s.NameLine = uint32(d.Below(bound+1)), uint32(d.Below(bound+1)), uint32(d.Below(bound+1))
	s.Exported = d.Bool()
	if s.Start > s.End || s.DocAt > s.DocTo || s.Line > s.Last {
		d.Fail("symbol %s ends before it begins", s.Name)
	}
}

// vectors enters the vectors of the chunks.
func (r *Restored) vectors(f *snapshot.File, opt *vector.Options) error {
	if opt.Dim == 0 {
		return nil
	}
	return Section(f, SecVectors, func(d *snapshot.Decoder) {
		for id, code := range RestoreCodes(d, r.about.Chunks, opt) {
			addCode(r.table, d, uint32(id), code)
		}
	})
}

// RestoreCodes reads the vectors of those of n chunks that have one.
func RestoreCodes(d *snapshot.Decoder, n int, opt *vector.Options) iter.Seq2[int, vector.Code] {
	return func(yield func(int, vector.Code) bool) {
		bits := d.Raw((n + 7) / 8)
		for i := range n {
			if d.Err() != nil {
				return
			}
			if bits[i/8]>>(i%8)&1 == 0 {
				continue
			}
			if code := d.Raw(opt.CodeBytes(d.Rest())); code == nil || !yield(i, code) {
				return
			}
		}
	}
}

func addCode(t *store.Table, d *snapshot.Decoder, id uint32, code vector.Code) {
	if err := t.Vectors.AddCode(id, code); err != nil {
		d.Fail("%v", err)
	}
}

// count counts the vectors of records, and makes those of files.
func (r *Restored) count(records []*store.Record) {
	t := r.table
	if t.Vectors == nil {
		return
	}
	for _, one := range records {
		for i := range one.Chunks {
			if r.about.Whole || t.Vectors.Has(one.Chunks[i].ID) { // a text of no words has none
				one.Ready++
			}
		}
		r.embedded += int64(one.Ready)
		t.Sum(one)
	}
}

// stat takes over the times, where the snapshot was made of this root. Without them
// every file is read and compared by the next Build: in a copy of the root, a file of
// the same size and time may be another one.
func (r *Restored) stat(f *snapshot.File, root string) error {
	if r.about.Root != root || !f.Has(SecStat) {
		return nil
	}
	return Section(f, SecStat, func(d *snapshot.Decoder) {
		r.generation, r.indexedAt, r.seconds = d.Uint(), d.Int(), d.Int()
		var modTime, readAt int64
		for _, one := range r.records {
			modTime += d.Int()
			readAt += d.Int()
			one.ModTime = modTime
			one.ReadAt.Store(readAt)
		}
	})
}
