package scip

import (
	"bytes"
	"path"
	"path/filepath"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// codecVersion is the version of the encoding.
const codecVersion = 1

// Save writes facts:
//
//	version
//	symbols  how many; of each its name, its path, flags (1: local, 2: elsewhere), and the
//	         symbols that implement it, as differences
//	files    how many; of each, by path, the path, the hash, and its occurrences: the line as
//	         difference to the one before, the column, the length, and four times the number of
//	         the symbol, and 1 more where it defines, 2 where it declares
func (f *Facts) Save(e *snapshot.Encoder) {
	e.Uint(codecVersion)
	e.Len(len(f.symbols))
	for i := range f.symbols {
		s := &f.symbols[i]
		e.String(s.name)
		e.String(s.path)
		flags := byte(0)
		if s.local {
			flags |= 1
		}
		if s.elsewhere {
			flags |= 2
		}
		e.Byte(flags)
		e.Len(len(s.by))
		before := uint32(0)
		for _, n := range s.by {
			e.Uint(uint64(n - before))
			before = n
		}
	}
	e.Len(len(f.files))
	for i := range f.files {
		one := &f.files[i]
		e.String(one.path)
		e.Uint64(one.hash)
		e.Len(len(one.occurrences))
		line := 0
		for _, o := range one.occurrences {
			e.Uint(uint64(o.Pos.Line() - line))
			e.Uint(uint64(o.Pos.Column()))
			e.Uint(uint64(o.Length))
			what := uint64(o.Symbol) << 2
			if o.Defines {
				what |= 1
			}
			if o.Declares {
				what |= 2
			}
			e.Uint(what)
			line = o.Pos.Line()
		}
	}
}

// Equal reports whether two say the same; either may be nil.
func (f *Facts) Equal(other *Facts) bool {
	if f == nil || other == nil {
		return f == other
	}
	var a, b snapshot.Encoder
	f.Save(&a)
	other.Save(&b)
	return bytes.Equal(a.Bytes(), b.Bytes())
}

// Restore reads what Save wrote, to the end. Where the bytes make no sense it is nil, and the
// Decoder says why.
func Restore(d *snapshot.Decoder) *Facts {
	f := &Facts{}
	if v := d.Uint(); v != codecVersion {
		d.Fail("version %d of what SCIP says", v)
	}
	f.symbols = make([]symbol, d.Len(4))
	symbols := uint64(len(f.symbols))
	for i := range f.symbols {
		s := &f.symbols[i]
		s.name, s.path = d.String(), d.String()
		flags := d.Byte()
		s.local, s.elsewhere = flags&1 != 0, flags&2 != 0
		s.by = make([]uint32, d.Len(1))
		before := uint64(0)
		for k := range s.by {
			before += d.Below(symbols)
			if before >= symbols {
				d.Fail("symbol %d of %d", before, symbols)
				return nil
			}
			s.by[k] = uint32(before)
		}
	}
	f.files = make([]file, d.Len(11))
	last := ""
	for i := range f.files {
		one := &f.files[i]
		one.path, one.hash = d.String(), d.Uint64()
		if one.path <= last || path.Clean(one.path) != one.path || !filepath.IsLocal(filepath.FromSlash(one.path)) {
			d.Fail("a file with the name %q", one.path)
		}
		last = one.path
		one.occurrences = make([]Occurrence, d.Len(4))
		before := ir.Pos(0)
		line := uint64(0)
		for k := range one.occurrences {
			line += d.Below(maxLine)
			column, length, what := d.Below(maxColumn), d.Below(maxOccurrence+1), d.Below(symbols<<2)
			if line >= maxLine {
				d.Fail("line %d", line)
			}
			if d.Err() != nil {
				return nil
			}
			o := Occurrence{ir.At(int(line), int(column)), uint32(length), uint32(what >> 2), what&1 != 0, what&2 != 0}
			if o.Pos < before {
				d.Fail("an occurrence before the last one")
			}
			one.occurrences[k], before = o, o.Pos
		}
	}
	if d.End() != nil {
		return nil
	}
	f.index()
	return f
}
