package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/grep"
)

// grepBody is the response of /grep.
type grepBody struct {
	Matches     []wire.GrepMatch `json:"matches"`
	Breadcrumbs []string         `json:"breadcrumbs"`
	Searched    int              `json:"searched"` // files
	Unread      int              `json:"unread"`   // files that could not be read
	Clamped     []string         `json:"clamped,omitempty"`
	Index       wire.Index       `json:"index"`
	Meta        te.Meta          `json:"meta"`
}

func newMatches(lines []grep.GrepLine) []wire.GrepMatch {
	list := make([]wire.GrepMatch, len(lines))
	for i := range lines {
		l := &lines[i]
		list[i] = wire.GrepMatch{File: l.File, Line: l.Line, Content: te.Clip(l), Role: wire.Role(l.Role), Symbol: l.Symbol}
	}
	return list
}

// grep answers with the lines that match, the best first.
func (s *Server) grep(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdGrep)
	e.close(e.answerGrep())
}

func (e *envelope) answerGrep() error {
	d := e.d
	q := grep.GrepQuery{
		Pattern:    d.text("pattern", e.limits.Query),
		Literal:    d.flag("literal"),
		IgnoreCase: d.flag("ignore_case"),
		Word:       d.flag("word"),
		Path:       d.text("path", maxPath),
		Glob:       d.few("glob", maxName),
	}
	if q.Pattern == "" {
		d.failf("pattern is missing or empty")
	}
	opt := e.options(e.opt.Envelope.GrepChars)
	e.note(q.Pattern)
	d.heavily(true)
	if e.raw {
		return e.about(func(ctx context.Context, p Project) error { return e.grepRaw(ctx, p, q, opt.Limit) })
	}
	var g *grep.GrepAnswer
	var body grepBody
	var text string
	err := e.within(func(ctx context.Context, p Project) (err error) {
		x := p.Index
		if err := resolve(x, &q.Path); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, e.opt.Envelope.GrepTimeout)
		defer cancel()
		if g, err = x.Grep(limited, q); err != nil {
			return err
		}
		nothing := false
		if g.Matches == 0 {
			if nothing, err = unindexed(x, q.Path); err != nil {
				return err
			}
		}
		e.event.InputSize = g.Bytes
		e.head(g.State.Generation, g.Matches)
		res, err := e.grepResult(ctx, x, g, opt)
		if err != nil {
			return err
		}
		if nothing {
			res.Crumbs = append(res.Crumbs, te.Crumb{Text: "no file at or below the path is searched"})
		}
		if e.event.Truncated = res.Meta.Truncated; e.event.Truncated {
			res.Meta.Handle = e.keep(g.Matches, &grepHandle{root: x.Root(), grep: g, rest: res.Rest, base: e.base})
		}
		e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern, Files: filesOf(res.Lines), Handle: res.Meta.Handle})
		if e.text {
			text = res.Text(res.Meta.Handle)
			return nil
		}
		body = grepBody{newMatches(res.Lines), te.Texts(res.Crumbs), g.Searched, g.Unread, d.clamped, newIndexBody(g.State), res.Meta}
		return nil
	})
	switch {
	case err != nil:
		return err
	case e.text:
		e.send(http.StatusOK, text)
		return nil
	}
	return e.sendJSON(&body)
}

// filesOf returns the files of lines, some of them more than once.
func filesOf(lines []grep.GrepLine) []string {
	var files []string
	for i := range lines {
		if n := len(files); n == 0 || files[n-1] != lines[i].File {
			files = append(files, lines[i].File)
		}
	}
	return files
}

// grepResult takes the lines to show from the index.
func (e *envelope) grepResult(ctx context.Context, x Index, g *grep.GrepAnswer, opt te.Options) (*te.Result, error) {
	var shown []te.Shown
	for _, span := range opt.Spans(g) {
		lines, gone, err := x.Lines(ctx, g, span.From, span.N)
		if err != nil {
			return nil, err
		}
		shown = append(shown, te.Shown{Span: span, Lines: lines, Gone: gone})
	}
	return te.NewResult(g, shown, opt), nil
}

// rawAnswers is how many answers are sent at once as they are found.
const rawAnswers = 4

// grepRaw answers with all lines as grep prints them, by path, or with as many as limit,
// without an envelope. How many there are follows as a trailer.
func (e *envelope) grepRaw(ctx context.Context, p Project, q grep.GrepQuery, limit int) error {
	if err := resolve(p.Index, &q.Path); err != nil {
		return err
	}
	// What is sent as it is found waits for a client that takes its time: such
	// answers have slots of their own, and a bound for each write.
	_, err := e.inSlot(ctx, streamed, func() error { return e.sendRaw(ctx, p, q, limit) })
	return err
}

// sendRaw is grepRaw in its slot.
func (e *envelope) sendRaw(ctx context.Context, p Project, q grep.GrepQuery, limit int) error {
	e.setGeneration(e.w, p.Index.State().Generation)
	out := &rawAnswer{w: e.w, head: e.r.Method == http.MethodHead, control: http.NewResponseController(e.w), limit: e.limits.WriteTimeout}
	matches, err := p.Index.GrepRaw(ctx, q, grep.RawOptions{Name: e.base.Path, Limit: limit}, out)
	e.event.InputSize, e.event.OutputSize = out.n, out.n
	if err == nil && matches == 0 {
		_, err = unindexed(p.Index, q.Path)
	}
	switch {
	case out.gone:
		return nil
	case err != nil && out.begun:
		e.broken(err)
	case err != nil:
		return err
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern})
	out.begin()
	e.w.Header().Set(headerMatches, strconv.Itoa(matches))
	return nil
}

// broken ends an answer of which a part is out, so that the client sees that it is not
// whole.
func (e *envelope) broken(err error) {
	code := classify(err).code
	e.event.Mode, e.event.Error = te.ErrorMode, &code
	e.log.WarnContext(e.r.Context(), "an answer was broken off", "endpoint", endpoint(e.r), "err", err)
	e.close(nil)
	panic(http.ErrAbortHandler)
}
