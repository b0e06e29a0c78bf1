// Package lower lowers Python.
//
// A file is read twice. The first pass (scan.go) goes over the nodes in the order
// of the text and notes which names each function binds: in Python a name that is
// assigned anywhere in a function is local to all of it. The second pass walks
// the statements.
//
// The intermediate representation does not keep the order of statements, but the
// meaning of a Python variable depends on it: "x = A()" and later "x = B()" are
// two things with one name. So a name that is assigned more than once becomes one
// variable for each assignment (scope.go), where no closure can see it change.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{Walker: walk.New(language, t)}
	l.scan()
	l.enterModule()
	l.stmts(l.Root())
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker

	scopes []scope // of the module and each function, in the order of the text
	inner  map[uint64]struct{}
	slots  []slot // by ir.Str: what a name means here
	names  []name // by ir.Str: what is known of a name of the module
	undo   []change
	frame  frame
	blocks int32 // the number of blocks so far
	public map[ir.Str]bool
	types  []ir.TypeParam     // type variables met in the signature that is being read
	bounds map[ir.Str]ir.Expr // of TypeVars
}

// A frame is the module, function or class that is being lowered.
type frame struct {
	class  ir.Class // when directly in a class
	block  int32    // the innermost block
	inFunc bool     // in a function or lambda, however deep
	self   ir.Var   // the receiver of the method, also in functions within
	of     ir.Class // the class of that method
	once   bool     // a context manager: what it yields, it yields once
	typing bool     // under "if TYPE_CHECKING"
	where  ir.Expr  // a variable that is None here, or, Given, is not
	static bool     // in a type or base: names have no versions there
}

// A name is what is known of a name at the top of the file.
type name struct {
	bound       bool // something at the top of the file binds it
	multi       bool // more than once, and not only by imports
	onlyImports bool
	global      bool      // a function declares it global
	typeVar     bool      // it is a TypeVar
	top         ir.Var    // the variable, once it is declared
	class       ir.Class  // the class that is being written has it as a member
	imports     ir.Import // the import that brings it
}

// id enters the text of an identifier.
func (l *lowerer) id(n syntax.Node) ir.Str { return l.StrBytes(l.Bytes(n)) }

// text returns the string of an identifier, made once for all its uses.
func (l *lowerer) text(s ir.Str) string { return l.Raw().Strings[s] }

// name returns what is known of a name of the module. The pointer is valid until
// the next call.
func (l *lowerer) name(s ir.Str) *name {
	if int(s) >= len(l.names) {
		l.names = append(l.names, make([]name, int(s)+64-len(l.names))...)
	}
	return &l.names[s]
}

// builtin reports whether a name means what the language gives it here: nothing
// in the file binds it.
func (l *lowerer) builtin(s ir.Str) bool { return l.slot(s).v == 0 && !l.name(s).bound }

// twice returns two uses of a value that is evaluated once.
func (l *lowerer) twice(x ir.Expr, pos int) (ir.Expr, ir.Expr) {
	if x == 0 {
		return 0, 0
	}
	switch l.OpOf(x) {
	case ir.Local, ir.Name, ir.Lit, ir.Lambda, ir.ClassX:
		return x, x
	}
	v := l.Hold(x, pos)
	return l.Local(v, pos), l.Local(v, pos)
}
