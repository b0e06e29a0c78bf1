// Package chunk cuts a file into chunks, the units that a search finds.
//
// Chunks follow the symbols: a function, a small class or a method is one
// chunk together with its doc comment; what is too large is cut at the symbols
// inside it, then at the blank lines and the least indented lines; what is too
// small is joined with its neighbours. Chunks never overlap, and together they
// hold every byte of the file that is not white space. The same text and
// symbols give the same chunks.
package chunk

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Sizes in bytes.
const (
	Target = 1000 // pieces are joined up to this size and cut down to it
	Limit  = 2000 // no chunk is larger
	small  = 350  // a symbol smaller than this may share a chunk with its neighbours
)

// A Chunk is a part of a file.
type Chunk struct {
	Start, End int // byte offsets; the text of the chunk is src[Start:End]
	// Lead is the byte offset of the line that a reader should see first: the
	// definition's, when the chunk has one, not its comment, licence or import.
	Lead     int
	Line     int // 1-based line of Lead
	LastLine int // 1-based line of the last byte
	Symbol   int // the symbol that the chunk leads with or lies in, -1: none
	Defines  bool
	Head     bool // licence, package clause and imports: what comes before the code
}

// span is a piece under construction.
type span struct {
	start, end int
	symbol     int  // -1: none
	defines    bool // the symbol begins in this span
	head       bool
	fixed      bool // large enough to stand alone: neighbours are not joined to it
}

// Split cuts src, whose symbols are f's.
func Split(f *syntax.File, src []byte) []Chunk {
	s := splitter{file: f, src: src, lines: lineStarts(src)}
	s.children = nest(f.Symbols)
	head := s.lineStart(f.HeadEnd)
	if f.HeadEnd > 0 && f.HeadEnd < len(src) && head != f.HeadEnd {
		head = s.lineEnd(f.HeadEnd)
	}
	if len(bytes.TrimSpace(src[min(f.HeadEnd, len(src)):])) == 0 {
		head = 0 // nothing but imports: they are what the file is about
	}
	if len(f.Symbols) > 0 {
		head = min(head, s.lineStart(f.Symbols[0].DocStart))
	}
	if head > 0 {
		s.text(span{start: 0, end: head, symbol: -1, head: true})
	}
	s.inside(head, len(src), s.children[len(f.Symbols)], -1)
	return s.chunks(s.join())
}

type splitter struct {
	file     *syntax.File
	src      []byte
	lines    []int   // byte offset of the start of each line
	children [][]int // by symbol: the symbols directly inside it; the last entry: those at the top
	spans    []span
}

// nest finds for each symbol those directly inside it.
func nest(symbols []syntax.Symbol) [][]int {
	children := make([][]int, len(symbols)+1)
	var open []int
	for i, sym := range symbols {
		for len(open) > 0 && symbols[open[len(open)-1]].End <= sym.Start {
			open = open[:len(open)-1]
		}
		parent := len(symbols)
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		children[parent] = append(children[parent], i)
		open = append(open, i)
	}
	return children
}

// inside cuts [start,end) at the given symbols; text between them belongs to
// the symbol owner.
func (s *splitter) inside(start, end int, symbols []int, owner int) {
	at := start
	defines := owner >= 0 // the owner's own first line comes first
	gap := func(to int) {
		if to > at {
			s.text(span{start: at, end: to, symbol: owner, defines: defines})
			at, defines = to, false
		}
	}
	for _, i := range symbols {
		sym := &s.file.Symbols[i]
		if sym.Kind == syntax.Field && owner >= 0 {
			continue // a field alone says little: it is text of its type
		}
		from := max(s.lineStart(sym.DocStart), at)
		to := min(s.lineEnd(sym.End), end)
		if sym.Start < at || to <= from {
			continue // shares its line with what came before
		}
		gap(from)
		if to-from <= Limit {
			s.spans = append(s.spans, span{start: from, end: to, symbol: i, defines: true, fixed: to-from >= small})
		} else {
			s.inside(from, to, s.children[i], i)
		}
		at, defines = to, false
	}
	gap(end)
}

// text cuts a piece that has no symbols inside into spans near Target, at most
// Limit, at the best lines.
func (s *splitter) text(p span) {
	for p.end-p.start > Target+Target/2 {
		cut := s.cut(p.start, p.end)
		// A comment may be longer than a chunk: the definition is further down.
		here := p.defines && s.definitionLine(p.symbol) < cut
		s.spans = append(s.spans, span{start: p.start, end: cut, symbol: p.symbol, defines: here, head: p.head, fixed: true})
		p.start, p.defines = cut, p.defines && !here
	}
	s.spans = append(s.spans, p)
}

// cut chooses where to end a piece that begins at start: among the line starts
// between half the target and the limit, the one with the best mark for being
// near the target, after a blank line, and little indented.
func (s *splitter) cut(start, end int) int {
	first, _ := slices.BinarySearch(s.lines, start+Target/2)
	best, bestMark := -1, 0
	for n := first; n < len(s.lines) && s.lines[n] <= start+Limit && s.lines[n] < end; n++ {
		at := s.lines[n]
		distance := at - (start + Target)
		if distance < 0 {
			distance = -distance
		}
		mark := -distance / 10
		line := bytes.TrimRight(s.lineText(n), "\r\n")
		body := bytes.TrimLeft(line, " \t")
		indent := 0
		for _, c := range line[:len(line)-len(body)] {
			if c == '\t' {
				indent += 3
			}
			indent++
		}
		mark -= 3 * min(indent, 40)
		if n > 0 && len(bytes.TrimSpace(s.lineText(n-1))) == 0 && len(body) > 0 {
			mark += 60
		}
		if len(body) > 0 && bytes.IndexByte([]byte("})]"), body[0]) >= 0 {
			mark -= 50 // a closing bracket belongs to what it closes
		}
		if best < 0 || mark > bestMark {
			best, bestMark = at, mark
		}
	}
	if best > start {
		return best
	}
	// A long line: between two words, else between two characters.
	stop := start + Target + Target/2
	if i := bytes.LastIndexAny(s.src[start+Target:stop], " ,;\t"); i >= 0 {
		return start + Target + i + 1
	}
	for stop > start+1 && !utf8.RuneStart(s.src[stop]) && start+Target+Target/2-stop < utf8.UTFMax {
		stop--
	}
	return stop
}

// join puts small neighbours together, up to Target.
func (s *splitter) join() []span {
	out := s.spans[:0]
	for _, p := range s.spans {
		if len(bytes.TrimSpace(s.src[p.start:p.end])) == 0 {
			continue
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			size := p.end - last.start
			switch {
			case last.head != p.head:
			// A few lines before or after a definition belong to it: a
			// closing bracket, a lone statement.
			case size <= Target && (!last.fixed || !p.fixed) || size <= Limit && s.tiny(p) && p.symbol == last.symbol:
				if last.symbol < 0 || !last.defines && p.defines {
					last.symbol, last.defines = p.symbol, p.defines
				}
				last.end, last.fixed = p.end, last.fixed && p.fixed
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

func (s *splitter) tiny(p span) bool {
	return len(bytes.TrimSpace(s.src[p.start:p.end])) <= 40
}

func (s *splitter) chunks(spans []span) []Chunk {
	out := make([]Chunk, 0, len(spans))
	for _, p := range spans {
		text := s.src[p.start:p.end]
		end := p.start + len(bytes.TrimRight(text, " \t\r\n"))
		start := p.start
		// Blank lines before the text belong to nobody.
		for start < end {
			n := bytes.IndexByte(s.src[start:end], '\n')
			if n < 0 || len(bytes.TrimSpace(s.src[start:start+n])) > 0 {
				break
			}
			start += n + 1
		}
		c := Chunk{Start: start, End: end, Lead: start, Symbol: p.symbol, Defines: p.defines, Head: p.head}
		switch {
		case p.defines:
			if lead := s.definitionLine(p.symbol); lead < end {
				c.Lead = max(lead, start)
			} else {
				c.Defines = false
			}
		case p.head:
			c.Lead = s.headLine(start, end)
		}
		c.Line = s.lineOf(c.Lead)
		c.LastLine = s.lineOf(max(c.End-1, c.Start))
		out = append(out, c)
	}
	return out
}

// definitionLine returns the offset of the line where a definition begins for
// a reader: below its decorators and attributes.
func (s *splitter) definitionLine(i int) int {
	sym := &s.file.Symbols[i]
	if sym.NameLine > sym.Line && sym.NameLine <= len(s.lines) && Decorated(s.src[sym.Start:]) {
		return s.lines[sym.NameLine-1]
	}
	return s.lineStart(sym.Start)
}

// Decorated reports whether a definition begins with decorators, annotations or attributes,
// so that its name may be some lines further down.
func Decorated(text []byte) bool {
	return len(text) > 0 && (text[0] == '@' || text[0] == '[' || bytes.HasPrefix(text, []byte("#[")))
}

// headLine returns the offset of the first line of the head that is not
// licence, or start.
func (s *splitter) headLine(start, end int) int {
	text := s.src[start:end]
	lower := bytes.ToLower(text[:min(len(text), 600)])
	for _, mark := range []string{"copyright", "licen", "spdx"} {
		if !bytes.Contains(lower, []byte(mark)) {
			continue
		}
		// The licence ends at the first blank line after its mark.
		i := bytes.Index(lower, []byte(mark))
		if j := bytes.Index(text[i:], []byte("\n\n")); j >= 0 {
			after := i + j
			for after < len(text) && (text[after] == '\n' || text[after] == '\r') {
				after++
			}
			if after < len(text) {
				return start + after
			}
		}
		break
	}
	return start
}

func lineStarts(src []byte) []int {
	lines := make([]int, 1, 1+len(src)/32)
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			return lines
		}
		i += n + 1
		if i < len(src) {
			lines = append(lines, i)
		}
	}
}

// line returns the index of the line that holds offset at.
func (s *splitter) line(at int) int {
	n, exact := slices.BinarySearch(s.lines, at)
	if exact {
		return n
	}
	return n - 1
}

func (s *splitter) lineOf(at int) int    { return s.line(at) + 1 }
func (s *splitter) lineStart(at int) int { return s.lines[s.line(min(at, len(s.src)))] }

// lineEnd returns the offset just past the line that holds the byte before at.
func (s *splitter) lineEnd(at int) int {
	n := s.line(max(at-1, 0)) + 1
	if n < len(s.lines) {
		return s.lines[n]
	}
	return len(s.src)
}

func (s *splitter) lineText(n int) []byte {
	if n+1 < len(s.lines) {
		return s.src[s.lines[n]:s.lines[n+1]]
	}
	return s.src[s.lines[n]:]
}
