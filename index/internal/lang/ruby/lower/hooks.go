package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// included takes what def self.included(base) includes in and extends a class with for what the
// module itself gives those that include it.
func (l *lowerer) included(n syntax.Node) {
	base := l.NamedChild(l.Child(n, "parameters"), 0)
	if l.body == nil || l.Kind(base) != "identifier" {
		return
	}
	var members []ir.Base
	l.hooked(l.Child(n, "body"), l.Text(base), &members)
	if members != nil {
		l.classBody("ClassMethods", ir.Trait, members, n, n, func() {})
	}
}

// hooked looks through the statements of a hook, and of a block of class_eval in it.
func (l *lowerer) hooked(body syntax.Node, base string, members *[]ir.Base) {
	if k := l.Kind(body); k == "call" {
		l.hookedCall(body, base, members)
		return
	}
	for c := range l.NamedChildren(body) {
		switch l.Kind(c) {
		case "call":
			l.hookedCall(c, base, members)
		case "body_statement", "block_body":
			l.hooked(c, base, members)
		}
	}
}

func (l *lowerer) hookedCall(c syntax.Node, base string, members *[]ir.Base) {
	receiver, args := l.Child(c, "receiver"), l.Child(c, "arguments")
	if base != "" && (l.Kind(receiver) != "identifier" || l.Text(receiver) != base) || base == "" && receiver != 0 {
		return
	}
	name, skip := l.Text(l.Child(c, "method")), 0
	if name == "send" || name == "public_send" {
		name, skip = l.symbol(l.NamedChild(args, 0)), 1
	}
	switch name {
	case "class_eval", "class_exec", "module_eval", "instance_eval":
		l.hooked(l.Child(l.Child(c, "block"), "body"), "", members)
		return
	case "extend", "include":
	default:
		return
	}
	i := 0
	for a := range l.NamedChildren(args) {
		if i++; i <= skip || l.Kind(a) != "constant" && l.Kind(a) != "scope_resolution" {
			continue
		}
		if name == "include" {
			info := l.ClassInfo(l.body.class)
			info.Bases = append(info.Bases, ir.Base{X: l.expr(a), Kind: ir.Mixin})
		} else if l.Text(a) != "ClassMethods" {
			*members = append(*members, ir.Base{X: l.expr(a), Kind: ir.Mixin})
		}
	}
}
