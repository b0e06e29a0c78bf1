package lower

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call, and the functions of the standard library that make or
// pass on a value.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	fn, list := l.Child(n, "function"), l.Child(n, "arguments")
	for l.Kind(fn) == "parenthesized_expression" { // (*f)(x) calls what f points to
		in := l.NamedChild(fn, 0)
		if l.Kind(in) == "ERROR" { // (a->*m)(), which the grammar does not know
			l.Keep(l.unknown(in))
			in = l.NamedChild(fn, 1)
		}
		if in == 0 {
			break
		}
		if l.Kind(in) == "pointer_expression" && l.Kind(l.Child(in, "operator")) == "*" {
			in = l.Child(in, "argument")
		}
		fn = in
	}
	if l.cpp {
		if x, ok := l.special(n, fn, list); ok {
			return x
		}
	}
	switch l.Kind(fn) {
	case "primitive_type", "sized_type_specifier": // int(x)
		return l.Opaque(l.values(list)...)
	}
	if !l.cpp && l.Kind(fn) == "identifier" {
		if x := l.containerOf(fn, list); x != 0 {
			return x
		}
	}
	callee := l.expr(fn)
	args := l.args(list)
	if callee == 0 {
		return l.Opaque(l.xs(args)...)
	}
	return l.Call(callee, args, l.Start(l.called(fn)))
}

// calledElement lowers the call of an element as a statement, "table[i](x);", which the grammar
// takes for a declaration of names in brackets. It reports whether n is one.
func (l *lowerer) calledElement(n syntax.Node) bool {
	fn, table := l.Child(n, "declarator"), l.Child(n, "type")
	names := l.Child(fn, "declarator")
	if l.Kind(fn) != "function_declarator" || l.Kind(names) != "structured_binding_declarator" || l.Kind(table) != "type_identifier" && l.Kind(table) != "qualified_identifier" {
		return false
	}
	at := l.Index(l.expr(table), l.expr(l.NamedChild(names, 0)), "", l.Start(table))
	var args []ir.Arg
	for p := range l.NamedChildren(l.Child(fn, "parameters")) {
		args = append(args, ir.Arg{X: l.expr(l.Child(p, "type"))})
	}
	l.Keep(l.Call(at, args, l.Start(table)))
	return true
}

// called returns the node of the name that a call names.
func (l *lowerer) called(fn syntax.Node) syntax.Node {
	if l.Kind(fn) == "field_expression" {
		fn = l.Child(fn, "field")
		if l.Kind(fn) == "dependent_name" {
			fn = l.NamedChild(fn, 0)
		}
	}
	return l.last(fn)
}

func (l *lowerer) xs(args []ir.Arg) []ir.Expr {
	xs := make([]ir.Expr, 0, len(args))
	for _, a := range args {
		if !l.Inert(a.X) {
			xs = append(xs, a.X)
		}
	}
	return xs
}

func (l *lowerer) values(list syntax.Node) []ir.Expr { return l.xs(l.args(list)) }

// args lowers an argument list or an initializer list.
func (l *lowerer) args(list syntax.Node) []ir.Arg {
	var args []ir.Arg
	tag := false // after "struct", in the arguments of a macro that takes a type
	for c := range l.NamedChildren(list) {
		if was := tag; l.isTag(c) || was {
			tag = !was
			continue
		}
		switch l.Kind(c) {
		case "initializer_pair":
			name := ir.Str(0)
			if d := l.Child(c, "designator"); l.Kind(d) == "field_designator" {
				name = l.Str(l.Text(l.NamedChild(d, 0)))
			}
			args = append(args, ir.Arg{Name: name, X: l.expr(l.Child(c, "value"))})
		case "compound_statement", "declaration":
			l.stmt(c)
		case "parameter_pack_expansion":
			args = append(args, ir.Arg{X: l.expr(c), Kind: ir.Spread})
		default:
			args = append(args, ir.Arg{X: l.expr(c)})
		}
	}
	return args
}

// isTag reports whether an argument is the word "struct" or its like, which the
// grammar does not expect there.
func (l *lowerer) isTag(n syntax.Node) bool {
	if l.cpp || l.Kind(n) != "identifier" {
		return false
	}
	switch string(l.Bytes(n)) {
	case "struct", "union", "enum":
		return true
	}
	return false
}

// containerOf lowers the macros of C that go from a member to the struct around
// it: container_of(p, struct foo, member), list_entry and its like.
func (l *lowerer) containerOf(fn, list syntax.Node) ir.Expr {
	switch string(l.Bytes(fn)) {
	case "container_of", "list_entry", "rb_entry", "list_first_entry", "list_last_entry", "hlist_entry":
	default:
		return 0
	}
	var p, typ ir.Expr
	i := 0
	for c := range l.NamedChildren(list) {
		if l.isTag(c) {
			continue
		}
		switch i {
		case 0:
			p = l.expr(c)
		case 1:
			if l.Kind(c) == "ERROR" { // the name after "struct"
				c = l.NamedChild(c, 0)
			}
			typ = l.typ(c)
		}
		i++
	}
	if typ == 0 || i < 3 {
		return 0
	}
	l.Eval(l.Call(l.expr(fn), []ir.Arg{{X: p}}, l.Start(fn)))
	return l.Binary(ir.Cast, p, typ, l.Start(fn))
}

// special lowers the calls of C++ that are casts, make an object or pass one on.
func (l *lowerer) special(n, fn, list syntax.Node) (ir.Expr, bool) {
	last := l.last(fn)
	name := string(l.Bytes(last))
	template := l.templateOf(fn)
	switch name {
	case "static_cast", "dynamic_cast", "reinterpret_cast", "const_cast", "static_pointer_cast", "dynamic_pointer_cast",
		"polymorphic_downcast", "down_cast":
		if template == 0 {
			return 0, false
		}
		typ := l.NamedChild(l.Child(template, "arguments"), 0)
		return l.cast(l.NamedChild(list, 0), typ), true
	case "make_unique", "make_shared", "allocate_shared", "make_unique_for_overwrite":
		if template == 0 {
			return 0, false
		}
		typ := l.typ(l.NamedChild(l.Child(template, "arguments"), 0))
		if !l.isClass(typ) {
			return 0, false
		}
		args := l.args(list)
		if name == "allocate_shared" && len(args) > 0 {
			args = args[1:]
		}
		l.Eval(l.Call(l.qualifiedName(fn), nil, l.Start(last)))
		word := "std.shared_ptr"
		if name[5] == 'u' {
			word = "std.unique_ptr"
		}
		return l.List(word, ir.Args(l.New(typ, args, l.Start(last))), l.Start(last)), true
	case "move", "forward", "ref", "cref", "as_const", "addressof", "bind", "mem_fn", "launder":
		if l.Kind(fn) != "qualified_identifier" || string(l.Bytes(l.Child(fn, "scope"))) != "std" {
			return 0, false
		}
		args := l.args(list)
		if len(args) == 0 {
			return 0, false
		}
		var rest []ir.Arg
		if name == "bind" {
			rest = args[1:]
		}
		l.Eval(l.Call(l.qualifiedName(fn), rest, l.Start(last)))
		return args[0].X, true
	}
	return 0, false
}

// templateOf returns the template_function at the end of a path, or none.
func (l *lowerer) templateOf(n syntax.Node) syntax.Node {
	for range walk.MaxDepth {
		switch l.Kind(n) {
		case "template_function":
			return n
		case "qualified_identifier":
			n = l.Child(n, "name")
		default:
			return 0
		}
	}
	return 0
}

// newObject lowers new T(...).
func (l *lowerer) newObject(n syntax.Node) ir.Expr {
	for _, x := range l.values(l.Child(n, "placement")) {
		l.Keep(x)
	}
	spec := l.Child(n, "type")
	typ := l.typ(spec)
	if d := l.Child(n, "declarator"); d != 0 {
		l.Keep(l.expr(l.Child(d, "length")))
	}
	list := l.Child(n, "arguments")
	if !l.isClass(typ) {
		return l.Opaque(l.values(list)...)
	}
	return l.New(typ, l.args(list), l.Start(l.last(spec)))
}

// lambda lowers a lambda expression.
func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	f := l.BeginFunc("", l.Start(n))
	for c := range l.OfKind(l.Child(n, "captures"), "assignment_expression") {
		name := l.Child(c, "left")
		value := l.expr(l.Child(c, "right"))
		v := l.Declare(l.Text(name), l.Start(name))
		if value != 0 {
			l.Bind(l.Local(v, l.Start(name)), value)
		}
	}
	d := l.Child(n, "declarator")
	l.params(n, d)
	if trail := l.ChildOf(d, "trailing_return_type"); trail != 0 {
		if x := l.typ(l.NamedChild(trail, 0)); !l.isVoid(x) {
			l.FuncInfo(f).Results = []ir.Expr{x}
		}
	}
	l.block(l.Child(n, "body"))
	l.EndFunc(l.End(n))
	return l.Lambda(f, l.Start(n))
}

// once returns x, or a variable that holds it where reading x twice would call
// twice.
func (l *lowerer) once(x ir.Expr, pos int) ir.Expr {
	if l.Inert(x) || l.OpOf(x) == ir.Name {
		return x
	}
	return l.Local(l.Hold(x, pos), pos)
}

// initializers lowers the list of a constructor: m(x) is either a member that
// gets a value or an object made by a constructor, and that of a base or of
// another constructor. k is nil where the class is written in another file.
func (l *lowerer) initializers(n syntax.Node, k *class) {
	for c := range l.NamedChildren(l.ChildOf(n, "field_initializer_list")) {
		name := l.NamedChild(c, 0)
		list := l.ChildOf(c, "argument_list", "initializer_list")
		if name == 0 || list == 0 {
			continue
		}
		text := l.name(l.last(name))
		typ, field := ir.Expr(0), false
		if k != nil && l.Kind(name) == "field_identifier" {
			typ, field = k.fields[text]
			field = field || text != k.name && !slices.Contains(k.bases, text)
		}
		args := l.args(list)
		if k == nil && len(args) == 1 {
			args[0].X = l.once(args[0].X, l.Start(name))
		}
		if typ == 0 && !field {
			typ = l.typ(name)
		}
		if typ != 0 {
			x := l.New(typ, args, l.Start(l.last(name)))
			l.Flag(x, ir.Implicit)
			l.Eval(x)
		}
		if field && typ == 0 || k == nil && l.Kind(name) == "field_identifier" {
			this := l.Unary(ir.This, 0, l.Start(name))
			for _, a := range args {
				if len(args) == 1 && a.X != 0 {
					l.Bind(l.Attr(this, text, l.Start(name)), a.X)
				} else if typ == 0 {
					l.Keep(a.X)
				}
			}
		}
	}
}
