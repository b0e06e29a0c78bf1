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

// maskMarks blanks the macros before a namespace or a class of C++, on its line or above it, with which
// the grammar takes the two for a function: "WARNINGS_OFF" and then "namespace a {".
func maskMarks(m *syntax.Mask) {
	for _, word := range []string{"namespace ", "class "} {
		m.Each(word, func(at int) {
			for {
				from, end := markBefore(m.Text, at)
				continued := bytes.HasSuffix(bytes.TrimRight(m.Text[:from], " \t\r\n"), []byte("\\"))
				if end == at || !capitals(m.Text[from:end]) || !m.Begins(from) || continued {
					return
				}
				m.Blank(from, end)
				at = from
			}
		})
	}
}

// markBefore is the place of the word before at, or before the directives above it.
func markBefore(text []byte, at int) (from, end int) {
	end = len(bytes.TrimRight(text[:at], " \t\r\n"))
	line := bytes.LastIndexByte(text[:end], '\n') + 1
	for end < at && bytes.HasPrefix(bytes.TrimLeft(text[line:end], " \t"), []byte("#")) {
		end = len(bytes.TrimRight(text[:line], " \t\r\n"))
		line = bytes.LastIndexByte(text[:end], '\n') + 1
	}
	for from = end; from > 0 && syntax.IsWordByte(text[from-1]); {
		from--
	}
	return from, end
}

// builtin reports whether a word begins a type that the language has.
func builtin(word []byte) bool {
	switch string(word) {
	case "char", "int", "long", "short", "unsigned", "signed", "float", "double", "void", "struct", "union", "enum", "bool", "_Bool":
		return true
	}
	return false
}
