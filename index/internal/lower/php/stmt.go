package php

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// statements lowers the children of a node in order, each with the comment before
// it.
func (l *lowerer) statements(n syntax.Node) {
	t := l.t
	var comment syntax.Node
	for c := range t.Children(n) {
		switch {
		case t.Kind(c) == "comment":
			comment = c
			continue
		case t.Named(c):
			l.documented(c, comment)
		}
		comment = 0
	}
}

// documented lowers a statement after a comment. "@var Foo $x" tells the class of
// a variable, "@var Foo" that of what the statement assigns.
func (l *lowerer) documented(n, comment syntax.Node) {
	t := l.t
	if comment == 0 {
		l.statement(n, doc{})
		return
	}
	d := l.docOf(comment)
	if d.text == "" {
		l.statement(n, d)
		return
	}
	d.each("@var", func(rest string, at int) {
		typ, after := docType(rest)
		name := firstWord(trimSpace(after))
		x := l.docType(typ, at)
		if x == 0 {
			return
		}
		if len(name) > 1 && name[0] == '$' && name != "$this" {
			if l.context().kind == topLevel && l.top[name] == 0 {
				l.declareTop(name, at)
			}
			l.Bind(l.variable(name, at), l.Binary(ir.Cast, 0, x, at))
			return
		}
		if a := t.NamedChild(n, 0); t.Kind(n) == "expression_statement" && t.Kind(a) == "assignment_expression" {
			l.Bind(l.target(t.Child(a, "left")), l.Binary(ir.Cast, 0, x, at))
		}
	})
	l.statement(n, d)
}

func trimSpace(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

func (l *lowerer) statement(n syntax.Node, d doc) {
	if n == 0 || !l.enter() {
		if n != 0 {
			l.leave()
		}
		return
	}
	defer l.leave()
	t := l.t
	switch t.Kind(n) {
	case "compound_statement", "colon_block":
		mark := l.mark()
		l.statements(n)
		l.restore(mark)
	case "expression_statement":
		l.effect(t.NamedChild(n, 0))
	case "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration":
		l.classDeclaration(n, d)
	case "function_definition":
		l.functionDefinition(n, d)
	case "namespace_use_declaration":
		l.use(n)
	case "namespace_definition", "php_tag", "text_interpolation", "text", "comment", "empty_statement", "goto_statement",
		"named_label_statement", "break_statement", "continue_statement":
	case "const_declaration":
		l.constants(n)
	case "return_statement":
		x := l.expr(t.NamedChild(n, 0))
		if c := l.context(); l.Raw().Exprs[x].Op == ir.This {
			c.self = true
		} else if x != 0 {
			c.other = true
		}
		l.Return(x)
	case "if_statement":
		l.ifStatement(n)
	case "while_statement":
		cond := t.Child(n, "condition")
		l.Eval(l.expr(cond))
		l.branch(t.Child(n, "body"), l.tests(cond, false, nil))
	case "foreach_statement":
		l.foreach(n)
	case "switch_statement":
		l.Eval(l.Opaque(l.expr(t.Child(n, "condition"))))
		for c := range t.NamedChildren(t.Child(n, "body")) {
			value := t.Child(c, "value")
			l.Eval(l.Opaque(l.expr(value)))
			mark := l.mark()
			for s := range t.NamedChildren(c) {
				if s != value {
					l.statement(s, doc{})
				}
			}
			l.restore(mark)
		}
	case "try_statement":
		l.statement(t.Child(n, "body"), doc{})
		for c := range t.NamedChildren(n) {
			switch t.Kind(c) {
			case "catch_clause":
				l.catch(c)
			case "finally_clause":
				l.statement(t.Child(c, "body"), doc{})
			}
		}
	case "global_declaration":
		for c := range t.NamedChildren(n) {
			if ctx := l.context(); t.Kind(c) == "variable_name" && ctx.kind == function {
				ctx.vars[l.text(c)] = 0
			}
		}
	case "function_static_declaration":
		for c := range t.NamedChildren(n) {
			if name := t.Child(c, "name"); name != 0 {
				l.Bind(l.write(name), l.expr(t.Child(c, "value")))
			}
		}
	case "do_statement", "for_statement", "declare_statement", "else_clause", "else_if_clause", "ERROR":
		for c := range t.NamedChildren(n) {
			l.statement(c, doc{})
		}
	case "declare_directive":
	case "method_declaration", "property_declaration", "use_declaration", "enum_case":
		// Only where a brace is missing.
		if len(l.classes) > 0 && l.Class() != 0 {
			l.member(n, d)
		} else if t.Kind(n) == "method_declaration" {
			l.functionDefinition(n, d)
		}
	default: // echo, unset, exit, and expressions
		l.Eval(l.expr(n))
	}
}

// constants lowers "const A = 1" outside of a class.
func (l *lowerer) constants(n syntax.Node) {
	t := l.t
	for e := range t.NamedChildren(n) {
		if t.Kind(e) != "const_element" {
			continue
		}
		name := t.NamedChild(e, 0)
		pos := t.Start(name)
		init := l.expr(t.NamedChild(e, 1))
		v := l.Temp(pos)
		id := l.Str(l.text(name))
		info := l.VarInfo(v)
		info.Name, info.Init, info.Func = id, init, 0
		l.define(ir.VarMember, uint32(v), id)
	}
}

// branch lowers a statement in which tests are known to hold.
func (l *lowerer) branch(n syntax.Node, tests []test) {
	mark := l.mark()
	l.apply(tests)
	l.statement(n, doc{})
	l.restore(mark)
}

func (l *lowerer) ifStatement(n syntax.Node) {
	t := l.t
	cond := t.Child(n, "condition")
	l.Eval(l.expr(cond))
	l.branch(t.Child(n, "body"), l.tests(cond, false, nil))
	exits := l.leaves(t.Child(n, "body"))
	mark := l.mark()
	else_ := l.tests(cond, true, nil)
	l.apply(else_)
	alternative := false
	for c := range t.NamedChildren(n) {
		if t.Field(c) != "alternative" {
			continue
		}
		alternative = true
		if t.Kind(c) == "else_if_clause" {
			cond := t.Child(c, "condition")
			l.Eval(l.expr(cond))
			l.branch(t.Child(c, "body"), l.tests(cond, false, nil))
			l.apply(l.tests(cond, true, nil))
			continue
		}
		l.statement(t.Child(c, "body"), doc{})
	}
	// "if (!$x instanceof C) return;" tells of what follows.
	if !exits || alternative {
		l.restore(mark)
	}
}

// leaves reports whether a statement always leaves the block around it.
func (l *lowerer) leaves(n syntax.Node) bool {
	t := l.t
	if k := t.Kind(n); k == "compound_statement" || k == "colon_block" {
		last := syntax.Node(0)
		for c := range t.NamedChildren(n) {
			last = c
		}
		n = last
	}
	switch t.Kind(n) {
	case "return_statement", "break_statement", "continue_statement", "exit_statement":
		return true
	case "expression_statement":
		return t.Kind(t.NamedChild(n, 0)) == "throw_expression"
	}
	return false
}

func (l *lowerer) foreach(n syntax.Node) {
	t := l.t
	body := t.Child(n, "body")
	source, value := t.NamedChild(n, 0), t.NamedChild(n, 1)
	if source == 0 || value == 0 || value == body {
		l.statement(body, doc{})
		return
	}
	list := l.expr(source)
	if l.Raw().Exprs[list].Op == ir.Call {
		v := l.Temp(t.Start(source))
		l.Bind(l.Local(v, t.Start(source)), list)
		list = l.Local(v, t.Start(source))
	}
	if t.Kind(value) == "pair" {
		key := t.NamedChild(value, 0)
		x := l.Unary(ir.Elem, list, t.Start(key))
		name := l.Str("key")
		l.Raw().Exprs[x].Name = name
		l.Bind(l.target(key), x)
		value = t.NamedChild(value, 1)
	}
	l.Bind(l.target(value), l.Unary(ir.Elem, list, t.Start(value)))
	l.statement(body, doc{})
}

func (l *lowerer) catch(n syntax.Node) {
	t := l.t
	typ := t.Child(n, "type")
	if name := t.Child(n, "name"); name != 0 {
		pos := t.Start(name)
		l.Bind(l.write(name), l.Binary(ir.Cast, 0, l.typ(typ), pos))
	} else {
		l.Eval(l.Opaque(l.typ(typ)))
	}
	l.statement(t.Child(n, "body"), doc{})
}
