package control

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

func switchStatement(b *walk.Builder, n syntax.Node) {
	walk.SwitchForm{
		Value: "value", Body: "body", Cases: []string{"switch_section"}, Falls: true, Block: true, LabelEnd: ":#0",
		Test:      func(b *walk.Builder, c syntax.Node) { labels(b, c, func(l syntax.Node) { pattern(b, l) }) },
		IsDefault: func(b *walk.Builder, c syntax.Node) bool { return b.Child(c, "default#0") != 0 },
		Case: func(b *walk.Builder, c syntax.Node) {
			if name, is := target(b, n, c); is {
				b.Labeled(name, b.First(c), 0)
			}
			after := false
			for s := range b.Tree.Children(c) {
				if after && b.Named(s) && !b.Comment(s) {
					b.Stmt(s)
				}
				after = after || b.Kind(s) == ":"
			}
		},
	}.Rule()(b, n)
}

// labels calls yield with the patterns and conditions of a case.
func labels(b *walk.Builder, c syntax.Node, yield func(syntax.Node)) {
	for l := range b.Tree.Children(c) {
		if b.Kind(l) == ":" {
			break
		}
		if b.Named(l) {
			yield(l)
		}
	}
}

// target returns the label that a goto to a case of a switch has. is is false where no goto can
// go there.
func target(b *walk.Builder, n, c syntax.Node) (name string, is bool) {
	name = caseLabel(b, n, "default")
	if b.Child(c, "default#0") == 0 {
		labels(b, c, func(l syntax.Node) {
			is = b.Kind(l) == "constant_pattern"
			name = caseLabel(b, n, b.Text(l))
		})
		return name, is
	}
	return name, true
}

// caseLabel names a case of a switch.
func caseLabel(b *walk.Builder, n syntax.Node, value string) string {
	return "case " + strconv.Itoa(b.Start(n)) + " " + value
}

// gotos goes to a label, or to a case of the switch around.
func gotos(b *walk.Builder, n syntax.Node) {
	value := ""
	switch {
	case b.Child(n, "default#0") != 0:
		value = "default"
	case b.Child(n, "case#0") != 0:
		value = b.Text(b.NamedChild(n, 0))
	default:
		walk.Goto(b, n)
		return
	}
	around := b.Parent(n)
	for around != 0 && around != b.Root() && b.Kind(around) != "switch_statement" {
		around = b.Parent(around)
	}
	b.Jump(b.Step(walk.Jump, n, nil), walk.ToLabel, caseLabel(b, around, value), walk.Went)
}

var switchExpression = walk.SwitchForm{
	Value: "#0", Cases: []string{"switch_expression_arm"}, Whole: true, LabelEnd: "=>#0",
	Test: func(b *walk.Builder, c syntax.Node) {
		last := b.Child(c, "#-1")
		for l := range b.NamedChildren(c) {
			if l != last {
				pattern(b, l)
			}
		}
	},
	IsDefault: func(b *walk.Builder, c syntax.Node) bool {
		return b.Kind(b.NamedChild(c, 0)) == "discard" && b.ChildOf(c, "when_clause") == 0
	},
	Case: func(b *walk.Builder, c syntax.Node) { b.Stmt(b.Child(c, "#-1")) },
}

// pattern evaluates a pattern and binds its names.
func pattern(b *walk.Builder, n syntax.Node) {
	switch b.Kind(n) {
	case "declaration_pattern", "var_pattern":
		if name := b.Child(n, "name"); name != 0 {
			b.Typed(n, func() { b.Declare(name) })
		}
	case "subpattern":
		pattern(b, b.Child(n, "#-1"))
	case "recursive_pattern", "list_pattern":
		for c := range b.NamedChildren(n) {
			if f := b.Field(c); f != "type" && f != "name" {
				pattern(b, c)
			}
		}
		if name := b.Child(n, "name"); name != 0 {
			b.Declare(name)
		}
	case "constant_pattern":
		if call := b.NamedChild(n, 0); b.Kind(call) == "invocation_expression" { // a type and what it is taken apart into
			b.Expr(b.Child(call, "arguments"))
			return
		}
		b.Children(n)
	case "property_pattern_clause", "positional_pattern_clause", "negated_pattern", "and_pattern", "or_pattern", "relational_pattern", "parenthesized_pattern", "when_clause":
		for c := range b.NamedChildren(n) {
			pattern(b, c)
		}
	case "type_pattern", "discard":
	default:
		b.Expr(n)
	}
}

var tries = walk.TryForm{
	Body: "body", Catches: []string{"catch_clause"}, Finally: []string{"finally_clause"}, Handler: "body",
	Catch: func(b *walk.Builder, c syntax.Node) {
		if name := b.Child(c, "catch_declaration#0/name"); name != 0 {
			b.Declare(name)
		}
		if filter := b.ChildOf(c, "catch_filter_clause"); filter != 0 {
			b.Children(filter)
		}
	},
	IsAny: func(b *walk.Builder, c syntax.Node) bool {
		if b.ChildOf(c, "catch_filter_clause") != 0 {
			return false
		}
		t := b.Child(c, "catch_declaration#0/type")
		return t == 0 || b.Is(t, "Exception") || b.Is(t, "System.Exception")
	},
}
