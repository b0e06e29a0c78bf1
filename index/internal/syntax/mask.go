package syntax

import (
	"bytes"
	"slices"
)

// A mask is a copy of a text in which some bytes are overwritten; the copy is
// made when the first one is.
type mask struct {
	src  []byte
	text []byte // a copy of src, once something is blanked
}

func (m *mask) put(at int, with string) {
	if m.text == nil {
		m.text = slices.Clone(m.src)
	}
	copy(m.text[at:], with)
}

// blank overwrites a range with spaces, but for the ends of lines.
func (m *mask) blank(from, to int) {
	for i := from; i < to; i++ {
		if m.src[i] != '\n' && m.src[i] != '\r' {
			m.put(i, " ")
		}
	}
}

func (m *mask) bytes() []byte {
	if m.text == nil {
		return m.src
	}
	return m.text
}

// each calls f with the offset of every occurrence of word.
func (m *mask) each(word string, f func(at int)) {
	for at := 0; ; at += len(word) {
		i := bytes.Index(m.src[at:], []byte(word))
		if i < 0 {
			return
		}
		at += i
		f(at)
	}
}

// begins reports whether a statement may begin at offset at: before it on its
// line stands nothing, or the end of another.
func (m *mask) begins(at int) bool {
	for at--; at >= 0; at-- {
		switch m.src[at] {
		case ' ', '\t':
			continue
		case '\n', '{', '}', ';':
			return true
		}
		return false
	}
	return true
}

// maskProtobuf hides the labels, which the grammar knows nothing of: without
// them proto2 reads as proto3. One label makes the whole file an error.
func maskProtobuf(src []byte) []byte {
	m := mask{src: src}
	for _, word := range [...]string{"optional ", "required ", "extensions "} {
		m.each(word, func(at int) {
			if !m.begins(at) {
				return
			}
			if word == "extensions " {
				// In a comment the word may begin a line, too, and no number follows.
				rest := bytes.TrimLeft(src[at+len(word):], " \t\r\n")
				if end := bytes.IndexByte(src[at:], ';'); end >= 0 && '0' <= rest[0] && rest[0] <= '9' {
					m.blank(at, at+end+1)
				}
				return
			}
			m.put(at, "        ")
		})
	}
	m.each(`"proto2"`, func(at int) { m.put(at, `"proto3"`) })
	return m.bytes()
}

// maskLua turns doc comments into plain ones. The grammar parses their types,
// fails on many, and takes ten times as long where it does.
func maskLua(src []byte) []byte {
	m := mask{src: src}
	m.each("---", func(at int) {
		if m.begins(at) {
			m.put(at+2, " ")
		}
	})
	return m.bytes()
}

// maskKotlin hides the "fun" of "fun interface", which is newer than the grammar,
// and separates a statement that begins with a parenthesis from the one before it,
// which the grammar takes for a function that is called.
func maskKotlin(src []byte) []byte {
	m := mask{src: src}
	m.each("fun interface ", func(at int) { m.put(at, "   ") })
	m.each(" (", func(at int) {
		line := bytes.LastIndexByte(src[:at], '\n')
		if line > 0 && len(bytes.TrimLeft(src[line:at], " \t\n")) == 0 && endsKotlin(src[:line]) {
			m.put(at, ";")
		}
	})
	m.each("constructor", m.joinConstructor)
	m.each(".(", m.shortenReceiver)
	return m.bytes()
}

// shortenReceiver leaves only the last name of the receiver of a function type at an
// offset: in A.B.() -> C the grammar knows no path.
func (m *mask) shortenReceiver(at int) {
	from := at
	for from > 0 && (isWordByte(m.src[from-1]) || m.src[from-1] == '.') {
		from--
	}
	if dot := bytes.LastIndexByte(m.src[from:at], '.'); dot > 0 {
		m.put(from, string(bytes.Repeat([]byte(" "), dot+1)))
	}
}

// joinConstructor puts the constructor at an offset on the line of its class: the
// grammar takes the class for ended at the line break.
func (m *mask) joinConstructor(at int) {
	line := bytes.LastIndexByte(m.src[:at], '\n')
	head := bytes.TrimSpace(m.src[line+1 : at])
	word, _, _ := bytes.Cut(head, []byte(" "))
	switch string(word) {
	case "", "private", "internal", "protected", "public":
	default:
		if head[0] != '@' {
			return
		}
	}
	for end := line; end > 0; {
		prev := bytes.LastIndexByte(m.src[:end], '\n')
		text := bytes.TrimSpace(m.src[prev+1 : end])
		switch {
		case len(text) == 0 || bytes.Contains(text, []byte("//")):
			return
		case text[0] == '@' && !bytes.Contains(text, []byte("class ")):
			end = prev
			continue
		}
		if last := text[len(text)-1]; bytes.Contains(text, []byte("class ")) && (isWordByte(last) || last == '>') {
			for i := end; i < at; i++ {
				if m.src[i] == '\n' {
					m.put(i, " ")
				}
			}
		}
		return
	}
}

// maskCpp hides what the grammar does not know: the macro in "class EXPORT Name {",
// which makes the class read as a function, and the arrow of "->*".
func maskCpp(src []byte) []byte {
	m := mask{src: src}
	m.each("->*", func(at int) { m.put(at, " .*") })
	for _, word := range [...]string{"class ", "struct "} {
		m.each(word, func(at int) {
			if at > 0 && isWordByte(src[at-1]) {
				return
			}
			from := at + len(word)
			to, capitals := from, true
			for to < len(src) && isWordByte(src[to]) {
				capitals = capitals && (src[to] < 'a' || src[to] > 'z')
				to++
			}
			if to-from < 3 || !capitals || to == len(src) || src[to] != ' ' {
				return
			}
			// Only before the name of a class that is defined here.
			end := to + 1
			for end < len(src) && isWordByte(src[end]) {
				end++
			}
			rest := bytes.TrimLeft(src[end:min(len(src), end+200)], " \t\r\n")
			if end == to+1 || len(rest) < 2 || rest[0] != '{' && (rest[0] != ':' || rest[1] == ':') && !bytes.HasPrefix(rest, []byte("final")) {
				return
			}
			m.put(from, string(bytes.Repeat([]byte(" "), to-from)))
		})
	}
	return m.bytes()
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

// maskMarkup leaves only what stands in the <script> elements of a component.
func maskMarkup(src []byte) []byte {
	text := make([]byte, len(src))
	for i, c := range src {
		text[i] = ' '
		if c == '\n' {
			text[i] = c
		}
	}
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("<script"))
		if i < 0 {
			return text
		}
		at += i
		open := bytes.IndexByte(src[at:], '>')
		if open < 0 {
			return text
		}
		at += open + 1
		end := bytes.Index(src[at:], []byte("</script"))
		if end < 0 {
			return text
		}
		copy(text[at:], src[at:at+end])
		at += end
	}
}
