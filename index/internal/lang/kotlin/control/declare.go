package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// members declares the properties of a class: its functions see them wherever they are written.
func members(b *walk.Builder, n syntax.Node) {
	here := func(name syntax.Node) {
		if name != 0 {
			b.DeclareHere(b.Text(name), b.Start(name))
		}
	}
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "property_declaration":
			here(b.Child(c, "variable_declaration#0/simple_identifier#0"))
		case "enum_entry":
			here(b.Child(c, "simple_identifier#0"))
		}
	}
}

// params writes the parameters of a function, and of a constructor what it gives to the other one.
func params(b *walk.Builder, n syntax.Node) {
	list := b.ChildOf(n, "function_value_parameters")
	if list == 0 {
		list = n // a setter
	}
	for c := range b.NamedChildren(list) {
		switch b.Kind(c) {
		case "parameter":
			b.Param(c)
		case "parameter_with_optional_type":
			b.Param(b.Child(c, "simple_identifier#0"))
		case "parameter_modifiers", "modifiers", "annotation", "function_body", "type_identifier", "user_type":
		default:
			if list != n { // a default
				b.Maybe(func() { b.Expr(c) })
			}
		}
	}
	delegated(b, b.ChildOf(n, "constructor_delegation_call"))
}

// delegated writes the call of another constructor.
func delegated(b *walk.Builder, n syntax.Node) {
	if n != 0 {
		b.Expr(b.ChildOf(n, "value_arguments"))
	}
}

// lambda writes the parameters of a lambda; one without any has "it", unless the function that
// it is given to is known for another receiver.
func lambda(b *walk.Builder, n syntax.Node) {
	list := b.ChildOf(n, "lambda_parameters")
	if list != 0 {
		for c := range b.NamedChildren(list) {
			b.Param(c)
		}
		return
	}
	if b.ChildOf(n, "->") == 0 && !withoutIt[called(b, n)] {
		b.ParamNamed("it", n)
	}
}

// withoutIt are functions of the library that give a lambda no parameter.
var withoutIt = walk.Kinds("run", "apply", "with", "lazy", "buildString", "buildList", "buildMap", "buildSet", "synchronized", "runBlocking", "coroutineScope", "supervisorScope",
	"withContext", "launch", "async", "flow", "sequence", "measureTime", "measureTimeMillis", "runCatching", "getOrPut", "require", "check", "error", "orElse", "ifEmpty", "ifBlank")

// called returns the name of the function that a lambda is given to after the parentheses.
func called(b *walk.Builder, n syntax.Node) string {
	p := b.Parent(n)
	if b.Kind(p) == "annotated_lambda" {
		p = b.Parent(p)
	}
	if b.Kind(p) != "call_suffix" {
		return ""
	}
	callee := b.NamedChild(b.Parent(p), 0)
	for b.Kind(callee) == "call_expression" {
		callee = b.NamedChild(callee, 0)
	}
	if b.Kind(callee) == "navigation_expression" {
		callee = b.Child(callee, "navigation_suffix#0/simple_identifier#0")
	}
	return b.Text(callee)
}

// constructor writes the parameters of a class, and what it gives to those that it extends.
func constructor(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(b.ChildOf(n, "primary_constructor")) {
		if b.Kind(c) != "class_parameter" {
			continue
		}
		name := b.Child(c, "simple_identifier#0")
		b.Typed(c, func() { b.Param(name) })
		after := false
		for d := range b.Tree.Children(c) {
			if after && b.Named(d) {
				b.Maybe(func() { b.Expr(d) })
			}
			after = after || b.Kind(d) == "="
		}
	}
	for c := range b.NamedChildren(n) {
		if b.Kind(c) == "delegation_specifier" {
			for d := range b.NamedChildren(c) {
				b.Expr(d)
			}
		}
	}
}

func entry(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Expr(b.ChildOf(n, "value_arguments"))
		b.Expr(b.ChildOf(n, "class_body"))
		b.Declare(b.Child(n, "simple_identifier#0"))
	})
}

// property writes a variable: its value, or what it is delegated to.
func property(b *walk.Builder, n syntax.Node) {
	name := b.ChildOf(n, "variable_declaration", "multi_variable_declaration")
	var value syntax.Node
	after := false
	for c := range b.Tree.Children(n) {
		if k := b.Kind(c); after && b.Named(c) && !b.Comment(c) && value == 0 || k == "property_delegate" {
			value = c
		} else if k == "=" {
			after = true
		}
	}
	b.Step(walk.Plain, n, func() {
		declare := func(name syntax.Node) { b.Typed(name, func() { b.Declare(name) }) }
		if value != 0 {
			b.Give(name, value, declare)
		} else { // it has no value yet
			b.Known(func() { declare(name) })
		}
	})
	for c := range b.NamedChildren(n) {
		if k := b.Kind(c); k == "getter" || k == "setter" {
			b.Stmt(c)
		}
	}
}

func assignment(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "#0"), b.Child(n, "#-1")
	b.Step(walk.Plain, n, func() {
		if b.Child(n, "=#0") == 0 {
			b.Update(left, right)
			return
		}
		b.Give(left, right, b.Assign)
	})
}
