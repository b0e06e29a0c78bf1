// Package css knows CSS.
package css

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/css"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of CSS.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "css",
		Grammar: css.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported:   syntax.Always,
			Name:       syntax.OneLine,
			Annotation: "-",
			Kind: func(d syntax.Decl) syntax.Kind {
				if d.Kind == syntax.Variable && !strings.HasPrefix(d.Name, "--") {
					return "" // a property that is only set
				}
				return d.Kind
			},
		},
	}
}
