package markdown

import "bytes"

// A paragraph is where the text of one is, from its first word to its last. Of one that
// begins with a bracket the lines are kept, for it may begin with definitions of links:
//
//	[label]: destination "title"
//
// The destination and the title may stand on lines of their own, and the title may have
// several. A definition ends where its line does.
type paragraph struct {
	start, end int
	text       []byte // the lines without the marks of containers; nil: no bracket
	lines      []int  // where they begin in the source
}

func (p *paragraph) begin(l *markdownLine) {
	p.start, p.text, p.lines = l.text, p.text[:0], p.lines[:0]
	p.add(l)
}

func (p *paragraph) add(l *markdownLine) {
	if p.start == p.end { // all were definitions
		p.start, p.text, p.lines = l.text, p.text[:0], p.lines[:0]
	}
	line := bytes.TrimRight(l.src[l.text:l.end], " \t")
	p.end = l.text + len(line)
	if l.src[p.start] == '[' {
		p.text = append(append(p.text, line...), '\n')
		p.lines = append(p.lines, l.text)
	}
}

// dropDefinitions lets the paragraph begin after the definitions of links.
func (p *paragraph) dropDefinitions() {
	rest := p.text
	for {
		n := definition(rest)
		if n == 0 {
			break
		}
		p.lines = p.lines[bytes.Count(rest[:n], []byte("\n")):]
		rest = rest[n:]
	}
	switch {
	case len(rest) == len(p.text):
	case len(p.lines) == 0:
		p.start = p.end
	default:
		p.start = p.lines[0]
	}
	p.text = nil
}

// maxLabel bounds the label of a link's definition, in bytes.
const maxLabel = 999

// definition returns the length of the definition of a link that text begins with, the
// line feed included, or 0.
func definition(text []byte) int {
	d := definitionReader{text: text}
	if !d.label() || !d.take(':') {
		return 0
	}
	d.space()
	if !d.destination() {
		return 0
	}
	end := d.lineEnd()
	at := d.at
	if d.space(); d.at > at && d.title() {
		if n := d.lineEnd(); n > 0 {
			return n
		}
	}
	return end // a title that does not end with its line is text, or makes all text
}

// A definitionReader reads a definition of a link.
type definitionReader struct {
	text []byte
	at   int
}

func (d *definitionReader) take(c byte) bool {
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

// space passes over white space with at most one line feed, which every text ends with.
func (d *definitionReader) space() {
	feeds := 0
	for ; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case ' ', '\t':
		case '\n':
			if feeds++; feeds > 1 {
				return
			}
		default:
			return
		}
	}
}

// lineEnd returns the offset after the line, or 0 where it holds anything more.
func (d *definitionReader) lineEnd() int {
	for at := d.at; at < len(d.text); at++ {
		switch d.text[at] {
		case ' ', '\t':
		case '\n':
			return at + 1
		default:
			return 0
		}
	}
	return 0
}

func (d *definitionReader) label() bool {
	if !d.take('[') {
		return false
	}
	for start := d.at; d.at < len(d.text) && d.at-start <= maxLabel; d.at++ {
		switch d.text[d.at] {
		case '\\':
			d.at++
		case '[':
			return false
		case ']':
			d.at++
			return len(bytes.TrimSpace(d.text[start:d.at-1])) > 0
		}
	}
	return false
}

func (d *definitionReader) destination() bool {
	if d.take('<') {
		for ; d.at < len(d.text); d.at++ {
			switch d.text[d.at] {
			case '\\':
				d.at++
			case '\n', '<':
				return false
			case '>':
				d.at++
				return true
			}
		}
		return false
	}
	start, depth := d.at, 0
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c == '\\' && d.text[d.at+1] > ' ':
			d.at++
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return false
		case c == ')':
			depth--
		case c == ' ' || c == '\t' || c == '\n':
			return d.at > start && depth == 0
		case c < ' ':
			return false
		}
	}
	return false
}

func (d *definitionReader) title() bool {
	if d.at == len(d.text) {
		return false
	}
	closer := d.text[d.at]
	switch closer {
	case '"', '\'':
	case '(':
		closer = ')'
	default:
		return false
	}
	for d.at++; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case '\\':
			d.at++
		case closer:
			d.at++
			return true
		case '(':
			if closer == ')' {
				return false
			}
		}
	}
	return false
}
