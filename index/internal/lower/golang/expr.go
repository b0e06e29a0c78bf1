package golang

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if n == 0 || l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	t := l.t
	switch t.Kind(n) {
	case "identifier", "type_identifier", "field_identifier", "package_identifier":
		return l.name(n)
	case "interpreted_string_literal", "raw_string_literal":
		return l.lit("string")
	case "int_literal", "iota":
		return l.lit("int")
	case "float_literal", "imaginary_literal":
		return l.lit("float64")
	case "rune_literal":
		return l.lit("rune")
	case "true", "false":
		return l.lit("bool")
	case "nil":
		return l.lit("nil")
	case "selector_expression":
		field := t.Child(n, "field")
		return l.b.Attr(l.expr(t.Child(n, "operand")), t.Text(field), t.Start(field))
	case "call_expression":
		return l.call(n)
	case "type_conversion_expression":
		return l.conversion(n)
	case "composite_literal":
		typ := t.Child(n, "type")
		return l.literal(typ, l.typ(typ), t.Child(n, "body"))
	case "func_literal":
		return l.funcLit(n)
	case "unary_expression":
		return l.unary(n)
	case "binary_expression":
		return l.binary(n)
	case "parenthesized_expression":
		return l.expr(t.NamedChild(n, 0))
	case "index_expression":
		return l.index(n)
	case "slice_expression":
		for _, field := range [...]string{"start", "end", "capacity"} {
			l.eval(l.expr(t.Child(n, field)))
		}
		return l.expr(t.Child(n, "operand"))
	case "type_assertion_expression":
		x, typ := l.expr(t.Child(n, "operand")), t.Child(n, "type")
		return l.b.Binary(ir.Cast, x, l.typ(typ), t.Start(typ))
	case "type_instantiation_expression":
		return l.instantiation(n)
	case "literal_element":
		return l.expr(t.NamedChild(n, 0))
	case "slice_type", "array_type", "map_type", "channel_type", "function_type", "struct_type",
		"interface_type", "pointer_type", "parenthesized_type":
		return l.typ(n)
	case "generic_type", "qualified_type":
		return l.value(n)
	}
	mark := len(l.args)
	for c := range t.NamedChildren(n) {
		if x := l.expr(c); !l.idle(x) {
			l.args = append(l.args, ir.Arg{X: x})
		}
	}
	return l.opaque(mark)
}

// opaque is what is not understood, with the expressions above mark inside.
func (l *lowerer) opaque(mark int) ir.Expr {
	xs := l.pop(mark)
	if len(xs) == 0 {
		return 0
	}
	all := make([]ir.Expr, len(xs))
	for i, x := range xs {
		all[i] = x.X
	}
	return l.b.Opaque(all...)
}

// lit is a literal of a type. Its place does not matter, so there is one.
func (l *lowerer) lit(typ string) ir.Expr {
	x, ok := l.literals[typ]
	if !ok {
		x = l.b.Lit(typ, 0)
		l.literals[typ] = x
	}
	return x
}

func (l *lowerer) name(n syntax.Node) ir.Expr {
	name := l.t.Text(n)
	if name == "_" {
		return 0
	}
	return l.b.Name(name, l.t.Start(n))
}

// unary lowers the operators before an operand. What & and * do to a value is
// nothing here.
func (l *lowerer) unary(n syntax.Node) ir.Expr {
	x := l.expr(l.t.Child(n, "operand"))
	switch l.t.Kind(l.t.Child(n, "operator")) {
	case "<-":
		if x == 0 {
			return 0
		}
		return l.b.Unary(ir.Elem, x, l.t.Start(n))
	case "!":
		l.eval(x)
		return l.lit("bool")
	}
	return x
}

// binary lowers an operator between operands. Chains of them, which may be long,
// lean to the left and are walked without recursion.
func (l *lowerer) binary(n syntax.Node) ir.Expr {
	t := l.t
	top := n
	mark := len(l.args)
	logical := false
	for t.Kind(n) == "binary_expression" {
		right := l.expr(t.Child(n, "right"))
		switch t.Kind(t.Child(n, "operator")) {
		case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
			logical = logical || n == top
			l.eval(right)
		case "<<", ">>":
			l.eval(right)
		default:
			l.args = append(l.args, ir.Arg{X: right})
		}
		n = t.Child(n, "left")
	}
	left := l.expr(n)
	xs := l.pop(mark)
	if logical {
		for _, x := range xs {
			l.eval(x.X)
		}
		l.eval(left)
		return l.lit("bool")
	}
	// The operands of arithmetic have one type, and constants take it on.
	all := []ir.Expr{left}
	for _, x := range xs {
		if l.b.Raw().Exprs[x.X].Op != ir.Lit {
			all = append(all, x.X)
		}
	}
	if len(all) > 1 && l.b.Raw().Exprs[left].Op == ir.Lit {
		all = all[1:]
	}
	return l.b.Union(all...)
}

// index lowers x[i], which is also how a generic function is instantiated.
func (l *lowerer) index(n syntax.Node) ir.Expr {
	operand, i := l.t.Child(n, "operand"), l.t.Child(n, "index")
	x := l.expr(operand)
	if l.isTypeArg(i) && l.isFree(operand) {
		return l.b.Apply(x, "", ir.Args(l.typ(i)), l.t.Start(n))
	}
	return l.indexed(x, i)
}

// indexed is x[i]. A constant string is a key of its own.
func (l *lowerer) indexed(x ir.Expr, i syntax.Node) ir.Expr {
	if x == 0 {
		return l.expr(i)
	}
	if l.t.Kind(i) == "type_elem" {
		i = l.t.NamedChild(i, 0)
	}
	key := ""
	switch l.t.Kind(i) {
	case "interpreted_string_literal", "raw_string_literal":
		key = unquoted(l.t.Text(i))
	}
	at := l.value(i)
	if l.idle(at) {
		at = 0
	}
	return l.b.Index(x, at, key, l.t.Start(i))
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
	switch l.t.Kind(n) {
	case "identifier", "type_identifier":
		return l.isFreeName(l.t.Text(n))
	case "selector_expression":
		op := l.t.Child(n, "operand")
		return l.t.Kind(op) == "identifier" && l.isFree(op)
	case "qualified_type":
		return l.isFreeName(l.t.Text(l.t.Child(n, "package")))
	}
	return false
}

func (l *lowerer) isFreeName(name string) bool {
	return l.b.Lookup(name) == 0 && l.top[name].kind != valueDecl
}

// isTypeArg reports whether n is certainly a type, where an index might stand, too.
func (l *lowerer) isTypeArg(n syntax.Node) bool {
	switch l.t.Kind(n) {
	case "type_elem":
		if l.t.NamedChild(n, 1) != 0 {
			return true
		}
		return l.isTypeArg(l.t.NamedChild(n, 0))
	case "identifier", "type_identifier":
		name := l.t.Text(n)
		if v := l.b.Lookup(name); v != 0 {
			return l.localTypes[v] != 0
		}
		for _, p := range l.typeParams {
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
	base := l.t.Child(n, "type")
	x := l.value(base)
	mark := len(l.args)
	var first syntax.Node
	for c := range l.t.NamedChildren(n) {
		if c == base {
			continue
		}
		if first == 0 {
			first = c
		}
		l.args = append(l.args, ir.Arg{X: l.typ(c)})
	}
	args := l.pop(mark)
	if len(args) == 1 && l.isIndex(base, first) {
		return l.indexed(x, first)
	}
	return l.b.Apply(x, "", args, l.t.Start(n))
}
