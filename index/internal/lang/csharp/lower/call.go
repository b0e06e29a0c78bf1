package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// invocation lowers f(args).
func (l *lowerer) invocation(n syntax.Node) ir.Expr {
	fn := l.Child(n, "function")
	list := l.Child(n, "arguments")
	if l.Kind(fn) == "identifier" && l.Is(fn, "nameof") && l.Lookup("nameof") == 0 {
		return l.Lit("string", l.Start(n))
	}
	callee := l.expr(fn)
	var outs []ir.Expr
	args := l.argsOut(list, &outs)
	x := l.Call(callee, args, l.calledAt(fn))
	// m.TryGetValue(key, out var v): v is an element of m.
	if len(outs) == 1 && len(args) == 2 {
		if c := &l.Raw().Exprs[callee]; c.Op == ir.Attr && l.Raw().String(c.Name) == "TryGetValue" {
			l.Bind(outs[0], l.Index(c.A, args[0].X, "", l.Start(list)))
		}
	}
	return x
}

// calledAt returns where the name of a called function is: the last one of a path.
func (l *lowerer) calledAt(n syntax.Node) int {
	for i := 0; n != 0 && i < walk.MaxDepth; i++ {
		next := syntax.Node(0)
		switch l.Kind(n) {
		case "member_access_expression", "member_binding_expression", "alias_qualified_name", "qualified_name":
			next = l.Child(n, "name")
		case "conditional_access_expression":
			next = l.ChildOf(n, "member_binding_expression")
		case "generic_name":
			next = l.First(n)
		case "parenthesized_expression", "postfix_unary_expression":
			next = l.operand(n)
		}
		if next == 0 {
			break
		}
		n = next
	}
	return l.Start(n)
}

// args lowers the arguments of a call.
func (l *lowerer) args(list syntax.Node) []ir.Arg { return l.argsOut(list, nil) }

// argsOut is args that also collects the variables that "out" passes.
func (l *lowerer) argsOut(list syntax.Node, outs *[]ir.Expr) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(list) {
		if l.Kind(c) != "argument" {
			if x := l.expr(c); x != 0 {
				l.Eval(x) // half-written code
			}
			continue
		}
		var a ir.Arg
		out := false
		for p := range l.Children(c) {
			switch {
			case l.Field(p) == "name":
				a.Name = l.Str(l.name(p))
			case l.Kind(p) == "out":
				out = true
			case l.self(p) || l.Named(p) && l.Kind(p) != "comment":
				a.X = l.expr(p)
				out = out || l.Kind(p) == "declaration_expression"
			}
		}
		if out && outs != nil && a.X != 0 {
			*outs = append(*outs, a.X)
		}
		args = append(args, a)
	}
	return args
}

// apart lowers the value of a field that needs variables in a function of its own: what fills
// them is run in the class, not in the file.
func (l *lowerer) apart(n syntax.Node, value func() ir.Expr) ir.Expr {
	pos := l.Start(n)
	v := l.Temp(pos)
	l.BeginFunc("", pos)
	l.Bind(l.Local(v, pos), value())
	l.EndFunc(l.End(n))
	return l.Local(v, pos)
}

// newObject lowers an object that is made: of its own type, of the wanted one, or of
// the class an expression leads to.
func (l *lowerer) newObject(n, typ syntax.Node, class ir.Expr) ir.Expr {
	pos := l.Start(n)
	if l.Class() != 0 && l.ChildOf(n, "initializer_expression") != 0 {
		return l.apart(n, func() ir.Expr { return l.newObject(n, typ, class) })
	}
	if typ != 0 {
		for k := l.Kind(typ); k == "nullable_type"; k = l.Kind(typ) {
			typ = l.NamedChild(typ, 0)
		}
		class = l.typ(typ)
		pos = l.calledAt(typ)
	}
	list := l.ChildOf(n, "argument_list")
	x := l.New(class, l.args(list), pos)
	if init := l.ChildOf(n, "initializer_expression"); init != 0 {
		x = l.initialise(x, init)
	}
	return x
}

// initialise lowers { A = x, B = { y }, z, ["k"] = w } after a new object, and
// returns the object.
func (l *lowerer) initialise(x ir.Expr, init syntax.Node) ir.Expr {
	pos := l.Start(init)
	v := l.Hold(x, pos)
	l.members(func(at int) ir.Expr { return l.Local(v, at) }, init)
	return l.Local(v, pos)
}

func (l *lowerer) members(object func(int) ir.Expr, init syntax.Node) {
	if !l.Enter(init) {
		return
	}
	defer l.Leave()
	for c := range l.NamedChildren(init) {
		pos := l.Start(c)
		if l.Kind(c) != "assignment_expression" {
			args := ir.Args(0)[:0]
			if l.Kind(c) == "initializer_expression" {
				for e := range l.NamedChildren(c) {
					args = append(args, ir.Arg{X: l.expr(e)})
				}
			} else {
				args = append(args, ir.Arg{X: l.expr(c)})
			}
			add := l.Call(l.Attr(object(pos), "Add", pos), args, pos)
			l.Flag(add, ir.Implicit)
			l.Eval(add)
			continue
		}
		left, right := l.Child(c, "left"), l.Child(c, "right")
		member := func(at int) ir.Expr {
			if l.Kind(left) == "identifier" {
				return l.Attr(object(at), l.name(left), l.Start(left))
			}
			return l.index(object(at), left)
		}
		switch l.Kind(right) {
		case "initializer_expression":
			l.members(member, right)
		case "implicit_object_creation_expression":
			l.Bind(member(pos), l.newObject(right, 0, l.Unary(ir.TypeOf, member(pos), pos)))
		default:
			l.Bind(member(pos), l.expr(right))
		}
	}
}

// lambda lowers a lambda or "delegate { }".
func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.BeginFunc("", pos)
	mods := l.modifiers(n)
	if mods&modAsync != 0 {
		l.FuncInfo(f).Flags |= ir.Async
	}
	params := l.Child(n, "parameters")
	switch l.Kind(params) {
	case "implicit_parameter", "identifier":
		l.Param(l.name(params), 0, 0, ir.Positional, l.Start(params))
	default:
		l.params(params)
	}
	body := l.Child(n, "body")
	if body == 0 {
		body = l.ChildOf(n, "block")
	}
	l.body(body, 0)
	l.EndFunc(l.End(n))
	return l.Lambda(f, pos)
}

// array lowers new T[n] { ... }, new[] { ... } and stackalloc.
func (l *lowerer) array(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	typ := l.Child(n, "type")
	for r := range l.NamedChildren(l.Child(typ, "rank")) {
		l.Eval(l.Opaque(l.expr(r)))
	}
	elem := l.Child(typ, "type")
	x := l.Lit("array", pos)
	if init := l.ChildOf(n, "initializer_expression"); init != 0 {
		x = l.elements(init, elem)
	}
	if to := l.typ(typ); to != 0 {
		if l.OpOf(x) == ir.Lit {
			return l.Binary(ir.Cast, x, to, pos)
		}
		return l.Union(x, l.Binary(ir.Cast, 0, to, pos))
	}
	return x
}

// list lowers [a, ..b] and { a, b } where they are a collection.
func (l *lowerer) list(n syntax.Node) ir.Expr { return l.elements(n, 0) }

func (l *lowerer) elements(n, typ syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	var args []ir.Arg
	for c := range l.Children(n) {
		if !l.Named(c) && !l.self(c) || l.Kind(c) == "comment" {
			continue
		}
		if l.Kind(c) == "argument" {
			c = l.operand(c)
		}
		switch l.Kind(c) {
		case "range_expression":
			args = append(args, ir.Arg{X: l.expr(l.operand(c)), Kind: ir.Spread})
		case "initializer_expression":
			args = append(args, ir.Arg{X: l.elements(c, typ)})
		default:
			args = append(args, ir.Arg{X: l.value(c, typ)})
		}
	}
	return l.List("list", args, l.Start(n))
}

// anonymous lowers new { A = x, y.B }.
func (l *lowerer) anonymous(n syntax.Node) ir.Expr {
	var args []ir.Arg
	var name syntax.Node // that "=" follows
	var before syntax.Node
	assigned := false
	for c := range l.Children(n) {
		switch k := l.Kind(c); {
		case k == "=":
			name, assigned = before, true
		case k == "," || k == "}":
			if before != 0 {
				if !assigned {
					name = before
					if k := l.Kind(before); k == "member_access_expression" || k == "conditional_access_expression" {
						if m := l.Child(before, "name"); m != 0 {
							name = m
						}
					}
				}
				a := ir.Arg{X: l.expr(before)}
				if l.Kind(name) == "identifier" {
					a.Name = l.Str(l.name(name))
				}
				args = append(args, a)
			}
			before, name, assigned = 0, 0, false
		case l.Named(c) && k != "comment" || l.self(c):
			before = c
		}
	}
	return l.Object("object", args, l.Start(n))
}

// with lowers r with { A = x }: a copy, of which members are assigned.
func (l *lowerer) with(n syntax.Node) ir.Expr {
	x := l.once(l.operand(n))
	for c := range l.OfKind(n, "with_initializer") {
		name := l.NamedChild(c, 0)
		l.Bind(l.Attr(x, l.name(name), l.Start(name)), l.expr(l.after(c, "=")))
	}
	return x
}

// switchExpression lowers x switch { pattern => value }.
func (l *lowerer) switchExpression(n syntax.Node) ir.Expr {
	value := l.once(l.operand(n))
	var arms []ir.Expr
	for c := range l.OfKind(n, "switch_expression_arm") {
		l.PushScope()
		l.pattern(l.NamedChild(c, 0), value)
		if w := l.ChildOf(c, "when_clause"); w != 0 {
			l.Eval(l.Opaque(l.expr(l.operand(w))))
		}
		arms = append(arms, l.value(l.after(c, "=>"), l.result))
		l.PopScope()
	}
	return l.Union(arms...)
}

// query lowers from x in xs where f(x) select g(x): its clauses in order, and a list of what is
// selected, or, if xs is no sequence, what its own methods for the clauses give.
func (l *lowerer) query(n syntax.Node) ir.Expr {
	if l.Class() != 0 { // the value of a field: its variables are no fields
		return l.apart(n, func() ir.Expr { return l.query(n) })
	}
	l.PushScope()
	defer l.PopScope()
	var out, source, called ir.Expr
	into, many := false, false // many: the last clause was a second "from", which selects as well
	clause := func(c syntax.Node, method string, args int) {
		given := make([]ir.Expr, args)
		for i := range given {
			given[i] = l.Opaque()
		}
		called = l.Flag(l.Call(l.Attr(called, method, l.Start(c)), ir.Args(given...), l.Start(c)), ir.Implicit)
	}
	result := func(c syntax.Node, elem ir.Expr, method string, args int) {
		if !many {
			clause(c, method, args)
		}
		out = l.Query(elem, source, called, l.Start(c))
	}
	for c := range l.Children(n) {
		pos := l.Start(c)
		switch l.Kind(c) {
		case "into":
			into = true
		case "identifier":
			if into {
				l.local(c, 0, l.Unary(ir.Elem, out, pos))
				source, called, into = out, out, false
			}
		case "from_clause":
			asked := l.Local(l.Temp(pos), pos)
			l.Bind(asked, l.expr(l.after(c, "in")))
			if many = source != 0; many {
				clause(c, "SelectMany", 2)
			} else {
				source, called = asked, asked
			}
			l.local(l.Child(c, "name"), l.Child(c, "type"), l.Unary(ir.Elem, asked, pos))
			continue
		case "let_clause":
			l.local(l.NamedChild(c, 0), 0, l.expr(l.after(c, "=")))
			clause(c, "Select", 1)
		case "join_clause":
			l.join(c)
			clause(c, "Join", 4)
		case "where_clause":
			l.Eval(l.unknown(c))
			clause(c, "Where", 1)
		case "order_by_clause":
			l.Eval(l.unknown(c))
			clause(c, "OrderBy", 1)
		case "select_clause":
			result(c, l.expr(l.operand(c)), "Select", 1)
		case "group_clause":
			// A group is a list of its elements.
			elem := l.expr(l.operand(c))
			l.Eval(l.Opaque(l.expr(l.after(c, "by"))))
			result(c, l.List("list", ir.Args(elem), pos), "GroupBy", 2)
		}
		many = many && l.Kind(c) == "comment"
	}
	return out
}

func (l *lowerer) join(n syntax.Node) {
	typ := l.Child(n, "type")
	var name syntax.Node
	for c := range l.NamedChildren(n) {
		if c != typ {
			name = c
			break
		}
	}
	source := l.expr(l.after(n, "in"))
	elem := l.Unary(ir.Elem, source, l.Start(name))
	l.Eval(l.Opaque(l.expr(l.after(n, "on"))))
	l.local(name, typ, elem)
	l.Eval(l.Opaque(l.expr(l.after(n, "equals"))))
	if into := l.ChildOf(n, "join_into_clause"); into != 0 {
		l.local(l.operand(into), 0, l.List("list", ir.Args(elem), l.Start(into)))
	}
}
