package html

import "github.com/quarry-search/quarry/index/internal/syntax"

// maxElements is how deep elements nest; browsers stop there, too. What is deeper ends
// with its tag. Without a bound the paths of nested definitions grow with the square of
// the text.
const maxElements = 512

// An element is one that is open.
type element struct {
	name, start   int // its number; the offset of its tag
	defs, imports int // how many there were before
}

// elements are those that are open, the outermost first. Many end tags may be left out:
// an element ends where one begins that it cannot hold, or where one ends that holds it.
type elements struct {
	src     []byte
	found   *syntax.Found
	open    []element
	names   []string // by number
	numbers map[string]int
	count   []int // of the open ones, by number: a stray end tag is known at once
}

func newElements(src []byte, found *syntax.Found) elements {
	return elements{src: src, found: found, numbers: map[string]int{}}
}

func (e *elements) number(name []byte) int {
	n, ok := e.numbers[string(name)]
	if !ok {
		n = len(e.names)
		e.names, e.count = append(e.names, string(name)), append(e.count, 0)
		e.numbers[e.names[n]] = n
	}
	return n
}

// enter takes a start tag, closed if it ends itself, and reports whether its element is
// open now.
func (e *elements) enter(name []byte, start int, closed bool) (open bool) {
	n := e.number(name)
	for len(e.open) > 0 && !holds(e.top(), e.names[n]) {
		e.pop(e.textEnd(start))
	}
	open = !closed && !isVoid(e.names[n]) && len(e.open) < maxElements
	if open {
		e.open = append(e.open, element{n, start, len(e.found.Definitions), len(e.found.Assets)})
		e.count[n]++
	}
	return open
}

// leave takes an end tag. One of an element that is not open means nothing.
func (e *elements) leave(name []byte, start, end int) {
	n := e.number(name)
	if e.count[n] == 0 {
		return
	}
	if e.open[len(e.open)-1].name != n {
		for start = e.textEnd(start); e.open[len(e.open)-1].name != n; {
			e.pop(start)
		}
	}
	e.pop(end)
}

// finish takes the end of the text, and reports whether an end tag is missing there that
// must not be.
func (e *elements) finish() (missing bool) {
	for end := e.textEnd(len(e.src)); len(e.open) > 0; {
		missing = missing || !endsItself(e.top())
		e.pop(end)
	}
	return missing
}

// top is the name of the innermost element.
func (e *elements) top() string { return e.names[e.open[len(e.open)-1].name] }

// textEnd is the end of what is no space before an offset.
func (e *elements) textEnd(at int) int { return syntax.Span{End: at}.Trim(e.src).End }

// pop leaves the innermost element. What was defined in its tag goes on to its end.
func (e *elements) pop(end int) {
	last := len(e.open) - 1
	top := e.open[last]
	for i := top.defs; i < len(e.found.Definitions) && e.found.Definitions[i].Start == top.start; i++ {
		e.found.Definitions[i].End = end
	}
	for i := top.imports; i < len(e.found.Assets) && e.found.Assets[i].Start == top.start; i++ {
		e.found.Assets[i].End = end
	}
	e.open = e.open[:last]
	e.count[top.name]--
}

// isVoid reports whether the standard, or one before it, gives an element no end tag.
func isVoid(name string) bool {
	switch name {
	case "area", "base", "basefont", "bgsound", "br", "col", "command", "embed", "frame", "hr",
		"image", "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// endsItself reports whether the end tag of an element may be left out.
func endsItself(name string) bool {
	switch name {
	case "html", "head", "body", "p", "li", "dt", "dd", "rb", "rt", "rtc", "rp", "option", "optgroup",
		"td", "th", "tr", "thead", "tbody", "tfoot", "caption", "colgroup":
		return true
	}
	return false
}

// holds reports whether an element may stand directly in another: where it may not, it
// ends the other.
func holds(outer, inner string) bool {
	switch outer {
	case "li":
		return inner != "li"
	case "dt", "dd":
		return inner != "dt" && inner != "dd"
	case "rb", "rt", "rtc", "rp":
		return inner != "rb" && inner != "rt" && inner != "rtc" && inner != "rp"
	case "option":
		return inner != "option" && inner != "optgroup" && inner != "hr"
	case "optgroup":
		return inner != "optgroup" && inner != "hr"
	case "td", "th":
		return inner != "td" && inner != "th" && holds("tr", inner)
	case "tr":
		return inner != "tr" && holds("tbody", inner)
	case "thead", "tbody", "tfoot":
		return inner != "tbody" && inner != "tfoot"
	case "caption":
		return inner != "colgroup" && inner != "tr" && inner != "thead" && holds("tbody", inner)
	case "colgroup":
		return inner == "col" || inner == "template"
	case "head":
		return inner != "body"
	case "p":
		return !endsParagraph(inner)
	}
	return true
}

// endsParagraph reports whether a paragraph ends where an element begins.
func endsParagraph(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "details", "dialog", "div", "dl", "fieldset",
		"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
		"hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "table", "ul":
		return true
	}
	return false
}
