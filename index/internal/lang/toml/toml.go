// Package toml knows TOML.
package toml

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/toml"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of TOML.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "toml",
		Grammar: toml.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Name:     syntax.SplitLast("."),
		},
	}
}
