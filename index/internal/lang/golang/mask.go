package golang

import (
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maskGo changes the "new" of new(f(x)) and of other calls with a value, which are
// newer than the grammar: it takes the argument for a type, and loses the rest of
// the function. Under any other name it is a call like all others.
func maskGo(src []byte) []byte {
	m := syntax.Mask{Text: src}
	m.Each("new(", func(at int) {
		if (at == 0 || !syntax.IsWordByte(src[at-1]) && src[at-1] != '.') && newOfValue(src[at+len("new("):]) {
			m.Put(at, "neW")
		}
	})
	return m.Bytes()
}

// newOfValue reports whether the argument that s begins with is surely a value.
func newOfValue(s []byte) bool {
	i := 0
	space := func() {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
	}
	space()
	if i == len(s) {
		return false
	}
	switch c := s[i]; c {
	case '"', '`', '\'', '-', '+', '!', '^', '&':
		return true
	case '*', '[', '(', '<', ')', '\n', '\r', '/':
		return false
	default:
		if c >= '0' && c <= '9' {
			return true
		}
	}
	start := i
	for i < len(s) && (syntax.IsWordByte(s[i]) || s[i] == '.') {
		i++
	}
	word := string(s[start:i])
	space()
	if i == len(s) {
		return false
	}
	switch s[i] {
	case '(':
		return word != "func"
	case '{':
		return word != "struct" && word != "interface"
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '=', '!':
		return word != "chan"
	}
	return word == "true" || word == "false"
}
