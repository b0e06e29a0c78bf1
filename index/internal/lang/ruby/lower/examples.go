package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A group is a group of examples that is being written.
type group struct {
	class   ir.Class
	subject string // the constant that it describes: A.B
}

// examples lowers a group of examples, an example, or one of the methods that
// let and subject make, and reports whether the call is one.
func (l *lowerer) examples(n syntax.Node, name string, args, block syntax.Node) bool {
	if name == "configure" && l.Kind(l.Child(n, "receiver")) == "constant" && l.Text(l.Child(n, "receiver")) == "RSpec" {
		l.helpers(n, l.Child(block, "body"))
		return false
	}
	outside := l.group == nil || l.body == nil || l.body.class != l.group.class
	switch name {
	case "describe", "context", "feature", "shared_examples", "shared_examples_for", "shared_context":
		if outside && (name == "context" || name == "feature") || outside && !l.AtTop() {
			return false
		}
		l.exampleGroup(n, args, block)
		return true
	case "test": // of Rails, in a class
		if l.body == nil || l.symbol(l.NamedChild(args, 0)) == "" {
			return false
		}
		l.example(n, args, block, ir.TestFunc, "")
		return true
	}
	if outside {
		return false
	}
	switch name {
	case "it", "specify", "example", "scenario", "fit", "its":
		l.example(n, args, block, ir.TestFunc, name)
	case "before", "after", "around", "setup", "teardown", "prepend_before", "append_after":
		l.example(n, 0, block, 0, name)
	case "let", "let!", "subject", "subject!":
		made := l.symbol(l.NamedChild(args, 0))
		if made == "" {
			made = "subject"
		}
		f := l.begin(made, l.Start(n), n)
		l.function(f, made, 0, l.Child(block, "body"))
		l.end(f, made, n)
	default:
		return false
	}
	return true
}

// helpers is the module of what configurations include in all groups.
const helpers = "RSpecHelpers"

// helpers lowers what a configuration includes in all groups.
func (l *lowerer) helpers(n, body syntax.Node) {
	var bases []ir.Base
	for c := range l.NamedChildren(body) {
		if l.Kind(c) != "call" || l.Text(l.Child(c, "method")) != "include" || l.Kind(l.Child(c, "receiver")) != "identifier" {
			continue
		}
		for a := range l.NamedChildren(l.Child(c, "arguments")) {
			if k := l.Kind(a); k == "constant" || k == "scope_resolution" {
				bases = append(bases, ir.Base{X: l.expr(a), Kind: ir.Mixin})
			}
		}
	}
	if bases != nil {
		l.classBody(helpers, ir.Trait, bases, n, n, func() {})
	}
}

// exampleGroup lowers describe X do ... end: a class, derived from the group
// around it, that has no name by which it is found.
func (l *lowerer) exampleGroup(n, args, block syntax.Node) {
	name, subject := l.Text(l.Child(n, "method")), ""
	at := n
	for c := range l.NamedChildren(args) {
		text := l.symbol(c)
		if k := l.Kind(c); k == "constant" || k == "scope_resolution" {
			text = strings.Join(l.path(c), ".")
			if subject == "" {
				subject = text
			}
			l.Keep(l.expr(c))
		}
		if text == "" {
			continue
		}
		if at == n {
			at = c
		}
		name += " " + text
	}
	was := l.group
	bases := []ir.Base{{X: l.Path("RSpec.ExampleGroup", l.Start(n), ir.Path), Kind: ir.Extend}} // of the library, as its methods are
	if was == nil {
		bases = append(bases, ir.Base{X: l.Free(helpers, l.Start(n)), Kind: ir.Mixin})
	} else {
		bases = []ir.Base{{X: l.ClassX(was.class, l.Start(n)), Kind: ir.Extend}}
		if subject == "" {
			subject = was.subject
		}
	}
	l.openClass(name, ir.PlainClass, bases, at, n, func() {
		l.group = &group{class: l.body.class, subject: subject}
		l.Keep(l.sequence(l.Child(block, "body")))
	})
	l.group = was
}

// example lowers it "says" do ... end: a method that is called by what it says.
func (l *lowerer) example(n, args, block syntax.Node, flags ir.FuncFlag, name string) {
	if says := l.symbol(l.NamedChild(args, 0)); says != "" {
		name = says
	}
	f := l.begin(name, l.Start(n), n)
	l.FuncInfo(f).Flags |= flags
	l.function(f, name, l.Child(block, "parameters"), l.Child(block, "body"))
	l.end(f, name, n)
}
