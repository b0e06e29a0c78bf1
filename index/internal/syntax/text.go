package syntax

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// signature is the definition without its body, on one line. Annotations and
// decorators before it are left out.
func (x *extraction) signature(d *def) string {
	end := d.End
	cutOff := d.body > d.name.Start && d.body < end
	if cutOff {
		end = d.body
	} else if d.level > 0 || d.kind == Key || d.kind == Heading || d.kind == Rule {
		if i := bytes.IndexByte(x.src[max(d.name.End, d.sig):end], '\n'); i >= 0 {
			end = max(d.name.End, d.sig) + i // what follows is its content
		}
	}
	b := x.src[d.sig:end]
	switch x.rules.Annotation {
	case "":
		b = skipAnnotations(b)
	case "[", "#[":
		for bytes.HasPrefix(b, []byte(x.rules.Annotation)) {
			n := balanced(b)
			if n == 0 {
				break
			}
			b = bytes.TrimLeft(b[n:], " \t\r\n")
		}
	}
	x.buf = x.withoutComments(x.buf[:0], Span{end - len(b), end})
	if cutOff {
		x.buf = bytes.TrimSuffix(bytes.TrimSuffix(x.buf, []byte(" =")), []byte(","))
	}
	if len(x.buf) == 0 {
		x.buf = append(x.buf, d.title...)
	}
	return toValid(cut(x.buf, maxSignature))
}

// withoutComments appends the text of s, collapsed, without what is a comment.
func (x *extraction) withoutComments(dst []byte, s Span) []byte {
	i, _ := slices.BinarySearchFunc(x.comments, s.Start, func(c Span, at int) int { return cmp.Compare(c.Start, at) })
	for ; i < len(x.comments) && x.comments[i].Start < s.End && len(dst) <= maxSignature; i++ {
		c := x.comments[i]
		dst = collapse(dst, x.src[s.Start:max(s.Start, c.Start)], maxSignature)
		s.Start = min(max(s.Start, c.End), s.End)
	}
	return collapse(dst, x.src[s.Start:s.End], maxSignature)
}

// collapse appends b to dst with every run of white space as one space, and
// stops soon after max bytes. What dst already holds is a piece before b.
func collapse(dst, b []byte, max int) []byte {
	gap := len(dst) > 0 && len(b) > 0 && !bytes.ContainsRune([]byte(",;)"), rune(b[0]))
	for _, c := range b {
		if IsSpace(c) {
			gap = true
			continue
		}
		if gap && len(dst) > 0 {
			dst = append(dst, ' ')
		}
		gap = false
		dst = append(dst, c)
		if len(dst) > max {
			break
		}
	}
	return dst
}

// skipAnnotations passes over leading "@name(...)" and "@a.b[c](d)". What
// follows "@interface" is a definition in Java, no annotation.
func skipAnnotations(b []byte) []byte {
	for {
		t := bytes.TrimLeft(b, " \t\r\n\f")
		if len(t) < 2 || t[0] != '@' || !IsWordByte(t[1]) || bytes.HasPrefix(t, []byte("@interface")) {
			return t
		}
		i := 1
		for i < len(t) {
			switch c := t[i]; {
			case IsWordByte(c) || c == '.' || c == ':':
				i++
				continue
			case c == '(' || c == '[':
				n := balanced(t[i:])
				if n == 0 {
					return t
				}
				i += n
				continue
			case c == ' ' && i+1 < len(t) && t[i+1] == '(' && !bytes.ContainsAny(t[:i], "()"):
				i++
				continue
			}
			break
		}
		if i == len(t) {
			return t
		}
		b = t[i:]
	}
}

// balanced returns the length of the bracketed text that b begins with, or 0.
func balanced(b []byte) int {
	depth := 0
	var quote byte
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// doc gathers the comments and decorators directly above a definition. It
// returns where the definition begins with its decorators, where its comments
// begin, and their prose; a docstring inside is used where there are none.
func (x *extraction) doc(d *def) (start, docStart int, text string) {
	start = d.begin
	top := start
	x.open = x.open[:0] // of indexes into comments, bottom up
	for {
		if s, _, ok := above(x.src, x.decorators, top); ok {
			start, top = s.Start, s.Start
			continue
		}
		s, i, ok := above(x.src, x.comments, top)
		if !ok && x.rules.Conditions && len(x.open) == 0 {
			s, i, ok = above(x.src, x.comments, aboveConditions(x.src, top))
			ok = ok && bytes.HasPrefix(x.src[s.Start:], []byte("///"))
		}
		if !ok || !startsLine(x.src, s.Start) {
			break
		}
		top = s.Start
		x.open = append(x.open, i)
	}
	x.docTo = -1
	if len(x.open) > 0 {
		x.buf = x.buf[:0]
		for _, i := range slices.Backward(x.open) {
			s := x.comments[i]
			x.buf = appendProse(x.buf, x.src[s.Start:s.End])
			if len(x.buf) > maxDoc {
				break
			}
		}
		text = toValid(bytes.TrimSpace(cut(bytes.TrimSpace(x.buf), maxDoc)))
		if text != "" {
			x.docTo = x.comments[x.open[0]].End
		}
	}
	if text == "" && d.doc != none {
		x.buf = appendProse(x.buf[:0], x.src[d.doc.Start:d.doc.End])
		text = toValid(bytes.TrimSpace(cut(bytes.TrimSpace(x.buf), maxDoc)))
	}
	if x.rules.Prose != nil && text != "" {
		text = x.rules.Prose(text)
	}
	return start, min(top, start), text
}

// Prose returns what Symbol.Doc says, made of the text between DocAt and DocTo:
// comments or a docstring, and what stands between the comments.
func (l *Languages) Prose(language string, raw []byte) string {
	var b []byte
	for len(raw) > 0 {
		// A block comment ends at its mark, line comments where one of another form begins.
		n := len(raw)
		if i := bytes.Index(raw, []byte("*/")); bytes.HasPrefix(raw, []byte("/*")) && i >= 0 {
			n = i + 2
		} else if bytes.HasPrefix(raw, []byte("//")) {
			if i := blockBelow.FindIndex(raw); i != nil {
				n = i[0]
			}
		}
		b = appendProse(b, raw[:n])
		raw = bytes.TrimSpace(raw[n:])
	}
	text := toValid(bytes.TrimSpace(cut(bytes.TrimSpace(b), maxDoc)))
	if g, ok := l.all[language]; ok && g.Rules.Prose != nil && text != "" {
		text = g.Rules.Prose(text)
	}
	return text
}

var blockBelow = regexp.MustCompile(`\n[ \t]*/\*`)

// above finds the span that ends before top with at most one line break and
// nothing else between.
func above(src []byte, list []Span, top int) (Span, int, bool) {
	i := sort.Search(len(list), func(i int) bool { return list[i].Start >= top }) - 1
	if i < 0 {
		return none, 0, false
	}
	s := list[i]
	end := s.End
	for end > s.Start && IsSpace(src[end-1]) {
		end-- // some grammars count the line break
	}
	if end > top {
		return none, 0, false
	}
	breaks := 0
	for _, c := range src[end:top] {
		if !IsSpace(c) {
			return none, 0, false
		}
		if c == '\n' {
			breaks++
		}
	}
	return s, i, breaks <= 1
}

// aboveConditions returns where the lines begin above top that have only #if and the like,
// attributes and modifiers; top if there is no #if among them.
func aboveConditions(src []byte, top int) int {
	if !startsLine(src, top) {
		return top
	}
	from, at := top, bytes.LastIndexByte(src[:top], '\n')+1
	for range maxConditions {
		if at == 0 {
			break
		}
		start := bytes.LastIndexByte(src[:at-1], '\n') + 1
		switch line := bytes.TrimSpace(src[start:at]); {
		case bytes.HasPrefix(line, []byte("#if")):
			from = start
		case bytes.HasPrefix(line, []byte("#el")), bytes.HasPrefix(line, []byte("#endif")), bytes.HasPrefix(line, []byte("[")):
		case len(line) == 0 || bytes.ContainsAny(line, "{};/#"):
			return from
		}
		at = start
	}
	return from
}

// maxConditions is how many such lines there may be.
const maxConditions = 12

// startsLine reports whether only white space stands before offset on its line.
func startsLine(src []byte, offset int) bool {
	for i := offset - 1; i >= 0 && src[i] != '\n'; i-- {
		if !IsSpace(src[i]) && !(i < 3 && src[i] >= 0xBB) { // a byte order mark
			return false
		}
	}
	return true
}

// openers are the marks that begin a comment or a line of one, longest first.
var openers = [...]string{
	"<!--", "{-|", "{-", "(**", "(*", "/**", "/*!", "/*", "///", "//!", "//", "--[[", "--|", "--",
	"\"\"\"", "'''", "#|", ";;;", ";;", ";", "%%", "%", "\"", "'",
}

// closers are the marks that end a comment.
var closers = [...]string{"-->", "-}", "*)", "**/", "*/", "]]", "\"\"\"", "'''", "|#", "\"", "'"}

// appendProse appends the text of one comment or docstring without its marks,
// and a line break.
func appendProse(dst, raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	block := len(raw) > 2 && (raw[0] != '#' && raw[0] != ';' && raw[0] != '%') &&
		!bytes.HasPrefix(raw, []byte("//")) && !(bytes.HasPrefix(raw, []byte("--")) && !bytes.HasPrefix(raw, []byte("--[[")))
	if block {
		raw = trimPrefixLetters(raw)
		raw = trimOpener(raw)
		for _, m := range closers {
			if t, ok := bytes.CutSuffix(raw, []byte(m)); ok {
				raw = t
				break
			}
		}
	}
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if block {
			if t, ok := bytes.CutPrefix(line, []byte("* ")); ok {
				line = t
			} else if string(line) == "*" {
				line = nil
			}
		} else {
			if bytes.HasPrefix(line, []byte("//go:")) {
				continue // a directive
			}
			line = bytes.TrimPrefix(bytes.TrimSpace(trimLineMark(line)), []byte("| ")) // Haddock
		}
		dst = append(append(dst, bytes.TrimSpace(line)...), '\n')
	}
	return dst
}

// trimPrefixLetters drops the letters of a Python string prefix, and the "@doc"
// and the like before a string.
func trimPrefixLetters(b []byte) []byte {
	if b[0] == '@' {
		if i := bytes.IndexAny(b, "\"'"); i > 0 {
			return b[i:]
		}
		return nil // @doc false
	}
	if i := bytes.IndexAny(b, "\"'"); i > 0 && i <= 2 && strings.Trim(string(b[:i]), "rRuUbBfF") == "" {
		return b[i:]
	}
	return b
}

func trimOpener(b []byte) []byte {
	for _, m := range openers {
		if t, ok := bytes.CutPrefix(b, []byte(m)); ok {
			return t
		}
	}
	return b
}

func trimLineMark(b []byte) []byte {
	for _, m := range [...]string{"//", "--", "#", ";", "%"} {
		if bytes.HasPrefix(b, []byte(m)) {
			b = bytes.TrimLeft(b, m[:1])
			if len(b) > 0 && (b[0] == '!' || b[0] == '|' || b[0] == '<') {
				b = b[1:]
			}
			return b
		}
	}
	return b
}

func toValid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
