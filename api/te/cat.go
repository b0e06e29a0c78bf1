package te

import (
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/index/grep"
)

// How many symbols a breadcrumb names.
const (
	mediumSymbols = 12
	highSymbols   = 40
)

// A Contents is an answer to cat: the beginning of a text, or a page of what it left
// out.
type Contents struct {
	Meta   Meta // without the handle
	Text   string
	Crumbs []Crumb
	Next   int // the byte of the text that was asked for with which the rest begins
}

// NewContents takes as much of a file as fits: at most the strategy's preview, or all
// lines where that is 0.
func NewContents(f *grep.FileText, o Options) *Contents {
	c := &Contents{Meta: o.meta("cat")}
	preview := o.Strategy.Preview
	c.Meta.Lines = &f.Lines
	c.Meta.ContentType = ContentType(f.Lang, f.File, f.Text)
	if o.Limit > 0 {
		preview = o.Limit
	}
	c.Next = CutText(f.Text, preview, o.Budget-reserve)
	c.Text = f.Text[:c.Next]
	if rest := f.Text[c.Next:]; rest != "" {
		c.Meta.Truncated = true
		c.Crumbs = append(c.Crumbs, Crumb{Text: leftOf(f, c.Text, rest, o.Strategy.Density)})
	}
	if f.Changed {
		c.Crumbs = append(c.Crumbs, Crumb{Text: "the file has changed since it was indexed"})
	}
	return c
}

// Numbered returns a text with the number of each line in front, as cat -n has it.
func Numbered(text string, first int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%6d\t%s", first, line)
		first++
	}
	return b.String()
}

// leftOf describes the rest of a text: how much there is, and what it defines.
func leftOf(f *grep.FileText, shown, rest, density string) string {
	lines := countLines(rest)
	first := f.Start + strings.Count(shown, "\n")
	if shown != "" && !strings.HasSuffix(shown, "\n") {
		return fmt.Sprintf("%d more characters of line %d, %d more lines", characters(firstLine(rest)), first, lines-1)
	}
	text := fmt.Sprintf("%d more lines", lines)
	most := mediumSymbols
	switch density {
	case Low:
		return text
	case High:
		most = highSymbols
	}
	var names []string
	more := 0
	for _, s := range f.Symbols {
		switch {
		case s.Line < first || s.Line >= first+lines:
		case len(names) < most:
			names = append(names, fmt.Sprintf("%s:%d", clean(s.Symbol), s.Line))
		default:
			more++
		}
	}
	if len(names) == 0 {
		return text
	}
	if text += ": " + strings.Join(names, " "); more > 0 {
		text += fmt.Sprintf(", %d more symbols", more)
	}
	return text
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// TextPages returns where the pages of a text begin and, at last, its length.
func TextPages(text string, budget int) []int {
	starts := []int{0}
	for at := 0; at < len(text); {
		at += CutText(text[at:], 0, max(budget-reserve, 1))
		starts = append(starts, at)
	}
	if len(starts) == 1 {
		return []int{0, 0}
	}
	return starts
}

// ContentsPage renders a page of what an answer to cat left out.
func ContentsPage(f *grep.FileText, text string, at Place, changed bool) *Contents {
	c := &Contents{Meta: newMeta("cat"), Text: text, Crumbs: at.crumb(0)}
	c.Meta.Lines, c.Meta.Truncated = &f.Lines, !at.last()
	c.Meta.ContentType = ContentType(f.Lang, f.File, f.Text)
	if changed {
		c.Crumbs = append(c.Crumbs, Crumb{Text: "the file has changed since the handle was made"})
	}
	return c
}

// Render renders the answer; the header has the handle, if there is one.
func (c *Contents) Render(handle string) string {
	c.Meta.Handle = handle
	text := c.Meta.Header()
	if c.Text != "" {
		text += "\n" + c.Text
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
	}
	for i, crumb := range c.Crumbs {
		if i == 0 {
			text += "\n"
		}
		text += crumbMark + crumb.Text + "\n"
	}
	return text
}

// Refusal renders that a file has no lines to show.
func Refusal(size int64, contentType, code, message string) string {
	m := newMeta("cat")
	m.Size, m.ContentType, m.Error = &size, contentType, code
	return m.Header() + "\n" + errorMark + clean(message) + "\n"
}
