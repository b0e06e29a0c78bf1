// Package csharp knows C#.
package csharp

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/csharp"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of C#.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "csharp",
		Grammar: csharp.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Kind: func(d syntax.Decl) syntax.Kind {
				switch {
				case d.Name == "extension" && d.Kind == syntax.Constructor:
					return syntax.Class // a block of extension members, which the grammar does not know
				case d.Kind == syntax.Function && d.ParentKind.IsType():
					return syntax.Method
				}
				return d.Kind
			},
			Exported: func(d syntax.Decl) bool {
				switch {
				case d.Kind == syntax.Namespace:
					return true
				case d.Name == "extension":
					return d.ParentExported
				case syntax.HasWord(d.Head, "public") || syntax.HasWord(d.Head, "protected"):
					return d.ParentExported
				case syntax.HasWord(d.Head, "private") || syntax.HasWord(d.Head, "internal"):
					return false
				}
				// Members of interfaces and enums, and parameters of records, are
				// as visible as their type; all else is private or internal.
				return d.ParentExported && (d.ParentKind == syntax.Interface || d.ParentKind == syntax.Enum ||
					d.Kind == syntax.Field && !bytes.ContainsAny(d.Text, ";{}"))
			},
			Name:       syntax.SplitLast("."),
			Prose:      withoutTags,
			Conditions: true,
			Annotation: "[",
		},
	}
}

// withoutTags takes the XML out of a doc comment; what a reference names stays.
func withoutTags(text string) string {
	if !strings.ContainsRune(text, '<') {
		return text
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<")
		b.WriteString(before)
		if !ok {
			break
		}
		tag, after, ok := strings.Cut(rest, ">")
		if !ok || tag == "" || !(tag[0] == '/' || syntax.IsWordByte(tag[0])) {
			b.WriteByte('<')
			text = rest
			continue
		}
		for _, key := range [...]string{` cref="`, ` name="`, ` langword="`} {
			if _, v, ok := strings.Cut(tag, key); ok && tag[0] != '/' {
				v, _, _ = strings.Cut(v, `"`)
				b.WriteString(v)
				if !strings.HasSuffix(tag, "/") {
					b.WriteString(": ") // <param name="x">text
				}
			}
		}
		text = after
	}
	lines := strings.Split(b.String(), "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
