package control

import (
	"bytes"
	"regexp"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// conditional writes "#if": each of its alternatives may be what is compiled, or none of them.
func conditional(b *walk.Builder, n syntax.Node) {
	cond := directive(b, n)
	choose := b.Either // of cases, each is reached by itself: there is no step before them
	if b.ChildOf(n, "case_statement") == 0 {
		id := b.StepOf(walk.Switch, b.Start(n), max(b.Start(n), b.End(cond)), 0, nil)
		choose = func(ways ...func()) { b.Choose(id, ways...) }
	}
	var ways []func()
	for part := n; part != 0; part = b.Child(part, "alternative") {
		cond, other := directive(b, part), b.Child(part, "alternative")
		ways = append(ways, func() {
			for c := range b.NamedChildren(part) {
				if c != cond && c != other {
					b.Stmt(c)
				}
			}
		})
		if other == 0 && b.Kind(part) != "preproc_else" {
			ways = append(ways, func() {})
		}
	}
	choose(ways...)
}

// directive returns the condition or the name of "#if", none for "#else".
func directive(b *walk.Builder, n syntax.Node) syntax.Node {
	if cond := b.Child(n, "condition"); cond != 0 {
		return cond
	}
	return b.Child(n, "name")
}

// within is "#if" within an expression: all of it is evaluated.
func within(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Field(c) {
		case "condition", "name":
		case "alternative":
			within(b, c)
		default:
			b.Expr(c)
		}
	}
}

var (
	returning = regexp.MustCompile(`\breturn\b`)
	going     = regexp.MustCompile(`\bgoto\s+(\w+)`)
	breaking  = regexp.MustCompile(`\b(break|continue)\b`)
	looping   = regexp.MustCompile(`\b(do|while|for|switch)\b`)
)

// leaves adds where a macro of the same text goes that stands where a call would.
func leaves(b *walk.Builder, name string) {
	body := macro(b, b.Root(), []byte(name))
	if body == nil {
		return
	}
	if returning.Match(body) {
		b.May(walk.ToExit, "", walk.Returned)
	}
	for _, label := range going.FindAllSubmatch(body, -1) {
		b.May(walk.ToLabel, string(label[1]), walk.Went)
	}
	if jump := breaking.Find(body); jump != nil && !looping.Match(body) {
		if string(jump) == "break" {
			b.May(walk.ToBreak, "", walk.Broken)
		} else {
			b.May(walk.ToContinue, "", walk.Continued)
		}
	}
}

// macro returns what a macro with parameters stands for, nil where the text has none of the name.
func macro(b *walk.Builder, n syntax.Node, name []byte) []byte {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "preproc_function_def":
			if bytes.Equal(b.Bytes(b.Child(c, "name")), name) {
				return b.Bytes(b.Child(c, "value"))
			}
		case "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification", "declaration_list":
			if body := macro(b, c, name); body != nil {
				return body
			}
		}
	}
	return nil
}
