package te

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/index/grep"
)

// Rows are an answer to grep in another form than the ranked one, such as counts or lines
// with those around them: the lines that grep prints, in the order of the paths.
type Rows struct {
	Meta   Meta // without the handle
	Lines  []string
	Crumbs []Crumb
}

// A Window takes what grep prints and keeps the lines of one page of it.
type Window struct {
	Skip int // lines that come before the first page
	Page int // counted from 1
	Most int // lines of the page at most; 0: as many as the budget has room for

	Pager Pager // of the lines after Skip
	Lines []string
	Seen  int   // lines that were written
	Size  int64 // bytes

	open []byte // of a line that has not ended
}

// Write takes lines, which may end in a later call.
func (w *Window) Write(text []byte) (int, error) {
	n := len(text)
	w.Size += int64(n)
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			w.open = append(w.open, text...)
			return n, nil
		}
		w.line(append(w.open, text[:i]...))
		w.open, text = w.open[:0], text[i+1:]
	}
}

// widest is how much of a line is looked at: more characters than of any line are shown.
const widest = longLine * 8

func (w *Window) line(text []byte) {
	if w.Seen++; w.Seen <= w.Skip {
		return
	}
	if w.Most > 0 && len(w.Lines) == w.Most && w.Page == 1 {
		return // only counted
	}
	row := rowOf(text)
	if w.Pager.Add(characters(row) + 1); len(w.Pager.Starts) == w.Page {
		w.Lines = append(w.Lines, row)
	}
}

// rowOf returns a line as it is shown: the beginning of a long one.
func rowOf(text []byte) string {
	if len(text) > widest {
		text = text[:widest]
	}
	row := clean(strings.ToValidUTF8(string(text), "\uFFFD"))
	if characters(row) > longLine {
		row = string([]rune(row)[:partOfLine]) + "…"
	}
	return row
}

// Window returns one for the first page.
func (o *Options) Window() *Window {
	w := &Window{Page: 1, Most: wholeFactor * max(o.Strategy.Preview, 1), Pager: Pager{Budget: o.Budget}}
	if o.Limit > 0 {
		w.Most = o.Limit
	}
	return w
}

// NewRows makes an answer of what was printed in a form. cut says that the time ran out.
func NewRows(p *grep.Printed, form grep.Form, w *Window, cut bool, o Options) *Rows {
	r := &Rows{Meta: o.meta("grep"), Lines: w.Lines}
	r.Meta.Matches, r.Meta.Files = &p.Matches, p.Files
	if n := w.Seen - len(w.Lines); n > 0 {
		r.note(fmt.Sprintf("%d more lines", n))
	}
	if cut {
		r.note("the time ran out, there may be more")
	}
	r.Meta.Truncated = len(r.Crumbs) > 0
	if n := p.Searched - p.Files; n > 0 && form.Count && form.NoZeros && !form.With && !form.Without {
		r.note(fmt.Sprintf("0 in %d other files", n))
	}
	if p.Unread > 0 {
		r.note(fmt.Sprintf("%d files could not be read", p.Unread))
	}
	if text := Unsearched(p.Out); text != "" {
		r.note(text)
	}
	return r
}

// RowsPage renders a page of the lines that an answer left out.
func RowsPage(p *grep.Printed, w *Window, at Place) *Rows {
	r := &Rows{Meta: newMeta("grep"), Lines: w.Lines, Crumbs: at.crumb(len(w.Lines))}
	r.Meta.Matches, r.Meta.Files, r.Meta.Truncated = &p.Matches, p.Files, !at.last()
	return r
}

func (r *Rows) note(text string) { r.Crumbs = append(r.Crumbs, Crumb{len(r.Lines), text}) }

// Text renders the answer; the header has the handle, if there is one.
func (r *Rows) Text(handle string) string {
	r.Meta.Handle = handle
	return render(r.Meta, r.Lines, r.Crumbs)
}

// Unsearched says which files were left out of a search for what they are, "" for none.
func Unsearched(u grep.Unsearched) string {
	var parts []string
	if u.Binary > 0 {
		parts = append(parts, fmt.Sprintf("%d binary files", u.Binary))
	}
	if u.Secret > 0 {
		parts = append(parts, fmt.Sprintf("%d with names of keys or credentials", u.Secret))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " are not searched"
}
