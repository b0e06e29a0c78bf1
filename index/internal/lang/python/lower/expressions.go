package lower

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression. None, and what has no value, is 0.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if n == 0 {
		return 0
	}
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
		return l.use(l.id(n), l.Start(n))
	case "attribute":
		return l.attribute(n)
	case "call":
		return l.call(n)
	case "string":
		return l.str(n)
	case "concatenated_string":
		for c := range l.NamedChildren(n) {
			l.str(c)
		}
		return l.Lit("str", l.Start(n))
	case "integer":
		return l.Lit("int", l.Start(n))
	case "float":
		return l.Lit("float", l.Start(n))
	case "true", "false":
		return l.Lit("bool", l.Start(n))
	case "none", "ellipsis", "comment":
		return 0
	case "subscript":
		return l.subscript(n)
	case "parenthesized_expression":
		return l.expr(l.NamedChild(n, 0))
	case "tuple", "expression_list", "pattern_list", "tuple_pattern":
		return l.List("tuple", l.elements(n), l.Start(n))
	case "list", "list_pattern":
		return l.List("list", l.elements(n), l.Start(n))
	case "set":
		return l.List("set", l.elements(n), l.Start(n))
	case "dictionary":
		return l.dictionary(n)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		return l.comprehension(n)
	case "lambda":
		return l.lambda(n)
	case "binary_operator":
		return l.operator(n)
	case "comparison_operator":
		return l.comparison(n)
	case "unary_operator":
		return l.expr(l.Child(n, "argument"))
	case "boolean_operator", "not_operator":
		x, _, _ := l.test(n)
		return x
	case "conditional_expression":
		return l.conditional(n)
	case "named_expression":
		name := l.Child(n, "name")
		value := l.expr(l.Child(n, "value"))
		return l.Binary(ir.Assign, l.target(name), value, l.Start(name))
	case "await":
		return l.Unary(ir.Await, l.expr(l.NamedChild(n, 0)), l.Start(n))
	case "yield":
		return l.yield(n)
	case "assignment":
		l.assignment(n)
		return l.expr(l.Child(n, "left"))
	case "as_pattern": // outside of "with": only in text that does not parse
		return l.expr(l.NamedChild(n, 0))
	case "list_splat", "dictionary_splat", "list_splat_pattern", "dictionary_splat_pattern":
		return l.expr(l.NamedChild(n, 0))
	case "type", "generic_type", "union_type", "member_type":
		return l.typ(n)
	}
	return l.unknown(n)
}

// unknown lowers what this package has no rule for: what is inside is kept.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	var parts []ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "function_definition", "class_definition", "decorated_definition", "block", "expression_statement",
			"if_statement", "for_statement", "while_statement", "with_statement", "try_statement",
			"return_statement", "import_statement", "import_from_statement", "raise_statement":
			l.stmt(c)
		default:
			parts = append(parts, l.expr(c))
		}
	}
	return l.Opaque(parts...)
}

func (l *lowerer) attribute(n syntax.Node) ir.Expr {
	id := l.Child(n, "attribute")
	on := l.expr(l.Child(n, "object"))
	if string(l.Bytes(id)) == "__class__" {
		return l.Unary(ir.TypeOf, on, l.Start(id))
	}
	return l.attr(on, l.id(id), l.Start(id))
}

// attr is x.name; of an unknown x it is unknown, but still the use of a name.
func (l *lowerer) attr(x ir.Expr, s ir.Str, pos int) ir.Expr {
	return l.Expr(ir.Node{Op: ir.Attr, A: x, Name: s, Pos: l.Pos(pos)})
}

// str lowers a string; what an f-string prints is evaluated.
func (l *lowerer) str(n syntax.Node) ir.Expr {
	for c := range l.OfKind(n, "interpolation") {
		for part := range l.NamedChildren(c) {
			l.Keep(l.expr(part))
		}
	}
	typ := "str"
	if src := l.Bytes(n); len(src) > 1 && (src[0]|0x20 == 'b' || src[1]|0x20 == 'b' && src[0]|0x20 == 'r') {
		typ = "bytes"
	}
	return l.Lit(typ, l.Start(n))
}

// constant returns the text of a string literal without escapes or parts.
func (l *lowerer) constant(n syntax.Node) (string, bool) {
	for l.Kind(n) == "parenthesized_expression" {
		n = l.NamedChild(n, 0)
	}
	if l.Kind(n) != "string" {
		return "", false
	}
	content := l.ChildOf(n, "string_content")
	if l.ChildOf(n, "interpolation") != 0 || l.NamedChild(content, 0) != 0 {
		return "", false
	}
	return l.Text(content), content != 0
}

// key returns the constant that an index is, "" for others. A string of digits is
// another key than the number.
func (l *lowerer) key(n syntax.Node) string {
	switch l.Kind(n) {
	case "integer":
		return l.Text(n)
	case "string":
		s, _ := l.constant(n)
		if _, err := strconv.Atoi(s); err == nil {
			return "'" + s + "'"
		}
		return s
	}
	return ""
}

func (l *lowerer) subscript(n syntax.Node) ir.Expr {
	value := l.expr(l.Child(n, "value"))
	var parts []ir.Expr
	var only syntax.Node
	for c := range l.NamedChildren(n) {
		if l.Field(c) == "subscript" {
			only = c
			parts = append(parts, l.expr(c))
		}
	}
	pos := l.Start(n)
	switch {
	case len(parts) == 1 && l.Kind(only) == "slice":
		l.Keep(parts[0])
		return l.List("list", []ir.Arg{{X: value, Kind: ir.Spread}}, pos)
	case len(parts) == 1:
		return l.Index(value, parts[0], l.key(only), pos)
	}
	return l.Index(value, l.List("tuple", ir.Args(parts...), pos), "", pos)
}

// elements lowers the elements of a list, tuple or set.
func (l *lowerer) elements(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		kind := ir.Plain
		switch l.Kind(c) {
		case "list_splat", "list_splat_pattern":
			kind = ir.Spread
		}
		args = append(args, ir.Arg{X: l.expr(c), Kind: kind})
	}
	return args
}

func (l *lowerer) dictionary(n syntax.Node) ir.Expr {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "pair":
			args = append(args, l.pair(c))
		case "dictionary_splat":
			args = append(args, ir.Arg{X: l.expr(c), Kind: ir.KwSpread})
		default:
			l.Keep(l.expr(c))
		}
	}
	return l.Object("dict", args, l.Start(n))
}

func (l *lowerer) pair(n syntax.Node) ir.Arg {
	key := l.Child(n, "key")
	arg := ir.Arg{}
	if k := l.key(key); k != "" {
		arg.Name = l.Str(k)
	} else {
		l.Keep(l.expr(key))
	}
	arg.X = l.expr(l.Child(n, "value"))
	return arg
}

// comprehension lowers a list, set or dictionary that is made by loops, and a
// generator expression. The names of the loops are its own.
func (l *lowerer) comprehension(n syntax.Node) ir.Expr {
	var x ir.Expr
	l.block(func() {
		for c := range l.NamedChildren(n) {
			switch l.Kind(c) {
			case "for_in_clause":
				right := l.Child(c, "right")
				iter := l.expr(right)
				l.own(l.Child(c, "left"))
				l.bindElem(l.Child(c, "left"), iter, l.Start(right))
			case "if_clause":
				is, _ := l.cond(l.NamedChild(c, 0))
				l.narrowAll(is)
			}
		}
		body, pos := l.Child(n, "body"), l.Start(n)
		switch l.Kind(n) {
		case "dictionary_comprehension":
			x = l.Object("dict", []ir.Arg{l.pair(body)}, pos)
		case "generator_expression":
			x = l.Unary(ir.Iter, l.expr(body), pos)
		case "set_comprehension":
			x = l.List("set", []ir.Arg{{X: l.Unary(ir.Iter, l.expr(body), pos), Kind: ir.Spread}}, pos)
		default:
			x = l.List("list", []ir.Arg{{X: l.Unary(ir.Iter, l.expr(body), pos), Kind: ir.Spread}}, pos)
		}
	})
	return x
}

// own declares the names of a target in the current block.
func (l *lowerer) own(n syntax.Node) {
	if l.Kind(n) == "identifier" {
		s, pos := l.id(n), l.Start(n)
		v := l.variable(s, pos)
		l.set(s, slot{v: v, base: v, block: l.frame.block})
		return
	}
	switch l.Kind(n) {
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "parenthesized_expression":
		if !l.Enter(n) {
			return
		}
		defer l.Leave()
		l.Each(n, l.own)
	}
}

func (l *lowerer) conditional(n syntax.Node) ir.Expr {
	is, not := l.cond(l.NamedChild(n, 1))
	var yes, no ir.Expr
	l.block(func() {
		l.narrowAll(is)
		yes = l.expr(l.NamedChild(n, 0))
	})
	l.block(func() {
		l.narrowAll(not)
		no = l.expr(l.NamedChild(n, 2))
	})
	return l.Union(yes, no)
}

// operator lowers a chain of binary operators from the left, without recursion:
// a sum may have thousands of terms.
func (l *lowerer) operator(n syntax.Node) ir.Expr {
	var chain []syntax.Node
	for ; l.Kind(n) == "binary_operator"; n = l.Child(n, "left") {
		chain = append(chain, n)
	}
	x := l.expr(n)
	for i := len(chain) - 1; i >= 0; i-- {
		y := l.expr(l.Child(chain[i], "right"))
		op := l.Child(chain[i], "operator")
		x = l.binary(l.Kind(op), x, y, l.Start(op))
	}
	return x
}

// binary is an arithmetic operation. Of two literals it is a literal, of lists
// and dictionaries that are added it is both, of a text that is formatted a text.
func (l *lowerer) binary(op string, x, y ir.Expr, pos int) ir.Expr {
	if x == 0 || y == 0 {
		return l.Opaque(x, y)
	}
	f := l.Raw()
	left, right := f.Exprs[x], f.Exprs[y]
	switch {
	case left.Op == ir.Lit && right.Op == ir.Lit:
		return x
	case op == "%" && left.Op == ir.Lit && f.String(left.Name) == "str":
		l.Keep(y)
		return x
	case op == "+" || op == "|":
		if collection(left.Op) || collection(right.Op) {
			return l.Union(x, y)
		}
	}
	return l.special(operators[op], pos, x, y)
}

// operators are the methods that operators call on their left operand.
var operators = map[string]string{
	"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
	"**": "__pow__", "@": "__matmul__", "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__",
	">>": "__rshift__", "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
	"in": "__contains__", "not in": "__contains__",
}

// special is an operation that an object defines by a method.
func (l *lowerer) special(method string, pos int, on ...ir.Expr) ir.Expr {
	x := l.Opaque(on...)
	if x == 0 || on[0] == 0 || method == "" {
		return x
	}
	n := &l.Raw().Exprs[x]
	n.Name, n.Pos = l.Str(method), l.Pos(pos)
	return x
}

// comparison lowers "a < b". In a chain of them, and for "is", no method is known.
func (l *lowerer) comparison(n syntax.Node) ir.Expr {
	var parts []ir.Expr
	var op syntax.Node
	for c := range l.Children(n) {
		switch {
		case l.Field(c) == "operators":
			op = c
		case l.Named(c):
			parts = append(parts, l.expr(c))
		}
	}
	if len(parts) != 2 || op == 0 {
		return l.Opaque(parts...)
	}
	kind := l.Kind(op)
	if kind == "in" || kind == "not in" {
		parts[0], parts[1] = parts[1], parts[0]
	}
	return l.special(operators[kind], l.Start(op), parts...)
}

func collection(op ir.Op) bool { return op == ir.List || op == ir.Object }

func (l *lowerer) yield(n syntax.Node) ir.Expr {
	x := l.expr(l.NamedChild(n, 0))
	f := l.FuncInfo(l.Func())
	switch {
	case l.ChildOf(n, "from") != 0 && l.OpOf(x) == ir.Await:
		return x // yield from f.__await__()
	case l.ChildOf(n, "from") != 0:
		l.Stmt(ir.Yield, l.Unary(ir.Elem, x, l.Start(n)), 0)
	case l.frame.once:
		l.Return(x)
		return 0
	default:
		l.Stmt(ir.Yield, x, 0)
	}
	f.Flags |= ir.Generator
	return 0
}
