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
	maskConditionals(&m, false)
	maskQualifiers(&m)
	maskExports(&m)
	return m.Bytes()
}

// maskCpp is maskC, and hides what the grammar of C++ does not know: the macro in "class EXPORT
// Name {", which makes the class read as a function, and the arrow of "->*".
func maskCpp(src []byte) []byte {
	m := syntax.Mask{Text: src}
	maskDefines(&m)
	maskConditionals(&m, true)
	maskQualifiers(&m)
	maskExports(&m)
	maskSuffixes(&m)
	maskNotes(&m)
	maskConditions(&m)
	maskMarks(&m)
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

// maskExports blanks the macro of "EXPORT type name(", "static INLINE a::type<T> *b::name(",
// "EXPORT type (name)(", "type CALL name(" and "INLINE b::b(".
func maskExports(m *syntax.Mask) {
	for at := 0; at < len(m.Text); {
		end := len(m.Text)
		if n := bytes.IndexByte(m.Text[at:], '\n'); n >= 0 {
			end = at + n
		}
		d := declarator{m.Text, at}
		if from, to := d.export(); to > from {
			m.Blank(from, to)
		}
		at = end + 1
	}
}

// A declarator is read from a place of a text on.
type declarator struct {
	text []byte
	at   int
}

// export returns the place of the macro before or after the type of a function that is declared from
// here on, or before a constructor.
func (d *declarator) export() (from, to int) {
	for {
		d.space(false)
		from = d.at
		word := d.word()
		to = d.at
		if w := string(word); w != "static" && w != "extern" && w != "inline" && w != "const" {
			break
		}
	}
	first := capitals(d.text[from:to]) && d.next() != ':' // a namespace is no macro
	if !first && !d.typed(from) {
		return 0, 0
	}
	names, constructor := 0, false
	if !first {
		names = 1
	}
	for d.at < min(len(d.text), to+maxExport) {
		d.space(true)
		switch c := d.next(); {
		case c == '*' || c == '&':
			d.at++
		case c == '(' && names >= 2 && first, c == '(' && constructor && first:
			return from, to
		case c == '(' && names == 1 && first:
			d.at++
			if d.space(false); len(d.word()) > 0 && d.next() == ')' {
				d.at++
				if d.space(false); d.next() == '(' {
					return from, to
				}
			}
			return 0, 0
		case syntax.IsWordByte(c) && (c < '0' || c > '9') || c == '~' || c == ':':
			before := d.at
			constructor = d.name() && names == 0
			if names++; d.at == before {
				return 0, 0
			}
			if word := d.text[before:d.at]; !first && capitals(word) {
				if after := d.at; d.declares() {
					return before, after
				}
				return 0, 0
			}
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// typed reports whether a word may be the type of a function that is declared: no statement begins with it.
func (d *declarator) typed(from int) bool {
	switch word := d.text[from:d.at]; string(word) {
	case "", "return", "else", "case", "goto", "new", "delete", "throw", "typedef", "using", "struct", "union", "enum", "class",
		"namespace", "template", "typename", "operator", "friend", "virtual", "explicit", "do", "sizeof", "co_return", "co_await", "co_yield":
		return false
	}
	return d.text[from] < '0' || d.text[from] > '9'
}

// declares reports whether the name of a function follows.
func (d *declarator) declares() bool {
	for d.space(true); d.next() == '*'; d.space(true) {
		d.at++
	}
	from := d.at
	d.name()
	if d.at == from || d.text[from] >= '0' && d.text[from] <= '9' {
		return false
	}
	d.space(true)
	return d.next() == '('
}

// maxExport is how far a name is looked for after a macro.
const maxExport = 400

func (d *declarator) next() byte {
	if d.at < len(d.text) {
		return d.text[d.at]
	}
	return 0
}

func (d *declarator) space(lines bool) {
	for c := d.next(); c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'); c = d.next() {
		d.at++
	}
}

func (d *declarator) word() []byte {
	from := d.at
	for d.at < len(d.text) && syntax.IsWordByte(d.text[d.at]) {
		d.at++
	}
	return d.text[from:d.at]
}

// name passes over a name with what is around it, a::b<c>::d. constructor says that its last
// two parts are the same, but for a "~".
func (d *declarator) name() (constructor bool) {
	var last []byte
	for {
		if d.next() == '~' {
			d.at++
		}
		word := d.word()
		constructor = len(word) > 0 && bytes.Equal(word, last)
		last = word
		if d.next() == '<' {
			d.arguments()
		}
		if !bytes.HasPrefix(d.text[d.at:], []byte("::")) {
			return constructor
		}
		d.at += 2
	}
}

// arguments passes over <...>.
func (d *declarator) arguments() {
	depth := 0
	for i := d.at; i < min(len(d.text), d.at+maxExport); i++ {
		switch d.text[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				d.at = i + 1
				return
			}
		case ';', '{', '}', '"':
			return
		}
	}
}

// wordBefore is where the word begins that ends at a place.
func wordBefore(text []byte, at int) int {
	for at > 0 && syntax.IsWordByte(text[at-1]) {
		at--
	}
	return at
}

// maskSuffixes blanks the macro after the const of a method, "f() const DEPRECATED;", and after the
// parameters of a function, "f() NOEXCEPT {" or "a() NOEXCEPT : b(1) {", with which the grammar may lose what is around it.
func maskSuffixes(m *syntax.Mask) {
	m.Each(") ", func(at int) {
		d := declarator{m.Text, at + len(") ")}
		from := d.at
		if !capitals(d.word()) {
			return
		}
		to := d.at
		if d.space(true); d.next() == '{' || d.next() == ':' {
			m.Blank(from, to)
		}
	})
	m.Each(") const ", func(at int) {
		d := declarator{m.Text, at + len(") const ")}
		from := d.at
		if !capitals(d.word()) {
			return
		}
		to := d.at
		if d.space(false); d.next() == ';' || d.next() == '{' {
			m.Blank(from, to)
		}
	})
}

// maskNotes blanks a macro with nothing but a text before a declaration, DEPRECATED("use g")
// int f(), at which the grammar loses the class around it.
func maskNotes(m *syntax.Mask) {
	m.Each("(\"", func(at int) {
		from := wordBefore(m.Text, at)
		if !capitals(m.Text[from:at]) || !m.Begins(from) {
			return
		}
		d := declarator{m.Text, at + 1}
		for d.next() == '"' {
			end := quoted(d.text, d.at)
			if end == d.at {
				return
			}
			d.at = end + 1
			d.space(true)
		}
		if d.next() != ')' {
			return
		}
		d.at++
		to := d.at
		d.space(true)
		if c := d.next(); syntax.IsWordByte(c) && (c < '0' || c > '9') {
			m.Blank(from, to)
		}
	})
}

// maskConditions makes "if" of a macro that stands for it, as CONSTEXPR_IF(x) {: after the
// block an else may follow, with which the grammar loses all that is around.
func maskConditions(m *syntax.Mask) {
	m.Each("_IF(", func(at int) {
		from := wordBefore(m.Text, at)
		if !capitals(m.Text[from:at+3]) || bytes.HasPrefix(bytes.TrimSpace(m.Text[bytes.LastIndexByte(m.Text[:from], '\n')+1:from]), []byte("#")) {
			return
		}
		depth, i := 0, at+3
		for ; i < min(len(m.Text), at+maxExport); i++ {
			if m.Text[i] == '(' {
				depth++
			} else if m.Text[i] == ')' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if rest := bytes.TrimLeft(m.Text[min(i+1, len(m.Text)):], " \t\r\n"); len(rest) > 0 && rest[0] == '{' {
			m.Blank(from, at+1)
			m.Put(at+1, "if")
		}
	})
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
