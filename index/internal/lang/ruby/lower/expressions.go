package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression, which in Ruby everything is.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
		return l.identifier(n)
	case "constant":
		return l.constant(n)
	case "scope_resolution":
		return l.resolution(n)
	case "instance_variable", "class_variable":
		return l.attribute(n)
	case "global_variable":
		return l.Free(l.Text(n), l.Start(n))
	case "self":
		return l.self(l.Start(n))
	case "call":
		return l.call(n)
	case "super":
		return l.super(n, 0, 0)
	case "yield":
		return l.yield(n)
	case "string", "heredoc_body", "chained_string", "bare_string", "character", "subshell", "heredoc_beginning", "string_array":
		l.interpolated(n)
		if l.Kind(n) == "string_array" {
			return l.List("Array", ir.Args(l.Literal("String")), l.Start(n))
		}
		return l.Literal("String")
	case "simple_symbol", "delimited_symbol", "symbol_array", "bare_symbol", "hash_key_symbol":
		l.interpolated(n)
		return l.Literal("Symbol")
	case "regex":
		l.interpolated(n)
		return l.Literal("Regexp")
	case "integer":
		return l.Literal("Integer")
	case "float", "rational", "complex":
		return l.Literal("Float")
	case "true", "false":
		return l.Literal("Boolean")
	case "nil":
		return l.Literal("NilClass")
	case "array":
		return l.List("Array", l.args(n), l.Start(n))
	case "hash":
		return l.Object("Hash", l.args(n), l.Start(n))
	case "range":
		return l.Opaque(l.expr(l.Child(n, "begin")), l.expr(l.Child(n, "end")))
	case "assignment":
		return l.assignment(n)
	case "operator_assignment":
		return l.operatorAssignment(n)
	case "binary":
		return l.binary(n)
	case "unary":
		return l.unary(n)
	case "conditional", "if", "unless", "elsif", "if_modifier", "unless_modifier":
		return l.conditional(n)
	case "while", "until", "while_modifier", "until_modifier":
		l.Keep(l.expr(l.Child(n, "condition")))
		l.Keep(l.value(l.Child(n, "body")))
		return 0
	case "for":
		return l.forLoop(n)
	case "case":
		return l.caseOf(n)
	case "case_match", "test_pattern", "match_pattern":
		return l.caseMatch(n)
	case "rescue_modifier":
		return l.Union(l.expr(l.Child(n, "body")), l.expr(l.Child(n, "handler")))
	case "rescue":
		return l.rescue(n)
	case "return":
		l.Return(l.results(n))
		return 0
	case "break", "next":
		return l.results(n)
	case "begin", "parenthesized_statements", "body_statement", "then", "else", "do", "block_body", "begin_block", "end_block",
		"interpolation", "program", "in":
		return l.sequence(n)
	case "ensure":
		l.Keep(l.sequence(n))
		return 0
	case "element_reference":
		return l.element(n)
	case "lambda":
		b := l.block(n, l.Child(n, "parameters"), l.Child(l.Child(n, "body"), "body"))
		return l.Lambda(b.fn, l.Start(n))
	case "method":
		l.def(n, 0)
		return 0
	case "singleton_method":
		l.def(n, l.Child(n, "object"))
		return 0
	case "class":
		l.class(n, ir.PlainClass)
		return 0
	case "module":
		l.class(n, ir.Trait)
		return 0
	case "singleton_class":
		l.singletonClass(n)
		return 0
	case "alias":
		l.alias(l.Child(n, "name"), l.Child(n, "alias"))
		return 0
	case "comment", "undef", "retry", "redo", "empty_statement", "uninterpreted", "escape_sequence", "operator":
		return 0
	case "argument_list", "right_assignment_list":
		return l.List("Array", l.args(n), l.Start(n))
	case "pair":
		l.Keep(l.expr(l.Child(n, "key")))
		return l.expr(l.Child(n, "value"))
	case "block_argument", "splat_argument", "hash_splat_argument", "exceptions":
		return l.expr(l.NamedChild(n, 0))
	}
	return l.unknown(n)
}

// unknown lowers what is not understood: the calls inside of it are kept.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	var xs []ir.Expr
	for c := range l.NamedChildren(n) {
		if x := l.expr(c); !l.Inert(x) {
			xs = append(xs, x)
		}
	}
	return l.Opaque(xs...)
}

// interpolated evaluates what is interpolated in a text.
func (l *lowerer) interpolated(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "interpolation":
			l.Keep(l.sequence(c))
		case "string", "bare_string", "bare_symbol", "heredoc_body":
			l.interpolated(c)
		}
	}
}

// identifier lowers a word: a local variable or a call without arguments.
func (l *lowerer) identifier(n syntax.Node) ir.Expr {
	name, pos := l.Text(n), l.Start(n)
	if v := l.lookup(name); v != 0 {
		return l.Local(v, pos)
	}
	if v := l.implicit(name, n); v != 0 {
		return l.Local(v, pos)
	}
	switch name {
	case "__FILE__", "__dir__", "__method__":
		return l.Literal("String")
	case "block_given?", "binding", "__LINE__":
		return 0
	case "described_class":
		if l.group != nil && l.group.subject != "" {
			return l.Path(l.group.subject, pos, ir.Path)
		}
	}
	if l.body != nil && l.classCall(n, name, 0) {
		return 0
	}
	if name == "new" {
		if x := l.self(pos); x != 0 {
			return l.new(x, nil, pos)
		}
	}
	return l.Call(l.callable(name, pos), nil, pos)
}

func (l *lowerer) constant(n syntax.Node) ir.Expr {
	x := l.Free(l.Text(n), l.Start(n))
	if f := l.Raw(); l.body != nil && f.Exprs[x].Op == ir.Name {
		f.Exprs[x].Ref = uint32(l.body.class) // no function is around it that would say so
	}
	return x
}

// resolution lowers A::B and ::B.
func (l *lowerer) resolution(n syntax.Node) ir.Expr {
	scope, name := l.Child(n, "scope"), l.Child(n, "name")
	x := ir.Expr(0)
	if scope == 0 {
		x = l.Free(l.Text(name), l.Start(name))
	} else if s := l.expr(scope); s != 0 {
		x = l.Attr(s, l.Text(name), l.Start(name))
	} else {
		return 0
	}
	l.Flag(x, ir.Path)
	return x
}

// attribute lowers @x and @@x.
func (l *lowerer) attribute(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	if x := l.self(pos); x != 0 {
		return l.Attr(x, l.Text(n), pos)
	}
	return l.Free(l.Text(n), pos)
}

// element lowers x[i].
func (l *lowerer) element(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "object"))
	var i ir.Expr
	key, first := "", true
	for c := range l.NamedChildren(n) {
		switch {
		case l.Field(c) == "object" || l.Kind(c) == "block":
		case first:
			i, first = l.expr(c), false
			if key = l.symbol(c); key == "" && l.Kind(c) == "integer" {
				key = l.Text(c)
			}
		default:
			l.Keep(l.expr(c))
		}
	}
	if x == 0 {
		return i
	}
	return l.Index(x, i, key, l.Start(n))
}

// results is the value of return, break and next.
func (l *lowerer) results(n syntax.Node) ir.Expr {
	args := l.NamedChild(n, 0)
	if args == 0 {
		return 0
	}
	list := l.args(args)
	if len(list) == 1 && list[0].Kind == ir.Plain {
		return list[0].X
	}
	return l.List("Array", list, l.Start(args))
}

func (l *lowerer) binary(n syntax.Node) ir.Expr {
	left, right, op := l.Child(n, "left"), l.Child(n, "right"), l.Child(n, "operator")
	switch l.Kind(op) {
	case "||", "or":
		x := l.expr(left)
		return l.Union(x, l.expr(right))
	case "&&", "and":
		l.push(false)
		defer l.pop()
		l.Keep(l.expr(left))
		l.narrowBy(left)
		return l.expr(right)
	}
	x, y := l.expr(left), l.expr(right)
	if l.Kind(op) == "<<" {
		x, y = l.once(x, l.Start(n)), l.once(y, l.Start(n))
	}
	switch {
	case l.Kind(op) == "<<" && x != 0 && y != 0: // a container gets an element
		l.Bind(l.Index(x, 0, "", l.Start(op)), y)
		l.Eval(l.Operation(l.Kind(op), l.Start(op), x, y))
		return x
	case l.literal(x) && (y == 0 || l.literal(y)):
		return x
	}
	return l.Operation(l.Kind(op), l.Start(op), x, y)
}

func (l *lowerer) literal(x ir.Expr) bool { return x != 0 && l.OpOf(x) == ir.Lit }

func (l *lowerer) unary(n syntax.Node) ir.Expr {
	op := l.Kind(l.Child(n, "operator"))
	if op == "defined?" {
		return 0
	}
	x := l.expr(l.Child(n, "operand"))
	if l.literal(x) {
		return x
	}
	if op == "!" || op == "not" {
		l.Keep(x)
		return l.Literal("Boolean")
	}
	return l.Operation(op+"@", l.Start(n), x)
}

// conditional lowers if and its like: the arms' values are its own.
func (l *lowerer) conditional(n syntax.Node) ir.Expr {
	cond := l.Child(n, "condition")
	l.Keep(l.expr(cond))
	if body := l.Child(n, "body"); body != 0 { // a modifier
		l.push(false)
		defer l.pop()
		if l.Kind(n) == "if_modifier" {
			l.narrowBy(cond)
		}
		return l.shared(func() ir.Expr { return l.expr(body) })
	}
	yes := l.shared(func() ir.Expr {
		if k := l.Kind(n); k != "unless" {
			l.narrowBy(cond)
		}
		return l.value(l.Child(n, "consequence"))
	})
	no := l.value(l.Child(n, "alternative"))
	return l.Union(yes, no)
}

// shared runs f for a branch: variables that begin in it are seen after it, but
// what it narrows is not.
func (l *lowerer) shared(f func() ir.Expr) ir.Expr {
	l.push(false)
	x := f()
	top := l.scopes[len(l.scopes)-1]
	l.pop()
	for name, v := range top.vars {
		if top.narrow[name] == 0 {
			l.keep(name, v)
		}
	}
	return x
}

// narrowBy narrows the variable that a condition tests: x.is_a?(C).
func (l *lowerer) narrowBy(cond syntax.Node) {
	for range 8 {
		switch l.Kind(cond) {
		case "parenthesized_statements":
			cond = l.NamedChild(cond, 0)
			continue
		case "binary":
			if op := l.Kind(l.Child(cond, "operator")); op == "&&" || op == "and" {
				l.narrowBy(l.Child(cond, "right"))
				cond = l.Child(cond, "left")
				continue
			}
		}
		break
	}
	if l.Kind(cond) != "call" {
		return
	}
	switch string(l.Bytes(l.Child(cond, "method"))) {
	case "is_a?", "kind_of?", "instance_of?":
	default:
		return
	}
	x, class := l.Child(cond, "receiver"), l.NamedChild(l.Child(cond, "arguments"), 0)
	if l.Kind(x) != "identifier" || class == 0 {
		return
	}
	if l.lookup(l.Text(x)) != 0 {
		l.narrow(l.Text(x), l.expr(class), l.Start(x))
	}
}
