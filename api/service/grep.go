package service

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/reach"
	"github.com/quarry-search/quarry/api/remainder"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// Grep answers with the lines that match, the best first; with nil where the answer is the
// call's text, or was sent as it was found.
func (s *Service) Grep(ctx context.Context, c *Call, request *wire.GrepRequest) (*wire.GrepResponse, error) {
	s.fill(c, request)
	e := s.envelope(c, cmdGrep, request.Scope, request.TimeoutMS)
	q, form := te.GrepOf(request)
	opt := e.options(e.opt.Envelope.GrepChars, request.Limit)
	e.note(q.Pattern)
	a := &grepAcross{envelope: e, query: q, shown: opt.Bounded()}
	r := &reach.Request{Project: request.Project, Projects: request.Projects, Words: []string{q.Pattern}, Elsewhere: func(within time.Duration) project.Question {
		return a.elsewhere(request, within)
	}}
	if !c.Form.Raw && form == (grep.Form{}) && s.finder().Everywhere(ctx, r) {
		r.Projects = []string{"*"}
	}
	if r.Projects != nil {
		body, err := a.answer(ctx, r)
		if err != nil || c.Form.TE {
			return nil, err
		}
		return encoded(c, body)
	}
	if c.Form.Raw {
		// What is sent as it is found waits for a client that takes its time: such
		// answers have slots of their own, and a bound for each write.
		return nil, e.within(ctx, slot.Streamed, func(ctx context.Context, p Project) error { return e.sendRaw(ctx, p, q, form, opt.Limit) })
	}
	var body *wire.GrepResponse
	err := e.within(ctx, slot.Heavy, func(ctx context.Context, p Project) (err error) {
		if form == (grep.Form{}) {
			body, err = e.grep(ctx, p.Index, q, opt)
		} else {
			body, err = e.rows(ctx, p.Index, q, form, opt)
		}
		return err
	})
	if err != nil || c.Form.TE {
		return nil, err
	}
	body.Clamped = c.Clamped
	return encoded(c, body)
}

// grep asks the index; where the answer is a text, it has been given.
func (e *envelope) grep(ctx context.Context, x Index, q grep.GrepQuery, opt te.Options) (*wire.GrepResponse, error) {
	nothing, err := named(x, &q.Path, q.Paths)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, e.opt.Envelope.GrepTimeout)
	defer cancel()
	g, err := x.Grep(limited, q)
	if err != nil {
		return nil, err
	}
	if g.Matches == 0 {
		if nothing, err = unsearched(x, q.Path, q.Paths); err != nil {
			return nil, err
		}
	}
	e.c.event.InputSize = g.Bytes
	e.head(g.State.Generation, g.Matches)
	res, err := grepResult(ctx, x, g, opt)
	if err != nil {
		return nil, err
	}
	if nothing != "" {
		res.Crumbs = append(res.Crumbs, te.Crumb{Text: nothing})
	}
	if e.c.Cut = res.Meta.Truncated; e.c.Cut {
		res.Meta.Handle = e.keep(ctx, g.Matches, &remainder.Grep{Root: x.Root(), Grep: g, Rest: res.Rest, Base: e.base})
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern, Files: te.FilesOf(res.Lines), Handle: res.Meta.Handle})
	if e.c.Form.TE {
		e.say(res.Text(res.Meta.Handle))
		return nil, nil
	}
	return &wire.GrepResponse{
		Matches: te.Matches(res.Lines), Breadcrumbs: te.Texts(res.Crumbs), Searched: g.Searched, Unread: g.Unread, Index: indexOf(g.State), Meta: res.Meta.Wire(),
	}, nil
}

// A grepAcross is a grep over several projects.
type grepAcross struct {
	*envelope
	query grep.GrepQuery
	shown te.Options
	parts []*te.Part // of the others, once they have answered
}

// elsewhere is what other servers are asked.
func (a *grepAcross) elsewhere(request *wire.GrepRequest, within time.Duration) project.Question {
	ask := *request
	ask.Scope, ask.Limit, ask.TimeoutMS = wire.Scope{}, a.shown.Limit, max(1, int(within.Milliseconds()))
	return project.QuestionOf("grep", func(names []string) any {
		of := ask
		of.Projects = names
		return &of
	}, func(b *wire.GrepResponse) (*wire.Unasked, error) {
		a.parts = append(a.parts, te.PartsOf(b)...)
		return b.Unasked, nil
	})
}

// answer asks all of them, and puts what they have together; where that is a text, it has been given.
func (a *grepAcross) answer(ctx context.Context, r *reach.Request) (*wire.GrepResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(a.timeout)*time.Millisecond)
	defer cancel()
	over, done, err := a.Service.scope(ctx, a.c, r)
	if err != nil {
		return nil, err
	}
	defer done()
	var parts []*te.Part
	err = a.inSlot(ctx, a.c, slot.Heavy, func() (err error) {
		parts, err = a.here(ctx, over)
		return err
	})
	if err == nil {
		err = over.Wait()
	}
	if err != nil {
		return nil, err
	}
	for _, p := range a.parts {
		over.elsewhere = append(over.elsewhere, wire.ProjectState{Project: p.Project, Index: p.Index, NoPath: p.NoPath})
	}
	worst, _, err := over.states()
	if err != nil {
		return nil, err
	}
	return a.merge(over, te.InOrder(append(parts, a.parts...), over.Order()), worst)
}

// here asks the projects that are here.
func (a *grepAcross) here(ctx context.Context, over *scope) (parts []*te.Part, err error) {
	limited, cancel := context.WithTimeout(ctx, a.opt.Envelope.GrepTimeout)
	defer cancel()
	for i, p := range over.Here {
		part, state, err := a.one(ctx, limited, p)
		if missing(err) {
			over.skip[i], over.gone = true, cmp.Or(over.gone, err)
			state, err = p.Index.State(), nil
			part = te.NewPart(p.Name, &grep.GrepAnswer{}, indexOf(state))
			part.NoPath = true
		}
		if err != nil {
			return nil, err
		}
		over.last[i], parts = state, append(parts, part)
	}
	return parts, nil
}

// one asks one project.
func (a *grepAcross) one(ctx, limited context.Context, p Project) (*te.Part, answer.State, error) {
	q := a.query
	q.Paths = slices.Clone(q.Paths)
	if _, err := named(p.Index, &q.Path, q.Paths); err != nil {
		return nil, answer.State{}, err
	}
	g, err := p.Index.Grep(limited, q)
	if err == nil && g.Matches == 0 {
		_, err = unsearched(p.Index, q.Path, q.Paths)
	}
	if err != nil {
		return nil, answer.State{}, err
	}
	a.c.event.InputSize += g.Bytes
	part := te.NewPart(p.Name, g, indexOf(g.State))
	return part, g.State, part.Fill(ctx, p.Index, g, a.shown)
}

// merge makes one answer of what projects have.
func (a *grepAcross) merge(over *scope, parts []*te.Part, worst wire.Index) (*wire.GrepResponse, error) {
	gone := cmp.Or(over.gone, wire.Problemf(wire.CodeNotFound, "the path %q does not exist", cmp.Or(a.query.Path, strings.Join(a.query.Paths, " "))))
	if nowhere := !slices.ContainsFunc(parts, func(p *te.Part) bool { return !p.NoPath }); nowhere && !(over.Between && notFound(gone)) {
		return nil, gone
	}
	if over.Between { // all of it: whoever asks has a budget
		a.shown.Budget, a.shown.Limit = math.MaxInt32, math.MaxInt32
	}
	res, projects := te.Across(parts, len(over.Unasked), answer.State{State: string(worst.State), Empty: worst.Empty}, a.shown)
	a.head(worst.Generation, *res.Meta.Matches)
	a.c.Cut = res.Meta.Truncated
	a.saw(coach.Action{Kind: coach.Search, Query: a.query.Pattern, Files: te.FilesOf(res.Lines)})
	if a.c.Form.TE {
		a.say(res.TextAcross(projects))
		return nil, nil
	}
	body := te.Response(res, projects, parts)
	body.Index, body.Unasked, body.Clamped = worst, several.Left(over.Unasked), a.c.Clamped
	return body, nil
}

// named resolves the paths of a question, and says of those that are named which hold nothing
// that is searched.
func named(x Index, path *string, paths []string) (nothing string, err error) {
	if err := resolveAll(x, path, paths); err != nil {
		return "", err
	}
	return unsearched(x, "", paths)
}

// grepResult takes the lines to show from the index.
func grepResult(ctx context.Context, x Index, g *grep.GrepAnswer, opt te.Options) (*te.Result, error) {
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

// sendRaw answers with all lines as grep prints them, by path, or with as many as limit,
// without an envelope.
func (e *envelope) sendRaw(ctx context.Context, p Project, q grep.GrepQuery, form grep.Form, limit int) error {
	missing, err := named(p.Index, &q.Path, q.Paths)
	if err != nil {
		return err
	}
	e.c.Missing = missing
	out := e.c.Raw
	out.Begin(p.Index.State().Generation)
	printed, err := p.Index.GrepRaw(ctx, q, grep.RawOptions{Name: e.base.Path, Limit: limit, Form: form}, out)
	e.c.event.InputSize = out.Size()
	if err == nil && printed.Matches == 0 {
		e.c.Missing, err = unsearched(p.Index, q.Path, q.Paths)
	}
	if e.c.Missing == "" && (printed.Matches == 0 || form != (grep.Form{})) {
		e.c.Missing = te.Unsearched(printed.Out)
	}
	switch {
	case out.Gone():
		return nil
	case err != nil && out.Begun():
		e.c.Broken = err
		return nil
	case err != nil:
		return err
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern})
	e.c.Matches, e.c.Counted = printed.Matches, true
	return nil
}

// maxPaths bounds how many paths a request may name.
const maxPaths = 1024

// readPaths checks the fields of a request for paths.
func readPaths(d *fields.Fields, paths []string) {
	switch {
	case len(paths) > maxPaths:
		d.Failf("paths has more than %d elements", maxPaths)
	case len(paths) > 0 && d.Text("path", fields.MaxPath) != "":
		d.Failf("path and paths cannot both be given")
	}
}

func readGrep(d *fields.Fields, q *wire.GrepRequest) {
	readPaths(d, q.Paths)
	if q.Projects = readProjects(d); q.Projects != nil {
		if _, form := te.GrepOf(q); form != (grep.Form{}) || d.Flag("raw") || d.Has("base") {
			d.Failf("projects is for lines that are ranked, and cannot be given with raw, base or the fields from invert to no_line_number")
		}
	}
	if q.Only && q.Word && !q.Literal && (q.Syntax == "" || q.Syntax == grep.RE2) {
		d.Failf("only_matching with word is for the syntaxes basic and extended, and for literal")
	}
}

// resolveAll is resolve for path and paths.
func resolveAll(x Index, path *string, paths []string) error {
	err := resolve(x, path)
	for i := range paths {
		if err == nil {
			err = resolve(x, &paths[i])
		}
		if paths[i] == "" {
			paths[i] = "."
		}
	}
	return err
}

// unsearched says which of path and paths is there and holds no file that is searched, ""
// for none; it fails where one is not there.
func unsearched(x Index, path string, paths []string) (string, error) {
	said := ""
	nothing, err := unindexed(x, path)
	if nothing {
		said = "no file at or below the path is searched"
	}
	for _, path := range paths {
		if path == "." || err != nil {
			continue
		}
		if nothing, err = unindexed(x, path); nothing {
			said = "no file at or below " + path + " is searched"
		}
	}
	return said, err
}

// rows asks the index for what grep prints in a form; where the answer is a text, it has
// been given.
func (e *envelope) rows(ctx context.Context, x Index, q grep.GrepQuery, form grep.Form, opt te.Options) (*wire.GrepResponse, error) {
	nothing, err := named(x, &q.Path, q.Paths)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, e.opt.Envelope.GrepTimeout)
	defer cancel()
	form.NoZeros = form.Count // which would be most of the answer
	w := opt.Window()
	printed, err := x.GrepRaw(limited, q, grep.RawOptions{Name: e.base.Path, Form: form}, w)
	cut := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !cut {
		return nil, err
	}
	if printed.Matches == 0 {
		if nothing, err = unsearched(x, q.Path, q.Paths); err != nil {
			return nil, err
		}
	}
	e.c.event.InputSize = w.Size
	e.head(printed.State.Generation, printed.Matches)
	res := te.NewRows(&printed, form, w, cut, opt)
	if nothing != "" {
		res.Crumbs = append(res.Crumbs, te.Crumb{After: len(res.Lines), Text: nothing})
	}
	if e.c.Cut = res.Meta.Truncated; e.c.Cut {
		res.Meta.Handle = e.keep(ctx, printed.Matches, &remainder.Rows{Root: x.Root(), Query: q, Form: form, From: len(res.Lines), Base: e.base})
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern, Handle: res.Meta.Handle})
	if e.c.Form.TE {
		e.say(res.Text(res.Meta.Handle))
		return nil, nil
	}
	return &wire.GrepResponse{
		Matches: []wire.GrepMatch{}, Rows: append([]string{}, res.Lines...), Breadcrumbs: te.Texts(res.Crumbs),
		Unread: printed.Unread, Searched: printed.Searched, Index: indexOf(printed.State), Meta: res.Meta.Wire(),
	}, nil
}
