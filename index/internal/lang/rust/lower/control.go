package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers a block and returns its value: that of a last expression without
// a semicolon. Items are known in the whole block, so they come first.
func (l *lowerer) block(n syntax.Node, want ir.Expr) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	l.PushScope()
	defer l.PopScope()
	l.blockItems(n)
	var last syntax.Node
	for c := range l.NamedChildren(n) {
		if last != 0 {
			l.stmt(last)
		}
		last = c
	}
	if last == 0 {
		return 0
	}
	if l.Kind(last) == "expression_statement" && !l.hasWord(last, ";") || !isStatement(l.Kind(last)) {
		return l.exprOf(last, want)
	}
	l.stmt(last)
	return 0
}

func isStatement(kind string) bool {
	switch kind {
	case "expression_statement", "let_declaration":
		return true
	}
	return isItem(kind)
}

func isItem(kind string) bool {
	switch kind {
	case "function_item", "function_signature_item", "struct_item", "union_item", "enum_item", "trait_item", "impl_item",
		"type_item", "associated_type", "const_item", "static_item", "mod_item", "foreign_mod_item", "use_declaration",
		"extern_crate_declaration", "macro_definition":
		return true
	}
	return false
}

// blockItems lowers the items of a block: names first, so that they may use one
// another, then types, then what has code.
func (l *lowerer) blockItems(n syntax.Node) {
	found := false
	for c := range l.NamedChildren(n) {
		k := l.Kind(c)
		if !isItem(k) {
			continue
		}
		found = true
		switch k {
		case "function_item", "struct_item", "union_item", "enum_item", "trait_item", "type_item", "const_item", "static_item", "mod_item":
			if l.Class() != 0 {
				continue
			}
			name := l.Child(c, "name")
			l.items[l.Declare(l.text(name), l.Start(name))] = 0
		}
	}
	if !found {
		return
	}
	for _, code := range []bool{false, true} {
		var attrs []syntax.Node
		for c := range l.NamedChildren(n) {
			k := l.Kind(c)
			if k == "attribute_item" {
				attrs = append(attrs, c)
				continue
			}
			if isItem(k) && code == (k == "function_item" || k == "impl_item") {
				l.item(c, attrs)
			}
			attrs = attrs[:0]
		}
	}
}

// stmt lowers a statement of a block.
func (l *lowerer) stmt(n syntax.Node) {
	k := l.Kind(n)
	switch {
	case isItem(k): // done by blockItems
	case k == "let_declaration":
		l.let(n)
	default:
		l.Eval(l.expr(n))
	}
}

func (l *lowerer) let(n syntax.Node) {
	pattern, typ := l.Child(n, "pattern"), l.Child(n, "type")
	x := l.typ(typ)
	value := l.exprOf(l.Child(n, "value"), x)
	if alt := l.Child(n, "alternative"); alt != 0 {
		l.Eval(l.block(alt, 0))
	}
	name := l.simple(pattern)
	switch {
	case name != "":
		pos := l.Start(pattern)
		v := l.Temp(pos)
		if l.Class() == 0 {
			v = l.Shadow(name, pos)
		}
		l.VarInfo(v).Type = x
		if value != 0 {
			l.Bind(l.Local(v, pos), value)
		}
		return
	case x != 0:
		v := l.Temp(l.Start(pattern))
		l.VarInfo(v).Type = x
		whole := l.Local(v, l.Start(pattern))
		if value != 0 {
			l.Bind(whole, value)
		}
		value = whole
	default:
		value = l.once(value, l.Start(pattern))
	}
	if value != 0 && l.Kind(pattern) == "_" {
		l.Eval(value)
		return
	}
	l.pattern(pattern, value)
}

// control lowers what decides where the program goes on.
func (l *lowerer) control(n syntax.Node, want ir.Expr) ir.Expr {
	switch l.Kind(n) {
	case "block":
		return l.block(n, want)
	case "if_expression":
		l.PushScope()
		l.Eval(l.expr(l.Child(n, "condition")))
		then := l.exprOf(l.Child(n, "consequence"), want)
		l.PopScope()
		return l.Union(then, l.exprOf(l.Child(n, "alternative"), want))
	case "match_expression":
		return l.match(n, want)
	case "let_condition":
		value := l.once(l.expr(l.Child(n, "value")), l.Start(n))
		l.pattern(l.Child(n, "pattern"), value)
		return 0
	case "let_chain":
		for c := range l.NamedChildren(n) {
			l.Eval(l.expr(c))
		}
		return 0
	case "return_expression":
		l.Return(l.exprOf(l.last(n), l.result))
	case "yield_expression":
		l.Stmt(ir.Yield, l.expr(l.last(n)), 0)
	case "break_expression":
		value := l.expr(l.last(n))
		if i := len(l.breaks) - 1; i >= 0 && value != 0 {
			if l.breaks[i] == 0 {
				l.breaks[i] = l.Temp(l.Start(n))
			}
			l.Bind(l.Local(l.breaks[i], l.Start(n)), value)
		} else {
			l.Eval(value)
		}
	default:
		return l.loop(n)
	}
	return 0
}

func (l *lowerer) match(n syntax.Node, want ir.Expr) ir.Expr {
	value := l.once(l.expr(l.Child(n, "value")), l.Start(n))
	var arms []ir.Expr
	for arm := range l.NamedChildren(l.Child(n, "body")) {
		if l.Kind(arm) != "match_arm" {
			if l.Kind(arm) == "ERROR" {
				l.Eval(l.expr(arm))
			}
			continue
		}
		l.PushScope()
		pattern := l.Child(arm, "pattern")
		l.pattern(pattern, value)
		l.Eval(l.expr(l.Child(pattern, "condition")))
		arms = append(arms, l.exprOf(l.Child(arm, "value"), want))
		l.PopScope()
	}
	if len(arms) == 0 {
		l.Eval(value)
	}
	return l.Union(arms...)
}

// loop lowers a loop: its body once.
func (l *lowerer) loop(n syntax.Node) ir.Expr {
	l.breaks = append(l.breaks, 0)
	l.PushScope()
	switch l.Kind(n) {
	case "for_expression":
		value := l.expr(l.Child(n, "value"))
		pattern := l.Child(n, "pattern")
		elem := l.unary(ir.Elem, value, l.Start(pattern))
		if l.simple(pattern) == "" {
			elem = l.once(elem, l.Start(pattern))
		}
		l.pattern(pattern, elem)
	case "while_expression":
		l.Eval(l.expr(l.Child(n, "condition")))
	}
	l.Eval(l.expr(l.Child(n, "body")))
	l.PopScope()
	v := l.breaks[len(l.breaks)-1]
	l.breaks = l.breaks[:len(l.breaks)-1]
	if v == 0 {
		return 0
	}
	return l.Local(v, l.Start(n))
}
