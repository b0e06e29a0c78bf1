package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// class lowers a class or module.
func (l *lowerer) class(n syntax.Node, kind ir.ClassKind) {
	name := l.Child(n, "name")
	if name == 0 {
		l.Keep(l.sequence(n))
		return
	}
	path := strings.Join(l.path(name), ".")
	super := l.NamedChild(l.Child(n, "superclass"), 0)
	var bases []ir.Base
	fields := l.structBase(super)
	if fields != nil {
		super = l.Child(super, "receiver")
	}
	if super != 0 {
		if x := l.expr(super); x != 0 {
			bases = append(bases, ir.Base{X: x, Kind: ir.Extend})
		}
	}
	l.classBody(path, kind, bases, name, n, func() {
		l.accessors(fields, true, true)
		l.Keep(l.sequence(l.Child(n, "body")))
	})
}

// classBody begins a class, runs f for its body and binds its name.
func (l *lowerer) classBody(name string, kind ir.ClassKind, bases []ir.Base, at, n syntax.Node, f func()) ir.Class {
	c := l.openClass(name, kind, bases, at, n, f)
	if name != "" {
		l.DefineClass(c, true, true, l.Start(at))
	}
	return c
}

// openClass is classBody without the name.
func (l *lowerer) openClass(name string, kind ir.ClassKind, bases []ir.Base, at, n syntax.Node, f func()) ir.Class {
	c := l.BeginClass(name, kind, l.Start(at))
	info := l.ClassInfo(c)
	info.Bases, info.Start = bases, uint32(l.Start(n))
	wasBody, wasMethod := l.body, l.method
	l.body, l.method = &body{class: c}, nil
	l.push(true)
	f()
	l.pop()
	l.body, l.method = wasBody, wasMethod
	l.EndClass(l.End(n))
	return c
}

// path returns the names of A::B::C.
func (l *lowerer) path(n syntax.Node) []string {
	var names []string
	for range walk.MaxDepth {
		if l.Kind(n) != "scope_resolution" {
			break
		}
		names = append(names, l.Text(l.Child(n, "name")))
		n = l.Child(n, "scope")
	}
	if n != 0 {
		names = append(names, l.Text(n))
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return names
}

// singletonClass lowers class << self: its methods are the class's own.
func (l *lowerer) singletonClass(n syntax.Node) {
	if l.body == nil {
		l.Keep(l.sequence(l.Child(n, "body")))
		return
	}
	was := *l.body
	l.body.singleton, l.body.private, l.body.function = true, false, false
	l.push(true)
	l.Keep(l.sequence(l.Child(n, "body")))
	l.pop()
	*l.body = was
}

// classCall lowers the calls that are declarations in a class's body, and
// reports whether n was one.
func (l *lowerer) classCall(n syntax.Node, name string, args syntax.Node) bool {
	if l.body == nil {
		return false
	}
	switch name {
	case "include":
		return l.mixin(args, ir.Mixin)
	case "extend":
		return l.mixin(args, ir.Meta)
	case "prepend":
		return l.mixin(args, ir.Prepend)
	case "attr_reader":
		l.attributes(args, true, false)
	case "attr_writer":
		l.attributes(args, false, true)
	case "attr_accessor", "attr", "cattr_accessor", "mattr_accessor", "class_attribute", "thread_mattr_accessor":
		was := l.body.singleton
		l.body.singleton = was || name[0] == 'c' || name[0] == 'm' || name[0] == 't'
		l.attributes(args, true, name != "attr")
		l.body.singleton = was
	case "private", "protected", "public", "module_function", "private_class_method", "public_class_method", "private_constant":
		l.visibility(name, args)
	case "define_method":
		return l.defineMethod(n, args)
	case "alias_method":
		l.alias(l.NamedChild(args, 0), l.NamedChild(args, 1))
	case "delegate", "def_delegators", "def_instance_delegators", "def_delegator", "def_instance_delegator":
		return l.delegate(name, args)
	case "class_methods": // of a concern: those of the classes that include it
		block := l.Child(n, "block")
		if block == 0 {
			return false
		}
		l.classBody("ClassMethods", ir.Trait, nil, n, n, func() { l.Keep(l.sequence(l.Child(block, "body"))) })
	case "included":
		block := l.Child(n, "block")
		if block == 0 || l.Child(block, "parameters") != 0 {
			return false
		}
		l.Keep(l.sequence(l.Child(block, "body")))
	default:
		return false
	}
	return true
}

// mixin adds modules to the bases.
func (l *lowerer) mixin(args syntax.Node, kind ir.BaseKind) bool {
	if args == 0 {
		return false
	}
	if l.body.singleton { // class << self; include M
		kind = ir.Meta
	}
	for c := range l.NamedChildren(args) {
		x := ir.Expr(0)
		if l.Kind(c) == "self" {
			x = l.ClassX(l.body.class, l.Start(c))
		} else {
			x = l.expr(c)
		}
		if x != 0 {
			info := l.ClassInfo(l.body.class)
			info.Bases = append(info.Bases, ir.Base{X: x, Kind: kind})
		}
	}
	return true
}

// visibility lowers private and its like: alone for what follows, or with names
// or a definition.
func (l *lowerer) visibility(word string, args syntax.Node) {
	if args == 0 {
		switch word {
		case "private":
			l.body.private, l.body.function = true, false
		case "public", "protected":
			l.body.private, l.body.function = false, false
		case "module_function":
			l.body.function, l.body.private = true, false
		}
		return
	}
	was := *l.body
	l.body.private = word == "private"
	l.body.function = word == "module_function"
	for c := range l.NamedChildren(args) {
		name := l.symbol(c)
		if name == "" {
			l.Keep(l.expr(c))
			continue
		}
		l.mark(name, word)
	}
	*l.body = was
}

// mark changes the visibility of a method that is written already.
func (l *lowerer) mark(name, word string) {
	f := l.Raw()
	members := f.Classes[l.body.class].Members
	for i := len(members) - 1; i >= 0; i-- {
		m := &members[i]
		if m.Kind != ir.FuncMember || f.String(m.Name) != name {
			continue
		}
		switch word {
		case "private", "private_class_method":
			m.Exported = false
			f.Funcs[m.Ref].Flags |= ir.Private
		case "module_function":
			static := *m
			static.Static = true
			f.Classes[l.body.class].Members = append(members, static)
		}
		return
	}
}
