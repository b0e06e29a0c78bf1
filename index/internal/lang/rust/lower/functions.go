package lower

import (
	"bytes"
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// function lowers a function, with or without a body.
func (l *lowerer) function(n syntax.Node, attrs []syntax.Node) {
	name, body := l.Child(n, "name"), l.Child(n, "body")
	pos := l.Start(name)
	in := l.Class()
	f := ir.Func(len(l.Raw().Funcs))
	member := ir.Member{Name: l.Str(l.text(name)), Kind: ir.FuncMember, Ref: uint32(f), Exported: l.visible(n)}
	params := l.Child(n, "parameters")
	self, selfType := l.selfParam(params)
	member.Static = in != 0 && self == 0
	var flags ir.FuncFlag
	flags |= walk.When(member.Static, ir.Static)
	atTop := l.AtTop()
	l.define(member, pos)

	l.BeginFunc(l.text(name), pos)
	barrier, breaks, generics, result := l.barrier, l.breaks, len(l.generics), l.result
	l.barrier, l.breaks, l.result = ir.Var(len(l.Raw().Vars)), nil, 0
	if self != 0 {
		v := l.Declare("self", l.Start(self))
		if selfType != 0 {
			x := l.typ(selfType)
			l.VarInfo(v).Type = x
		}
		l.FuncInfo(f).Self = v
	}
	l.typeParams(n, func(p ir.TypeParam) {
		info := l.FuncInfo(f)
		info.SetTypeParams(merge(info.TypeParams(), p, l.Builder))
	})
	l.params(params)
	if r := l.Child(n, "return_type"); r != 0 {
		x := l.typ(r)
		if x != 0 {
			l.FuncInfo(f).Results = []ir.Expr{x}
			l.result = x
		}
	}
	if m := l.ChildOf(n, "function_modifiers"); m != 0 && bytes.Contains(l.Bytes(m), []byte("async")) {
		flags |= ir.Async
	}
	switch {
	case l.Kind(n) == "function_signature_item" && l.trait && in != 0:
		flags |= ir.Abstract
	case l.Kind(n) == "function_signature_item":
		flags |= ir.Prototype
	}
	if len(attrs) > 0 {
		flags |= walk.When(l.hasTest(attrs), ir.TestFunc)
		flags |= walk.When(l.hasAttribute(attrs, "no_mangle") || l.hasAttribute(attrs, "panic_handler"), ir.Entry)
	}
	flags |= walk.When(atTop && l.text(name) == "main", ir.Entry)
	info := l.FuncInfo(f)
	info.Flags, info.Start = flags, uint32(l.Start(n))
	if body != 0 {
		l.Return(l.block(body, l.result))
	}
	l.EndFunc(l.End(n))
	l.barrier, l.breaks, l.generics, l.result = barrier, breaks, l.generics[:generics], result
}

// selfParam returns the self parameter and its declared type, if any.
func (l *lowerer) selfParam(params syntax.Node) (self, typ syntax.Node) {
	first := l.NamedChild(params, 0)
	for i := 1; first != 0 && l.Kind(first) == "attribute_item"; i++ {
		first = l.NamedChild(params, i)
	}
	switch {
	case l.Kind(first) == "self_parameter":
		return first, 0
	case l.Kind(first) == "parameter" && l.Kind(l.Child(first, "pattern")) == "self":
		return first, l.Child(first, "type")
	}
	return 0, 0
}

// params enters the parameters of a function or closure, without self.
func (l *lowerer) params(list syntax.Node) {
	type later struct {
		pattern syntax.Node
		value   ir.Expr
	}
	var patterns []later
	add := func(pattern, typ syntax.Node) {
		pos := l.Start(pattern)
		x := l.typ(typ)
		if l.Kind(typ) == "unit_type" { // which tells one implementation of From from another
			x = l.Apply(0, "tuple", nil, pos)
		}
		if name := l.simple(pattern); name != "" {
			l.Param(name, x, 0, ir.Positional, pos)
			return
		}
		// The name cannot be written, so it hides nothing.
		v := l.Param("#"+strconv.Itoa(len(l.FuncInfo(l.Func()).Params)), x, 0, ir.Positional, pos)
		patterns = append(patterns, later{pattern, l.Local(v, pos)})
	}
	for c := range l.Children(list) {
		if !l.isElement(c) {
			continue
		}
		switch l.Kind(c) {
		case "self_parameter", "attribute_item", "variadic_parameter", "ERROR":
		case "parameter":
			if p := l.Child(c, "pattern"); l.Kind(p) != "self" {
				add(p, l.Child(c, "type"))
			}
		default: // of a closure; in a trait of the 2015 edition a type without a name
			if l.Kind(list) == "closure_parameters" {
				add(c, 0)
			}
		}
	}
	for _, p := range patterns {
		l.pattern(p.pattern, p.value)
	}
}

// simple returns the name that a pattern binds when it is nothing but a name.
func (l *lowerer) simple(p syntax.Node) string {
	for range 4 {
		switch l.Kind(p) {
		case "identifier":
			return l.text(p)
		case "mut_pattern", "ref_pattern", "reference_pattern":
			p = l.last(p)
		default:
			return ""
		}
	}
	return ""
}

// last returns the last named child: what a prefix of a pattern or expression is
// written before.
func (l *lowerer) last(n syntax.Node) syntax.Node {
	var last syntax.Node
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "mutable_specifier" {
			last = c
		}
	}
	return last
}

// closure lowers a closure and returns it as a value.
func (l *lowerer) closure(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.BeginFunc("", pos)
	breaks, outer := l.breaks, l.result
	l.breaks = nil
	if l.hasWord(n, "async") {
		l.FuncInfo(f).Flags |= ir.Async
	}
	l.params(l.Child(n, "parameters"))
	l.result = l.typ(l.Child(n, "return_type"))
	l.SetResult(f, l.result)
	l.Return(l.exprOf(l.Child(n, "body"), l.result))
	l.breaks, l.result = breaks, outer
	l.EndFunc(l.End(n))
	return l.Lambda(f, pos)
}

// hasWord reports whether a node has the keyword among its children.
func (l *lowerer) hasWord(n syntax.Node, word string) bool { return l.ChildOf(n, word) != 0 }
