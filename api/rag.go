package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index/search"
)

// cmdRag is a search in the form of the envelope.
const cmdRag = "rag"

// rag answers a search with the text of the envelope. What is wrong with the request is
// said in JSON, as by every search.
func (s *Server) rag(w http.ResponseWriter, r *http.Request, d *decoder) {
	delete(d.fields, "format") // it is the one of this answer
	e := s.envelopeOf(w, r, d, cmdRag)
	e.text = false
	e.close(e.answerRag())
}

func (e *envelope) answerRag() error {
	d := e.d
	if d.has("queries") || d.has("projects") {
		d.failf("format te is for one query of one project")
	}
	queries, q := e.searchQuery(d)
	opt := e.options(e.opt.Envelope.GrepChars)
	// What is not shown is kept, as far as a search can be asked for.
	q.Limit, q.MaxTokens = e.limits.Limit, 0
	q.Text = queries[0]
	e.note(q.Text)
	d.heavily(q.Mode == search.Regex)
	var f *te.Findings
	err := e.within(func(ctx context.Context, p Project) error {
		if err := resolve(p.Index, &q.Path); err != nil {
			return err
		}
		a, err := p.Index.Search(ctx, q)
		if err != nil {
			return err
		}
		if len(a.Results) == 0 {
			if _, err := unindexed(p.Index, q.Path); err != nil {
				return err
			}
		}
		e.event.InputSize = searchSize(a.Results)
		e.head(a.State.Generation, a.Matches)
		f = te.NewFindings(&a, opt)
		e.event.Truncated = f.Meta.Truncated
		if f.Rest > 0 {
			f.Meta.Handle = e.keep(a.Matches, &ragHandle{root: p.Index.Root(), query: q, from: len(f.Results), base: e.base})
		}
		e.saw(coach.Action{Kind: coach.Search, Query: q.Text})
		return nil
	})
	if err != nil {
		return err
	}
	e.send(http.StatusOK, f.Text(f.Meta.Handle))
	return nil
}

// searchSize is what results take as they are, in bytes.
func searchSize(results []search.Result) (n int64) {
	for i := range results {
		n += int64(len(results[i].File) + len(results[i].Content) + 2)
	}
	return n
}

// A ragHandle is what an answer to a search left out: the question.
type ragHandle struct {
	root  string
	query search.Query
	from  int // results to pass over
	base  te.Base
}

// Weight says what the question takes.
func (h *ragHandle) Weight() int64 {
	n := 512 + len(h.root) + len(h.base) + len(h.query.Text) + len(h.query.Path)
	for _, list := range [][]string{h.query.Glob, h.query.Lang, h.query.Kind, h.query.Without} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	return int64(n)
}

func (h *ragHandle) project() string { return h.root }

func (h *ragHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	a, err := x.Search(ctx, h.query)
	if err != nil {
		return chunk{}, err
	}
	rest := a.Results[min(h.from, len(a.Results)):]
	pager := te.Pager{Budget: budget}
	for i := range rest {
		pager.Add(te.FindingCost(h.base, &rest[i]))
	}
	c := chunk{state: a.State, size: searchSize(a.Results), chunks: pager.Pages(0)}
	if n > c.chunks {
		return c, nil
	}
	from, to := pager.Page(n)
	f := te.FindingsPage(a.Matches, rest[from:to], te.Place{Page: n, Pages: c.chunks}, h.base)
	c.text = f.Text(more(id, n, c.chunks))
	c.body = handleBody{Results: &f.Results, Breadcrumbs: te.Texts(f.Crumbs), Meta: f.Meta}
	return c, nil
}
