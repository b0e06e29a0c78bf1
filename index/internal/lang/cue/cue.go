// Package cue knows CUE.
package cue

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/cue"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of CUE.
func Language() syntax.Language {
	label := func(text string) string { return strings.Trim(text, "\"?! \t\r\n") }
	return syntax.Language{
		Name:    "cue",
		Grammar: cue.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool { return !strings.HasPrefix(d.Name, "_") && d.ParentExported },
			Kind: func(d syntax.Decl) syntax.Kind {
				if strings.HasPrefix(strings.TrimPrefix(d.Name, "_"), "#") {
					return syntax.Type
				}
				return d.Kind
			},
			Name:     func(text string) (string, string) { return "", label(text) },
			Receiver: label,
		},
	}
}
