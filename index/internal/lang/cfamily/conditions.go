package cfamily

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxBranch is how long a branch of a conditional may be that is left out because of its braces:
// a longer one was rather misread.
const maxBranch = 20 << 10

// maskConditionals hides the directives of #if, #else and #endif that the grammar cannot read: it
// knows them between whole statements alone. Of branches that are parts of a statement, or open and
// close different braces, the first is kept that is not for the other language; what a list has, or what
// stands alone, is kept whole.
func maskConditionals(m *syntax.Mask, cpp bool) {
	c := conditionals{m: m, text: m.Bytes(), cpp: cpp, taken: map[string]bool{}}
	for c.at < len(c.text) {
		c.line()
	}
}

// conditionals are read from a place of a text on.
type conditionals struct {
	m     *syntax.Mask
	text  []byte
	cpp   bool
	taken map[string]bool // which names are defined, by the branches that were kept because of their braces
	at    int
	open  []conditional // the innermost last
	last  byte          // the last byte before here that is neither space, comment nor directive
	end   int           // where it is
	depth int           // of the braces
}

// A conditional is an #if with all that belongs to it.
type conditional struct {
	before     byte // last, where it begins
	end        int  // as of conditionals
	depth      int
	directives [][2]int
	branches   []branch
}

// A branch is what stands between two directives.
type branch struct {
	from, to       int
	first, last    int    // where its text begins and ends, without directives; none if last is 0
	braces, parens int    // opened, less those closed
	zero           bool   // it is not for this language, or for nobody
	of             string // the condition, if it is one name
	unless         bool   // the name must not be defined
}

// line passes over a directive, or over the text up to the end of the line.
func (c *conditionals) line() {
	for c.at < len(c.text) && (c.text[c.at] == ' ' || c.text[c.at] == '\t' || c.text[c.at] == '\f') {
		c.at++
	}
	if c.at < len(c.text) && c.text[c.at] == '#' {
		c.directive()
		return
	}
	for c.at < len(c.text) {
		switch b := c.text[c.at]; {
		case b == '\n':
			c.at++
			return
		case b == ' ' || b == '\t' || b == '\r' || b == '\\':
		case bytes.HasPrefix(c.text[c.at:], []byte("//")):
			c.at += lineEnd(c.text[c.at:]) - 1
		case bytes.HasPrefix(c.text[c.at:], []byte("/*")):
			c.at = commentEnd(c.text, c.at) - 1
		case bytes.HasPrefix(c.text[c.at:], []byte(`R"`)):
			c.seen(c.at)
			c.at = rawEnd(c.text, c.at) - 1
			c.seen(c.at)
		case b == '"' || b == '\'' && (c.last < '0' || c.last > '9'):
			c.seen(c.at)
			c.at = quoted(c.text, c.at)
			c.seen(c.at)
		default:
			c.seen(c.at)
		}
		c.at++
	}
}

// seen notes a byte of the text.
func (c *conditionals) seen(at int) {
	b := c.text[at]
	c.last, c.end = b, at+1
	braces, parens := 0, 0
	switch b {
	case '{':
		braces++
	case '}':
		braces--
	case '(':
		parens++
	case ')':
		parens--
	}
	c.depth += braces
	if n := len(c.open); n > 0 {
		c.open[n-1].add(at, at+1, braces, parens)
	}
}

// add notes a range of the text in the branch that is being read.
func (g *conditional) add(from, to, braces, parens int) {
	b := &g.branches[len(g.branches)-1]
	if b.last == 0 {
		b.first = from
	}
	b.last = to
	b.braces += braces
	b.parens += parens
}

// directive passes over a directive, with the lines that continue it.
func (c *conditionals) directive() {
	begin := c.at
	for {
		c.at += lineEnd(c.text[c.at:])
		if c.at == len(c.text) || !bytes.HasSuffix(bytes.TrimSuffix(c.text[begin:c.at], []byte("\r")), []byte("\\")) {
			break
		}
		c.at++
	}
	line := bytes.TrimLeft(c.text[begin+1:c.at], " \t")
	if i := bytes.Index(line, []byte("/*")); i >= 0 && !bytes.Contains(line[i:], []byte("*/")) {
		c.at = commentEnd(c.text, begin+bytes.LastIndex(c.text[begin:c.at], []byte("/*")))
	}
	words := bytes.Fields(line)
	if len(words) == 0 {
		return
	}
	n := len(c.open)
	switch name := words[0]; {
	case bytes.HasPrefix(name, []byte("if")):
		c.open = append(c.open, conditional{c.last, c.end, c.depth, [][2]int{{begin, c.at}}, []branch{c.branch(words)}})
	case n == 0:
	case bytes.HasPrefix(name, []byte("el")):
		g := &c.open[n-1]
		g.close(begin, c.at)
		next := c.branch(words)
		if first := g.branches[0]; string(name) == "else" && len(g.branches) == 1 {
			next.of, next.unless = first.of, !first.unless
		}
		g.branches = append(g.branches, next)
		c.last, c.end, c.depth = g.before, g.end, g.depth
	case bytes.HasPrefix(name, []byte("endif")):
		g := c.open[n-1]
		c.open = c.open[:n-1]
		g.close(begin, c.at)
		kept := g.mask(c)
		c.last, c.end, c.depth = g.before, g.end, g.depth
		if kept.last > 0 {
			c.last, c.end, c.depth = c.text[kept.last-1], kept.last, g.depth+kept.braces
			if n > 1 {
				c.open[n-2].add(kept.first, kept.last, kept.braces, kept.parens)
			}
		}
	}
}

// branch begins one after a directive.
func (c *conditionals) branch(words [][]byte) branch {
	b := branch{from: c.at}
	if len(words) != 2 {
		return b
	}
	condition, unless := bytes.CutPrefix(words[1], []byte("!"))
	if inside, ok := bytes.CutPrefix(condition, []byte("defined(")); ok {
		condition = bytes.TrimSuffix(inside, []byte(")"))
	}
	b.of, b.unless = string(condition), unless || string(words[0]) == "ifndef"
	b.zero = b.of == "0" || b.of == "__cplusplus" && b.unless == c.cpp
	return b
}

// close ends a branch with a directive.
func (g *conditional) close(from, to int) {
	g.branches[len(g.branches)-1].to = from
	g.directives = append(g.directives, [2]int{from, to})
}

// mask hides what the grammar cannot read, and returns what counts of the branches for what is around.
func (g *conditional) mask(c *conditionals) branch {
	text := g.branches[:0:0]
	for _, b := range g.branches {
		if b.last > 0 {
			text = append(text, b)
		}
	}
	if len(text) == 0 {
		return branch{}
	}
	next := after(c.text, c.at)
	whole, list, level := g.boundary(c.text), true, true
	for _, b := range text {
		whole = whole && b.whole(c.text, next)
		list = list && c.text[b.last-1] == ','
		level = level && b.braces == 0 && b.parens == 0
	}
	if !level {
		for i := range text {
			text[i].zero = text[i].zero || c.denied(text[i])
		}
	}
	switch {
	case whole && level:
		return text[0]
	case list && level, len(g.branches) == 1 && !text[0].zero:
		g.blank(c.m)
		if !level {
			c.take(text[0])
		}
		return text[0]
	case level && !begins(c.text, next, "else") && g.statements(c.text, text):
		if g.depth > 0 {
			g.blank(c.m)
		}
		return text[0]
	}
	keep := slices.IndexFunc(text, func(b branch) bool {
		return !b.zero && (next == len(c.text) || c.text[next] != '{' || g.boundary(c.text) || !bytes.ContainsRune(c.text[b.first:b.last], ';'))
	})
	var kept branch
	if keep >= 0 {
		kept = text[keep]
	}
	for _, b := range text {
		if b.from != kept.from && b.to-b.from > maxBranch {
			return kept
		}
	}
	if !level && keep >= 0 {
		c.take(kept)
	}
	g.blank(c.m)
	for _, b := range g.branches {
		if b.from != kept.from {
			c.m.Blank(b.from, b.to)
		}
	}
	return kept
}

// take notes what is defined where a branch counts: others with the other braces are to go with it.
func (c *conditionals) take(b branch) {
	if b.of != "" {
		c.taken[b.of] = !b.unless
	}
}

// denied reports whether a branch does not count where those count that were taken.
func (c *conditionals) denied(b branch) bool {
	defined, ok := c.taken[b.of]
	return ok && b.of != "" && defined == b.unless
}

// blank hides the directives.
func (g *conditional) blank(m *syntax.Mask) {
	for _, d := range g.directives {
		m.Blank(d[0], d[1])
	}
}

// boundary reports whether a statement may begin where a conditional does.
func (g *conditional) boundary(text []byte) bool {
	if g.before == ':' { // of a label, or of a choice between two values
		line := bytes.TrimLeft(text[bytes.LastIndexByte(text[:g.end], '\n')+1:g.end-1], " \t")
		return begins(line, 0, "case") || !bytes.ContainsFunc(line, func(r rune) bool { return r >= 0x80 || !syntax.IsWordByte(byte(r)) })
	}
	return g.before == 0 || g.before == '{' || ends(g.before)
}

// ends reports whether a statement may end with a byte.
func ends(b byte) bool {
	return b == ';' || b == '}'
}

// statements reports whether all branches are whole statements, after something that is no end of one: a
// condition, an else, or a macro that needs no semicolon.
func (g *conditional) statements(text []byte, branches []branch) bool {
	for _, b := range branches {
		if !ends(text[b.last-1]) || begins(text, b.first, "else") {
			return false
		}
	}
	word := string(text[wordBefore(text, g.end):g.end])
	return g.before == ')' || word == "else" || word != "" && g.depth == 0
}

// whole reports whether a branch that is followed by what stands at next is made of whole statements.
func (b branch) whole(text []byte, next int) bool {
	if begins(text, b.first, "else") || begins(text, next, "else") {
		return false
	}
	if text[b.last-1] != ')' {
		return ends(text[b.last-1])
	}
	line := bytes.TrimLeft(text[bytes.LastIndexByte(text[:b.last], '\n')+1:b.last], " \t}")
	for _, word := range [...]string{"if", "else", "for", "while", "switch"} {
		if begins(line, 0, word) {
			return false
		}
	}
	return next == len(text) || text[next] != '{' && text[next] != ';'
}

// begins reports whether a word stands at a place.
func begins(text []byte, at int, word string) bool {
	end := at + len(word)
	return bytes.HasPrefix(text[at:], []byte(word)) && (end == len(text) || !syntax.IsWordByte(text[end]))
}

// after is the place of the next text that is neither space nor comment.
func after(text []byte, at int) int {
	for at < len(text) {
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0:
			at++
		case bytes.HasPrefix(text[at:], []byte("//")):
			at += lineEnd(text[at:])
		case bytes.HasPrefix(text[at:], []byte("/*")):
			at = commentEnd(text, at)
		default:
			return at
		}
	}
	return at
}

// lineEnd is where the first line of a text ends.
func lineEnd(text []byte) int {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// commentEnd is the place after the comment that begins at a place.
func commentEnd(text []byte, at int) int {
	if n := bytes.Index(text[at+2:], []byte("*/")); n >= 0 {
		return at + 2 + n + 2
	}
	return len(text)
}

// rawEnd is the place after the raw string that begins at a place, or after its quotation mark where it
// does not end.
func rawEnd(text []byte, at int) int {
	delimiter, _, ok := bytes.Cut(text[at+2:min(len(text), at+20)], []byte("("))
	if ok {
		end := []byte(")" + string(delimiter) + `"`)
		if n := bytes.Index(text[at:], end); n >= 0 {
			return at + n + len(end)
		}
	}
	return at + 2
}
