// Package ruby knows Ruby.
package ruby

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/ruby"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Ruby.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "ruby",
		Grammar: ruby.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				if d.Kind.Runs() && (d.Section == "private" || d.Section == "protected") && !bytes.Contains(d.Head, []byte("self.")) {
					return false
				}
				return !syntax.HasWord(d.Head, "private") && !syntax.HasWord(d.Head, "private_class_method") && !syntax.HasWord(d.Head, "protected")
			},
			Kind: func(d syntax.Decl) syntax.Kind {
				switch {
				case d.Kind == syntax.Method && d.Name == "initialize":
					return syntax.Constructor
				case d.Kind == syntax.Method && (d.ParentKind == "" || d.ParentKind.Runs()):
					return syntax.Function
				}
				return d.Kind
			},
			Name: func(text string) (string, string) {
				return syntax.SplitLast("::")(strings.TrimPrefix(text, ":"))
			},
			Keywords: map[string]syntax.Kind{
				"attr_accessor": syntax.Field, "attr_reader": syntax.Field, "attr_writer": syntax.Field,
				"cattr_accessor": syntax.Field, "mattr_accessor": syntax.Field, "class_attribute": syntax.Field, "delegate": syntax.Method,
				"has_many": syntax.Field, "has_one": syntax.Field, "belongs_to": syntax.Field, "scope": syntax.Method,
			},
			ImportWords: syntax.Words("require", "require_relative", "load", "autoload"),
			RefWords:    map[string]syntax.RefKind{"include": syntax.Inherit, "extend": syntax.Inherit, "prepend": syntax.Inherit, "new": syntax.New},
			NoCalls: syntax.Words("require", "require_relative", "load", "include", "extend", "prepend", "new",
				"attr_accessor", "attr_reader", "attr_writer", "private", "protected", "public",
				"module_function", "private_class_method", "private_constant", "raise", "puts", "lambda", "proc", "loop"),
		},
	}
}
