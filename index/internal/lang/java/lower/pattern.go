package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// switching lowers a switch. result is the variable that takes its value, or 0
// where it is a statement.
func (l *lowerer) switching(n syntax.Node, result ir.Var) {
	condition, body := l.Child(n, "condition"), l.Child(n, "body")
	subject := l.expr(condition)
	if subject != 0 {
		// The patterns look at the subject again, but it is evaluated once.
		pos := l.Start(condition)
		v := l.Hold(subject, pos)
		subject = l.Local(v, pos)
	}
	l.results = append(l.results, result)
	l.PushScope()
	for group := range l.NamedChildren(body) {
		rule := l.Kind(group) == "switch_rule"
		if rule {
			l.PushScope()
		}
		for c := range l.NamedChildren(group) {
			switch k := l.Kind(c); {
			case k == "switch_label":
				l.label(c, subject)
			case rule && k == "expression_statement" && result != 0:
				l.yield(l.NamedChild(c, 0))
			default:
				l.stmt(c)
			}
		}
		if rule {
			l.PopScope()
		}
	}
	l.PopScope()
	l.results = l.results[:len(l.results)-1]
}

// label lowers what a case compares the subject with, and declares the variables
// of its pattern.
func (l *lowerer) label(n syntax.Node, subject ir.Expr) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "pattern", "type_pattern", "record_pattern":
			l.pattern(c, subject)
		case "guard":
			l.Eval(l.expr(l.NamedChild(c, 0)))
		case "identifier":
			// A constant of the subject's enum, which is not in scope by its name alone.
		default:
			l.Eval(l.expr(c))
		}
	}
}

// pattern declares the variables of a pattern that subject is matched with.
func (l *lowerer) pattern(n syntax.Node, subject ir.Expr) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "pattern":
		l.pattern(l.NamedChild(n, 0), subject)
	case "type_pattern", "record_pattern_component":
		l.typePattern(n, subject)
	case "record_pattern":
		// The components are matched by their order, which only the record's
		// declaration knows: each has the type that is written for it.
		l.Eval(l.typ(l.NamedChild(n, 0)))
		for c := range l.NamedChildren(l.ChildOf(n, "record_pattern_body")) {
			l.pattern(c, 0)
		}
	}
}

func (l *lowerer) typePattern(n syntax.Node, subject ir.Expr) {
	var typeNode, nameNode syntax.Node
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case k == "modifiers" || k == "marker_annotation" || k == "annotation":
		case k == "record_pattern":
			l.pattern(c, subject)
			return
		case typeNode == 0:
			typeNode = c
		case k == "identifier":
			nameNode = c
		}
	}
	l.narrow(nameNode, l.typ(typeNode), subject)
}

// narrow declares the variable of a pattern: the subject as the type. It stays
// visible after the statement that declares it, as in "if (!(x instanceof T t))
// return".
func (l *lowerer) narrow(nameNode syntax.Node, typ, subject ir.Expr) {
	if nameNode == 0 {
		l.Eval(typ)
		return
	}
	v := l.declare(nameNode, typ, 0)
	if typ != 0 && subject != 0 {
		pos := l.Start(nameNode)
		l.Bind(l.Local(v, pos), l.Binary(ir.Cast, subject, typ, pos))
	}
}
