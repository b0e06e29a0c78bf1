// Package lua knows Lua.
package lua

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/lua"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Lua.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "lua",
		Grammar: lua.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Unless("local"),
			Kind: func(d syntax.Decl) syntax.Kind {
				head, _, _ := bytes.Cut(d.Text, []byte("("))
				switch {
				case d.Kind == syntax.Function && bytes.ContainsRune(head, ':'):
					return syntax.Method
				case d.Kind == syntax.Variable && d.ParentKind == syntax.Type:
					return syntax.Field
				}
				return d.Kind
			},
			Name:        luaName,
			Mask:        maskLua,
			ImportWords: syntax.Words("require", "dofile", "loadfile"),
			NoCalls:     syntax.Words("require", "setmetatable", "pairs", "ipairs", "type", "print", "error", "assert", "tostring"),
			Imports: func(text string) []syntax.Import {
				return []syntax.Import{{Path: strings.Trim(text, "\"'[]()")}}
			},
		},
	}
}

// luaName splits "M.f" and "M:f". What is assigned by a computed key has no name.
func luaName(text string) (string, string) {
	text = strings.Trim(text, `"'`)
	for _, q := range [...]string{`"`, `'`} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "["+q, "."), q+"]", "")
	}
	if strings.ContainsAny(text, "[(") {
		return "", ""
	}
	return syntax.SplitLast(".")(strings.ReplaceAll(text, ":", "."))
}

// maskLua turns doc comments into plain ones. The grammar parses their types,
// fails on many, and takes ten times as long where it does.
func maskLua(src []byte) []byte {
	m := syntax.Mask{Text: src}
	m.Each("---", func(at int) {
		if m.Begins(at) {
			m.Put(at+2, " ")
		}
	})
	return m.Bytes()
}
