// Package dockerfile knows Dockerfiles.
package dockerfile

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/dockerfile"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Dockerfiles.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "dockerfile",
		Grammar: dockerfile.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
		},
	}
}
