// Package lower lowers Rust.
//
// What the intermediate representation has no word for is written so:
//
//   - An inline module is a Namespace. Its "use" declarations are members of it, a
//     glob one under the name "*". Paths that begin with self or super are made
//     relative to the file's own module, whatever module they are written in.
//   - A path that begins with crate, self or super is an Imported value of its
//     first name, and attributes from there on.
//   - An enum variant with fields is a Struct within the enum, derived from it; one
//     without is a static variable of the enum's type. Fields of tuple structs are
//     named "0", "1".
//   - Some(x) and Ok(x) are Lists named "Option" and "Result", Err(x) is Opaque; a
//     pattern Some(p) binds p to Await of the value, and Err(p) to its item "Err".
//   - <T as Trait>::f is an attribute of Apply(Trait, "as", T).
//   - A path that is called without arguments where a type T is wanted is Apply(path,
//     "wanted", T).
//   - The arguments of macros, which the grammar leaves as tokens, are read by a
//     small parser (tokens.go).
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{Walker: walk.New(language, t), items: map[ir.Var]ir.Class{}, heads: map[string]ir.Import{}, structs: map[string]bool{}}
	l.itemList(l.Root())
	return l.File()
}

type lowerer struct {
	walk.Walker

	modules []string            // the inline modules around, outermost first
	items   map[ir.Var]ir.Class // locals that are items, and which class they are
	heads   map[string]ir.Import
	structs map[string]bool // the paths of those that only some builds have
	barrier ir.Var          // locals before it belong to a function around an item: not visible
	self    ir.Expr
	trait   bool // self is the trait itself: Self may be any of its implementations
	// conditional: in a use that only some builds have
	conditional bool
	pointee     syntax.Node // what the type of the implementation around points to

	want   ir.Expr // the type of the next expression, where what is around it says so
	result ir.Expr // of the function around

	generics []string // the type parameters in scope
	breaks   []ir.Var // of each loop around, the variable of its value; 0 before the first
	again    int      // in the second alternative of a pattern: names are known by then
	tokens   []syntax.Node
	noStruct bool // in tokens: a brace after a path does not begin a struct literal
}

func (l *lowerer) text(n syntax.Node) string {
	if n == 0 {
		return ""
	}
	s := l.Text(n)
	if len(s) > 2 && s[0] == 'r' && s[1] == '#' {
		return s[2:]
	}
	return s
}

// name is the use of a value's name.
func (l *lowerer) name(name string, pos int) ir.Expr {
	if v := l.Lookup(name); v != 0 && (v >= l.barrier || l.isItem(v)) {
		return l.Local(v, pos)
	}
	return l.Free(name, pos)
}

// scopeName is the use of a name where only items are looked up: types and what
// stands before "::". Free ones have the flag Path, for what a value's name means that
// nothing has is not known, and what a path begins with is a package.
func (l *lowerer) scopeName(name string, pos int) ir.Expr {
	if v := l.Lookup(name); v != 0 {
		if c, ok := l.items[v]; ok {
			if c != 0 {
				return l.ClassX(c, pos)
			}
			return l.Local(v, pos)
		}
	}
	return l.Flag(l.Free(name, pos), ir.Path)
}

func (l *lowerer) isItem(v ir.Var) bool {
	_, ok := l.items[v]
	return ok
}

// once holds a value that is used more than once.
func (l *lowerer) once(x ir.Expr, pos int) ir.Expr {
	switch op := l.OpOf(x); {
	case x == 0 || op == ir.Local || op == ir.Name:
		return x
	}
	v := l.Local(l.Temp(pos), pos)
	l.Bind(v, x)
	return v
}

// isUpper reports whether a name is one of a type, variant or constant.
func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// isCamel reports whether a name is one of a type or variant, not of a constant.
func isCamel(name string) bool {
	if !isUpper(name) {
		return false
	}
	for i := 1; i < len(name); i++ {
		if name[i] >= 'a' && name[i] <= 'z' {
			return true
		}
	}
	return len(name) == 1
}
