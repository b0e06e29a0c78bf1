// Package lower lowers JavaScript, TypeScript and their dialects with
// elements (JSX), and the scripts of Vue and Svelte components.
//
// Types and values live in one table of scopes, so a local type shadows only
// other types. Functions bound to a name by const or a field count as
// definitions of that name. What CommonJS and constructor functions express by
// assignments is turned into what it means: see commonjs.go and prototypes.go.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Walker: walk.New(language, t),
		this:   []*receiver{{}},
	}
	if root := t.Root(); root != 0 {
		l.hoistPrototypes(root)
		l.Each(root, l.stmt)
		l.finishFunctions()
	}
	return l.File()
}

type lowerer struct {
	walk.Walker
	this []*receiver // what "this" means, innermost last

	types map[ir.Var]bool // local variables that name types
	paths []narrowPath    // narrowed member expressions

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

// has reports whether n has the token as a child before the child of the field.
func (l *lowerer) has(n syntax.Node, token, before string) bool {
	for c := range l.Children(n) {
		if l.Kind(c) == token {
			return true
		}
		if before != "" && l.Field(c) == before {
			return false
		}
	}
	return false
}

// stringText returns the content of a string literal without escapes.
func (l *lowerer) stringText(n syntax.Node) string {
	text := l.Bytes(n)
	if len(text) < 2 {
		return ""
	}
	return l.Intern(text[1 : len(text)-1])
}

// key returns the name of a member or property as it is accessed; "" when only
// running the program would tell.
func (l *lowerer) key(n syntax.Node) string {
	switch l.Kind(n) {
	case "":
		return ""
	case "string":
		return l.stringText(n)
	case "computed_property_name":
		inner := l.NamedChild(n, 0)
		switch l.Kind(inner) {
		case "string":
			return l.stringText(inner)
		case "number":
			return l.Text(inner)
		case "member_expression":
			if l.Is(l.Child(inner, "object"), "Symbol") {
				return l.Text(n)
			}
		}
		return ""
	}
	return l.Text(n)
}

// thisExpr is the use of "this" at an offset.
func (l *lowerer) thisExpr(pos int) ir.Expr {
	r := l.this[len(l.this)-1]
	switch r.kind {
	case thisMethod, thisDynamic:
		return l.Unary(ir.This, 0, pos)
	case thisName:
		return l.Name(r.name, pos)
	case thisInstance:
		return l.Binary(ir.Cast, 0, l.Name(r.name, pos), pos)
	case thisTyped:
		return l.Binary(ir.Cast, 0, l.typ(r.typ), pos)
	case thisObject:
		if r.temp == 0 {
			r.temp = l.Temp(pos)
			l.VarInfo(r.temp).Func = r.fn
		}
		return l.Local(r.temp, pos)
	}
	return l.Expr(ir.Node{Op: ir.Opaque, Pos: l.Pos(pos)})
}

func (l *lowerer) pushThis(r *receiver) { l.this = append(l.this, r) }

func (l *lowerer) popThis() { l.this = l.this[:len(l.this)-1] }

// define binds a name to a function or class where it is written.
func (l *lowerer) define(kind ir.MemberKind, name string, ref uint32, exported, static bool, pos int) {
	l.Define(ir.Member{Name: l.Str(name), Kind: kind, Ref: ref, Exported: exported, Static: static}, pos)
}

// finishFunctions gives a variable to those functions at the top that are
// assigned again, to hold what is assigned.
func (l *lowerer) finishFunctions() {
	f := l.Raw()
	for _, name := range l.reassigned {
		if !l.assignable[name] {
			continue
		}
		l.assignable[name] = false
		str := l.Str(name)
		f.Vars = append(f.Vars, ir.VarInfo{Name: str})
		f.Top = append(f.Top, ir.Member{Name: str, Kind: ir.VarMember, Ref: uint32(len(f.Vars) - 1)})
	}
}
