// Package hcl knows HCL.
package hcl

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/hcl"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of HCL.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "hcl",
		Grammar: hcl.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Name: func(text string) (string, string) {
				if text == "locals" {
					return "", "local" // as it is used
				}
				return "", syntax.Unquote(text)
			},
			Receiver: func(text string) string {
				if text == "variable" {
					return "var"
				}
				return syntax.Unquote(text)
			},
			Keywords:    map[string]syntax.Kind{"locals": syntax.Key},
			ImportWords: syntax.Words("source"),
		},
	}
}
