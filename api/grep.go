package api

import (
	"bytes"
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index"
)

// grepBody is the response of /grep.
type grepBody struct {
	Matches     []grepMatch `json:"matches"`
	Breadcrumbs []string    `json:"breadcrumbs"`
	Searched    int         `json:"searched"` // files
	Unread      int         `json:"unread"`   // files that could not be read
	Clamped     []string    `json:"clamped,omitempty"`
	Index       indexBody   `json:"index"`
	Meta        te.Meta     `json:"meta"`
}

type grepMatch struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Content string `json:"content"`
	Role    string `json:"role,omitempty"`
	Symbol  string `json:"symbol,omitempty"`
}

func newMatches(lines []index.GrepLine) []grepMatch {
	list := make([]grepMatch, len(lines))
	for i, l := range lines {
		list[i] = grepMatch{l.File, l.Line, l.Text, l.Role, l.Symbol}
	}
	return list
}

// rawPage is how many lines of a raw answer are asked for at once.
const rawPage = 4096

// grep answers with the lines that match, the best first.
func (s *Server) grep(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdGrep)
	e.close(e.answerGrep())
}

func (e *envelope) answerGrep() error {
	d := e.d
	q := index.GrepQuery{
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
	var g *index.Grep
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
		if e.raw {
			return nil
		}
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
	case e.raw:
		return e.grepRaw(g, opt.Limit)
	case e.text:
		e.send(http.StatusOK, text)
		return nil
	}
	return e.sendJSON(&body)
}

// grepResult takes the lines to show from the index.
func (e *envelope) grepResult(ctx context.Context, x Index, g *index.Grep, opt te.Options) (*te.Result, error) {
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

// grepRaw answers with all lines as grep prints them, or with as many as limit, without
// an envelope. A slot is held only while the index is asked, and not while a slow
// client takes its time.
func (e *envelope) grepRaw(g *index.Grep, limit int) error {
	left := g.Matches
	if limit > 0 {
		left = min(left, limit)
	}
	out := e.stream()
	defer func() { e.event.OutputSize = out.n }()
	if e.r.Method == http.MethodHead {
		return nil
	}
	var buf bytes.Buffer
	for from := 0; left > 0; {
		n := min(left, rawPage)
		err := e.within(func(ctx context.Context, p Project) error {
			lines, _, err := p.Index.Lines(ctx, g, from, n)
			for i := range lines {
				te.AppendRaw(&buf, e.base, &lines[i])
			}
			return err
		})
		if err != nil {
			e.broken(err)
		}
		if _, err := buf.WriteTo(out); err != nil {
			return nil // the client has gone
		}
		from, left = from+n, left-n
	}
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
