// Package control says what the nodes of Go's trees do: how control moves on, and what is
// read and written.
package control

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Go.
func Grammar() *walk.Grammar {
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_declaration": {Name: "name", Params: "parameters", Result: "result", Body: "body"},
			"method_declaration":   {Name: "name", Recv: "receiver", Params: "parameters", Result: "result", Body: "body"},
			"func_literal":         {Params: "parameters", Result: "result", Body: "body"},
		},
		Statements: map[string]walk.Rule{
			"block":                       walk.Block,
			"if_statement":                walk.IfForm{Init: "initializer", Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"for_statement":               forStatement,
			"expression_switch_statement": walk.SwitchForm{Init: "initializer", Value: "value", Cases: []string{"expression_case"}, Values: "value", Default: "default_case"}.Rule(),
			"type_switch_statement":       walk.SwitchForm{Init: "initializer", Value: "value", Cases: []string{"type_case"}, Values: "type", Default: "default_case", Case: typeCase}.Rule(),
			"select_statement":            walk.SwitchForm{Cases: []string{"communication_case"}, Values: "communication", Default: "default_case", Direct: true, Whole: true, Case: communication}.Rule(),
			"labeled_statement":           walk.Labeled("label"),
			"break_statement":             walk.Break,
			"continue_statement":          walk.Continue,
			"goto_statement":              walk.Goto,
			"fallthrough_statement":       walk.Fallthrough,
			"return_statement":            returns,
			"expression_statement":        expression,
			"short_var_declaration":       define,
			"assignment_statement":        assign,
			"inc_statement":               update,
			"dec_statement":               update,
			"var_declaration":             values,
			"const_declaration":           values,
			"receive_statement":           receive,
			"expression_list":             walk.Inline,
			"empty_statement":             walk.Nothing,
			"type_declaration":            walk.Nothing,
			"package_clause":              walk.Nothing,
			"import_declaration":          walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"composite_literal":             composite,
			"type_conversion_expression":    func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "operand")) },
			"type_assertion_expression":     func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "operand")) },
			"target:unary_expression":       pointed,
			"type_instantiation_expression": instantiation,
			"target:type_instantiation_expression": func(b *walk.Builder, n syntax.Node) {
				instantiation(b, n)
				for b.NamedChild(n, 0) != 0 {
					n = b.NamedChild(n, 0)
				}
				b.Mention(n, walk.Def)
			},
		},
		Names:    walk.Kinds("identifier"),
		Members:  map[string]walk.Member{"selector_expression": {Object: "operand", Part: "field"}},
		Elements: map[string]walk.Member{"index_expression": {Object: "operand", Part: "index"}},
		Calls:    map[string]walk.CallForm{"call_expression": {Callee: "function", Args: "arguments"}},
		Skip: walk.Kinds("type_identifier", "qualified_type", "pointer_type", "slice_type", "array_type", "map_type", "channel_type", "function_type",
			"struct_type", "interface_type", "generic_type", "parenthesized_type", "field_identifier", "package_identifier", "label_name", "type_arguments",
			"type_parameters", "nil", "true", "false", "iota", "int_literal", "interpreted_string_literal", "raw_string_literal"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_expression": "operand"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"),
		},
		Operand: walk.Kinds(),
		Alone:   true,
		Defers:  walk.Kinds("defer_statement"),
		Loops:   walk.Kinds("for_statement", "expression_switch_statement", "type_switch_statement", "select_statement"),
		Blank:   "_",
		Address: func(b *walk.Builder, n syntax.Node) bool {
			return b.Kind(n) == "unary_expression" && b.Is(b.Child(n, "operator"), "&") && b.Kind(b.Child(n, "operand")) != "composite_literal"
		},
		Fixed:   map[string]bool{"true": true, "false": false},
		Scalars: walk.Kinds("int_literal", "float_literal", "imaginary_literal", "rune_literal", "interpreted_string_literal", "raw_string_literal", "true", "false", "binary_expression"),
		Indexed: true,
		Scalar: func(b *walk.Builder, n syntax.Node) (bool, []walk.Var) {
			return b.Kind(n) == "call_expression" && plain[b.Text(b.Child(n, "function"))], nil
		},
		Lists:       walk.Kinds("expression_list"),
		Holds:       walk.Kinds("expression_list", "composite_literal", "literal_value", "literal_element", "keyed_element", "unary_expression", "type_assertion_expression", "slice_expression"),
		Fillers:     walk.Kinds("append", "copy", "delete", "clear"),
		PureModules: walk.Kinds("bits", "cmp", "errors", "filepath", "html", "maps", "math", "path", "strconv", "strings", "unicode", "utf8"),
		ScalarTypes: walk.Kinds("bool", "byte", "complex128", "complex64", "error", "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune", "string", "uint",
			"uint16", "uint32", "uint64", "uint8", "uintptr", "context.Context", "time.Duration", "time.Time"),
		Modules: modules,
		Pure:    walk.Kinds("len", "cap", "print", "println", "panic", "min", "max", "string", "int", "fmt.Println", "fmt.Printf", "fmt.Print", "fmt.Sprintf", "fmt.Sprint", "fmt.Errorf"),
	}
}

// modules returns the names of imported packages: the last part of the path, where none is given.
func modules(t *syntax.Tree) map[string]bool {
	names := map[string]bool{}
	var visit func(n syntax.Node)
	visit = func(n syntax.Node) {
		for c := range t.NamedChildren(n) {
			switch t.Kind(c) {
			case "import_declaration", "import_spec_list":
				visit(c)
			case "import_spec":
				if name := t.Child(c, "name"); name != 0 {
					names[t.Text(name)] = true
					continue
				}
				path := strings.Trim(t.Text(t.Child(c, "path")), "\"`")
				if v := path[strings.LastIndexByte(path, '/')+1:]; len(v) > 1 && v[0] == 'v' && v[1] >= '0' && v[1] <= '9' {
					path = strings.TrimSuffix(path, "/"+v) // a version
				}
				name := path[strings.LastIndexByte(path, '/')+1:]
				name, _, _ = strings.Cut(name, ".")
				names[name[strings.LastIndexByte(name, '-')+1:]] = true
			}
		}
	}
	visit(t.Root())
	return names
}

// plain are functions whose values have no parts.
var plain = walk.Kinds("len", "cap", "string", "int", "int32", "int64", "uint", "uint32", "uint64", "byte", "rune", "float64", "bool")

// forStatement tells the three loops apart.
func forStatement(b *walk.Builder, n syntax.Node) {
	clause := b.ChildOf(n, "for_clause", "range_clause")
	switch b.Kind(clause) {
	case "range_clause":
		each(clause)(b, n)
	case "for_clause":
		walk.LoopForm{Init: "initializer", Cond: "condition", Update: "update", Body: "body"}.WhileIn(b, n, clause)
	default:
		walk.LoopForm{Body: "body"}.WhileOf(b, n, condition(b, n))
	}
}

// condition returns that of a loop which has nothing else, or none.
func condition(b *walk.Builder, n syntax.Node) syntax.Node {
	body := b.Child(n, "body")
	for c := range b.NamedChildren(n) {
		if c != body {
			return c
		}
	}
	return 0
}

func each(clause syntax.Node) walk.Rule {
	return walk.EachForm{Body: "body", Head: func(b *walk.Builder, _ syntax.Node) {
		b.Expr(b.Child(clause, "right"))
		if left := b.Child(clause, "left"); left != 0 {
			target := b.Assign
			if b.ChildOf(clause, ":=") != 0 {
				target = b.Declare
			}
			b.Bind(left, b.Child(clause, "right"), target, false)
		}
	}}.Rule()
}

// typeCase writes a case of a switch over types: the variable of the switch is a new one in it.
func typeCase(b *walk.Builder, c syntax.Node) {
	if alias := b.Child(b.Parent(c), "alias"); alias != 0 {
		b.StepOf(walk.Plain, b.Start(c), b.Start(c), 0, func() { b.Declare(alias) })
	}
	for s := range b.NamedChildren(c) {
		if b.Field(s) != "type" {
			b.Stmt(s)
		}
	}
}

func communication(b *walk.Builder, c syntax.Node) {
	b.Stmts(c)
}

func returns(b *walk.Builder, n syntax.Node) {
	b.Jump(b.Step(walk.Return, n, func() {
		b.Children(n)
		if b.NamedChild(n, 0) != 0 {
			b.Results(n)
		}
	}), walk.ToExit, "", walk.Returned)
}

// expression is a step; a call of panic raises.
func expression(b *walk.Builder, n syntax.Node) {
	x := b.NamedChild(n, 0)
	if b.Kind(x) == "call_expression" && b.Is(b.Child(x, "function"), "panic") {
		b.Jump(b.Step(walk.Raise, n, func() { b.Expr(x) }), walk.ToRaise, "", walk.Raised)
		return
	}
	b.Step(walk.Plain, n, func() { b.Expr(x) })
}

func define(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Define)
	})
}

func assign(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		left, right := b.Child(n, "left"), b.Child(n, "right")
		if op := b.Child(n, "operator"); op != 0 && !b.Is(op, "=") {
			b.Update(left, right)
			return
		}
		b.Give(left, right, b.Assign)
	})
}

func update(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() { b.Update(b.NamedChild(n, 0), 0) })
}

// values writes variables or constants.
func values(b *walk.Builder, n syntax.Node) {
	var visit func(n syntax.Node)
	visit = func(n syntax.Node) {
		for spec := range b.NamedChildren(n) {
			switch b.Kind(spec) {
			case "var_spec", "const_spec":
				b.Step(walk.Plain, spec, func() {
					b.Expr(b.Child(spec, "value"))
					for name := range b.NamedChildren(spec) {
						if b.Field(name) == "name" {
							b.Declare(name)
						}
					}
				})
			case "var_spec_list":
				visit(spec)
			}
		}
	}
	visit(n)
}

func receive(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Expr(b.Child(n, "right"))
		if left := b.Child(n, "left"); b.ChildOf(n, ":=") != 0 {
			b.Declare(left)
		} else {
			b.Assign(left)
		}
	})
}

// instantiation writes what is a type with arguments, or an element of an element: a[b[i]].
func instantiation(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "type_identifier", "package_identifier":
			b.Mention(c, walk.Use)
		case "generic_type", "qualified_type", "type_arguments", "type_elem":
			instantiation(b, c)
		default:
			b.Expr(c)
		}
	}
}

// composite writes the elements of a literal.
func composite(b *walk.Builder, n syntax.Node) {
	elements(b, b.Child(n, "body"), b.Child(n, "type"))
}

// elements writes those of a literal of a type. A key that is a name is one of a field, unless
// the type is a map or an array.
func elements(b *walk.Builder, n, typ syntax.Node) {
	for b.Kind(typ) == "pointer_type" || b.Kind(typ) == "parenthesized_type" {
		typ = b.NamedChild(typ, 0)
	}
	fields := false
	switch b.Kind(typ) {
	case "map_type", "slice_type", "array_type", "implicit_length_array_type":
	default:
		fields = true
	}
	element := b.Child(typ, "element")
	if element == 0 {
		element = b.Child(typ, "value")
	}
	write := func(e, typ syntax.Node) {
		if b.Kind(e) == "literal_element" {
			e = b.NamedChild(e, 0)
		}
		if b.Kind(e) == "literal_value" {
			elements(b, e, typ)
		} else {
			b.Expr(e)
		}
	}
	for c := range b.NamedChildren(n) {
		if b.Kind(c) != "keyed_element" {
			write(c, element)
			continue
		}
		key, value := b.NamedChild(c, 0), b.NamedChild(c, 1)
		name := key
		if b.Kind(key) == "literal_element" {
			name = b.NamedChild(key, 0)
		}
		if !fields || b.Kind(name) != "identifier" {
			write(key, b.Child(typ, "key"))
		}
		write(value, element)
	}
}

// pointed writes *p = x: what p points at is changed.
func pointed(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "operand"))
	b.Change(b.Child(n, "operand"))
}
