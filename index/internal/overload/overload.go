// Package overload says which calls of Java cannot be of a method or a constructor, by what the
// language's rules say of the types that their arguments are written with.
//
// A type is known only where the text leaves no doubt: of literals, of what new makes, of casts, of
// operators, and of names whose declaration is in sight with its type, which nothing in between can hide. All else,
// and whatever may be a type parameter, may be anything. What then cannot be converted to a
// parameter (JLS 5.3) cannot be meant (JLS 15.12.2).
package overload

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Class is what the index has of a type.
type Class struct {
	Interface bool
	Plain     bool     // it is a class or an interface: nothing is above an enum or a record but what it names
	Bases     []string // that it names
	File      []byte   // that has it
}

// A Lookup returns the types of the index that have a name.
type Lookup func(name string) []Class

// A Function is a method or a constructor with its parameters.
type Function struct {
	params   []typ
	variadic bool // the last one is that of the elements
}

// FunctionAt reads the function whose name stands at an offset.
func FunctionAt(t *syntax.Tree, at int) (f Function, ok bool) {
	r := reading{tree: t}
	r.wayTo(at)
	for _, n := range slices.Backward(r.way) {
		switch t.Kind(n) {
		case "method_declaration", "constructor_declaration":
		case "identifier":
			continue
		default:
			return f, false
		}
		if name := t.Child(n, "name"); t.Start(name) != at || r.broken() {
			return f, false
		}
		for p := range t.NamedChildren(t.Child(n, "parameters")) {
			switch t.Kind(p) {
			case "formal_parameter":
				f.params = append(f.params, r.declared(p, p))
			case "spread_parameter":
				f.params, f.variadic = append(f.params, r.declared(p, p)), true
			case "receiver_parameter":
			default:
				return f, false
			}
		}
		return f, true
	}
	return f, false
}

// Excludes reports whether what is called or made at an offset cannot be a function.
func (f *Function) Excludes(t *syntax.Tree, at int, types Lookup) bool {
	r := reading{tree: t}
	r.wayTo(at)
	list := r.arguments(at)
	if list == 0 || r.broken() {
		return false
	}
	n := 0
	for x := range t.NamedChildren(list) {
		if p, ok := f.param(n); !ok || !f.takes(r.typeOf(x), p, n, types) {
			return true
		}
		n++
	}
	return n < len(f.params) && (!f.variadic || n < len(f.params)-1)
}

func (f *Function) param(n int) (p typ, ok bool) {
	switch last := len(f.params) - 1; {
	case n <= last:
		return f.params[n], true
	case f.variadic:
		return f.params[last], true
	}
	return p, false
}

// takes reports whether the n-th argument may be passed.
func (f *Function) takes(a, p typ, n int, types Lookup) bool {
	if converts(a, p, types) {
		return true
	}
	if f.variadic && n == len(f.params)-1 {
		p.dims++
		return converts(a, p, types)
	}
	return false
}

// arguments returns the list of the call or the constructor that stands at an offset.
func (r *reading) arguments(at int) syntax.Node {
	t := r.tree
	for _, n := range slices.Backward(r.way) {
		var name syntax.Node
		switch t.Kind(n) {
		case "method_invocation", "enum_constant":
			name = t.Child(n, "name")
		case "object_creation_expression":
			name = t.ChildOf(n, "type_identifier", "scoped_type_identifier", "generic_type")
			if written, _, _ := strings.Cut(t.Text(name), "<"); at > t.Start(name) && at < t.Start(name)+len(written) || at == t.Start(n) {
				at = t.Start(name)
			}
		case "explicit_constructor_invocation":
			name = t.Child(n, "constructor")
		case "argument_list", "class_body", "block":
			return 0
		}
		if name != 0 && at != t.Start(name) {
			return 0
		}
		if name != 0 {
			return t.ChildOf(n, "argument_list")
		}
	}
	return 0
}
