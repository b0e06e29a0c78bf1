// Package control says what the nodes of Python's trees do: how control moves on, and what is
// read and written.
package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Python.
func Grammar() *walk.Grammar {
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_definition": {Name: "name", Params: "parameters", Body: "body", Early: true},
			"lambda":              {Params: "parameters", Body: "body", Early: true},
			"class_definition":    {Name: "name", Body: "body", Class: true, Bases: "superclasses"},
		},
		Statements: map[string]walk.Rule{
			"module":                  walk.Inline,
			"block":                   walk.Inline,
			"else_clause":             bodyOf,
			"finally_clause":          walk.Inline,
			"if_statement":            walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative", Elif: "elif_clause"}.Rule(),
			"while_statement":         walk.LoopForm{Cond: "condition", Body: "body", Else: "else_clause"}.While(),
			"for_statement":           walk.EachForm{Left: "left", Right: "right", Body: "body", Else: "else_clause", Bind: bindElement}.Rule(),
			"match_statement":         walk.SwitchForm{Value: "subject", Body: "body", Cases: []string{"case_clause"}, Guard: "guard", Case: caseBody, Test: pattern, Always: fits, LabelEnd: "case_pattern#-1"}.Rule(),
			"try_statement":           walk.TryForm{Body: "body", Catches: []string{"except_clause", "except_group_clause"}, Else: "else_clause", Finally: []string{"finally_clause"}, Catch: except, IsAny: bare}.Rule(),
			"with_statement":          with,
			"return_statement":        walk.ReturnRule,
			"raise_statement":         walk.RaiseRule,
			"break_statement":         walk.Break,
			"continue_statement":      walk.Continue,
			"assert_statement":        assert,
			"delete_statement":        deletes,
			"decorated_definition":    decorated,
			"expression_statement":    expression,
			"global_statement":        outside,
			"nonlocal_statement":      outside,
			"pass_statement":          func(b *walk.Builder, n syntax.Node) { b.Step(walk.Plain, n, nil) },
			"import_statement":        imports,
			"import_from_statement":   imports,
			"future_import_statement": imports,
		},
		Expressions: map[string]walk.Rule{
			"assignment":               assignment,
			"augmented_assignment":     augmented,
			"named_expression":         named,
			"conditional_expression":   conditional,
			"list_comprehension":       comprehension,
			"set_comprehension":        comprehension,
			"dictionary_comprehension": comprehension,
			"generator_expression":     comprehension,
			"keyword_argument":         func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "value")) },
			"yield":                    yields,
		},
		Names:    walk.Kinds("identifier"),
		Members:  map[string]walk.Member{"attribute": {Object: "object", Part: "attribute"}},
		Elements: map[string]walk.Member{"subscript": {Object: "value", Part: "subscript"}},
		Calls:    map[string]walk.CallForm{"call": {Callee: "function", Args: "arguments"}},
		Skip:     walk.Kinds("type", "string_start", "string_content", "string_end", "integer", "float", "true", "false", "none", "escape_sequence", "keyword_separator", "positional_separator"),
		Logic: walk.Logic{
			Binary: walk.Kinds("boolean_operator"), Unary: map[string]string{"not_operator": "argument"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("and"), Or: walk.Kinds("or"), Not: walk.Kinds("not"),
		},
		Raises:  true,
		Fixed:   map[string]bool{"True": true, "1": true, "False": false, "0": false},
		Scalars: walk.Kinds("integer", "float", "string", "true", "false", "none", "comparison_operator", "not_operator", "unary_operator", "concatenated_string"),
		Scalar:  scalar,
		Objects: shares,
		Copies:  lists,
		Extends: true,
		Indexed: true,
		Readers: walk.Kinds("get", "items", "keys", "values", "join", "split", "rsplit", "strip", "lstrip", "rstrip", "startswith", "endswith", "format", "lower", "upper", "index", "count",
			"find", "rfind", "encode", "decode", "copy", "isdigit", "isalpha", "isspace", "isalnum", "splitlines", "partition", "rpartition", "title", "group", "groups", "replace", "union", "intersection"),
		Fillers:     walk.Kinds("append", "add", "extend", "insert", "appendleft", "discard", "remove", "update", "setdefault", "pop", "write"),
		Lists:       walk.Kinds("pattern_list", "expression_list", "tuple", "tuple_pattern"),
		Holds:       walk.Kinds("expression_list", "list", "tuple", "dictionary", "set", "pair", "conditional_expression", "boolean_operator"),
		PureModules: walk.Kinds("math", "cmath", "operator", "os.path", "re", "string", "textwrap", "json", "itertools", "functools", "time", "datetime"),
		ScalarTypes: walk.Kinds("int", "str", "float", "bool", "bytes", "complex", "None"),
		Modules:     modules,
		Pure:        walk.Kinds("print", "len", "range", "str", "int", "float", "bool", "abs", "isinstance", "type", "repr", "min", "max", "sum", "sorted", "enumerate", "zip", "hash", "id", "round", "any", "all", "tuple", "ord", "chr"),
		Flat:        true,
		Loops:       walk.Kinds(),
		Clauses:     map[string][]string{"try_statement": {"except_clause", "except_group_clause", "finally_clause"}},
		Awaits:      walk.Kinds("await"),
	}
}

// modules returns the names that the imports at the top of a file bind.
func modules(t *syntax.Tree) map[string]bool {
	names := map[string]bool{}
	for n := range t.NamedChildren(t.Root()) {
		if k := t.Kind(n); k != "import_statement" && k != "import_from_statement" {
			continue
		}
		from := t.Child(n, "module_name")
		for c := range t.NamedChildren(n) {
			switch {
			case c == from:
			case t.Kind(c) == "aliased_import":
				names[t.Text(t.Child(c, "alias"))] = true
			case t.Kind(c) == "dotted_name":
				names[t.Text(t.NamedChild(c, 0))] = true
			}
		}
	}
	return names
}

func bodyOf(b *walk.Builder, n syntax.Node) { b.Stmt(b.Child(n, "body")) }

func bindElement(b *walk.Builder, n, left syntax.Node) {
	right := b.Child(n, "right")
	b.Bind(left, right, b.Assign, isCall(b, right, counts))
}

// counts are functions that give numbers, numbered are those whose values are.
var (
	counts = walk.Kinds("range")
	plain  = walk.Kinds("len", "int", "str", "float", "bool", "abs", "ord", "chr", "repr", "hash", "id", "isinstance", "issubclass", "callable", "hasattr", "round", "format", "ascii", "bin", "hex", "oct")
)

func isCall(b *walk.Builder, n syntax.Node, names map[string]bool) bool {
	return b.Kind(n) == "call" && names[b.Text(b.Child(n, "function"))]
}

// lists are functions and methods whose values have in them what is in what they are given.
var lists = walk.Kinds("list", "tuple", "set", "dict", "sorted", "reversed", "enumerate", "zip", "map", "filter", "copy")

// shares returns what a value has in it: what it is taken from.
func shares(b *walk.Builder, n syntax.Node) (list []syntax.Node) {
	switch b.Kind(n) {
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		for c := range b.NamedChildren(n) {
			if b.Kind(c) == "for_in_clause" {
				list = append(list, b.Child(c, "right"))
			}
		}
	}
	return list
}

// scalar tells values without parts: a sum is one if a part of it is, a product if both are.
func scalar(b *walk.Builder, n syntax.Node) (ok bool, ifs []walk.Var) {
	if isCall(b, n, plain) {
		return true, nil
	}
	if b.Kind(n) != "binary_operator" {
		return false, nil
	}
	left, ifs := b.ScalarValue(b.Child(n, "left"))
	right, more := b.ScalarValue(b.Child(n, "right"))
	switch b.Text(b.Child(n, "operator")) {
	case "/", "//", "%", "**", "<<", ">>":
		return true, nil
	case "+", "-":
		if left && len(ifs) == 0 || right && len(more) == 0 {
			return true, nil
		}
		if !left {
			return right, more
		}
		return true, ifs
	}
	return left && right, append(ifs, more...)
}

func caseBody(b *walk.Builder, c syntax.Node) { b.Stmt(b.Child(c, "consequence")) }

// pattern writes the patterns of a case: names that stand alone are bound.
func pattern(b *walk.Builder, c syntax.Node) {
	for p := range b.NamedChildren(c) {
		if b.Kind(p) == "case_pattern" {
			capture(b, p)
		}
	}
}

// fits reports whether the pattern of a case is a name or "_": alone, or as the last alternative.
func fits(b *walk.Builder, c syntax.Node) bool {
	var n syntax.Node
	for p := range b.NamedChildren(c) {
		if b.Kind(p) != "case_pattern" {
			continue
		}
		if n != 0 {
			return false
		}
		n = p
	}
	for n != 0 && !b.Is(n, "_") {
		switch b.Kind(n) {
		case "case_pattern", "as_pattern":
			n = b.NamedChild(n, 0)
		case "tuple_pattern":
			if b.ChildOf(n, ",") != 0 {
				return false
			}
			n = b.NamedChild(n, 0)
		case "union_pattern":
			for last := range b.Tree.Children(n) {
				n = last
			}
		case "dotted_name":
			return b.NamedChild(n, 1) == 0
		default:
			return false
		}
	}
	return n != 0
}

func capture(b *walk.Builder, n syntax.Node) {
	switch b.Kind(n) {
	case "dotted_name":
		if name := b.NamedChild(n, 0); b.NamedChild(n, 1) == 0 {
			if !b.Is(name, "_") {
				b.Assign(name)
			}
		} else {
			b.Expr(name)
		}
	case "identifier":
		b.Assign(n)
	case "class_pattern":
		first := true
		for c := range b.NamedChildren(n) {
			if first {
				b.Expr(b.NamedChild(c, 0))
				first = false
				continue
			}
			capture(b, c)
		}
	case "keyword_pattern":
		first := true
		for c := range b.NamedChildren(n) {
			if !first {
				capture(b, c)
			}
			first = false
		}
	default:
		for c := range b.NamedChildren(n) {
			capture(b, c)
		}
	}
}

// except writes the head of a handler.
func except(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "block":
		case "as_pattern":
			b.Expr(b.NamedChild(c, 0))
			b.Assign(b.NamedChild(b.ChildOf(c, "as_pattern_target"), 0))
		default:
			b.Expr(c)
		}
	}
}

// bare reports whether a handler catches everything.
func bare(b *walk.Builder, n syntax.Node) bool {
	first := b.NamedChild(n, 0)
	return b.Kind(first) == "block" || b.Is(first, "BaseException")
}

// with runs its body between entering its resources and leaving them.
func with(b *walk.Builder, n syntax.Node) {
	body := b.Child(n, "body")
	clause := b.ChildOf(n, "with_clause")
	head := b.StepOf(walk.Plain, b.Start(n), b.End(clause), clause, func() {
		for item := range b.NamedChildren(clause) {
			value := b.Child(item, "value")
			if value == 0 {
				value = item
			}
			if b.Kind(value) == "as_pattern" {
				b.Expr(b.NamedChild(value, 0))
				b.Assign(b.NamedChild(b.ChildOf(value, "as_pattern_target"), 0))
			} else {
				b.Expr(value)
			}
		}
	})
	b.Finally(func() { b.Inside(head, func() { b.Stmt(body) }) }, func() { b.StepOf(walk.Exits, b.Start(n), b.End(clause), 0, nil) })
}

func assert(b *walk.Builder, n syntax.Node) {
	b.Assert(n, b.NamedChild(n, 0), b.NamedChild(n, 1))
}

func deletes(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		for c := range b.NamedChildren(n) {
			switch b.Kind(c) {
			case "subscript": // those after it move
				b.Expr(c)
				b.Change(b.Child(c, "value"))
				continue
			case "identifier":
				b.Expr(c)
			}
			b.Assign(c)
		}
	})
}

func decorated(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) == "decorator" {
			b.Step(walk.Plain, c, func() { b.Children(c) })
		}
	}
	b.Stmt(b.Child(n, "definition"))
}

// expression is a step of all that stands in it.
func expression(b *walk.Builder, n syntax.Node) {
	if b.Kind(b.NamedChild(n, 0)) == "string" && b.NamedChild(n, 1) == 0 {
		return // a documentation string runs nothing
	}
	b.Step(walk.Plain, n, func() { b.Children(n) })
}

// outside says that names are those of the module or of a function around.
func outside(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Outside(b.Text(c), b.Start(c))
	}
}

func imports(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.MayRaise()
		module := b.Child(n, "module_name")
		for c := range b.NamedChildren(n) {
			switch {
			case c == module:
			case b.Kind(c) == "aliased_import":
				b.Assign(b.Child(c, "alias"))
			case b.Kind(c) == "dotted_name":
				b.Assign(b.NamedChild(c, 0))
			}
		}
	})
}

func assignment(b *walk.Builder, n syntax.Node) {
	right := b.Child(n, "right")
	if right == 0 {
		return // a declaration alone
	}
	b.Give(b.Child(n, "left"), right, b.Assign)
}

func augmented(b *walk.Builder, n syntax.Node) {
	b.Update(b.Child(n, "left"), b.Child(n, "right"))
}

func named(b *walk.Builder, n syntax.Node) {
	b.Give(b.Child(n, "name"), b.Child(n, "value"), b.Assign)
}

// conditional is x if c else y.
func conditional(b *walk.Builder, n syntax.Node) {
	b.Expr(b.NamedChild(n, 1))
	b.Decide(func() {
		b.Expr(b.NamedChild(n, 0))
		b.Expr(b.NamedChild(n, 2))
	})
}

// comprehension has names of its own.
func comprehension(b *walk.Builder, n syntax.Node) {
	b.Own(func() {
		for c := range b.NamedChildren(n) {
			switch b.Kind(c) {
			case "for_in_clause":
				b.Expr(b.Child(c, "right"))
				b.Declare(b.Child(c, "left"))
			case "if_clause":
				b.Children(c)
			}
		}
		b.Expr(b.Child(n, "body"))
	})
}

func yields(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.Yield()
	b.MayRaise() // who resumes it may throw an error in
}
