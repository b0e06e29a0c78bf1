// Package markdown reads Markdown line by line, as the first phase of the strategy in CommonMark's
// appendix: what the headings are depends on the blocks alone. Of the blocks only
// those are told apart that decide whether a line may be a heading:
//
//	containers   block quotes and list items; a line belongs to those whose marks or
//	             indentation it repeats, and a line that goes on with a paragraph to
//	             all that are open
//	leaves       paragraphs, fenced code and blocks of HTML, in which nothing else begins.
//	             Indented code is what is indented by four and in no paragraph
//
// A heading is a line of one to six number signs, or a paragraph that a line of equal
// signs or dashes underlines; the definitions of links that it begins with are no part of
// it. What stands between lines of three dashes or three plus signs at the beginning of
// the file is metadata, no Markdown.
//
// A megabyte takes 5 ms. The library at hand, goldmark, finds the same headings in 11, but
// 128 KB of ">" take it 7 seconds: it nests containers without a bound.
package markdown

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxContainers is how deep containers nest; what opens more is text. Without a bound a
// line of marks takes a step for each mark and container.
const maxContainers = 100

// A markdownReader reads one text.
type markdownReader struct {
	found syntax.Found
	line  markdownLine
	open  []container // from the outermost
	leaf  leaf        // in the innermost
	mark  byte        // that a fence is made of
	run   int         // how many of them
	html  htmlBlock
	text  paragraph
}

// A container is a block quote or a list item.
type container struct {
	indent int  // of what belongs to a list item; 0: a block quote
	empty  bool // a list item in which there is nothing yet
}

// A leaf is a block that goes on for several lines.
type leaf uint8

const (
	noLeaf leaf = iota
	inParagraph
	inFence
	inHTML
)

// Language returns what is known of Markdown.
func Language() syntax.Language {
	return syntax.Language{Name: "markdown", Scan: scan, Rules: syntax.Rules{Exported: syntax.Always, Name: syntax.OneLine}}
}

// scan finds headings and metadata. Every text is Markdown.
func scan(src []byte) (found syntax.Found, broken bool) {
	m := markdownReader{line: markdownLine{src: src}}
	if bytes.HasPrefix(src, []byte("\uFEFF")) {
		m.line.next = 3
	}
	if end := metadataEnd(src[m.line.next:]); end > 0 {
		m.found.Heads = append(m.found.Heads, syntax.Span{Start: m.line.next, End: m.line.next + end})
		m.line.next += end
	}
	for m.line.read() {
		m.step()
	}
	return m.found, false
}

// metadataEnd returns the length of the metadata that src begins with, or 0.
func metadataEnd(src []byte) int {
	fence := ""
	for at := 0; at < len(src); {
		line := lineOf(src[at:])
		at = min(at+len(line)+1, len(src))
		switch line := string(bytes.TrimRight(line, " \t\r")); {
		case fence == "" && (line == "---" || line == "+++"):
			fence = line
		case fence == "":
			return 0
		case line == fence:
			return at
		}
	}
	return 0
}

// step takes one line.
func (m *markdownReader) step() {
	l := &m.line
	kept := m.resume()
	whole := kept == len(m.open)
	if whole && (m.leaf == inFence || m.leaf == inHTML) {
		m.verbatim()
		return
	}
	// A paragraph may go on in a line that does not belong to its containers.
	lazy := m.leaf == inParagraph
	for !l.blank() {
		if l.indent() >= 4 {
			if !lazy {
				m.close(kept) // indented code
				m.fill()
				return
			}
			break
		}
		inside := lazy && whole
		if inside && m.underline() {
			return
		}
		if m.startLeaf(kept, inside, lazy) {
			return
		}
		c, ok := m.container(inside)
		if !ok {
			break
		}
		m.close(kept)
		m.fill()
		m.open = append(m.open, c)
		kept, whole, lazy = len(m.open), true, false
	}
	switch {
	case l.blank():
		m.close(kept)
	case lazy:
		m.text.add(l)
	default:
		m.close(kept)
		m.fill()
		m.leaf = inParagraph
		m.text.begin(l)
	}
}

// resume returns how many of the open containers the line belongs to, and passes over
// their marks.
func (m *markdownReader) resume() int {
	l := &m.line
	for i, c := range m.open {
		switch {
		case c.indent == 0:
			if !l.quoted() {
				return i
			}
		case l.blank():
			if c.empty {
				return i
			}
		case l.indent() < c.indent:
			return i
		default:
			l.skip(c.indent)
		}
	}
	return len(m.open)
}

// close ends the leaf and all containers but the first n.
func (m *markdownReader) close(n int) { m.open, m.leaf = m.open[:n], noLeaf }

// fill notes that the innermost container holds something.
func (m *markdownReader) fill() {
	if n := len(m.open); n > 0 {
		m.open[n-1].empty = false
	}
}

// verbatim takes a line of code or of HTML.
func (m *markdownReader) verbatim() {
	l := &m.line
	switch {
	case m.leaf == inHTML:
		if m.html.ends(l) {
			m.leaf = noLeaf
		}
	case !l.blank() && l.indent() < 4:
		if n := l.count(m.mark); n >= m.run && l.blankFrom(l.text+n) {
			m.leaf = noLeaf
		}
	}
}

// underline makes a heading of the paragraph that the line underlines. Where that holds
// definitions of links alone, the line is what it would be without them.
func (m *markdownReader) underline() bool {
	l := &m.line
	mark := l.src[l.text]
	if mark != '=' && mark != '-' || !l.blankFrom(l.text+l.count(mark)) {
		return false
	}
	m.text.dropDefinitions()
	if m.text.end == m.text.start || isTable(l.src[m.text.start:m.text.end]) {
		return false
	}
	level := 1
	if mark == '-' {
		level = 2
	}
	m.heading(level, m.text.start, syntax.Span{Start: m.text.start, End: m.text.end})
	m.leaf = noLeaf
	return true
}

// startLeaf takes a line that is a heading or a thematic break, or begins code or HTML.
// inside says that a paragraph comes before it in the same container, lazy that one
// comes before it at all.
func (m *markdownReader) startLeaf(kept int, inside, lazy bool) bool {
	l := &m.line
	switch c := l.src[l.text]; c {
	case '#':
		n := l.count('#')
		after := l.text + n
		if n > 6 || after < l.end && l.src[after] != ' ' && l.src[after] != '\t' {
			return false
		}
		m.close(kept)
		m.fill()
		m.heading(n, l.text, headingText(l.src, syntax.Span{Start: after, End: l.end}))
	case '`', '~':
		n := l.count(c)
		if n < 3 || c == '`' && bytes.IndexByte(l.src[l.text+n:l.end], '`') >= 0 {
			return false
		}
		m.close(kept)
		m.fill()
		m.leaf, m.mark, m.run = inFence, c, n
	case '<':
		b := l.htmlBlock()
		if b == noHTML || b == htmlOfOneTag && lazy {
			return false
		}
		m.close(kept)
		m.fill()
		if m.html = b; !b.ends(l) {
			m.leaf = inHTML
		}
	case '*', '-', '_':
		if !l.thematicBreak() {
			return false
		}
		m.close(kept)
		m.fill()
	default:
		return false
	}
	return true
}

// container passes over the mark of a block quote or a list item.
func (m *markdownReader) container(inside bool) (c container, ok bool) {
	if len(m.open) == maxContainers {
		return c, false
	}
	if m.line.quoted() {
		return c, true
	}
	return m.line.item(inside)
}

func (m *markdownReader) heading(level, start int, name syntax.Span) {
	if name.Start < name.End {
		m.found.Definitions = append(m.found.Definitions, syntax.Definition{
			Span: syntax.Span{Start: start, End: name.End}, Kind: syntax.Heading, Name: name, Level: level,
		})
	}
}

// lineOf returns the first line of b.
func lineOf(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

// isTable reports whether a paragraph is a table, which CommonMark does not know but all
// who show it do: columns are drawn below its first line.
func isTable(text []byte) bool {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	rule := lineOf(rest)
	return bytes.IndexByte(rule, '|') >= 0 && bytes.IndexByte(rule, '-') >= 0 && len(bytes.Trim(rule, "|:->\t\r ")) == 0
}

// headingText is s without the number signs that close a heading and the spaces around.
func headingText(src []byte, s syntax.Span) syntax.Span {
	text := bytes.TrimRight(src[s.Start:s.End], " \t\r")
	if t := bytes.TrimRight(text, "#"); len(t) == 0 || t[len(t)-1] == ' ' || t[len(t)-1] == '\t' {
		text = bytes.TrimRight(t, " \t")
	}
	s.End = s.Start + len(text)
	s.Start = s.End - len(bytes.TrimLeft(text, " \t"))
	return s
}
