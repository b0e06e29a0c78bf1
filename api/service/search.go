package service

import (
	"context"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/reach"
	"github.com/quarry-search/quarry/api/remainder"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
)

// searchResponse is an answer to a search.
type searchResponse struct {
	results  []search.Result
	index    wire.Index
	projects []wire.ProjectState
	unasked  *wire.Unasked
	meta     wire.Meta
	receipt  *wire.Receipt

	receipted bool // it has a receipt: there is a budget, or a session
}

func (b *searchResponse) short() bool { return b.meta.Truncated }

func (b *searchResponse) wire() any {
	return &wire.SearchResponse{Results: Each(b.results, several.ResultOf), Index: b.index, Projects: b.projects, Unasked: b.unasked, Meta: b.meta, Receipt: b.receipt}
}

// batchResponse is an answer to a search with several queries.
type batchResponse struct {
	answers  []queryAnswer
	index    wire.Index // that gave the last answer
	projects []wire.ProjectState
	unasked  *wire.Unasked
	receipt  *wire.Receipt // of all answers together

	receipted bool
	between   bool // for another server
}

type queryAnswer struct {
	query   string
	results []search.Result
	meta    wire.Meta
}

func (b *batchResponse) short() bool {
	for i := range b.answers {
		if b.answers[i].meta.Truncated {
			return true
		}
	}
	return false
}

func (b *batchResponse) wire() any {
	result := several.ResultOf
	if b.between {
		result = several.ResultBetween
	}
	answers := Each(b.answers, func(a *queryAnswer) wire.BatchAnswer {
		return wire.BatchAnswer{Query: a.query, Results: Each(a.results, result), Meta: a.meta}
	})
	return &wire.BatchResponse{Answers: answers, Index: b.index, Projects: b.projects, Unasked: b.unasked, Receipt: b.receipt}
}

// queryOf is what a search asks the index for, but for the words.
func queryOf(q *wire.SearchRequest) search.Query {
	return search.Query{
		Limit: q.Limit, Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Role: string(q.Role), Tests: string(q.Tests), MinScore: q.MinScore, PerFile: q.PerFile,
		MaxTokens: q.MaxTokens, Symbol: q.Symbol, Mode: search.Mode(q.Mode), Explain: q.Explain == wire.ExplainSignals, Why: q.Explain == wire.ExplainShort, Rerank: q.Rerank, Without: q.Without,
	}
}

// Search answers with a *wire.SearchResponse, or to several queries with a
// *wire.BatchResponse; where the call's form says so, with a *wire.OsgrepResponse.
func (s *Service) Search(ctx context.Context, c *Call, q *wire.SearchRequest) (any, error) {
	s.fill(c, q)
	if c.Form.Rag {
		return nil, s.rag(ctx, c, q)
	}
	queries := queriesOf(q)
	var rest []*wire.BatchResponse
	r := &reach.Request{Project: q.Project, Projects: q.Projects, Words: queries, Elsewhere: func(within time.Duration) project.Question {
		return several.Elsewhere(q, queries, within, func(b *wire.BatchResponse) { rest = append(rest, b) })
	}}
	if len(q.Overlay) == 0 && s.finder().Everywhere(ctx, r) {
		r.Projects = []string{"*"}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(q.TimeoutMS)*time.Millisecond)
	defer cancel()
	over, done, err := s.scope(ctx, c, r)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := over.resolve(q.Path); err != nil {
		return nil, err
	}
	v := &view{clamped: c.Clamped, overlay: overlayOf(q.Overlay)}
	if v.reader, err = s.sessions.Reader(ctx, q.SessionID, q.Fresh, over.roots()); err != nil {
		return nil, err
	}
	c.reader = v.reader
	c.words = strings.Join(queries, " ")
	ask := queryOf(q)
	d := &batchResponse{answers: make([]queryAnswer, 0, len(queries)), receipted: q.MaxTokens > 0 || v.reader.Has(), between: over.Between}
	class := heavyIf(v.overlay != nil || q.Mode == wire.ModeRegex || q.Rerank || len(queries)*len(over.Here) > heavySearches)
	here := make([]*several.Found, len(queries))
	err = s.inSlot(ctx, c, class, func() error {
		if v.overlay != nil {
			x, done, err := v.overlay.see(ctx, over.Here[0].Index)
			if err != nil {
				return err
			}
			defer done()
			over.Here[0].Index = x
		}
		for i, text := range queries {
			var err error
			ask.Text = text
			if here[i], err = over.ask(ctx, ask, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil { // without a slot: they may wait for one that somebody has who waits for this server
		err = over.Wait()
	}
	if err == nil {
		for _, b := range rest {
			over.elsewhere = append(over.elsewhere, b.Projects...)
		}
		d.index, d.projects, err = over.states()
	}
	if err != nil {
		return nil, err
	}
	for i, text := range queries {
		results, meta, err := over.merge(i, here[i], rest, ask, v)
		if err != nil {
			return nil, err
		}
		d.answers = append(d.answers, queryAnswer{text, results, meta})
	}
	d.unasked = several.Left(over.Unasked)
	if q.Queries != nil {
		return s.made(c, d, d.index.Generation)
	}
	one := d.answers[0]
	return s.made(c, &searchResponse{results: one.results, index: d.index, projects: d.projects, unasked: d.unasked, meta: one.meta, receipted: d.receipted}, d.index.Generation)
}

// queriesOf are those of a search.
func queriesOf(q *wire.SearchRequest) []string {
	if q.Queries != nil {
		return q.Queries
	}
	return []string{q.Query}
}

// Related answers with what is like the chunk at a line of a file.
func (s *Service) Related(ctx context.Context, c *Call, q *wire.RelatedRequest) (*wire.SearchResponse, error) {
	s.fill(c, q)
	ask := search.Query{
		Limit: q.Limit, Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Role: string(q.Role), Tests: string(q.Tests), MinScore: q.MinScore, PerFile: q.PerFile, MaxTokens: q.MaxTokens,
	}
	file, line := q.File, q.Line
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, fresh: q.Fresh, class: slot.Cheap, remembers: true}
	return as[wire.SearchResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if q.Target != "" {
			at, err := v.Extract(ctx, outline.ExtractQuery{Target: q.Target, MaxTokens: 1})
			if err != nil {
				return nil, answer.State{}, err
			}
			if file, line, err = at.Place(q.Target); err != nil {
				return nil, answer.State{}, wire.Problemf(wire.CodeInvalidRequest, "%v", err)
			}
		}
		for _, path := range []*string{&file, &ask.Path} {
			if err := resolve(v, path); err != nil {
				return nil, answer.State{}, err
			}
		}
		if ask.MaxTokens > 0 {
			ask.Sent = v.reader.Sent("")
		}
		a, err := v.Related(ctx, file, line, ask)
		if err != nil {
			return nil, a.State, err
		}
		d := &searchResponse{index: indexOf(a.State), receipted: q.MaxTokens > 0 || v.reader.Has()}
		d.results, d.meta, err = report(v, "related", ask, a, v)
		return d, a.State, err
	}))
}

// report puts an answer into the form of a response.
func report(x Index, cmd string, q search.Query, a search.Answer, v *view) ([]search.Result, wire.Meta, error) {
	meta := wire.Meta{V: 1, Command: cmd, Matches: a.Matches, Truncated: a.Truncated, TruncatedBy: cutsOf(a.Cuts), Clamped: v.clamped,
		Changed: a.Changed, Unchecked: a.Unchecked, Overlay: v.overlay.meta(cmd)}
	if len(a.Results) == 0 {
		// Nothing below a path that is not there is not the same as no match.
		if v.overlay.deleted(q.Path) {
			return nil, meta, wire.Problemf(wire.CodeNotFound, "the path %q does not exist", q.Path)
		}
		var err error
		if meta.Unindexed, err = unindexed(x, q.Path); err != nil {
			return nil, meta, err
		}
	}
	if a.Results == nil {
		a.Results = []search.Result{}
	}
	if q.MaxTokens > 0 {
		meta.Tokens = several.Cost(a.Results)
	}
	return a.Results, meta, nil
}

// rag answers a search with the text of the envelope. What is wrong with the request is
// said in JSON, as by every search.
func (s *Service) rag(ctx context.Context, c *Call, request *wire.SearchRequest) error {
	e := s.envelope(c, cmdRag, request.Scope, request.TimeoutMS)
	q := queryOf(request)
	opt := e.options(s.opt.Envelope.GrepChars, c.Form.Limit)
	// What is not shown is kept, as far as a search can be asked for.
	q.Limit, q.MaxTokens = s.limits.Limit, 0
	q.Text = request.Query
	e.note(q.Text)
	return e.within(ctx, heavyIf(q.Mode == search.Regex || q.Rerank), func(ctx context.Context, p Project) error {
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
		c.event.InputSize = searchSize(a.Results)
		e.head(a.State.Generation, a.Matches)
		f := te.NewFindings(&a, opt)
		c.Cut = f.Meta.Truncated
		if f.Rest > 0 {
			f.Meta.Handle = e.keep(ctx, a.Matches, &ragHandle{root: p.Index.Root(), query: q, from: len(f.Results), base: e.base})
		}
		e.saw(coach.Action{Kind: coach.Search, Query: q.Text})
		e.say(f.Text(f.Meta.Handle))
		return nil
	})
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
	return int64(n + remainder.Weight(h.query.Glob, h.query.Lang, h.query.Kind, h.query.Without))
}

func (h *ragHandle) Project() string { return h.root }

func (h *ragHandle) Chunk(ctx context.Context, x Index, id string, n, budget int) (remainder.Chunk, error) {
	a, err := x.Search(ctx, h.query)
	if err != nil {
		return remainder.Chunk{}, err
	}
	rest := a.Results[min(h.from, len(a.Results)):]
	pager := te.Pager{Budget: budget}
	for i := range rest {
		pager.Add(te.FindingCost(h.base, &rest[i]))
	}
	c := remainder.Chunk{State: a.State, Size: searchSize(a.Results), Chunks: pager.Pages(0)}
	if n > c.Chunks {
		return c, nil
	}
	from, to := pager.Page(n)
	f := te.FindingsPage(a.Matches, rest[from:to], te.Place{Page: n, Pages: c.Chunks}, h.base)
	c.Text = f.Text(remainder.More(id, n, c.Chunks))
	c.Body = wire.HandleResponse{Results: Each(f.Results, several.ResultOf), Breadcrumbs: te.Texts(f.Crumbs), Meta: f.Meta.Wire()}
	return c, nil
}
