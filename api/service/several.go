package service

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/search"
)

// A scope is what a search goes over: one project, or several of them.
type scope struct {
	projects []Project // that are asked here
	paths    []string  // of the query, by project, resolved
	skip     []bool    // by project: it has nothing at the path
	last     []answer.State
	several  bool

	// Of several, where there are others:
	names   []string              // of all that are asked, in the order of results that are as good; nil: that of projects
	rest    []*wire.BatchResponse // of the others, once wait has returned
	unasked []wire.UnaskedProject
	between bool         // one of the others asks
	wait    func() error // nil: they are not asked
	gone    error        // there is nothing at the path here
}

// scope returns what project, or projects in its place, selects. done must be called.
func (s *Service) scope(ctx context.Context, c *Call, q *wire.SearchRequest) (over *scope, done func(), err error) {
	over = &scope{several: q.Projects != nil}
	if over.several && s.opt.Others != nil {
		done, err = s.spread(ctx, over, q)
	} else {
		done, err = s.acquire(ctx, over, q)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(over.projects) == 1 && len(over.names) <= 1 {
		c.Project = over.projects[0].Name
	}
	n := len(over.projects)
	over.paths, over.skip, over.last = make([]string, n), make([]bool, n), make([]answer.State, n)
	return over, done, nil
}

// acquire takes the projects that a search is over, which are all here.
func (s *Service) acquire(ctx context.Context, over *scope, q *wire.SearchRequest) (done func(), err error) {
	selectors := []string{q.Project}
	if over.several {
		if selectors, err = s.expand(ctx, q.Projects); err != nil {
			return nil, err
		}
	}
	var releases []func()
	done = func() {
		for _, release := range releases {
			release()
		}
	}
	for _, selector := range selectors {
		p, release, err := s.projects.Acquire(ctx, selector)
		if err != nil {
			done()
			return nil, err
		}
		releases = append(releases, release)
		if !slices.ContainsFunc(over.projects, func(o Project) bool { return o.Name == p.Name }) {
			over.projects = append(over.projects, p)
		}
	}
	if len(over.projects) == 0 {
		return nil, &ProjectError{}
	}
	return done, nil
}

// expand returns the projects that some selectors are for, each by what selects it alone.
func (s *Service) expand(ctx context.Context, selectors []string) (all []string, err error) {
	for _, selector := range selectors {
		if !project.IsPattern(selector) {
			all = append(all, selector)
			continue
		}
		if s.opt.Apart {
			return nil, wire.Problemf(wire.CodeInvalidRequest, "projects must name some: this server has too many to search all")
		}
		if err := project.CheckPattern(selector); err != nil {
			return nil, err
		}
		have, n := s.projects.List(ctx), len(all)
		for _, p := range have {
			if project.Matches(selector, p.Name) {
				all = append(all, p.Root)
			}
		}
		if len(all) == n {
			return nil, &ProjectError{Selector: selector, Have: have}
		}
	}
	return all, nil
}

const (
	// maxWait is how long a search over several servers waits for the others, and for projects that
	// are not in memory; less where half of its time is less, so that some is left for the rest.
	maxWait = 10 * time.Second
	// acquirers is how many projects a search has come into memory at once.
	acquirers = 4
)

// spread has the others search for what they answer for, and takes the projects that are here.
// What cannot be asked is noted.
func (s *Service) spread(ctx context.Context, over *scope, q *wire.SearchRequest) (done func(), err error) {
	choice, err := s.opt.Others.Choose(ctx, q.Projects, queriesOf(q))
	if err != nil {
		return nil, err
	}
	over.names, over.unasked, over.between = choice.Names, choice.Unasked, s.opt.Others.Between(ctx)
	wait := maxWait
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	within, cancel := context.WithTimeout(ctx, wait)
	var asking fault.ErrGroup
	if choice.Ask != nil {
		ask := *q
		ask.Query, ask.Queries, ask.Projects, ask.Scope = "", queriesOf(q), nil, wire.Scope{}
		ask.MaxTokens, ask.Fresh, ask.TimeoutMS = 0, false, max(1, int(wait.Milliseconds()))
		var unasked []wire.UnaskedProject
		asking.Go(func() (err error) {
			over.rest, unasked, err = choice.Ask(within, &ask)
			return err
		})
		over.wait = func() error {
			err := asking.Wait()
			over.unasked = append(over.unasked, unasked...)
			return err
		}
	}
	type held struct {
		Project
		release func()
		err     error
	}
	got := make([]held, len(choice.Here))
	var taking fault.ErrGroup
	taking.SetLimit(acquirers)
	for i, name := range choice.Here {
		taking.Go(func() error {
			got[i].Project, got[i].release, got[i].err = choice.Acquire(within, name)
			return nil
		})
	}
	failed := taking.Wait()
	done = sync.OnceFunc(func() {
		cancel()
		_ = asking.Wait()
		for _, one := range got {
			if one.release != nil {
				one.release()
			}
		}
	})
	if err := cmp.Or(ctx.Err(), failed); err != nil {
		done()
		return nil, err
	}
	for i, one := range got {
		if one.err != nil {
			over.unasked = append(over.unasked, wire.UnaskedProject{Project: choice.Here[i], Reason: several.Reason(Classify(one.err).Code, within.Err() != nil)})
			continue
		}
		over.projects = append(over.projects, one.Project)
	}
	return done, nil
}

// resolve finds a query's path in each of the projects. It fails when none of them has
// it, and no others are asked.
func (o *scope) resolve(path string) error {
	var first error
	found := false
	for i, p := range o.projects {
		o.paths[i] = path
		err := resolve(p.Index, &o.paths[i])
		var not *wire.Problem
		switch {
		case err == nil:
			found = true
		case o.several && (errors.Is(err, fs.ErrNotExist) || errors.As(err, &not) && (not.Code == wire.CodeNotFound || not.Code == wire.CodeInvalidPath)):
			o.skip[i] = true
			first = cmp.Or(first, err)
		default:
			return err
		}
	}
	if found || o.wait != nil {
		o.gone = first
		return nil
	}
	return first
}

// ask asks the projects that are here one after the other.
func (o *scope) ask(ctx context.Context, q search.Query, v *view) (*several.Found, error) {
	f := &several.Found{Of: map[string][]search.Result{}, Asked: len(o.projects), Gone: o.gone}
	if o.several {
		q.MaxTokens = 0 // it is for all together
	}
	for i, p := range o.projects {
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
		var not *wire.Problem
		if o.several && errors.As(err, &not) && not.Code == wire.CodeNotFound {
			f.Unindexed++
			f.Gone = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if !o.several {
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
func (o *scope) merge(number int, f *several.Found, q search.Query, v *view) ([]search.Result, wire.Meta, error) {
	if !o.several {
		return f.Of[""], f.Sum, nil
	}
	for _, b := range o.rest {
		f.AddAnswer(b, number)
	}
	all, sum, err := f.Merge(o.order(), q, func(r *search.Result) bool { return v.reader.Sent(r.Project).Has(r.Lines()) })
	if len(o.unasked) > 0 {
		cut(&sum, several.CutUnasked)
	}
	sum.V, sum.Command, sum.Clamped = 1, "search", v.clamped
	return all, sum, err
}

// states says which indexes answered; of several the least current one comes first. It fails
// where none did.
func (o *scope) states() (wire.Index, []wire.ProjectState, error) {
	if !o.several {
		return indexOf(o.last[0]), nil, nil
	}
	var list []wire.ProjectState
	for i, p := range o.projects {
		list = append(list, wire.ProjectState{Project: p.Name, Index: indexOf(o.last[i])})
	}
	for _, b := range o.rest {
		list = append(list, b.Projects...)
	}
	if len(list) == 0 {
		return wire.Index{}, nil, several.Nobody(o.unasked)
	}
	return several.Worst(list, o.order()), list, nil
}

// order is that of the names of projects.
func (o *scope) order() []string {
	if o.names != nil {
		return o.names
	}
	return Each(o.projects, func(p *Project) string { return p.Name })
}

// roots are the roots of the projects, by the name that results have of them. Those of the others
// have no other root than their name.
func (o *scope) roots() map[string]string {
	all := make(map[string]string, len(o.projects))
	for _, name := range o.names {
		all[name] = name
	}
	for _, p := range o.projects {
		name := p.Name
		if !o.several {
			name = ""
		}
		all[name] = p.Index.Root()
	}
	return all
}
