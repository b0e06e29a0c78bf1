// Package walk is what the lowerings of all languages have in common. Each embeds a
// Walker, so that a newcomer to one language knows the words of all others: the tree
// is read by the methods of syntax.Tree, what becomes of it is written by those of
// ir.Builder, and the methods here are the steps between the two.
//
// What a language does not say in a way of its own is said here once: how deep trees
// may nest, how lists of arguments are collected, and what becomes of that which a
// lowering does not understand.
package walk

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// MaxDepth bounds the nesting that is followed; what lies deeper is left out. Real
// code stays below 100.
const MaxDepth = 1000

// A Walker is the lowering of one file: its tree, and the Builder of what it becomes.
type Walker struct {
	*syntax.Tree
	*ir.Builder
	depth    int
	args     []ir.Arg           // a stack of the lists that are being collected
	literals map[string]ir.Expr // by type

	Classes []Enclosing     // around what is being written, innermost last
	local   map[ir.Var]bool // the variables that stand for classes declared in functions

	narrowed map[ir.Var]ir.Var // from a narrowed variable to the one that it stands for
}

// New begins the lowering of a file.
func New(language string, t *syntax.Tree) Walker {
	return Walker{Tree: t, Builder: ir.NewBuilder(language, t.Source())}
}

// Enter begins to lower a node. It reports false for none, and for one that is nested
// too deep; after true the caller must Leave.
func (w *Walker) Enter(n syntax.Node) bool { return n != 0 && w.Nest() }

// Nest is Enter of what is not a node: text or tokens in which a language nests.
func (w *Walker) Nest() bool {
	if w.depth >= MaxDepth {
		return false
	}
	w.depth++
	return true
}

// Leave ends what Enter or Nest began.
func (w *Walker) Leave() { w.depth-- }

// Text returns the text of a node; names that were entered before are not copied.
func (w *Walker) Text(n syntax.Node) string { return w.Intern(w.Bytes(n)) }

// Is reports whether the text of a node is s.
func (w *Walker) Is(n syntax.Node, s string) bool { return string(w.Bytes(n)) == s }

// Or returns x, or a value that is not known where x is none: for places that must not
// be left out, as arguments are counted.
func (w *Walker) Or(x ir.Expr) ir.Expr {
	if x == 0 {
		return w.Expr(ir.Node{Op: ir.Opaque})
	}
	return x
}

// Literal is a literal of a type where its place does not matter: one serves the file.
func (w *Walker) Literal(typ string) ir.Expr {
	x, ok := w.literals[typ]
	if !ok {
		if w.literals == nil {
			w.literals = map[string]ir.Expr{}
		}
		x = w.Lit(typ, 0)
		w.literals[typ] = x
	}
	return x
}

// IsLiteral reports whether an expression is the Literal of a type.
func (w *Walker) IsLiteral(x ir.Expr, typ string) bool { return x != 0 && w.literals[typ] == x }

// Hold binds a value to a variable without a name, for what is read more than once and
// evaluated once.
func (w *Walker) Hold(x ir.Expr, pos int) ir.Var {
	v := w.Temp(pos)
	w.Bind(w.Local(v, pos), x)
	return v
}

// Inert reports whether evaluating x calls and reads nothing that the graph wants to
// know of.
func (w *Walker) Inert(x ir.Expr) bool {
	switch w.OpOf(x) {
	case ir.None, ir.Local, ir.Lit, ir.This:
		return true
	}
	return false
}

// Keep evaluates an expression whose value is not used, unless it is inert.
func (w *Walker) Keep(x ir.Expr) {
	if !w.Inert(x) {
		w.Eval(x)
	}
}

// OpOf returns the operation of an expression.
func (w *Walker) OpOf(x ir.Expr) ir.Op { return w.Raw().Exprs[x].Op }

// Mark begins a list of arguments, which Push adds to and Take ends. Lists nest.
func (w *Walker) Mark() int { return len(w.args) }

// Push adds an expression to the list being made, if it is one.
func (w *Walker) Push(x ir.Expr) {
	if x != 0 {
		w.args = append(w.args, ir.Arg{X: x})
	}
}

// PushArg adds an argument to the list being made.
func (w *Walker) PushArg(a ir.Arg) { w.args = append(w.args, a) }

// Pushed returns the list begun at mark, which goes on.
func (w *Walker) Pushed(mark int) []ir.Arg { return w.args[mark:] }

// Take ends the list begun at mark. It is valid until the next Push.
func (w *Walker) Take(mark int) []ir.Arg {
	args := w.args[mark:]
	w.args = w.args[:mark]
	return args
}

// TakeOpaque ends the list begun at mark and makes an Opaque of it.
func (w *Walker) TakeOpaque(mark int) ir.Expr {
	args := w.Take(mark)
	xs := make([]ir.Expr, len(args))
	for i, a := range args {
		xs[i] = a.X
	}
	return w.Opaque(xs...)
}

// Collect lowers the named children of a node to a list, without those that become
// nothing. It is valid until the next Push.
func (w *Walker) Collect(n syntax.Node, lower func(syntax.Node) ir.Expr) []ir.Arg {
	mark := w.Mark()
	for c := range w.NamedChildren(n) {
		w.Push(lower(c))
	}
	return w.Take(mark)
}

// Operation is an operator with its operands: an Opaque that has its name. It is none
// where all operands are.
func (w *Walker) Operation(op string, pos int, xs ...ir.Expr) ir.Expr {
	mark := w.Mark()
	for _, x := range xs {
		w.Push(x)
	}
	args := w.Take(mark)
	if len(args) == 0 {
		return 0
	}
	x := w.List(op, args, pos)
	w.Raw().Exprs[x].Op = ir.Opaque
	return x
}

// Unknown is what a lowering does not understand: an Opaque of what its children
// become, so that the calls inside are kept.
func (w *Walker) Unknown(n syntax.Node, lower func(syntax.Node) ir.Expr) ir.Expr {
	mark := w.Mark()
	for c := range w.NamedChildren(n) {
		w.Push(lower(c))
	}
	return w.TakeOpaque(mark)
}

// Exprs lowers the named children of a node; those that become nothing are 0.
func (w *Walker) Exprs(n syntax.Node, lower func(syntax.Node) ir.Expr) []ir.Expr {
	var xs []ir.Expr
	for c := range w.NamedChildren(n) {
		xs = append(xs, lower(c))
	}
	return xs
}

// Each calls f for the named children of a node.
func (w *Walker) Each(n syntax.Node, f func(syntax.Node)) {
	for c := range w.NamedChildren(n) {
		f(c)
	}
}

// OfKind are the named children of the kinds.
func (w *Walker) OfKind(n syntax.Node, kinds ...string) func(yield func(syntax.Node) bool) {
	return func(yield func(syntax.Node) bool) {
		for c := range w.NamedChildren(n) {
			if slices.Contains(kinds, w.Kind(c)) && !yield(c) {
				return
			}
		}
	}
}

// Path is a dotted path that is not written as one: all of its names are at pos, and the
// attributes have the flags.
func (w *Walker) Path(path string, pos int, flags uint8) ir.Expr {
	var x ir.Expr
	for name := range strings.SplitSeq(path, ".") {
		if x == 0 {
			x = w.Free(name, pos)
		} else {
			x = w.Flag(w.Attr(x, name, pos), flags)
		}
	}
	return x
}

// SplitLast splits a dotted path into what comes before its last name, and that.
func SplitLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// LastChild returns the last named child, or none.
func (w *Walker) LastChild(n syntax.Node) syntax.Node {
	var last syntax.Node
	for c := range w.NamedChildren(n) {
		last = c
	}
	return last
}

// Flag sets flags of an expression, if it is one, and returns it.
func (w *Walker) Flag(x ir.Expr, flags uint8) ir.Expr {
	if x != 0 {
		w.Raw().Exprs[x].Flags |= flags
	}
	return x
}
