package cfamily

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maskC hides what the grammar of C does not know: comments within macros, at which it ends
// them, and a macro before the type of a function, which makes
// the type read as the name.
func maskC(src []byte) []byte {
	m := syntax.Mask{Text: src}
	maskDefines(&m)
	maskExports(&m)
	return m.Bytes()
}

// maskCpp is maskC, and hides what the grammar of C++ does not know: the macro in "class EXPORT
// Name {", which makes the class read as a function, and the arrow of "->*".
func maskCpp(src []byte) []byte {
	m := syntax.Mask{Text: src}
	maskDefines(&m)
	maskExports(&m)
	m.Each("->*", func(at int) { m.Put(at, " .*") })
	for _, word := range [...]string{"class ", "struct "} {
		m.Each(word, func(at int) {
			if at > 0 && syntax.IsWordByte(src[at-1]) {
				return
			}
			from := at + len(word)
			to, capitals := from, true
			for to < len(src) && syntax.IsWordByte(src[to]) {
				capitals = capitals && (src[to] < 'a' || src[to] > 'z')
				to++
			}
			if to-from < 3 || !capitals || to == len(src) || src[to] != ' ' {
				return
			}
			// Only before the name of a class that is defined here.
			end := to + 1
			for end < len(src) && syntax.IsWordByte(src[end]) {
				end++
			}
			rest := bytes.TrimLeft(src[end:min(len(src), end+200)], " \t\r\n")
			if end == to+1 || len(rest) < 2 || rest[0] != '{' && (rest[0] != ':' || rest[1] == ':') && !bytes.HasPrefix(rest, []byte("final")) {
				return
			}
			m.Put(from, string(bytes.Repeat([]byte(" "), to-from)))
		})
	}
	return m.Bytes()
}

// maskDefines blanks the comments within macros.
func maskDefines(m *syntax.Mask) {
	m.Each("define", func(at int) {
		begin := bytes.LastIndexByte(m.Text[:at], '\n') + 1
		if head := bytes.TrimSpace(m.Text[begin:at]); len(head) != 1 || head[0] != '#' {
			return
		}
		last, end := at, at // where the last line of the macro begins and ends
		for {
			n := bytes.IndexByte(m.Text[end:], '\n')
			if n < 0 {
				end = len(m.Text)
				break
			}
			end += n
			if !bytes.HasSuffix(bytes.TrimSuffix(m.Text[last:end], []byte("\r")), []byte("\\")) {
				break
			}
			end++
			last = end
		}
		for i := at; i < end; i++ {
			switch c := m.Text[i]; {
			case c == '"' || c == '\'':
				i = quoted(m.Text[:end], i)
			case c == '/' && i+1 < end && m.Text[i+1] == '*':
				n := bytes.Index(m.Text[i+2:end], []byte("*/"))
				if n < 0 || len(bytes.TrimSpace(m.Text[i+n+4:end])) == 0 {
					return
				}
				to := i + n + 4
				for k := i; k < to; k++ { // but for what continues the line
					if m.Text[k] != '\\' {
						m.Blank(k, k+1)
					}
				}
				i = to - 1
			}
		}
	})
}

// quoted is the last byte of a string or character literal that begins at i, or i where it
// does not end in its line.
func quoted(text []byte, i int) int {
	for k := i + 1; k < len(text) && text[k] != '\n'; k++ {
		switch text[k] {
		case '\\':
			k++
		case text[i]:
			return k
		}
	}
	return i
}

// maskExports blanks the macro of "EXPORT type name(", "static INLINE type *name(" and
// "EXPORT type (name)(".
func maskExports(m *syntax.Mask) {
	for at := 0; at < len(m.Text); {
		end := len(m.Text)
		if n := bytes.IndexByte(m.Text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if from, to := export(m.Text, at); to > from {
			m.Blank(from, to)
		}
		at = end + 1
	}
}

// export returns the place of the macro before the type of a function that is declared from
// the line on that begins at a place.
func export(text []byte, at int) (from, to int) {
	word := func() (begin, end int) {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		begin = at
		for at < len(text) && syntax.IsWordByte(text[at]) {
			at++
		}
		return begin, at
	}
	for {
		from, to = word()
		switch string(text[from:to]) {
		case "static", "extern", "inline":
			continue
		}
		break
	}
	if !capitals(text[from:to]) {
		return 0, 0
	}
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at < len(text) && text[at] == '\n' { // the type may begin the next line
		at++
	}
	typed := false
	for {
		begin, end := word()
		if begin == end {
			break
		}
		if text[begin] >= '0' && text[begin] <= '9' {
			return 0, 0
		}
		if typed && at < len(text) && text[at] == '(' || typed && bytes.HasPrefix(text[at:], []byte(" (")) {
			return from, to
		}
		typed = true
	}
	for at < len(text) && (text[at] == '*' || text[at] == ' ') {
		at++
	}
	parenthesis := at < len(text) && text[at] == '('
	if parenthesis {
		at++
	}
	begin, end := word()
	if parenthesis {
		if at == len(text) || text[at] != ')' {
			return 0, 0
		}
		at++
	}
	for at < len(text) && text[at] == ' ' {
		at++
	}
	if typed && begin < end && at < len(text) && text[at] == '(' {
		return from, to
	}
	return 0, 0
}

// capitals reports whether a word is one that people give macros.
func capitals(word []byte) bool {
	letters := 0
	for _, c := range word {
		switch {
		case c >= 'A' && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters > 2
}
