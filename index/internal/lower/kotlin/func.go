package kotlin

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

func (l *lowerer) beginFunc(name string, pos int) ir.Func {
	f := l.b.BeginFunc(name, pos)
	l.funcs = append(l.funcs, f)
	return f
}

func (l *lowerer) endFunc(n syntax.Node) {
	l.funcs = l.funcs[:len(l.funcs)-1]
	l.b.EndFunc(l.End(n))
}

// parts are the parts of a function's declaration, by their order.
type parts struct {
	name, receiver, params, result, body syntax.Node
}

func (l *lowerer) parts(n syntax.Node) parts {
	var p parts
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case k == "simple_identifier" && p.params == 0:
			p.name = c
		case k == "function_value_parameters":
			p.params = c
		case k == "function_body":
			p.body = c
		case isType(k) && p.params != 0:
			p.result = c
		case isType(k) && p.name == 0:
			p.receiver = c
		}
	}
	return p
}

// function lowers a function with a name. static says that it belongs to the
// companion of a class.
func (l *lowerer) function(n syntax.Node, static bool) {
	p := l.parts(n)
	if p.name == 0 || l.depth >= maxDepth {
		l.b.Eval(l.inside(n))
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	m := l.modifiers(n)
	name, pos := l.ident(p.name), l.Start(p.name)
	class, top := l.b.Class(), l.b.AtTop()
	var v ir.Var
	if class == 0 && !top {
		v = l.b.Shadow(name, pos) // its own body sees it
	}
	var flags ir.FuncFlag
	if static {
		flags |= ir.ClassMethod
	}
	if m.private {
		flags |= ir.Private
	}
	if p.body == 0 && !m.external && class != 0 {
		flags |= ir.Abstract
	}
	if m.operator {
		flags |= ir.Operator
	}
	if m.test {
		flags |= ir.TestFunc
	}
	if name == "main" && top {
		flags |= ir.Entry
	}
	f := l.beginFunc(name, pos)
	if p.receiver != 0 {
		flags |= ir.Extension
		recv := l.typ(p.receiver)
		l.b.FuncInfo(f).Recv = recv
	}
	l.b.FuncInfo(f).Flags, l.b.FuncInfo(f).Start = flags, uint32(l.Start(n))
	if params := l.typeParams(n); params != nil {
		l.b.FuncInfo(f).SetTypeParams(params)
	}
	l.signature(f, p)
	l.annotate(m.list)
	l.functionBody(p.body)
	l.endFunc(n)
	if v != 0 {
		l.b.Bind(l.b.Local(v, pos), l.b.Lambda(f, pos))
		return
	}
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Static: static, Exported: !m.private}, pos)
}

// signature declares the parameters and the result.
func (l *lowerer) signature(f ir.Func, p parts) {
	l.params(p.params)
	if x := l.typ(p.result); x != 0 {
		l.b.FuncInfo(f).Results = []ir.Expr{x}
	}
}

func (l *lowerer) params(list syntax.Node) {
	kind := ir.Positional
	for c := range l.NamedChildren(list) {
		switch l.Kind(c) {
		case "parameter_modifiers":
			l.annotate(c)
			if l.hasWord(c, "vararg") {
				kind = ir.Variadic
			}
		case "parameter", "parameter_with_optional_type":
			nameNode := l.ChildOf(c, "simple_identifier")
			if nameNode == 0 {
				continue
			}
			typ := l.typeIn(c)
			def := l.expr(l.defaultOf(list, c))
			v := l.b.Param(l.ident(nameNode), typ, def, kind, l.Start(nameNode))
			l.markPlain(v, typ, 0)
			kind = ir.Positional
		}
	}
}

// defaultOf returns the default value of a parameter, which follows it in its list.
func (l *lowerer) defaultOf(list, param syntax.Node) syntax.Node {
	seen := false
	for c := range l.Children(list) {
		if c <= param {
			continue
		}
		switch k := l.Kind(c); {
		case k == "=":
			seen = true
		case !seen || k == "null":
			return 0
		case l.Named(c) && !isComment(k):
			return c
		}
	}
	return 0
}

// functionBody is "= expression" or a block.
func (l *lowerer) functionBody(n syntax.Node) {
	if n == 0 {
		return
	}
	if s := l.ChildOf(n, "statements"); s != 0 {
		l.body(s)
		return
	}
	if l.Kind(l.First(n)) == "=" {
		l.b.Return(l.value(l.after(n, "=")))
	}
}

// secondaryConstructor is constructor(params) : this(args) { ... }.
func (l *lowerer) secondaryConstructor(n syntax.Node) {
	m := l.modifiers(n)
	word := l.token(n, "constructor")
	pos := l.Start(word)
	f := l.beginFunc("constructor", pos)
	flags := ir.Constructor
	if m.private {
		flags |= ir.Private
	}
	l.b.FuncInfo(f).Flags, l.b.FuncInfo(f).Start = flags, uint32(l.Start(n))
	l.params(l.ChildOf(n, "function_value_parameters"))
	l.annotate(m.list)
	if call := l.ChildOf(n, "constructor_delegation_call"); call != 0 {
		op, at := ir.This, l.First(call)
		if l.Kind(at) == "super" {
			op = ir.Super
		}
		fn := l.b.Unary(op, 0, l.Start(at))
		l.b.Eval(l.b.Call(fn, l.valueArgs(l.ChildOf(call, "value_arguments")), l.Start(at)))
	}
	l.body(l.ChildOf(n, "statements"))
	l.endFunc(n)
	l.b.Define(ir.Member{Name: l.b.Str("constructor"), Kind: ir.FuncMember, Ref: uint32(f), Exported: !m.private}, pos)
}

// lambda is a function literal as a value. callee is the name of the function that
// it is passed to.
func (l *lowerer) lambda(n syntax.Node, callee string) ir.Expr {
	pos := l.Start(n)
	f := l.b.BeginFunc("", pos)
	if params := l.ChildOf(n, "lambda_parameters"); params != 0 {
		l.lambdaParams(params)
	} else if !takesNothing(callee) {
		l.b.Param("it", 0, 0, ir.Positional, pos)
	}
	l.b.Return(l.valueOf(l.ChildOf(n, "statements")))
	l.b.EndFunc(l.End(n))
	return l.b.Lambda(f, pos)
}

func (l *lowerer) lambdaParams(list syntax.Node) {
	for c := range l.NamedChildren(list) {
		switch l.Kind(c) {
		case "variable_declaration":
			nameNode := l.NamedChild(c, 0)
			typ := l.typeIn(c)
			l.b.Param(l.ident(nameNode), typ, 0, ir.Positional, l.Start(nameNode))
		case "multi_variable_declaration":
			v := l.b.Param("", 0, 0, ir.Positional, l.Start(c))
			l.destructure(c, l.b.Local(v, l.Start(c)))
		}
	}
}

// takesNothing names functions of the standard library whose lambda has no
// parameter: "it" in it is the one of a lambda around.
func takesNothing(callee string) bool {
	switch callee {
	case "run", "apply", "with", "lazy", "synchronized", "buildString", "buildList", "buildMap", "buildSet", "runCatching",
		"runBlocking", "launch", "async", "withContext", "coroutineScope", "supervisorScope", "thread", "sequence", "flow",
		"measureTimeMillis", "measureTime", "require", "check", "requireNotNull", "checkNotNull", "withLock", "withTimeout",
		"getOrPut", "ifEmpty", "ifBlank", "assertThrows", "assertFailsWith":
		return true
	}
	return false
}

// anonymousFunction is fun(x: A): B { ... } as a value.
func (l *lowerer) anonymousFunction(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.beginFunc("", pos)
	p := l.parts(n)
	if p.receiver != 0 {
		recv := l.typ(p.receiver)
		l.b.FuncInfo(f).Recv = recv
	}
	l.signature(f, p)
	l.functionBody(p.body)
	l.endFunc(n)
	return l.b.Lambda(f, pos)
}
