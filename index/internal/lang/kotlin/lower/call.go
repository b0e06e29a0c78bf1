package lower

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call is f(args), f { ... } or f(args) { ... }, which the grammar takes for a call
// of what f(args) returns.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	callee, suffix := l.NamedChild(n, 0), l.ChildOf(n, "call_suffix")
	if callee == 0 || suffix == 0 {
		return l.unknown(n)
	}
	types, list, block := l.ChildOf(suffix, "type_arguments"), l.ChildOf(suffix, "value_arguments"), l.ChildOf(suffix, "annotated_lambda")
	if list == 0 && block != 0 && l.Kind(callee) == "call_expression" {
		inner := l.ChildOf(callee, "call_suffix")
		if l.ChildOf(inner, "annotated_lambda") == 0 && !l.onNewLine(callee, inner) {
			if types == 0 {
				types = l.ChildOf(inner, "type_arguments")
			}
			callee, list = l.NamedChild(callee, 0), l.ChildOf(inner, "value_arguments")
		}
	}
	if list != 0 && block == 0 && l.onNewLine(callee, suffix) {
		// Two statements: (x) on a line of its own is no argument list.
		l.Eval(l.expr(callee))
		if value := l.NamedChild(list, 0); value != 0 && l.NamedChild(list, 1) == 0 {
			return l.expr(value)
		}
		return l.unknown(list)
	}

	nameNode := callee
	if l.Kind(callee) == "navigation_expression" {
		nameNode = l.ChildOf(l.lastSuffix(callee), "simple_identifier")
	}
	name, pos := "", l.Start(callee)
	if l.Kind(nameNode) == "simple_identifier" {
		name, pos = l.ident(nameNode), l.Start(nameNode)
	}
	mark := l.Mark()
	fn := l.localExtension(callee, name, pos)
	if fn == 0 {
		fn = l.callee(callee)
	}
	fn = l.applied(fn, types)
	l.pushArgs(list)
	if literal := l.ChildOf(block, "lambda_literal"); literal != 0 {
		x := l.lambda(literal, name)
		l.PushArg(ir.Arg{X: x, Kind: ir.Block})
	}
	return l.Call(l.Or(fn), l.Take(mark), pos)
}

// localExtension is x.f(...) where f is a variable that holds a function with a
// receiver: it is called with x as its first argument.
func (l *lowerer) localExtension(callee syntax.Node, name string, pos int) ir.Expr {
	if l.Kind(callee) != "navigation_expression" || name == "" {
		return 0
	}
	v := l.Variable(name)
	if v == 0 {
		return 0
	}
	f := l.Raw()
	if t := &f.Exprs[l.VarInfo(v).Type]; t.Op != ir.Apply || f.String(t.Name) != withReceiver {
		return 0
	}
	l.Push(l.Or(l.expr(l.NamedChild(callee, 0))))
	return l.Local(v, pos)
}

// onNewLine reports whether the parenthesis of a call begins a line.
func (l *lowerer) onNewLine(callee, suffix syntax.Node) bool {
	from, to := l.End(callee), l.Start(suffix)
	return from < to && bytes.IndexByte(l.Source()[from:to], '\n') >= 0
}

func (l *lowerer) lastSuffix(n syntax.Node) syntax.Node {
	return l.LastChild(n)
}

// callee is the function of a call. A name is the local variable only if that may
// be called: functions and variables have names of their own.
func (l *lowerer) callee(n syntax.Node) ir.Expr {
	if l.Kind(n) == "simple_identifier" {
		name, pos := l.ident(n), l.Start(n)
		if v := l.Variable(name); v != 0 && !l.plain[v] {
			return l.Local(v, pos)
		}
		return l.Free(name, pos)
	}
	return l.expr(n)
}

// args lowers the arguments in a list. The result is valid until the next use
// of the buffer.
func (l *lowerer) args(list syntax.Node) []ir.Arg {
	mark := l.Mark()
	l.pushArgs(list)
	return l.Take(mark)
}

func (l *lowerer) pushArgs(list syntax.Node) {
	for c := range l.OfKind(list, "value_argument") {
		arg := ir.Arg{}
		value := l.NamedChild(c, 0)
		if l.ChildOf(c, "=") != 0 && l.Kind(value) == "simple_identifier" {
			arg.Name = l.Str(l.ident(value))
			value = l.after(c, "=")
		}
		if l.Kind(value) == "spread_expression" || l.ChildOf(c, "*") != 0 {
			arg.Kind = ir.Spread
		}
		arg.X = l.Or(l.expr(value))
		l.PushArg(arg)
	}
}

// navigation is x.name, x?.name or x::name.
func (l *lowerer) navigation(n syntax.Node) ir.Expr {
	x := l.Or(l.expr(l.NamedChild(n, 0)))
	if s := l.ChildOf(n, "navigation_suffix"); s != 0 {
		return l.suffix(x, s)
	}
	return x
}

func (l *lowerer) suffix(x ir.Expr, s syntax.Node) ir.Expr {
	nameNode := l.ChildOf(s, "simple_identifier")
	switch {
	case nameNode == 0 && l.ChildOf(s, "class") != 0:
		return l.Binary(ir.Cast, x, l.Free("KClass", l.Start(s)), l.Start(s))
	case nameNode == 0:
		return l.Opaque(x, l.unknown(s))
	}
	attr := l.Attr(x, l.ident(nameNode), l.Start(nameNode))
	if l.Kind(l.First(s)) == "?." {
		l.Flag(attr, ir.Optional)
	}
	return attr
}

// operatorCall is the function that an operator stands for: nothing says so if
// there is none.
func (l *lowerer) operatorCall(x ir.Expr, name string, args []ir.Arg, pos int) ir.Expr {
	fn := l.Expr(ir.Node{Op: ir.Attr, A: x, Name: l.Str(name), Pos: l.Pos(pos), Flags: ir.Implicit})
	call := l.Call(fn, args, pos)
	l.Flag(call, ir.Implicit)
	return call
}

func operatorName(token string) string {
	switch token {
	case "+", "+=":
		return "plus"
	case "-", "-=":
		return "minus"
	case "*", "*=":
		return "times"
	case "/", "/=":
		return "div"
	case "%", "%=":
		return "rem"
	case "..":
		return "rangeTo"
	case "..<":
		return "rangeUntil"
	case "<", ">", "<=", ">=":
		return "compareTo"
	}
	return ""
}

// operator returns the token between the operands of n.
func (l *lowerer) operator(n syntax.Node) string {
	for c := range l.Children(n) {
		if !l.Named(c) && l.Kind(c) != "null" {
			return l.Kind(c)
		}
	}
	return ""
}

// arithmetic lowers + - * / %. Chains lean to the left and may be thousands long,
// so they are walked and not descended into.
func (l *lowerer) arithmetic(n syntax.Node) ir.Expr {
	type step struct {
		name  string
		right syntax.Node
	}
	var steps []step
	for l.Kind(n) == "additive_expression" || l.Kind(n) == "multiplicative_expression" {
		steps = append(steps, step{operatorName(l.operator(n)), l.NamedChild(n, 1)})
		n = l.NamedChild(n, 0)
	}
	x := l.Or(l.expr(n))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		y := l.Or(l.expr(s.right))
		switch {
		case l.isText(x): // A text stays one, whatever is added to it.
			x = l.typed("String", l.Start(s.right), x, y)
		case l.OpOf(x) == ir.Lit && l.OpOf(y) == ir.Lit:
			x = l.typed(l.wider(x, y), l.Start(s.right), x, y)
		case s.name == "":
			x = l.Opaque(x, y)
		default:
			x = l.operatorCall(x, s.name, []ir.Arg{{X: y}}, l.Start(s.right))
		}
	}
	return x
}

// isText reports whether a value is a text for certain.
func (l *lowerer) isText(x ir.Expr) bool {
	n := l.Raw().Exprs[x]
	if n.Op == ir.Cast {
		n = l.Raw().Exprs[n.B]
	}
	return (n.Op == ir.Lit || n.Op == ir.Name) && l.Raw().String(n.Name) == "String"
}

// wider is the type of what two numbers make.
func (l *lowerer) wider(x, y ir.Expr) string {
	left, right := l.Raw().String(l.Raw().Exprs[x].Name), l.Raw().String(l.Raw().Exprs[y].Name)
	for _, typ := range [...]string{"Double", "Float", "Long"} {
		if left == typ || right == typ {
			return typ
		}
	}
	return left
}

func (l *lowerer) binary(n syntax.Node) ir.Expr {
	left, right := l.NamedChild(n, 0), l.NamedChild(n, 1)
	pos := l.Start(n)
	switch l.Kind(n) {
	case "infix_expression":
		nameNode, last := right, l.NamedChild(n, 2)
		if l.Kind(nameNode) != "simple_identifier" {
			return l.unknown(n)
		}
		x := l.Or(l.expr(left))
		fn := l.Attr(x, l.ident(nameNode), l.Start(nameNode))
		return l.Call(fn, []ir.Arg{{X: l.Or(l.expr(last))}}, l.Start(nameNode))
	case "elvis_expression":
		return l.Union(l.expr(left), l.expr(l.after(n, "?:")))
	case "equality_expression":
		return l.typed("Boolean", pos, l.expr(left), l.expr(right))
	case "comparison_expression":
		x, y := l.Or(l.expr(left)), l.Or(l.expr(right))
		return l.typed("Boolean", pos, l.operatorCall(x, "compareTo", []ir.Arg{{X: y}}, l.Start(right)))
	case "range_expression":
		x, y := l.Or(l.expr(left)), l.Or(l.expr(right))
		return l.operatorCall(x, "rangeTo", []ir.Arg{{X: y}}, l.Start(right))
	}
	// check_expression: is, !is, in, !in
	x := l.Or(l.expr(left))
	if typ := l.typeNode(n); typ != 0 {
		return l.typed("Boolean", pos, x, l.typ(typ))
	}
	y := l.Or(l.expr(right))
	return l.typed("Boolean", pos, l.operatorCall(y, "contains", []ir.Arg{{X: x}}, l.Start(right)))
}

func (l *lowerer) unary(n syntax.Node) ir.Expr {
	operand := l.NamedChild(n, 0)
	if k := l.Kind(operand); k == "label" || k == "annotation" {
		return l.operand(n)
	}
	operator := l.operator(n)
	switch l.Kind(operand) {
	case "conjunction_expression", "disjunction_expression":
		if operator == "!" {
			return l.logical(n) // the grammar reads !a && b as !(a && b)
		}
	case "additive_expression", "multiplicative_expression", "comparison_expression", "equality_expression", "range_expression",
		"infix_expression", "elvis_expression", "as_expression":
		return l.expr(operand) // as above: -a + b
	}
	x := l.expr(operand)
	name := ""
	switch operator {
	case "-":
		name = "unaryMinus"
	case "+":
		name = "unaryPlus"
	case "++":
		name = "inc"
	case "--":
		name = "dec"
	case "!":
		name = "not"
	}
	if name == "" || x == 0 || l.OpOf(x) == ir.Lit {
		return x
	}
	call := l.operatorCall(x, name, nil, l.Start(n))
	if name == "not" {
		return l.typed("Boolean", l.Start(n), call)
	}
	return call
}

// values are the expressions in a list. It is valid until the next Push.
func (l *lowerer) values(list syntax.Node) []ir.Arg {
	return l.Collect(list, func(c syntax.Node) ir.Expr { return l.Or(l.expr(c)) })
}

func (l *lowerer) indices(suffix syntax.Node) []ir.Arg {
	return slices.Clone(l.values(suffix))
}

// indexing is x[i], an element or what the function get returns.
func (l *lowerer) indexing(n syntax.Node) ir.Expr {
	x := l.Or(l.expr(l.NamedChild(n, 0)))
	suffix := l.ChildOf(n, "indexing_suffix")
	args := l.indices(suffix)
	if len(args) == 0 {
		return x
	}
	key := ""
	if c := l.NamedChild(suffix, 0); l.Kind(c) == "integer_literal" {
		key = l.Text(c)
	}
	element := l.Index(x, args[0].X, key, l.Start(suffix))
	return l.Union(element, l.operatorCall(x, "get", args, l.Start(suffix)))
}
