package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ lowers a declared type. Types that are not classes are none: strings may
// name classes, and arrays hold what flows into them.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "named_type", "optional_type":
		return l.typ(l.NamedChild(n, 0))
	case "name", "qualified_name", "relative_scope":
		switch s := l.Text(n); s {
		case "self", "static", "parent":
			return l.own(s, l.Start(n))
		case "object", "never":
			return 0
		}
		return l.class(n)
	case "union_type", "disjunctive_normal_form_type", "type_list", "intersection_type":
		var xs []ir.Expr
		for c := range l.NamedChildren(n) {
			x := l.typ(c)
			if x == 0 && l.Kind(n) != "intersection_type" && !l.nothing(c) {
				return 0 // Foo|array: who knows
			}
			xs = append(xs, x)
		}
		return l.Union(xs...)
	}
	return 0
}

// nothing reports whether a type has no values with methods: Foo|null is Foo.
func (l *lowerer) nothing(n syntax.Node) bool {
	switch string(l.Bytes(n)) {
	case "null", "false", "true", "int", "float", "bool":
		return true
	}
	return false
}

// class lowers the name of a class.
func (l *lowerer) class(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "name":
		switch s := l.Text(n); s {
		case "self", "static", "parent":
			return l.relative(s, l.Start(n), true)
		default:
			return l.Free(s, l.Start(n))
		}
	case "relative_scope":
		return l.relative(l.Text(n), l.Start(n), true)
	case "qualified_name":
		return l.qualified(n)
	}
	return 0
}

// qualified lowers a path: A\b is the b of A.
func (l *lowerer) qualified(n syntax.Node) ir.Expr {
	return l.pathExpr(l.Text(n), l.Start(n))
}

// pathExpr lowers the text of a path.
func (l *lowerer) pathExpr(s string, pos int) ir.Expr {
	var x ir.Expr
	if strings.HasPrefix(s, `\`) {
		x = l.Free(`\`, pos)
		s, pos = s[1:], pos+1
	}
	for s != "" {
		part, rest, more := strings.Cut(s, `\`)
		name := strings.TrimSpace(part)
		switch {
		case name == "":
		case x == 0:
			x = l.Free(name, pos)
			if more && name != "namespace" {
				l.Flag(x, ir.Path) // a namespace, not a class
			}
		default:
			x = l.Attr(x, name, pos)
			l.Flag(x, ir.Path)
		}
		if !more {
			break
		}
		s, pos = rest, pos+len(part)+1
	}
	return x
}

// relative lowers self, static and parent: the class, where a type or class is
// wanted, or else what stands before "::".
func (l *lowerer) relative(word string, pos int, class bool) ir.Expr {
	if len(l.classes) == 0 {
		return l.Free(word, pos)
	}
	c := l.classes[len(l.classes)-1]
	switch {
	case word == "parent" && class:
		if c.parent == 0 {
			return l.Free(word, pos)
		}
		return c.parent
	case word == "parent":
		return l.Unary(ir.Super, 0, pos)
	case word == "static" || c.trait:
		return l.Unary(ir.TypeOf, l.Unary(ir.This, 0, pos), pos)
	}
	return l.ClassX(c.class, pos)
}

// own lowers self, static and parent as the type of a value. Of the class that
// uses a trait nothing is known in the trait.
func (l *lowerer) own(word string, pos int) ir.Expr {
	if len(l.classes) == 0 || l.classes[len(l.classes)-1].trait {
		return 0
	}
	c := l.classes[len(l.classes)-1]
	if word == "parent" {
		return c.parent
	}
	return l.ClassX(c.class, pos)
}

// A doc is what a doc comment says of types.
type doc struct {
	text string
	pos  int
}

// docOf reads a comment, if it is a doc comment that says anything.
func (l *lowerer) docOf(n syntax.Node) doc {
	b := l.Bytes(n)
	if len(b) < 8 || b[0] != '/' || b[1] != '*' || b[2] != '*' {
		return doc{}
	}
	for i := 3; i < len(b); i++ {
		if b[i] == '@' {
			return doc{text: string(b), pos: l.Start(n)}
		}
	}
	return doc{}
}

// each calls f with the rest of the line and its offset for each "@tag ".
func (d doc) each(tag string, f func(rest string, at int)) {
	for i := 0; ; {
		j := strings.Index(d.text[i:], tag)
		if j < 0 {
			return
		}
		i += j + len(tag)
		if i < len(d.text) && (d.text[i] == ' ' || d.text[i] == '\t') {
			rest := d.text[i:]
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				rest = rest[:end]
			}
			trimmed := strings.TrimLeft(rest, " \t")
			f(strings.TrimSuffix(strings.TrimRight(trimmed, " \t\r"), "*/"), d.pos+i+len(rest)-len(trimmed))
		}
	}
}

// param returns the type that the comment gives a parameter: "@param Foo $name".
func (l *lowerer) param(d doc, name string) (x ir.Expr) {
	d.each("@param", func(rest string, at int) {
		typ, after := docType(rest)
		if x == 0 && firstWord(strings.TrimLeft(strings.TrimSpace(after), "&.")) == name {
			x = l.docType(typ, at)
		}
	})
	return x
}

// tagged returns the type of "@return Foo", "@var Foo".
func (l *lowerer) tagged(d doc, tag string) (x ir.Expr) {
	d.each(tag, func(rest string, at int) {
		if typ, _ := docType(rest); x == 0 {
			x = l.docType(typ, at)
		}
	})
	return x
}

// returnsSelf reports whether the comment says that a method returns its receiver, or
// another one of its class.
func (d doc) returnsSelf() bool {
	self := false
	d.each("@return", func(rest string, _ int) {
		typ, _ := docType(rest)
		self = self || typ == "$this" || typ == "static"
	})
	return self
}

// has reports whether the comment has the tag.
func (d doc) has(tag string) bool {
	i := strings.Index(d.text, tag)
	if i < 0 {
		return false
	}
	i += len(tag)
	return i == len(d.text) || !isWord(d.text[i])
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func firstWord(s string) string {
	for i := range len(s) {
		if c := s[i]; c == ' ' || c == '\t' || c == '*' || c == ',' {
			return s[:i]
		}
	}
	return s
}

// docType splits the type off the text of a tag. Spaces belong to it inside of
// brackets.
func docType(s string) (typ, rest string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<', '(', '{':
			depth++
		case '>', ')', '}':
			depth--
		case ' ', '\t':
			if depth <= 0 {
				return s[:i], s[i:]
			}
		}
	}
	return s, ""
}

// docType lowers the type of a doc comment. Only plain names of classes and lists
// of them are taken; what else there is means nothing.
func (l *lowerer) docType(s string, pos int) ir.Expr {
	if !l.Nest() {
		return 0
	}
	defer l.Leave()
	s = strings.TrimPrefix(s, "?")
	if i := strings.IndexByte(s, '|'); i >= 0 && !strings.ContainsAny(s, "<({") {
		var xs []ir.Expr
		for part := range strings.SplitSeq(s, "|") {
			x := l.docType(part, pos)
			if x == 0 && !noObject[part] {
				return 0
			}
			xs = append(xs, x)
		}
		return l.Union(xs...)
	}
	if elem, ok := strings.CutSuffix(s, "[]"); ok {
		if x := l.docType(elem, pos); x != 0 {
			return l.Apply(0, "list", ir.Args(x), pos)
		}
		return 0
	}
	if base, args, ok := strings.Cut(s, "<"); ok {
		args, ok = strings.CutSuffix(args, ">")
		if !ok || strings.ContainsAny(args, "<({|") {
			return 0
		}
		if i := strings.LastIndexByte(args, ','); i >= 0 {
			args = strings.TrimSpace(args[i+1:])
		}
		switch base {
		case "array", "list", "iterable", "non-empty-array", "non-empty-list", "Traversable", `\Traversable`,
			"Generator", `\Generator`, "Iterator", `\Iterator`:
			if x := l.docType(args, pos); x != 0 {
				return l.Apply(0, "list", ir.Args(x), pos)
			}
			return 0
		case "class-string":
			return 0
		}
		s = base
	}
	switch s {
	case "self", "static", "$this":
		return l.own(s, pos)
	}
	if s == "" || !className(s) {
		return 0
	}
	return l.pathExpr(s, pos)
}

var noObject = map[string]bool{
	"null": true, "false": true, "true": true, "int": true, "integer": true, "float": true, "bool": true,
	"boolean": true, "void": true, "string": true,
}

// className reports whether s reads as the name of a class rather than as a
// built-in type or a type parameter: it begins with a capital.
func className(s string) bool {
	last := s
	if i := strings.LastIndexByte(s, '\\'); i >= 0 {
		last = s[i+1:]
	}
	if last == "" || last[0] < 'A' || last[0] > 'Z' {
		return false
	}
	if last == s && (len(s) == 1 || s[0] == 'T' && s[1] >= 'A' && s[1] <= 'Z') {
		return false // T, TKey
	}
	for i := range len(s) {
		if !isWord(s[i]) && s[i] != '\\' {
			return false
		}
	}
	return true
}
