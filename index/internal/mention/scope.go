package mention

import (
	"bytes"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Scoped reports whether a place of JavaScript's languages declares a function or, if class, a class
// that is known in a function or a module alone: its name is neither exported nor may a text that
// is evaluated have it. Of a class, nothing may be done but to make instances and to name members.
func Scoped(t *syntax.Tree, path string, src []byte, offset int, name string, class bool) bool {
	if bytes.Contains(src, []byte("eval(")) {
		return false
	}
	p := PlacesIn(t)
	nested, ok := scopeOf(t, p.wayTo(offset), class)
	if !ok || !nested && !isModule(t, path) {
		return false
	}
	Of([]string{name}).Each(src, func(m Mention) bool {
		way := p.wayTo(m.Offset)
		if len(way) > 1 {
			up := way[len(way)-2].kind
			ok = nested || up != "export_specifier" && up != "export_statement" && up != "export_assignment"
		}
		if ok && class {
			v := p.ValueAt(m.Offset)
			ok = v.Fate == Kept || v.Fate == Invoked
		}
		return ok
	})
	return ok
}

// scopeOf reports whether a way ends at the name of a declaration that is not exported, and whether that is
// in a function.
func scopeOf(t *syntax.Tree, way []step, class bool) (nested, ok bool) {
	i := len(way) - 2
	if i < 1 || way[i+1].field != "name" {
		return false, false
	}
	switch way[i].kind {
	case "function_declaration", "generator_function_declaration":
		ok = !class
	case "class_declaration", "abstract_class_declaration":
		ok = class
	case "variable_declarator":
		switch t.Kind(t.Child(way[i].node, "value")) {
		case "arrow_function", "function_expression", "generator_function":
			ok = !class
		case "class":
			ok = class
		}
		i--
	}
	for j := i - 1; j > 0; j-- {
		switch kind := way[j].kind; {
		case kind == "export_statement", kind == "internal_module", kind == "module":
			return nested, false
		case strings.Contains(kind, "function") || kind == "method_definition":
			return true, ok
		}
	}
	return false, ok
}

// isModule reports whether what a file declares is known in it alone.
func isModule(t *syntax.Tree, path string) bool {
	for _, end := range []string{".mjs", ".cjs", ".mts", ".cts"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	loads := false
	for n := range t.NamedChildren(t.Root()) {
		switch t.Kind(n) {
		case "import_statement", "export_statement":
			return true
		case "lexical_declaration", "variable_declaration":
			for c := range t.NamedChildren(n) {
				value := t.Child(c, "value")
				for t.Kind(value) == "member_expression" {
					value = t.Child(value, "object")
				}
				loads = loads || t.Kind(value) == "call_expression" && t.Text(t.Child(value, "function")) == "require"
			}
		}
	}
	if !loads {
		return false
	}
	text := t.Bytes(t.Root())
	for _, word := range []string{"typeof module", "typeof exports", "typeof require", "typeof define"} {
		if bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	return true
}

// unread reports whether nothing in a function reads a parameter of it that has a default: its name stands
// there in declarations of such parameters alone.
func (p *Places) unread(src []byte, parameter, function syntax.Node) bool {
	t := p.tree
	name := t.Child(parameter, "pattern")
	if t.Kind(parameter) == "assignment_pattern" {
		name = t.Child(parameter, "left")
	}
	if t.Start(name) != t.Start(parameter) { // it is a field as well: private key = "name"
		return false
	}
	if t.Kind(t.Child(function, "parameters")) != "formal_parameters" || t.Kind(name) != "identifier" || bytes.Contains(src, []byte("eval(")) {
		return false
	}
	word, src := t.Text(name), src[:t.End(function)]
	for at := t.Start(function); ; at += len(word) {
		if at = wordAt(src, at, word); at < 0 {
			return true
		}
		if at > 0 && src[at-1] == '\\' || at+len(word) < len(src) && src[at+len(word)] == '\\' {
			continue // a part of another one, or of an escape
		}
		way := p.wayTo(at)
		i := len(way) - 1
		if i < 2 || way[i].field != "pattern" && way[i].field != "left" || way[i-1].kind != t.Kind(parameter) || way[i-2].kind != "formal_parameters" {
			return false
		}
	}
}

// compares are what tests compare values by.
var compares = map[string]bool{
	"toBe": true, "toEqual": true, "toStrictEqual": true, "toContain": true, "toContainEqual": true, "toMatch": true, "toThrow": true, "toThrowError": true,
	"strictEqual": true, "notStrictEqual": true, "deepEqual": true, "notDeepEqual": true, "deepStrictEqual": true, "notEqual": true,
}

// Inert reports whether nothing of JavaScript's languages can be called by the string at a place: it is a
// type, the key of a literal, the name of a module, the default of a parameter that nothing reads, or
// compared with what no member is named by.
func Inert(t *syntax.Tree, src []byte, offset int) bool {
	p := PlacesIn(t)
	way := p.wayTo(offset)
	i := len(way) - 1
	for i > 0 && way[i].kind != "string" {
		i--
	}
	if i < 2 {
		return false
	}
	if offset > t.Start(way[i].node)+1 && src[offset-1] == '`' && src[offset-2] != '[' {
		return true // words for people
	}
	up := &way[i-1]
	var other syntax.Node
	switch up.kind {
	case "literal_type", "import_statement", "export_statement":
		return true
	case "pair":
		return way[i].field == "key"
	case "required_parameter", "assignment_pattern":
		return i > 2 && p.unread(src, up.node, way[i-3].node)
	case "switch_case":
		if i > 3 && way[i].field == "value" {
			other = t.Child(way[i-3].node, "value")
		}
	case "arguments":
		callee := t.Text(t.Child(way[i-2].node, "function"))
		return callee == "require" || callee == "import" || compares[callee[strings.LastIndexByte(callee, '.')+1:]]
	case "binary_expression":
		switch t.Text(t.Child(up.node, "operator")) {
		case "===", "!==", "==", "!=":
			if other = t.Child(up.node, "left"); other == way[i].node {
				other = t.Child(up.node, "right")
			}
		}
	}
	for t.Kind(other) == "parenthesized_expression" {
		in := syntax.Node(0)
		for c := range t.NamedChildren(other) {
			in = c
		}
		other = in
	}
	switch t.Kind(other) {
	case "unary_expression": // typeof
		return true
	case "identifier", "member_expression":
		name := t.Text(other)
		return !bytes.Contains(src, []byte(name[strings.LastIndexByte(name, '.')+1:]+"]"))
	}
	return false
}
