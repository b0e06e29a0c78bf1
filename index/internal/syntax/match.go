package syntax

import (
	"bytes"
	"cmp"

	sitter "github.com/smacker/go-tree-sitter"
)

// A span is a range of bytes; none has start -1.
type span struct{ start, end int }

var none = span{-1, -1}

func spanOf(n *sitter.Node) span {
	if n == nil {
		return none
	}
	return span{int(n.StartByte()), int(n.EndByte())}
}

func (s span) contains(t span) bool { return s.start <= t.start && t.end <= s.end }

// A def is a definition or a scope before it is named and placed.
type def struct {
	span
	kind     Kind
	name     span
	receiver span
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
	doc      span // of the docstring
}

// A wrapper is a node around a definition: an export, decorators, a template.
type wrapper struct {
	span
	export bool
}

// An imported is an import before it is read.
type imported struct {
	span
	path, name, alias span
	isDefault         bool
}

// An extraction gathers what the matches of one file hold. Its slices are
// reused from file to file.
type extraction struct {
	src   []byte
	rules *rules
	names map[string]string

	defs       []def
	wrappers   []wrapper
	refs       []Ref
	imports    []imported
	comments   []span
	decorators []span
	docstrings []span
	heads      []span
	sections   []span
	exports    []span // of names
	bodies     []span // of definitions whose own match has none
	lines      []int  // offset at which each line begins
	stack      []int  // of indexes into defs
	open       []int  // of indexes into wrappers
	buf        []byte
	docTo      int // where the comments end that doc has read last; -1: it has read none
}

func (x *extraction) reset(src []byte, r *rules, names map[string]string) {
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

// add takes one match. A byte range costs two calls into C, so it is asked for
// only where it is used.
func (x *extraction) add(captures []capture, m *sitter.QueryMatch) {
	var nodes [roleCount]*sitter.Node
	var what capture
	for _, c := range m.Captures {
		k := captures[c.Index]
		nodes[k.role] = c.Node
		switch k.role {
		case isDef, isScope, isPublicScope, isPrivateScope, isRef, isImport:
			what = k
		}
	}
	switch what.role {
	case isRef:
		x.addRef(what.refKind, &nodes)
	case isDef, isScope, isPublicScope, isPrivateScope:
		x.addDef(what, &nodes, m.PatternIndex)
	case isImport:
		x.addImport(&nodes)
	}
	if n := nodes[isExport]; n != nil {
		x.wrappers = append(x.wrappers, wrapper{spanOf(n), true})
	}
	if n := nodes[isOuter]; n != nil {
		x.wrappers = append(x.wrappers, wrapper{spanOf(n), false})
	}
	if n := nodes[isAttribute]; n != nil {
		x.addAttribute(n, nodes[isKeyword])
	}
	if what.role == isIgnored {
		x.bodies = appendSpan(x.bodies, nodes[isBody])
	}
	if n := nodes[isComment]; n != nil {
		x.comments = append(x.comments, x.trim(spanOf(n)))
	}
	x.decorators = appendSpan(x.decorators, nodes[isDecorator])
	x.docstrings = appendSpan(x.docstrings, nodes[isDocstring])
	x.heads = appendSpan(x.heads, nodes[isHead])
	x.sections = appendSpan(x.sections, nodes[isSection])
	if n := nodes[isExportName]; n != nil {
		if _, ok := x.keyword(nodes[isKeyword]); ok {
			x.exports = append(x.exports, spanOf(n))
		}
	}
}

func appendSpan(list []span, n *sitter.Node) []span {
	if n == nil {
		return list
	}
	return append(list, spanOf(n))
}

func (x *extraction) addRef(kind RefKind, nodes *[roleCount]*sitter.Node) {
	n := nodes[isName]
	if n == nil {
		n = nodes[isRef]
	}
	s := x.trim(spanOf(n))
	if s.start >= s.end {
		return
	}
	if n := nodes[isKeyword]; n != nil {
		word := spanOf(n)
		if x.rules.refWords[string(x.src[word.start:word.end])] != kind {
			return
		}
	}
	var qualifier span
	if !x.rules.dotted {
		text := x.src[s.start:s.end]
		if i := bytes.IndexByte(text, '<'); i > 0 && !bytes.HasSuffix(text[:i], []byte("operator")) {
			text = text[:i]
			s.end = s.start + i
		}
		if i := bytes.LastIndex(text, []byte("::")); i > 0 {
			qualifier = span{s.start, s.start + i}
			s.start += i + 2
		} else if i := bytes.LastIndexByte(text, '.'); i > 0 {
			qualifier = span{s.start, s.start + i}
			s.start += i + 1
		}
		if s.start >= s.end {
			return
		}
	}
	if c := x.src[s.start]; nodes[isElement] != nil && 'a' <= c && c <= 'z' {
		return // <div>: an element of HTML
	}
	name := x.intern(x.src[s.start:s.end])
	if kind == TypeUse && x.rules.builtins[name] || kind == Call && x.rules.noCalls[name] {
		return
	}
	if kind == Call && nodes[isReceiver] == nil && x.rules.importWords[name] {
		return // require is an import
	}
	r := Ref{Name: name, Kind: kind, Offset: s.start}
	if n := nodes[isReceiver]; n != nil {
		qualifier = spanOf(n)
	}
	r.Receiver = x.intern(cut(x.src[qualifier.start:qualifier.end], maxReceiver))
	x.refs = append(x.refs, r)
}

// addAttribute takes an attribute for a doc comment, a docstring or a
// decorator, as the rules say of its word.
func (x *extraction) addAttribute(n, keyword *sitter.Node) {
	if keyword == nil {
		return
	}
	word := spanOf(keyword)
	switch x.rules.attributes[string(x.src[word.start:word.end])] {
	case isComment:
		x.comments = append(x.comments, x.trim(spanOf(n)))
	case isDocstring:
		x.docstrings = appendSpan(x.docstrings, n)
	case isDecorator:
		x.decorators = appendSpan(x.decorators, n)
	}
}

// levelOf is the rank of a definition that runs to the next of its rank: the
// number of # in a heading's mark, 2 below dashes, else 1.
func levelOf(mark []byte) int {
	switch {
	case len(mark) > 0 && mark[0] == '#':
		return len(mark) - len(bytes.TrimLeft(mark, "#"))
	case len(mark) > 0 && mark[0] == '-':
		return 2
	}
	return 1
}

func (x *extraction) addDef(what capture, nodes *[roleCount]*sitter.Node, pattern uint16) {
	d := def{kind: what.kind, span: none, name: none, receiver: none, body: -1, pattern: pattern, doc: none}
	if what.role != isDef {
		d.scope, d.kind = what.role, Type
	}
	kind, ok := x.keyword(nodes[isKeyword])
	if !ok {
		return
	}
	d.kind = cmp.Or(kind, d.kind)
	d.span = x.trim(spanOf(nodes[what.role]))
	d.name = x.trim(spanOf(nodes[isName]))
	if d.name.start < 0 || d.name.start == d.name.end {
		if d.scope == isIgnored {
			return // without a name there is nothing to find
		}
		d.name = span{d.start, d.start}
	}
	if n := nodes[isStart]; n != nil {
		d.start = x.trim(spanOf(n)).start
	}
	if n := nodes[isLevel]; n != nil {
		s := spanOf(n)
		d.level = levelOf(x.src[s.start:s.end])
	}
	d.receiver = spanOf(nodes[isReceiver])
	if n := nodes[isBody]; n != nil {
		s := spanOf(n)
		d.body, d.bodyEnd = s.start, s.end
	}
	x.defs = append(x.defs, d)
}

// keyword returns the kind that a @keyword stands for, "" for none of its own.
// It reports false where the word does not define anything.
func (x *extraction) keyword(n *sitter.Node) (Kind, bool) {
	if n == nil {
		return "", true
	}
	s := spanOf(n)
	kind, ok := x.rules.keywords[string(x.src[s.start:s.end])]
	return kind, ok
}

func (x *extraction) addImport(nodes *[roleCount]*sitter.Node) {
	if n := nodes[isKeyword]; n != nil {
		s := spanOf(n)
		if !x.rules.importWords[string(x.src[s.start:s.end])] {
			return
		}
	}
	at := x.trim(spanOf(nodes[isImport]))
	if n := nodes[isStart]; n != nil {
		at.start = x.trim(spanOf(n)).start
	}
	i := imported{span: at, path: spanOf(nodes[isPath]),
		name: spanOf(nodes[isImportName]), alias: spanOf(nodes[isAlias])}
	if n := nodes[isDefault]; n != nil {
		i.alias, i.isDefault = spanOf(n), true
	}
	x.imports = append(x.imports, i)
}

// trim takes white space off both ends: some grammars count the line break.
func (x *extraction) trim(s span) span {
	for s.start >= 0 && s.start < s.end && isSpace(x.src[s.start]) {
		s.start++
	}
	for s.end > s.start && isSpace(x.src[s.end-1]) {
		s.end--
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }
