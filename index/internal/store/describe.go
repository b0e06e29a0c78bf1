package store

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Describe returns what the model sees of a piece, whose text is given.
func (r *Record) Describe(p *Chunk, text string) embed.Document {
	return embed.Document{Path: r.Path, Names: r.NamesIn(p), Text: text}
}

// describedHash is the hash of what describe returns without the path: an edited
// file's pieces take over the vectors of those that had the same. A piece's
// names can change while its text does not, when its class is renamed.
func (r *Record) describedHash(p *Chunk, text []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.WriteString(r.NamesIn(p))
	d.Write([]byte{0}) // no name has it
	d.Write(text)
	return d.Sum64()
}

// NamesIn returns the names of the symbols that begin in a piece, each followed
// by its parent's, or those of the symbol that the piece lies in. Fields are left
// out: there are many, and they would bury the name of their type.
func (r *Record) NamesIn(p *Chunk) string {
	var b strings.Builder
	add := func(s *Symbol) {
		for _, name := range [...]string{s.Name, s.Parent} {
			if name == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(name)
		}
	}
	for _, s := range r.Begun(p) {
		if s.Kind() != syntax.Field {
			add(s)
		}
	}
	if b.Len() == 0 && p.Symbol >= 0 {
		add(&r.Symbols[p.Symbol])
	}
	return b.String()
}

// nameTimes is how often the name of a symbol counts as a word of its chunk, besides
// the times that the text has it.
const nameTimes = 3

// Document returns what lexical sees of a piece: its text, the names of
// its symbols once more, and the words of its path, so that a question can name the
// folder. src is the whole text.
func (r *Record) Document(b *lexical.Builder, p *Chunk, src []byte) lexical.Doc {
	b.Add(src[p.Start:p.End], 1)
	for _, s := range r.Begun(p) {
		if s.Kind() != syntax.Field {
			b.Add([]byte(s.Name), nameTimes)
			b.Add([]byte(s.Parent), 1)
		}
	}
	name, dir := rank.PathParts(r.Path)
	b.Add([]byte(name), 2)
	// The last three folders: those above are the same for too many files.
	for range 3 {
		i := strings.LastIndexByte(dir, '/')
		b.Add([]byte(dir[i+1:]), 1)
		if i < 0 {
			break
		}
		dir = dir[:i]
	}
	return b.Doc()
}

// intern fills in the words of a record's names.
func (t *Table) intern(r *Record) {
	name, folders := rank.PathParts(r.Path)
	r.Words = rank.Words{
		Stem:    t.Lexicon.Intern(nil, name, lexical.Stem),
		Folders: t.Lexicon.Intern(nil, folders, lexical.Stem),
	}
	r.Letters = make([]LetterSet, len(r.Symbols))
	for i := range r.Symbols {
		r.Letters[i] = LettersIn(r.Symbols[i].Name)
	}
	type place struct {
		name  string
		piece uint16
	}
	seen := make(map[place]bool, len(r.Symbols))
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if s.Kind() == syntax.Field {
			continue
		}
		at := place{s.Name, uint16(min(max(r.PieceOf(s), 0), math.MaxUint16))}
		if seen[at] {
			continue
		}
		seen[at] = true
		n := len(r.Words.Symbols)
		r.Words.Symbols = t.Lexicon.Intern(r.Words.Symbols, s.Name, lexical.Stem)
		if len(r.Words.Symbols) > n { // a name without words is none
			r.Words.Chunks = append(r.Words.Chunks, at.piece)
		}
	}
}

// Sum computes a record's own vector once its chunks have theirs, and again where one of
// them has another.
func (t *Table) Sum(r *Record) {
	if t.Vectors == nil || !r.Full() {
		return
	}
	sum := make([]float64, t.Vectors.Dim())
	for i := range r.Chunks {
		t.Vectors.Sum(sum, r.Chunks[i].ID)
	}
	r.Meaning.set(directionOf(sum))
}

// PlainIn returns how many of a record's chunks have a vector that is to be replaced.
func (t *Table) PlainIn(r *Record) (n int) {
	if t.Vectors == nil || t.Vectors.Plain() == 0 {
		return 0
	}
	for i := range r.Chunks {
		if t.Vectors.IsPlain(r.Chunks[i].ID) {
			n++
		}
	}
	return n
}

// A Meaning is a direction that may be replaced by another while it is read: a clone of a
// table has the same records under another lock.
type Meaning struct{ at atomic.Pointer[direction] }

func (m *Meaning) set(d direction) { m.at.Store(&d) }

// get returns nil where there is none.
func (m *Meaning) get() direction {
	if d := m.at.Load(); d != nil {
		return *d
	}
	return nil
}

// Cosine is direction.Cosine.
func (m *Meaning) Cosine(v []float32) float64 { return m.get().Cosine(v) }

// Equal reports whether two are the same, or there is neither.
func (m *Meaning) Equal(o *Meaning) bool { return slices.Equal(m.get(), o.get()) }

// A direction is where a vector leads, whatever its length: a byte for each number, the
// greatest of which is 127. What it is compared for needs no more, and four bytes each
// were 98 MB for 100,000 files.
type direction []int8

// directionOf returns that of a vector, nil if it leads nowhere.
func directionOf(v []float64) direction {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	if most == 0 {
		return nil
	}
	d := make(direction, len(v))
	for i, x := range v {
		d[i] = int8(math.Round(x / most * math.MaxInt8))
	}
	return d
}

// Cosine returns that of the angle to a vector of length one, and 0 where one of them is
// not known. With a shorter vector that of the leading places is returned, 0 where these
// lead nowhere.
func (d direction) Cosine(v []float32) float64 {
	if len(v) == 0 || len(d) < len(v) {
		return 0
	}
	d = d[:len(v)]
	var a, b, c, e float64 // one would wait for each sum before the next
	square := 0
	for len(d) >= 4 && len(v) >= 4 {
		x, y := (*[4]int8)(d), (*[4]float32)(v)
		a += float64(x[0]) * float64(y[0])
		b += float64(x[1]) * float64(y[1])
		c += float64(x[2]) * float64(y[2])
		e += float64(x[3]) * float64(y[3])
		square += int(x[0])*int(x[0]) + int(x[1])*int(x[1]) + int(x[2])*int(x[2]) + int(x[3])*int(x[3])
		d, v = d[4:], v[4:]
	}
	for i, x := range d {
		a += float64(x) * float64(v[i])
		square += int(x) * int(x)
	}
	if square == 0 {
		return 0
	}
	return (a + b + c + e) / math.Sqrt(float64(square))
}

// substance returns how many bytes of code functions of three lines and more hold,
// and the share, 0..1, of interfaces and traits among the types.
func substance(symbols []syntax.Symbol) (code int, abstract float64) {
	interfaces, types := 0, 0
	for _, s := range symbols {
		switch s.Kind {
		case syntax.Function, syntax.Method, syntax.Constructor:
			if s.EndLine-s.Line >= 2 {
				code += s.End - s.Start
			}
		case syntax.Interface, syntax.Trait:
			interfaces++
			types++
		case syntax.Class, syntax.Struct, syntax.Enum, syntax.Type:
			types++
		}
	}
	return code, float64(interfaces) / float64(max(types, 1))
}
