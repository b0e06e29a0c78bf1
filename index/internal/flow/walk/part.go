package walk

import (
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Part returns a part of a node, or none. Its name is that of a field, or, where a tree has no
// fields, "kind#i" for the i-th child of a kind (or of one of several: "kind|kind#i"), "#i" for
// the i-th named child, with -1 for the last; "a/b" is the part b of the part a.
func Part(t *syntax.Tree, n syntax.Node, name string) syntax.Node {
	if strings.IndexByte(name, '#') < 0 {
		return t.Child(n, name)
	}
	first, rest, deeper := strings.Cut(name, "/")
	if deeper {
		return Part(t, Part(t, n, first), rest)
	}
	kind, number, _ := strings.Cut(name, "#")
	i, _ := strconv.Atoi(number)
	var last syntax.Node
	if kind == "" && i < 0 {
		for c := range t.NamedChildren(n) {
			last = c
		}
		return last
	}
	if kind == "" {
		return t.NamedChild(n, i)
	}
	for c := range t.Children(n) {
		if k := t.Kind(c); k != kind && !(strings.IndexByte(kind, '|') > 0 && strings.Contains("|"+kind+"|", "|"+k+"|")) {
			continue
		}
		if i == 0 {
			return c
		}
		i--
		last = c
	}
	if i < 0 {
		return last
	}
	return 0
}

// Child returns a part of a node, by Part.
func (b *Builder) Child(n syntax.Node, name string) syntax.Node { return Part(b.Tree, n, name) }

// Only is what a node is written around: its first child that has a value.
func Only(b *Builder, n syntax.Node) syntax.Node {
	for c := range b.NamedChildren(n) {
		if !b.rules.Skip[b.Kind(c)] {
			return c
		}
	}
	return 0
}

// Within returns a function for a part.
func Within(name string) func(b *Builder, n syntax.Node) syntax.Node {
	return func(b *Builder, n syntax.Node) syntax.Node { return b.Child(n, name) }
}

// cast returns the expression that a node is only written around, 0 where it is more.
func (b *Builder) cast(n syntax.Node) syntax.Node {
	kind := b.Kind(n)
	if kind == "parenthesized_expression" || b.rules.Logic.Parens[kind] {
		return b.NamedChild(n, 0)
	}
	if in := b.rules.Casts[kind]; in != nil {
		return in(b, n)
	}
	return 0
}

// chain returns the object of a chain, and the path of its suffixes in the order in which they
// are written. ok is false where there are none.
func (b *Builder) chain(n syntax.Node) (object syntax.Node, path string, ok bool) {
	c, is := b.rules.Chains[b.Kind(n)]
	if !is {
		return 0, "", false
	}
	for s := range b.NamedChildren(n) {
		switch {
		case object == 0:
			object = s
		case b.Kind(s) == c.Member:
			path += "." + b.Text(b.Child(s, c.Part))
		case b.Kind(s) == c.Element:
			path += "[]"
		}
	}
	return object, path, path != ""
}

// suffixes evaluates the object of a chain and the indices in it.
func (b *Builder) suffixes(n, object syntax.Node) {
	b.Expr(object)
	c := b.rules.Chains[b.Kind(n)]
	for s := range b.NamedChildren(n) {
		if s != object && b.Kind(s) == c.Element {
			b.Children(s)
		}
	}
}

// Parent returns the node around another one.
func (b *Builder) Parent(n syntax.Node) syntax.Node {
	p := b.Root()
	for {
		var in syntax.Node
		for c := range b.Tree.Children(p) {
			if b.Start(c) <= b.Start(n) && b.End(n) <= b.End(c) && c <= n {
				in = c
			}
		}
		if in == 0 || in == n {
			return p
		}
		p = in
	}
}

// element is the path of an element: that of any, or of the one whose index is written.
func (b *Builder) element(n, object syntax.Node) string {
	if !b.rules.Indexed {
		return "[]"
	}
	index := ""
	for c := range b.NamedChildren(n) {
		if c != object {
			if index != "" {
				return "[]"
			}
			index = strings.Trim(b.Text(c), "[]")
		}
	}
	if index == "" || len(index) > 1 && index[0] == '0' || strings.Trim(index, "0123456789") != "" {
		return "[]"
	}
	return "[" + index + "]"
}

// holder writes that the object that a place is in is found.
func (b *Builder) holder(n syntax.Node) {
	b.Expr(n)
	if b.dry || b.open == none {
		return
	}
	s := &b.g.Steps[b.open]
	if last := len(s.Access) - 1; last >= 0 {
		if a := &s.Access[last]; a.Kind == Use && a.Start == b.Start(n) && a.End == b.End(n) {
			a.Found = true
		}
	}
}
