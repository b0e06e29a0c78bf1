package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A declarator is what a declarator declares. In "int *(*f)(int)" the name is f,
// and fn the function that it points to; isFunc is false, as f is a variable.
type declarator struct {
	name    syntax.Node // none for an abstract one
	fn      syntax.Node // the innermost function_declarator
	isFunc  bool        // the name is a function's
	pointer bool        // or a reference
	address bool        // a pointer, not a reference
	array   bool
	outer   bool // the name is a path: a::f
	binding syntax.Node
}

// inner returns the declarator inside of d, or none.
func (l *lowerer) inner(d syntax.Node) syntax.Node {
	if in := l.Child(d, "declarator"); in != 0 {
		return in
	}
	switch l.Kind(d) {
	case "parenthesized_declarator", "reference_declarator", "pointer_declarator", "variadic_declarator", "abstract_reference_declarator",
		"attributed_declarator", "abstract_parenthesized_declarator":
		var in syntax.Node
		for c := range l.NamedChildren(d) {
			switch l.Kind(c) {
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
func (l *lowerer) declarator(d syntax.Node) declarator {
	var out declarator
	for range walk.MaxDepth {
		switch l.Kind(d) {
		case "pointer_declarator", "reference_declarator":
			out.pointer, out.isFunc = true, false
			out.address = out.address || l.Kind(d) == "pointer_declarator"
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
			if l.Kind(l.Child(d, "name")) == "pointer_type_declarator" { // int (A::*f)(int)
				out.name = l.Child(l.Child(d, "name"), "declarator")
				out.isFunc = false
				return out
			}
			out.name, out.outer = d, l.Child(d, "scope") != 0
			if l.Kind(l.last(d)) == "operator_cast" {
				out.isFunc = true
			}
			return out
		case "template_function", "template_method":
			out.name = l.Child(d, "name")
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
func (l *lowerer) specifier(n syntax.Node, word string) bool {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "storage_class_specifier", "type_qualifier", "virtual_specifier":
			if string(l.Bytes(c)) == word {
				return true
			}
		}
		if l.Field(c) == "declarator" {
			break
		}
	}
	return false
}

// function lowers the definition of a function outside of a class.
func (l *lowerer) function(n syntax.Node) {
	dec := l.declarator(l.Child(n, "declarator"))
	if !dec.isFunc && l.marked(n, dec) {
		return
	}
	if dec.name == 0 || !dec.isFunc {
		// What the grammar takes for a function is often a macro's use.
		l.typ(l.Child(n, "type"))
		l.stmt(l.Child(n, "body"))
		return
	}
	if dec.outer {
		l.outOfClass(n, dec)
		return
	}
	if l.Child(n, "type") == 0 && l.testMacro(n, dec) {
		return
	}
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	if name == "main" {
		l.FuncInfo(f).Flags |= ir.Entry
	}
	static := l.finish(n, f, dec)
	l.body(n)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, false, !static, l.Start(dec.name))
}

// finish sets the flags of a function that is no method, and reports whether it
// is seen in its file alone.
func (l *lowerer) finish(n syntax.Node, f ir.Func, dec declarator) bool {
	info := l.FuncInfo(f)
	if info.Class != 0 { // a namespace
		info.Flags |= ir.Static
	}
	info.Flags |= walk.When(l.Kind(dec.name) == "operator_name", ir.Operator)
	static := l.private || l.specifier(n, "static")
	info.Flags |= walk.When(static, ir.Private)
	return static
}

// signature begins a function and lowers its results and parameters.
func (l *lowerer) signature(n syntax.Node, dec declarator, name string) ir.Func {
	result := l.typ(l.Child(n, "type"))
	if trail := l.ChildOf(dec.fn, "trailing_return_type"); trail != 0 {
		result = l.typ(l.NamedChild(trail, 0))
	}
	f := l.begin(name, l.last(dec.name), n)
	info := l.FuncInfo(f)
	if !l.isVoid(result) {
		info.Results = []ir.Expr{result}
	}
	info.SetTypeParams(l.taken())
	l.params(n, dec.fn)
	return f
}

func (l *lowerer) isVoid(x ir.Expr) bool {
	return x == 0 || l.OpOf(x) == ir.Name && l.Raw().String(l.Raw().Exprs[x].Name) == "void"
}

// params lowers parameters; n is the definition, for the types of K&R style.
func (l *lowerer) params(n, fn syntax.Node) {
	for p := range l.NamedChildren(l.Child(fn, "parameters")) {
		l.param(n, p)
	}
}

func (l *lowerer) param(n, p syntax.Node) {
	kind := ir.Positional
	switch l.Kind(p) {
	case "identifier":
		l.Param(l.Text(p), l.oldStyle(n, p), 0, kind, l.Start(p))
		return
	case "variadic_parameter":
		l.Param("...", 0, 0, ir.Variadic, l.Start(p))
		return
	case "variadic_parameter_declaration":
		kind = ir.Variadic
	case "parameter_declaration", "optional_parameter_declaration":
	default:
		return
	}
	spec := l.Child(p, "type")
	d := l.Child(p, "declarator")
	if d == 0 && string(l.Bytes(spec)) == "void" {
		return
	}
	dec := l.declarator(d)
	typ := l.declared(l.typ(spec), dec)
	value := ir.Expr(0)
	if v := l.Child(p, "default_value"); v != 0 {
		value = l.expr(v)
	}
	name, at := "", p
	if dec.name != 0 {
		name, at = l.Text(dec.name), dec.name
	}
	if name == "" { // several may be without a name
		v := l.Temp(l.Start(at))
		l.VarInfo(v).Type = typ
		info := l.FuncInfo(l.Func())
		info.Params = append(info.Params, ir.Param{Var: v, Type: typ, Default: value, Kind: kind})
		return
	}
	l.Param(name, typ, value, kind, l.Start(at))
}

// oldStyle finds the declaration of a parameter after the parameter list.
func (l *lowerer) oldStyle(n, p syntax.Node) ir.Expr {
	for c := range l.OfKind(n, "declaration") {
		for d := range l.NamedChildren(c) {
			if l.Field(d) != "declarator" {
				continue
			}
			dec := l.declarator(d)
			if dec.name == 0 || string(l.Bytes(dec.name)) != string(l.Bytes(p)) {
				continue
			}
			return l.declared(l.typ(l.Child(c, "type")), dec)
		}
	}
	return 0
}

// body lowers the body of the function that has begun.
func (l *lowerer) body(n syntax.Node) {
	body := l.Child(n, "body")
	if l.Kind(body) == "compound_statement" {
		l.block(body)
		return
	}
	l.stmt(body)
}

// prototype lowers the declaration of a function.
func (l *lowerer) prototype(n syntax.Node, dec declarator) {
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	l.FuncInfo(f).Flags |= ir.Prototype
	static := l.finish(n, f, dec)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, false, !static, l.Start(dec.name))
}

// method lowers a function in a class, with or without its body; d is its
// declarator, one of several perhaps.
func (l *lowerer) method(n syntax.Node, k *class, d syntax.Node) {
	dec := l.declarator(d)
	if dec.name == 0 || l.ChildOf(n, "delete_method_clause") != 0 {
		return
	}
	if !dec.isFunc && dec.fn != 0 {
		return
	}
	name := l.name(dec.name)
	f := l.signature(n, dec, name)
	info := l.FuncInfo(f)
	static := l.specifier(n, "static")
	switch {
	case name == k.name && name != "":
		info.Flags |= ir.Constructor
	case l.Kind(dec.name) == "operator_name" || l.Kind(dec.name) == "operator_cast":
		info.Flags |= ir.Operator
		if l.Kind(dec.name) == "operator_cast" {
			info.Results = []ir.Expr{l.typ(l.Child(dec.name, "type"))}
		}
	}
	info.Flags |= walk.When(static, ir.Static)
	info.Flags |= walk.When(l.virtual(n, dec), ir.Virtual)
	switch {
	case l.ChildOf(n, "pure_virtual_clause") != 0 || l.pure(n):
		info.Flags |= ir.Abstract
	case l.Child(n, "body") == 0 && l.ChildOf(n, "default_method_clause") == 0 && l.ChildOf(n, "try_statement") == 0:
		info.Flags |= ir.Prototype
	}
	l.initializers(n, k)
	l.body(n)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, static, true, l.Start(dec.name))
}

// virtual reports whether a method says that it may be overridden, or overrides.
func (l *lowerer) virtual(n syntax.Node, dec declarator) bool {
	if l.ChildOf(n, "virtual") != 0 {
		return true
	}
	return l.ChildOf(dec.fn, "virtual_specifier") != 0
}

// pure reports whether a declared method is "= 0".
func (l *lowerer) pure(n syntax.Node) bool {
	v := l.Child(n, "default_value")
	return v != 0 && string(l.Bytes(v)) == "0"
}

// outOfClass lowers the definition of a member outside of its class: A::f. A
// function that is declared in a namespace may be defined like that, too.
func (l *lowerer) outOfClass(n syntax.Node, dec declarator) {
	path := l.path(l.Child(dec.name, "scope"))
	for rest := l.Child(dec.name, "name"); l.Kind(rest) == "qualified_identifier"; rest = l.Child(rest, "name") {
		path = append(path, l.path(l.Child(rest, "scope"))...)
	}
	at := l.last(dec.name)
	name := l.name(at)
	recv := l.names(path, l.Start(dec.name))
	f := l.signature(n, dec, name)
	info := l.FuncInfo(f)
	info.Recv = recv
	switch kind := l.Kind(at); {
	case len(path) > 0 && name == path[len(path)-1]:
		info.Flags |= ir.Constructor
	case kind == "operator_name":
		info.Flags |= ir.Operator
	case kind == "operator_cast":
		info.Flags |= ir.Operator
		info.Results = []ir.Expr{l.typ(l.Child(at, "type"))}
	}
	if len(path) > 0 {
		l.initializers(n, l.known[path[len(path)-1]])
	}
	l.body(n)
	l.EndFunc(l.End(n))
}

// testMacro lowers a definition like TEST(Suite, Name) {...} of the test
// libraries, and reports whether n is one. The test is called Suite.Name; with a
// fixture it is a method of it.
func (l *lowerer) testMacro(n syntax.Node, dec declarator) bool {
	macro := l.Text(dec.name)
	fixture := false
	switch macro {
	case "TEST", "BOOST_AUTO_TEST_CASE", "TEST_CASE", "SCENARIO", "BENCHMARK":
	case "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BOOST_FIXTURE_TEST_CASE":
		fixture = true
	default: // a macro of the project's own for it
		if fixture = strings.Contains(macro, "TEST") && (strings.Contains(macro, "FIXTURE") || strings.HasSuffix(macro, "_F")); !fixture {
			return false
		}
	}
	var words []string
	first := syntax.Node(0)
	for p := range l.NamedChildren(l.Child(dec.fn, "parameters")) {
		if spec := l.Child(p, "type"); spec != 0 {
			if first == 0 {
				first = spec
			}
			words = append(words, l.Text(spec))
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
	info := l.FuncInfo(f)
	info.Flags |= ir.TestFunc
	info.Recv = recv
	l.body(n)
	l.EndFunc(l.End(n))
	if recv == 0 {
		// No name of the scope: TEST(put) is no put, which it may well call.
		l.defineAs(ir.FuncMember, uint32(f), macro+"."+name, l.Start(dec.name))
	}
	return true
}
