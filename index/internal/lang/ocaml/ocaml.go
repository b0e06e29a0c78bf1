// Package ocaml knows OCaml.
package ocaml

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/ocaml"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of OCaml.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "ocaml",
		Grammar: ocaml.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Builtins: syntax.Words("int", "string", "bool", "float", "char", "unit", "list", "option", "array", "bytes", "ref"),
		},
	}
}
