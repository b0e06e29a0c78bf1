package mention

import "github.com/quarry-search/quarry/index/internal/syntax"

// HandedOn reports what becomes of the object literal, with the literals around it, in which a
// place of JavaScript's languages is: exported is a module's default export; variable is the
// name that it is assigned to where it is declared, and callee is where what is called with it
// ends, -1 for neither.
func HandedOn(t *syntax.Tree, offset int) (exported bool, variable string, callee int) {
	way := PlacesIn(t).wayTo(offset)
	inside := false
	for i := len(way) - 1; i > 0; i-- {
		switch p := &way[i]; p.kind {
		case "object":
			inside = true
		case "pair", "method_definition", "array", "parenthesized_expression", "property_identifier", "identifier", "as_expression", "satisfies_expression",
			"arrow_function", "function_expression", "string", "string_fragment", "spread_element":
		case "arguments":
			if !inside {
				return false, "", -1
			}
			for _, field := range []string{"function", "constructor"} {
				if f := t.Child(way[i-1].node, field); f != 0 {
					return false, "", t.End(f)
				}
			}
			return false, "", -1
		case "variable_declarator":
			if name := t.Child(p.node, "name"); inside && name != 0 {
				return false, string(t.Bytes(name)), -1
			}
			return false, "", -1
		case "export_statement":
			return inside, "", -1
		default:
			return false, "", -1
		}
	}
	return false, "", -1
}

// Passed reports whether a variable is an argument of a call, or in a literal, in a text.
func Passed(src []byte, name string) (found bool) {
	Of([]string{name}).Each(src, func(m Mention) bool {
		before, after := around(src, m.Offset, m.Offset+len(name))
		found = (before == '(' || before == ',' || before == '[' || before == ':') && (after == ')' || after == ',' || after == ']' || after == '}')
		return !found
	})
	return found
}

// around returns what stands before and after a place, without blanks; 0 for nothing.
func around(src []byte, at, end int) (before, after byte) {
	for at > 0 && (src[at-1] == ' ' || src[at-1] == '\n' || src[at-1] == '\t') {
		at--
	}
	for end < len(src) && (src[end] == ' ' || src[end] == '\n' || src[end] == '\t') {
		end++
	}
	if at > 0 {
		before = src[at-1]
	}
	if end < len(src) {
		after = src[end]
	}
	return before, after
}
