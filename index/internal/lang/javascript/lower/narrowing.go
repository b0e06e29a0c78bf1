package lower

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A fact is what a condition says of a variable or member: x instanceof C.
type fact struct {
	subject, class syntax.Node
}

// A narrowPath is a member expression of which a fact is known.
type narrowPath struct {
	text []byte
	v    ir.Var
}

// facts collects what is known where the condition is true, or false.
func (l *lowerer) facts(n syntax.Node, sense bool, list *[]fact) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "parenthesized_expression":
		l.facts(l.NamedChild(n, 0), sense, list)
	case "unary_expression":
		if l.Kind(l.Child(n, "operator")) == "!" {
			l.facts(l.Child(n, "argument"), !sense, list)
		}
	case "binary_expression":
		left, right := l.Child(n, "left"), l.Child(n, "right")
		switch op := l.Kind(l.Child(n, "operator")); {
		case op == "&&" && sense, op == "||" && !sense:
			l.facts(left, sense, list)
			l.facts(right, sense, list)
		case op == "instanceof" && sense:
			switch l.Kind(right) {
			case "identifier", "member_expression":
				if k := l.Kind(left); k == "identifier" || k == "member_expression" {
					*list = append(*list, fact{left, right})
				}
			}
		}
	}
}

// A narrowing is what has to be undone where a condition no longer holds.
type narrowing struct {
	scope bool
	paths int
}

// narrow makes the facts of a condition known until widen.
func (l *lowerer) narrow(condition syntax.Node, sense bool) narrowing {
	undo := narrowing{paths: len(l.paths)}
	var list []fact
	l.facts(condition, sense, &list)
	if len(list) == 0 {
		return undo
	}
	undo.scope = true
	l.PushScope()
	l.know(list)
	return undo
}

func (l *lowerer) widen(undo narrowing) {
	if undo.scope {
		l.PopScope()
	}
	l.paths = l.paths[:undo.paths]
}

// know makes facts known in the innermost block, from here on.
func (l *lowerer) know(list []fact) {
	for _, f := range list {
		pos := l.Start(f.subject)
		x := l.expr(f.subject)
		class := l.expr(f.class)
		if l.Kind(f.subject) == "identifier" {
			name := l.Text(f.subject)
			l.Narrow(name, l.Lookup(name), x, class, pos)
			continue
		}
		v := l.Temp(pos)
		l.paths = append(l.paths, narrowPath{l.Bytes(f.subject), v})
		l.Bind(l.Local(v, pos), l.Binary(ir.Cast, x, class, pos))
	}
}

// narrowedPath returns the variable that stands for a member expression, or 0.
func (l *lowerer) narrowedPath(n syntax.Node) ir.Var {
	for i := len(l.paths) - 1; i >= 0; i-- {
		if bytes.Equal(l.paths[i].text, l.Bytes(n)) {
			return l.paths[i].v
		}
	}
	return 0
}

// branch lowers a statement that runs where a condition holds.
func (l *lowerer) branch(condition, body syntax.Node) {
	l.Eval(l.operand(condition))
	undo := l.narrow(condition, true)
	l.stmt(body)
	l.widen(undo)
}

// ifStatement lowers both branches, each with what the condition says there. If
// the first one leaves, the rest of the block knows the contrary.
func (l *lowerer) ifStatement(n syntax.Node) {
	condition, then, otherwise := l.Child(n, "condition"), l.Child(n, "consequence"), l.Child(n, "alternative")
	l.branch(condition, then)
	if otherwise != 0 {
		undo := l.narrow(condition, false)
		l.stmt(otherwise)
		l.widen(undo)
		return
	}
	if l.AtTop() || l.Class() != 0 || !l.leaves(then) {
		return
	}
	var list []fact
	l.facts(condition, false, &list)
	l.know(list)
}

// leaves reports whether the code after a statement is not reached from it.
func (l *lowerer) leaves(n syntax.Node) bool {
	switch l.Kind(n) {
	case "return_statement", "throw_statement", "continue_statement", "break_statement":
		return true
	case "statement_block":
		switch l.Kind(l.LastChild(n)) {
		case "return_statement", "throw_statement", "continue_statement", "break_statement":
			return true
		}
	}
	return false
}
