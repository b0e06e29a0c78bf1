// Package rust knows Rust.
package rust

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/rust"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Rust.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "rust",
		Grammar: rust.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				switch {
				case d.Kind == syntax.Macro:
					return true
				case d.Public || d.ParentKind == syntax.Trait:
					return d.ParentExported
				case d.ParentKind == syntax.Enum:
					return d.ParentExported
				}
				return syntax.HasWord(d.Head, "pub")
			},
			Mask:     maskRust,
			Name:     rustName,
			Imports:  rustUse,
			Builtins: syntax.Words("Self", "String", "Option", "Vec", "Box", "Result"),
			NoCalls:  syntax.Words("Ok", "Err", "Some"),
		},
	}
}

// rustName is the name without type arguments and references: List in
// "&'a List<T>". A path keeps its last part.
func rustName(text string) (parent, name string) {
	text = strings.TrimLeft(text, "&* ")
	if strings.HasPrefix(text, "'") {
		_, text, _ = strings.Cut(text, " ")
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "mut "), "dyn ")
	text, _, _ = strings.Cut(text, "<")
	if i := strings.LastIndex(text, "::"); i >= 0 {
		text = text[i+2:]
	}
	return "", text
}

// rustUse expands a use tree: "a::{b, c as d}" is a::b and a::c as d. The path
// is the whole path, the name its last part.
func rustUse(text string) []syntax.Import {
	var out []syntax.Import
	var expand func(prefix, tree string)
	expand = func(prefix, tree string) {
		tree = strings.TrimSpace(tree)
		open := strings.IndexByte(tree, '{')
		if open >= 0 && strings.HasSuffix(tree, "}") {
			prefix += tree[:open]
			for _, part := range splitTop(tree[open+1 : len(tree)-1]) {
				expand(prefix, part)
			}
			return
		}
		if tree == "" {
			return
		}
		path, alias, _ := strings.Cut(tree, " as ")
		path = prefix + strings.TrimSpace(path)
		path = strings.TrimSuffix(path, "::self")
		i := syntax.Import{Path: path, Alias: strings.TrimSpace(alias)}
		if n := strings.LastIndex(path, "::"); n >= 0 {
			i.Name = path[n+2:]
		}
		out = append(out, i)
	}
	expand("", strings.Join(strings.Fields(text), " "))
	return out
}

// splitTop splits at the commas that are in no braces.
func splitTop(s string) []string {
	var parts []string
	depth, begin := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[begin:i])
				begin = i + 1
			}
		}
	}
	return append(parts, s[begin:])
}
