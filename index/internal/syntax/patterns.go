package syntax

import (
	"bytes"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax/pattern"
)

// longestLine is the length, in bytes, above which a line is no source code
// that a person wrote, and is passed over.
const longestLine = 2000

// patterns finds definitions by regular expressions, line by line. A definition
// runs to the line before the next one that is indented no deeper, so what is
// indented deeper is inside it.
func (p *Parser) patterns(language string, src []byte) File {
	if language == "" {
		return File{}
	}
	of := p.languages.common
	if l, ok := p.languages.all[language]; ok {
		of = l.patterns
	}
	set := of()
	f := File{Language: language}
	if len(set.Definitions) == 0 {
		return f
	}
	x := &p.work
	x.reset(src, &Rules{Exported: Always, Name: unmarked}, p.names)
	for i := range x.lines {
		x.addLine(set, i)
	}
	if set.Clauses {
		x.joinClauses()
	}
	g := x.file()
	f.Symbols, f.Imports, f.HeadEnd = g.Symbols, g.Imports, g.HeadEnd
	return f
}

// unmarked takes the quotes off a name.
func unmarked(text string) (parent, name string) { return "", strings.Trim(text, "`'\"") }

// lineSpan is the line with the given index, without its end.
func (x *extraction) lineSpan(i int) Span {
	s := Span{x.lines[i], len(x.src)}
	if i+1 < len(x.lines) {
		s.End = x.lines[i+1] - 1
	}
	for s.End > s.Start && x.src[s.End-1] == '\r' {
		s.End--
	}
	return s
}

// addLine takes what begins in a line: a comment, an import or a definition.
func (x *extraction) addLine(set *pattern.Compiled, i int) {
	s := x.lineSpan(i)
	line := x.src[s.Start:s.End]
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 || len(line) > longestLine {
		return
	}
	begin := s.Start + len(line) - len(text)
	if set.Comment != "" && bytes.HasPrefix(text, []byte(set.Comment)) {
		x.comments = append(x.comments, Span{begin, s.End})
		return
	}
	if set.Imports != nil {
		if m := set.Imports.Find(line); m != nil {
			x.imports = append(x.imports, imported{Span: Span{begin, s.End}, path: Span{s.Start + m[2], s.Start + m[3]}, name: none, alias: none})
		}
	}
	for _, p := range set.Definitions {
		m := p.Expression.Find(line)
		if m == nil || isStatement(string(line[m[2]:m[3]])) {
			continue
		}
		d := def{kind: Kind(p.Kind), Span: Span{begin, x.blockEnd(i)}, receiver: none, body: s.End, doc: none,
			name: Span{s.Start + m[2], s.Start + m[3]}}
		if t := bytes.TrimRight(line, " \t{"); len(t) < len(line) && s.Start+len(t) >= d.name.End {
			d.body = s.Start + len(t)
		}
		x.defs = append(x.defs, d)
		return
	}
}

// isStatement reports whether a word that looks like a name begins a statement.
func isStatement(word string) bool {
	switch word {
	case "if", "else", "for", "while", "switch", "return", "case", "where", "do", "let", "in", "of", "then",
		"import", "module", "data", "newtype", "type", "class", "instance", "deriving", "infixl", "infixr", "infix",
		"catch", "throw", "try", "await", "assert", "super", "when", "unless", "foreign", "elif":
		return true
	}
	return false
}

// blockEnd is where the definition that begins in line i ends: before the next
// line that is indented no deeper, or after it where it closes the block.
func (x *extraction) blockEnd(i int) int {
	first := x.lineSpan(i)
	own := x.indent(first)
	end := first.End
	for i++; i < len(x.lines); i++ {
		s := x.lineSpan(i)
		n := x.indent(s)
		if n < 0 {
			continue // blank
		}
		if n <= own {
			text := x.src[s.Start+n : s.End]
			switch {
			case text[0] == '{' || text[0] == '#' && len(text) > 1 && text[1] != ' ':
				continue
			case n == own && (bytes.IndexByte([]byte("})]"), text[0]) >= 0 || bytes.HasPrefix(text, []byte("end"))):
				return s.End
			}
			return end
		}
		end = s.End
	}
	return end
}

// indent is the number of blanks that a line begins with, -1 for a blank line.
func (x *extraction) indent(s Span) int {
	for i := s.Start; i < s.End; i++ {
		if x.src[i] != ' ' && x.src[i] != '\t' {
			return i - s.Start
		}
	}
	return -1
}

// joinClauses makes one definition of neighbours with one name: a type
// signature and the equations below it, or the clauses of a function.
func (x *extraction) joinClauses() {
	n := 0
	for _, d := range x.defs {
		if n > 0 {
			prev := &x.defs[n-1]
			if prev.kind == d.kind && prev.End <= d.Start && prev.Start-x.lines[x.line(prev.Start)-1] == d.Start-x.lines[x.line(d.Start)-1] &&
				bytes.Equal(x.src[prev.name.Start:prev.name.End], x.src[d.name.Start:d.name.End]) {
				prev.End = d.End
				continue
			}
		}
		x.defs[n] = d
		n++
	}
	x.defs = x.defs[:n]
}
