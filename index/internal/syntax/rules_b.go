package syntax

import (
	"bytes"
	"strings"
)

// rulesB are the rules of the languages that are not in rulesA.
func rulesB() map[string]rules {
	script := rulesA()["typescript"]
	script.mask = maskMarkup
	return map[string]rules{
		"csharp":     csharpRules(),
		"ruby":       rubyRules(),
		"php":        phpRules(),
		"kotlin":     kotlinRules(),
		"scala":      scalaRules(),
		"swift":      swiftRules(),
		"elixir":     elixirRules(),
		"lua":        luaRules(),
		"bash":       bashRules(),
		"groovy":     groovyRules(),
		"hcl":        hclRules(),
		"protobuf":   {exported: always, mask: maskProtobuf},
		"sql":        {exported: always, name: splitLast(".")},
		"css":        cssRules(),
		"svelte":     script,
		"vue":        script,
		"dockerfile": {exported: always},
		"toml":       {exported: always, name: splitLast(".")},
		"yaml":       {exported: always, name: unquoted},
		"ocaml":      {exported: always, builtins: words("int", "string", "bool", "float", "char", "unit", "list", "option", "array", "bytes", "ref")},
		"elm":        elmRules(),
		"cue":        cueRules(),
	}
}

func always(decl) bool { return true }

// unless returns a rule for languages where all is visible but what says not.
func unless(hidden ...string) func(decl) bool {
	return func(d decl) bool {
		for _, word := range hidden {
			if hasWord(d.Head, word) {
				return false
			}
		}
		return d.ParentExported
	}
}

// splitLast returns a rule that takes a name apart at its last separator; the
// parent's separators become dots.
func splitLast(separator string) func(string) (string, string) {
	return func(text string) (parent, name string) {
		text = strings.Trim(text, "\"'`[]")
		i := strings.LastIndex(text, separator)
		if i <= 0 || i+len(separator) == len(text) {
			return "", text
		}
		parent = strings.ReplaceAll(text[:i], separator, ".")
		return strings.Trim(parent, "\"'`[]."), strings.Trim(text[i+len(separator):], "\"'`[]")
	}
}

func unquoted(text string) (string, string) { return oneLine(unquote(text)) }

// oneLine is the name of what has no identifier but a text.
func oneLine(text string) (string, string) {
	return "", string(cut(collapse(nil, []byte(text), maxTitle), maxTitle))
}

// maxTitle bounds a name that is free text, in bytes.
const maxTitle = 120

func csharpRules() rules {
	return rules{
		exported: func(d decl) bool {
			switch {
			case d.Kind == Namespace:
				return true
			case hasWord(d.Head, "public") || hasWord(d.Head, "protected"):
				return d.ParentExported
			case hasWord(d.Head, "private") || hasWord(d.Head, "internal"):
				return false
			}
			// Members of interfaces and enums, and parameters of records, are
			// as visible as their type; all else is private or internal.
			return d.ParentExported && (d.ParentKind == Interface || d.ParentKind == Enum ||
				d.Kind == Field && !bytes.ContainsAny(d.Text, ";{}"))
		},
		name:       splitLast("."),
		prose:      withoutTags,
		annotation: "[",
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
		if !ok || tag == "" || !(tag[0] == '/' || isWordByte(tag[0])) {
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

func rubyRules() rules {
	return rules{
		exported: func(d decl) bool {
			if d.Kind.runs() && (d.Section == "private" || d.Section == "protected") && !bytes.Contains(d.Head, []byte("self.")) {
				return false
			}
			return !hasWord(d.Head, "private") && !hasWord(d.Head, "private_class_method") && !hasWord(d.Head, "protected")
		},
		kind: func(d decl) Kind {
			switch {
			case d.Kind == Method && d.Name == "initialize":
				return Constructor
			case d.Kind == Method && (d.ParentKind == "" || d.ParentKind.runs()):
				return Function
			}
			return d.Kind
		},
		name: func(text string) (string, string) {
			return splitLast("::")(strings.TrimPrefix(text, ":"))
		},
		keywords: map[string]Kind{
			"attr_accessor": Field, "attr_reader": Field, "attr_writer": Field,
			"cattr_accessor": Field, "mattr_accessor": Field, "class_attribute": Field, "delegate": Method,
			"has_many": Field, "has_one": Field, "belongs_to": Field, "scope": Method,
		},
		importWords: words("require", "require_relative", "load", "autoload"),
		refWords:    map[string]RefKind{"include": Inherit, "extend": Inherit, "prepend": Inherit, "new": New},
		noCalls: words("require", "require_relative", "load", "include", "extend", "prepend", "new",
			"attr_accessor", "attr_reader", "attr_writer", "private", "protected", "public",
			"module_function", "private_class_method", "private_constant", "raise", "puts", "lambda", "proc", "loop"),
	}
}

func phpRules() rules {
	return rules{
		exported: unless("private", "protected"),
		kind: func(d decl) Kind {
			if d.Kind == Method && d.Name == "__construct" {
				return Constructor
			}
			return d.Kind
		},
		name:       splitLast(`\`),
		annotation: "#[",
		builtins:   words("self", "static", "parent"),
		noCalls:    words("isset", "empty", "unset"),
	}
}

func kotlinRules() rules {
	return rules{
		exported: unless("private", "internal", "protected"),
		mask:     maskKotlin,
		builtins: words("Int", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Char", "String", "Unit", "Any", "Nothing"),
	}
}

func scalaRules() rules {
	return rules{
		exported: unless("private", "protected"),
		kind: func(d decl) Kind {
			switch {
			case d.Kind == Function && d.Name == "this":
				return Constructor
			case d.Kind == Function && d.ParentKind.isType():
				return Method
			}
			return d.Kind
		},
		imports: scalaImports,
		builtins: words("Int", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Char", "String",
			"Unit", "Any", "AnyRef", "AnyVal", "Nothing", "Null"),
	}
}

// scalaImports reads "import a.b.{C, D => E, _}, f.G".
func scalaImports(text string) []Import {
	text = strings.TrimSpace(strings.TrimPrefix(text, "import"))
	var list []Import
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
			list = append(list, Import{Path: path})
			continue
		}
		for n := range strings.SplitSeq(names, ",") {
			name, alias, _ := strings.Cut(strings.ReplaceAll(n, " as ", "=>"), "=>")
			name, alias = strings.TrimSpace(name), strings.TrimSpace(alias)
			if name == "_" {
				name = "*"
			}
			if name != "" && alias != "_" {
				list = append(list, Import{Path: path, Name: name, Alias: alias})
			}
		}
	}
	return list
}

func swiftRules() rules {
	return rules{
		// What says nothing is internal: visible in its module.
		exported: func(d decl) bool {
			d.Head = bytes.ReplaceAll(d.Head, []byte("private(set)"), nil) // readable
			return unless("private", "fileprivate")(d)
		},
		name: func(text string) (string, string) {
			text, _, _ = strings.Cut(text, "<")
			return "", strings.TrimSpace(text)
		},
		builtins: words("Int", "Double", "Float", "Bool", "String", "Void", "Any", "AnyObject", "Self", "Character",
			"testable", "discardableResult", "MainActor", "escaping", "available", "objc", "inlinable", "frozen", "autoclosure"),
	}
}
