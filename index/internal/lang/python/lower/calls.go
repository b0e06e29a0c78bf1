package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call. Some of what the language brings along passes on what it is
// given, and is written out here.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	fn := l.Child(n, "function")
	args := l.Child(n, "arguments")
	switch l.Kind(fn) {
	case "identifier":
		s := l.id(fn)
		if l.builtin(s) {
			if x, ok := l.builtinCall(l.text(s), fn, args); ok {
				return x
			}
		} else if x, ok := l.libraryCall(s, fn, args); ok {
			return x
		}
		return l.Call(l.use(s, l.Start(fn)), l.args(args), l.Start(fn))
	case "attribute":
		id := l.Child(fn, "attribute")
		if l.Kind(id) == "identifier" {
			if x, ok := l.libraryCall(l.id(id), fn, args); ok {
				return x
			}
		}
		if string(l.Bytes(id)) == "__await__" {
			return l.Unary(ir.Await, l.expr(l.Child(fn, "object")), l.Start(id))
		}
		on := l.expr(fn)
		list := l.args(args)
		switch string(l.Bytes(id)) {
		case "get", "pop", "setdefault":
			// The key of a dictionary counts.
			if key := l.key(l.NamedChild(args, 0)); key != "" && len(list) > 0 {
				if x := &l.Raw().Exprs[list[0].X]; x.Op == ir.Lit {
					x.Ref = uint32(l.Str(key))
				}
			}
		}
		return l.Call(on, list, l.Start(id))
	}
	pos := l.Start(fn)
	for l.Kind(fn) == "parenthesized_expression" {
		fn = l.NamedChild(fn, 0)
	}
	switch l.Kind(fn) {
	case "call", "subscript":
		pos = l.Start(args)
	}
	return l.Call(l.expr(fn), l.args(args), pos)
}

// args lowers the arguments of a call.
func (l *lowerer) args(n syntax.Node) []ir.Arg {
	if l.Kind(n) == "generator_expression" {
		return ir.Args(l.expr(n))
	}
	var list []ir.Arg
	for c := range l.NamedChildren(n) {
		var a ir.Arg
		switch l.Kind(c) {
		case "keyword_argument":
			a.Name = l.id(l.Child(c, "name"))
			a.X = l.expr(l.Child(c, "value"))
		case "list_splat":
			a.Kind, a.X = ir.Spread, l.expr(c)
		case "dictionary_splat":
			a.Kind, a.X = ir.KwSpread, l.expr(c)
		default:
			a.X = l.expr(c)
		}
		list = append(list, a)
	}
	return list
}

// builtinCall lowers a call of a built-in function that hands on what it gets.
// The call itself stays, for it is one; its value is another.
func (l *lowerer) builtinCall(name string, fn, args syntax.Node) (ir.Expr, bool) {
	first, pos := l.NamedChild(args, 0), l.Start(fn)
	switch name {
	case "super":
		l.Keep(l.Opaque(exprs(l.args(args))...))
		if first != 0 && l.NamedChild(args, 1) != 0 { // above this class, of those that the instance has
			return l.Unary(ir.Super, l.expr(first), pos), true
		}
		return l.Unary(ir.Super, 0, pos), true
	case "type":
		if first == 0 || l.NamedChild(args, 1) != 0 {
			return 0, false
		}
		return l.Unary(ir.TypeOf, l.expr(first), pos), true
	case "getattr":
		word, ok := l.constant(l.NamedChild(args, 1))
		list := l.called(name, pos, args)
		if !ok || len(list) < 2 {
			return 0, true
		}
		return l.Union(l.Attr(list[0].X, word, l.Start(l.NamedChild(args, 1))), third(list)), true
	case "setattr":
		word, ok := l.constant(l.NamedChild(args, 1))
		if !ok || l.NamedChild(args, 2) == 0 {
			return 0, false
		}
		list := l.called(name, pos, args)
		l.Bind(l.Attr(list[0].X, word, l.Start(l.NamedChild(args, 1))), list[2].X)
		return 0, true
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "enumerate", "zip", "map", "filter",
		"max", "min", "next", "dict":
		if first == 0 {
			break
		}
		return l.collection(name, l.called(name, pos, args), pos), true
	case "isinstance", "issubclass":
		if second := l.NamedChild(args, 1); second != 0 && l.NamedChild(args, 2) == 0 {
			list := ir.Args(l.expr(first), l.asked(l.classes(second), l.Start(second)))
			return l.Call(l.use(l.id(fn), pos), list, pos), true
		}
	case "__import__":
		return l.importCall(name, fn, args)
	case "eval", "globals", "locals", "vars":
		l.called(name, pos, args) // what it gives may be anything
		return 0, true
	case "len", "str", "repr", "int", "float", "bytes", "hash", "abs", "bool":
		if first == 0 || l.NamedChild(args, 1) != 0 {
			break
		}
		list := l.called(name, pos, args)
		l.Keep(l.special("__"+name+"__", pos, list[0].X))
		return l.Lit(results[name], pos), true
	}
	return 0, false
}

// results are what functions that call a method of their argument give. The result
// of abs is not known.
var results = map[string]string{
	"len": "int", "str": "str", "repr": "str", "int": "int", "float": "float", "bytes": "bytes", "hash": "int",
	"abs": "float", "bool": "bool",
}

// called evaluates a call of a built-in function once, and returns the arguments
// to be used again.
func (l *lowerer) called(name string, pos int, args syntax.Node) []ir.Arg {
	list := l.args(args)
	again := make([]ir.Arg, len(list))
	for i := range list {
		again[i] = list[i]
		list[i].X, again[i].X = l.twice(list[i].X, pos)
	}
	l.Eval(l.Call(l.Free(name, pos), list, pos))
	return again
}

// collection is what a built-in function makes of the collections it is given.
func (l *lowerer) collection(name string, args []ir.Arg, pos int) ir.Expr {
	elem := func(i int) ir.Expr {
		if i < len(args) {
			return l.Unary(ir.Elem, args[i].X, pos)
		}
		return 0
	}
	all := func(typ string) ir.Expr {
		return l.List(typ, []ir.Arg{{X: args[0].X, Kind: ir.Spread}}, pos)
	}
	key := func() {
		for _, a := range args {
			if a.Name != 0 && l.text(a.Name) == "key" {
				l.Eval(l.Flag(l.Call(a.X, ir.Args(elem(0)), pos), ir.Implicit))
			}
		}
	}
	switch name {
	case "tuple":
		return all("tuple")
	case "set", "frozenset":
		return all("set")
	case "sorted":
		key()
		return all("list")
	case "next":
		return l.Union(elem(0), second(args))
	case "dict":
		return l.Object("dict", merged(args), pos)
	case "enumerate":
		return l.Unary(ir.Iter, l.List("tuple", ir.Args(l.Lit("int", pos), elem(0)), pos), pos)
	case "zip":
		var each []ir.Expr
		for i, a := range args {
			if a.Name == 0 {
				each = append(each, elem(i))
			}
		}
		return l.Unary(ir.Iter, l.List("tuple", ir.Args(each...), pos), pos)
	case "map":
		return l.Unary(ir.Iter, l.apply(args, pos), pos)
	case "filter":
		l.Keep(l.apply(args, pos))
		return l.Unary(ir.Iter, elem(1), pos)
	case "max", "min":
		key()
		if len(args) > 1 && args[1].Name == 0 {
			return l.Union(exprs(args)...)
		}
		return elem(0)
	}
	return all("list")
}

// apply calls the first argument with the elements of the others.
func (l *lowerer) apply(args []ir.Arg, pos int) ir.Expr {
	var each []ir.Expr
	for _, a := range args[1:] {
		each = append(each, l.Unary(ir.Elem, a.X, pos))
	}
	return l.Flag(l.Call(args[0].X, ir.Args(each...), pos), ir.Implicit)
}

// merged are the arguments of dict(a, b=c) as the elements of a literal.
func merged(args []ir.Arg) []ir.Arg {
	for i := range args {
		if args[i].Name == 0 {
			args[i].Kind = ir.KwSpread
		}
	}
	return args
}

// libraryCall lowers a call of a few functions of the standard library that hand
// on what they get: typing.cast, functools.partial, importlib.import_module.
func (l *lowerer) libraryCall(s ir.Str, fn, args syntax.Node) (ir.Expr, bool) {
	pos := l.Start(fn)
	switch l.text(s) {
	case "cast":
		typ, value := l.NamedChild(args, 0), l.NamedChild(args, 1)
		if value == 0 || l.NamedChild(args, 2) != 0 || !l.from(fn, "typing", "typing_extensions") {
			return 0, false
		}
		declared := l.typ(typ)
		x := l.expr(value)
		if declared == 0 {
			return x, true
		}
		return l.Binary(ir.Cast, x, declared, pos), true
	case "partial":
		if l.NamedChild(args, 0) == 0 || !l.from(fn, "functools") {
			return 0, false
		}
		return l.partial(l.args(args), fn), true
	case "import_module":
		if !l.from(fn, "importlib") {
			return 0, false
		}
		return l.importCall("import_module", fn, args)
	}
	return 0, false
}

// partial is functools.partial(f, a): a function that calls f.
func (l *lowerer) partial(args []ir.Arg, fn syntax.Node) ir.Expr {
	held, again := l.twice(args[0].X, l.Start(fn))
	args[0].X = held
	l.Eval(l.Call(l.expr(fn), args, l.calledAt(fn)))
	return again
}

// calledAt returns where the called name begins.
func (l *lowerer) calledAt(fn syntax.Node) int {
	if l.Kind(fn) == "attribute" {
		fn = l.Child(fn, "attribute")
	}
	return l.Start(fn)
}

// importCall lowers import_module("a.b") as the module that it brings.
func (l *lowerer) importCall(name string, fn, args syntax.Node) (ir.Expr, bool) {
	module, ok := l.constant(l.NamedChild(args, 0))
	pos := l.calledAt(fn)
	l.Eval(l.Call(l.expr(fn), l.args(args), pos))
	if !ok || l.NamedChild(args, 1) != 0 && name == "import_module" {
		return 0, true
	}
	info := ir.ImportInfo{Module: l.Str(module)}
	if name == "import_module" {
		info.Alias = l.Str("_")
	}
	i := l.AddImport(info, "", false, l.Start(l.NamedChild(args, 0)))
	return l.Expr(ir.Node{Op: ir.Imported, Ref: uint32(i), Pos: l.Pos(pos)}), true
}

// from reports whether a name, or the first one of a path, was imported from one
// of the modules.
func (l *lowerer) from(n syntax.Node, modules ...string) bool {
	for l.Kind(n) == "attribute" {
		n = l.Child(n, "object")
	}
	if l.Kind(n) != "identifier" {
		return false
	}
	i := l.name(l.id(n)).imports
	if i == 0 {
		return false
	}
	module := l.text(l.Raw().Imports[i].Module)
	for _, m := range modules {
		if module == m {
			return true
		}
	}
	return false
}

func exprs(args []ir.Arg) []ir.Expr {
	list := make([]ir.Expr, len(args))
	for i, a := range args {
		list[i] = a.X
	}
	return list
}

func second(args []ir.Arg) ir.Expr {
	if len(args) > 1 {
		return args[1].X
	}
	return 0
}

func third(args []ir.Arg) ir.Expr {
	if len(args) > 2 {
		return args[2].X
	}
	return 0
}
