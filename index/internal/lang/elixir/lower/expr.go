package lower

import (
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// body lowers the expressions of a block; its value is that of the last one, or of the
// last one of its clauses.
func (l *lowerer) body(n syntax.Node) ir.Expr {
	var last ir.Expr
	var others []ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "else_block", "rescue_block", "catch_block", "after_block":
			others = append(others, l.clauses(c, 0))
		case "stab_clause":
			others = append(others, l.stab(c, 0))
		default:
			l.Keep(last)
			last = l.expr(c)
		}
	}
	return l.Union(append(others, last)...)
}

// block lowers the do block of a call.
func (l *lowerer) block(n syntax.Node) ir.Expr { return l.body(l.ChildOf(n, "do_block")) }

// expr lowers an expression. 0 is one of which nothing is known.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier":
		return l.name(n)
	case "alias":
		return l.modulePath(l.Text(n), pos)
	case "call":
		return l.call(n, 0, 0)
	case "dot":
		return l.Attr(l.expr(l.Child(n, "left")), l.Text(l.Child(n, "right")), l.Start(l.Child(n, "right")))
	case "binary_operator":
		return l.binary(n)
	case "unary_operator":
		return l.unary(n)
	case "anonymous_function":
		return l.lambda(n)
	case "list", "tuple":
		return l.List(l.Kind(n), l.elements(n, l.expr), pos)
	case "map":
		return l.dictionary(n, l.expr)
	case "keywords":
		return l.Object("keywords", l.elements(n, l.expr), pos)
	case "access_call":
		return l.Index(l.expr(l.Child(n, "target")), l.expr(l.Child(n, "key")), l.Text(l.Child(n, "key")), pos)
	case "block", "interpolation", "body", "do_block":
		return l.body(n)
	case "integer", "float", "char", "boolean", "nil", "atom", "quoted_content":
		return 0
	}
	return l.Unknown(n, l.expr)
}

// name is the use of a variable. Other words without brackets may be anything.
func (l *lowerer) name(n syntax.Node) ir.Expr {
	name, pos := l.Text(n), l.Start(n)
	if v := l.Lookup(name); v != 0 {
		return l.Local(v, pos)
	}
	if name == "__MODULE__" {
		return l.module(pos)
	}
	return 0
}

// elements are the parts of a list, tuple or list of keywords.
func (l *lowerer) elements(n syntax.Node, lower func(syntax.Node) ir.Expr) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		switch {
		case l.Kind(c) == "keywords" || l.Kind(c) == "map_content":
			args = append(args, l.elements(c, lower)...)
		case l.Kind(c) == "pair":
			args = append(args, ir.Arg{Name: l.Str(l.key(c)), X: lower(l.Child(c, "value"))})
		case l.Kind(l.Child(c, "operator")) == "=>":
			args = append(args, ir.Arg{Name: l.Str(strings.Trim(l.Text(l.Child(c, "left")), `:"`)), X: lower(l.Child(c, "right"))})
		case l.Kind(l.Child(c, "operator")) == "|": // [head | tail], %{map | key: value}
			args = append(args, ir.Arg{X: lower(l.Child(c, "left"))})
			if right := l.Child(c, "right"); l.Kind(right) == "keywords" {
				args[len(args)-1].Kind = ir.KwSpread
				args = append(args, l.elements(right, lower)...)
			} else {
				args = append(args, ir.Arg{X: lower(right), Kind: ir.Spread})
			}
		default:
			args = append(args, ir.Arg{X: lower(c)})
		}
	}
	return args
}

// dictionary is a map or struct.
func (l *lowerer) dictionary(n syntax.Node, lower func(syntax.Node) ir.Expr) ir.Expr {
	return l.Object("map", l.elements(l.ChildOf(n, "map_content"), lower), l.Start(n))
}

// call lowers a call. piped is what is passed as the first argument, at from.
func (l *lowerer) call(n syntax.Node, piped ir.Expr, from syntax.Node) ir.Expr {
	target, word := l.Child(n, "target"), l.word(n)
	if from == 0 && (l.definition(n, word)) {
		return 0
	}
	if x, ok := l.control(n, word, piped); ok {
		return x
	}
	var fn ir.Expr
	pos := l.Start(target)
	switch {
	case l.Kind(target) != "dot":
		fn = l.Free(word, pos)
	case l.Child(target, "right") == 0: // f.(x)
		fn = l.expr(l.Child(target, "left"))
	default:
		left, right := l.Child(target, "left"), l.Child(target, "right")
		pos = l.Start(right)
		if l.Kind(left) == "atom" { // a module of Erlang
			fn = l.Attr(l.Free(l.Text(left), l.Start(left)), l.Text(right), pos)
		} else {
			fn = l.Attr(l.expr(left), l.Text(right), pos)
		}
		if from == 0 && l.ChildOf(n, "arguments", "do_block") == 0 && l.Kind(left) != "alias" && !l.Is(left, "__MODULE__") {
			return fn // a field
		}
	}
	mark := l.Mark()
	if from != 0 {
		l.PushArg(ir.Arg{X: piped})
	}
	list := l.ChildOf(n, "arguments")
	for c := range l.NamedChildren(list) {
		if l.Kind(c) == "keywords" {
			l.PushArg(ir.Arg{X: l.Object("keywords", l.elements(c, l.expr), l.Start(c))})
		} else {
			l.PushArg(ir.Arg{X: l.expr(c)})
		}
	}
	x := l.Call(fn, l.Take(mark), pos)
	if l.ChildOf(n, "do_block") != 0 {
		l.Keep(x)
		l.PushScope()
		x = l.block(n)
		l.PopScope()
	}
	return x
}

// pipe is x |> f(y), which calls f(x, y). Chains lean to the left and may be long.
func (l *lowerer) pipe(n syntax.Node) ir.Expr {
	var steps []syntax.Node
	for l.Kind(l.Child(n, "operator")) == "|>" {
		steps = append(steps, l.Child(n, "right"))
		n = l.Child(n, "left")
	}
	x := l.expr(n)
	for i := len(steps) - 1; i >= 0; i-- {
		switch step := steps[i]; l.Kind(step) {
		case "call":
			x = l.call(step, x, step)
		case "identifier":
			x = l.Call(l.Free(l.Text(step), l.Start(step)), ir.Args(x), l.Start(step))
		default:
			x = l.Opaque(x, l.expr(step))
		}
	}
	return x
}

func (l *lowerer) binary(n syntax.Node) ir.Expr {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	switch l.Kind(l.Child(n, "operator")) {
	case "=":
		x := l.expr(right)
		if target := l.pattern(left); target != 0 && x != 0 {
			return l.Binary(ir.Assign, target, x, l.Start(n))
		}
		return x
	case "|>":
		return l.pipe(n)
	case "||", "or", "&&", "and":
		return l.Union(l.expr(left), l.expr(right))
	case "<-":
		l.match(left, l.expr(right))
		return 0
	}
	// Chains of operators lean to one side and may be long.
	mark := l.Mark()
	for l.Kind(n) == "binary_operator" {
		l.Push(l.expr(l.Child(n, "right")))
		n = l.Child(n, "left")
	}
	l.Push(l.expr(n))
	return l.TakeOpaque(mark)
}

func (l *lowerer) unary(n syntax.Node) ir.Expr {
	operand := l.Child(n, "operand")
	if l.Kind(operand) == "(" {
		operand = l.NamedChild(n, 0)
	}
	switch l.Kind(l.Child(n, "operator")) {
	case "@":
		return l.attribute(n)
	case "&":
		return l.capture(n, operand)
	}
	return l.Opaque(l.expr(operand))
}

// capture is &f/1, &M.f/1, &1, or a function that is written as its body, &(&1 + 1).
func (l *lowerer) capture(n, operand syntax.Node) ir.Expr {
	pos := l.Start(n)
	if l.Kind(operand) == "integer" {
		if i, err := strconv.Atoi(l.Text(operand)); err == nil && i > 0 && i <= len(l.captured) {
			return l.Local(l.captured[i-1], pos)
		}
		return 0
	}
	if l.Kind(l.Child(operand, "operator")) == "/" && l.Kind(l.Child(operand, "right")) == "integer" {
		switch f := l.Child(operand, "left"); l.Kind(f) {
		case "identifier":
			return l.Free(l.Text(f), l.Start(f))
		case "call":
			return l.expr(l.Child(f, "target"))
		}
	}
	if l.captured != nil { // the language allows none in another; to count its parameters again would take quadratic time
		return l.Opaque(l.expr(operand))
	}
	l.captured = []ir.Var{}
	f := l.BeginFunc("", pos)
	for i := range l.captures(operand) {
		l.captured = append(l.captured, l.Param("&"+strconv.Itoa(i+1), 0, 0, ir.Positional, pos))
	}
	l.Return(l.expr(operand))
	l.EndFunc(l.End(n))
	l.captured = nil
	return l.Lambda(f, pos)
}

// captures returns how many parameters the body of a captured function names.
func (l *lowerer) captures(body syntax.Node) int {
	most := 0
	for n := body; n != 0 && int(n) <= l.Len() && l.Start(n) < l.End(body); n++ {
		if l.Kind(n) == "unary_operator" && l.Kind(l.Child(n, "operator")) == "&" {
			if i, err := strconv.Atoi(l.Text(l.Child(n, "operand"))); err == nil {
				most = max(most, min(i, 255))
			}
		}
	}
	return most
}

// lambda is fn x -> ... end. Each clause matches its patterns with the parameters.
func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.BeginFunc("", pos)
	first := true
	for c := range l.OfKind(n, "stab_clause") {
		params, guard := l.head(c)
		l.PushScope()
		for i, p := range params {
			if first {
				l.param(p)
			} else if own := l.FuncInfo(f).Params; i < len(own) {
				l.match(p, l.Local(own[i].Var, l.Start(p)))
			}
		}
		first = false
		l.Keep(l.expr(guard))
		l.Return(l.body(l.Child(c, "right")))
		l.PopScope()
	}
	l.EndFunc(l.End(n))
	return l.Lambda(f, pos)
}
