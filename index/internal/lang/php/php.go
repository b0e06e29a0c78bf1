// Package php knows PHP.
package php

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/php"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of PHP.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "php",
		Grammar: php.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Unless("private", "protected"),
			Kind: func(d syntax.Decl) syntax.Kind {
				if d.Kind == syntax.Method && d.Name == "__construct" {
					return syntax.Constructor
				}
				return d.Kind
			},
			Name:       syntax.SplitLast(`\`),
			Annotation: "#[",
			Builtins:   syntax.Words("self", "static", "parent"),
			NoCalls:    syntax.Words("isset", "empty", "unset"),
		},
	}
}
