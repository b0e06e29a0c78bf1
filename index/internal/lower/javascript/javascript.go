// Package javascript lowers JavaScript, TypeScript and their dialects with
// elements (JSX), and the scripts of Vue and Svelte components.
//
// Types and values live in one table of scopes, so a local type shadows only
// other types. Functions bound to a name by const or a field count as
// definitions of that name. What CommonJS and constructor functions express by
// assignments is turned into what it means: see commonjs.go and prototypes.go.
package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxDepth bounds the nesting that is followed; what lies deeper is left out.
const maxDepth = 1000

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	b := ir.NewBuilder(language, t.Source())
	l := &lowerer{
		b: b, t: t,
		names: map[string]string{},
		this:  []*receiver{{}},
	}
	if root := t.Root(); root != 0 {
		l.hoistPrototypes(root)
		for c := range t.NamedChildren(root) {
			l.stmt(c)
		}
		l.finishFunctions()
	}
	return b.File()
}

type lowerer struct {
	b     *ir.Builder
	t     *syntax.Tree
	names map[string]string // interned text
	depth int
	this  []*receiver // what "this" means, innermost last

	types    map[ir.Var]bool   // local variables that name types
	narrowed map[ir.Var]ir.Var // from a narrowed variable to the one it stands for; 0: a free name
	paths    []narrowPath      // narrowed member expressions

	protos map[string]bool      // functions that have a prototype written to, by name
	done   map[syntax.Node]bool // statements that were lowered before their turn

	assignable map[string]bool // functions at the top bound by let or var
	reassigned []string        // those of them that are assigned again
	exports    bool            // the variable for CommonJS's exports has been made
}

// A receiver says what "this" means in a function.
type receiver struct {
	kind receiverKind
	name string      // thisName, thisInstance
	typ  syntax.Node // thisTyped
	temp ir.Var      // thisObject, once it is used
	fn   ir.Func     // thisObject: the function that the literal is written in
}

type receiverKind uint8

const (
	thisUnknown  receiverKind = iota
	thisDynamic               // whatever a function that is in no other one is called on
	thisMethod                // the instance or class of the enclosing class
	thisName                  // the value of a variable
	thisInstance              // an instance made by the constructor function name
	thisTyped                 // declared by a parameter named "this"
	thisObject                // an object literal without a name
)

func (l *lowerer) text(n syntax.Node) string {
	text := l.t.Bytes(n)
	if s, ok := l.names[string(text)]; ok {
		return s
	}
	s := string(text)
	l.names[s] = s
	return s
}

// is reports whether the text of n is s.
func (l *lowerer) is(n syntax.Node, s string) bool { return n != 0 && string(l.t.Bytes(n)) == s }

// has reports whether n has the token as a child before the child of the field.
func (l *lowerer) has(n syntax.Node, token, before string) bool {
	for c := range l.t.Children(n) {
		if l.t.Kind(c) == token {
			return true
		}
		if before != "" && l.t.Field(c) == before {
			return false
		}
	}
	return false
}

// stringText returns the content of a string literal without escapes.
func (l *lowerer) stringText(n syntax.Node) string {
	text := l.t.Bytes(n)
	if len(text) < 2 {
		return ""
	}
	text = text[1 : len(text)-1]
	if s, ok := l.names[string(text)]; ok {
		return s
	}
	return string(text)
}

// key returns the name of a member or property as it is accessed; "" when only
// running the program would tell.
func (l *lowerer) key(n syntax.Node) string {
	switch l.t.Kind(n) {
	case "":
		return ""
	case "string":
		return l.stringText(n)
	case "computed_property_name":
		inner := l.t.NamedChild(n, 0)
		switch l.t.Kind(inner) {
		case "string":
			return l.stringText(inner)
		case "number":
			return l.text(inner)
		case "member_expression":
			if l.is(l.t.Child(inner, "object"), "Symbol") {
				return l.text(n)
			}
		}
		return ""
	}
	return l.text(n)
}

// thisExpr is the use of "this" at an offset.
func (l *lowerer) thisExpr(pos int) ir.Expr {
	r := l.this[len(l.this)-1]
	switch r.kind {
	case thisMethod, thisDynamic:
		return l.b.Unary(ir.This, 0, pos)
	case thisName:
		return l.b.Name(r.name, pos)
	case thisInstance:
		return l.b.Binary(ir.Cast, 0, l.b.Name(r.name, pos), pos)
	case thisTyped:
		return l.b.Binary(ir.Cast, 0, l.typ(r.typ), pos)
	case thisObject:
		if r.temp == 0 {
			r.temp = l.b.Temp(pos)
			l.b.VarInfo(r.temp).Func = r.fn
		}
		return l.b.Local(r.temp, pos)
	}
	return l.b.Expr(ir.Node{Op: ir.Opaque, Pos: l.b.Pos(pos)})
}

func (l *lowerer) pushThis(r *receiver) { l.this = append(l.this, r) }

func (l *lowerer) popThis() { l.this = l.this[:len(l.this)-1] }

// define binds a name to a function or class where it is written.
func (l *lowerer) define(kind ir.MemberKind, name string, ref uint32, exported, static bool, pos int) {
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: kind, Ref: ref, Exported: exported, Static: static}, pos)
}

// finishFunctions gives a variable to those functions at the top that are
// assigned again, to hold what is assigned.
func (l *lowerer) finishFunctions() {
	f := l.b.Raw()
	for _, name := range l.reassigned {
		if !l.assignable[name] {
			continue
		}
		l.assignable[name] = false
		str := l.b.Str(name)
		f.Vars = append(f.Vars, ir.VarInfo{Name: str})
		f.Top = append(f.Top, ir.Member{Name: str, Kind: ir.VarMember, Ref: uint32(len(f.Vars) - 1)})
	}
}
