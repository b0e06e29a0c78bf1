package cfamily

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maskQualifiers blanks a macro before a type that the language has, "CONST char *s", with which
// the grammar may lose the function around it.
func maskQualifiers(m *syntax.Mask) {
	for at := 0; at < len(m.Text); {
		end := at + lineEnd(m.Text[at:])
		if !bytes.HasPrefix(bytes.TrimLeft(m.Text[at:end], " \t"), []byte("#")) {
			maskQualifier(m, at, end)
		}
		at = end + 1
	}
}

// maskQualifier blanks those of a line, at its beginning, or of a parameter.
func maskQualifier(m *syntax.Mask, at, end int) {
	begins := true
	for at < end {
		c := m.Text[at]
		if !syntax.IsWordByte(c) {
			if c != ' ' && c != '\t' {
				begins = c == '(' || c == ',' || c == '{' || c == ';'
			}
			at++
			continue
		}
		d := declarator{m.Text[:end], at}
		word := d.word()
		to := d.at
		if !begins || !capitals(word) {
			begins = begins && string(word) == "static"
			at = to
			continue
		}
		if d.space(false); d.at > to && builtin(d.word()) {
			m.Blank(at, to)
		}
		begins = false
		at = to
	}
}

// maskMarks blanks a macro before a namespace or a class of C++, on its line or above it, with which
// the grammar takes the two for a function: "WARNINGS_OFF" and then "namespace a {".
func maskMarks(m *syntax.Mask) {
	for _, word := range []string{"namespace ", "class "} {
		m.Each(word, func(at int) {
			end := len(bytes.TrimRight(m.Text[:at], " \t\r\n"))
			line := bytes.LastIndexByte(m.Text[:end], '\n') + 1
			for end < at && bytes.HasPrefix(bytes.TrimLeft(m.Text[line:end], " \t"), []byte("#")) {
				end = len(bytes.TrimRight(m.Text[:line], " \t\r\n"))
				line = bytes.LastIndexByte(m.Text[:end], '\n') + 1
			}
			from := end
			for from > 0 && syntax.IsWordByte(m.Text[from-1]) {
				from--
			}
			continued := bytes.HasSuffix(bytes.TrimRight(m.Text[:line], "\r\n"), []byte("\\"))
			if end < at && capitals(m.Text[from:end]) && m.Begins(from) && !continued {
				m.Blank(from, end)
			}
		})
	}
}

// builtin reports whether a word begins a type that the language has.
func builtin(word []byte) bool {
	switch string(word) {
	case "char", "int", "long", "short", "unsigned", "signed", "float", "double", "void", "struct", "union", "enum", "bool", "_Bool":
		return true
	}
	return false
}
