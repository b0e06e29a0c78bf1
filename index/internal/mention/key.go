package mention

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Shorthand reports whether a place is a key of a literal, and the variable that has its value, in
// one name.
func (p *Places) Shorthand(offset int) bool {
	way := p.wayTo(offset)
	return len(way) > 0 && way[len(way)-1].kind == "shorthand_property_identifier"
}

// Attribute reports whether a place names an element or an attribute of JSX: a field of the type that
// the element takes, or of the type of all elements.
func (p *Places) Attribute(offset int) bool {
	way := p.wayTo(offset)
	if len(way) < 2 {
		return false
	}
	switch c, in := way[len(way)-1], way[len(way)-2]; in.kind {
	case "jsx_attribute":
		return c.first
	case "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element":
		return c.field == "name"
	}
	return false
}

// InTokens reports whether a place is among the tokens that a macro of Rust is given, where the
// syntax does not tell what they are.
func (p *Places) InTokens(offset int) bool {
	way := p.wayTo(offset)
	return slices.ContainsFunc(way, func(s step) bool { return s.kind == "token_tree" })
}

// KeyOf returns the name of the type whose literal or pattern has a place as a key, and what
// it is qualified with; "" where that is not said there.
func (p *Places) KeyOf(offset int) (name, qualifier string) {
	t, way := p.tree, p.wayTo(offset)
	for i := len(way) - 1; i > 0 && len(way)-i < maxAround; i-- {
		switch n := way[i]; n.kind {
		case "composite_literal", "struct_expression", "struct_pattern":
			typ := t.Child(n.node, "type")
			if typ == 0 {
				typ = t.Child(n.node, "name")
			}
			text, named := elementType(t.Bytes(typ))
			if !named {
				return "", ""
			}
			return lastWords(text)
		case "keyed_element":
			if i+2 < len(way) && way[i+1].first && way[i+2].kind == "literal_value" {
				return "", "" // a literal that is the key of a map
			}
		}
	}
	return "", ""
}

// maxAround bounds how far out the literal is looked for that a key is in.
const maxAround = 24

// elementType returns what the lists and maps of a type of Go are made of in the end. named is
// false where that is a type without a name.
func elementType(text []byte) (element []byte, named bool) {
	for {
		text = bytes.TrimLeft(text, "* ")
		rest := bytes.TrimPrefix(text, []byte("map"))
		if len(rest) == 0 || rest[0] != '[' {
			return text, !bytes.HasPrefix(text, []byte("struct"))
		}
		depth, end := 0, -1
		for i, c := range rest {
			switch c {
			case '[':
				depth++
			case ']':
				if depth--; depth == 0 {
					end = i
				}
			}
			if end >= 0 {
				break
			}
		}
		if end < 0 {
			return nil, false
		}
		text = rest[end+1:]
	}
}

// lastWords are the name that a type ends in, before its arguments, and the one before it.
func lastWords(text []byte) (last, before string) {
	if i := bytes.IndexAny(text, "[<"); i > 0 {
		text = text[:i]
	}
	words := bytes.FieldsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && !inWord(byte(r)) })
	if n := len(words); n > 1 {
		return string(words[n-1]), string(words[n-2])
	} else if n == 1 {
		return string(words[0]), ""
	}
	return "", ""
}

// indexed reports whether the literal of Go around the last of some nodes is said to be of a
// map or a list: then its keys are values.
func indexed(t *syntax.Tree, way []step) bool {
	within := -1 // how many literals without a type are between
	for i := len(way) - 1; i >= 0; i-- {
		switch way[i].kind {
		case "literal_value":
			within++
		case "composite_literal":
			typ := t.Child(way[i].node, "type")
			for ; within > 0; within-- {
				if typ = elementOf(t, typ); typ == 0 {
					return false
				}
			}
			return isList(t.Kind(typ))
		}
	}
	return false
}

func isList(kind string) bool { return hasAny(kind, "map_type", "array_type", "slice_type") }

// elementOf returns the type of what a list or a map of Go is made of, without a pointer; 0 where it
// is neither.
func elementOf(t *syntax.Tree, typ syntax.Node) syntax.Node {
	for _, field := range []string{"element", "value"} {
		if c := t.Child(typ, field); c != 0 && isList(t.Kind(typ)) {
			if t.Kind(c) == "pointer_type" {
				c = t.First(c)
			}
			return c
		}
	}
	return 0
}
