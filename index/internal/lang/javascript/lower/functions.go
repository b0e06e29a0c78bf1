package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// isFunction reports whether a node is a function written as an expression.
func isFunction(kind string) bool {
	switch kind {
	case "arrow_function", "function_expression", "generator_function", "function":
		return true
	}
	return false
}

// literal strips the parentheses and assertions around a node.
func (l *lowerer) literal(n syntax.Node) syntax.Node {
	for {
		switch l.Kind(n) {
		case "parenthesized_expression", "satisfies_expression", "as_expression", "non_null_expression":
			n = l.NamedChild(n, 0)
		default:
			return n
		}
	}
}

// function lowers a function of any form. pos is where its name stands, and self
// what "this" is in it; arrow functions keep that of what is around them.
func (l *lowerer) function(n syntax.Node, name string, flags ir.FuncFlag, pos int, self *receiver) ir.Func {
	f := l.BeginFunc(name, pos)
	for c := range l.Children(n) {
		switch l.Kind(c) {
		case "async":
			flags |= ir.Async
		case "*":
			flags |= ir.Generator
		}
		if field := l.Field(c); field == "body" || field == "parameters" {
			break
		}
	}
	switch l.Kind(n) {
	case "generator_function", "generator_function_declaration":
		flags |= ir.Generator
	case "arrow_function":
		self = l.this[len(l.this)-1]
	case "function_expression":
		// The name of a function expression is known inside of it alone.
		if own := l.Child(n, "name"); own != 0 {
			v := l.Declare(l.Text(own), l.Start(own))
			l.Bind(l.Local(v, l.Start(own)), l.Expr(ir.Node{Op: ir.Lambda, Ref: uint32(f), Flags: ir.Implicit, Pos: l.Pos(pos)}))
		}
	}
	info := l.FuncInfo(f)
	info.Flags = flags
	if self.kind == thisUnknown && info.Outer == 0 && info.Class == 0 && l.Kind(n) != "arrow_function" {
		self = &receiver{kind: thisDynamic}
	}
	params := l.Child(n, "parameters")
	if typ := l.thisParam(params); typ != 0 {
		self = &receiver{kind: thisTyped, typ: typ}
	}
	l.pushThis(self)
	paths := l.paths
	if l.Kind(n) != "arrow_function" {
		l.paths = nil
	}
	if tp := l.typeParams(l.Child(n, "type_parameters")); tp != nil {
		l.FuncInfo(f).SetTypeParams(tp)
	}
	l.params(params)
	if p := l.Child(n, "parameter"); p != 0 { // x => ...
		l.param(p)
	}
	l.SetResult(f, l.result(l.Child(n, "return_type")))
	if body := l.Child(n, "body"); l.Kind(body) == "statement_block" {
		l.hoist(body)
		l.Each(body, l.stmt)
	} else if body != 0 {
		l.Return(l.expr(body))
	}
	l.popThis()
	l.paths = paths
	l.EndFunc(l.End(n))
	l.paramDecorators(params)
	return f
}

// result lowers a declared result. A guard ("x is T") is a boolean with a second
// result, which is what the argument is then known to be.
func (l *lowerer) result(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "":
		return 0
	case "type_predicate_annotation", "asserts_annotation":
		return 0
	}
	return l.typ(n)
}

// lambda lowers a function expression as a value; hint is the name it is bound to.
func (l *lowerer) lambda(n syntax.Node, hint string, self *receiver) ir.Expr {
	pos := l.Start(n)
	if hint == "" && l.Kind(n) == "function_expression" {
		if own := l.Child(n, "name"); own != 0 {
			hint, pos = l.Text(own), l.Start(own)
		}
	}
	return l.Lambda(l.function(n, hint, 0, pos, self), pos)
}

// thisParam returns the declared type of "this", or none.
func (l *lowerer) thisParam(params syntax.Node) syntax.Node {
	p := l.NamedChild(params, 0)
	if l.Kind(l.Child(p, "pattern")) == "this" {
		return l.Child(p, "type")
	}
	return 0
}

func (l *lowerer) params(n syntax.Node) {
	l.Each(n, l.param)
}

// param lowers one parameter, in the form of either grammar.
func (l *lowerer) param(p syntax.Node) {
	pattern, value, typ := p, syntax.Node(0), syntax.Node(0)
	property := false
	switch l.Kind(p) {
	case "required_parameter", "optional_parameter":
		pattern, value, typ = l.Child(p, "pattern"), l.Child(p, "value"), l.Child(p, "type")
		property = l.isProperty(p)
	case "assignment_pattern":
		pattern, value = l.Child(p, "left"), l.Child(p, "right")
	case "ERROR", "decorator":
		return
	}
	kind := ir.Positional
	if l.Kind(pattern) == "rest_pattern" {
		kind, pattern = ir.Variadic, l.NamedChild(pattern, 0)
	}
	if l.Kind(pattern) == "assignment_pattern" {
		pattern, value = l.Child(pattern, "left"), l.Child(pattern, "right")
	}
	pos := l.Start(pattern)
	declared := l.typ(typ)
	omitted := ir.Expr(0)
	if l.Kind(p) == "optional_parameter" && value == 0 {
		omitted = l.Expr(ir.Node{Op: ir.Opaque, Flags: ir.Implicit}) // it may be left out
	}
	switch l.Kind(pattern) {
	case "identifier":
		name := l.Text(pattern)
		def := l.value(value, name)
		if def == 0 {
			def = omitted
		}
		v := l.Param(name, declared, def, kind, pos)
		if property {
			target := l.Attr(l.Unary(ir.This, 0, pos), name, pos)
			l.Bind(target, l.Local(v, pos))
		}
	case "object_pattern", "array_pattern":
		def := l.expr(value)
		if def == 0 {
			def = omitted
		}
		v := l.Temp(pos)
		l.VarInfo(v).Type = declared
		info := l.FuncInfo(l.Func())
		info.Params = append(info.Params, ir.Param{Var: v, Type: declared, Default: def, Kind: kind})
		l.declarePattern(pattern, l.Declare)
		l.Bind(l.pattern(pattern), l.Local(v, pos))
	}
}

// isProperty reports whether a parameter of a constructor makes a field, too.
func (l *lowerer) isProperty(p syntax.Node) bool {
	for c := range l.Children(p) {
		switch l.Kind(c) {
		case "accessibility_modifier", "override_modifier", "readonly":
			return true
		}
		if l.Field(c) == "pattern" {
			return false
		}
	}
	return false
}

// paramDecorators evaluates the decorators of parameters where the function is
// written, for that is when they run.
func (l *lowerer) paramDecorators(params syntax.Node) {
	for p := range l.NamedChildren(params) {
		for c := range l.NamedChildren(p) {
			if l.Kind(c) != "decorator" {
				break
			}
			l.Eval(l.expr(l.NamedChild(c, 0)))
		}
	}
}

// functionDeclaration lowers a function with a name, or the signature of one.
func (l *lowerer) functionDeclaration(n syntax.Node, exported bool) {
	at := l.Child(n, "name")
	name, pos := l.Text(at), l.Start(at)
	if at == 0 {
		name, pos = "default", l.Start(n)
	}
	flags := ir.FuncFlag(0)
	if l.Kind(n) == "function_signature" {
		flags = ir.Prototype
	}
	if l.Class() != 0 {
		flags |= ir.Static // of a namespace
	}
	self := &receiver{}
	if l.protos[name] {
		self = &receiver{kind: thisInstance, name: name}
	}
	f := l.function(n, name, flags, pos, self)
	l.define(ir.FuncMember, name, uint32(f), exported, l.Class() != 0, pos)
}

// isComponent reports whether the name of an element is one of ours: in upper
// case, or a path.
func isComponent(name string) bool {
	return name != "" && (name[0] >= 'A' && name[0] <= 'Z' || name[0] == '_' || name[0] == '$' || strings.Contains(name, "."))
}
