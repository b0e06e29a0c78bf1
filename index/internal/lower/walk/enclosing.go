package walk

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An Enclosing is a class that is being written, in a language whose classes may be
// declared in functions and see the variables of these.
type Enclosing struct {
	Node syntax.Node
	Name string
	// Of a class in a function: its fields, which hide the function's variables, and
	// the first variable made in the class.
	fields map[string]bool
	first  ir.Var
}

// EnterClass begins the class that n declares. fields returns the names of its fields,
// and is called for a class in a function.
func (w *Walker) EnterClass(n syntax.Node, name string, kind ir.ClassKind, pos int, fields func() map[string]bool) ir.Class {
	e := Enclosing{Node: n, Name: name}
	if w.Func() != 1 {
		e.first = ir.Var(len(w.Raw().Vars))
		e.fields = fields()
	}
	w.Classes = append(w.Classes, e)
	return w.OpenClass(n, name, kind, pos)
}

// LeaveClass ends what EnterClass began.
func (w *Walker) LeaveClass(n syntax.Node) {
	w.Classes = w.Classes[:len(w.Classes)-1]
	w.EndClass(w.End(n))
}

// Variable finds the local variable that a name means, or 0: Lookup, but that a field of
// a class in a function hides a variable of the function.
func (w *Walker) Variable(name string) ir.Var {
	v := w.Lookup(name)
	for i := len(w.Classes) - 1; i >= 0 && v != 0; i-- {
		if c := &w.Classes[i]; v < c.first && c.fields[name] {
			return 0
		}
	}
	return v
}

// VariableOrFree is the use of a name: Name, but with Variable for Lookup.
func (w *Walker) VariableOrFree(name string, pos int) ir.Expr {
	if v := w.Variable(name); v != 0 {
		return w.Local(v, pos)
	}
	return w.Free(name, pos)
}

// LocalClass declares the variable that stands for a class in a function: the
// function's code sees it, and so does the class. It returns 0 for other classes.
func (w *Walker) LocalClass(name string, pos int) ir.Var {
	if w.Class() != 0 || w.AtTop() {
		return 0
	}
	v := w.Shadow(name, pos)
	if w.local == nil {
		w.local = map[ir.Var]bool{}
	}
	w.local[v] = true
	return v
}

// TypeName is the use of a type's name, which is local for a LocalClass only.
func (w *Walker) TypeName(name string, pos int) ir.Expr {
	if v := w.Lookup(name); v != 0 && w.local[v] {
		return w.Local(v, pos)
	}
	return w.Free(name, pos)
}
