// Package kotlin knows Kotlin.
package kotlin

import (
	"bytes"
	_ "embed"

	"github.com/smacker/go-tree-sitter/kotlin"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Kotlin.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "kotlin",
		Grammar: kotlin.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Unless("private", "internal", "protected"),
			Mask:     maskKotlin,
			Builtins: syntax.Words("Int", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Char", "String", "Unit", "Any", "Nothing"),
		},
	}
}

// maskKotlin hides the "fun" of "fun interface", which is newer than the grammar,
// and separates a statement that begins with a parenthesis from the one before it,
// which the grammar takes for a function that is called.
func maskKotlin(src []byte) []byte {
	m := syntax.Mask{Text: src}
	m.Each("fun interface ", func(at int) { m.Put(at, "   ") })
	m.Each(" (", func(at int) {
		line := bytes.LastIndexByte(src[:at], '\n')
		if line > 0 && len(bytes.TrimLeft(src[line:at], " \t\n")) == 0 && endsKotlin(src[:line]) {
			m.Put(at, ";")
		}
	})
	m.Each("constructor", func(at int) { joinConstructor(&m, at) })
	m.Each(".(", func(at int) { shortenReceiver(&m, at) })
	return m.Bytes()
}

// shortenReceiver leaves only the last name of the receiver of a function type at an
// offset: in A.B.() -> C the grammar knows no path.
func shortenReceiver(m *syntax.Mask, at int) {
	from := at
	for from > 0 && (syntax.IsWordByte(m.Text[from-1]) || m.Text[from-1] == '.') {
		from--
	}
	if dot := bytes.LastIndexByte(m.Text[from:at], '.'); dot > 0 {
		m.Put(from, string(bytes.Repeat([]byte(" "), dot+1)))
	}
}

// joinConstructor puts the constructor at an offset on the line of its class: the
// grammar takes the class for ended at the line break.
func joinConstructor(m *syntax.Mask, at int) {
	line := bytes.LastIndexByte(m.Text[:at], '\n')
	head := bytes.TrimSpace(m.Text[line+1 : at])
	word, _, _ := bytes.Cut(head, []byte(" "))
	switch string(word) {
	case "", "private", "internal", "protected", "public":
	default:
		if head[0] != '@' {
			return
		}
	}
	for end := line; end > 0; {
		prev := bytes.LastIndexByte(m.Text[:end], '\n')
		text := bytes.TrimSpace(m.Text[prev+1 : end])
		switch {
		case len(text) == 0 || bytes.Contains(text, []byte("//")):
			return
		case text[0] == '@' && !bytes.Contains(text, []byte("class ")):
			end = prev
			continue
		}
		if last := text[len(text)-1]; bytes.Contains(text, []byte("class ")) && (syntax.IsWordByte(last) || last == '>') {
			for i := end; i < at; i++ {
				if m.Text[i] == '\n' {
					m.Put(i, " ")
				}
			}
		}
		return
	}
}

// endsKotlin reports whether the last line of a text surely ends a statement.
func endsKotlin(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r")
	line := bytes.TrimLeft(text[bytes.LastIndexByte(text, '\n')+1:], " \t")
	if len(line) == 0 || bytes.Contains(line, []byte("//")) {
		return false
	}
	switch c := line[len(line)-1]; {
	case c == ')' || c == ']' || c == '}' || c == '"' || c == '\'' || c == '_':
	case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
	default:
		return false
	}
	// A header whose body or parameters follow, and words that need an operand.
	first, last := line, line
	if i := bytes.IndexAny(first, " ("); i >= 0 {
		first = first[:i]
	}
	switch string(first) {
	case "if", "while", "for", "when", "else", "}", "try", "catch":
		return line[0] == '}' && len(line) == 1
	}
	if line[0] == '@' || bytes.Contains(line, []byte("class ")) || bytes.Contains(line, []byte("fun ")) {
		return false
	}
	if i := bytes.LastIndexAny(last, " ("); i >= 0 {
		last = last[i+1:]
	}
	switch string(last) {
	case "else", "in", "is", "as", "by", "constructor", "get", "set", "return", "throw", "and", "or", "xor", "shl", "shr", "ushr",
		"to", "until", "downTo", "step", "public", "private", "internal", "protected":
		return false
	}
	return true
}
