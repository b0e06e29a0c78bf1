// Package scala knows Scala.
package scala

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/scala"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Scala.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "scala",
		Grammar: scala.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Unless("private", "protected"),
			Kind: func(d syntax.Decl) syntax.Kind {
				switch {
				case d.Kind == syntax.Function && d.Name == "this":
					return syntax.Constructor
				case d.Kind == syntax.Function && d.ParentKind.IsType():
					return syntax.Method
				}
				return d.Kind
			},
			Imports: scalaImports,
			Builtins: syntax.Words("Int", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Char", "String",
				"Unit", "Any", "AnyRef", "AnyVal", "Nothing", "Null"),
		},
	}
}

// scalaImports reads "import a.b.{C, D => E, _}, f.G".
func scalaImports(text string) []syntax.Import {
	text = strings.TrimSpace(strings.TrimPrefix(text, "import"))
	var list []syntax.Import
	for text != "" {
		path, names := text, ""
		if i := strings.IndexAny(text, "{,"); i >= 0 && text[i] == '{' {
			inner, rest, _ := strings.Cut(text[i+1:], "}")
			path, names, text = text[:i], inner, rest
			text = strings.TrimLeft(text, ", \t\r\n")
		} else {
			path, text, _ = strings.Cut(text, ",")
			text = strings.TrimSpace(text)
		}
		path = strings.TrimSuffix(strings.TrimSpace(path), ".")
		if names == "" {
			for _, all := range [...]string{"._", ".*"} {
				if p, ok := strings.CutSuffix(path, all); ok {
					path, names = p, "*"
				}
			}
		}
		if names == "" {
			list = append(list, syntax.Import{Path: path})
			continue
		}
		for n := range strings.SplitSeq(names, ",") {
			name, alias, _ := strings.Cut(strings.ReplaceAll(n, " as ", "=>"), "=>")
			name, alias = strings.TrimSpace(name), strings.TrimSpace(alias)
			if name == "_" {
				name = "*"
			}
			if name != "" && alias != "_" {
				list = append(list, syntax.Import{Path: path, Name: name, Alias: alias})
			}
		}
	}
	return list
}
