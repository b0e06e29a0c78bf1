// Package elm knows Elm.
package elm

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/elm"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Elm.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "elm",
		Grammar: elm.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				return d.Kind == syntax.Module || d.Wrapped || d.Parent != "" && d.ParentExported
			},
			Name:     syntax.SplitLast("."),
			Builtins: syntax.Words("Int", "Float", "String", "Bool", "List", "Maybe", "Char"),
		},
	}
}
