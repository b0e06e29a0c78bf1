// Package cfamily knows C and C++.
package cfamily

import (
	"bytes"
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed c.scm
var queryC string

//go:embed cpp.scm
var queryCpp string

// Languages returns what is known of C and of C++.
func Languages() []syntax.Language {
	return []syntax.Language{
		{
			Name:    "c",
			Grammar: c.GetLanguage,
			Query:   queryC,
			Rules: syntax.Rules{
				Exported: func(d syntax.Decl) bool { return d.ParentExported && !syntax.HasWord(d.Head, "static") },
				Kind:     cKind,
				Mask:     maskC,
			},
		},
		{
			Name:    "cpp",
			Grammar: cpp.GetLanguage,
			Query:   queryCpp + queryC,
			Rules: syntax.Rules{
				Exported: cppExported,
				Kind:     cppKind,
				Name:     cppName,
				Builtins: syntax.Words("size_t", "string"),
				Mask:     maskCpp,
			},
		},
	}
}

// cKind drops prototypes and variables inside functions, which are most often calls and casts
// that look like declarations, macros with a block, which look like functions, and the macro
// of an include guard.
func cKind(d syntax.Decl) syntax.Kind {
	switch d.Kind {
	case syntax.Function:
		if d.ParentKind.Runs() && (!bytes.HasSuffix(d.Text, []byte("}")) || blockMacro(d)) {
			return ""
		}
	case syntax.Macro:
		line := bytes.TrimSpace(d.Text)
		if bytes.HasSuffix(line, []byte(d.Name)) && (strings.HasSuffix(d.Name, "_H") || strings.HasSuffix(d.Name, "_") ||
			strings.HasSuffix(d.Name, "_HPP") || strings.HasSuffix(d.Name, "_INCLUDED")) {
			return ""
		}
	case syntax.Variable:
		if (syntax.HasWord(d.Head, "const") || syntax.HasWord(d.Head, "constexpr")) && !bytes.ContainsRune(d.Head, '*') {
			return syntax.Constant
		}
	}
	return d.Kind
}

// blockMacro reports whether a function within another one is a macro with a block: nothing
// stands before its name, or a parenthesis.
func blockMacro(d syntax.Decl) bool {
	head, _, ok := bytes.Cut(d.Text, []byte(d.Name))
	head = bytes.TrimSpace(head)
	return ok && (len(head) == 0 || head[len(head)-1] == '(')
}

func cppKind(d syntax.Decl) syntax.Kind {
	kind := cKind(d)
	if kind != syntax.Function || !d.ParentKind.IsType() {
		return kind
	}
	if last := d.Parent[strings.LastIndexByte(d.Parent, '.')+1:]; last == d.Name {
		return syntax.Constructor
	}
	return syntax.Method
}

// cppExported follows the access labels; without one a class is private.
func cppExported(d syntax.Decl) bool {
	switch d.ParentKind {
	case syntax.Class:
		return d.ParentExported && d.Section != "" && !strings.HasPrefix(d.Section, "private")
	case syntax.Struct:
		return d.ParentExported && !strings.HasPrefix(d.Section, "private")
	case syntax.Type, syntax.Enum:
		return d.ParentExported
	}
	return d.ParentExported && !syntax.HasWord(d.Head, "static")
}

// cppName takes "a::List<T>::at" apart: the parent is "a.List", the name "at".
func cppName(text string) (parent, name string) {
	tail := ""
	if i := strings.Index(text, "operator"); i >= 0 && (i == 0 || !syntax.IsWordByte(text[i-1])) {
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
