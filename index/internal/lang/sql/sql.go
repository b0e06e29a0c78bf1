// Package sql knows SQL.
package sql

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/sql"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of SQL.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "sql",
		Grammar: sql.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Name:     syntax.SplitLast("."),
		},
	}
}
