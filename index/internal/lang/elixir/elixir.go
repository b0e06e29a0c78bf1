// Package elixir knows Elixir.
package elixir

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/elixir"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Elixir.
func Language() syntax.Language {
	own := elixirWords()
	return syntax.Language{
		Name:    "elixir",
		Grammar: elixir.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				for _, word := range [...]string{"defp", "defmacrop", "defguardp", "typep"} {
					if syntax.HasWord(d.Head, word) {
						return false
					}
				}
				return d.Kind != syntax.Constant
			},
			Kind: func(d syntax.Decl) syntax.Kind {
				if d.Kind == syntax.Rule || d.Kind == syntax.Constant && own[d.Name] {
					return ""
				}
				return d.Kind
			},
			Name: syntax.SplitLast("."),
			Keywords: map[string]syntax.Kind{
				"defmodule": syntax.Module, "defprotocol": syntax.Interface, "defimpl": syntax.Module, "defstruct": syntax.Struct, "defexception": syntax.Struct,
				"def": syntax.Function, "defp": syntax.Function, "defdelegate": syntax.Function, "defmacro": syntax.Macro, "defmacrop": syntax.Macro,
				"defguard": syntax.Macro, "defguardp": syntax.Macro, "callback": syntax.Function, "macrocallback": syntax.Function,
				"type": syntax.Type, "typep": syntax.Type, "opaque": syntax.Type,
				"spec": syntax.Rule, // dropped; but its head is no call of the function
			},
			ImportWords: syntax.Words("import", "alias", "use", "require"),
			RefWords:    map[string]syntax.RefKind{"behaviour": syntax.Inherit, "defimpl": syntax.Inherit},
			NoCalls:     own,
			Attributes: map[string]syntax.Attribute{
				"doc": syntax.CommentAttribute, "typedoc": syntax.CommentAttribute, "moduledoc": syntax.DocstringAttribute,
				"spec": syntax.DecoratorAttribute, "impl": syntax.DecoratorAttribute, "deprecated": syntax.DecoratorAttribute, "dialyzer": syntax.DecoratorAttribute,
			},
			Imports:    elixirImports,
			Annotation: "-",
		},
	}
}

// elixirWords are the definitions, directives and attributes of Elixir, which
// are written as calls.
func elixirWords() map[string]bool {
	return syntax.Words("def", "defp", "defmacro", "defmacrop", "defmodule", "defprotocol", "defimpl",
		"defstruct", "defexception", "defdelegate", "defguard", "defguardp", "defoverridable",
		"alias", "import", "require", "use", "quote", "unquote", "if", "unless", "case", "cond", "for",
		"with", "try", "receive", "raise", "moduledoc", "doc", "typedoc", "spec", "type", "typep",
		"opaque", "callback", "macrocallback", "optional_callbacks", "behaviour", "impl", "derive",
		"enforce_keys", "deprecated", "dialyzer", "compile", "external_resource", "before_compile",
		"after_compile", "on_load", "on_definition", "vsn", "file", "tag", "moduletag", "describetag", "since")
}

// elixirImports takes "A.{B, C}" apart.
func elixirImports(text string) []syntax.Import {
	base, inner, ok := strings.Cut(text, ".{")
	if !ok {
		return []syntax.Import{{Path: text}}
	}
	var list []syntax.Import
	for n := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
		if n = strings.TrimSpace(n); n != "" {
			list = append(list, syntax.Import{Path: base + "." + n})
		}
	}
	return list
}
