package te

import (
	"fmt"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// Findings are an answer to rag search: a line for each place, the best first.
type Findings struct {
	Meta    Meta // without the handle
	Results []search.Result
	Rest    int // results that are left out
	Crumbs  []Crumb
	base    Base
}

// NewFindings takes as many results as fit, at most the strategy's preview.
func NewFindings(a *search.Answer, o Options) *Findings {
	f := &Findings{Meta: o.meta("rag"), base: o.Base}
	f.Meta.Matches = &a.Matches
	n := min(len(a.Results), max(o.Strategy.Preview, 1))
	if o.Limit > 0 {
		n = min(len(a.Results), o.Limit)
	}
	left := o.Budget - reserve
	for i := range a.Results[:n] {
		if left -= FindingCost(o.Base, &a.Results[i]); left < 0 && i > 0 {
			n = i
			break
		}
	}
	f.Results, f.Rest = a.Results[:n], len(a.Results)-n
	f.Meta.Truncated = n < a.Matches
	if f.Rest > 0 {
		f.Crumbs = append(f.Crumbs, Crumb{n, fmt.Sprintf("%d more", f.Rest)})
	}
	if beyond := a.Matches - len(a.Results); beyond > 0 {
		f.Crumbs = append(f.Crumbs, Crumb{n, fmt.Sprintf("%d that match less than the first %d", beyond, len(a.Results))})
	}
	switch {
	case a.State.State == answer.Indexing:
		f.Crumbs = append(f.Crumbs, Crumb{n, "the index is being built"})
	case a.State.Empty:
		f.Crumbs = append(f.Crumbs, Crumb{n, nothingIndexed})
	}
	return f
}

// FindingsPage renders a page of the results that an answer left out.
func FindingsPage(matches int, results []search.Result, at Place, base Base) *Findings {
	f := &Findings{Meta: newMeta("rag"), Results: results, Crumbs: at.crumb(len(results)), base: base}
	f.Meta.Matches, f.Meta.Truncated = &matches, !at.last()
	return f
}

// FindingCost returns how many characters a result takes as a row.
func FindingCost(base Base, r *search.Result) int {
	f := Findings{base: base}
	return characters(f.row(r)) + 1
}

// row renders a result, with its score as a share.
func (f *Findings) row(r *search.Result) string {
	return fmt.Sprintf("%s:%d: %s  # %.0f%%", f.base.Path(r.File), r.Line, clean(r.Signature), 100*r.Score)
}

// Text renders the answer; the header has the handle, if there is one.
func (f *Findings) Text(handle string) string {
	f.Meta.Handle = handle
	rows := make([]string, len(f.Results))
	for i := range f.Results {
		rows[i] = f.row(&f.Results[i])
	}
	return render(f.Meta, rows, f.Crumbs)
}
