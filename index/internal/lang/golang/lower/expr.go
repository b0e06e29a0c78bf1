package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier", "type_identifier", "field_identifier", "package_identifier":
		return l.name(n)
	case "interpreted_string_literal", "raw_string_literal":
		return l.Literal("string")
	case "int_literal", "iota":
		return l.Literal("int")
	case "float_literal", "imaginary_literal":
		return l.Literal("float64")
	case "rune_literal":
		return l.Literal("rune")
	case "true", "false":
		return l.Literal("bool")
	case "nil":
		return l.Literal("nil")
	case "selector_expression":
		field := l.Child(n, "field")
		return l.Attr(l.expr(l.Child(n, "operand")), l.Text(field), l.Start(field))
	case "call_expression":
		return l.call(n)
	case "type_conversion_expression":
		return l.conversion(n)
	case "composite_literal":
		typ := l.Child(n, "type")
		return l.literal(typ, l.typ(typ), l.Child(n, "body"))
	case "func_literal":
		return l.funcLit(n)
	case "unary_expression":
		return l.unary(n)
	case "binary_expression":
		return l.binary(n)
	case "parenthesized_expression":
		return l.expr(l.NamedChild(n, 0))
	case "index_expression":
		return l.index(n)
	case "slice_expression":
		for _, field := range [...]string{"start", "end", "capacity"} {
			l.eval(l.expr(l.Child(n, field)))
		}
		return l.expr(l.Child(n, "operand"))
	case "type_assertion_expression":
		x, typ := l.expr(l.Child(n, "operand")), l.Child(n, "type")
		return l.Binary(ir.Cast, x, l.typ(typ), l.Start(typ))
	case "type_instantiation_expression":
		return l.instantiation(n)
	case "literal_element":
		return l.expr(l.NamedChild(n, 0))
	case "slice_type", "array_type", "map_type", "channel_type", "function_type", "struct_type",
		"interface_type", "pointer_type", "parenthesized_type":
		return l.typ(n)
	case "generic_type", "qualified_type":
		return l.value(n)
	}
	mark := l.Mark()
	for c := range l.NamedChildren(n) {
		if x := l.expr(c); !l.inert(x) {
			l.PushArg(ir.Arg{X: x})
		}
	}
	return l.TakeOpaque(mark)
}

func (l *lowerer) name(n syntax.Node) ir.Expr {
	name := l.Text(n)
	if name == "_" {
		return 0
	}
	return l.Name(name, l.Start(n))
}

// unary lowers the operators before an operand. What & and * do to a value is
// nothing here.
func (l *lowerer) unary(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "operand"))
	switch l.Kind(l.Child(n, "operator")) {
	case "<-":
		if x == 0 {
			return 0
		}
		return l.Unary(ir.Elem, x, l.Start(n))
	case "!":
		l.eval(x)
		return l.Literal("bool")
	}
	return x
}

// binary lowers an operator between operands. Chains of them, which may be long,
// lean to the left and are walked without recursion.
func (l *lowerer) binary(n syntax.Node) ir.Expr {
	top := n
	mark := l.Mark()
	logical := false
	for l.Kind(n) == "binary_expression" {
		right := l.expr(l.Child(n, "right"))
		switch l.Kind(l.Child(n, "operator")) {
		case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
			logical = logical || n == top
			l.eval(right)
		case "<<", ">>":
			l.eval(right)
		default:
			l.PushArg(ir.Arg{X: right})
		}
		n = l.Child(n, "left")
	}
	left := l.expr(n)
	xs := l.Take(mark)
	if logical {
		for _, x := range xs {
			l.eval(x.X)
		}
		l.eval(left)
		return l.Literal("bool")
	}
	// The operands of arithmetic have one type, and constants take it on.
	all := []ir.Expr{left}
	for _, x := range xs {
		if l.Raw().Exprs[x.X].Op != ir.Lit {
			all = append(all, x.X)
		}
	}
	if len(all) > 1 && l.OpOf(left) == ir.Lit {
		all = all[1:]
	}
	return l.Union(all...)
}

// index lowers x[i], which is also how a generic function is instantiated.
func (l *lowerer) index(n syntax.Node) ir.Expr {
	operand, i := l.Child(n, "operand"), l.Child(n, "index")
	x := l.expr(operand)
	if l.isTypeArg(i) && l.isFree(operand) {
		return l.Apply(x, "", ir.Args(l.typ(i)), l.Start(n))
	}
	return l.indexed(x, i)
}

// indexed is x[i]. A constant string is a key of its own.
func (l *lowerer) indexed(x ir.Expr, i syntax.Node) ir.Expr {
	if x == 0 {
		return l.expr(i)
	}
	if l.Kind(i) == "type_elem" {
		i = l.NamedChild(i, 0)
	}
	key := ""
	switch l.Kind(i) {
	case "interpreted_string_literal", "raw_string_literal":
		key = unquoted(l.Text(i))
	}
	at := l.value(i)
	if l.inert(at) {
		at = 0
	}
	return l.Index(x, at, key, l.Start(i))
}

// unquoted returns what a string literal says, escapes left as they are written.
func unquoted(s string) string {
	if len(s) < 2 {
		return ""
	}
	return s[1 : len(s)-1]
}

// isFree reports whether n is a name, or one of a package, that is no variable
// known here: only such can be a generic function or type.
func (l *lowerer) isFree(n syntax.Node) bool {
	switch l.Kind(n) {
	case "identifier", "type_identifier":
		return l.isFreeName(l.Text(n))
	case "selector_expression":
		op := l.Child(n, "operand")
		return l.Kind(op) == "identifier" && l.isFree(op)
	case "qualified_type":
		return l.isFreeName(l.Text(l.Child(n, "package")))
	}
	return false
}

func (l *lowerer) isFreeName(name string) bool {
	return l.Lookup(name) == 0 && l.top[name].kind != valueDecl
}

// isTypeArg reports whether n is certainly a type, where an index might stand, too.
func (l *lowerer) isTypeArg(n syntax.Node) bool {
	switch l.Kind(n) {
	case "type_elem":
		if l.NamedChild(n, 1) != 0 {
			return true
		}
		return l.isTypeArg(l.NamedChild(n, 0))
	case "identifier", "type_identifier":
		name := l.Text(n)
		if v := l.Lookup(name); v != 0 {
			return l.localTypes[v] != 0
		}
		for _, p := range l.generics {
			if p == name {
				return true
			}
		}
		return predeclared[name] || l.top[name].kind == typeDecl
	case "slice_type", "array_type", "map_type", "channel_type", "function_type", "struct_type",
		"interface_type", "pointer_type", "parenthesized_type":
		return true
	}
	return false
}

// instantiation lowers f[A, B], which can be nothing but generic, and x[i][j],
// which the grammar takes for the same.
func (l *lowerer) instantiation(n syntax.Node) ir.Expr {
	base := l.Child(n, "type")
	x := l.value(base)
	mark := l.Mark()
	var first syntax.Node
	for c := range l.NamedChildren(n) {
		if c == base {
			continue
		}
		if first == 0 {
			first = c
		}
		l.PushArg(ir.Arg{X: l.typ(c)})
	}
	args := l.Take(mark)
	if len(args) == 1 && l.isIndex(base, first) {
		return l.indexed(x, first)
	}
	return l.Apply(x, "", args, l.Start(n))
}
