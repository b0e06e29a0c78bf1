package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// stmts lowers the children of a node in order, each with the comment before
// it.
func (l *lowerer) stmts(n syntax.Node) {
	var comment syntax.Node
	for c := range l.Children(n) {
		switch {
		case l.Kind(c) == "comment":
			comment = c
			continue
		case l.Named(c):
			l.documented(c, comment)
		}
		comment = 0
	}
}

// documented lowers a statement after a comment. "@var Foo $x" tells the class of
// a variable, "@var Foo" that of what the statement assigns.
func (l *lowerer) documented(n, comment syntax.Node) {
	if comment == 0 {
		l.stmt(n, doc{})
		return
	}
	d := l.docOf(comment)
	if d.text == "" {
		l.stmt(n, d)
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
		if a := l.NamedChild(n, 0); l.Kind(n) == "expression_statement" && l.Kind(a) == "assignment_expression" {
			l.Bind(l.target(l.Child(a, "left")), l.Binary(ir.Cast, 0, x, at))
		}
	})
	l.stmt(n, d)
}

func trimSpace(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

func (l *lowerer) stmt(n syntax.Node, d doc) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "compound_statement", "colon_block":
		mark := l.mark()
		l.stmts(n)
		l.restore(mark)
	case "expression_statement":
		l.effect(l.NamedChild(n, 0))
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
		x := l.expr(l.NamedChild(n, 0))
		if c := l.context(); l.OpOf(x) == ir.This {
			c.self = true
		} else if x != 0 {
			c.other = true
		}
		l.Return(x)
	case "if_statement":
		l.ifStatement(n)
	case "while_statement":
		cond := l.Child(n, "condition")
		l.Eval(l.expr(cond))
		l.branch(l.Child(n, "body"), l.tests(cond, false, nil))
	case "foreach_statement":
		l.foreach(n)
	case "switch_statement":
		l.Eval(l.Opaque(l.expr(l.Child(n, "condition"))))
		for c := range l.NamedChildren(l.Child(n, "body")) {
			value := l.Child(c, "value")
			l.Eval(l.Opaque(l.expr(value)))
			mark := l.mark()
			for s := range l.NamedChildren(c) {
				if s != value {
					l.stmt(s, doc{})
				}
			}
			l.restore(mark)
		}
	case "try_statement":
		l.stmt(l.Child(n, "body"), doc{})
		for c := range l.NamedChildren(n) {
			switch l.Kind(c) {
			case "catch_clause":
				l.catch(c)
			case "finally_clause":
				l.stmt(l.Child(c, "body"), doc{})
			}
		}
	case "global_declaration":
		for c := range l.NamedChildren(n) {
			if ctx := l.context(); l.Kind(c) == "variable_name" && ctx.kind == function {
				ctx.vars[l.Text(c)] = 0
			}
		}
	case "function_static_declaration":
		for c := range l.NamedChildren(n) {
			if name := l.Child(c, "name"); name != 0 {
				l.Bind(l.write(name), l.expr(l.Child(c, "value")))
			}
		}
	case "do_statement", "for_statement", "declare_statement", "else_clause", "else_if_clause", "ERROR":
		for c := range l.NamedChildren(n) {
			l.stmt(c, doc{})
		}
	case "declare_directive":
	case "method_declaration", "property_declaration", "use_declaration", "enum_case":
		// Only where a brace is missing.
		if len(l.classes) > 0 && l.Class() != 0 {
			l.member(n, d)
		} else if l.Kind(n) == "method_declaration" {
			l.functionDefinition(n, d)
		}
	default: // echo, unset, exit, and expressions
		l.Eval(l.expr(n))
	}
}

// constants lowers "const A = 1" outside of a class.
func (l *lowerer) constants(n syntax.Node) {
	for e := range l.OfKind(n, "const_element") {
		name := l.NamedChild(e, 0)
		pos := l.Start(name)
		init := l.expr(l.NamedChild(e, 1))
		v := l.Temp(pos)
		id := l.Str(l.Text(name))
		info := l.VarInfo(v)
		info.Name, info.Init, info.Func = id, init, 0
		l.define(ir.VarMember, uint32(v), id)
	}
}

// branch lowers a statement in which tests are known to hold.
func (l *lowerer) branch(n syntax.Node, tests []test) {
	mark := l.mark()
	l.apply(tests)
	l.stmt(n, doc{})
	l.restore(mark)
}

func (l *lowerer) ifStatement(n syntax.Node) {
	cond := l.Child(n, "condition")
	l.Eval(l.expr(cond))
	l.branch(l.Child(n, "body"), l.tests(cond, false, nil))
	exits := l.leaves(l.Child(n, "body"))
	mark := l.mark()
	otherwise := l.tests(cond, true, nil)
	l.apply(otherwise)
	alternative := false
	for c := range l.NamedChildren(n) {
		if l.Field(c) != "alternative" {
			continue
		}
		alternative = true
		if l.Kind(c) == "else_if_clause" {
			cond := l.Child(c, "condition")
			l.Eval(l.expr(cond))
			l.branch(l.Child(c, "body"), l.tests(cond, false, nil))
			l.apply(l.tests(cond, true, nil))
			continue
		}
		l.stmt(l.Child(c, "body"), doc{})
	}
	// "if (!$x instanceof C) return;" tells of what follows.
	if !exits || alternative {
		l.restore(mark)
	}
}

// leaves reports whether a statement always leaves the block around it.
func (l *lowerer) leaves(n syntax.Node) bool {
	if k := l.Kind(n); k == "compound_statement" || k == "colon_block" {
		n = l.LastChild(n)
	}
	switch l.Kind(n) {
	case "return_statement", "break_statement", "continue_statement", "exit_statement":
		return true
	case "expression_statement":
		return l.Kind(l.NamedChild(n, 0)) == "throw_expression"
	}
	return false
}

func (l *lowerer) foreach(n syntax.Node) {
	body := l.Child(n, "body")
	source, value := l.NamedChild(n, 0), l.NamedChild(n, 1)
	if source == 0 || value == 0 || value == body {
		l.stmt(body, doc{})
		return
	}
	list := l.expr(source)
	if l.OpOf(list) == ir.Call {
		v := l.Temp(l.Start(source))
		l.Bind(l.Local(v, l.Start(source)), list)
		list = l.Local(v, l.Start(source))
	}
	if l.Kind(value) == "pair" {
		key := l.NamedChild(value, 0)
		x := l.Unary(ir.Elem, list, l.Start(key))
		name := l.Str("key")
		l.Raw().Exprs[x].Name = name
		l.Bind(l.target(key), x)
		value = l.NamedChild(value, 1)
	}
	l.Bind(l.target(value), l.Unary(ir.Elem, list, l.Start(value)))
	l.stmt(body, doc{})
}

func (l *lowerer) catch(n syntax.Node) {
	typ := l.Child(n, "type")
	if name := l.Child(n, "name"); name != 0 {
		pos := l.Start(name)
		l.Bind(l.write(name), l.Binary(ir.Cast, 0, l.typ(typ), pos))
	} else {
		l.Eval(l.Opaque(l.typ(typ)))
	}
	l.stmt(l.Child(n, "body"), doc{})
}
