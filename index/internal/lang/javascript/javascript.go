// Package javascript knows JavaScript and TypeScript, with JSX and in the components of Svelte and Vue.
package javascript

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/pattern"
)

//go:embed common.scm
var queryCommon string

//go:embed javascript.scm
var queryJavaScript string

//go:embed typescript.scm
var queryTypeScript string

//go:embed tsx.scm
var queryTSX string

// Languages returns what is known of the family.
func Languages() []syntax.Language {
	script := rules()
	script.Mask = maskMarkup // only the scripts of a component are left
	typed := queryCommon + queryTypeScript
	return []syntax.Language{
		{Name: "javascript", Grammar: javascript.GetLanguage, Query: queryCommon + queryJavaScript, Rules: rules()},
		{Name: "typescript", Grammar: typescript.GetLanguage, Query: typed, Rules: rules()},
		{Name: "tsx", Grammar: tsx.GetLanguage, Query: queryTSX + typed, Rules: rules()},
		{Name: "svelte", Grammar: typescript.GetLanguage, Query: typed, Rules: script, Masked: true},
		{Name: "vue", Grammar: typescript.GetLanguage, Query: typed, Rules: script, Masked: true, Patterns: vuePatterns()},
	}
}

// vuePatterns find what they can in a component whose script does not parse.
func vuePatterns() *pattern.Set {
	return pattern.New("//", `^\s*import\s.*from\s+['"]([^'"]+)`,
		"function", `^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\*?\s+(\w+)`,
		"function", `^\s*(?:export\s+)?const\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>`,
		"constant", `^(?:export\s+)?const\s+(\w+)`,
		"rule", `^<(template|script|style)\b`)
}

func rules() syntax.Rules {
	return syntax.Rules{
		Exported: jsExported,
		Kind:     jsKind,
		Name:     func(text string) (string, string) { return "", strings.Trim(text, "\"'`") },
		Receiver: jsReceiver,
		// Assignments to these export.
		Keywords:    map[string]syntax.Kind{"module": "", "exports": ""},
		ImportWords: syntax.Words("require"),
		Builtins:    syntax.Words("Promise", "Array", "Record", "Partial", "Readonly", "Date", "Map", "Set", "Error", "Function"),
	}
}

// jsReceiver is the object that a function is assigned to: Foo in
// "Foo.prototype". What is assigned to the module's exports or to this belongs
// to what is around it.
func jsReceiver(text string) string {
	switch text {
	case "module", "exports", "module.exports", "this", "self", "window", "globalThis":
		return ""
	}
	text = strings.TrimPrefix(text, "this.")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "module."), "exports.")
	text = strings.TrimSuffix(text, ".prototype")
	for i := range len(text) {
		if !syntax.IsWordByte(text[i]) && text[i] != '.' && text[i] != '$' {
			return ""
		}
	}
	return text
}

func jsKind(d syntax.Decl) syntax.Kind {
	switch {
	case d.Kind == syntax.Variable && d.Name == "exports" && d.ParentKind == syntax.Variable:
		return "" // const app = module.exports = {}
	case d.Kind == syntax.Method && d.Name == "constructor" && d.ParentKind == syntax.Class:
		return syntax.Constructor
	case d.Kind == syntax.Function && d.ParentKind.IsType():
		return syntax.Method
	}
	return d.Kind
}

func jsExported(d syntax.Decl) bool {
	if d.Parent == "" {
		return d.Wrapped || bytes.Contains(d.Head, []byte("exports.")) || bytes.HasPrefix(d.Head, []byte("module."))
	}
	if strings.HasPrefix(d.Name, "#") || syntax.HasWord(d.Head, "private") {
		return false
	}
	if d.ParentKind == syntax.Namespace {
		return d.Wrapped
	}
	return d.ParentExported
}

// maskMarkup leaves only what stands in the <script> elements of a component.
func maskMarkup(src []byte) []byte {
	text := make([]byte, len(src))
	for i, c := range src {
		text[i] = ' '
		if c == '\n' {
			text[i] = c
		}
	}
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("<script"))
		if i < 0 {
			return text
		}
		at += i
		open := bytes.IndexByte(src[at:], '>')
		if open < 0 {
			return text
		}
		at += open + 1
		end := bytes.Index(src[at:], []byte("</script"))
		if end < 0 {
			return text
		}
		copy(text[at:], src[at:at+end])
		at += end
	}
}
