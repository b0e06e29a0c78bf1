// Package bash knows the shell.
package bash

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/bash"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of the shell.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "bash",
		Grammar: bash.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				return d.Kind == syntax.Function || syntax.HasWord(d.Head, "export") || bytes.Contains(d.Head, []byte(" -x"))
			},
			Kind: func(d syntax.Decl) syntax.Kind {
				if d.Kind == syntax.Variable && (syntax.HasWord(d.Head, "readonly") || bytes.Contains(d.Head, []byte(" -r"))) {
					return syntax.Constant
				}
				return d.Kind
			},
			Dotted:      true,
			ImportWords: syntax.Words("source", "."),
			RefWords:    map[string]syntax.RefKind{"trap": syntax.Call},
			NoCalls: syntax.Words(".", ":", "[", "alias", "break", "cd", "command", "continue", "declare", "dirname",
				"echo", "eval", "exec", "exit", "export", "false", "local", "printf", "pwd", "read", "readonly",
				"return", "set", "shift", "shopt", "source", "test", "trap", "true", "type", "unset", "wait"),
			Imports: func(text string) []syntax.Import {
				return []syntax.Import{{Path: strings.NewReplacer(`"`, "", "'", "").Replace(text)}}
			},
		},
	}
}
