package php

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call of a function or method. f(...), with three dots, is the
// function itself.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	t := l.t
	callee, pos := l.callee(n)
	list := t.Child(n, "arguments")
	if t.ChildOf(list, "variadic_placeholder") != 0 {
		return callee
	}
	args := l.args(list)
	if fn := t.Child(n, "function"); t.Kind(fn) == "name" || t.Kind(fn) == "qualified_name" {
		if x, ok := l.libraryCall(strings.TrimPrefix(l.text(fn), `\`), callee, args, pos); ok {
			return x
		}
	}
	return l.Call(callee, args, pos)
}

// callee lowers the function of a call, and returns where its name is.
func (l *lowerer) callee(n syntax.Node) (ir.Expr, int) {
	t := l.t
	if t.Kind(n) == "function_call_expression" {
		fn := t.Child(n, "function")
		pos := t.Start(fn)
		switch t.Kind(fn) {
		case "qualified_name":
			x := l.qualified(fn)
			if last := t.ChildOf(fn, "name"); last != 0 {
				pos = t.Start(last)
			}
			return x, pos
		case "string", "array_creation_expression":
			// 'trim'($x) and [$this, 'm'](): only what is named counts.
			x := l.callback(fn)
			if u := l.Raw().Exprs[x]; u.Op == ir.Union {
				x = l.Raw().Args[u.Hi-1].X
			}
			return x, pos
		}
		return l.expr(fn), pos
	}
	name := t.Child(n, "name")
	pos := t.Start(name)
	var x ir.Expr
	path := t.Kind(n) == "scoped_call_expression"
	if path {
		x = l.scope(t.Child(n, "scope"))
	} else {
		x = l.object(t.Child(n, "object"))
	}
	word, dynamic := l.memberName(name)
	if word == "" {
		// $x->$name(): which one is known only when it runs.
		return l.Index(x, dynamic, "", pos), pos
	}
	a := l.Attr(x, word, pos)
	switch {
	case path:
		l.Raw().Exprs[a].Flags |= ir.Path
	case t.Kind(n) == "nullsafe_member_call_expression":
		l.Raw().Exprs[a].Flags |= ir.Optional
	}
	return a, pos
}

func (l *lowerer) args(list syntax.Node) []ir.Arg {
	t := l.t
	var args []ir.Arg
	for c := range t.NamedChildren(list) {
		if t.Kind(c) != "argument" {
			l.Eval(l.expr(c)) // half-written code
			continue
		}
		var a ir.Arg
		for p := range t.NamedChildren(c) {
			switch {
			case t.Field(p) == "name":
				a.Name = l.Str(l.text(p))
			case t.Kind(p) == "reference_modifier":
			case t.Kind(p) == "variadic_unpacking":
				a.Kind, a.X = ir.Spread, l.expr(t.NamedChild(p, 0))
			default:
				a.X = l.callback(p)
			}
		}
		args = append(args, a)
	}
	return args
}

// callback lowers a value that is passed on. A constant string or a pair that can
// name a function or method is that, too: 'trim', 'A::m', [$this, 'm'].
func (l *lowerer) callback(n syntax.Node) ir.Expr {
	t := l.t
	switch t.Kind(n) {
	case "string":
		x := l.expr(n)
		if s, ok := l.constant(n); ok {
			return l.Union(x, l.named(s, t.Start(n)+1))
		}
		return x
	}
	return l.pair(n)
}

// pair is callback for the elements of arrays, where strings are mostly text.
func (l *lowerer) pair(n syntax.Node) ir.Expr {
	t := l.t
	switch t.Kind(n) {
	case "array_creation_expression":
		x := l.array(n)
		first, second := t.NamedChild(n, 0), t.NamedChild(n, 1)
		if second == 0 || t.NamedChild(n, 2) != 0 || t.NamedChild(first, 1) != 0 || t.NamedChild(second, 1) != 0 {
			return x
		}
		method := t.NamedChild(second, 0)
		s, ok := l.constant(method)
		if !ok || !identifier(s) {
			return x
		}
		object := t.NamedChild(first, 0)
		var of ir.Expr
		switch t.Kind(object) {
		case "variable_name", "class_constant_access_expression", "member_access_expression", "object_creation_expression":
			of = l.Raw().Args[l.Raw().Exprs[x].Lo].X
		case "string":
			if c, ok := l.constant(object); ok && className(c) {
				of = l.pathExpr(`\`+strings.TrimPrefix(c, `\`), t.Start(object)+1)
			}
		}
		if of == 0 {
			return x
		}
		a := l.Attr(of, s, t.Start(method)+1)
		l.Raw().Exprs[a].Flags |= ir.Implicit
		return l.Union(x, a)
	}
	return l.expr(n)
}

// named lowers the name of a function or static method in a string. Names in
// strings are full ones: they begin at the root, whatever the namespace.
func (l *lowerer) named(s string, pos int) ir.Expr {
	class, method, static := strings.Cut(s, "::")
	name := strings.TrimPrefix(class, `\`)
	for part := range strings.SplitSeq(name, `\`) {
		if !identifier(part) {
			return 0
		}
	}
	if static && !identifier(method) {
		return 0
	}
	x := l.pathExpr(`\`+name, pos)
	l.Raw().Exprs[x].Flags |= ir.Implicit
	if static {
		x = l.Attr(x, method, pos+len(class)+2)
		l.Raw().Exprs[x].Flags |= ir.Path | ir.Implicit
	}
	return x
}

// identifier reports whether s is a name by the rules of the language.
func identifier(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}

// number gives the first elements of an array without keys their numbers, where
// others have keys.
func (l *lowerer) number(args []ir.Arg, n int) {
	next := 0
	for i := range args {
		if args[i].Name == 0 && args[i].Kind == ir.Plain && next < min(n, 10) {
			args[i].Name = l.Str(string(rune('0' + next)))
			next++
		}
	}
}

// create lowers new C(args), and new class(args) { ... }.
func (l *lowerer) create(n syntax.Node) ir.Expr {
	t := l.t
	args := l.args(t.ChildOf(n, "arguments"))
	if body := t.ChildOf(n, "declaration_list"); body != 0 {
		pos := t.Start(n)
		for c := range t.Children(n) {
			if t.Kind(c) == "class" {
				pos = t.Start(c)
			}
		}
		c := l.classBody(n, "", pos, ir.PlainClass, body)
		return l.New(l.ClassX(c, pos), args, pos)
	}
	designator := t.NamedChild(n, 0)
	pos := t.Start(designator)
	switch t.Kind(designator) {
	case "arguments":
		return l.New(0, args, pos)
	case "name", "relative_scope":
		return l.New(l.class(designator), args, pos)
	case "qualified_name":
		x := l.qualified(designator)
		if last := t.ChildOf(designator, "name"); last != 0 {
			pos = t.Start(last)
		}
		return l.New(x, args, pos)
	case "string":
		if s, ok := l.constant(designator); ok && className(s) {
			return l.New(l.pathExpr(`\`+strings.TrimPrefix(s, `\`), pos+1), args, pos)
		}
	}
	return l.New(l.expr(designator), args, pos)
}

// array lowers [a, 'k' => b, ...c].
func (l *lowerer) array(n syntax.Node) ir.Expr {
	t := l.t
	var args []ir.Arg
	keyed := false
	next := 0 // the key of the next element without one
	for e := range t.NamedChildren(n) {
		var a ir.Arg
		first, second := t.NamedChild(e, 0), t.NamedChild(e, 1)
		switch {
		case t.Kind(first) == "variadic_unpacking":
			a.Kind, a.X = ir.Spread, l.expr(t.NamedChild(first, 0))
		case second != 0:
			keyed = true
			switch s, ok := l.constant(first); {
			case ok:
				a.Name = l.Str(s)
			case t.Kind(first) == "integer":
				a.Name = l.Str(l.text(first))
			default:
				l.Eval(l.Opaque(l.expr(first)))
			}
			a.X = l.pair(second)
		default:
			a.X = l.pair(first)
			next++
		}
		args = append(args, a)
	}
	if keyed {
		l.number(args, next)
		return l.Object("array", args, t.Start(n))
	}
	return l.List("array", args, t.Start(n))
}
