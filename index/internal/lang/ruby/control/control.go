// Package control says what the nodes of Ruby's trees do: how control moves on, and what is
// read and written.
//
// A block is a function that sees the variables around it: that it may run often, or not at
// all, is known of what it writes; the loop that calls it is not in the graph. A name that is
// nowhere assigned is a method without arguments or a variable: it is a free name. Of instance
// variables it is not known that another method may write them.
package control

import (
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Ruby.
func Grammar() *walk.Grammar {
	when := walk.SwitchForm{Value: "value", Cases: []string{"when"}, Values: "pattern", Default: "else", Case: branch}
	in := walk.SwitchForm{Value: "value", Cases: []string{"in_clause"}, Values: "pattern", Default: "else", Test: pattern, GuardOf: guard, Raises: true, Case: branch}
	try := walk.TryForm{Catches: []string{"rescue"}, Else: "else", Finally: []string{"ensure"}, Handler: "body", Begin: begin, Catch: rescue, IsAny: catchesAll}
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"method":           {Name: "name", Params: "parameters", Body: "body"},
			"singleton_method": {Name: "name", Params: "parameters", Body: "body"},
			"block":            {Body: "body", Bind: parameters, Open: true, Returns: true},
			"do_block":         {Body: "body", Bind: parameters, Open: true, Returns: true},
			"class":            {Name: "name", Body: "body", Class: true},
			"module":           {Name: "name", Body: "body", Class: true},
			"singleton_class":  {Body: "body", Class: true},
		},
		Statements: map[string]walk.Rule{
			"program":                  walk.Inline,
			"body_statement":           try.Rule(),
			"begin":                    try.Rule(),
			"block_body":               walk.Inline,
			"then":                     walk.Inline,
			"else":                     walk.Inline,
			"do":                       walk.Inline,
			"ensure":                   walk.Inline,
			"parenthesized_statements": walk.Inline,
			"if":                       walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"elsif":                    walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"unless":                   walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative", Negated: true}.Rule(),
			"if_modifier":              walk.IfForm{Cond: "condition", Then: "body"}.Rule(),
			"unless_modifier":          walk.IfForm{Cond: "condition", Then: "body", Negated: true}.Rule(),
			"while":                    walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"until":                    walk.LoopForm{Cond: "condition", Body: "body", Negated: true}.While(),
			"while_modifier":           modifier(walk.LoopForm{Cond: "condition", Body: "body"}),
			"until_modifier":           modifier(walk.LoopForm{Cond: "condition", Body: "body", Negated: true}),
			"for":                      walk.EachForm{Left: "pattern", Right: "value", Body: "body", Bind: func(b *walk.Builder, _, left syntax.Node) { b.Assign(left) }}.Rule(),
			"case":                     when.Rule(),
			"case_match":               in.Rule(),
			"return":                   walk.ReturnRule,
			"break":                    func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToBreak, walk.Broken) },
			"next":                     func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToContinue, walk.Continued) },
			"redo":                     redo,
			"retry":                    retry,
			"call":                     call,
			"identifier":               call,
			"heredoc_body":             walk.Nothing,
			"alias":                    walk.Nothing,
			"undef":                    walk.Nothing,
			"empty_statement":          walk.Nothing,
			"uninterpreted":            walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment":          func(b *walk.Builder, n syntax.Node) { b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Assign) },
			"operator_assignment": augmented,
			"binary":              binary,
			"conditional":         conditional,
			"rescue_modifier":     rescued,
			"call":                called,
			"lambda":              func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "body")) },
			"yield":               calls,
			"super":               calls,
			"pair":                pair,
			"heredoc_beginning":   heredoc,
			"return":              func(b *walk.Builder, n syntax.Node) { leaves(b, n, walk.ToExit, walk.Returned) },
			"break":               func(b *walk.Builder, n syntax.Node) { leaves(b, n, walk.ToBreak, walk.Broken) },
			"next":                func(b *walk.Builder, n syntax.Node) { leaves(b, n, walk.ToContinue, walk.Continued) },
			"target:call":         attribute,
		},
		Operand:  walk.Kinds("call", "identifier", "return", "break", "next", "redo", "retry", "parenthesized_statements", "heredoc_body", "block_body", "then", "do"),
		Values:   true,
		Raises:   true,
		Flat:     true,
		Shares:   true,
		Closed:   true,
		Global:   func(name string) bool { return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "$") },
		Names:    walk.Kinds("identifier", "instance_variable", "class_variable", "global_variable", "self"),
		Elements: map[string]walk.Member{"element_reference": {Object: "object"}},
		Calls:    map[string]walk.CallForm{"call": {Callee: "method", Receiver: "receiver", Args: "arguments"}},
		Skip: walk.Kinds("constant", "scope_resolution", "simple_symbol", "hash_key_symbol", "string_content", "heredoc_content", "heredoc_end", "escape_sequence", "integer", "float",
			"rational", "complex", "true", "false", "nil", "character", "operator", "superclass", "block_parameters", "lambda_parameters", "method_parameters", "comment"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary"), Unary: map[string]string{"unary": "operand"}, Parens: walk.Kinds("parenthesized_statements"),
			And: walk.Kinds("&&", "and"), Or: walk.Kinds("||", "or"), Not: walk.Kinds("!", "not"),
		},
		NoSwitchBreak: true,
		Fixed:         map[string]bool{"true": true, "false": false, "nil": false},
		Scalars:       walk.Kinds("integer", "float", "simple_symbol", "true", "false", "nil"),
		Indexed:       true,
		Extends:       true,
		Holds:         walk.Kinds("array", "hash", "pair", "conditional", "right_assignment_list", "splat_argument"),
		Lists:         walk.Kinds("left_assignment_list", "right_assignment_list"),
		Pure: walk.Kinds("puts", "print", "p", "format", "sprintf", "require", "require_relative", "length", "size", "empty?", "nil?", "to_s", "to_sym", "to_i", "to_f", "to_a", "to_h",
			"is_a?", "kind_of?", "instance_of?", "respond_to?", "include?", "key?", "has_key?", "any?", "all?", "none?", "first", "last", "class", "hash", "inspect", "frozen?", "dup",
			"start_with?", "end_with?", "match?", "split", "strip", "downcase", "upcase", "capitalize", "count", "sum", "min", "max", "keys", "values", "object_id", "join", "raise", "abs",
			"succ", "zero?", "positive?", "even?", "odd?", "block_given?", "fetch", "dig", "freeze"),
	}
}

// parameters writes those of a block, or of the lambda that it is the body of.
func parameters(b *walk.Builder, n syntax.Node) {
	list := b.Child(n, "parameters")
	if p := b.Parent(n); list == 0 && b.Kind(p) == "lambda" {
		list = b.Child(p, "parameters")
	}
	for p := range b.NamedChildren(list) {
		b.Param(p)
	}
}

// branch writes the body of a case.
func branch(b *walk.Builder, c syntax.Node) {
	if b.Kind(c) == "else" {
		b.Stmts(c)
		return
	}
	b.Stmt(b.Child(c, "body"))
}

// modifier is x while y; a "begin" before it runs once at least.
func modifier(f walk.LoopForm) walk.Rule {
	return func(b *walk.Builder, n syntax.Node) {
		if b.Kind(b.Child(n, "body")) == "begin" {
			f.Do()(b, n)
			return
		}
		f.While()(b, n)
	}
}

// begin writes a label before what a "retry" in one of its handlers runs again.
func begin(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) == "rescue" && has(b, c, "retry") {
			b.Mark(place(b, n), n)
			return
		}
	}
}

func place(b *walk.Builder, n syntax.Node) string { return "retry " + strconv.Itoa(b.Start(n)) }

// has reports whether a kind of node is within another one.
func has(b *walk.Builder, n syntax.Node, kind string) bool {
	for c := n + 1; int(c) <= b.Len() && b.Start(c) < b.End(n); c++ {
		if b.Kind(c) == kind && b.Named(c) {
			return true
		}
	}
	return false
}

func retry(b *walk.Builder, n syntax.Node) {
	up := b.Parent(n)
	for up != b.Root() && b.Kind(up) != "rescue" {
		up = b.Parent(up)
	}
	id := b.Step(walk.Jump, n, nil)
	if b.Kind(up) != "rescue" {
		b.Gap(n, "what is tried again is not found")
		return
	}
	b.Jump(id, walk.ToLabel, place(b, b.Parent(up)), walk.Went)
}

func redo(b *walk.Builder, n syntax.Node) {
	b.Gap(n, "a redo is read as a next")
	jump(b, n, walk.ToContinue, walk.Continued)
}

// jump leaves a loop, or a block, with its value.
func jump(b *walk.Builder, n syntax.Node, op walk.JumpOp, kind walk.EdgeKind) {
	b.Jump(b.Step(walk.Jump, n, func() { b.Children(n) }), op, "", kind)
}

// leaves is a jump within an expression: it may not be reached.
func leaves(b *walk.Builder, n syntax.Node, op walk.JumpOp, kind walk.EdgeKind) {
	b.Decide(func() { b.Children(n) })
	b.May(op, "", kind)
}

// raising are the methods that do not come back.
var raising = walk.Kinds("raise", "fail", "exit", "exit!", "abort", "throw")

// raises reports whether a call, or a name that is one, does not come back.
func raises(b *walk.Builder, n syntax.Node) bool {
	if b.Kind(n) == "call" {
		receiver := b.Child(n, "receiver")
		return raising[b.Text(b.Child(n, "method"))] && (receiver == 0 || b.Is(receiver, "Kernel"))
	}
	return raising[b.Text(n)]
}

// call is a step; some raise an error.
func call(b *walk.Builder, n syntax.Node) {
	if raises(b, n) {
		b.Jump(b.Step(walk.Raise, n, func() {
			if b.Kind(n) == "call" {
				b.Call(n)
			}
		}), walk.ToRaise, "", walk.Raised)
		return
	}
	b.Step(walk.Plain, n, func() { b.Expr(n) })
}

// called is a call within an expression.
func called(b *walk.Builder, n syntax.Node) {
	if raises(b, n) {
		b.Decide(func() { b.Call(n) })
		b.May(walk.ToRaise, "", walk.Raised)
		return
	}
	if b.Is(b.Child(n, "method"), "eval") {
		b.Gap(n, "what is evaluated is known at run time only")
	}
	if b.Is(b.Child(n, "operator"), "&.") {
		b.Expr(b.Child(n, "receiver"))
		b.Decide(func() { b.Call(n) })
		return
	}
	b.Call(n)
}

// attribute is x.y = z.
func attribute(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "receiver"))
	b.Change(b.Child(n, "receiver"))
}

func augmented(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	if op := b.Child(n, "operator"); b.Is(op, "||=") || b.Is(op, "&&=") {
		b.Expr(left)
		b.Decide(func() { b.Give(left, right, b.Assign) })
		return
	}
	b.Update(left, right)
}

// binary writes the right operand of some as one that may not be evaluated; x << y changes x.
func binary(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	b.Expr(left)
	switch b.Text(b.Child(n, "operator")) {
	case "&&", "||", "and", "or":
		b.Decide(func() { b.Expr(right) })
	case "<<":
		b.Expr(right)
		for b.Kind(left) == "binary" { // x << y << z
			left = b.Child(left, "left")
		}
		b.Change(left)
	default:
		b.Expr(right)
	}
}

// calls is a call without a name: of the block, or of the method that this one overrides.
func calls(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.MayRaise()
}

// conditional is c ? x : y.
func conditional(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "condition"))
	b.Decide(func() {
		b.Expr(b.Child(n, "consequence"))
		b.Expr(b.Child(n, "alternative"))
	})
}

func rescued(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "body"))
	b.Decide(func() { b.Expr(b.Child(n, "handler")) })
}

// pair is key: value; without a value it reads the name.
func pair(b *walk.Builder, n syntax.Node) {
	key, value := b.Child(n, "key"), b.Child(n, "value")
	if value == 0 {
		b.Read(key)
		return
	}
	b.Expr(key)
	b.Expr(value)
}

// heredoc reads what its text has, which stands after the line.
func heredoc(b *walk.Builder, n syntax.Node) {
	for c := n + 1; int(c) <= b.Len(); c++ {
		if b.Kind(c) == "heredoc_body" {
			b.Children(c)
			return
		}
	}
}

func rescue(b *walk.Builder, c syntax.Node) {
	b.Expr(b.Child(c, "exceptions"))
	b.Assign(b.NamedChild(b.Child(c, "variable"), 0))
}

// catchesAll reports whether a handler is one of all errors.
func catchesAll(b *walk.Builder, c syntax.Node) bool {
	return b.Is(b.Child(c, "exceptions"), "Exception")
}

func guard(b *walk.Builder, c syntax.Node) syntax.Node {
	g := b.Child(c, "guard")
	if b.Kind(g) == "unless_guard" {
		b.Gap(g, "a guard with unless is read as one with if")
	}
	return b.Child(g, "condition")
}

// pattern writes what a case is compared with: its names are bound.
func pattern(b *walk.Builder, c syntax.Node) { capture(b, b.Child(c, "pattern")) }

func capture(b *walk.Builder, n syntax.Node) {
	switch b.Kind(n) {
	case "identifier":
		b.Assign(n)
	case "variable_reference_pattern", "expression_reference_pattern":
		b.Children(n)
	case "keyword_pattern":
		if value := b.Child(n, "value"); value != 0 {
			capture(b, value)
		} else {
			b.Write(b.Child(n, "key"))
		}
	default:
		for c := range b.NamedChildren(n) {
			capture(b, c)
		}
	}
}
