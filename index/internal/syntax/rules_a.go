package syntax

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rulesA are the rules of Go, Python, the JavaScript family, Java, C, C++ and
// Rust.
func rulesA() map[string]rules {
	js := rules{
		exported: jsExported,
		kind:     jsKind,
		name:     func(text string) (string, string) { return "", strings.Trim(text, "\"'`") },
		receiver: jsReceiver,
		// Assignments to these export.
		keywords:    map[string]Kind{"module": "", "exports": ""},
		importWords: words("require"),
		builtins:    words("Promise", "Array", "Record", "Partial", "Readonly", "Date", "Map", "Set", "Error", "Function"),
	}
	return map[string]rules{
		"javascript": js,
		"typescript": js,
		"tsx":        js,
		"c": {
			exported: func(d decl) bool { return d.ParentExported && !hasWord(d.Head, "static") },
			kind:     cKind,
		},
		"cpp": {
			exported: cppExported,
			kind:     cppKind,
			name:     cppName,
			builtins: words("size_t", "string"),
			mask:     maskCpp,
		},
		"python": {
			exported: func(d decl) bool {
				return d.ParentExported && (!strings.HasPrefix(d.Name, "_") || strings.HasSuffix(d.Name, "__"))
			},
			kind: func(d decl) Kind {
				switch {
				case d.Kind == Function && d.ParentKind == Class && d.Name == "__init__":
					return Constructor
				case d.Kind == Function && d.ParentKind == Class:
					return Method
				case d.Kind == Variable && strings.ToUpper(d.Name) == d.Name && strings.ToLower(d.Name) != d.Name:
					return Constant
				}
				return d.Kind
			},
			builtins: words("int", "str", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "type",
				"Any", "None", "Optional", "Union", "List", "Dict", "Set", "Tuple", "Callable", "Iterable", "Iterator",
				"Sequence", "Mapping", "Type", "Literal"),
		},
		"java": {
			exported: func(d decl) bool {
				return d.ParentExported && (hasWord(d.Head, "public") || hasWord(d.Head, "protected") ||
					d.Parent != "" && (d.ParentKind == Interface || d.Kind == Field && d.ParentKind == Enum) && !hasWord(d.Head, "private"))
			},
			builtins: words("String", "Object", "Integer", "Long", "Boolean", "Double", "Float", "Byte", "Short",
				"Character", "Void", "Override", "var"),
		},
		"rust": {
			exported: func(d decl) bool {
				switch {
				case d.Kind == Macro:
					return true
				case d.Public || d.ParentKind == Trait:
					return d.ParentExported
				case d.ParentKind == Enum:
					return d.ParentExported
				}
				return hasWord(d.Head, "pub")
			},
			mask:     maskRust,
			name:     rustName,
			imports:  rustUse,
			builtins: words("Self", "String", "Option", "Vec", "Box", "Result"),
			noCalls:  words("Ok", "Err", "Some"),
		},
		"go": {
			mask: maskGo,
			exported: func(d decl) bool {
				r, _ := utf8.DecodeRuneInString(d.Name)
				return unicode.IsUpper(r)
			},
			receiver: goReceiver,
			builtins: words("bool", "string", "error", "any", "byte", "rune", "int", "int8", "int16", "int32", "int64",
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
		if !isWordByte(text[i]) && text[i] != '.' && text[i] != '$' {
			return ""
		}
	}
	return text
}

func jsKind(d decl) Kind {
	switch {
	case d.Kind == Variable && d.Name == "exports" && d.ParentKind == Variable:
		return "" // const app = module.exports = {}
	case d.Kind == Method && d.Name == "constructor" && d.ParentKind == Class:
		return Constructor
	case d.Kind == Function && d.ParentKind.isType():
		return Method
	}
	return d.Kind
}

func jsExported(d decl) bool {
	if d.Parent == "" {
		return d.Wrapped || bytes.Contains(d.Head, []byte("exports.")) || bytes.HasPrefix(d.Head, []byte("module."))
	}
	if strings.HasPrefix(d.Name, "#") || hasWord(d.Head, "private") {
		return false
	}
	if d.ParentKind == Namespace {
		return d.Wrapped
	}
	return d.ParentExported
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
func rustUse(text string) []Import {
	var out []Import
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
		i := Import{Path: path, Alias: strings.TrimSpace(alias)}
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

// cKind drops prototypes and variables inside functions, which are most often
// calls and casts that look like declarations, and the macro of an include guard.
func cKind(d decl) Kind {
	switch d.Kind {
	case Function:
		if d.ParentKind.runs() && !bytes.HasSuffix(d.Text, []byte("}")) {
			return ""
		}
	case Macro:
		line := bytes.TrimSpace(d.Text)
		if bytes.HasSuffix(line, []byte(d.Name)) && (strings.HasSuffix(d.Name, "_H") || strings.HasSuffix(d.Name, "_") ||
			strings.HasSuffix(d.Name, "_HPP") || strings.HasSuffix(d.Name, "_INCLUDED")) {
			return ""
		}
	case Variable:
		if (hasWord(d.Head, "const") || hasWord(d.Head, "constexpr")) && !bytes.ContainsRune(d.Head, '*') {
			return Constant
		}
	}
	return d.Kind
}

func cppKind(d decl) Kind {
	kind := cKind(d)
	if kind != Function || !d.ParentKind.isType() {
		return kind
	}
	if last := d.Parent[strings.LastIndexByte(d.Parent, '.')+1:]; last == d.Name {
		return Constructor
	}
	return Method
}

// cppExported follows the access labels; without one a class is private.
func cppExported(d decl) bool {
	switch d.ParentKind {
	case Class:
		return d.ParentExported && d.Section != "" && !strings.HasPrefix(d.Section, "private")
	case Struct:
		return d.ParentExported && !strings.HasPrefix(d.Section, "private")
	case Type, Enum:
		return d.ParentExported
	}
	return d.ParentExported && !hasWord(d.Head, "static")
}

// cppName takes "a::List<T>::at" apart: the parent is "a.List", the name "at".
func cppName(text string) (parent, name string) {
	tail := ""
	if i := strings.Index(text, "operator"); i >= 0 && (i == 0 || !isWordByte(text[i-1])) {
		text, tail = text[:i], text[i:]
		if open := strings.IndexByte(tail, '('); open > 0 && !strings.HasPrefix(tail, "operator()") {
			tail = strings.TrimSpace(tail[:open]) // a conversion, with its parameters
		}
	}
	var parts []string
	depth, begin := 0, 0
	var part strings.Builder
	flush := func(end int) {
		if depth == 0 {
			part.WriteString(text[begin:end])
		}
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '<':
			flush(i)
			depth++
		case text[i] == '>':
			depth--
			begin = i + 1
		case depth == 0 && strings.HasPrefix(text[i:], "::"):
			flush(i)
			parts = append(parts, strings.TrimSpace(part.String()))
			part.Reset()
			i++
			begin = i + 1
		}
	}
	flush(len(text))
	if tail == "" {
		tail = strings.TrimSpace(part.String())
	}
	return strings.TrimPrefix(strings.Join(parts, "."), "."), tail
}
