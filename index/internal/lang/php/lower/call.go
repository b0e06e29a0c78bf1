package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call of a function or method. f(...), with three dots, is the
// function itself.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	callee, pos := l.callee(n)
	list := l.Child(n, "arguments")
	if l.ChildOf(list, "variadic_placeholder") != 0 {
		return callee
	}
	args := l.args(list)
	if fn := l.Child(n, "function"); l.Kind(fn) == "name" || l.Kind(fn) == "qualified_name" {
		if x, ok := l.libraryCall(strings.TrimPrefix(l.Text(fn), `\`), callee, args, pos); ok {
			return x
		}
	}
	return l.Call(callee, args, pos)
}

// callee lowers the function of a call, and returns where its name is.
func (l *lowerer) callee(n syntax.Node) (ir.Expr, int) {
	if l.Kind(n) == "function_call_expression" {
		fn := l.Child(n, "function")
		pos := l.Start(fn)
		switch l.Kind(fn) {
		case "qualified_name":
			x := l.qualified(fn)
			if last := l.ChildOf(fn, "name"); last != 0 {
				pos = l.Start(last)
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
	name := l.Child(n, "name")
	pos := l.Start(name)
	var x ir.Expr
	path := l.Kind(n) == "scoped_call_expression"
	if path {
		x = l.scope(l.Child(n, "scope"))
	} else {
		x = l.object(l.Child(n, "object"))
	}
	word, dynamic := l.memberName(name)
	if word == "" {
		// $x->$name(): which one is known only when it runs.
		return l.Index(x, dynamic, "", pos), pos
	}
	a := l.Attr(x, word, pos)
	switch {
	case path:
		l.Flag(a, ir.Path)
	case l.Kind(n) == "nullsafe_member_call_expression":
		l.Flag(a, ir.Optional)
	}
	return a, pos
}

func (l *lowerer) args(list syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(list) {
		if l.Kind(c) != "argument" {
			l.Eval(l.expr(c)) // half-written code
			continue
		}
		var a ir.Arg
		for p := range l.NamedChildren(c) {
			switch {
			case l.Field(p) == "name":
				a.Name = l.Str(l.Text(p))
			case l.Kind(p) == "reference_modifier":
			case l.Kind(p) == "variadic_unpacking":
				a.Kind, a.X = ir.Spread, l.expr(l.NamedChild(p, 0))
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
	switch l.Kind(n) {
	case "string":
		x := l.expr(n)
		if s, ok := l.constant(n); ok {
			return l.Union(x, l.named(s, l.Start(n)+1))
		}
		return x
	}
	return l.pair(n)
}

// pair is callback for the elements of arrays, where strings are mostly text.
func (l *lowerer) pair(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "array_creation_expression":
		x := l.array(n)
		first, second := l.NamedChild(n, 0), l.NamedChild(n, 1)
		if second == 0 || l.NamedChild(n, 2) != 0 || l.NamedChild(first, 1) != 0 || l.NamedChild(second, 1) != 0 {
			return x
		}
		method := l.NamedChild(second, 0)
		s, ok := l.constant(method)
		if !ok || !identifier(s) {
			return x
		}
		object := l.NamedChild(first, 0)
		var of ir.Expr
		switch l.Kind(object) {
		case "variable_name", "class_constant_access_expression", "member_access_expression", "object_creation_expression":
			of = l.Raw().Args[l.Raw().Exprs[x].Lo].X
		case "string":
			if c, ok := l.constant(object); ok && className(c) {
				of = l.pathExpr(`\`+strings.TrimPrefix(c, `\`), l.Start(object)+1)
			}
		}
		if of == 0 {
			return x
		}
		a := l.Attr(of, s, l.Start(method)+1)
		l.Flag(a, ir.Implicit)
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
	l.Flag(x, ir.Implicit)
	if static {
		x = l.Attr(x, method, pos+len(class)+2)
		l.Flag(x, ir.Path|ir.Implicit)
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

// newObject lowers new C(args), and new class(args) { ... }.
func (l *lowerer) newObject(n syntax.Node) ir.Expr {
	args := l.args(l.ChildOf(n, "arguments"))
	if body := l.ChildOf(n, "declaration_list"); body != 0 {
		pos := l.Start(n)
		for c := range l.Children(n) {
			if l.Kind(c) == "class" {
				pos = l.Start(c)
			}
		}
		c := l.classBody(n, "", pos, ir.PlainClass, body)
		return l.New(l.ClassX(c, pos), args, pos)
	}
	designator := l.NamedChild(n, 0)
	pos := l.Start(designator)
	switch l.Kind(designator) {
	case "arguments":
		return l.New(0, args, pos)
	case "name", "relative_scope":
		return l.New(l.class(designator), args, pos)
	case "qualified_name":
		x := l.qualified(designator)
		if last := l.ChildOf(designator, "name"); last != 0 {
			pos = l.Start(last)
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
	var args []ir.Arg
	keyed := false
	next := 0 // the key of the next element without one
	for e := range l.NamedChildren(n) {
		var a ir.Arg
		first, second := l.NamedChild(e, 0), l.NamedChild(e, 1)
		switch {
		case l.Kind(first) == "variadic_unpacking":
			a.Kind, a.X = ir.Spread, l.expr(l.NamedChild(first, 0))
		case second != 0:
			keyed = true
			switch s, ok := l.constant(first); {
			case ok:
				a.Name = l.Str(s)
			case l.Kind(first) == "integer":
				a.Name = l.Str(l.Text(first))
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
		return l.Object("array", args, l.Start(n))
	}
	return l.List("array", args, l.Start(n))
}
