package protocol

import "bytes"

// Begins reports whether names are put together that begin with a word of a text: it ends with an underscore,
// or a string begins with it in which the rest is filled in, or to which it is added. Of an underscore alone only the
// last is taken for it.
func Begins(src []byte, at, end int) bool {
	switch {
	case src[end-1] == '_' && end-at > 2:
		return true
	case end-at < 2 && src[at] != '_' || at == 0 || end == len(src) || !quote(src[at-1]):
		return false
	case src[end] == src[at-1]:
		rest := bytes.TrimLeft(src[end+1:min(len(src), end+40)], " \t\r\n")
		return len(rest) > 1 && (rest[0] == '.' && (rest[1] == ' ' || rest[1] == '$') || rest[0] == '+')
	case end-at < 2:
		return false
	case src[end] == '#':
		return end+1 < len(src) && src[end+1] == '{'
	}
	return src[end] == '{' || src[end] == '$' || src[end] == '%'
}

// Ends reports whether names are put together that end with a word: it begins with an underscore, and comes
// after what is filled in, or is added.
func Ends(src []byte, at, end int) bool {
	if src[at] != '_' || end-at < 4 || at < 2 {
		return false
	}
	switch before := src[at-1]; {
	case before == '}':
		return end < len(src) && quote(src[end])
	case quote(before):
		text := bytes.TrimRight(src[max(0, at-40):at-1], " \t\r\n")
		return len(text) > 0 && (text[len(text)-1] == '+' || text[len(text)-1] == '.')
	}
	return false
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// Made returns the word that begins a name, or ends it, of those that are known: "" for none. A beginning that
// does not end with an underscore is followed by a capital letter, or by one.
func Made(name string, begins, ends func(word string) bool) string {
	for i := 1; i < len(name); i++ {
		if c := name[i]; (name[i-1] == '_' || c == '_' || 'A' <= c && c <= 'Z') && begins(name[:i]) {
			return name[:i]
		}
		if name[i] == '_' && ends(name[i:]) {
			return name[i:]
		}
	}
	return ""
}
