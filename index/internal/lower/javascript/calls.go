package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call, a tagged template, and what imports by looking like a call.
func (l *lowerer) call(n syntax.Node) ir.Expr { return l.callOf(n, l.t.Child(n, "function")) }

// callOf is call of a callee. Before type arguments and after "!" the grammar takes
// what stands before the callee for a part of it: await f<T>(x) calls f, not await f.
func (l *lowerer) callOf(n, callee syntax.Node) ir.Expr {
	arguments := l.t.Child(n, "arguments")
	if l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	switch l.t.Kind(callee) {
	case "await_expression":
		return l.b.Unary(ir.Await, l.callOf(n, l.t.NamedChild(callee, 0)), l.t.Start(callee))
	case "unary_expression":
		return l.b.Opaque(l.callOf(n, l.t.Child(callee, "argument")))
	case "ternary_expression":
		l.b.Eval(l.operand(l.t.Child(callee, "condition")))
		return l.b.Union(l.expr(l.t.Child(callee, "consequence")), l.callOf(n, l.t.Child(callee, "alternative")))
	case "binary_expression":
		left := l.t.Child(callee, "left")
		x := l.operand(left)
		switch op := l.t.Kind(l.t.Child(callee, "operator")); op {
		case "&&", "||", "??":
			l.b.Eval(x)
			undo := l.narrow(left, op == "&&")
			y := l.callOf(n, l.t.Child(callee, "right"))
			l.widen(undo)
			if op == "&&" {
				return y
			}
			return l.b.Union(x, y)
		}
		return l.b.Opaque(x, l.callOf(n, l.t.Child(callee, "right")))
	case "non_null_expression":
		switch inner := l.t.NamedChild(callee, 0); l.t.Kind(inner) {
		case "await_expression", "unary_expression", "ternary_expression", "binary_expression":
			return l.callOf(n, inner)
		}
	case "import":
		return l.dynamicImport(n, arguments)
	case "identifier":
		if l.is(callee, "require") {
			if x := l.require(n, ""); x != 0 {
				return x
			}
		}
	}
	if x := l.objectUtility(callee, arguments); x != 0 {
		return x
	}
	fn := l.callee(callee, arguments)
	if l.t.Kind(arguments) == "template_string" {
		var args []ir.Arg
		args = append(args, ir.Arg{X: l.b.Lit("array", l.t.Start(arguments))})
		for c := range l.t.NamedChildren(arguments) {
			if l.t.Kind(c) == "template_substitution" {
				args = append(args, ir.Arg{X: l.expr(l.t.NamedChild(c, 0))})
			}
		}
		return l.b.Call(fn, args, l.calleePos(callee))
	}
	types := l.t.Child(n, "type_arguments")
	if types != 0 {
		if args := l.typeArgs(types); len(args) > 0 {
			fn = l.b.Apply(fn, "", args, l.calleePos(callee))
		}
	}
	return l.b.Call(fn, l.arguments(arguments), l.calleePos(callee))
}

// callee lowers what is called. A function literal that is bound to a value where
// it is written has that value as its "this".
func (l *lowerer) callee(n, arguments syntax.Node) ir.Expr {
	if l.t.Kind(n) != "member_expression" {
		return l.expr(n)
	}
	object, property := l.literal(l.t.Child(n, "object")), l.t.Child(n, "property")
	if l.t.Kind(object) == "function_expression" {
		switch l.text(property) {
		case "bind", "call", "apply":
			fn := l.lambda(object, "", l.boundTo(l.t.NamedChild(arguments, 0)))
			return l.b.Attr(fn, l.text(property), l.t.Start(property))
		}
	}
	return l.expr(n)
}

// boundTo is what "this" is in a function that is bound to a value.
func (l *lowerer) boundTo(n syntax.Node) *receiver {
	switch l.t.Kind(n) {
	case "this":
		return l.this[len(l.this)-1]
	case "identifier":
		return &receiver{kind: thisName, name: l.text(n)}
	}
	return &receiver{}
}

// calleePos is where the called name stands.
func (l *lowerer) calleePos(n syntax.Node) int {
	switch l.t.Kind(n) {
	case "member_expression":
		return l.t.Start(l.t.Child(n, "property"))
	case "subscript_expression":
		return l.t.Start(l.t.Child(n, "index"))
	case "non_null_expression", "instantiation_expression":
		return l.calleePos(l.t.NamedChild(n, 0))
	case "call_expression":
		return l.t.Start(l.t.Child(n, "arguments")) // of f()() the second stands where the first has its arguments
	}
	return l.t.Start(n)
}

func (l *lowerer) arguments(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		if l.t.Kind(c) == "spread_element" {
			args = append(args, ir.Arg{X: l.expr(l.t.NamedChild(c, 0)), Kind: ir.Spread})
			continue
		}
		args = append(args, ir.Arg{X: l.expr(c)})
	}
	return args
}

func (l *lowerer) newExpression(n syntax.Node) ir.Expr {
	class := l.t.Child(n, "constructor")
	x := l.expr(class)
	if types := l.t.Child(n, "type_arguments"); types != 0 {
		if args := l.typeArgs(types); len(args) > 0 {
			x = l.b.Apply(x, "", args, l.calleePos(class))
		}
	}
	return l.b.New(x, l.arguments(l.t.Child(n, "arguments")), l.calleePos(class))
}

// object lowers an object literal. variable is what it is the value of, by which
// its functions reach it; without one they do by a variable made for it. path is
// what it is called, and stands before the names of its functions.
func (l *lowerer) object(n syntax.Node, variable, path string) ir.Expr {
	self := &receiver{kind: thisObject, fn: l.b.Func()}
	if variable != "" {
		self = &receiver{kind: thisName, name: variable}
	}
	if path != "" {
		path += "."
	}
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		args = append(args, l.property(c, self, path))
	}
	pos := l.t.Start(n)
	x := l.b.Object("object", args, pos)
	if self.temp == 0 {
		return x
	}
	return l.b.Binary(ir.Assign, l.b.Local(self.temp, pos), x, pos)
}

func (l *lowerer) property(c syntax.Node, self *receiver, path string) ir.Arg {
	switch l.t.Kind(c) {
	case "shorthand_property_identifier":
		return ir.Arg{Name: l.b.Str(l.text(c)), X: l.expr(c)}
	case "spread_element":
		return ir.Arg{X: l.expr(l.t.NamedChild(c, 0)), Kind: ir.KwSpread}
	case "pair":
		at, value := l.t.Child(c, "key"), l.t.Child(c, "value")
		name := l.propertyKey(at)
		arg := ir.Arg{Name: l.b.Str(name)}
		switch inner := l.literal(value); {
		case isFunction(l.t.Kind(inner)):
			pos := l.t.Start(at)
			arg.X = l.b.Lambda(l.function(inner, path+name, 0, pos, self), pos)
		default:
			arg.X = l.value(value, path+name)
		}
		return arg
	case "method_definition":
		at := l.t.Child(c, "name")
		name, pos := l.propertyKey(at), l.t.Start(at)
		flags, _ := l.methodFlags(c)
		x := l.b.Lambda(l.function(c, path+name, flags, pos, self), pos)
		return ir.Arg{Name: l.b.Str(name), X: x}
	}
	return ir.Arg{X: l.expr(c)}
}

// propertyKey is key that also evaluates a key that is computed.
func (l *lowerer) propertyKey(at syntax.Node) string {
	name := l.key(at)
	if name == "" && l.t.Kind(at) == "computed_property_name" {
		l.b.Eval(l.operand(l.t.NamedChild(at, 0)))
	}
	return name
}

// element lowers JSX: the element of a component is a call with its attributes
// as one object, any other element is opaque.
func (l *lowerer) element(n syntax.Node) ir.Expr {
	open := n
	if o := l.t.Child(n, "open_tag"); o != 0 {
		open = o
	}
	at := l.t.Child(open, "name")
	var attributes, children []ir.Arg
	for c := range l.t.NamedChildren(open) {
		if l.t.Field(c) == "attribute" {
			attributes = append(attributes, l.attribute(c)...)
		}
	}
	if open != n {
		for c := range l.t.NamedChildren(n) {
			switch l.t.Kind(c) {
			case "jsx_opening_element", "jsx_closing_element", "jsx_text":
				continue
			}
			if x := l.expr(c); x != 0 {
				children = append(children, ir.Arg{X: x})
			}
		}
	}
	if !l.component(at) {
		return l.b.Opaque(values(attributes, children)...)
	}
	if len(children) > 0 {
		list := l.b.List("array", children, l.t.Start(n))
		attributes = append(attributes, ir.Arg{Name: l.b.Str("children"), X: list})
	}
	props := l.b.Object("object", attributes, l.t.Start(open))
	pos := l.t.Start(at)
	fn := ir.Expr(0)
	if parts := l.t.ChildOf(at, "identifier", "property_identifier", "this", "member_expression"); parts != 0 {
		fn, pos = l.elementName(at)
	} else {
		fn = l.b.Name(l.text(at), pos)
	}
	return l.b.Call(fn, ir.Args(props), pos)
}

// elementName lowers the dotted name of an element.
func (l *lowerer) elementName(at syntax.Node) (x ir.Expr, pos int) {
	if l.t.Kind(at) == "member_expression" || l.t.Kind(at) == "nested_identifier" {
		for c := range l.t.NamedChildren(at) {
			name := l.text(c)
			switch {
			case l.t.Kind(c) == "member_expression" || l.t.Kind(c) == "nested_identifier":
				x, pos = l.elementName(c)
			case x != 0:
				pos = l.t.Start(c)
				x = l.b.Attr(x, name, pos)
			case name == "this":
				x = l.thisExpr(l.t.Start(c))
			default:
				x, pos = l.b.Name(name, l.t.Start(c)), l.t.Start(c)
			}
		}
		return x, pos
	}
	return l.b.Name(l.text(at), l.t.Start(at)), l.t.Start(at)
}

func (l *lowerer) component(at syntax.Node) bool {
	switch l.t.Kind(at) {
	case "identifier", "member_expression", "nested_identifier":
		return isComponent(l.text(at))
	}
	return false
}

func (l *lowerer) attribute(c syntax.Node) []ir.Arg {
	if l.t.Kind(c) == "jsx_attribute" {
		at := l.t.NamedChild(c, 0)
		if x := l.expr(l.t.NamedChild(c, 1)); x != 0 {
			return []ir.Arg{{Name: l.b.Str(l.text(at)), X: x}}
		}
		return nil
	}
	if inner := l.t.NamedChild(c, 0); l.t.Kind(inner) == "spread_element" {
		return []ir.Arg{{X: l.expr(l.t.NamedChild(inner, 0)), Kind: ir.KwSpread}}
	}
	return []ir.Arg{{X: l.expr(c)}}
}

func values(lists ...[]ir.Arg) []ir.Expr {
	var xs []ir.Expr
	for _, list := range lists {
		for _, a := range list {
			xs = append(xs, a.X)
		}
	}
	return xs
}
