package service

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"github.com/quarry-search/quarry/api/reach"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// A scope is what a request goes over: one project, or several of them.
type scope struct {
	*reach.Projects
	paths     []string // of the query, by project, resolved
	skip      []bool   // by project: it has nothing at the path
	last      []answer.State
	elsewhere []wire.ProjectState // of the others, once they have answered
	gone      error               // there is nothing at the path here
}

// finder finds the projects that requests are about.
func (s *Service) finder() *reach.Finder {
	return &reach.Finder{Projects: s.projects, Others: s.opt.Others, Apart: s.opt.Apart, Code: func(err error) string { return Classify(err).Code }}
}

// scope returns what project, or projects in its place, selects. done must be called.
func (s *Service) scope(ctx context.Context, c *Call, r *reach.Request) (over *scope, done func(), err error) {
	found, done, err := s.finder().Find(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if len(found.Here) == 1 && len(found.Names) <= 1 {
		c.Project = found.Here[0].Name
	}
	n := len(found.Here)
	return &scope{Projects: found, paths: make([]string, n), skip: make([]bool, n), last: make([]answer.State, n)}, done, nil
}

// resolve finds a query's path in each of the projects. It fails when none of them has
// it, and no others are asked, or ask.
func (o *scope) resolve(path string) error {
	var first error
	found := false
	for i, p := range o.Here {
		o.paths[i] = path
		err := resolve(p.Index, &o.paths[i])
		switch {
		case err == nil:
			found = true
		case o.Several && missing(err):
			o.skip[i] = true
			first = cmp.Or(first, err)
		default:
			return err
		}
	}
	if found || o.Elsewhere() || o.Between && notFound(first) {
		o.gone = first
		return nil
	}
	return first
}

// missing reports whether an error says that a project has nothing at a path.
func missing(err error) bool {
	var p *wire.Problem
	return notFound(err) || errors.As(err, &p) && p.Code == wire.CodeInvalidPath
}

func notFound(err error) bool {
	var p *wire.Problem
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &p) && p.Code == wire.CodeNotFound
}

// ask asks the projects that are here one after the other.
func (o *scope) ask(ctx context.Context, q search.Query, v *view) (*several.Found, error) {
	f := &several.Found{Of: map[string][]search.Result{}, Asked: len(o.Here), Gone: o.gone}
	if o.Several {
		q.MaxTokens = 0 // it is for all together
	}
	if q.Path != "" && f.Gone == nil {
		f.Gone = wire.Problemf(wire.CodeNotFound, "the path %q does not exist", q.Path)
	}
	for i, p := range o.Here {
		if o.skip[i] {
			o.last[i] = p.Index.State()
			f.Unindexed++
			continue
		}
		q.Path, q.Sent = o.paths[i], nil
		if q.MaxTokens > 0 {
			q.Sent = v.reader.Sent("")
		}
		found, err := p.Index.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		o.last[i] = found.State
		results, meta, err := report(p.Index, "search", q, found, v)
		if o.Several && notFound(err) {
			f.Unindexed++
			o.skip[i], f.Gone = true, err
			continue
		}
		if err != nil {
			return nil, err
		}
		if !o.Several {
			f.Of[""], f.Sum = results, meta
			return f, nil
		}
		for j := range results {
			results[j].Project = p.Name
		}
		f.Add(p.Name, results, &meta, 1)
	}
	return f, nil
}

// merge puts the results for the query of a number in one order, those of the others included.
func (o *scope) merge(number int, f *several.Found, rest []*wire.BatchResponse, q search.Query, v *view) ([]search.Result, wire.Meta, error) {
	if !o.Several {
		return f.Of[""], f.Sum, nil
	}
	for _, b := range rest {
		f.AddAnswer(b, number)
	}
	if o.Between { // whoever asks knows whether another project has the path
		f.Gone = nil
	}
	all, sum, err := f.Merge(o.Order(), q, func(r *search.Result) bool { return v.reader.Sent(r.Project).Has(r.Lines()) })
	if len(o.Unasked) > 0 {
		cut(&sum, several.CutUnasked)
	}
	sum.V, sum.Command, sum.Clamped = 1, "search", v.clamped
	return all, sum, err
}

// states says which indexes answered; of several the least current one comes first. It fails
// where none did, unless it is another server that asks.
func (o *scope) states() (wire.Index, []wire.ProjectState, error) {
	if !o.Several {
		return indexOf(o.last[0]), nil, nil
	}
	var list []wire.ProjectState
	for i, p := range o.Here {
		list = append(list, wire.ProjectState{Project: p.Name, Index: indexOf(o.last[i]), NoPath: o.skip[i]})
	}
	list = append(list, o.elsewhere...)
	switch {
	case len(list) > 0:
	case o.Between: // whoever asks tells why, of each of them
		return wire.Index{}, nil, nil
	default:
		return wire.Index{}, nil, several.Nobody(o.Unasked)
	}
	return several.Worst(list, o.Order()), list, nil
}

// roots are the roots of the projects, by the name that results have of them. Those of the others
// have no other root than their name.
func (o *scope) roots() map[string]string {
	all := make(map[string]string, len(o.Here))
	for _, name := range o.Names {
		all[name] = name
	}
	for _, p := range o.Here {
		name := p.Name
		if !o.Several {
			name = ""
		}
		all[name] = p.Index.Root()
	}
	return all
}
