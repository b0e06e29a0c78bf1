package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// beginFunc begins a function that is no lambda. n is where it begins, its name if
// it has one.
func (l *lowerer) beginFunc(n syntax.Node, name string, pos int, flags ir.FuncFlag) ir.Func {
	f := l.OpenFunc(n, name, pos, flags)
	l.funcs = append(l.funcs, f)
	return f
}

func (l *lowerer) endFunc(n syntax.Node) {
	l.funcs = l.funcs[:len(l.funcs)-1]
	l.EndFunc(l.End(n))
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
	if !l.Enter(p.name) {
		l.Eval(l.unknown(n))
		return
	}
	defer l.Leave()
	m := l.modifiers(n)
	name, pos := l.ident(p.name), l.Start(p.name)
	class, top := l.Class(), l.AtTop()
	var v ir.Var
	if class == 0 && !top {
		v = l.Shadow(name, pos) // its own body sees it
	}
	f := l.beginFunc(n, name, pos, walk.When(static, ir.ClassMethod)|walk.When(m.private, ir.Private)|
		walk.When(p.body == 0 && !m.external && class != 0, ir.Abstract)|walk.When(m.operator, ir.Operator)|
		walk.When(m.test, ir.TestFunc)|walk.When(name == "main" && top, ir.Entry)|walk.When(p.receiver != 0, ir.Extension))
	l.SetRecv(f, l.typ(p.receiver))
	l.SetTypeParams(f, l.typeParams(n))
	l.signature(f, p)
	l.annotate(m.list)
	l.functionBody(p.body)
	l.endFunc(n)
	if v != 0 {
		l.Bind(l.Local(v, pos), l.Lambda(f, pos))
		return
	}
	l.DefineFunc(f, static, !m.private, pos)
}

// signature declares the parameters and the result.
func (l *lowerer) signature(f ir.Func, p parts) {
	l.params(p.params)
	l.SetResult(f, l.typ(p.result))
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
			def := l.defaultOf(list, c)
			v := l.Param(l.ident(nameNode), typ, def, kind, l.Start(nameNode))
			l.markPlain(v, typ, 0)
			kind = ir.Positional
		}
	}
}

// defaultOf returns the default value of a parameter, which follows it in its list; 0 for
// none. That of null is unknown.
func (l *lowerer) defaultOf(list, param syntax.Node) ir.Expr {
	seen := false
	for c := range l.Children(list) {
		if c <= param {
			continue
		}
		switch k := l.Kind(c); {
		case k == "=":
			seen = true
		case !seen:
			return 0
		case k == "null" || l.Named(c) && !isComment(k):
			return l.Or(l.expr(c))
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
		l.Return(l.value(l.after(n, "=")))
	}
}

// secondaryConstructor is constructor(params) : this(args) { ... }.
func (l *lowerer) secondaryConstructor(n syntax.Node) {
	m := l.modifiers(n)
	pos := l.Start(l.ChildOf(n, "constructor"))
	f := l.beginFunc(n, "constructor", pos, ir.Constructor|walk.When(m.private, ir.Private))
	l.params(l.ChildOf(n, "function_value_parameters"))
	l.annotate(m.list)
	if call := l.ChildOf(n, "constructor_delegation_call"); call != 0 {
		op, at := ir.This, l.First(call)
		if l.Kind(at) == "super" {
			op = ir.Super
		}
		fn := l.Unary(op, 0, l.Start(at))
		l.Eval(l.Call(fn, l.args(l.ChildOf(call, "value_arguments")), l.Start(at)))
	}
	l.body(l.ChildOf(n, "statements"))
	l.endFunc(n)
	l.DefineFunc(f, false, !m.private, pos)
}

// lambda is a function literal as a value. callee is the name of the function that
// it is passed to.
func (l *lowerer) lambda(n syntax.Node, callee string) ir.Expr {
	pos := l.Start(n)
	f := l.BeginFunc("", pos)
	if params := l.ChildOf(n, "lambda_parameters"); params != 0 {
		l.lambdaParams(params)
	} else if !takesNothing(callee) {
		l.Param("it", 0, 0, ir.Positional, pos)
	}
	l.Return(l.valueOf(l.ChildOf(n, "statements")))
	l.EndFunc(l.End(n))
	return l.Lambda(f, pos)
}

func (l *lowerer) lambdaParams(list syntax.Node) {
	for c := range l.NamedChildren(list) {
		switch l.Kind(c) {
		case "variable_declaration":
			nameNode := l.NamedChild(c, 0)
			typ := l.typeIn(c)
			l.Param(l.ident(nameNode), typ, 0, ir.Positional, l.Start(nameNode))
		case "multi_variable_declaration":
			v := l.Param("", 0, 0, ir.Positional, l.Start(c))
			l.destructure(c, l.Local(v, l.Start(c)))
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
	f := l.beginFunc(n, "", pos, 0)
	p := l.parts(n)
	l.SetRecv(f, l.typ(p.receiver))
	l.signature(f, p)
	l.functionBody(p.body)
	l.endFunc(n)
	return l.Lambda(f, pos)
}
