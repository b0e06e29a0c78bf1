// Package control says what the nodes of Bash's trees do: how control moves on, and what is
// read and written.
//
// Variables are those of no function, but for what "local" and its kin declare. Not known is
// what a command that is called does to them, that "set -e" ends a script at a command that
// fails, and that what runs in a subshell or a pipeline changes copies: it is read as if it
// ran in place.
package control

import (
	"regexp"
	"strconv"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Bash.
func Grammar() *walk.Grammar {
	return &walk.Grammar{
		Functions: map[string]walk.Function{
			"function_definition": {Name: "name", Body: "body"},
		},
		Statements: map[string]walk.Rule{
			"program":               walk.Inline,
			"compound_statement":    walk.Inline,
			"subshell":              walk.Inline,
			"do_group":              walk.Inline,
			"pipeline":              walk.Inline,
			"else_clause":           walk.Inline,
			"if_statement":          branches,
			"while_statement":       while,
			"for_statement":         walk.EachForm{Body: "body", Head: each}.Rule(),
			"c_style_for_statement": walk.LoopForm{Init: "initializer", Cond: "condition", Update: "update", Body: "body"}.While(),
			"case_statement":        walk.SwitchForm{Value: "value", Cases: []string{"case_item"}, Values: "value", DefaultOf: every, Case: item}.Rule(),
			"list":                  list,
			"redirected_statement":  redirected,
			"command":               command,
		},
		Expressions: map[string]walk.Rule{
			"command":              run,
			"variable_assignment":  assign,
			"declaration_command":  declare,
			"unset_command":        unset,
			"binary_expression":    binary,
			"postfix_expression":   step,
			"unary_expression":     step,
			"test_command":         test,
			"heredoc_body":         heredoc,
			"redirected_statement": func(b *walk.Builder, n syntax.Node) { b.Children(n) },
		},
		Flat:     true,
		Closed:   true,
		Global:   func(string) bool { return true },
		Names:    walk.Kinds("variable_name"),
		Elements: map[string]walk.Member{"subscript": {Object: "name"}},
		Calls:    map[string]walk.CallForm{"command": {Callee: "name"}},
		Skip: walk.Kinds("word", "raw_string", "ansi_c_string", "string_content", "special_variable_name", "number", "regex", "extglob_pattern", "heredoc_start", "heredoc_end",
			"file_descriptor", "test_operator", "comment"),
		Logic: walk.Logic{
			Binary: walk.Kinds("list"), Unary: map[string]string{"negated_command": ""}, Parens: walk.Kinds("pipeline", "compound_statement", "subshell"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"),
		},
		Fixed:   map[string]bool{"true": true, ":": true, "false": false},
		Scalars: walk.Kinds("string", "number", "word", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"),
	}
}

// branches writes an "if": its conditions and bodies stand one after the other.
func branches(b *walk.Builder, n syntax.Node) {
	var clauses []syntax.Node
	for c := range b.NamedChildren(n) {
		if kind := b.Kind(c); kind == "elif_clause" || kind == "else_clause" {
			clauses = append(clauses, c)
		}
	}
	branch(b, n, clauses)
}

func branch(b *walk.Builder, n syntax.Node, clauses []syntax.Node) {
	var conds, body []syntax.Node
	then := false
	for c := range b.Tree.Children(n) {
		switch kind := b.Kind(c); {
		case kind == "then":
			then = true
		case !b.Named(c) || kind == "comment" || kind == "elif_clause" || kind == "else_clause":
		case then:
			body = append(body, c)
		default:
			conds = append(conds, c)
		}
	}
	b.Head(n)
	if len(conds) == 0 {
		b.Gap(n, "it has no condition")
		b.Stmts(n)
		return
	}
	for _, c := range conds[:len(conds)-1] {
		b.Stmt(c)
	}
	b.If(conds[len(conds)-1], func() {
		for _, c := range body {
			b.Stmt(c)
		}
	}, func() {
		if len(clauses) == 0 {
			return
		}
		if b.Kind(clauses[0]) == "elif_clause" {
			branch(b, clauses[0], clauses[1:])
			return
		}
		b.Stmt(clauses[0])
	})
}

func while(b *walk.Builder, n syntax.Node) {
	count := 0
	for c := range b.NamedChildren(n) {
		if b.Field(c) == "condition" {
			count++
		}
	}
	if count > 1 {
		b.Gap(n, "of several commands before a loop's body the first is read as its condition")
	}
	walk.LoopForm{Cond: "condition", Body: "body", Negated: b.Is(b.First(n), "until")}.While()(b, n)
}

func each(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Field(c) == "value" {
			b.Expr(c)
		}
	}
	b.Assign(b.Child(n, "variable"))
}

// every reports whether a case is *) alone.
func every(b *walk.Builder, c syntax.Node) bool {
	first := b.First(c)
	if b.Is(first, "(") {
		first = b.Next(c, first)
	}
	return b.Is(first, "*") && b.Is(b.Next(c, first), ")")
}

// item writes the commands of a case, and whether the next one follows.
func item(b *walk.Builder, c syntax.Node) {
	for s := range b.NamedChildren(c) {
		if b.Field(s) != "value" {
			b.Stmt(s)
		}
	}
	switch end := b.Child(c, "fallthrough"); {
	case b.Is(end, ";&"):
		walk.Fallthrough(b, end)
	case end != 0:
		b.Gap(end, "the cases after ;;& are not compared again")
	}
}

// list is a && b, or a || b.
func list(b *walk.Builder, n syntax.Node) {
	left, right := b.NamedChild(n, 0), b.NamedChild(n, 1)
	yes, no := func() { b.Stmt(right) }, func() {}
	for c := range b.Tree.Children(n) {
		if !b.Named(c) && b.Is(c, "||") {
			yes, no = no, yes
		}
	}
	b.If(left, yes, no)
}

// redirected writes where a command reads and writes to; what is no simple command comes after it.
func redirected(b *walk.Builder, n syntax.Node) {
	body := b.Child(n, "body")
	redirects := func() {
		for c := range b.NamedChildren(n) {
			if c != body {
				redirect(b, c)
			}
		}
	}
	if here := b.ChildOf(n, "heredoc_redirect"); b.Child(here, "right") != 0 || b.ChildOf(here, "pipeline") != 0 {
		b.Stmt(body)
		id := b.StepOf(walk.Plain, b.Start(here), b.End(here), 0, redirects)
		b.Stmt(b.ChildOf(here, "pipeline"))
		if right := b.Child(here, "right"); right != 0 {
			b.Choose(id, func() { b.Stmt(right) }, func() {})
		}
		return
	}
	switch b.Kind(body) {
	case "if_statement", "while_statement", "for_statement", "c_style_for_statement", "case_statement", "compound_statement", "subshell", "list", "pipeline":
		b.StepOf(walk.Plain, b.End(body), b.End(n), 0, redirects)
		b.Stmt(body)
	case "command":
		if leaves(b, body) {
			command(b, body)
			return
		}
		fallthrough
	default:
		b.Step(walk.Plain, n, func() {
			redirects()
			b.Expr(body)
		})
	}
}

// redirect reads what one has, but for the commands that follow on its line.
func redirect(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Field(c) != "right" && b.Kind(c) != "pipeline" {
			b.Expr(c)
		}
	}
}

func name(b *walk.Builder, n syntax.Node) string { return b.Text(b.Child(n, "name")) }

// leaves reports whether a command jumps.
func leaves(b *walk.Builder, n syntax.Node) bool {
	switch name(b, n) {
	case "return", "exit", "break", "continue":
		return true
	}
	return false
}

// command is a step, or a jump.
func command(b *walk.Builder, n syntax.Node) {
	read := func() { arguments(b, n, nil) }
	more := 0
	if count, err := strconv.Atoi(b.Text(b.Child(n, "argument"))); err == nil && count > 1 {
		more = count - 1
	}
	switch name(b, n) {
	case "return":
		b.Jump(b.Step(walk.Return, n, read), walk.ToExit, "", walk.Returned)
	case "exit":
		if within(b, n, "subshell") {
			b.Gap(n, "what runs after an exit in a subshell is not followed")
		}
		b.Jump(b.Step(walk.Raise, n, read), walk.ToLeave, "", walk.Raised)
	case "break":
		b.JumpOut(b.Step(walk.Jump, n, read), walk.ToBreak, more, walk.Broken)
	case "continue":
		b.JumpOut(b.Step(walk.Jump, n, read), walk.ToContinue, more, walk.Continued)
	default:
		b.Step(walk.Plain, n, func() { b.Expr(n) })
	}
}

// within reports whether a node is inside one of a kind.
func within(b *walk.Builder, n syntax.Node, kind string) bool {
	for up := b.Parent(n); up != b.Root(); up = b.Parent(up) {
		if b.Kind(up) == kind {
			return true
		}
	}
	return false
}

// arguments evaluates those of a command; word is called for each that is a plain word.
func arguments(b *walk.Builder, n syntax.Node, word func(syntax.Node)) {
	for c := range b.NamedChildren(n) {
		if b.Field(c) == "name" {
			continue
		}
		if word != nil && b.Field(c) == "argument" && b.Kind(c) == "word" {
			word(c)
			continue
		}
		if b.Kind(c) == "variable_assignment" { // of this command alone
			b.Expr(b.Child(c, "value"))
			continue
		}
		b.Expr(c)
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// run is a command within a step; some write the variables that are named in their arguments.
func run(b *walk.Builder, n syntax.Node) {
	write := func(c syntax.Node) {
		if identifier.Match(b.Bytes(c)) {
			b.Write(c)
		}
	}
	switch name(b, n) {
	case "read", "mapfile", "readarray", "getopts":
		arguments(b, n, write)
	case "let":
		arguments(b, n, func(c syntax.Node) { arithmetic(b, b.Start(c), b.End(c)) })
	case "printf":
		option := false
		arguments(b, n, func(c syntax.Node) {
			if option {
				write(c)
			}
			option = b.Is(c, "-v")
		})
	case "return":
		arguments(b, n, nil)
		b.May(walk.ToExit, "", walk.Returned)
	case "exit":
		arguments(b, n, nil)
		b.May(walk.ToLeave, "", walk.Raised)
	default:
		if name(b, n) == "eval" {
			b.Gap(n, "what is evaluated is known at run time only")
		}
		for c := range b.NamedChildren(n) {
			if b.Kind(c) == "variable_assignment" {
				arguments(b, n, nil)
				b.Expr(b.Child(n, "name"))
				return
			}
		}
		b.Call(n)
	}
}

func assign(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "name"), b.Child(n, "value")
	if b.ChildOf(n, "+=") != 0 {
		b.Update(left, right)
		return
	}
	b.Give(left, right, b.Assign)
}

// declare writes local, export and their kin.
func declare(b *walk.Builder, n syntax.Node) {
	own := false
	switch b.Text(b.First(n)) {
	case "local", "declare", "typeset":
		own = true
	}
	for c := range b.NamedChildren(n) {
		switch kind := b.Kind(c); {
		case kind == "variable_assignment" && own:
			b.Give(b.Child(c, "name"), b.Child(c, "value"), b.Declare)
		case kind == "variable_name" && own:
			b.Declare(c)
		default:
			b.Expr(c)
		}
	}
}

func unset(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Assign(c)
	}
}

var expansion = regexp.MustCompile(`\$\{?[#!]?([A-Za-z_]\w*)`)

// heredoc reads the variables in a text: its nodes do not have them all.
func heredoc(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) == "command_substitution" {
			b.Expr(c)
		}
	}
	for _, at := range expansion.FindAllSubmatchIndex(b.Bytes(n), -1) {
		b.ReadAt(b.Start(n)+at[2], b.Start(n)+at[3])
	}
}
