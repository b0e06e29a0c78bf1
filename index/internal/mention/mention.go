// Package mention finds where texts name something, and says what such a position is in the
// syntax of its file: a call, a declaration, or words in a comment or a string.
//
// It knows no scopes and no types. A name that it finds may be that of something else; it
// does not find a name that is put together at run time.
package mention

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Mention is one place where a text has a name as a whole word.
type Mention struct {
	Name   string
	Offset int  // in bytes
	Line   int  // 1-based
	Column int  // 1-based, in bytes
	Call   bool // what follows begins a list of arguments
	Member bool // what comes before is a dot, an arrow or two colons
}

// Names are some names to look for. They are safe for concurrent use.
type Names struct {
	set     map[string]string // the name, by its first word
	pattern string
	lengths [256]uint64 // in bytes, as bits, by the first byte; the highest is for all above
}

// Of returns the names that can be looked for: those that are one word, and Ruby names that
// end in a mark. Others, such as operators, are left out.
func Of(names []string) *Names {
	n := &Names{set: map[string]string{}}
	var quoted []string
	for _, name := range names {
		word := strings.TrimLeft(name, "#")
		at := wordEnd([]byte(word), 0)
		if at == 0 || '0' <= word[0] && word[0] <= '9' || len(word)-at > 1 || len(word) > at && !strings.ContainsAny(word[at:], "?!") {
			continue
		}
		if word = word[:at]; n.set[word] == "" {
			n.set[word] = name
			n.lengths[word[0]] |= 1 << min(len(word), 63)
			quoted = append(quoted, regexp.QuoteMeta(word))
		}
	}
	n.pattern = strings.Join(quoted, "|")
	return n
}

// Len returns how many there are.
func (n *Names) Len() int { return len(n.set) }

// Has reports whether a name is looked for.
func (n *Names) Has(name string) bool {
	return n.set[Word(name)] == name
}

// Pattern is an expression of RE2's syntax that matches in every text with one of them.
func (n *Names) Pattern() string { return n.pattern }

// few is how many names are each looked for by themselves. One takes a tenth of the time of going
// through all words of a text.
const few = 4

// Each calls yield for the places of a text that have one of the names, in their order.
func (n *Names) Each(src []byte, yield func(Mention) bool) {
	line, start := 1, 0
	found := func(at, end int, name string) bool {
		line += bytes.Count(src[start:at], newline)
		if i := bytes.LastIndexByte(src[start:at], '\n'); i >= 0 {
			start += i + 1
		}
		return yield(Mention{Name: name, Offset: at, Line: line, Column: at - start + 1, Call: called(src, end), Member: member(src, at)})
	}
	if len(n.set) <= few {
		n.eachOfFew(src, found)
		return
	}
	for at := 0; at < len(src); {
		if !words[src[at]] {
			at++
			continue
		}
		end := wordEnd(src, at)
		if n.lengths[src[at]]&(1<<min(end-at, 63)) != 0 {
			if name, ok := n.set[string(src[at:end])]; ok && !found(at, end, name) {
				return
			}
		}
		at = end
	}
}

func (n *Names) eachOfFew(src []byte, found func(at, end int, name string) bool) {
	type next struct {
		at         int
		word, name string
	}
	list := make([]next, 0, few)
	for word, name := range n.set {
		if at := wordAt(src, 0, word); at >= 0 {
			list = append(list, next{at, word, name})
		}
	}
	for len(list) > 0 {
		first := 0
		for i := range list {
			if list[i].at < list[first].at {
				first = i
			}
		}
		w := &list[first]
		end := w.at + len(w.word)
		if !found(w.at, end, w.name) {
			return
		}
		if w.at = wordAt(src, end, w.word); w.at < 0 {
			list = slices.Delete(list, first, first+1)
		}
	}
}

// wordAt returns where a text has a word the next time, or -1.
func wordAt(src []byte, from int, word string) int {
	for {
		i := bytes.Index(src[from:], []byte(word))
		if i < 0 {
			return -1
		}
		at := from + i
		from = at + len(word)
		if (at == 0 || !inWord(src[at-1])) && (from == len(src) || !inWord(src[from])) {
			return at
		}
	}
}

// Words calls yield for each word of a text that is no number, with Name as it stands
// there.
func Words(src []byte, yield func(Mention) bool) {
	line, start := 1, 0
	for at := 0; at < len(src); {
		if !words[src[at]] {
			if src[at] == '\n' {
				line, start = line+1, at+1
			}
			at++
			continue
		}
		end := wordEnd(src, at)
		if c := src[at]; c < '0' || c > '9' {
			m := Mention{Name: string(src[at:end]), Offset: at, Line: line, Column: at - start + 1, Call: called(src, end)}
			if !yield(m) {
				return
			}
		}
		at = end
	}
}

// Word is what Words has of a name that Of can look for.
func Word(name string) string {
	word := strings.TrimLeft(name, "#")
	return word[:wordEnd([]byte(word), 0)]
}

var newline = []byte{'\n'}

// words are the bytes that words consist of.
var words = func() (all [256]bool) {
	for c := range all {
		all[c] = inWord(byte(c))
	}
	return all
}()

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func wordEnd(src []byte, at int) int {
	for at < len(src) && words[src[at]] {
		at++
	}
	return at
}

// most bounds how far a list of type arguments is followed, in bytes.
const most = 300

// called reports whether arguments follow, after blanks and type arguments.
func called(src []byte, at int) bool {
	rest := src[at:min(len(src), at+most)]
	rest = bytes.TrimLeft(rest, "?! \t\r\n")
	rest = bytes.TrimPrefix(rest, []byte("::"))
	rest = bytes.TrimPrefix(rest, []byte("."))
	if len(rest) > 0 && (rest[0] == '<' || rest[0] == '[') {
		end := shut(rest)
		if end < 0 {
			return false
		}
		rest = bytes.TrimLeft(rest[end:], " \t\r\n")
	}
	return len(rest) > 0 && (rest[0] == '(' || rest[0] == '`')
}

// shut returns where the bracket ends that a text begins with, or -1.
func shut(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '<', '[':
			depth++
		case '>', ']':
			if c == '>' && i > 0 && (text[i-1] == '=' || text[i-1] == '-') {
				continue // an arrow of a function type
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ';', '{', '}':
			return -1
		}
	}
	return -1
}

func member(src []byte, at int) bool {
	at = beforeMark(src, at)
	before := bytes.TrimRight(src[max(0, at-most):at], " \t\r\n")
	for _, mark := range []string{".", "->", "::", "?."} {
		if bytes.HasSuffix(before, []byte(mark)) && !bytes.HasSuffix(before, []byte("..")) { // which is a range
			return true
		}
	}
	return false
}

// beforeMark is where a private name of JavaScript begins that follows a dot: before its mark.
func beforeMark(src []byte, at int) int {
	if at > 1 && src[at-1] == '#' && src[at-2] == '.' {
		return at - 1
	}
	return at
}

// Receiver returns the word before the mark that a member's name follows, "" where that
// is no word.
func Receiver(src []byte, at int) string {
	at = beforeMark(src, at)
	before := bytes.TrimRight(src[max(0, at-most):at], "?.:-> \t\r\n")
	start := len(before)
	for start > 0 && inWord(before[start-1]) {
		start--
	}
	return string(before[start:])
}

// maxColumns bounds the places of a line that may be in comments and strings before one in code.
const maxColumns = 16

// Columns returns where the first line of a text has a name, in bytes from 1: the first maxColumns.
func Columns(name string, text []byte) (columns []int) {
	line, _, _ := bytes.Cut(text, newline)
	Of([]string{name}).Each(line, func(m Mention) bool {
		columns = append(columns, m.Column)
		return len(columns) < maxColumns
	})
	return columns
}

// Around returns the name that an offset is in, or at the end of; "" for none.
func Around(src []byte, offset int) string {
	start, end := offset, offset
	for start > 0 && inWord(src[start-1]) {
		start--
	}
	for end < len(src) && inWord(src[end]) {
		end++
	}
	return string(src[start:end])
}
