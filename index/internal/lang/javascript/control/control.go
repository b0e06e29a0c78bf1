// Package control says what the nodes of the trees of JavaScript and TypeScript do: how control
// moves on, and what is read and written.
package control

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of JavaScript and TypeScript, with JSX.
func Grammar() *walk.Grammar {
	heads := walk.Kinds("class_heritage", "decorator")
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_declaration":           {Name: "name", Body: "body", Bind: params},
			"generator_function_declaration": {Name: "name", Body: "body", Bind: params},
			"function_expression":            {Name: "name", Body: "body", Bind: params, Inside: true},
			"generator_function":             {Name: "name", Body: "body", Bind: params, Inside: true},
			"arrow_function":                 {Body: "body", Bind: params, SameSelf: true},
			"method_definition":              {Name: "name", Body: "body", Bind: params},
			"class_declaration":              {Name: "name", Body: "body", Class: true, Heads: heads},
			"abstract_class_declaration":     {Name: "name", Body: "body", Class: true, Heads: heads},
			"class":                          {Name: "name", Body: "body", Class: true, Heads: heads, Inside: true},
		},
		Statements: map[string]walk.Rule{
			"program":                 block,
			"statement_block":         block,
			"class_body":              walk.Inline,
			"else_clause":             walk.Inline,
			"finally_clause":          walk.Inline,
			"if_statement":            walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"while_statement":         walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"do_statement":            walk.LoopForm{Cond: "condition", Body: "body"}.Do(),
			"for_statement":           forStatement,
			"for_in_statement":        walk.EachForm{Left: "left", Right: "right", Body: "body", Bind: bindElement}.Rule(),
			"switch_statement":        walk.SwitchForm{Value: "value", Body: "body", Cases: []string{"switch_case"}, Values: "value", Default: "switch_default", Falls: true, Block: true}.Rule(),
			"try_statement":           walk.TryForm{Body: "body", Catches: []string{"catch_clause"}, Finally: []string{"finally_clause"}, Handler: "body", Any: true, Catch: func(b *walk.Builder, c syntax.Node) { b.Declare(b.Child(c, "parameter")) }}.Rule(),
			"labeled_statement":       walk.Labeled("label"),
			"break_statement":         walk.Break,
			"continue_statement":      walk.Continue,
			"return_statement":        walk.ReturnRule,
			"throw_statement":         walk.RaiseRule,
			"with_statement":          with,
			"expression_statement":    expression,
			"variable_declaration":    values,
			"lexical_declaration":     values,
			"import_statement":        imports,
			"import_alias":            alias,
			"export_statement":        exports,
			"class_static_block":      func(b *walk.Builder, n syntax.Node) { b.Scoped(func() { block(b, b.Child(n, "body")) }) },
			"field_definition":        field,
			"public_field_definition": field,
			"decorator":               func(b *walk.Builder, n syntax.Node) { b.Step(walk.Plain, n, func() { b.Children(n) }) },
			"enum_declaration":        enum,
			"internal_module":         namespace,
			"module":                  namespace,
			"debugger_statement":      func(b *walk.Builder, n syntax.Node) { b.Step(walk.Plain, n, nil) },
			"empty_statement":         walk.Nothing,
			"hash_bang_line":          walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression":           func(b *walk.Builder, n syntax.Node) { b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Assign) },
			"augmented_assignment_expression": augmented,
			"update_expression":               func(b *walk.Builder, n syntax.Node) { b.Update(b.Child(n, "argument"), 0) },
			"unary_expression":                unary,
			"yield_expression":                yields,
			"computed_property_name":          func(b *walk.Builder, n syntax.Node) { b.Children(n) },
			"jsx_opening_element":             element,
			"jsx_self_closing_element":        element,
			"target:pair_pattern":             pair,
		},
		Names:    walk.Kinds("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern", "type_identifier"),
		Members:  map[string]walk.Member{"member_expression": {Object: "object", Part: "property", Optional: "optional_chain"}},
		Elements: map[string]walk.Member{"subscript_expression": {Object: "object", Part: "index", Optional: "optional_chain"}},
		Calls: map[string]walk.CallForm{
			"call_expression": {Callee: "function", Args: "arguments", Optional: "optional_chain"},
			"new_expression":  {Callee: "constructor", Args: "arguments"},
		},
		Casts: map[string]func(*walk.Builder, syntax.Node) syntax.Node{
			"as_expression": walk.Within("#0"), "satisfies_expression": walk.Within("#0"), "non_null_expression": walk.Within("#0"), "type_assertion": walk.Within("#-1"), "instantiation_expression": walk.Within("#0"),
		},
		Skip: walk.Kinds("property_identifier", "private_property_identifier", "statement_identifier", "optional_chain", "string", "string_fragment", "escape_sequence", "number",
			"regex", "true", "false", "null", "undefined", "super", "import", "meta_property", "jsx_text", "jsx_closing_element", "jsx_namespace_name", "html_character_reference",
			"type_annotation", "type_arguments", "type_parameters", "implements_clause", "accessibility_modifier", "override_modifier",
			"interface_declaration", "type_alias_declaration", "ambient_declaration", "function_signature", "method_signature", "abstract_method_signature", "index_signature"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_expression": "argument"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"), Lazy: walk.Kinds("??"),
		},
		Ternary: map[string][3]string{"ternary_expression": {"condition", "consequence", "alternative"}},
		Raises:  true,
		Value:   isValue,
		Self:    walk.Kinds("this"),
		Fixed:   map[string]bool{"true": true, "1": true, "false": false, "0": false},
		Scalars: walk.Kinds("number", "string", "template_string", "true", "false", "null", "undefined", "binary_expression", "unary_expression", "update_expression"),
		Holds:   walk.Kinds("array", "object", "pair", "spread_element", "ternary_expression", "binary_expression", "assignment_expression", "await_expression", "new_expression", "arguments"),
		Copies:  walk.Kinds("slice", "concat", "toSorted", "toReversed", "Array.from", "Object.values", "Object.entries"),
		Indexed: true,
		Pure: walk.Kinds("String", "Number", "Boolean", "BigInt", "parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "decodeURIComponent", "console.log", "console.warn",
			"console.error", "console.info", "console.debug", "JSON.stringify", "JSON.parse", "Array.isArray", "Object.keys", "Object.values", "Object.entries", "Math.max", "Math.min",
			"Math.floor", "Math.ceil", "Math.round", "Math.abs", "Number.isInteger", "Number.isNaN", "Number.parseInt", "Number.parseFloat", "String.fromCharCode", "require",
			"Math.sqrt", "Math.pow", "Math.trunc", "Math.sign", "Math.log", "Math.log2", "Math.log10", "Math.exp", "Math.hypot", "Math.random", "String.fromCodePoint", "encodeURI", "decodeURI"),
		Computes: computes,
		Readers:  texts("slice", "concat", "split", "keys", "values", "entries", "has", "get", "getTime", "valueOf", "at"),
		Fillers:  walk.Kinds("push", "unshift", "pop", "shift", "add", "set", "delete", "reverse"),
		Scalar:   scalar,
		Loops:    walk.Kinds("for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement"),
		Ahead:    ahead,
		Hoists:   hoists,
		Clauses:  map[string][]string{"try_statement": {"catch_clause", "finally_clause"}},
		Awaits:   walk.Kinds("await_expression"),
	}
}

// texts are the names of methods that give a text, a number or a truth and change nothing, and
// more.
func texts(more ...string) map[string]bool {
	return walk.Kinds(append(more, "charAt", "charCodeAt", "codePointAt", "indexOf", "lastIndexOf", "includes", "startsWith", "endsWith", "substring", "substr", "toLowerCase",
		"toUpperCase", "trim", "trimStart", "trimEnd", "padStart", "padEnd", "repeat", "join", "toString", "toFixed", "hasOwnProperty", "localeCompare")...)
}

var (
	methods = texts()
	plain   = walk.Kinds("String", "Number", "Boolean", "BigInt", "parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "decodeURIComponent", "JSON.stringify", "Array.isArray")
)

// scalar tells the values without parts that calls give, and the length of something.
func scalar(b *walk.Builder, n syntax.Node) (bool, []walk.Var) {
	if b.Kind(n) == "member_expression" {
		return b.Is(b.Child(n, "property"), "length"), nil
	}
	if b.Kind(n) != "call_expression" {
		return false, nil
	}
	callee := b.Child(n, "function")
	if b.Kind(callee) == "member_expression" && methods[b.Text(b.Child(callee, "property"))] {
		return true, nil
	}
	name := b.Text(callee)
	return plain[name] || strings.HasPrefix(name, "Math.") || b.Computes(callee), nil
}

// params writes the parameters of a function: a list, or a name alone.
func params(b *walk.Builder, n syntax.Node) {
	if p := b.Child(n, "parameter"); p != 0 {
		b.Param(p)
		return
	}
	for p := range b.NamedChildren(b.Child(n, "parameters")) {
		if b.Kind(b.Child(p, "pattern")) != "this" { // which has only a type
			b.Param(p)
		}
	}
}

// block writes the statements of a block: functions are made when it is entered.
func block(b *walk.Builder, n syntax.Node) {
	b.Block(n, func() {
		for c := range b.NamedChildren(n) {
			if f := function(b, c); f != 0 {
				b.Stmt(f)
			}
		}
		for c := range b.NamedChildren(n) {
			if function(b, c) == 0 {
				b.Stmt(c)
			}
		}
	})
}

// function returns the function that a statement declares, 0 where it does not.
func function(b *walk.Builder, n syntax.Node) syntax.Node {
	if b.Kind(n) == "export_statement" {
		n = b.Child(n, "declaration")
	}
	switch b.Kind(n) {
	case "function_declaration", "generator_function_declaration":
		return n
	}
	return 0
}

// forStatement is a loop of three parts; those that are missing are empty statements.
func forStatement(b *walk.Builder, n syntax.Node) {
	cond := b.Child(n, "condition")
	switch b.Kind(cond) {
	case "empty_statement":
		cond = 0
	case "expression_statement":
		cond = b.NamedChild(cond, 0)
	}
	walk.LoopForm{Init: "initializer", Update: "increment", Body: "body"}.WhileOf(b, n, cond)
}

func bindElement(b *walk.Builder, n, left syntax.Node) {
	switch kind := b.Child(n, "kind"); {
	case kind == 0:
		b.Assign(left)
	case b.Is(kind, "var"):
		b.DeclareVar(left)
	default:
		b.Declare(left)
	}
}

// with makes the members of an object names: which names are members is not known.
func with(b *walk.Builder, n syntax.Node) {
	b.Head(n)
	b.Step(walk.Plain, b.Child(n, "object"), func() { b.Expr(b.Child(n, "object")) })
	b.Gap(n, "names in a with may be members of its object")
	b.Stmt(b.Child(n, "body"))
}

// expression is a step of all that stands in it.
func expression(b *walk.Builder, n syntax.Node) {
	switch x := b.NamedChild(n, 0); b.Kind(x) {
	case "string": // a directive runs nothing
	case "internal_module", "module":
		b.Stmt(x)
	default:
		b.Step(walk.Plain, n, func() { b.Children(n) })
	}
}

// values writes the variables of a declaration.
func values(b *walk.Builder, n syntax.Node) {
	kind := b.Child(n, "kind")
	first := true
	for d := range b.NamedChildren(n) {
		if b.Kind(d) != "variable_declarator" {
			continue
		}
		if first {
			b.Head(n)
			first = false
		}
		b.Step(walk.Plain, d, func() {
			name, value := b.Child(d, "name"), b.Child(d, "value")
			give := func(target func(syntax.Node)) {
				b.Give(name, value, func(n syntax.Node) { b.Typed(d, func() { target(n) }) })
			}
			switch {
			case value != 0 && kind == 0:
				give(b.DeclareVar)
			case value != 0:
				give(b.Declare)
			case kind != 0 && b.Kind(name) == "identifier":
				b.Declare(name)
			}
		})
	}
}

// isValue reports whether a declaration is said to be of a primitive type.
func isValue(b *walk.Builder, n syntax.Node) bool {
	switch t := b.NamedChild(b.Child(n, "type"), 0); b.Kind(t) {
	case "predefined_type":
		return b.Is(t, "string") || b.Is(t, "number") || b.Is(t, "boolean") || b.Is(t, "bigint")
	default:
		return false
	}
}

func augmented(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	switch b.Text(b.Child(n, "operator")) {
	case "||=", "&&=", "??=":
		b.Expr(left)
		b.Decide(func() { b.Give(left, right, b.Assign) })
	default:
		b.Update(left, right)
	}
}

func unary(b *walk.Builder, n syntax.Node) {
	argument := b.Child(n, "argument")
	if b.Is(b.Child(n, "operator"), "delete") {
		b.Assign(argument)
		return
	}
	b.Expr(argument)
}

func yields(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.Yield()
}

// pair writes a member of a pattern; its key may be computed.
func pair(b *walk.Builder, n syntax.Node) {
	if key := b.Child(n, "key"); b.Kind(key) == "computed_property_name" {
		b.Children(key)
	}
	b.Target(b.Child(n, "value"))
}

// element writes the name and the attributes of an element; a name in lower case is a tag.
func element(b *walk.Builder, n syntax.Node) {
	name := b.Child(n, "name")
	for c := range b.NamedChildren(n) {
		if c == name && b.Kind(c) == "identifier" && b.Text(c)[0] >= 'a' && b.Text(c)[0] <= 'z' {
			continue
		}
		b.Expr(c)
	}
}

// field writes the value of a member of a class.
func field(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		for c := range b.NamedChildren(n) {
			if kind := b.Kind(c); kind == "computed_property_name" || kind == "decorator" || b.Field(c) == "value" {
				b.Expr(c)
			}
		}
	})
}
