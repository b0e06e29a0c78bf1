// Package groovy knows Groovy.
package groovy

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/groovy"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Groovy.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "groovy",
		Grammar: groovy.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Unless("private", "protected"),
			Keywords: map[string]syntax.Kind{"enum": syntax.Enum, "task": syntax.Rule},
			NoCalls:  syntax.Words("println", "print"),
			Builtins: syntax.Words("String", "Object", "List", "Map", "Integer", "Boolean"),
		},
	}
}
