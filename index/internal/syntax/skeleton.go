package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Skeleton is a text without the bodies of its functions.
type Skeleton struct {
	Lines  []SkeletonLine
	Errors bool // the text has syntax errors; where they are, bodies may be left
}

// A SkeletonLine is one line of a Skeleton.
type SkeletonLine struct {
	Line int // 1-based, in the text; the line where it begins, if it stands for several
	Text string
}

// longValue is how many lines a value may have to be shown whole: a longer table
// shows its first and its last.
const longValue = 8

// Skeleton returns src as it is written, with what is inside of functions and
// macros, of long values, of CSS rules and below Markdown headings replaced by
// "...", in the braces or words of the language. A body that begins on a line
// of its own moves up to the end of its header. Of function literals the
// innermost lose their bodies, so that tests keep the names of their cases.
// Without docs, comments and docstrings are left out; a licence always is. It
// reports false where there is no syntax tree to know bodies from.
func (p *Parser) Skeleton(language string, src []byte, docs bool) (Skeleton, bool) {
	f, tree := p.ParseTree(language, src)
	if !f.Grammar {
		return Skeleton{}, false
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return Skeleton{}, true
	}
	// What the parsing has found is still there.
	e := elision{x: &p.work, src: src, docs: docs}
	e.comments()
	e.definitions()
	if tree != nil {
		e.callbacks(tree)
	}
	if l := p.languages.all[language]; l.Masked {
		e.masked(l.Rules.masked(src))
	}
	return Skeleton{e.lines(), f.Errors}, true
}

// A gap is a range of the text that something shorter stands for.
type gap struct {
	Span
	mark string
}

// An elision decides what a skeleton leaves out.
type elision struct {
	x    *extraction
	src  []byte
	docs bool
	gaps []gap
}

func (e *elision) cut(start, end int, mark string) {
	if start < end {
		e.gaps = append(e.gaps, gap{Span{start, end}, mark})
	}
}

// definitions leaves out what is inside of definitions.
func (e *elision) definitions() {
	defs := slices.Clone(e.x.defs)
	slices.SortFunc(defs, func(a, b def) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var starts []int // of what has a title
	for i := range defs {
		if defs[i].title != "" {
			starts = append(starts, defs[i].Start)
		}
	}
	for i := range defs {
		d := &defs[i]
		switch {
		case d.title == "":
		case d.kind == Heading:
			end := d.End
			if next, _ := slices.BinarySearch(starts, d.Start+1); next < len(starts) {
				end = min(end, starts[next])
			}
			e.section(d, end)
		case d.body >= 0 && (d.kind.Runs() || d.kind == Rule && !holdsMore(defs, i)):
			e.body(d)
		case isValue(d.kind), d.kind == Field, d.kind == Key, d.kind == Macro, d.kind == Rule:
			if !holdsMore(defs, i) {
				e.value(d.Span)
			}
		}
	}
}

// holdsMore reports whether there is a definition inside the i-th one. They are
// in order, containers first.
func holdsMore(defs []def, i int) bool {
	for _, d := range defs[i+1:] {
		if d.Start >= defs[i].End {
			return false
		}
		if d.title != "" && d.Span != defs[i].Span {
			return true
		}
	}
	return false
}

// body leaves out the body of a definition, but for its docstring.
func (e *elision) body(d *def) {
	start, end := d.body, max(d.bodyEnd, d.body)
	if rest := bytes.TrimSpace(e.src[end:max(d.End, end)]); len(rest) > 0 && rest[0] == '{' {
		end = d.End // initialisers of members come before the body in C++
	}
	s := e.x.trim(Span{start, end})
	text := e.src[s.Start:s.End]
	open, shut := "", ""
	switch {
	case len(text) == 0:
		return
	case text[len(text)-1] == '}' && (text[0] == '{' || text[0] == ':'):
		open, shut = "{ ", " }"
	case text[0] == '(' && text[len(text)-1] == ')':
		open, shut = "( ", " )"
	case bytes.HasPrefix(text, []byte("do:")):
		open = "do: "
	case bytes.HasPrefix(text, []byte("do")) && bytes.HasSuffix(text, []byte("end")):
		open, shut = "do ", " end"
	case text[0] == '=' && len(text) > 1 && text[1] != '>':
		if word := strings.Trim(string(text[1:]), "; \t"); word == "default" || word == "delete" || word == "0" {
			return
		}
		open = "= "
	case bytes.HasPrefix(text, []byte("=>")):
		open = "=> "
	}
	if inner := strings.TrimSpace(string(text[len(strings.TrimSpace(open)) : len(text)-len(strings.TrimSpace(shut))])); inner == "" || inner == "pass" || inner == "..." {
		return
	}
	if doc := d.doc; e.docs && doc != none && doc.Start >= s.Start && doc.End <= s.End {
		if after := e.x.trim(Span{doc.End, s.End}); after.Start < after.End {
			e.cut(doc.End, s.End, "\n"+e.indent(doc.Start)+"...")
		}
		return
	}
	// A comment between header and body stays where it is.
	if before := bytes.TrimRight(e.src[:s.Start], " \t\r\n"); len(before) > d.Start && !e.commented(len(before)) {
		if bytes.IndexByte(e.src[len(before):s.Start], '\n') >= 0 {
			s.Start, open = len(before), " "+open
		}
	}
	if after := bytes.TrimSpace(e.src[s.End:max(d.End, s.End)]); shut == "" && string(after) == "end" {
		s.End, shut = d.End, " end"
	}
	e.cut(s.Start, s.End, open+"..."+shut)
}

// commented reports whether a comment ends at an offset.
func (e *elision) commented(at int) bool {
	i, ok := slices.BinarySearchFunc(e.x.comments, at, func(c Span, at int) int { return cmp.Compare(c.Start, at) })
	if !ok {
		i--
	}
	for ; i >= 0 && i < len(e.x.comments); i-- {
		if c := e.x.trim(e.x.comments[i]); c.End <= at {
			return c.End == at
		}
	}
	return false
}

// indent returns the white space that the line of an offset begins with.
func (e *elision) indent(at int) string {
	line := e.src[bytes.LastIndexByte(e.src[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// value leaves out the lines between the first and the last of a long value.
func (e *elision) value(s Span) {
	text := e.src[s.Start:s.End]
	if bytes.Count(text, []byte("\n")) < longValue {
		return
	}
	first, last := bytes.IndexByte(text, '\n'), bytes.LastIndexByte(text, '\n')
	if first > 0 && text[first-1] == '\r' {
		first--
	}
	e.cut(s.Start+first, s.Start+last, "\n"+e.indent(s.Start+bytes.IndexByte(text, '\n')+1)+"...")
}

// section leaves out the text below a heading up to the next one, at end, but for the
// first paragraph where docs are wanted.
func (e *elision) section(d *def, end int) {
	head := d.name.End
	if i := bytes.IndexByte(e.src[head:end], '\n'); i >= 0 {
		head += i
	} else {
		return
	}
	if under := bytes.TrimSpace(lineOf(e.src[head+1 : end])); len(under) > 0 && len(bytes.Trim(under, "=-")) == 0 {
		head += 1 + len(lineOf(e.src[head+1:end])) // the heading is underlined
	}
	text := e.x.trim(Span{head, end})
	if e.docs {
		if i := bytes.Index(e.src[text.Start:text.End], []byte("\n\n")); i >= 0 {
			text = e.x.trim(Span{text.Start + i, text.End})
		} else {
			return
		}
	}
	e.cut(text.Start, text.End, "...")
}

// lineOf returns the first line of b.
func lineOf(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

// comments leaves out licences and, where docs are not wanted, all comments.
func (e *elision) comments() {
	top := len(e.src) - len(bytes.TrimLeftFunc(e.src, unicode.IsSpace)) // what begins later is at no top
	group := 0                                                          // where the comments begin that only a line break parts from this one
	for i, c := range e.x.comments {
		c = e.x.trim(c)
		if !e.docs {
			e.cut(c.Start, c.End, "")
			continue
		}
		if i > 0 {
			between := e.src[min(e.x.trim(e.x.comments[i-1]).End, c.Start):c.Start]
			if len(bytes.TrimSpace(between)) > 0 || bytes.Count(between, []byte("\n")) > 1 {
				group = i
			}
		}
		if i+1 < len(e.x.comments) {
			next := e.x.comments[i+1]
			between := e.src[min(c.End, next.Start):next.Start]
			if len(bytes.TrimSpace(between)) == 0 && bytes.Count(between, []byte("\n")) <= 1 {
				continue
			}
		}
		start := e.x.comments[group].Start
		if start <= top && isLicence(e.src[start:c.End]) {
			e.cut(start, c.End, "")
		}
	}
	if !e.docs {
		for _, s := range e.x.docstrings {
			e.cut(s.Start, s.End, "")
		}
	}
}

// isLicence reports whether a comment at the top of a file is about rights.
func isLicence(text []byte) bool {
	text = bytes.ToLower(text)
	for _, word := range [...]string{"copyright", "spdx-license", "licensed under", "all rights reserved"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// masked leaves out the lines of which the parser saw nothing, but for the tags
// at the left edge.
func (e *elision) masked(seen []byte) {
	from := -1
	end := func(at int) {
		if from >= 0 && bytes.IndexByte(bytes.TrimSpace(e.src[from:at]), '\n') >= 0 {
			s := e.x.trim(Span{from, at})
			e.cut(s.Start, s.End, "...")
		}
		from = -1
	}
	for at := 0; at < len(e.src); {
		next := at + len(lineOf(e.src[at:])) + 1
		next = min(next, len(e.src))
		hidden := len(bytes.TrimSpace(seen[at:next])) == 0
		switch {
		case !hidden || e.src[at] == '<':
			end(at)
		case from < 0:
			from = at
		}
		at = next
	}
	end(len(e.src))
}

// lines writes what is left.
func (e *elision) lines() []SkeletonLine {
	slices.SortStableFunc(e.gaps, func(a, b gap) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	w := skeletonWriter{line: 1, at: 1}
	at := 0
	for _, g := range e.gaps {
		if g.Start < at {
			continue // inside of one that is left out already
		}
		w.write(e.src[at:g.Start], true)
		w.cut = true
		w.write([]byte(g.mark), false)
		w.line += bytes.Count(e.src[g.Start:g.End], []byte("\n"))
		at = g.End
	}
	w.write(e.src[at:], true)
	w.flush()
	for n := len(w.out); n > 0 && w.out[n-1].Text == ""; n-- {
		w.out = w.out[:n-1]
	}
	return w.out
}

// callbacks leaves out the bodies of function literals and blocks that stand in
// no other body and hold neither a definition nor another of their kind.
func (e *elision) callbacks(t *Tree) {
	var all []Span
	for n := Node(1); int(n) <= t.Len(); n++ {
		body := n
		switch t.Kind(n) {
		case "arrow_function", "function_expression", "generator_function":
			if body = t.Child(n, "body"); t.Kind(body) != "statement_block" {
				continue
			}
		case "do_block", "lambda_literal", "closure":
		default:
			continue
		}
		all = append(all, Span{t.Start(body), t.End(body)})
	}
	starts := make([]int, 0, len(e.x.defs)) // of definitions and of the bodies of containers
	for _, d := range e.x.defs {
		if d.title != "" {
			starts = append(starts, d.Start)
		}
		if d.body >= 0 && (d.title != "" || d.scope != isIgnored) {
			starts = append(starts, d.body)
		}
	}
	slices.Sort(starts)
	for i, s := range all {
		at, _ := slices.BinarySearch(starts, s.Start)
		if at < len(starts) && starts[at] < s.End || i+1 < len(all) && all[i+1].Start < s.End {
			continue
		}
		text := e.src[s.Start:s.End]
		first := bytes.IndexByte(text, '\n')
		if first < 0 {
			continue
		}
		closer := 1
		if bytes.HasSuffix(text, []byte("end")) {
			closer = 3
		}
		e.cut(s.Start+len(bytes.TrimRight(text[:first], " \t\r")), s.End-closer, " ... ")
	}
}
