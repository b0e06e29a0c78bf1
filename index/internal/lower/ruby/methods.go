package ruby

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// def lowers def name, or def self.name where object is its receiver.
func (l *lowering) def(n, object syntax.Node) {
	at := l.t.Child(n, "name")
	if at == 0 {
		return
	}
	name := l.t.Text(at)
	f := l.b.BeginFunc(name, l.t.Start(at))
	info := l.b.FuncInfo(f)
	info.Start = uint32(l.t.Start(n))
	singleton := object != 0 || l.body != nil && l.body.singleton
	if singleton {
		info.Flags |= ir.ClassMethod
	}
	switch {
	case name == "initialize" && !singleton:
		info.Flags |= ir.Constructor
	case l.t.Kind(at) == "operator":
		info.Flags |= ir.Operator
	case strings.HasPrefix(name, "test_") && l.inTestCase():
		info.Flags |= ir.TestFunc
	}
	if l.body != nil && l.body.private && object == 0 {
		info.Flags |= ir.Private
	}
	if l.t.Kind(object) == "constant" && l.body == nil { // def Foo.bar outside of Foo
		x := l.b.Free(l.t.Text(object), l.t.Start(object))
		l.b.FuncInfo(f).Recv = x
	}
	l.function(f, name, l.t.Child(n, "parameters"), l.t.Child(n, "body"))
	l.b.EndFunc(l.t.End(n))
	if l.b.FuncInfo(f).Recv == 0 {
		l.define(f, name, l.t.Start(at))
	}
}

// inTestCase reports whether the class that is being written is one of a test
// library, by the name of its base.
func (l *lowering) inTestCase() bool {
	if l.body == nil {
		return false
	}
	c, f := l.body.class, l.b.Raw()
	for _, base := range f.Classes[c].Bases {
		if name := f.String(f.Exprs[base.X].Name); strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "TestCase") {
			return true
		}
	}
	return strings.HasPrefix(f.String(f.Classes[c].Name), "Test")
}

// function lowers the parameters and the body of the method that has begun.
func (l *lowering) function(f ir.Func, name string, params, body syntax.Node) {
	wasBody, wasMethod, wasBare := l.body, l.method, l.bare
	l.body, l.method, l.bare = nil, &method{fn: f, name: name}, nil
	l.push(true)
	l.params(params)
	x := l.value(body)
	if l.b.FuncInfo(f).Flags&ir.Constructor != 0 || strings.HasSuffix(name, "=") && !operator(name) {
		l.eval(x)
	} else {
		l.b.Return(x)
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
func (l *lowering) value(n syntax.Node) ir.Expr {
	switch l.t.Kind(n) {
	case "body_statement", "block_body", "then", "do", "else", "ensure", "begin", "parenthesized_statements", "program":
		if !l.down() {
			return 0
		}
		defer l.up()
		return l.sequence(n)
	}
	return l.expr(n)
}

// params lowers the parameters of the function that has begun.
func (l *lowering) params(n syntax.Node) {
	for p := range l.t.NamedChildren(n) {
		l.param(p)
	}
}

func (l *lowering) param(p syntax.Node) {
	kind, at := ir.Positional, l.t.Child(p, "name")
	switch l.t.Kind(p) {
	case "identifier":
		if l.t.Field(p) == "locals" { // a local of the block
			l.declare(l.t.Text(p), l.t.Start(p))
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
	name := l.t.Text(at)
	if at == 0 {
		at = p
		name = map[ir.ParamKind]string{ir.Variadic: "*", ir.KwVariadic: "**", ir.BlockParam: "&"}[kind]
	}
	var value ir.Expr
	if v := l.t.Child(p, "value"); v != 0 {
		value = l.expr(v)
	}
	v := l.named(name, at, kind, value)
	if kind == ir.BlockParam && l.method != nil && l.method.fn == l.b.Func() {
		l.method.block = v
	}
}

// named adds a parameter and makes it known.
func (l *lowering) named(name string, at syntax.Node, kind ir.ParamKind, value ir.Expr) ir.Var {
	v := l.b.Temp(l.t.Start(at))
	l.b.VarInfo(v).Name = l.b.Str(name)
	info := l.b.FuncInfo(l.b.Func())
	info.Params = append(info.Params, ir.Param{Var: v, Name: l.b.Str(name), Default: value, Kind: kind})
	l.keep(name, v)
	return v
}

// destructured lowers the parameter (a, b) of a block.
func (l *lowering) destructured(p syntax.Node) {
	v := l.named("", p, ir.Positional, 0)
	var targets []ir.Arg
	for c := range l.t.NamedChildren(p) {
		if l.t.Kind(c) == "splat_parameter" {
			c = l.t.Child(c, "name")
		}
		if l.t.Kind(c) != "identifier" {
			targets = append(targets, ir.Arg{})
			continue
		}
		targets = append(targets, ir.Arg{X: l.b.Local(l.declare(l.t.Text(c), l.t.Start(c)), l.t.Start(c))})
	}
	l.b.Bind(l.b.List("Array", targets, l.t.Start(p)), l.b.Local(v, l.t.Start(p)))
}

// blockParam returns the block parameter of the method, and adds one where it is
// used without being written.
func (l *lowering) blockParam() ir.Var {
	m := l.method
	if m == nil {
		return 0
	}
	if m.block == 0 {
		m.block = l.b.Temp(int(l.b.Raw().Funcs[m.fn].Start))
		v := l.b.VarInfo(m.block)
		v.Name, v.Func = l.b.Str("yield"), m.fn
		info := l.b.FuncInfo(m.fn)
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
func (l *lowering) block(n, params, body syntax.Node) blockInfo {
	f := l.b.BeginFunc("", l.t.Start(n))
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
	for _, p := range l.b.FuncInfo(f).Params {
		info.params = append(info.params, p.Var)
	}
	if x != 0 {
		info.value = l.b.Temp(l.t.Start(n))
		l.b.Bind(l.b.Local(info.value, l.t.Start(n)), x)
		l.b.Return(l.b.Local(info.value, l.t.Start(n)))
	}
	l.pop()
	l.body, l.bare = was, wasBare
	l.b.EndFunc(l.t.End(n))
	return info
}

// A bareBlock is a block without written parameters.
type bareBlock struct {
	params [2]ir.Var
}

// implicit returns the parameter "it", "_1" or "_2" of the block that is being
// written, or 0 where the word is something else.
func (l *lowering) implicit(name string, at syntax.Node) ir.Var {
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
			v := l.b.Temp(l.t.Start(at))
			l.b.VarInfo(v).Name = l.b.Str(name)
			info := l.b.FuncInfo(l.b.Func())
			info.Params = append(info.Params, ir.Param{Var: v, Name: l.b.Str(name)})
			l.bare.params[i] = v
		}
	}
	return l.bare.params[want]
}

// toProc makes the function of &:name: it calls the method of its argument.
func (l *lowering) toProc(name string, pos int) blockInfo {
	f := l.b.BeginFunc("", pos)
	v := l.b.Param("it", 0, 0, ir.Positional, pos)
	x := l.b.Call(l.b.Attr(l.b.Local(v, pos), name, pos), nil, pos)
	value := l.b.Temp(pos)
	l.b.Bind(l.b.Local(value, pos), x)
	l.b.Return(l.b.Local(value, pos))
	l.b.EndFunc(pos + len(name) + 1)
	return blockInfo{fn: f, params: []ir.Var{v}, value: value}
}
