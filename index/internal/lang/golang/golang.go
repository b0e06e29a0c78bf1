// Package golang knows Go.
package golang

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smacker/go-tree-sitter/golang"

	"github.com/quarry-search/quarry/index/internal/lang/golang/reader"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Go.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "go",
		Grammar: golang.GetLanguage,
		Query:   query,
		Reader:  reader.New,
		Rules: syntax.Rules{
			Mask: maskGo,
			Exported: func(d syntax.Decl) bool {
				r, _ := utf8.DecodeRuneInString(d.Name)
				return unicode.IsUpper(r)
			},
			Receiver: goReceiver,
			Builtins: syntax.Words("bool", "string", "error", "any", "byte", "rune", "int", "int8", "int16", "int32", "int64",
				"uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64",
				"complex64", "complex128", "comparable"),
		},
	}
}

// goReceiver is the base type of a receiver: List in "(l *List[T])".
func goReceiver(text string) string {
	text = strings.Trim(text, "() \t\r\n")
	text, _, _ = strings.Cut(text, "[")
	text = strings.TrimRight(text, " \t*")
	if i := strings.LastIndexAny(text, " \t*("); i >= 0 {
		text = text[i+1:]
	}
	return text
}
