package lower

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier", "type_identifier", "namespace_identifier", "field_identifier":
		return l.use(n)
	case "number_literal":
		return l.Literal(number(l.Bytes(n)))
	case "char_literal":
		return l.Literal("char")
	case "string_literal", "raw_string_literal", "concatenated_string":
		return l.Literal("string")
	case "true", "false":
		return l.Literal("bool")
	case "null", "nullptr":
		return l.Literal("nullptr")
	case "this":
		return l.Unary(ir.This, 0, l.Start(n))
	case "parenthesized_expression":
		return l.expr(l.NamedChild(n, 0))
	case "call_expression":
		return l.call(n)
	case "field_expression":
		return l.fieldAccess(n)
	case "qualified_identifier", "template_function":
		return l.qualifiedName(n)
	case "subscript_expression":
		return l.subscript(n)
	case "pointer_expression":
		return l.pointer(n)
	case "assignment_expression":
		if l.Kind(l.Child(n, "operator")) == "=" {
			target, value := l.assignment(n)
			if value == 0 {
				return 0
			}
			return l.Binary(ir.Assign, target, value, l.Start(n))
		}
		return l.operation(n, l.Child(n, "left"), l.Child(n, "right"))
	case "binary_expression":
		return l.operation(n, l.Child(n, "left"), l.Child(n, "right"))
	case "unary_expression", "update_expression":
		return l.operation(n, l.Child(n, "argument"), 0)
	case "co_await_expression":
		if x := l.expr(l.Child(n, "argument")); x != 0 {
			return l.Unary(ir.Await, x, l.Start(n))
		}
		return 0
	case "conditional_expression":
		l.Keep(l.expr(l.Child(n, "condition")))
		yes, no := l.expr(l.Child(n, "consequence")), l.expr(l.Child(n, "alternative"))
		return l.Union(yes, no)
	case "comma_expression":
		l.discard(l.Child(n, "left"))
		return l.expr(l.Child(n, "right"))
	case "cast_expression":
		return l.cast(l.Child(n, "value"), l.Child(n, "type"))
	case "compound_literal_expression":
		return l.compound(n)
	case "initializer_list":
		return l.list(n)
	case "new_expression":
		return l.newObject(n)
	case "delete_expression":
		l.Keep(l.expr(l.NamedChild(n, 0)))
		return 0
	case "lambda_expression":
		return l.lambda(n)
	case "sizeof_expression", "alignof_expression", "offsetof_expression", "decltype", "requires_expression", "type_descriptor",
		"gnu_asm_expression", "primitive_type", "sized_type_specifier", "operator_name", "statement_identifier":
		return 0
	case "condition_clause":
		l.scopedStmts(n)
		return 0
	case "parameter_pack_expansion":
		return l.expr(l.Child(n, "pattern"))
	case "struct_specifier", "union_specifier", "enum_specifier", "class_specifier":
		return l.typ(n)
	case "initializer_pair":
		return l.expr(l.Child(n, "value"))
	}
	return l.unknown(n)
}

// scopedStmts lowers the parts of a condition.
func (l *lowerer) scopedStmts(n syntax.Node) {
	l.Each(n, l.stmt)
}

// unknown lowers what is not understood: the calls inside of it are kept.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	var xs []ir.Expr
	for c := range l.NamedChildren(n) {
		if isStatement(l.Kind(c)) {
			l.stmt(c)
			continue
		}
		if x := l.expr(c); !l.Inert(x) {
			xs = append(xs, x)
		}
	}
	return l.Opaque(xs...)
}

// isStatement reports whether nodes of a kind are lowered by stmt.
func isStatement(kind string) bool {
	const s, d, p = "_statement", "declaration", "preproc_"
	return len(kind) > len(s) && kind[len(kind)-len(s):] == s ||
		len(kind) >= len(d) && kind[len(kind)-len(d):] == d ||
		len(kind) > len(p) && kind[:len(p)] == p ||
		kind == "type_definition" || kind == "function_definition" || kind == "for_range_loop" || kind == "catch_clause"
}

func number(text []byte) string {
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' {
		return "int"
	}
	if bytes.IndexByte(text, '.') >= 0 || bytes.IndexByte(text, 'e') >= 0 {
		return "double"
	}
	return "int"
}

// operation lowers an operator with one or two operands.
func (l *lowerer) operation(n, a, b syntax.Node) ir.Expr {
	x, y := l.expr(a), l.expr(b)
	op := l.Child(n, "operator")
	first, second := l.address(a), l.address(b)
	objects := l.cpp && (l.overloadable(x) && !first || l.overloadable(y) && !second)
	switch l.Kind(op) {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||", "!":
		if !objects && l.Inert(x) && l.Inert(y) {
			return l.Literal("bool")
		}
	case "+", "-": // a pointer moved is the pointer
		if !l.cpp && x != 0 && b != 0 {
			l.Keep(y)
			return x
		}
	}
	if objects {
		if first {
			x = l.Opaque(x)
		}
		if second {
			y = l.Opaque(y)
		}
		name := "operator" + l.Kind(op)
		return l.Operation(name, l.Start(op), x, y)
	}
	if l.Inert(x) {
		if l.literal(x) && (y == 0 || l.literal(y)) {
			return x
		}
		x = 0
	}
	if l.Inert(y) {
		y = 0
	}
	return l.Opaque(x, y)
}

// address reports whether an operand is written as a pointer: &x and this.
func (l *lowerer) address(n syntax.Node) bool {
	for l.Kind(n) == "parenthesized_expression" {
		n = l.NamedChild(n, 0)
	}
	return l.Kind(n) == "this" || l.Kind(n) == "pointer_expression" && l.Kind(l.Child(n, "operator")) == "&"
}

func (l *lowerer) literal(x ir.Expr) bool { return x != 0 && l.OpOf(x) == ir.Lit }

// overloadable reports whether x may be an object, with operators of its own.
func (l *lowerer) overloadable(x ir.Expr) bool {
	if x == 0 {
		return false
	}
	f := l.Raw()
	switch n := f.Exprs[x]; n.Op {
	case ir.Local:
		typ := f.Vars[n.Ref].Type
		return typ == 0 || l.isClass(typ) && !f.Exprs[typ].Pointer()
	case ir.Lit, ir.None:
		return false
	case ir.Opaque:
		return n.Name != 0
	}
	return true
}

// assignment lowers a = b to its target and value.
func (l *lowerer) assignment(n syntax.Node) (target, value ir.Expr) {
	value = l.expr(l.Child(n, "right"))
	target = l.expr(l.Child(n, "left"))
	for range walk.MaxDepth { // *p = x changes what p stands for
		t := l.Raw().Exprs[target]
		switch t.Op {
		case ir.Deref, ir.Cast:
			target = t.A
			continue
		case ir.Local, ir.Name, ir.Attr, ir.Index, ir.List:
			return target, value
		}
		break
	}
	l.Keep(target)
	v := l.Temp(l.Start(n))
	return l.Local(v, l.Start(n)), value
}

// fieldAccess lowers a.b and a->b.
func (l *lowerer) fieldAccess(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "argument"))
	field := l.Child(n, "field")
	op := l.Kind(l.Child(n, "operator"))
	if op == ".*" || op == "->*" { // a method by pointer
		l.Keep(x)
		return l.expr(field)
	}
	if l.cpp && op == "->" && x != 0 && l.OpOf(x) != ir.This {
		x = l.Unary(ir.Deref, x, l.Start(l.Child(n, "operator")))
	}
	for range walk.MaxDepth {
		switch l.Kind(field) {
		case "dependent_name":
			field = l.NamedChild(field, 0)
			continue
		case "template_method":
			field = l.Child(field, "name")
			continue
		case "qualified_identifier": // this->Base::f
			l.Keep(x)
			return l.qualifiedName(field)
		}
		break
	}
	if x == 0 {
		return 0
	}
	return l.Attr(x, l.name(field), l.Start(field))
}

// qualifiedName lowers a::b::c.
func (l *lowerer) qualifiedName(n syntax.Node) ir.Expr {
	scope, name := l.Child(n, "scope"), l.Child(n, "name")
	if l.Kind(n) == "template_function" {
		return l.instance(n, l.expr(name))
	}
	if scope == 0 { // ::f, at the top whatever is around it
		x := l.Free(l.name(name), l.Start(l.last(name)))
		if l.Kind(name) == "qualified_identifier" {
			x = l.scopeOf(name)
		}
		l.Flag(x, ir.Path)
		return x
	}
	return l.scopeOf(n)
}

func (l *lowerer) scopeOf(n syntax.Node) ir.Expr {
	x := l.typ(l.Child(n, "scope"))
	for range walk.MaxDepth {
		n = l.Child(n, "name")
		if l.Kind(n) != "qualified_identifier" {
			break
		}
		x = l.within(x, l.Child(n, "scope"))
	}
	switch l.Kind(n) {
	case "template_function", "template_method":
		return l.instance(n, l.member(x, l.name(n), l.Start(n)))
	}
	return l.member(x, l.name(n), l.Start(n))
}

// instance is a function template with its arguments.
func (l *lowerer) instance(n syntax.Node, fn ir.Expr) ir.Expr {
	args := l.typeArgs(l.Child(n, "arguments"))
	if len(args) == 0 || fn == 0 {
		return fn
	}
	return l.Apply(fn, "", args, l.Start(l.last(n)))
}

func (l *lowerer) subscript(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "argument"))
	if !l.cpp {
		l.Keep(l.expr(l.Child(n, "index")))
		return x
	}
	i := l.expr(l.NamedChild(l.ChildOf(n, "subscript_argument_list"), 0))
	if x == 0 {
		return i
	}
	return l.Index(x, i, "", l.Start(n))
}

func (l *lowerer) pointer(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "argument"))
	if !l.cpp || x == 0 || l.Kind(l.Child(n, "operator")) != "*" {
		return x
	}
	return l.Unary(ir.Deref, x, l.Start(n))
}

// cast lowers (T)x. A function that is cast remains one: tables of callbacks are
// written like that.
func (l *lowerer) cast(value, typ syntax.Node) ir.Expr {
	x, to := l.expr(value), l.typ(typ)
	if to == 0 || x == 0 || !l.isClass(to) {
		return x
	}
	out := l.Binary(ir.Cast, x, to, l.Start(typ))
	if !l.cpp && l.OpOf(x) == ir.Name {
		return l.Union(x, out)
	}
	return out
}

// compound lowers (T){...} and T{...}.
func (l *lowerer) compound(n syntax.Node) ir.Expr {
	typ, value := l.typ(l.Child(n, "type")), l.Child(n, "value")
	if l.cpp {
		if !l.isClass(typ) {
			return l.expr(value)
		}
		return l.New(typ, l.args(value), l.Start(l.last(l.Child(n, "type"))))
	}
	v := l.Temp(l.Start(n))
	l.VarInfo(v).Type = typ
	array := l.Kind(l.Child(l.Child(n, "type"), "declarator")) == "abstract_array_declarator"
	l.aggregate(v, value, typ, declarator{array: array})
	return l.Local(v, l.Start(n))
}

func (l *lowerer) list(n syntax.Node) ir.Expr {
	args := l.args(n)
	if len(args) == 0 {
		return 0
	}
	for _, a := range args {
		if a.Name != 0 {
			return l.Object("initializer", args, l.Start(n))
		}
	}
	return l.List("initializer", args, l.Start(n))
}
