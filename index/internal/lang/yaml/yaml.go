// Package yaml knows YAML.
package yaml

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/yaml"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of YAML.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "yaml",
		Grammar: yaml.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Name:     unquoted,
		},
	}
}

func unquoted(text string) (string, string) { return syntax.OneLine(syntax.Unquote(text)) }
