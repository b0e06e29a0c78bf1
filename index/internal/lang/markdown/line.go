package markdown

import "bytes"

// A markdownLine is a line, of which what comes before column belongs to containers that
// are known. A tab reaches to the next column that four divides, and may be partly a
// container's, partly not.
type markdownLine struct {
	src        []byte
	next       int // where the next line begins
	feed       int // the first line feed from there on
	end        int // without what ends the line
	column     int
	text       int // where what is no space or tab begins; end if there is nothing
	textColumn int
}

// read goes to the next line. A carriage return alone ends one, too.
func (l *markdownLine) read() bool {
	at := l.next
	if at >= len(l.src) {
		return false
	}
	if l.feed < at || at == 0 {
		if l.feed = bytes.IndexByte(l.src[at:], '\n'); l.feed < 0 {
			l.feed = len(l.src)
		} else {
			l.feed += at
		}
	}
	l.end, l.next = l.feed, l.feed+1
	if i := bytes.IndexByte(l.src[at:l.end], '\r'); i >= 0 {
		l.end = at + i
		if l.end+1 != l.feed {
			l.next = l.end + 1
		}
	}
	l.column = 0
	l.seek(at, 0)
	return true
}

// seek finds the text from an offset and its column on.
func (l *markdownLine) seek(at, column int) {
	for at < l.end {
		switch l.src[at] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			l.text, l.textColumn = at, column
			return
		}
		at++
	}
	l.text, l.textColumn = at, column
}

func (l *markdownLine) blank() bool { return l.text == l.end }

func (l *markdownLine) indent() int { return l.textColumn - l.column }

// skip passes over n columns, or the white space that there is.
func (l *markdownLine) skip(n int) { l.column = min(l.column+n, l.textColumn) }

// take passes over n bytes of the text.
func (l *markdownLine) take(n int) {
	l.column = l.textColumn + n
	l.seek(l.text+n, l.column)
}

// count returns how often c stands at the beginning of the text.
func (l *markdownLine) count(c byte) int {
	n := 0
	for l.text+n < l.end && l.src[l.text+n] == c {
		n++
	}
	return n
}

// blankFrom reports whether there are only spaces and tabs from an offset on.
func (l *markdownLine) blankFrom(at int) bool {
	return len(bytes.TrimLeft(l.src[at:l.end], " \t")) == 0
}

// quoted passes over the mark of a block quote.
func (l *markdownLine) quoted() bool {
	if l.blank() || l.indent() >= 4 || l.src[l.text] != '>' {
		return false
	}
	l.take(1)
	l.skip(1)
	return true
}

// item passes over the mark of a list item and the space after it. In a paragraph only
// an item that holds something begins a list, and of numbers only one.
func (l *markdownLine) item(inParagraph bool) (container, bool) {
	n, first := l.marker()
	after := l.text + n
	if n == 0 || after < l.end && l.src[after] != ' ' && l.src[after] != '\t' ||
		inParagraph && (!first || l.blankFrom(after)) {
		return container{}, false
	}
	c := container{indent: l.indent() + n + 1}
	l.take(n)
	switch spaces := l.indent(); {
	case l.blank():
		c.empty = true
	case spaces >= 5: // the rest is indented code
		l.skip(1)
	default:
		c.indent += spaces - 1
		l.skip(spaces)
	}
	return c, true
}

// marker returns the length of the mark of a list item, 0 if there is none, and whether
// it may begin a list in a paragraph.
func (l *markdownLine) marker() (n int, first bool) {
	text := l.src[l.text:l.end]
	switch text[0] {
	case '-', '+', '*':
		return 1, true
	}
	number := 0
	for n < len(text) && n < 10 && '0' <= text[n] && text[n] <= '9' {
		number = 10*number + int(text[n]-'0')
		n++
	}
	if n == 0 || n == 10 || n == len(text) || text[n] != '.' && text[n] != ')' {
		return 0, false
	}
	return n + 1, number == 1
}

// thematicBreak reports whether the text is a mark three times or more, and spaces.
func (l *markdownLine) thematicBreak() bool {
	mark, n := l.src[l.text], 0
	for _, c := range l.src[l.text:l.end] {
		switch c {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}
