package cfamily

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A declarator is what a declarator declares. In "int *(*f)(int)" the name is f,
// and fn the function that it points to; isFunc is false, as f is a variable.
type declarator struct {
	name    syntax.Node // none for an abstract one
	fn      syntax.Node // the innermost function_declarator
	isFunc  bool        // the name is a function's
	pointer bool        // or a reference
	array   bool
	outer   bool // the name is a path: a::f
	binding syntax.Node
}

// inner returns the declarator inside of d, or none.
func (l *lowering) inner(d syntax.Node) syntax.Node {
	if in := l.t.Child(d, "declarator"); in != 0 {
		return in
	}
	switch l.t.Kind(d) {
	case "parenthesized_declarator", "reference_declarator", "pointer_declarator", "variadic_declarator", "abstract_reference_declarator",
		"attributed_declarator", "abstract_parenthesized_declarator":
		var in syntax.Node
		for c := range l.t.NamedChildren(d) {
			switch l.t.Kind(c) {
			case "type_qualifier", "ms_based_modifier", "ms_call_modifier", "ms_pointer_modifier", "ERROR", "attribute_declaration", "attribute_specifier":
			default:
				in = c
			}
		}
		return in
	}
	return 0
}

// declarator finds out what d declares.
func (l *lowering) declarator(d syntax.Node) declarator {
	var out declarator
	for range maxDepth {
		switch l.t.Kind(d) {
		case "pointer_declarator", "reference_declarator":
			out.pointer, out.isFunc = true, false
		case "array_declarator":
			out.array, out.isFunc = true, false
		case "function_declarator":
			out.fn, out.isFunc = d, true
		case "identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "primitive_type":
			out.name = d
			return out
		case "operator_cast":
			out.name, out.isFunc = d, true
			return out
		case "qualified_identifier":
			if l.t.Kind(l.t.Child(d, "name")) == "pointer_type_declarator" { // int (A::*f)(int)
				out.name = l.t.Child(l.t.Child(d, "name"), "declarator")
				out.isFunc = false
				return out
			}
			out.name, out.outer = d, l.t.Child(d, "scope") != 0
			if l.t.Kind(l.last(d)) == "operator_cast" {
				out.isFunc = true
			}
			return out
		case "template_function", "template_method":
			out.name = l.t.Child(d, "name")
			return out
		case "structured_binding_declarator":
			out.binding = d
			return out
		}
		if d = l.inner(d); d == 0 {
			return out
		}
	}
	return out
}

// specifier reports whether n has a storage class or specifier of that word.
func (l *lowering) specifier(n syntax.Node, word string) bool {
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "storage_class_specifier", "type_qualifier", "virtual_specifier":
			if string(l.t.Bytes(c)) == word {
				return true
			}
		}
		if l.t.Field(c) == "declarator" {
			break
		}
	}
	return false
}

// function lowers the definition of a function outside of a class.
func (l *lowering) function(n syntax.Node) {
	dec := l.declarator(l.t.Child(n, "declarator"))
	if dec.name == 0 || !dec.isFunc {
		// What the grammar takes for a function is often a macro's use.
		l.typ(l.t.Child(n, "type"))
		l.stmt(l.t.Child(n, "body"))
		return
	}
	if dec.outer {
		l.outOfClass(n, dec)
		return
	}
	if l.t.Child(n, "type") == 0 && l.testMacro(n, dec) {
		return
	}
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	if name == "main" {
		l.b.FuncInfo(f).Flags |= ir.Entry
	}
	static := l.finish(n, f, dec)
	l.body(n)
	l.b.EndFunc(l.t.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Exported: !static}, l.t.Start(dec.name))
}

// finish sets the flags of a function that is no method, and reports whether it
// is seen in its file alone.
func (l *lowering) finish(n syntax.Node, f ir.Func, dec declarator) bool {
	info := l.b.FuncInfo(f)
	if info.Class != 0 { // a namespace
		info.Flags |= ir.Static
	}
	if l.t.Kind(dec.name) == "operator_name" {
		info.Flags |= ir.Operator
	}
	static := l.private || l.specifier(n, "static")
	if static {
		info.Flags |= ir.Private
	}
	return static
}

// signature begins a function and lowers its results and parameters.
func (l *lowering) signature(n syntax.Node, dec declarator, name string) ir.Func {
	result := l.typ(l.t.Child(n, "type"))
	if trail := l.t.ChildOf(dec.fn, "trailing_return_type"); trail != 0 {
		result = l.typ(l.t.NamedChild(trail, 0))
	}
	f := l.begin(name, l.last(dec.name), n)
	info := l.b.FuncInfo(f)
	if !l.isVoid(result) {
		info.Results = []ir.Expr{result}
	}
	info.SetTypeParams(l.taken())
	l.params(n, dec.fn)
	return f
}

func (l *lowering) isVoid(x ir.Expr) bool {
	return x == 0 || l.b.Raw().Exprs[x].Op == ir.Name && l.b.Raw().String(l.b.Raw().Exprs[x].Name) == "void"
}

// params lowers parameters; n is the definition, for the types of K&R style.
func (l *lowering) params(n, fn syntax.Node) {
	for p := range l.t.NamedChildren(l.t.Child(fn, "parameters")) {
		l.param(n, p)
	}
}

func (l *lowering) param(n, p syntax.Node) {
	kind := ir.Positional
	switch l.t.Kind(p) {
	case "identifier":
		l.b.Param(l.t.Text(p), l.oldStyle(n, p), 0, kind, l.t.Start(p))
		return
	case "variadic_parameter":
		l.b.Param("...", 0, 0, ir.Variadic, l.t.Start(p))
		return
	case "variadic_parameter_declaration":
		kind = ir.Variadic
	case "parameter_declaration", "optional_parameter_declaration":
	default:
		return
	}
	spec := l.t.Child(p, "type")
	d := l.t.Child(p, "declarator")
	if d == 0 && string(l.t.Bytes(spec)) == "void" {
		return
	}
	dec := l.declarator(d)
	typ := l.declared(l.typ(spec), dec)
	value := ir.Expr(0)
	if v := l.t.Child(p, "default_value"); v != 0 {
		value = l.expr(v)
	}
	name, at := "", p
	if dec.name != 0 {
		name, at = l.t.Text(dec.name), dec.name
	}
	if name == "" { // several may be without a name
		v := l.b.Temp(l.t.Start(at))
		l.b.VarInfo(v).Type = typ
		info := l.b.FuncInfo(l.b.Func())
		info.Params = append(info.Params, ir.Param{Var: v, Type: typ, Default: value, Kind: kind})
		return
	}
	l.b.Param(name, typ, value, kind, l.t.Start(at))
}

// oldStyle finds the declaration of a parameter after the parameter list.
func (l *lowering) oldStyle(n, p syntax.Node) ir.Expr {
	for c := range l.t.NamedChildren(n) {
		if l.t.Kind(c) != "declaration" {
			continue
		}
		for d := range l.t.NamedChildren(c) {
			if l.t.Field(d) != "declarator" {
				continue
			}
			dec := l.declarator(d)
			if dec.name == 0 || string(l.t.Bytes(dec.name)) != string(l.t.Bytes(p)) {
				continue
			}
			return l.declared(l.typ(l.t.Child(c, "type")), dec)
		}
	}
	return 0
}

// body lowers the body of the function that has begun.
func (l *lowering) body(n syntax.Node) {
	body := l.t.Child(n, "body")
	if l.t.Kind(body) == "compound_statement" {
		l.block(body)
		return
	}
	l.stmt(body)
}

// prototype lowers the declaration of a function.
func (l *lowering) prototype(n syntax.Node, dec declarator) {
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	l.b.FuncInfo(f).Flags |= ir.Prototype
	static := l.finish(n, f, dec)
	l.b.EndFunc(l.t.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Exported: !static}, l.t.Start(dec.name))
}

// method lowers a function in a class, with or without its body; d is its
// declarator, one of several perhaps.
func (l *lowering) method(n syntax.Node, k *class, d syntax.Node) {
	dec := l.declarator(d)
	if dec.name == 0 || l.t.ChildOf(n, "delete_method_clause") != 0 {
		return
	}
	if !dec.isFunc && dec.fn != 0 {
		return
	}
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	info := l.b.FuncInfo(f)
	static := l.specifier(n, "static")
	switch {
	case name == k.name && name != "":
		info.Flags |= ir.Constructor
	case l.t.Kind(dec.name) == "operator_name" || l.t.Kind(dec.name) == "operator_cast":
		info.Flags |= ir.Operator
		if l.t.Kind(dec.name) == "operator_cast" {
			info.Results = []ir.Expr{l.typ(l.t.Child(dec.name, "type"))}
		}
	}
	if static {
		info.Flags |= ir.Static
	}
	if l.virtual(n, dec) {
		info.Flags |= ir.Virtual
	}
	switch {
	case l.t.ChildOf(n, "pure_virtual_clause") != 0 || l.pure(n):
		info.Flags |= ir.Abstract
	case l.t.Child(n, "body") == 0 && l.t.ChildOf(n, "default_method_clause") == 0 && l.t.ChildOf(n, "try_statement") == 0:
		info.Flags |= ir.Prototype
	}
	l.initializers(n, k)
	l.body(n)
	l.b.EndFunc(l.t.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Static: static, Exported: true}, l.t.Start(dec.name))
}

// virtual reports whether a method says that it may be overridden, or overrides.
func (l *lowering) virtual(n syntax.Node, dec declarator) bool {
	if l.t.ChildOf(n, "virtual") != 0 {
		return true
	}
	return l.t.ChildOf(dec.fn, "virtual_specifier") != 0
}

// pure reports whether a declared method is "= 0".
func (l *lowering) pure(n syntax.Node) bool {
	v := l.t.Child(n, "default_value")
	return v != 0 && string(l.t.Bytes(v)) == "0"
}

// outOfClass lowers the definition of a member outside of its class: A::f. A
// function that is declared in a namespace may be defined like that, too.
func (l *lowering) outOfClass(n syntax.Node, dec declarator) {
	path := l.path(l.t.Child(dec.name, "scope"))
	for rest := l.t.Child(dec.name, "name"); l.t.Kind(rest) == "qualified_identifier"; rest = l.t.Child(rest, "name") {
		path = append(path, l.path(l.t.Child(rest, "scope"))...)
	}
	at := l.last(dec.name)
	name := l.name(at)
	recv := l.names(path, l.t.Start(dec.name))
	f := l.signature(n, dec, name)
	info := l.b.FuncInfo(f)
	info.Recv = recv
	switch kind := l.t.Kind(at); {
	case len(path) > 0 && name == path[len(path)-1]:
		info.Flags |= ir.Constructor
	case kind == "operator_name":
		info.Flags |= ir.Operator
	case kind == "operator_cast":
		info.Flags |= ir.Operator
		info.Results = []ir.Expr{l.typ(l.t.Child(at, "type"))}
	}
	if len(path) > 0 {
		l.initializers(n, l.known[path[len(path)-1]])
	}
	l.body(n)
	l.b.EndFunc(l.t.End(n))
}

// testMacro lowers a definition like TEST(Suite, Name) {...} of the test
// libraries, and reports whether n is one. The test is called Suite.Name; with a
// fixture it is a method of it.
func (l *lowering) testMacro(n syntax.Node, dec declarator) bool {
	macro := l.t.Text(dec.name)
	fixture := false
	switch macro {
	case "TEST", "BOOST_AUTO_TEST_CASE", "TEST_CASE", "SCENARIO", "BENCHMARK":
	case "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BOOST_FIXTURE_TEST_CASE":
		fixture = true
	default:
		return false
	}
	var words []string
	first := syntax.Node(0)
	for p := range l.t.NamedChildren(l.t.Child(dec.fn, "parameters")) {
		if spec := l.t.Child(p, "type"); spec != 0 {
			if first == 0 {
				first = spec
			}
			words = append(words, l.t.Text(spec))
		}
	}
	if len(words) == 0 {
		return false
	}
	name := strings.Join(words, ".")
	var recv ir.Expr
	if fixture && len(words) > 1 {
		name, recv = words[1], l.typ(first)
	}
	f := l.begin(name, dec.name, n)
	info := l.b.FuncInfo(f)
	info.Flags |= ir.TestFunc
	info.Recv = recv
	l.body(n)
	l.b.EndFunc(l.t.End(n))
	if recv == 0 {
		l.defineAs(ir.FuncMember, uint32(f), name, l.t.Start(dec.name))
	}
	return true
}
