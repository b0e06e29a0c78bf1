package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// def lowers def name, or def self.name where object is its receiver.
func (l *lowerer) def(n, object syntax.Node) {
	at := l.Child(n, "name")
	if at == 0 {
		return
	}
	name := l.Text(at)
	f := l.BeginFunc(name, l.Start(at))
	info := l.FuncInfo(f)
	info.Start = uint32(l.Start(n))
	singleton := object != 0 || l.body != nil && l.body.singleton
	info.Flags |= walk.When(singleton, ir.ClassMethod)
	switch {
	case name == "initialize" && !singleton:
		info.Flags |= ir.Constructor
	case l.Kind(at) == "operator":
		info.Flags |= ir.Operator
	case strings.HasPrefix(name, "test_") && l.inTestCase():
		info.Flags |= ir.TestFunc
	}
	info.Flags |= walk.When(l.body != nil && l.body.private && object == 0, ir.Private)
	if l.Kind(object) == "constant" && l.body == nil { // def Foo.bar outside of Foo
		x := l.Free(l.Text(object), l.Start(object))
		l.FuncInfo(f).Recv = x
	}
	l.function(f, name, l.Child(n, "parameters"), l.Child(n, "body"))
	l.EndFunc(l.End(n))
	if l.FuncInfo(f).Recv == 0 {
		l.define(f, name, l.Start(at))
	}
	if name == "included" && l.Kind(object) == "self" {
		l.included(n)
	}
}

// inTestCase reports whether the class that is being written is one of a test
// library, by the name of its base.
func (l *lowerer) inTestCase() bool {
	if l.body == nil {
		return false
	}
	c, f := l.body.class, l.Raw()
	for _, base := range f.Classes[c].Bases {
		if name := f.String(f.Exprs[base.X].Name); strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "TestCase") {
			return true
		}
	}
	return strings.HasPrefix(f.String(f.Classes[c].Name), "Test")
}

// function lowers the parameters and the body of the method that has begun.
func (l *lowerer) function(f ir.Func, name string, params, body syntax.Node) {
	wasBody, wasMethod, wasBare := l.body, l.method, l.bare
	l.body, l.method, l.bare = nil, &method{fn: f, name: name}, nil
	l.push(true)
	l.params(params)
	x := l.value(body)
	if l.FuncInfo(f).Flags&ir.Constructor != 0 || strings.HasSuffix(name, "=") && !operator(name) {
		l.Keep(x)
	} else {
		l.Return(x)
	}
	l.pop()
	l.body, l.method, l.bare = wasBody, wasMethod, wasBare
}

// operator reports whether a name that ends in "=" is no setter.
func operator(name string) bool {
	switch name {
	case "==", "===", "!=", "<=", ">=":
		return true
	}
	return false
}

// value lowers a body, which is statements or one expression.
func (l *lowerer) value(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "body_statement", "block_body", "then", "do", "else", "ensure", "begin", "parenthesized_statements", "program":
		if !l.Enter(n) {
			return 0
		}
		defer l.Leave()
		return l.sequence(n)
	}
	return l.expr(n)
}

// params lowers the parameters of the function that has begun.
func (l *lowerer) params(n syntax.Node) {
	l.Each(n, l.param)
}

func (l *lowerer) param(p syntax.Node) {
	kind, at := ir.Positional, l.Child(p, "name")
	switch l.Kind(p) {
	case "identifier":
		if l.Field(p) == "locals" { // a local of the block
			l.declare(l.Text(p), l.Start(p))
			return
		}
		at = p
	case "splat_parameter":
		kind = ir.Variadic
	case "hash_splat_parameter":
		kind = ir.KwVariadic
	case "keyword_parameter":
		kind = ir.KwOnly
	case "block_parameter":
		kind = ir.BlockParam
	case "optional_parameter":
	case "destructured_parameter":
		l.destructured(p)
		return
	case "forward_parameter": // def f(...)
		l.named("...", p, ir.Variadic, 0)
		l.blockParam()
		return
	default:
		return
	}
	name := l.Text(at)
	if at == 0 {
		at = p
		name = map[ir.ParamKind]string{ir.Variadic: "*", ir.KwVariadic: "**", ir.BlockParam: "&"}[kind]
	}
	var value ir.Expr
	if v := l.Child(p, "value"); v != 0 {
		value = l.expr(v)
	}
	v := l.named(name, at, kind, value)
	if kind == ir.BlockParam && l.method != nil && l.method.fn == l.Func() {
		l.method.block = v
	}
}

// named adds a parameter and makes it known.
func (l *lowerer) named(name string, at syntax.Node, kind ir.ParamKind, value ir.Expr) ir.Var {
	v := l.Temp(l.Start(at))
	l.VarInfo(v).Name = l.Str(name)
	info := l.FuncInfo(l.Func())
	info.Params = append(info.Params, ir.Param{Var: v, Name: l.Str(name), Default: value, Kind: kind})
	l.keep(name, v)
	return v
}

// destructured lowers the parameter (a, b) of a block.
func (l *lowerer) destructured(p syntax.Node) {
	v := l.named("", p, ir.Positional, 0)
	var targets []ir.Arg
	for c := range l.NamedChildren(p) {
		if l.Kind(c) == "splat_parameter" {
			c = l.Child(c, "name")
		}
		if l.Kind(c) != "identifier" {
			targets = append(targets, ir.Arg{})
			continue
		}
		targets = append(targets, ir.Arg{X: l.Local(l.declare(l.Text(c), l.Start(c)), l.Start(c))})
	}
	l.Bind(l.List("Array", targets, l.Start(p)), l.Local(v, l.Start(p)))
}

// blockParam returns the block parameter of the method, and adds one where it is
// used without being written.
func (l *lowerer) blockParam() ir.Var {
	m := l.method
	if m == nil {
		return 0
	}
	if m.block == 0 {
		m.block = l.Temp(int(l.Raw().Funcs[m.fn].Start))
		v := l.VarInfo(m.block)
		v.Name, v.Func = l.Str("yield"), m.fn
		info := l.FuncInfo(m.fn)
		info.Params = append(info.Params, ir.Param{Var: m.block, Name: v.Name, Kind: ir.BlockParam})
	}
	return m.block
}

// A blockInfo is a block that has been lowered.
type blockInfo struct {
	fn     ir.Func
	params []ir.Var
	value  ir.Var // what it returns
}

// block lowers a block or the body of a lambda as a function.
func (l *lowerer) block(n, params, body syntax.Node) blockInfo {
	f := l.BeginFunc("", l.Start(n))
	was, wasBare := l.body, l.bare
	l.bare = nil
	if params == 0 {
		l.bare = &bareBlock{}
	}
	l.body = nil // in it, self is whatever the one who runs it says; mostly an instance
	l.push(false)
	info := blockInfo{fn: f}
	l.params(params)
	x := l.value(body)
	for _, p := range l.FuncInfo(f).Params {
		info.params = append(info.params, p.Var)
	}
	if x != 0 {
		info.value = l.Temp(l.Start(n))
		l.Bind(l.Local(info.value, l.Start(n)), x)
		l.Return(l.Local(info.value, l.Start(n)))
	}
	l.pop()
	l.body, l.bare = was, wasBare
	l.EndFunc(l.End(n))
	return info
}

// A bareBlock is a block without written parameters.
type bareBlock struct {
	params [2]ir.Var
}

// implicit returns the parameter "it", "_1" or "_2" of the block that is being
// written, or 0 where the word is something else.
func (l *lowerer) implicit(name string, at syntax.Node) ir.Var {
	if l.bare == nil {
		return 0
	}
	want := 0
	switch name {
	case "it", "_1":
	case "_2":
		want = 1
	default:
		return 0
	}
	for i := range l.bare.params[:want+1] {
		if l.bare.params[i] == 0 {
			v := l.Temp(l.Start(at))
			l.VarInfo(v).Name = l.Str(name)
			info := l.FuncInfo(l.Func())
			info.Params = append(info.Params, ir.Param{Var: v, Name: l.Str(name)})
			l.bare.params[i] = v
		}
	}
	return l.bare.params[want]
}

// toProc makes the function of &:name: it calls the method of its argument.
func (l *lowerer) toProc(name string, pos int) blockInfo {
	f := l.BeginFunc("", pos)
	v := l.Param("it", 0, 0, ir.Positional, pos)
	x := l.Call(l.Attr(l.Local(v, pos), name, pos), nil, pos)
	value := l.Hold(x, pos)
	l.Return(l.Local(value, pos))
	l.EndFunc(pos + len(name) + 1)
	return blockInfo{fn: f, params: []ir.Var{v}, value: value}
}
