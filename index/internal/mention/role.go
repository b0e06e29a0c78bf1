package mention

import (
	"bytes"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Role is what a place is in the syntax of its file.
type Role uint8

// The roles.
const (
	Used     Role = iota // code, as far as can be told
	Declared             // the name of what is declared or defined there
	Textual              // in a comment or a string
)

// RoleAt returns what a place is. Where the syntax cannot be read it is Used.
func RoleAt(t *syntax.Tree, offset int) Role {
	var way []syntax.Node
	for n := t.Root(); n != 0; {
		way = append(way, n)
		var in syntax.Node
		for c := range t.Children(n) {
			if t.Start(c) <= offset && offset < t.End(c) {
				in = c
				break
			}
		}
		n = in
	}
	if len(way) == 0 {
		return Used
	}
	for i := len(way) - 1; i >= 0; i-- {
		kind := t.Kind(way[i])
		if hasAny(kind, "interpolation", "substitution", "interpolated_expression", "embedded") {
			break
		}
		if hasAny(kind, "comment", "string", "heredoc", "regex", "char_literal", "character_literal", "simple_symbol", "jsx_text") &&
			!strings.HasSuffix(kind, "_expression") {
			if torn(t, way[:i+1], offset) {
				return Used
			}
			return Textual
		}
	}
	if len(way) < 2 {
		return Used
	}
	if k := t.Kind(way[len(way)-2]); len(way) > 2 && (k == "template_function" || k == "template_method") {
		way = way[:len(way)-1] // f<T>, which may be called or declared
	}
	leaf, in := way[len(way)-1], t.Kind(way[len(way)-2])
	if hasAny(in, "call", "invocation", "creation", "new_expression", "argument") {
		return Used
	}
	switch t.Field(leaf) {
	case "name", "declarator":
		if hasAny(in, "function", "method", "constructor", "destructor", "signature", "declar", "definition", "class", "interface", "struct", "trait", "enum") {
			return Declared
		}
	case "":
		if hasAny(in, "function_declaration", "method_declaration", "class_declaration") {
			return Declared
		}
	}
	return Used
}

// torn reports whether a place is in a string only because its text was read wrongly: after
// what does not parse, a quote that ends one string is taken for the begin of the next, over lines.
func torn(t *syntax.Tree, way []syntax.Node, offset int) bool {
	i := len(way) - 1
	for i > 0 && strings.Contains(t.Kind(way[i-1]), "string") {
		i--
	}
	text := t.Source()[t.Start(way[i]):offset]
	if len(text) < 3 || text[0] != '"' && text[0] != '\'' || text[1] == text[0] && text[2] == text[0] {
		return false
	}
	return bytes.IndexByte(text, '\n') >= 0 && slices.ContainsFunc(way[:i], func(n syntax.Node) bool { return t.Kind(n) == "ERROR" })
}

func hasAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// InComment reports whether a place is certain to be in a comment, by what stands before it
// in its line and without reading the syntax. Most comments that name something are
// recognised by it.
func InComment(language string, src []byte, offset int) bool {
	head := lineHead(src, offset)
	switch language {
	case "python", "ruby", "elixir":
		return bytes.HasPrefix(head, []byte("#"))
	case "assembly", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "rust", "scala", "swift", "tsx", "typescript":
	default:
		return false
	}
	if bytes.HasPrefix(head, []byte("//")) || trailing(language, head) {
		return true
	}
	if !bytes.HasPrefix(head, []byte("*")) && !bytes.HasPrefix(head, []byte("/*")) {
		return false
	}
	// In a block whose every line begins with a star, as its first line does with its mark.
	open := bytes.LastIndex(src[:offset], []byte("/*"))
	return open >= 0 && len(lineHead(src, open)) == 0 && !bytes.Contains(src[open:offset], []byte("*/"))
}

// trailing reports whether a comment is certain to begin in the part of a line: one of two
// slashes that neither follow a quote nor are in a block. It leaves languages out whose
// regular expressions are written between slashes.
func trailing(language string, head []byte) bool {
	switch language {
	case "assembly", "c", "cpp", "csharp", "go", "java", "kotlin", "rust", "scala":
	default:
		return false
	}
	at := bytes.Index(head, []byte("//"))
	return at >= 0 && !bytes.ContainsAny(head[:at], "\"'`") && !bytes.Contains(head[:at], []byte("/*")) && !bytes.Contains(head[at:], []byte("*/"))
}

// NoUse reports whether a place is certain to be in a comment, in a string of Go, or the name of a
// function that Go defines there, without reading the syntax.
func NoUse(language string, src []byte, offset int) bool {
	begin, found := lineBegin(src, offset)
	return found && (InComment(language, src, offset) || language == "go" && (inString(src[begin:], offset-begin) || ofFunc(src[begin:offset])))
}

// maxHead bounds what is read of a line before a place, in bytes: a file that a program has written may
// be one line, with a million places.
const maxHead = 4096

// lineBegin returns where the line of a place begins, or how far before it was looked.
func lineBegin(src []byte, at int) (begin int, found bool) {
	back := max(0, at-maxHead)
	i := bytes.LastIndexByte(src[back:at], '\n')
	return back + i + 1, i >= 0 || at < maxHead
}

// inString reports whether a place of Go is certain to be in a string between quotes, by the text from
// the begin of its line. A line that has no quote of another kind and ends no comment is code from its
// begin, or else has no code at all.
func inString(line []byte, at int) bool {
	if bytes.IndexByte(line[:at], '"') < 0 {
		return false
	}
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if bytes.ContainsAny(line, "`'") || bytes.Contains(line, []byte("*/")) {
		return false
	}
	quoted := false
	for i := 0; i < at; i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '\\' && quoted:
			i++
		}
	}
	return quoted
}

// ofFunc reports whether what stands before a name in its line of Go is func, with a receiver or without.
func ofFunc(head []byte) bool {
	head, found := bytes.CutPrefix(head, []byte("func "))
	if !found || len(head) == 0 {
		return found
	}
	return head[0] == '(' && bytes.HasSuffix(head, []byte(") ")) && bytes.Count(head, []byte("(")) == 1 && bytes.Count(head, []byte(")")) == 1
}

// lineHead returns what stands before a place on its line, without blanks at both ends.
func lineHead(src []byte, offset int) []byte {
	return bytes.TrimSpace(src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset])
}

// Dotted reports whether a name follows a dot in a language that writes none before a name
// that it defines: a method of one line may call one of the same name.
func Dotted(language string, src []byte, at int) bool {
	switch language {
	case "go", "python", "java", "rust", "csharp":
		return at > 0 && src[at-1] == '.'
	}
	return false
}

// Loose reports whether a call need not look like one in a language, or whether the graph
// does not see there that a function is passed on or stored.
func Loose(language string) bool {
	switch language {
	case "ruby", "elixir", "vue", "svelte", "bash", "elm", "groovy", "lua", "ocaml", "scala", "swift":
		return true
	}
	return false
}

// Attribute reports whether a place is the value of an attribute in a template.
func Attribute(language string, src []byte, at int) bool {
	if language != "vue" && language != "svelte" || at < 2 || src[at-2] != '=' {
		return false
	}
	return src[at-1] == '"' || src[at-1] == '\'' || src[at-1] == '{'
}

// Remark reports whether the line of a place begins as comments of most languages do.
func Remark(src []byte, at int) bool {
	head := lineHead(src, at)
	for _, mark := range []string{"//", "#", "*", "/*", "--", ";"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return false
}
