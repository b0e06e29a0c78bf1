package syntax

import (
	"bytes"
	"strings"
)

// elixirWords are the definitions, directives and attributes of Elixir, which
// are written as calls.
func elixirWords() map[string]bool {
	return words("def", "defp", "defmacro", "defmacrop", "defmodule", "defprotocol", "defimpl",
		"defstruct", "defexception", "defdelegate", "defguard", "defguardp", "defoverridable",
		"alias", "import", "require", "use", "quote", "unquote", "if", "unless", "case", "cond", "for",
		"with", "try", "receive", "raise", "moduledoc", "doc", "typedoc", "spec", "type", "typep",
		"opaque", "callback", "macrocallback", "optional_callbacks", "behaviour", "impl", "derive",
		"enforce_keys", "deprecated", "dialyzer", "compile", "external_resource", "before_compile",
		"after_compile", "on_load", "on_definition", "vsn", "file", "tag", "moduletag", "describetag", "since")
}

func elixirRules() rules {
	own := elixirWords()
	return rules{
		exported: func(d decl) bool {
			for _, word := range [...]string{"defp", "defmacrop", "defguardp", "typep"} {
				if hasWord(d.Head, word) {
					return false
				}
			}
			return d.Kind != Constant
		},
		kind: func(d decl) Kind {
			if d.Kind == Rule || d.Kind == Constant && own[d.Name] {
				return ""
			}
			return d.Kind
		},
		name: splitLast("."),
		keywords: map[string]Kind{
			"defmodule": Module, "defprotocol": Interface, "defimpl": Module, "defstruct": Struct, "defexception": Struct,
			"def": Function, "defp": Function, "defdelegate": Function, "defmacro": Macro, "defmacrop": Macro,
			"defguard": Macro, "defguardp": Macro, "callback": Function, "macrocallback": Function,
			"type": Type, "typep": Type, "opaque": Type,
			"spec": Rule, // dropped; but its head is no call of the function
		},
		importWords: words("import", "alias", "use", "require"),
		refWords:    map[string]RefKind{"behaviour": Inherit, "defimpl": Inherit},
		noCalls:     own,
		attributes: map[string]role{
			"doc": isComment, "typedoc": isComment, "moduledoc": isDocstring,
			"spec": isDecorator, "impl": isDecorator, "deprecated": isDecorator, "dialyzer": isDecorator,
		},
		imports:    elixirImports,
		annotation: "-",
	}
}

// elixirImports takes "A.{B, C}" apart.
func elixirImports(text string) []Import {
	base, inner, ok := strings.Cut(text, ".{")
	if !ok {
		return []Import{{Path: text}}
	}
	var list []Import
	for n := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
		if n = strings.TrimSpace(n); n != "" {
			list = append(list, Import{Path: base + "." + n})
		}
	}
	return list
}

func luaRules() rules {
	return rules{
		exported: unless("local"),
		kind: func(d decl) Kind {
			head, _, _ := bytes.Cut(d.Text, []byte("("))
			switch {
			case d.Kind == Function && bytes.ContainsRune(head, ':'):
				return Method
			case d.Kind == Variable && d.ParentKind == Type:
				return Field
			}
			return d.Kind
		},
		name:        luaName,
		mask:        maskLua,
		importWords: words("require", "dofile", "loadfile"),
		noCalls:     words("require", "setmetatable", "pairs", "ipairs", "type", "print", "error", "assert", "tostring"),
		imports: func(text string) []Import {
			return []Import{{Path: strings.Trim(text, "\"'[]()")}}
		},
	}
}

func bashRules() rules {
	return rules{
		exported: func(d decl) bool {
			return d.Kind == Function || hasWord(d.Head, "export") || bytes.Contains(d.Head, []byte(" -x"))
		},
		kind: func(d decl) Kind {
			if d.Kind == Variable && (hasWord(d.Head, "readonly") || bytes.Contains(d.Head, []byte(" -r"))) {
				return Constant
			}
			return d.Kind
		},
		dotted:      true,
		importWords: words("source", "."),
		refWords:    map[string]RefKind{"trap": Call},
		noCalls: words(".", ":", "[", "alias", "break", "cd", "command", "continue", "declare", "dirname",
			"echo", "eval", "exec", "exit", "export", "false", "local", "printf", "pwd", "read", "readonly",
			"return", "set", "shift", "shopt", "source", "test", "trap", "true", "type", "unset", "wait"),
		imports: func(text string) []Import {
			return []Import{{Path: strings.NewReplacer(`"`, "", "'", "").Replace(text)}}
		},
	}
}

func groovyRules() rules {
	return rules{
		exported: unless("private", "protected"),
		keywords: map[string]Kind{"enum": Enum, "task": Rule},
		noCalls:  words("println", "print"),
		builtins: words("String", "Object", "List", "Map", "Integer", "Boolean"),
	}
}

func hclRules() rules {
	return rules{
		exported: always,
		name: func(text string) (string, string) {
			if text == "locals" {
				return "", "local" // as it is used
			}
			return "", unquote(text)
		},
		receiver: func(text string) string {
			if text == "variable" {
				return "var"
			}
			return unquote(text)
		},
		keywords:    map[string]Kind{"locals": Key},
		importWords: words("source"),
	}
}

func cssRules() rules {
	return rules{
		exported:   always,
		name:       oneLine,
		annotation: "-",
		kind: func(d decl) Kind {
			if d.Kind == Variable && !strings.HasPrefix(d.Name, "--") {
				return "" // a property that is only set
			}
			return d.Kind
		},
	}
}

func elmRules() rules {
	return rules{
		exported: func(d decl) bool {
			return d.Kind == Module || d.Wrapped || d.Parent != "" && d.ParentExported
		},
		name:     splitLast("."),
		builtins: words("Int", "Float", "String", "Bool", "List", "Maybe", "Char"),
	}
}

func cueRules() rules {
	label := func(text string) string { return strings.Trim(text, "\"?! \t\r\n") }
	return rules{
		exported: func(d decl) bool { return !strings.HasPrefix(d.Name, "_") && d.ParentExported },
		kind: func(d decl) Kind {
			if strings.HasPrefix(strings.TrimPrefix(d.Name, "_"), "#") {
				return Type
			}
			return d.Kind
		},
		name:     func(text string) (string, string) { return "", label(text) },
		receiver: label,
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
	return splitLast(".")(strings.ReplaceAll(text, ":", "."))
}
