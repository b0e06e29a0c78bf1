package te

import (
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// wholeFactor times a preview is how many matches are shown whole: with the default
// preview of 10, 50 lines. Sections and breadcrumbs would cost as much as they save.
const wholeFactor = 5

// A Span is a run of a Grep's lines, counted in the order of rank.
type Span struct {
	Section int // of Grep.Sections
	From    int // of the first line, 0 for the best of all
	N       int
}

// Options are what bounds an answer, and its form.
type Options struct {
	Strategy Strategy
	Budget   int // characters
	Limit    int // lines at most, and no previews; 0: any
	Base     Base
}

// Spans returns the lines to show if they fit: all of a small result, of a large one
// the first of each section.
func (o *Options) Spans(g *grep.GrepAnswer) []Span {
	preview, left := max(o.Strategy.Preview, 1), g.Matches
	if o.Limit > 0 {
		preview, left = o.Limit, o.Limit
	} else if g.Matches <= wholeFactor*preview {
		preview = g.Matches
	}
	var spans []Span
	from := 0
	for i, s := range g.Sections {
		if n := min(s.Matches, preview, left); n > 0 {
			spans = append(spans, Span{i, from, n})
			left -= n
		}
		from += s.Matches
	}
	return spans
}

// A Shown is a span with what the index has given for it.
type Shown struct {
	Span
	Lines []grep.GrepLine
	Gone  int // lines of files that are not what they were
}

// A Result is an answer to grep: what is printed of it, and what is left.
type Result struct {
	Meta   Meta            // without the handle
	Lines  []grep.GrepLine // in the order of the text
	Crumbs []Crumb
	Rest   []Span // what is left, in the order of rank
	base   Base
}

// A Crumb is a breadcrumb: it says what is left out up to here.
type Crumb struct {
	After int // lines that come before it
	Text  string
}

// NewResult puts together an answer from as many of the lines as fit into the budget,
// and at least one.
func NewResult(g *grep.GrepAnswer, shown []Shown, o Options) *Result {
	r := &Result{Meta: o.meta("grep"), base: o.Base}
	r.Meta.Matches, r.Meta.Files = &g.Matches, g.Files
	if g.HotZone != nil && o.Strategy.HotZone {
		r.Meta.HotZone = fmt.Sprintf("%s (%.0f%%)", r.zone(g), 100*g.HotZone.Share)
	}
	r.fill(g, shown, o)
	r.Meta.Truncated = len(r.Crumbs) > 0
	if g.Unread > 0 {
		r.note(fmt.Sprintf("%d files could not be read", g.Unread))
	}
	if text := Unsearched(g.Out); text != "" && g.Matches == 0 {
		r.note(text)
	}
	switch {
	case g.State.State == answer.Indexing:
		r.note("the index is being built")
	case g.State.Empty:
		r.note(nothingIndexed)
	}
	return r
}

// fill takes the lines that fit, and counts the others.
func (r *Result) fill(g *grep.GrepAnswer, shown []Shown, o Options) {
	left, full := o.Budget-reserve, false
	printed := make([]int, len(g.Sections)) // and with them those that are gone
	gone := 0
	ends := make([]int, len(g.Sections)) // of each section, in r.Lines
	next := 0                            // of shown
	for i := range g.Sections {
		for ; next < len(shown) && shown[next].Section == i && !full; next++ {
			s := &shown[next]
			n := 0
			for _, l := range s.Lines {
				cost := characters(r.line(&l)) + 1
				if full = cost > left && len(r.Lines) > 0; full {
					break
				}
				r.Lines = append(r.Lines, l)
				left -= cost
				n++
			}
			printed[i] += n
			if !full { // which of them are gone is known only of a whole span
				printed[i] += s.Gone
				gone += s.Gone
			}
		}
		ends[i] = len(r.Lines)
	}
	from := 0
	var parts []string
	for i, s := range g.Sections {
		if n := s.Matches - printed[i]; n > 0 {
			r.Rest = append(r.Rest, Span{i, from + printed[i], n})
			parts = append(parts, r.part(g, s.Name, n, len(parts) == 0))
		}
		if len(parts) > 0 && endsGroup(g, i, o.Strategy.Density) && ends[i] < len(r.Lines) {
			r.Crumbs = append(r.Crumbs, Crumb{ends[i], strings.Join(parts, ", ")})
			parts = nil
		}
		from += s.Matches
	}
	if len(parts) > 0 {
		r.note(strings.Join(parts, ", "))
	}
	if gone > 0 {
		r.note(fmt.Sprintf("%d in files that have changed meanwhile", gone))
	}
	if g.Cut {
		r.note("the time ran out, there may be more")
	}
}

// note adds a breadcrumb at the end.
func (r *Result) note(text string) { r.Crumbs = append(r.Crumbs, Crumb{len(r.Lines), text}) }

// endsGroup reports whether a breadcrumb may follow a section.
func endsGroup(g *grep.GrepAnswer, section int, density string) bool {
	switch density {
	case High:
		return true
	case Low:
		return false
	}
	return section+1 < len(g.Sections) && isCode(g.Sections[section].Name) && !isCode(g.Sections[section+1].Name)
}

func isCode(section string) bool {
	return section == grep.InDefinitions || section == grep.InHotZone || section == grep.InCode
}

// part says how many lines of a section are left out.
func (r *Result) part(g *grep.GrepAnswer, section string, n int, first bool) string {
	where := "in " + section
	switch section {
	case grep.InDefinitions:
		where = section
	case grep.InHotZone:
		if g.HotZone != nil {
			where = "in " + r.zone(g)
		}
	case grep.InCode:
		if g.HotZone != nil {
			where = "elsewhere"
		}
	case grep.InGenerated:
		where = "in generated files"
	}
	if first {
		return fmt.Sprintf("%d more %s", n, where)
	}
	return fmt.Sprintf("%d %s", n, where)
}

func (r *Result) zone(g *grep.GrepAnswer) string {
	return strings.TrimSuffix(r.base.Path(strings.TrimSuffix(g.HotZone.Dir, "/")), "/") + "/"
}

// line renders a match.
func (r *Result) line(l *grep.GrepLine) string {
	text := fmt.Sprintf("%s:%d: %s", r.base.Path(l.File), l.Line, clean(Clip(l)))
	if l.Section == grep.InDefinitions {
		text += "  # definition"
	}
	return text
}

// Bounds of a line that is shown, in characters: a longer one than that is cut to a part
// around its match.
const (
	longLine   = 300
	partOfLine = 240
	leadIn     = 60 // of the part, before the match
)

// Clip returns the text of a line, or of a long one a part around the match, with an
// ellipsis where something is cut off.
func Clip(l *grep.GrepLine) string {
	if characters(l.Text) <= longLine {
		return l.Text
	}
	text := []rune(l.Text)
	from := max(0, min(characters(l.Text[:l.At])-leadIn, len(text)-partOfLine))
	to := min(from+partOfLine, len(text))
	part := string(text[from:to])
	if from > 0 {
		part = "…" + part
	}
	if to < len(text) {
		part += "…"
	}
	return part
}

// Text renders the answer; the header has the handle, if there is one.
func (r *Result) Text(handle string) string {
	r.Meta.Handle = handle
	rows := make([]string, len(r.Lines))
	for i := range r.Lines {
		rows[i] = r.line(&r.Lines[i])
	}
	return render(r.Meta, rows, r.Crumbs)
}

// render puts breadcrumbs between rows, each with a blank line around it.
func render(m Meta, rows []string, crumbs []Crumb) string {
	var b strings.Builder
	b.WriteString(m.Header())
	if len(rows) > 0 {
		b.WriteByte('\n')
	}
	for i := 0; ; i++ {
		noted := false
		for len(crumbs) > 0 && crumbs[0].After <= i {
			if !noted {
				b.WriteByte('\n')
			}
			b.WriteString(crumbMark + crumbs[0].Text + "\n")
			crumbs, noted = crumbs[1:], true
		}
		if i == len(rows) {
			return b.String()
		}
		if noted {
			b.WriteByte('\n')
		}
		b.WriteString(rows[i] + "\n")
	}
}

// Texts returns the breadcrumbs' texts, never nil.
func Texts(crumbs []Crumb) []string {
	texts := make([]string, len(crumbs))
	for i, c := range crumbs {
		texts[i] = c.Text
	}
	return texts
}
