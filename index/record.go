package index

import (
	"cmp"
	"github.com/cespare/xxhash/v2"
	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// A record is an indexed file. It never changes once it is committed, except
// for the ids of its pieces, which are given at the commit.
type record struct {
	path     string
	size     int64
	modTime  int64        // nanoseconds since 1970
	readAt   atomic.Int64 // when it was read, as above; answers note it, too, see believe
	hash     uint64
	lang     string
	role     source.Role
	traits   source.Traits
	words    rank.Words // of its path and symbols; set at the commit
	meaning  direction  // of the sum of its chunks' vectors; nil until it has all, and without an embedder
	grammar  bool
	errors   bool
	fault    syntax.Fault // why there was no syntax tree
	refs     int
	code     int     // bytes in functions of three lines and more
	abstract float64 // share of interfaces and traits among the types
	text     text
	lowered  lowered
	symbols  []symbol
	letters  []letterSet // of the symbols' names; set at the commit
	pieces   []piece
	filter   atomic.Pointer[line.Filter] // of the text; made when it is first searched for a literal
	imports  atomic.Pointer[nameList]    // made when somebody asks who imports something
	ready    int                         // pieces that have their vector, or need none; under the lock
}

// A symbol is a definition, as small as an index of many thousands needs it.
type symbol struct {
	name, parent string
	signature    string // "": the text of its line
	start, end   uint32 // byte offsets
	docAt, docTo uint32 // as above, of its doc comment or docstring
	line, last   uint32 // 1-based, inclusive
	nameLine     uint32
	number       syntax.KindNumber
	exported     bool
}

func (s *symbol) kind() syntax.Kind { return s.number.Kind() }

// A piece is a chunk of a record.
type piece struct {
	id         uint32 // in lexical and vector
	start, end uint32
	lead       uint32 // byte offset of the line to show first
	line, last uint32 // 1-based, inclusive
	symbol     int32  // -1: none
	defines    bool
	head       bool
	hash       uint64 // of what its vector is made of but the path, see describe
}

func (r *record) piece(n uint32) *piece { return &r.pieces[n] }

// place is where a chunk id is.
type place struct {
	record *record
	piece  uint32
}

// definition is where a name is defined.
type definition struct {
	record *record
	symbol uint32
}

func foldName(name string) uint64 { return xxhash.Sum64String(strings.ToLower(name)) }

// newRecord makes a record from a parsed file. The strings of f are taken over.
func newRecord(f source.File, src []byte, lang string, file *syntax.File, chunks []chunk.Chunk) *record {
	r := &record{
		path: f.Path, size: f.Size, modTime: f.ModTime, hash: xxhash.Sum64(src),
		lang: lang, role: source.RoleOf(f.Path), traits: source.TraitsOf(f.Path),
		grammar: file.Grammar, errors: file.Errors, fault: file.Fault, refs: len(file.Refs),
		text:    pack(src),
		symbols: make([]symbol, len(file.Symbols)),
		pieces:  make([]piece, len(chunks)),
	}
	for i, s := range file.Symbols {
		number, ok := s.Kind.Number()
		if !ok {
			panic("index: a symbol of kind " + s.Kind)
		}
		r.symbols[i] = symbol{
			name: s.Name, parent: s.Parent, signature: s.Signature, number: number,
			start: uint32(s.Start), end: uint32(s.End), docAt: uint32(s.DocAt), docTo: uint32(s.DocTo), line: uint32(s.Line), last: uint32(s.EndLine),
			nameLine: uint32(s.NameLine), exported: s.Exported,
		}
		switch s.Kind {
		case syntax.Constant, syntax.Variable, syntax.Field, syntax.Key, syntax.Macro, syntax.Rule, syntax.Heading:
			// There are many of these, and their line says the same.
			r.symbols[i].signature = ""
		}
	}
	r.code, r.abstract = substance(file.Symbols)
	for i, c := range chunks {
		r.pieces[i] = piece{
			start: uint32(c.Start), end: uint32(c.End), lead: uint32(c.Lead), line: uint32(c.Line), last: uint32(c.LastLine),
			symbol: int32(c.Symbol), defines: c.Defines, head: c.Head,
		}
		r.pieces[i].hash = r.describedHash(&r.pieces[i], src[c.Start:c.End])
	}
	return r
}

// begun calls yield for the symbols that begin in a piece, in order, with their
// positions.
func (r *record) begun(p *piece) iter.Seq2[int, *symbol] {
	return func(yield func(int, *symbol) bool) {
		first := sort.Search(len(r.symbols), func(i int) bool { return r.symbols[i].start >= p.start }) // without copies of symbols
		for i := first; i < len(r.symbols) && p.holds(&r.symbols[i]); i++ {
			if !yield(i, &r.symbols[i]) {
				return
			}
		}
	}
}

// holds reports whether a symbol begins in the piece.
func (p *piece) holds(s *symbol) bool { return s.start >= p.start && s.start < p.end }

// roleOf returns a piece's role: what the path says, else whether it defines.
func (r *record) roleOf(p *piece) string {
	switch {
	case r.role != "":
		return string(r.role)
	case p.defines:
		return RoleDefinition
	}
	return ""
}

// pieceOf returns the position of the piece in which a symbol begins, or -1.
func (r *record) pieceOf(s *symbol) int {
	n, found := slices.BinarySearchFunc(r.pieces, s.start, func(p piece, at uint32) int { return cmp.Compare(p.start, at) })
	if !found {
		n--
	}
	if n < 0 || !r.pieces[n].holds(s) {
		return -1
	}
	return n
}

// full reports whether all pieces have their vectors; without an embedder that is only
// so of a file without pieces, and makes no difference.
func (r *record) full() bool { return r.ready == len(r.pieces) }

// around returns the symbol that a symbol is in, -1 for none.
func (r *record) around(i int32) int32 {
	s := &r.symbols[i]
	for up := i - 1; up >= 0; up-- {
		if t := &r.symbols[up]; t.end >= s.end {
			return up
		}
	}
	return -1
}

// lineText returns a line without the white space around it.
func (r *record) lineText(line int) string {
	src := r.text.all()
	at, ok := lineAt(src, line-1)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(string(src[at:]), "\n")
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
}

func (r *record) lines() int { return countLines(r.text.all()) }

// racy is how old a file's time stamp must have been when it was read for an
// equal stamp to mean an equal file: within one tick of the file system's clock
// two writes look the same (as git knows it from its index).
const racy = 2 * time.Second

// settled reports whether an equal time stamp means an equal file.
func (r *record) settled() bool { return r.readAt.Load()-r.modTime > int64(racy) }

// weight is what a record takes, the ids of its chunks and its names in the table
// included; the direction of its chunks is not. It does not change with time.
func (r *record) weight() (m Memory) {
	const named = 40 // of a symbol in the table of names
	m.Symbols = int64(unsafe.Sizeof(*r)) + int64(len(r.path)) +
		int64(len(r.symbols))*(int64(unsafe.Sizeof(symbol{})+unsafe.Sizeof(letterSet(0)))+named) +
		int64(len(r.pieces))*int64(unsafe.Sizeof(piece{})+unsafe.Sizeof(place{}))
	for i := range r.symbols {
		m.Symbols += int64(len(r.symbols[i].signature))
	}
	for _, b := range r.text.blocks {
		m.Text += int64(cap(b)) + int64(unsafe.Sizeof(b))
	}
	m.Text += int64(cap(r.lowered))
	return m
}

// A nameList is what one file imports, as it is written.
type nameList []ImportedName

// is reports whether a record is of a text.
func (r *record) is(text []byte) bool {
	return r.size == int64(len(text)) && r.hash == xxhash.Sum64(text)
}
