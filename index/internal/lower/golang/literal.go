package golang

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// literal lowers the body of a composite literal of a type: node is how it is
// written, 0 where it is not known, and typ what it was lowered to.
func (l *lowerer) literal(node syntax.Node, typ ir.Expr, body syntax.Node) ir.Expr {
	if l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	t := l.t
	under := l.underlying(node)
	switch t.Kind(under) {
	case "slice_type", "array_type", "implicit_length_array_type":
		return l.container("list", under, t.Child(under, "element"), typ, body)
	case "map_type":
		return l.container("map", under, t.Child(under, "value"), typ, body)
	case "struct_type":
		return l.instance(typ, l.fieldNames(under), body)
	}
	if l.hasKeys(body) {
		return l.container("map", 0, 0, typ, body)
	}
	return l.instance(typ, nil, body)
}

// hasKeys reports whether a literal has keys that are no field names, and so
// is one of a map or slice.
func (l *lowerer) hasKeys(body syntax.Node) bool {
	first := l.t.NamedChild(body, 0)
	if l.t.Kind(first) != "keyed_element" {
		return false
	}
	key := l.t.NamedChild(first, 0)
	if l.t.Kind(key) == "literal_element" {
		key = l.t.NamedChild(key, 0)
	}
	return l.t.Kind(key) != "identifier"
}

// instance lowers the literal of a struct, the fields of which may be known.
func (l *lowerer) instance(typ ir.Expr, fields []ir.Str, body syntax.Node) ir.Expr {
	t := l.t
	mark := len(l.args)
	i := 0
	for c := range t.NamedChildren(body) {
		arg := ir.Arg{}
		value := c
		if t.Kind(c) == "keyed_element" {
			arg.Name = l.b.Str(t.Text(t.NamedChild(c, 0)))
			value = t.NamedChild(c, 1)
		} else if i < len(fields) {
			arg.Name = fields[i]
		}
		i++
		arg.X = l.element(value, 0, typ)
		// A plain value says nothing that the type of its field does not.
		if arg.Name == 0 || l.b.Raw().Exprs[arg.X].Op != ir.Lit {
			l.args = append(l.args, arg)
		}
	}
	args := l.pop(mark)
	x := l.b.New(typ, args, t.Start(body))
	l.b.Raw().Exprs[x].Flags |= ir.Implicit
	return x
}

// element lowers one value of a literal. One in braces has the type node elem;
// where that is not known it is an element of the type outer.
func (l *lowerer) element(n, elem syntax.Node, outer ir.Expr) ir.Expr {
	if l.t.Kind(n) == "literal_element" {
		n = l.t.NamedChild(n, 0)
	}
	if l.t.Kind(n) != "literal_value" {
		return l.expr(n)
	}
	if elem == 0 {
		return l.literal(0, l.b.Unary(ir.Elem, outer, l.t.Start(n)), n)
	}
	// Tables repeat it a thousand times.
	typ, ok := l.elems[elem]
	if !ok {
		typ = l.typ(elem)
		l.elems[elem] = typ
	}
	return l.literal(elem, typ, n)
}

// container lowers the literal of a slice, array or map with elements of the
// type node elem, 0 where it is not known.
func (l *lowerer) container(form string, under, elem syntax.Node, typ ir.Expr, body syntax.Node) ir.Expr {
	t, b := l.t, l.b
	mark := len(l.args)
	plain := false
	for c := range t.NamedChildren(body) {
		arg := ir.Arg{}
		value := c
		if t.Kind(c) == "keyed_element" {
			key := t.NamedChild(c, 0)
			value = t.NamedChild(c, 1)
			l.eval(l.element(key, t.Child(under, "key"), typ))
			if t.Kind(key) == "literal_element" {
				key = t.NamedChild(key, 0)
			}
			switch t.Kind(key) {
			case "interpreted_string_literal", "raw_string_literal":
				arg.Name = b.Str(unquoted(t.Text(key)))
			}
		}
		arg.X = l.element(value, elem, typ)
		if b.Raw().Exprs[arg.X].Op == ir.Lit {
			// One plain value stands for all.
			if plain {
				continue
			}
			plain = true
		}
		l.args = append(l.args, arg)
	}
	args := l.pop(mark)
	var x ir.Expr
	if form == "map" {
		x = b.Object("map", args, t.Start(body))
	} else {
		x = b.List("list", args, t.Start(body))
	}
	if typ == 0 {
		return x
	}
	return b.Binary(ir.Cast, x, typ, t.Start(body))
}

// fieldNames returns the fields of a struct type in order.
func (l *lowerer) fieldNames(n syntax.Node) []ir.Str {
	names, ok := l.fields[n]
	if ok {
		return names
	}
	for f := range l.t.NamedChildren(l.t.ChildOf(n, "field_declaration_list")) {
		named := false
		for name := range l.t.NamedChildren(f) {
			if l.t.Field(name) == "name" {
				named = true
				names = append(names, l.b.Str(l.t.Text(name)))
			}
		}
		if !named {
			names = append(names, l.b.Str(l.t.Text(l.lastName(l.t.Child(f, "type")))))
		}
	}
	l.fields[n] = names
	return names
}
