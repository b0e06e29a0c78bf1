package cfamily

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression.
func (l *lowering) expr(n syntax.Node) ir.Expr {
	if n == 0 || !l.down() {
		return 0
	}
	defer l.up()
	switch l.t.Kind(n) {
	case "identifier", "type_identifier", "namespace_identifier", "field_identifier":
		return l.use(n)
	case "number_literal":
		return l.lit(number(l.t.Bytes(n)))
	case "char_literal":
		return l.lit("char")
	case "string_literal", "raw_string_literal", "concatenated_string":
		return l.lit("string")
	case "true", "false":
		return l.lit("bool")
	case "null", "nullptr":
		return l.lit("nullptr")
	case "this":
		return l.b.Unary(ir.This, 0, l.t.Start(n))
	case "parenthesized_expression":
		return l.expr(l.t.NamedChild(n, 0))
	case "call_expression":
		return l.call(n)
	case "field_expression":
		return l.field2(n)
	case "qualified_identifier", "template_function":
		return l.path2(n)
	case "subscript_expression":
		return l.subscript(n)
	case "pointer_expression":
		return l.pointer(n)
	case "assignment_expression":
		if l.t.Kind(l.t.Child(n, "operator")) == "=" {
			target, value := l.assignment(n)
			if value == 0 {
				return 0
			}
			return l.b.Binary(ir.Assign, target, value, l.t.Start(n))
		}
		return l.operation(n, l.t.Child(n, "left"), l.t.Child(n, "right"))
	case "binary_expression":
		return l.operation(n, l.t.Child(n, "left"), l.t.Child(n, "right"))
	case "unary_expression", "update_expression":
		return l.operation(n, l.t.Child(n, "argument"), 0)
	case "co_await_expression":
		if x := l.expr(l.t.Child(n, "argument")); x != 0 {
			return l.b.Unary(ir.Await, x, l.t.Start(n))
		}
		return 0
	case "conditional_expression":
		l.eval(l.expr(l.t.Child(n, "condition")))
		yes, no := l.expr(l.t.Child(n, "consequence")), l.expr(l.t.Child(n, "alternative"))
		return l.b.Union(yes, no)
	case "comma_expression":
		l.discard(l.t.Child(n, "left"))
		return l.expr(l.t.Child(n, "right"))
	case "cast_expression":
		return l.cast(l.t.Child(n, "value"), l.t.Child(n, "type"))
	case "compound_literal_expression":
		return l.compound(n)
	case "initializer_list":
		return l.list(n)
	case "new_expression":
		return l.new(n)
	case "delete_expression":
		l.eval(l.expr(l.t.NamedChild(n, 0)))
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
		return l.expr(l.t.Child(n, "pattern"))
	case "struct_specifier", "union_specifier", "enum_specifier", "class_specifier":
		return l.typ(n)
	case "initializer_pair":
		return l.expr(l.t.Child(n, "value"))
	}
	return l.rest(n)
}

// scopedStmts lowers the parts of a condition.
func (l *lowering) scopedStmts(n syntax.Node) {
	for c := range l.t.NamedChildren(n) {
		l.stmt(c)
	}
}

// rest lowers what is not understood: the calls inside of it are kept.
func (l *lowering) rest(n syntax.Node) ir.Expr {
	var xs []ir.Expr
	for c := range l.t.NamedChildren(n) {
		if isStatement(l.t.Kind(c)) {
			l.stmt(c)
			continue
		}
		if x := l.expr(c); !l.inert(x) {
			xs = append(xs, x)
		}
	}
	return l.b.Opaque(xs...)
}

// isStatement reports whether nodes of a kind are lowered by stmt.
func isStatement(kind string) bool {
	const s, d, p = "_statement", "declaration", "preproc_"
	return len(kind) > len(s) && kind[len(kind)-len(s):] == s ||
		len(kind) >= len(d) && kind[len(kind)-len(d):] == d ||
		len(kind) > len(p) && kind[:len(p)] == p ||
		kind == "type_definition" || kind == "function_definition" || kind == "for_range_loop" || kind == "catch_clause"
}

// lit is a literal; one stands for all of a type.
func (l *lowering) lit(typ string) ir.Expr {
	key := "=" + typ
	x, ok := l.shared[key]
	if !ok {
		x = l.b.Lit(typ, 0)
		l.shared[key] = x
	}
	return x
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
func (l *lowering) operation(n, a, b syntax.Node) ir.Expr {
	x, y := l.expr(a), l.expr(b)
	op := l.t.Child(n, "operator")
	objects := l.cpp && (l.overloadable(x) || l.overloadable(y))
	switch l.t.Kind(op) {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||", "!":
		if !objects && l.inert(x) && l.inert(y) {
			return l.lit("bool")
		}
	case "+", "-": // a pointer moved is the pointer
		if !l.cpp && x != 0 && b != 0 {
			l.eval(y)
			return x
		}
	}
	if objects {
		name := "operator" + l.t.Kind(op)
		var args []ir.Arg
		for _, e := range []ir.Expr{x, y} {
			if e != 0 {
				args = append(args, ir.Arg{X: e})
			}
		}
		out := l.b.List(name, args, l.t.Start(op))
		l.b.Raw().Exprs[out].Op = ir.Opaque
		return out
	}
	if l.inert(x) {
		if l.literal(x) && (y == 0 || l.literal(y)) {
			return x
		}
		x = 0
	}
	if l.inert(y) {
		y = 0
	}
	return l.b.Opaque(x, y)
}

func (l *lowering) literal(x ir.Expr) bool { return x != 0 && l.b.Raw().Exprs[x].Op == ir.Lit }

// overloadable reports whether x may be an object, with operators of its own.
func (l *lowering) overloadable(x ir.Expr) bool {
	if x == 0 {
		return false
	}
	f := l.b.Raw()
	switch n := f.Exprs[x]; n.Op {
	case ir.Local:
		typ := f.Vars[n.Ref].Type
		return typ == 0 || l.isClass(typ)
	case ir.Lit, ir.None:
		return false
	case ir.Opaque:
		return n.Name != 0
	}
	return true
}

// assignment lowers a = b to its target and value.
func (l *lowering) assignment(n syntax.Node) (target, value ir.Expr) {
	value = l.expr(l.t.Child(n, "right"))
	target = l.expr(l.t.Child(n, "left"))
	for range maxDepth { // *p = x changes what p stands for
		t := l.b.Raw().Exprs[target]
		switch t.Op {
		case ir.Deref, ir.Cast:
			target = t.A
			continue
		case ir.Local, ir.Name, ir.Attr, ir.Index, ir.List:
			return target, value
		}
		break
	}
	l.eval(target)
	v := l.b.Temp(l.t.Start(n))
	return l.b.Local(v, l.t.Start(n)), value
}

// field2 lowers a.b and a->b.
func (l *lowering) field2(n syntax.Node) ir.Expr {
	x := l.expr(l.t.Child(n, "argument"))
	field := l.t.Child(n, "field")
	op := l.t.Kind(l.t.Child(n, "operator"))
	if op == ".*" || op == "->*" { // a method by pointer
		l.eval(x)
		return l.expr(field)
	}
	if l.cpp && op == "->" && x != 0 && l.b.Raw().Exprs[x].Op != ir.This {
		x = l.b.Unary(ir.Deref, x, l.t.Start(l.t.Child(n, "operator")))
	}
	for range maxDepth {
		switch l.t.Kind(field) {
		case "dependent_name":
			field = l.t.NamedChild(field, 0)
			continue
		case "template_method":
			field = l.t.Child(field, "name")
			continue
		case "qualified_identifier": // this->Base::f
			l.eval(x)
			return l.path2(field)
		}
		break
	}
	if x == 0 {
		return 0
	}
	return l.b.Attr(x, l.name(field), l.t.Start(field))
}

// path2 lowers a::b::c.
func (l *lowering) path2(n syntax.Node) ir.Expr {
	scope, name := l.t.Child(n, "scope"), l.t.Child(n, "name")
	if l.t.Kind(n) == "template_function" {
		return l.instance(n, l.expr(name))
	}
	if scope == 0 { // ::f, at the top whatever is around it
		x := l.b.Free(l.name(name), l.t.Start(l.last(name)))
		if l.t.Kind(name) == "qualified_identifier" {
			x = l.scopeOf(name)
		}
		l.b.Raw().Exprs[x].Flags |= ir.Path
		return x
	}
	return l.scopeOf(n)
}

func (l *lowering) scopeOf(n syntax.Node) ir.Expr {
	x := l.typ(l.t.Child(n, "scope"))
	for range maxDepth {
		n = l.t.Child(n, "name")
		if l.t.Kind(n) != "qualified_identifier" {
			break
		}
		x = l.within(x, l.t.Child(n, "scope"))
	}
	switch l.t.Kind(n) {
	case "template_function", "template_method":
		return l.instance(n, l.member(x, l.name(n), l.t.Start(n)))
	}
	return l.member(x, l.name(n), l.t.Start(n))
}

// instance is a function template with its arguments.
func (l *lowering) instance(n syntax.Node, fn ir.Expr) ir.Expr {
	args := l.typeArgs(l.t.Child(n, "arguments"))
	if len(args) == 0 || fn == 0 {
		return fn
	}
	return l.b.Apply(fn, "", args, l.t.Start(l.last(n)))
}

func (l *lowering) subscript(n syntax.Node) ir.Expr {
	x := l.expr(l.t.Child(n, "argument"))
	if !l.cpp {
		l.eval(l.expr(l.t.Child(n, "index")))
		return x
	}
	i := l.expr(l.t.NamedChild(l.t.ChildOf(n, "subscript_argument_list"), 0))
	if x == 0 {
		return i
	}
	return l.b.Index(x, i, "", l.t.Start(n))
}

func (l *lowering) pointer(n syntax.Node) ir.Expr {
	x := l.expr(l.t.Child(n, "argument"))
	if !l.cpp || x == 0 || l.t.Kind(l.t.Child(n, "operator")) != "*" {
		return x
	}
	return l.b.Unary(ir.Deref, x, l.t.Start(n))
}

// cast lowers (T)x. A function that is cast remains one: tables of callbacks are
// written like that.
func (l *lowering) cast(value, typ syntax.Node) ir.Expr {
	x, to := l.expr(value), l.typ(typ)
	if to == 0 || x == 0 || !l.isClass(to) {
		return x
	}
	out := l.b.Binary(ir.Cast, x, to, l.t.Start(typ))
	if !l.cpp && l.b.Raw().Exprs[x].Op == ir.Name {
		return l.b.Union(x, out)
	}
	return out
}

// compound lowers (T){...} and T{...}.
func (l *lowering) compound(n syntax.Node) ir.Expr {
	typ, value := l.typ(l.t.Child(n, "type")), l.t.Child(n, "value")
	if l.cpp {
		if !l.isClass(typ) {
			return l.expr(value)
		}
		return l.b.New(typ, l.args(value), l.t.Start(l.last(l.t.Child(n, "type"))))
	}
	v := l.b.Temp(l.t.Start(n))
	l.b.VarInfo(v).Type = typ
	array := l.t.Kind(l.t.Child(l.t.Child(n, "type"), "declarator")) == "abstract_array_declarator"
	l.aggregate(v, value, typ, declarator{array: array})
	return l.b.Local(v, l.t.Start(n))
}

func (l *lowering) list(n syntax.Node) ir.Expr {
	args := l.args(n)
	if len(args) == 0 {
		return 0
	}
	for _, a := range args {
		if a.Name != 0 {
			return l.b.Object("initializer", args, l.t.Start(n))
		}
	}
	return l.b.List("initializer", args, l.t.Start(n))
}
