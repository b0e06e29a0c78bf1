package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rulesA are the rules of Go, Python, the JavaScript family, Java, C, C++ and
// Rust.
func rulesA() map[string]rules {
	return map[string]rules{
		"go": {
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
