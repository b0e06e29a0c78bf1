package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Record is an indexed file. It never changes once it is committed, except
// for the ids of its pieces, which are given at the commit, and its vectors.
type Record struct {
	Path     string
	Size     int64
	ModTime  int64        // nanoseconds since 1970
	ReadAt   atomic.Int64 // when it was read, as above; answers note it, too, see believe
	Hash     uint64
	Lang     string
	Role     source.Role
	Traits   source.Traits
	Words    rank.Words // of its path and symbols; set at the commit
	Meaning  Meaning    // of the sum of its chunks' vectors; nil until it has all, and without an embedder
	Grammar  bool
	Errors   bool
	Fault    syntax.Fault // why there was no syntax tree
	Refs     int
	Code     int     // bytes in functions of three lines and more
	Abstract float64 // share of interfaces and traits among the types
	Text     Text
	Lowered  callgraph.Form
	Symbols  []Symbol
	Letters  []LetterSet // of the symbols' names; set at the commit
	Chunks   []Chunk
	Filter   atomic.Pointer[line.Filter] // of the text; made when it is first searched for a literal
	Imports  atomic.Pointer[ImportList]  // made when somebody asks who imports something
	Ready    int                         // pieces that have their vector, or need none; under the lock
}

// A Symbol is a definition, as small as an index of many thousands needs it.
type Symbol struct {
	Name, Parent string
	Signature    string // "": the text of its line
	Start, End   uint32 // byte offsets
	DocAt, DocTo uint32 // as above, of its doc comment or docstring
	Line, Last   uint32 // 1-based, inclusive
	NameLine     uint32
	Number       syntax.KindNumber
	Exported     bool
}

func (s *Symbol) Kind() syntax.Kind { return s.Number.Kind() }

// A Chunk is a chunk of a record.
type Chunk struct {
	ID         uint32 // in lexical and vector
	Start, End uint32
	Lead       uint32 // byte offset of the line to show first
	Line, Last uint32 // 1-based, inclusive
	Symbol     int32  // -1: none
	Defines    bool
	Head       bool
	Function   bool   // it leads with a function, or lies in one; known once the record is in a table
	Hash       uint64 // of what its vector is made of but the path, see describe
}

func (r *Record) Chunk(n uint32) *Chunk { return &r.Chunks[n] }

// ChunkRef is where a chunk id is.
type ChunkRef struct {
	Record *Record
	Chunk  uint32
}

// SymbolRef is where a name is defined.
type SymbolRef struct {
	Record *Record
	Symbol uint32
}

func FoldName(name string) uint64 { return xxhash.Sum64String(strings.ToLower(name)) }

// NewRecord makes a record from a parsed file. The strings of f are taken over; the text is
// kept in a room, which may be nil.
func NewRecord(f source.File, src []byte, lang string, file *syntax.File, chunks []chunk.Chunk, room *Room) *Record {
	r := &Record{
		Path: f.Path, Size: f.Size, ModTime: f.ModTime, Hash: xxhash.Sum64(src),
		Lang: lang, Role: source.RoleOf(f.Path), Traits: source.TraitsOf(f.Path),
		Grammar: file.Grammar, Errors: file.Errors, Fault: file.Fault, Refs: len(file.Refs),
		Text:    Pack(src, room),
		Symbols: make([]Symbol, len(file.Symbols)),
		Chunks:  make([]Chunk, len(chunks)),
	}
	for i, s := range file.Symbols {
		number, ok := s.Kind.Number()
		if !ok {
			panic("index: a symbol of kind " + s.Kind)
		}
		r.Symbols[i] = Symbol{
			Name: s.Name, Parent: s.Parent, Signature: s.Signature, Number: number,
			Start: uint32(s.Start), End: uint32(s.End), DocAt: uint32(s.DocAt), DocTo: uint32(s.DocTo), Line: uint32(s.Line), Last: uint32(s.EndLine),
			NameLine: uint32(s.NameLine), Exported: s.Exported,
		}
		switch s.Kind {
		case syntax.Constant, syntax.Variable, syntax.Field, syntax.Key, syntax.Macro, syntax.Rule, syntax.Heading:
			// There are many of these, and their line says the same.
			r.Symbols[i].Signature = ""
		}
	}
	r.Code, r.Abstract = substance(file.Symbols)
	for i, c := range chunks {
		r.Chunks[i] = Chunk{
			Start: uint32(c.Start), End: uint32(c.End), Lead: uint32(c.Lead), Line: uint32(c.Line), Last: uint32(c.LastLine),
			Symbol: int32(c.Symbol), Defines: c.Defines, Head: c.Head,
		}
		r.Chunks[i].Hash = r.describedHash(&r.Chunks[i], src[c.Start:c.End])
	}
	return r
}

// Begun calls yield for the symbols that begin in a piece, in order, with their
// positions.
func (r *Record) Begun(p *Chunk) iter.Seq2[int, *Symbol] {
	return func(yield func(int, *Symbol) bool) {
		first := sort.Search(len(r.Symbols), func(i int) bool { return r.Symbols[i].Start >= p.Start }) // without copies of symbols
		for i := first; i < len(r.Symbols) && p.Holds(&r.Symbols[i]); i++ {
			if !yield(i, &r.Symbols[i]) {
				return
			}
		}
	}
}

// Holds reports whether a symbol begins in the piece.
func (p *Chunk) Holds(s *Symbol) bool { return s.Start >= p.Start && s.Start < p.End }

// RoleOf returns a piece's role: what the path says, else whether it defines.
func (r *Record) RoleOf(p *Chunk) string {
	switch {
	case r.Role != "":
		return string(r.Role)
	case p.Defines:
		return answer.RoleDefinition
	}
	return ""
}

// tests reports whether a line is test code: of a file that is so by its path, or, in Rust, of a
// module named test or tests, in which unit tests are kept. Symbols are in the order of their lines.
func (r *Record) tests(line uint32) bool {
	if r.Role == source.Test || r.Lang != "rust" {
		return r.Role == source.Test
	}
	for i := range r.Symbols {
		switch s := &r.Symbols[i]; {
		case s.Line > line:
			return false
		case line <= s.Last && s.Kind() == syntax.Module && (s.Name == "tests" || s.Name == "test"):
			return true
		}
	}
	return false
}

// begins returns the line of what a piece is about.
func (r *Record) begins(p *Chunk) uint32 {
	if p.Symbol >= 0 {
		return r.Symbols[p.Symbol].Line
	}
	return p.Line
}

// PieceOf returns the position of the piece in which a symbol begins, or -1.
func (r *Record) PieceOf(s *Symbol) int {
	n, found := slices.BinarySearchFunc(r.Chunks, s.Start, func(p Chunk, at uint32) int { return cmp.Compare(p.Start, at) })
	if !found {
		n--
	}
	if n < 0 || !r.Chunks[n].Holds(s) {
		return -1
	}
	return n
}

// Full reports whether all pieces have their vectors; without an embedder that is only
// so of a file without pieces, and makes no difference.
func (r *Record) Full() bool { return r.Ready == len(r.Chunks) }

// Around returns the symbol that a symbol is in, -1 for none.
func (r *Record) Around(i int32) int32 {
	s := &r.Symbols[i]
	for up := i - 1; up >= 0; up-- {
		if t := &r.Symbols[up]; t.End >= s.End {
			return up
		}
	}
	return -1
}

// LineText returns a line without the white space around it.
func (r *Record) LineText(line int) string {
	src := r.Text.All()
	at, ok := source.LineAt(src, line-1)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(string(src[at:]), "\n")
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
}

func (r *Record) Lines() int { return source.CountLines(r.Text.All()) }

// Racy is how old a file's time stamp must have been when it was read for an
// equal stamp to mean an equal file: within one tick of the file system's clock
// two writes look the same (as git knows it from its index).
const Racy = 2 * time.Second

// Settled reports whether an equal time stamp means an equal file.
func (r *Record) Settled() bool { return r.ReadAt.Load()-r.ModTime > int64(Racy) }

// weight is what a record takes, the ids of its chunks and its names in the table
// included; the direction of its chunks is not. It does not change with time.
func (r *Record) weight() (m answer.Memory) {
	const named = 40 // of a symbol in the table of names
	m.Symbols = int64(unsafe.Sizeof(*r)) + int64(len(r.Path)) +
		int64(len(r.Symbols))*(int64(unsafe.Sizeof(Symbol{})+unsafe.Sizeof(LetterSet(0)))+named) +
		int64(len(r.Chunks))*int64(unsafe.Sizeof(Chunk{})+unsafe.Sizeof(ChunkRef{}))
	for i := range r.Symbols {
		m.Symbols += int64(len(r.Symbols[i].Signature))
	}
	m.Text = r.Text.weight() + int64(cap(r.Lowered))
	return m
}

// A ImportList is what one file imports, as it is written.
type ImportList []answer.ImportedName

// Is reports whether a record is of a text.
func (r *Record) Is(text []byte) bool {
	return r.Size == int64(len(text)) && r.Hash == xxhash.Sum64(text)
}

func (s Symbol) String() string {
	text := fmt.Sprintf("%s %s", s.Kind(), s.Name)
	if s.Parent != "" {
		text = fmt.Sprintf("%s %s.%s", s.Kind(), s.Parent, s.Name)
	}
	return fmt.Sprintf("%s in lines %d to %d, name in %d, bytes %d to %d, comment %d to %d, exported %t, signature %q",
		text, s.Line, s.Last, s.NameLine, s.Start, s.End, s.DocAt, s.DocTo, s.Exported, s.Signature)
}

func (p Chunk) String() string {
	return fmt.Sprintf("lines %d to %d, bytes %d to %d, shown from %d, symbol %d, defines %t, head %t, hash %016x",
		p.Line, p.Last, p.Start, p.End, p.Lead, p.Symbol, p.Defines, p.Head, p.Hash)
}

// Proved returns the text of a record in dst, whatever bytes its blocks are, once it has
// been compared with its hash.
func (r *Record) Proved(dst []byte) ([]byte, error) {
	src, err := r.Text.unpack(dst)
	if err != nil {
		return nil, err
	}
	if xxhash.Sum64(src) != r.Hash {
		return nil, errors.New("its text is not what was indexed")
	}
	return src, nil
}

// FitsText checks what a record says of its text as far as that is cheap.
func (r *Record) FitsText(src []byte) error {
	if lang := source.Language(r.Path, src); lang != r.Lang {
		return fmt.Errorf("it is in the language %q, not %q", lang, r.Lang)
	}
	return r.Lowered.Fits(len(src))
}
