package syntax

import (
	"bytes"
	"cmp"

	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// A Span is a range of bytes; none has start -1.
type Span struct{ Start, End int }

var none = Span{-1, -1}

func (s Span) contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// A def is a definition or a scope before it is named and placed.
type def struct {
	Span
	kind     Kind
	name     Span
	receiver Span
	body     int // where the body begins, or -1
	bodyEnd  int // where it ends
	level    int // of a definition that runs to the next of its level; else 0
	pattern  uint16
	scope    role // isScope and its kin, or isIgnored for a definition

	// Filled in when the definitions are nested.
	title    string // the name
	path     string // the containers and the name, joined by "."
	begin    int    // start, with wrappers and decorators
	sig      int    // where the signature begins
	section  string
	exported bool
	doc      Span // of the docstring
}

// A wrapper is a node around a definition: an export, decorators, a template.
type wrapper struct {
	Span
	export bool
}

// An imported is an import before it is read.
type imported struct {
	Span
	path, name, alias Span
	isDefault         bool
}

// An extraction gathers what the matches of one file hold. Its slices are
// reused from file to file.
type extraction struct {
	src   []byte
	tree  *Tree // of which add is told
	rules *Rules
	names *interner

	defs       []def
	wrappers   []wrapper
	refs       []Ref
	imports    []imported
	comments   []Span
	decorators []Span
	docstrings []Span
	heads      []Span
	sections   []Span
	exports    []Span // of names
	bodies     []Span // of definitions whose own match has none
	lines      []int  // offset at which each line begins
	stack      []int  // of indexes into defs
	open       []int  // of indexes into wrappers
	buf        []byte
	docTo      int // where the comments end that doc has read last; -1: it has read none
}

func (x *extraction) reset(src []byte, r *Rules, names *interner) {
	*x = extraction{
		src: src, rules: r, names: names,
		defs: x.defs[:0], wrappers: x.wrappers[:0], refs: x.refs[:0],
		imports: x.imports[:0], comments: x.comments[:0], decorators: x.decorators[:0],
		docstrings: x.docstrings[:0], heads: x.heads[:0], sections: x.sections[:0],
		exports: x.exports[:0], bodies: x.bodies[:0], lines: x.lines[:0], stack: x.stack[:0], open: x.open[:0],
		buf: x.buf[:0],
	}
	x.lines = append(x.lines, 0)
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		x.lines = append(x.lines, i)
	}
}

func (x *extraction) spanOf(n Node) Span {
	if n == 0 {
		return none
	}
	return Span{x.tree.Start(n), x.tree.End(n)}
}

// add takes one match; roles says what the captures mean.
func (x *extraction) add(roles []capture, pattern uint16, captures []query.Captured) {
	var nodes [roleCount]Node
	var what capture
	for _, c := range captures {
		k := roles[c.Index]
		nodes[k.role] = Node(c.Node)
		switch k.role {
		case isDef, isScope, isPublicScope, isPrivateScope, isRef, isImport:
			what = k
		}
	}
	switch what.role {
	case isRef:
		x.addRef(what.refKind, &nodes)
	case isDef, isScope, isPublicScope, isPrivateScope:
		x.addDef(what, &nodes, pattern)
	case isImport:
		x.addImport(&nodes)
	}
	if n := nodes[isExport]; n != 0 {
		x.wrappers = append(x.wrappers, wrapper{x.spanOf(n), true})
	}
	if n := nodes[isOuter]; n != 0 {
		x.wrappers = append(x.wrappers, wrapper{x.spanOf(n), false})
	}
	if n := nodes[isAttribute]; n != 0 {
		x.addAttribute(n, nodes[isKeyword])
	}
	if what.role == isIgnored {
		x.bodies = x.appendSpan(x.bodies, nodes[isBody])
	}
	if n := nodes[isComment]; n != 0 {
		x.comments = append(x.comments, x.trim(x.spanOf(n)))
	}
	x.decorators = x.appendSpan(x.decorators, nodes[isDecorator])
	x.docstrings = x.appendSpan(x.docstrings, nodes[isDocstring])
	x.heads = x.appendSpan(x.heads, nodes[isHead])
	x.sections = x.appendSpan(x.sections, nodes[isSection])
	if n := nodes[isExportName]; n != 0 {
		if _, ok := x.keyword(nodes[isKeyword]); ok {
			x.exports = append(x.exports, x.spanOf(n))
		}
	}
}

func (x *extraction) appendSpan(list []Span, n Node) []Span {
	if n == 0 {
		return list
	}
	return append(list, x.spanOf(n))
}

func (x *extraction) addRef(kind RefKind, nodes *[roleCount]Node) {
	n := nodes[isName]
	if n == 0 {
		n = nodes[isRef]
	}
	s := x.trim(x.spanOf(n))
	if s.Start >= s.End {
		return
	}
	if n := nodes[isKeyword]; n != 0 {
		word := x.spanOf(n)
		if x.rules.RefWords[string(x.src[word.Start:word.End])] != kind {
			return
		}
	}
	var qualifier Span
	if !x.rules.Dotted {
		text := x.src[s.Start:s.End]
		if i := bytes.IndexByte(text, '<'); i > 0 && !bytes.HasSuffix(text[:i], []byte("operator")) {
			text = text[:i]
			s.End = s.Start + i
		}
		if i := bytes.LastIndex(text, []byte("::")); i > 0 {
			qualifier = Span{s.Start, s.Start + i}
			s.Start += i + 2
		} else if i := bytes.LastIndexByte(text, '.'); i > 0 {
			qualifier = Span{s.Start, s.Start + i}
			s.Start += i + 1
		}
		if s.Start >= s.End {
			return
		}
	}
	if c := x.src[s.Start]; nodes[isElement] != 0 && 'a' <= c && c <= 'z' {
		return // <div>: an element of HTML
	}
	name := x.intern(x.src[s.Start:s.End])
	if kind == TypeUse && x.rules.Builtins[name] || kind == Call && x.rules.NoCalls[name] {
		return
	}
	if kind == Call && nodes[isReceiver] == 0 && x.rules.ImportWords[name] {
		return // require is an import
	}
	r := Ref{Name: name, Kind: kind, Offset: s.Start}
	if n := nodes[isReceiver]; n != 0 {
		qualifier = x.spanOf(n)
	}
	r.Receiver = x.intern(cut(x.src[qualifier.Start:qualifier.End], maxReceiver))
	x.refs = append(x.refs, r)
}

// addAttribute takes an attribute for a doc comment, a docstring or a
// decorator, as the rules say of its word.
func (x *extraction) addAttribute(n, keyword Node) {
	if keyword == 0 {
		return
	}
	word := x.spanOf(keyword)
	switch x.rules.Attributes[string(x.src[word.Start:word.End])] {
	case CommentAttribute:
		x.comments = append(x.comments, x.trim(x.spanOf(n)))
	case DocstringAttribute:
		x.docstrings = x.appendSpan(x.docstrings, n)
	case DecoratorAttribute:
		x.decorators = x.appendSpan(x.decorators, n)
	}
}

func newDef(kind Kind, all, name Span) def {
	return def{kind: kind, Span: all, name: name, receiver: none, body: -1, doc: none}
}

func (x *extraction) addDef(what capture, nodes *[roleCount]Node, pattern uint16) {
	d := newDef(what.kind, none, none)
	d.pattern = pattern
	if what.role != isDef {
		d.scope, d.kind = what.role, Type
	}
	kind, ok := x.keyword(nodes[isKeyword])
	if !ok {
		return
	}
	d.kind = cmp.Or(kind, d.kind)
	d.Span = x.trim(x.spanOf(nodes[what.role]))
	d.name = x.trim(x.spanOf(nodes[isName]))
	if d.name.Start < 0 || d.name.Start == d.name.End {
		if d.scope == isIgnored {
			return // without a name there is nothing to find
		}
		d.name = Span{d.Start, d.Start}
	}
	if n := nodes[isStart]; n != 0 {
		d.Start = x.trim(x.spanOf(n)).Start
	}
	if nodes[isLevel] != 0 {
		d.level = 1
	}
	d.receiver = x.spanOf(nodes[isReceiver])
	if n := nodes[isBody]; n != 0 {
		s := x.spanOf(n)
		d.body, d.bodyEnd = s.Start, s.End
	}
	x.defs = append(x.defs, d)
}

// keyword returns the kind that a @keyword stands for, "" for none of its own.
// It reports false where the word does not define anything.
func (x *extraction) keyword(n Node) (Kind, bool) {
	if n == 0 {
		return "", true
	}
	s := x.spanOf(n)
	kind, ok := x.rules.Keywords[string(x.src[s.Start:s.End])]
	return kind, ok
}

func (x *extraction) addImport(nodes *[roleCount]Node) {
	if n := nodes[isKeyword]; n != 0 {
		s := x.spanOf(n)
		if !x.rules.ImportWords[string(x.src[s.Start:s.End])] {
			return
		}
	}
	at := x.trim(x.spanOf(nodes[isImport]))
	if n := nodes[isStart]; n != 0 {
		at.Start = x.trim(x.spanOf(n)).Start
	}
	i := imported{Span: at, path: x.spanOf(nodes[isPath]),
		name: x.spanOf(nodes[isImportName]), alias: x.spanOf(nodes[isAlias])}
	if n := nodes[isDefault]; n != 0 {
		i.alias, i.isDefault = x.spanOf(n), true
	}
	x.imports = append(x.imports, i)
}

// trim takes white space off both ends: some grammars count the line break.
func (x *extraction) trim(s Span) Span { return s.Trim(x.src) }

// Trim returns the span without the white space at its ends.
func (s Span) Trim(src []byte) Span {
	for s.Start >= 0 && s.Start < s.End && IsSpace(src[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && IsSpace(src[s.End-1]) {
		s.End--
	}
	return s
}

// IsSpace reports whether a byte is white space.
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// take takes what a scanner has found.
func (x *extraction) take(f *Found) {
	for _, d := range f.Definitions {
		one := newDef(d.Kind, d.Span, d.Name)
		one.level = d.Level
		x.defs = append(x.defs, one)
	}
	for _, a := range f.Assets {
		x.imports = append(x.imports, imported{Span: a.Span, path: a.Path, name: none, alias: none})
	}
	x.comments = append(x.comments, f.Comments...)
	x.heads = append(x.heads, f.Heads...)
}
