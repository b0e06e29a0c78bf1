package program

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
)

// LiteralWords are the words for the same built-in types: of a literal, and of a
// declaration.
var LiteralWords = map[string]string{
	"String": "string", "str": "string", "&str": "string", "Str": "string", "std.string": "string", "char*": "string", "const char": "string", "string_view": "string",
	"Int": "int", "Integer": "int", "integer": "int", "long": "int", "Long": "int", "short": "int", "byte": "int", "unsigned": "int", "size_t": "int",
	"Double": "float", "double": "float", "Float": "float", "decimal": "float",
	"Boolean": "bool", "boolean": "bool", "Bool": "bool",
	"Char": "char", "Character": "char",
}

// SameWord says how well one built-in type suits another: as suits of package eval does.
func SameWord(a, b string) int {
	if a == b {
		return 3
	}
	x, y := a, b
	if w, ok := LiteralWords[a]; ok {
		x = w
	}
	if w, ok := LiteralWords[b]; ok {
		y = w
	}
	switch {
	case x == y:
		return 2
	case x == "Object" || x == "object" || x == "Any" || x == "any" || x == "mixed":
		return 0
	case IsWord(x) && IsWord(y):
		if x == "float" && y == "int" {
			return 1
		}
		return -1
	}
	return 0
}

// IsWord reports whether a word is one for a built-in type.
func IsWord(s string) bool {
	switch s {
	case "string", "int", "float", "bool", "char":
		return true
	}
	return false
}

// LiteralWord is the word that stands for all that mean the same built-in type.
func LiteralWord(s string) string {
	if w, ok := LiteralWords[s]; ok {
		return w
	}
	return s
}

// IsFunctionType reports whether a value is of a function type of the language.
func (g *Family) IsFunctionType(i pointsto.Info) bool {
	return i.Kind == pointsto.Generic && (g.Names.Text[i.ID] == "func" || g.Names.Text[i.ID] == ExtensionForm)
}

// LastName is the last part of a name with dots.
func LastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// NameOf is the name of something outside the index, as it is written; "" for what is in it,
// whose ID is no name.
func (g *Family) NameOf(i pointsto.Info) string {
	if i.Kind != pointsto.External && i.Kind != pointsto.Generic {
		return ""
	}
	return g.Names.Text[i.ID]
}

// FunctionalOf returns the parameters of the functional interface that an external
// type is.
func (g *Family) FunctionalOf(v pointsto.Info) ([]int, bool) {
	params, ok := Functional[LastName(g.NameOf(v))]
	return params, ok
}

// ExtensionForm is the built-in form of function types with a receiver.
const ExtensionForm = "extfunc"

// ConstructorRef is the name of the value of C::new: a generic form whose argument
// is the class.
const ConstructorRef = "<constructor>"

// Targets reports whether a named type is made of a built-in form.
func Targets(g *Family, c *Class, form uint32) bool {
	for _, v := range g.Values.Elems(c.Target) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Generic && i.ID == form {
			return true
		}
	}
	return false
}

// Bare are the functions and containers among values: what a named type made of
// one stands for.
func Bare(g *Family, s pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range g.Values.Elems(s) {
		switch g.Values.Info[v].Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Generic:
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}
