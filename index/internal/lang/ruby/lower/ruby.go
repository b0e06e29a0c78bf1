// Package lower lowers Ruby.
//
// What the language makes hard, and what becomes of it:
//
//   - A bare word that is no local variable is a call without arguments. A call
//     without a receiver is one of a free Name in a method, and of an Attr of the
//     class in a class's body.
//   - Modules are Traits. A class or module that is opened again is one more
//     class of the same name, which may be a path; the graph puts them together.
//   - x.new(...) is a New, whatever x is. x.y = z is a call of "y=".
//   - attr_reader and its like make the methods that they make in Ruby, and so do
//     define_method, alias, delegate and Struct.new where the names are constant.
//   - A block is a Lambda, passed as an argument of kind Block; yield calls the
//     block parameter, which is named "yield" where the method does not name it.
//     The blocks of each, map and other methods of containers get the elements.
//   - An instance variable is an Attr of This, with its "@".
//   - A group of examples (describe, context) is a class, an example (it, test) a
//     method of it that is called by what it says, and let a method.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{Walker: walk.New(language, t), scopes: []scope{{gate: true}}}
	l.Keep(l.sequence(l.Root()))
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker
	scopes []scope

	method *method    // that is being written, or nil
	body   *body      // of the class that is being written directly, or nil
	bare   *bareBlock // the block that is being written, if it has no parameters
	group  *group     // of examples
	proc   blockInfo  // the function of &:name in the arguments lowered last
}

// A method is what is to be known inside of one.
type method struct {
	fn    ir.Func
	name  string
	block ir.Var // the block parameter, once there is one
}

// A body is the state of a class's body.
type body struct {
	class     ir.Class
	private   bool // what follows is private
	function  bool // what follows is a function of the module: module_function
	singleton bool // class << self
}

// A scope holds the local variables of a method, block or branch.
type scope struct {
	vars   map[string]ir.Var
	gate   bool              // outer ones are not seen: def, class
	narrow map[string]ir.Var // variables of a branch in which their class is known, and what they narrow
}

func (l *lowerer) push(gate bool) { l.scopes = append(l.scopes, scope{gate: gate}) }
func (l *lowerer) pop()           { l.scopes = l.scopes[:len(l.scopes)-1] }

// lookup finds the variable of a name, or 0.
func (l *lowerer) lookup(name string) ir.Var {
	for i := len(l.scopes) - 1; i >= 0; i-- {
		if v, ok := l.scopes[i].vars[name]; ok {
			return v
		}
		if l.scopes[i].gate {
			break
		}
	}
	return 0
}

// declare makes a variable in the innermost scope.
func (l *lowerer) declare(name string, pos int) ir.Var {
	v := l.Temp(pos)
	l.VarInfo(v).Name = l.Str(name)
	l.keep(name, v)
	return v
}

func (l *lowerer) keep(name string, v ir.Var) {
	s := &l.scopes[len(l.scopes)-1]
	if s.vars == nil {
		s.vars = map[string]ir.Var{}
	}
	s.vars[name] = v
}

// assigned returns the variable that an assignment to a name is one of.
func (l *lowerer) assigned(name string, pos int) ir.Var {
	if v := l.lookup(name); v != 0 {
		return v
	}
	return l.declare(name, pos)
}

// widened returns the variable that v narrows, or 0.
func (l *lowerer) widened(name string, v ir.Var) ir.Var {
	for i := len(l.scopes) - 1; i >= 0; i-- {
		if l.scopes[i].vars[name] == v {
			return l.scopes[i].narrow[name]
		}
		if l.scopes[i].gate {
			break
		}
	}
	return 0
}

// narrow makes the name of a variable mean an instance of a class in the
// innermost scope.
func (l *lowerer) narrow(name string, class ir.Expr, pos int) {
	outer := l.lookup(name)
	if outer == 0 || class == 0 {
		return
	}
	v := l.declare(name, pos)
	s := &l.scopes[len(l.scopes)-1]
	if s.narrow == nil {
		s.narrow = map[string]ir.Var{}
	}
	s.narrow[name] = outer
	l.Bind(l.Local(v, pos), l.Binary(ir.Cast, l.Local(outer, pos), class, pos))
}

// once returns x, or a variable that holds it where reading x twice would call
// twice.
func (l *lowerer) once(x ir.Expr, pos int) ir.Expr {
	if x == 0 {
		return 0
	}
	switch n := l.Raw().Exprs[x]; n.Op {
	case ir.Local, ir.Lit, ir.This, ir.Name, ir.ClassX:
		return x
	case ir.Attr:
		if n.A != 0 && l.Raw().Exprs[n.A].Op == ir.This {
			return x
		}
	}
	return l.Local(l.Hold(x, pos), pos)
}

// sequence lowers statements; its value is that of the last one.
func (l *lowerer) sequence(n syntax.Node) ir.Expr {
	var last ir.Expr
	assigned := false // last only reads what was assigned
	for c := range l.NamedChildren(n) {
		kind := l.Kind(c)
		switch kind {
		case "rescue", "else", "ensure":
			last = l.Union(last, l.expr(c))
			continue
		}
		if !assigned {
			l.Keep(last)
		}
		last = l.expr(c)
		assigned = kind == "assignment" || kind == "operator_assignment"
	}
	return last
}

// self is the receiver: the class in its body, and nothing at the top.
func (l *lowerer) self(pos int) ir.Expr {
	switch {
	case l.body != nil:
		return l.ClassX(l.body.class, pos)
	case l.method == nil && l.Enclosing() == 0:
		return 0
	}
	return l.Unary(ir.This, 0, pos)
}

// callable is a method of the receiver as something to be called.
func (l *lowerer) callable(name string, pos int) ir.Expr {
	if l.body != nil {
		return l.Attr(l.ClassX(l.body.class, pos), name, pos)
	}
	return l.Free(name, pos)
}

// symbol returns the name that a symbol or plain string says, or "".
func (l *lowerer) symbol(n syntax.Node) string {
	switch l.Kind(n) {
	case "simple_symbol":
		if text := l.Text(n); len(text) > 1 {
			return text[1:]
		}
	case "string":
		if c := l.NamedChild(n, 0); l.Kind(c) == "string_content" && l.NamedChild(n, 1) == 0 {
			return l.Text(c)
		}
	case "delimited_symbol":
		if c := l.NamedChild(n, 0); l.Kind(c) == "string_content" && l.NamedChild(n, 1) == 0 {
			return l.Text(c)
		}
	case "hash_key_symbol", "bare_symbol", "bare_string":
		return l.Text(n)
	}
	return ""
}
