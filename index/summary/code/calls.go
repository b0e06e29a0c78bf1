package code

import (
	"slices"
	"strings"
)

// bodyOf returns where the head of a function ends, whose types may look like calls, as
// FnOnce() of Rust does: the number of tokens if it has no body.
func bodyOf(f *Facts, tokens []token) int {
	i := slices.IndexFunc(tokens, func(t token) bool {
		return t.kind == 'n' && t.text[strings.LastIndexByte(t.text, '.')+1:] == f.Name
	})
	lines := endsInLine(f.Lang)
	depth := 0
	for i = max(i, 0); i < len(tokens); i++ {
		switch tokens[i].kind {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{', '=':
			if depth == 0 {
				return i
			}
		case '\n':
			if depth == 0 && lines {
				return i
			}
		}
	}
	return len(tokens)
}

// endsInLine reports whether the head of a function ends with its line.
func endsInLine(lang string) bool {
	line, _, _ := commentMarks(lang)
	return line != "//"
}

// maxTypeArgs is how many tokens the type arguments of a call may have.
const maxTypeArgs = 24

// isCalled reports whether what stands behind a name calls it, with type arguments or
// without.
func isCalled(lang string, rest []token) bool {
	if len(rest) > 2 && lang == "rust" && rest[0].kind == ':' && rest[1].kind == ':' {
		rest = rest[2:]
	}
	if len(rest) == 0 || rest[0].kind == '(' {
		return len(rest) > 0
	}
	open, shut := byte('<'), byte('>')
	switch lang {
	case "scala":
		open, shut = '[', ']'
	case "rust", "typescript", "tsx", "csharp", "java", "kotlin", "swift", "cpp", "dart":
	default:
		return false
	}
	if rest[0].kind != open {
		return false
	}
	depth := 0
	for i, t := range rest[:min(len(rest), maxTypeArgs)] {
		switch t.kind {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i+1 < len(rest) && rest[i+1].kind == '('
			}
		case 'n', ',', '.', '?', '*', '&', '[', ']', '(', ')', '_', '=', '\n', ':':
		default:
			return false
		}
	}
	return false
}

// defines reports whether a word says that the next one is defined, not called.
func defines(word string) bool {
	switch word {
	case "func", "def", "defp", "fn", "function", "fun", "sub", "class", "defmacro", "macro_rules!", "interface", "struct":
		return true
	}
	return false
}

// call notes that a name is called, if that says something.
func (d *actions) call(f *Facts, whole, name string) {
	whole = strings.TrimPrefix(strings.TrimPrefix(whole, "$this."), "Self.")
	if strings.HasPrefix(name, "$") && name != "$" {
		return // a value of PHP
	}
	if name == f.Name || len(name) < 3 || dull[strings.ToLower(strings.TrimRight(name, "!?"))] || keywords[name] {
		return
	}
	for _, check := range []string{"assert", "expect", "require"} {
		if f.Test && strings.HasPrefix(strings.ToLower(name), check) {
			return
		}
	}
	if name == strings.ToUpper(name) && (f.Lang == "c" || f.Lang == "cpp") {
		return // a macro, most often one that checks or logs
	}
	for _, r := range strings.Split(whole, ".") {
		switch strings.ToLower(strings.TrimPrefix(r, "_")) {
		case "log", "logger", "logging", "console", "slog", "logrus", "testing", "t", "fmt", "assert", "tracing", "debug", "warnings", "math":
			return
		}
	}
	for i := range d.calls {
		if d.calls[i].name == name {
			d.calls[i].times++
			return
		}
	}
	d.calls = append(d.calls, called{name, whole, 1})
}
