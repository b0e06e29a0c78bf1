package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// construct writes what runs when a class is made. With parameters it is the
// primary constructor, a function without a name that sees them. Without, fields
// have their initial values and init blocks are functions of the class.
func (l *lowerer) construct(n, primary syntax.Node, list []initial) {
	params := l.NamedChild(primary, 0) != 0
	if !params {
		l.runEach(list)
		if l.hasSuperCall(n) {
			l.beginFunc(n, "", l.Start(n), walk.When(primary != 0 || l.Kind(n) == "class_declaration", ir.Constructor))
			l.superCalls(n)
			l.endFunc(n)
		}
		return
	}

	flags := ir.Constructor | walk.When(l.modifiers(primary).private, ir.Private)
	f := l.beginFunc(primary, "", l.Start(primary), flags)
	for p := range l.OfKind(primary, "class_parameter") {
		m := l.modifiers(p)
		l.annotate(m.list)
		kind := walk.When(l.hasWord(m.list, "vararg"), ir.Variadic)
		nameNode := l.ChildOf(p, "simple_identifier")
		typ, def := l.typeIn(p), ir.Expr(0)
		if l.ChildOf(p, "=") != 0 {
			def = l.Or(l.expr(l.after(p, "=")))
		}
		v := l.Param(l.ident(nameNode), typ, def, kind, l.Start(nameNode))
		l.markPlain(v, typ, 0)
	}
	l.superCalls(n)
	for _, i := range list {
		if i.field == 0 {
			l.initBody(i.block)
			continue
		}
		target := l.Expr(ir.Node{Op: ir.Local, Ref: uint32(i.field), Name: l.VarInfo(i.field).Name, Flags: ir.Implicit})
		switch {
		case i.param != 0:
			l.Bind(target, l.name(i.param))
		default:
			l.Bound(target, l.initialValue(i))
		}
	}
	l.endFunc(primary)
	l.DefineFunc(f, false, flags&ir.Private == 0, l.Start(primary))
}

func (l *lowerer) hasWord(n syntax.Node, word string) bool {
	for c := range l.NamedChildren(n) {
		if l.Kind(l.First(c)) == word {
			return true
		}
	}
	return false
}

// runEach lowers initial code where no parameters are in sight: fields have their
// values, and blocks are functions of the class.
func (l *lowerer) runEach(list []initial) {
	for _, i := range list {
		if i.field == 0 {
			l.initializer(i.block)
			continue
		}
		x := l.initialValue(i)
		l.VarInfo(i.field).Init = x
	}
}

// initialValue is the value of a property: its initialiser, or what its delegate
// gives.
func (l *lowerer) initialValue(i initial) ir.Expr {
	x := l.value(i.value)
	if !i.delegate || x == 0 {
		return x
	}
	return l.delegated(x, l.Start(i.value))
}

// delegated is what reading a property that is delegated to x gives.
func (l *lowerer) delegated(x ir.Expr, pos int) ir.Expr {
	fn := l.Expr(ir.Node{Op: ir.Attr, A: x, Name: l.Str("getValue"), Pos: l.Pos(pos), Flags: ir.Implicit})
	call := l.Call(fn, []ir.Arg{{X: l.Or(0)}, {X: l.Or(0)}}, pos)
	l.Flag(call, ir.Implicit)
	return call
}

// initializer is an init block as a function of its own.
func (l *lowerer) initializer(block syntax.Node) {
	l.beginFunc(block, "", l.Start(block), 0)
	l.initBody(block)
	l.endFunc(block)
}

// initBody lowers an init block; or a statement that should not be in a class, in
// half-written text.
func (l *lowerer) initBody(block syntax.Node) {
	if l.Kind(block) != "anonymous_initializer" {
		l.stmt(block)
		return
	}
	l.PushScope()
	l.body(l.ChildOf(block, "statements"))
	l.PopScope()
}

func (l *lowerer) hasSuperCall(n syntax.Node) bool {
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "delegation_specifier" && l.ChildOf(c, "constructor_invocation", "explicit_delegation") != 0 {
			return true
		}
	}
	return false
}

// superCalls evaluates the arguments of the bases and the delegates.
func (l *lowerer) superCalls(n syntax.Node) {
	for c := range l.OfKind(n, "delegation_specifier") {
		part := l.NamedChild(c, 0)
		switch l.Kind(part) {
		case "constructor_invocation":
			pos := l.typePos(l.ChildOf(part, "user_type"))
			super := l.Unary(ir.Super, 0, pos)
			l.Eval(l.Call(super, l.args(l.ChildOf(part, "value_arguments")), pos))
		case "explicit_delegation":
			by := l.after(part, "by")
			if l.trailingLambda(by) != 0 && l.swallowedBody(n) != 0 && l.ChildOf(n, "class_body") == 0 {
				by = l.NamedChild(by, 0) // without the class's body
			}
			for _, m := range l.ClassInfo(l.Enclosing()).Members {
				if m.Kind == ir.VarMember && l.Raw().String(m.Name) == delegateField {
					l.Bound(l.Local(ir.Var(m.Ref), l.Start(by)), l.expr(by))
				}
			}
		}
	}
}

// typePos is where the last name of a type stands.
func (l *lowerer) typePos(n syntax.Node) int {
	pos := l.Start(n)
	for c := range l.OfKind(n, "type_identifier") {
		pos = l.Start(c)
	}
	return pos
}
