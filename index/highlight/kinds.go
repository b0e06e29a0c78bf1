package highlight

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// kinds are the classes of the names of definitions.
var kinds = map[syntax.Kind]Class{
	syntax.Function: Function, syntax.Method: Function, syntax.Constructor: Function, syntax.Macro: Function,
	syntax.Class: Type, syntax.Struct: Type, syntax.Interface: Type, syntax.Trait: Type, syntax.Enum: Type, syntax.Type: Type,
	syntax.Constant: Constant, syntax.Field: Property, syntax.Key: Property, syntax.Heading: Keyword,
}

// exact are the classes of the kinds of nodes that no pattern in named finds, over all grammars.
var exact = map[string]Class{
	"type_identifier": Type, "primitive_type": Type, "predefined_type": Type, "builtin_type": Type, "void_type": Type,
	"integral_type": Type, "floating_point_type": Type, "boolean_type": Type, "sized_type_specifier": Type, "type_name": Type, "type": Plain,
	"property_identifier": Property, "field_identifier": Property, "property_name": Property, "attribute_name": Property,
	"bare_key": Property, "quoted_key": Property, "shorthand_property_identifier": Property, "attribute": Plain,
	"tag_name": Keyword, "at_keyword": Keyword, "class_name": Property, "id_name": Property, "feature_name": Property,
	"integer_value": Number, "float_value": Number, "color_value": Number, "plain_value": Constant,
	"integer_scalar": Number, "float_scalar": Number, "boolean_scalar": Constant, "null_scalar": Constant,
	"iota": Constant, "atom": Constant, "simple_symbol": Constant, "hash_key_symbol": Property, "keyword": Property,
	"char": String, "sigil": String, "charlist": String, "regex": String, "pattern": Plain, "line_str_text": String,
	"offset_date_time": Number, "local_date": Number, "local_time": Number, "local_date_time": Number,
	"alias": Type, "image_alias": Property, "char_constant_expr": String, "block_scalar": String, "double_quote_scalar": String, "single_quote_scalar": String, "string_scalar": String,
	"pair": Plain, "self": Keyword, "this": Keyword, "super": Keyword,
}

// first are the classes of the first children of nodes of a kind, by language, where they are named as
// everything else is.
var first = map[string]map[string]Class{
	"hcl": {"block": Keyword, "attribute": Property, "function_call": Function},
}

// keywords are those of languages whose grammar takes them for names.
var keywords = map[string][]string{
	"elixir": strings.Fields("def defp defmodule defmacro defmacrop defstruct defprotocol defimpl defdelegate defguard defguardp defexception case cond if unless for with receive try raise quote unquote import alias require use"),
	"ruby":   strings.Fields("require require_relative attr_reader attr_writer attr_accessor include extend raise private protected public"),
}

// constants are words that are values.
var constants = []string{"true", "false", "True", "False", "nil", "null", "NULL", "None", "undefined", "nullptr", "iota"}

// named returns the class of the nodes of a kind, and whether all that is in one is of it.
func named(kind string) (c Class, whole bool) {
	if c, ok := exact[kind]; ok {
		return c, c == String || c == Number || c == Constant
	}
	has := func(part string) bool { return strings.Contains(kind, part) }
	switch {
	case has("comment") || kind == "hash_bang_line" || kind == "shebang":
		return Comment, true
	case has("string_type") || has("string_array") || has("_statement"):
		return Plain, false
	case has("string") || has("heredoc") || has("char_lit") || has("character_lit") || has("rune_lit") || has("regex") || has("quoted") || has("template_literal"):
		return String, true
	case isNumber(kind):
		return Number, true
	case slices.Contains(constants, kind) || kind == "bool_lit" || kind == "null_lit" || kind == "none" || has("boolean_literal") || has("null_literal") || kind == "boolean":
		return Constant, true
	}
	return Plain, false
}

// isNumber reports whether a kind is one of numbers: what names of types and operators have in common
// with those does not count.
func isNumber(kind string) bool {
	switch kind {
	case "number", "integer", "float":
		return true
	}
	if !strings.Contains(kind, "lit") && !strings.HasSuffix(kind, "_constant") {
		return false
	}
	for _, part := range []string{"int", "float", "number", "numeric", "real", "decimal", "hex", "octal", "binary", "imaginary"} {
		for word := range strings.SplitSeq(kind, "_") {
			if word == part || word == part+"eger" || word == part+"ing" {
				return true
			}
		}
	}
	return false
}

// interpolates reports whether a node in a string is code again.
func interpolates(kind string) bool {
	for _, part := range []string{"interpolat", "substitution", "expansion", "variable_name", "embedded"} {
		if strings.Contains(kind, part) {
			return kind != "interpolated_string_text"
		}
	}
	return false
}

// anonymous returns the class of a keyword, an operator or punctuation.
func anonymous(text []byte) Class {
	switch c := text[0]; {
	case slices.Contains(constants, string(text)):
		return Constant
	case isLetter(c) || len(text) > 1 && (c == '@' || c == '#') && isLetter(text[1]):
		return Keyword
	case strings.IndexByte("()[]{},;:.", c) >= 0 && len(text) == 1:
		return Punctuation
	case len(text) > 1 && (c == '"' || c == '\''): // a string that the grammar has as a word
		return String
	}
	return Operator
}

// word returns the class of a named node without others in it, which is of a class by its kind.
func word(kind string, c Class, text []byte) Class {
	switch {
	case c != Plain:
		return c
	case slices.Contains(constants, string(text)):
		return Constant
	case !words(text):
		return Plain
	case says(kind, string(text)), strings.HasPrefix(kind, "keyword_"), strings.HasSuffix(kind, "_keyword"),
		strings.HasSuffix(kind, "modifier"), strings.HasSuffix(kind, "_specifier"), strings.HasSuffix(kind, "_qualifier"):
		return Keyword
	case strings.Contains(kind, "identifier") && capitals(text):
		return Constant
	}
	return Plain
}

// says reports whether a kind is named after a word: this, and the if of if_start.
func says(kind, word string) bool {
	return kind == word || strings.Contains("_"+kind+"_", "_"+word+"_") && !strings.Contains(kind, "identifier") && !strings.HasSuffix(kind, "name")
}

// words reports whether a text is of letters and what may stand between them.
func words(text []byte) bool {
	for _, c := range text {
		if !isName(c) && c != ' ' {
			return false
		}
	}
	return true
}

// capitals reports whether a name is written as constants are: MAX_SIZE.
func capitals(text []byte) bool {
	letters := 0
	for _, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters > 1
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' || strings.IndexByte("+-.&#?", c) >= 0 }
