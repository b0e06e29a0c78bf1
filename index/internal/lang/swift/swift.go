// Package swift knows Swift.
package swift

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/swift"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Swift.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "swift",
		Grammar: swift.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			// What says nothing is internal: visible in its module.
			Exported: func(d syntax.Decl) bool {
				d.Head = bytes.ReplaceAll(d.Head, []byte("private(set)"), nil) // readable
				return syntax.Unless("private", "fileprivate")(d)
			},
			Name: func(text string) (string, string) {
				text, _, _ = strings.Cut(text, "<")
				return "", strings.TrimSpace(text)
			},
			Builtins: syntax.Words("Int", "Double", "Float", "Bool", "String", "Void", "Any", "AnyObject", "Self", "Character",
				"testable", "discardableResult", "MainActor", "escaping", "available", "objc", "inlinable", "frozen", "autoclosure"),
		},
	}
}
