package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// The longest texts that are kept, in bytes.
const (
	maxReceiver  = 80
	maxSignature = 300
	maxDoc       = 2000
)

// file turns what the matches gathered into a File.
func (x *extraction) file() File {
	x.dedupe()
	x.nest()
	var f File
	f.Symbols = x.symbols()
	f.Refs = x.references()
	f.Imports = x.importList()
	f.HeadEnd = x.headEnd(f.Symbols)
	return f
}

// dedupe keeps one definition of a name: that of the query's first pattern, so
// queries put the special case before the general one. It leaves the
// definitions in order, containers before what they contain.
func (x *extraction) dedupe() {
	slices.SortFunc(x.defs, func(a, b def) int {
		return cmp.Or(cmp.Compare(a.name.Start, b.name.Start),
			cmp.Compare(min(a.scope, 1), min(b.scope, 1)), cmp.Compare(a.pattern, b.pattern))
	})
	x.defs = slices.CompactFunc(x.defs, func(a, b def) bool {
		return a.name.Start == b.name.Start && (a.scope == isIgnored) == (b.scope == isIgnored)
	})
	bound := map[int]bool(nil)
	for _, i := range x.imports {
		if bound == nil {
			bound = make(map[int]bool, len(x.imports))
		}
		bound[i.Start] = true
	}
	// A variable that only holds an import is the import's alias.
	x.defs = slices.DeleteFunc(x.defs, func(d def) bool {
		return isValue(d.kind) && d.scope == isIgnored && bound[d.Start]
	})
	byStart := func(a, b Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) }
	for _, list := range [][]Span{x.comments, x.decorators, x.docstrings, x.heads, x.sections} {
		if !slices.IsSortedFunc(list, byStart) {
			slices.SortFunc(list, byStart)
		}
	}
	slices.SortStableFunc(x.wrappers, func(a, b wrapper) int { return byStart(a.Span, b.Span) })
	x.stretch()
	x.shed()
	x.attachBodies()
	slices.SortFunc(x.defs, func(a, b def) int {
		return cmp.Or(byStart(a.Span, b.Span), cmp.Compare(a.name.Start, b.name.Start))
	})
}

// nest finds the container of each definition, its name and path, where it
// begins, and whether it is exported. A definition that is dropped loses its
// name; only those that were kept and have one become symbols.
func (x *extraction) nest() {
	w, s := 0, 0
	for i := range x.defs {
		d := &x.defs[i]
		for ; s < len(x.sections) && x.sections[s].Start < d.Start; s++ {
			x.pop(x.sections[s])
			if n := len(x.stack); n > 0 {
				sec := x.sections[s]
				x.defs[x.stack[n-1]].section = x.intern(x.src[sec.Start:sec.End])
			}
		}
		x.pop(d.Span)
		for ; w < len(x.wrappers) && x.wrappers[w].Start <= d.Start; w++ {
			x.open = append(x.open, w)
		}
		x.open = slices.DeleteFunc(x.open, func(w int) bool { return x.wrappers[w].End <= d.Start })
		if x.place(d) {
			x.stack = append(x.stack, i)
		}
	}
	for i := 1; i < len(x.defs); i++ {
		// typedef struct node {...} node: one symbol, the struct.
		if d, t := &x.defs[i], &x.defs[i-1]; t.kind == Type && t.body < 0 && t.title == d.title && t.contains(d.Span) && d.kind.IsType() {
			d.Span, d.begin, d.sig = t.Span, t.begin, t.sig
			t.title = ""
		}
	}
	x.attachDocstrings()
}

// pop leaves on the stack only what contains s.
func (x *extraction) pop(s Span) {
	for n := len(x.stack); n > 0; n-- {
		top := x.defs[x.stack[n-1]].Span
		if top.contains(s) && top != s {
			break
		}
		x.stack = x.stack[:n-1]
	}
}

// place names one definition. It reports whether it contains what follows.
func (x *extraction) place(d *def) bool {
	var up *def
	if n := len(x.stack); n > 0 {
		up = &x.defs[x.stack[n-1]]
	}
	v := Decl{Kind: d.kind, Text: x.src[d.Start:d.End], ParentExported: true}
	if up != nil {
		v.Parent, v.ParentKind, v.ParentExported, v.Section = up.path, up.kind, up.exported, up.section
		v.Public, v.Private = up.scope == isPublicScope, up.scope == isPrivateScope
	}
	text := x.src[d.name.Start:d.name.End]
	parent := ""
	if x.rules.Name != nil && len(text) > 0 {
		p, name := x.rules.Name(string(text))
		parent, d.title = x.intern([]byte(p)), x.intern([]byte(name))
	} else {
		d.title = x.intern(text)
	}
	if d.scope == isIgnored && d.title == "" {
		return false // the rules know no name for it
	}
	if d.receiver.Start >= 0 {
		text := string(x.src[d.receiver.Start:d.receiver.End])
		if x.rules.Receiver != nil {
			text = x.rules.Receiver(text)
		}
		parent = x.join(x.intern([]byte(text)), parent)
	}
	if parent != "" {
		v.Parent = x.join(v.Parent, parent)
		if v.ParentKind == "" || v.ParentKind == Namespace || v.ParentKind == Module {
			v.ParentKind = Type
		}
	}
	if d.scope != isIgnored {
		d.path, d.kind = x.join(v.Parent, d.title), Type
		if d.title == "" {
			d.kind = v.ParentKind
		}
		d.exported = v.ParentExported && d.scope != isPrivateScope
		d.title = ""
		return true
	}
	if v.ParentKind.Runs() && (isValue(d.kind) || d.kind == Field) {
		d.title = "" // a local variable
		return false
	}
	d.begin, d.sig = d.Start, d.Start
	v.Wrapped = x.wrap(d, up) || v.Parent == "" && x.named(d.title)
	v.Name = d.title
	v.Head = x.src[d.begin:max(d.begin, d.name.Start)]
	d.kind = x.kindOf(v)
	if d.kind == "" {
		d.title = ""
		return false
	}
	v.Kind = d.kind
	d.exported = x.isExported(v)
	d.path = v.Parent
	d.path = x.join(v.Parent, d.title)
	d.section = ""
	// In C a typedef may hold the struct it names; the struct is no part of it.
	return d.kind.contains() && !(d.kind == Type && d.body < 0 && bytes.HasPrefix(v.Text, []byte("typedef")))
}

// wrap widens d to the exports, decorators and templates directly around it,
// and reports whether one of them exports it.
func (x *extraction) wrap(d, up *def) (exported bool) {
	for n := len(x.open) - 1; n >= 0; n-- {
		w := x.wrappers[x.open[n]]
		if !w.contains(d.Span) {
			continue
		}
		if up != nil && up.scope == isIgnored && w.contains(up.Span) || up != nil && up.scope != isIgnored && w.Start < up.Start {
			break // it is around the container
		}
		exported = exported || w.export
		if len(bytes.Trim(x.src[d.End:w.End], " \t\r\n;,")) == 0 {
			d.begin = min(d.begin, w.Start)
			d.sig = d.begin
		}
	}
	return exported
}

// named reports whether an @export.name of the file is name.
func (x *extraction) named(name string) bool {
	return slices.ContainsFunc(x.exports, func(s Span) bool {
		text := x.src[s.Start:s.End]
		return string(text) == name || string(text) == ".." // all, in Elm
	})
}

func (x *extraction) kindOf(v Decl) Kind {
	if x.rules.Kind != nil {
		return x.rules.Kind(v)
	}
	if v.Kind == Function && v.ParentKind.IsType() {
		return Method
	}
	return v.Kind
}

func (x *extraction) isExported(v Decl) bool {
	if v.Private || v.ParentKind.Runs() {
		return false
	}
	if x.rules.Exported != nil {
		return x.rules.Exported(v)
	}
	return v.Wrapped || v.Public || v.Parent != "" && v.ParentExported
}

// attachDocstrings gives each @docstring to the innermost definition around it.
func (x *extraction) attachDocstrings() {
	for _, s := range x.docstrings {
		for i := sort.Search(len(x.defs), func(i int) bool { return x.defs[i].Start > s.Start }) - 1; i >= 0; i-- {
			if x.defs[i].title != "" && x.defs[i].contains(s) {
				if x.defs[i].doc == none {
					x.defs[i].doc = s
				}
				break
			}
		}
	}
}

func (x *extraction) symbols() []Symbol {
	n := 0
	for i := range x.defs {
		if x.defs[i].title != "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Symbol, 0, n)
	for i := range x.defs {
		d := &x.defs[i]
		if d.title == "" {
			continue
		}
		s := Symbol{Name: d.title, Kind: d.kind, Parent: parentOf(d.path, d.title), Exported: d.exported, Start: d.begin, End: d.End}
		s.Signature = x.signature(d)
		s.Start, s.DocStart, s.Doc = x.doc(d)
		if s.DocAt, s.DocTo = s.DocStart, x.docTo; s.Doc != "" && x.docTo < 0 {
			s.DocAt, s.DocTo = d.doc.Start, d.doc.End
		} else if s.Doc == "" {
			s.DocTo = s.DocAt
		}
		s.Line, s.EndLine, s.NameLine = x.line(s.Start), x.line(max(s.End-1, s.Start)), x.line(d.name.Start)
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return out
}

func parentOf(path, name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, name), ".")
}

// references sorts the references and keeps one at each place: that which
// tells most. The name in a definition is none, unless it is a type's, as that of a field of Go which
// is embedded.
func (x *extraction) references() []Ref {
	order := func(k RefKind) int {
		return slices.Index([]RefKind{Inherit, New, Export, Call, TypeUse}, k)
	}
	slices.SortFunc(x.refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(order(a.Kind), order(b.Kind)), cmp.Compare(len(b.Receiver), len(a.Receiver)))
	})
	slices.SortFunc(x.defs, func(a, b def) int { return cmp.Compare(a.name.Start, b.name.Start) })
	d, n := 0, 0
	for i := range x.refs {
		r := x.refs[i]
		for d < len(x.defs) && (x.defs[d].name.Start < r.Offset || x.defs[d].scope != isIgnored) {
			d++
		}
		embedded := d < len(x.defs) && x.defs[d].kind == Field && (r.Kind == Inherit || r.Kind == TypeUse)
		if d < len(x.defs) && x.defs[d].name.Start == r.Offset && !embedded || n > 0 && x.refs[n-1].Offset == r.Offset {
			continue
		}
		r.Line = x.line(r.Offset)
		x.refs[n] = r
		n++
	}
	if n == 0 {
		return nil
	}
	return slices.Clone(x.refs[:n])
}

// line returns the 1-based line of an offset.
func (x *extraction) line(offset int) int {
	i, found := slices.BinarySearch(x.lines, offset)
	if found {
		return i + 1
	}
	return i
}

// intern returns b as a string that files share.
func (x *extraction) intern(b []byte) string { return x.names.string(b) }

func (x *extraction) join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	x.buf = append(append(append(x.buf[:0], a...), '.'), b...)
	return x.intern(x.buf)
}

// cut shortens b to at most n bytes, at the border of a rune.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// isValue reports whether a definition of the kind is a local one in a function.
func isValue(k Kind) bool { return k == Variable || k == Constant }

// Runs reports whether what is inside such a definition is local to it.
func (k Kind) Runs() bool { return k == Function || k == Method || k == Constructor }

// IsType reports whether a function directly inside is a method.
func (k Kind) IsType() bool {
	switch k {
	case Class, Struct, Interface, Trait, Enum, Type:
		return true
	}
	return false
}

// contains reports whether such a definition names what is inside it.
func (k Kind) contains() bool { return k != Macro && k != "" }
