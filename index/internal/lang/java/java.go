// Package java knows Java.
package java

import (
	_ "embed"

	"github.com/smacker/go-tree-sitter/java"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Java.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "java",
		Grammar: java.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				return d.ParentExported && (syntax.HasWord(d.Head, "public") || syntax.HasWord(d.Head, "protected") ||
					d.Parent != "" && (d.ParentKind == syntax.Interface || d.Kind == syntax.Field && d.ParentKind == syntax.Enum) && !syntax.HasWord(d.Head, "private"))
			},
			Builtins: syntax.Words("String", "Object", "Integer", "Long", "Boolean", "Double", "Float", "Byte", "Short",
				"Character", "Void", "Override", "var"),
		},
	}
}
