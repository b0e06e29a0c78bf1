package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call, a tagged template, and what imports by looking like a call.
func (l *lowerer) call(n syntax.Node) ir.Expr { return l.callOf(n, l.Child(n, "function")) }

// callOf is call of a callee. Before type arguments and after "!" the grammar takes
// what stands before the callee for a part of it: await f<T>(x) calls f, not await f.
func (l *lowerer) callOf(n, callee syntax.Node) ir.Expr {
	arguments := l.Child(n, "arguments")
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(callee) {
	case "await_expression":
		return l.Unary(ir.Await, l.callOf(n, l.NamedChild(callee, 0)), l.Start(callee))
	case "unary_expression":
		return l.Opaque(l.callOf(n, l.Child(callee, "argument")))
	case "ternary_expression":
		l.Eval(l.operand(l.Child(callee, "condition")))
		return l.Union(l.expr(l.Child(callee, "consequence")), l.callOf(n, l.Child(callee, "alternative")))
	case "binary_expression":
		left := l.Child(callee, "left")
		x := l.operand(left)
		switch op := l.Kind(l.Child(callee, "operator")); op {
		case "&&", "||", "??":
			l.Eval(x)
			undo := l.narrow(left, op == "&&")
			y := l.callOf(n, l.Child(callee, "right"))
			l.widen(undo)
			if op == "&&" {
				return y
			}
			return l.Union(x, y)
		}
		return l.Opaque(x, l.callOf(n, l.Child(callee, "right")))
	case "non_null_expression":
		switch inner := l.NamedChild(callee, 0); l.Kind(inner) {
		case "await_expression", "unary_expression", "ternary_expression", "binary_expression":
			return l.callOf(n, inner)
		}
	case "import":
		return l.dynamicImport(n, arguments)
	case "identifier":
		if l.Is(callee, "require") {
			if x := l.require(n, ""); x != 0 {
				return x
			}
		}
	}
	if x := l.objectUtility(callee, arguments); x != 0 {
		return x
	}
	fn := l.callee(callee, arguments)
	if l.Kind(arguments) == "template_string" {
		var args []ir.Arg
		args = append(args, ir.Arg{X: l.Lit("array", l.Start(arguments))})
		for c := range l.OfKind(arguments, "template_substitution") {
			args = append(args, ir.Arg{X: l.expr(l.NamedChild(c, 0))})
		}
		return l.Call(fn, args, l.calleePos(callee))
	}
	types := l.Child(n, "type_arguments")
	if types != 0 {
		if args := l.typeArgs(types); len(args) > 0 {
			fn = l.Apply(fn, "", args, l.calleePos(callee))
		}
	}
	return l.Call(fn, l.args(arguments), l.calleePos(callee))
}

// callee lowers what is called. A function literal that is bound to a value where
// it is written has that value as its "this".
func (l *lowerer) callee(n, arguments syntax.Node) ir.Expr {
	if l.Kind(n) != "member_expression" {
		return l.expr(n)
	}
	object, property := l.literal(l.Child(n, "object")), l.Child(n, "property")
	if l.Kind(object) == "function_expression" {
		switch l.Text(property) {
		case "bind", "call", "apply":
			fn := l.lambda(object, "", l.boundTo(l.NamedChild(arguments, 0)))
			return l.Attr(fn, l.Text(property), l.Start(property))
		}
	}
	return l.expr(n)
}

// boundTo is what "this" is in a function that is bound to a value.
func (l *lowerer) boundTo(n syntax.Node) *receiver {
	switch l.Kind(n) {
	case "this":
		return l.this[len(l.this)-1]
	case "identifier":
		return &receiver{kind: thisName, name: l.Text(n)}
	}
	return &receiver{}
}

// calleePos is where the called name stands.
func (l *lowerer) calleePos(n syntax.Node) int {
	switch l.Kind(n) {
	case "member_expression":
		return l.Start(l.Child(n, "property"))
	case "subscript_expression":
		return l.Start(l.Child(n, "index"))
	case "non_null_expression", "instantiation_expression":
		return l.calleePos(l.NamedChild(n, 0))
	case "call_expression":
		return l.Start(l.Child(n, "arguments")) // of f()() the second stands where the first has its arguments
	}
	return l.Start(n)
}

func (l *lowerer) args(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "spread_element" {
			args = append(args, ir.Arg{X: l.expr(l.NamedChild(c, 0)), Kind: ir.Spread})
			continue
		}
		args = append(args, ir.Arg{X: l.expr(c)})
	}
	return args
}

func (l *lowerer) newObject(n syntax.Node) ir.Expr {
	class := l.Child(n, "constructor")
	x := l.expr(class)
	if types := l.Child(n, "type_arguments"); types != 0 {
		if args := l.typeArgs(types); len(args) > 0 {
			x = l.Apply(x, "", args, l.calleePos(class))
		}
	}
	return l.New(x, l.args(l.Child(n, "arguments")), l.calleePos(class))
}

// object lowers an object literal. variable is what it is the value of, by which
// its functions reach it; without one they do by a variable made for it. path is
// what it is called, and stands before the names of its functions.
func (l *lowerer) object(n syntax.Node, variable, path string) ir.Expr {
	self := &receiver{kind: thisObject, fn: l.Func()}
	if variable != "" {
		self = &receiver{kind: thisName, name: variable}
	}
	if path != "" {
		path += "."
	}
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		args = append(args, l.property(c, self, path))
	}
	pos := l.Start(n)
	x := l.Object("object", args, pos)
	if self.temp == 0 {
		return x
	}
	return l.Binary(ir.Assign, l.Local(self.temp, pos), x, pos)
}

func (l *lowerer) property(c syntax.Node, self *receiver, path string) ir.Arg {
	switch l.Kind(c) {
	case "shorthand_property_identifier":
		return ir.Arg{Name: l.Str(l.Text(c)), X: l.expr(c)}
	case "spread_element":
		return ir.Arg{X: l.expr(l.NamedChild(c, 0)), Kind: ir.KwSpread}
	case "pair":
		at, value := l.Child(c, "key"), l.Child(c, "value")
		name := l.propertyKey(at)
		arg := ir.Arg{Name: l.Str(name)}
		switch inner := l.literal(value); {
		case isFunction(l.Kind(inner)):
			pos := l.Start(at)
			arg.X = l.Lambda(l.function(inner, path+name, 0, pos, self), pos)
		default:
			arg.X = l.value(value, path+name)
		}
		return arg
	case "method_definition":
		at := l.Child(c, "name")
		name, pos := l.propertyKey(at), l.Start(at)
		flags, _ := l.methodFlags(c)
		x := l.Lambda(l.function(c, path+name, flags, pos, self), pos)
		return ir.Arg{Name: l.Str(name), X: x}
	}
	return ir.Arg{X: l.expr(c)}
}

// propertyKey is key that also evaluates a key that is computed.
func (l *lowerer) propertyKey(at syntax.Node) string {
	name := l.key(at)
	if name == "" && l.Kind(at) == "computed_property_name" {
		l.Eval(l.operand(l.NamedChild(at, 0)))
	}
	return name
}

// element lowers JSX: the element of a component is a call with its attributes
// as one object, any other element is opaque.
func (l *lowerer) element(n syntax.Node) ir.Expr {
	open := n
	if o := l.Child(n, "open_tag"); o != 0 {
		open = o
	}
	at := l.Child(open, "name")
	var attributes, children []ir.Arg
	for c := range l.NamedChildren(open) {
		if l.Field(c) == "attribute" {
			attributes = append(attributes, l.attribute(c)...)
		}
	}
	if open != n {
		for c := range l.NamedChildren(n) {
			switch l.Kind(c) {
			case "jsx_opening_element", "jsx_closing_element", "jsx_text":
				continue
			}
			if x := l.expr(c); x != 0 {
				children = append(children, ir.Arg{X: x})
			}
		}
	}
	if !l.component(at) {
		return l.Opaque(values(attributes, children)...)
	}
	if len(children) > 0 {
		list := l.List("array", children, l.Start(n))
		attributes = append(attributes, ir.Arg{Name: l.Str("children"), X: list})
	}
	props := l.Object("object", attributes, l.Start(open))
	pos := l.Start(at)
	fn := ir.Expr(0)
	if parts := l.ChildOf(at, "identifier", "property_identifier", "this", "member_expression"); parts != 0 {
		fn, pos = l.elementName(at)
	} else {
		fn = l.Name(l.Text(at), pos)
	}
	return l.Call(fn, ir.Args(props), pos)
}

// elementName lowers the dotted name of an element.
func (l *lowerer) elementName(at syntax.Node) (x ir.Expr, pos int) {
	if l.Kind(at) == "member_expression" || l.Kind(at) == "nested_identifier" {
		for c := range l.NamedChildren(at) {
			name := l.Text(c)
			switch {
			case l.Kind(c) == "member_expression" || l.Kind(c) == "nested_identifier":
				x, pos = l.elementName(c)
			case x != 0:
				pos = l.Start(c)
				x = l.Attr(x, name, pos)
			case name == "this":
				x = l.thisExpr(l.Start(c))
			default:
				x, pos = l.Name(name, l.Start(c)), l.Start(c)
			}
		}
		return x, pos
	}
	return l.Name(l.Text(at), l.Start(at)), l.Start(at)
}

func (l *lowerer) component(at syntax.Node) bool {
	switch l.Kind(at) {
	case "identifier", "member_expression", "nested_identifier":
		return isComponent(l.Text(at))
	}
	return false
}

func (l *lowerer) attribute(c syntax.Node) []ir.Arg {
	if l.Kind(c) == "jsx_attribute" {
		at := l.NamedChild(c, 0)
		if x := l.expr(l.NamedChild(c, 1)); x != 0 {
			return []ir.Arg{{Name: l.Str(l.Text(at)), X: x}}
		}
		return nil
	}
	if inner := l.NamedChild(c, 0); l.Kind(inner) == "spread_element" {
		return []ir.Arg{{X: l.expr(l.NamedChild(inner, 0)), Kind: ir.KwSpread}}
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
