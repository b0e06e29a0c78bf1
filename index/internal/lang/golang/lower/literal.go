package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// literal lowers the body of a composite literal of a type: node is how it is
// written, 0 where it is not known, and typ what it was lowered to.
func (l *lowerer) literal(node syntax.Node, typ ir.Expr, body syntax.Node) ir.Expr {
	if !l.Enter(body) {
		return 0
	}
	defer l.Leave()
	under := l.underlying(node)
	switch l.Kind(under) {
	case "slice_type", "array_type", "implicit_length_array_type":
		return l.container("list", under, l.Child(under, "element"), typ, body)
	case "map_type":
		return l.container("map", under, l.Child(under, "value"), typ, body)
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
	first := l.NamedChild(body, 0)
	if l.Kind(first) != "keyed_element" {
		return false
	}
	key := l.NamedChild(first, 0)
	if l.Kind(key) == "literal_element" {
		key = l.NamedChild(key, 0)
	}
	return l.Kind(key) != "identifier"
}

// instance lowers the literal of a struct, the fields of which may be known.
func (l *lowerer) instance(typ ir.Expr, fields []ir.Str, body syntax.Node) ir.Expr {
	mark := l.Mark()
	i := 0
	for c := range l.NamedChildren(body) {
		arg := ir.Arg{}
		value := c
		if l.Kind(c) == "keyed_element" {
			arg.Name = l.Str(l.Text(l.NamedChild(c, 0)))
			value = l.NamedChild(c, 1)
		} else if i < len(fields) {
			arg.Name = fields[i]
		}
		i++
		arg.X = l.element(value, 0, typ)
		// A plain value says nothing that the type of its field does not.
		if arg.Name == 0 || l.Raw().Exprs[arg.X].Op != ir.Lit {
			l.PushArg(arg)
		}
	}
	args := l.Take(mark)
	x := l.New(typ, args, l.Start(body))
	l.Flag(x, ir.Implicit)
	return x
}

// element lowers one value of a literal. One in braces has the type node elem;
// where that is not known it is an element of the type outer.
func (l *lowerer) element(n, elem syntax.Node, outer ir.Expr) ir.Expr {
	if l.Kind(n) == "literal_element" {
		n = l.NamedChild(n, 0)
	}
	if l.Kind(n) != "literal_value" {
		return l.expr(n)
	}
	if elem == 0 {
		return l.literal(0, l.Unary(ir.Elem, outer, l.Start(n)), n)
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
	mark := l.Mark()
	plain := false
	for c := range l.NamedChildren(body) {
		arg := ir.Arg{}
		value := c
		if l.Kind(c) == "keyed_element" {
			key := l.NamedChild(c, 0)
			value = l.NamedChild(c, 1)
			l.eval(l.element(key, l.Child(under, "key"), typ))
			if l.Kind(key) == "literal_element" {
				key = l.NamedChild(key, 0)
			}
			switch l.Kind(key) {
			case "interpreted_string_literal", "raw_string_literal":
				arg.Name = l.Str(unquoted(l.Text(key)))
			}
		}
		arg.X = l.element(value, elem, typ)
		if l.Raw().Exprs[arg.X].Op == ir.Lit {
			// One plain value stands for all.
			if plain {
				continue
			}
			plain = true
		}
		l.PushArg(arg)
	}
	args := l.Take(mark)
	var x ir.Expr
	if form == "map" {
		x = l.Object("map", args, l.Start(body))
	} else {
		x = l.List("list", args, l.Start(body))
	}
	if typ == 0 {
		return x
	}
	return l.Binary(ir.Cast, x, typ, l.Start(body))
}

// fieldNames returns the fields of a struct type in order.
func (l *lowerer) fieldNames(n syntax.Node) []ir.Str {
	names, ok := l.fields[n]
	if ok {
		return names
	}
	for f := range l.NamedChildren(l.ChildOf(n, "field_declaration_list")) {
		named := false
		for name := range l.NamedChildren(f) {
			if l.Field(name) == "name" {
				named = true
				names = append(names, l.Str(l.Text(name)))
			}
		}
		if !named {
			names = append(names, l.Str(l.Text(l.lastName(l.Child(f, "type")))))
		}
	}
	l.fields[n] = names
	return names
}
