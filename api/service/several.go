package service

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// A scope is what a search goes over: one project, or several of them.
type scope struct {
	projects []Project
	paths    []string // of the query, by project, resolved
	skip     []bool   // by project: it has nothing at the path
	last     []answer.State
	several  bool
}

// scope returns what project, or projects in its place, selects. done must be called.
func (s *Service) scope(ctx context.Context, c *Call, q *wire.SearchRequest) (over *scope, done func(), err error) {
	over = &scope{several: q.Projects != nil}
	selectors := []string{q.Project}
	if over.several {
		if selectors = q.Projects; len(selectors) == 1 && selectors[0] == "*" {
			if s.opt.Apart {
				return nil, nil, wire.Problemf(wire.CodeInvalidRequest, "projects must name some: this server has too many to search all")
			}
			selectors = nil
			for _, p := range s.projects.List(ctx) {
				selectors = append(selectors, p.Root)
			}
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
			return nil, nil, err
		}
		releases = append(releases, release)
		if !slices.ContainsFunc(over.projects, func(o Project) bool { return o.Name == p.Name }) {
			over.projects = append(over.projects, p)
		}
	}
	if len(over.projects) == 1 {
		c.Project = over.projects[0].Name
	}
	if len(over.projects) == 0 {
		return nil, nil, &ProjectError{}
	}
	n := len(over.projects)
	over.paths, over.skip, over.last = make([]string, n), make([]bool, n), make([]answer.State, n)
	return over, done, nil
}

// resolve finds a query's path in each of the projects. It fails when none of them has
// it.
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
	if !found {
		return first
	}
	return nil
}

// search asks the projects one after the other, and puts their results in one order:
// scores are calibrated, so that those of two indexes say the same.
func (o *scope) search(ctx context.Context, q search.Query, v *view) ([]search.Result, wire.Meta, error) {
	var all []search.Result
	var sum wire.Meta
	unindexed := 0
	var gone error // the path, from a project
	nowhere := true
	budget := q.MaxTokens
	if o.several {
		q.MaxTokens = 0 // it is for all together
	}
	for i, p := range o.projects {
		if o.skip[i] {
			o.last[i] = p.Index.State()
			unindexed++
			continue
		}
		q.Path, q.Sent = o.paths[i], nil
		if q.MaxTokens > 0 {
			q.Sent = v.reader.Sent("")
		}
		found, err := p.Index.Search(ctx, q)
		if err != nil {
			return nil, sum, err
		}
		o.last[i] = found.State
		results, meta, err := report(p.Index, "search", q, found, v)
		var not *wire.Problem
		if o.several && errors.As(err, &not) && not.Code == wire.CodeNotFound {
			unindexed++
			gone = err
			continue
		}
		nowhere = false
		if err != nil {
			return nil, sum, err
		}
		if !o.several {
			return results, meta, nil
		}
		if meta.Unindexed {
			unindexed++
		}
		for j := range results {
			results[j].Project = p.Name
		}
		all = append(all, results...)
		sum.Matches += meta.Matches
		sum.Truncated = sum.Truncated || meta.Truncated
		sum.Unchecked += meta.Unchecked
		for _, why := range meta.TruncatedBy {
			cut(&sum, answer.Cut(why))
		}
	}
	if nowhere && gone != nil {
		return nil, sum, gone
	}
	// Equal ones stay in the order of the projects, and in theirs.
	slices.SortStableFunc(all, func(a, b search.Result) int { return cmp.Compare(b.Score, a.Score) })
	if len(all) > q.Limit {
		all = all[:q.Limit]
		cut(&sum, answer.CutLimit)
	}
	switch {
	case budget > 0 && q.Mode == search.Regex:
		for len(all) > 1 && cost(all) > budget {
			all = all[:len(all)-1]
			cut(&sum, answer.CutTokens)
		}
		sum.Tokens = cost(all)
	case budget > 0:
		var less bool
		if all, less = search.Pack(all, budget, func(r *search.Result) bool { return v.reader.Sent(r.Project).Has(r.Lines()) }); less {
			cut(&sum, answer.CutTokens)
		}
		sum.Tokens = cost(all)
	}
	sum.Changed = changedFiles(all)
	sum.V, sum.Command, sum.Clamped, sum.Unindexed = 1, "search", v.clamped, unindexed == len(o.projects)
	if all == nil {
		all = []search.Result{}
	}
	return all, sum, nil
}

// roots are the roots of the projects, by the name that results have of them.
func (o *scope) roots() map[string]string {
	all := make(map[string]string, len(o.projects))
	for _, p := range o.projects {
		name := p.Name
		if !o.several {
			name = ""
		}
		all[name] = p.Index.Root()
	}
	return all
}

// states says which indexes answered; of several the least current one comes first.
func (o *scope) states() (wire.Index, []wire.ProjectState) {
	if !o.several {
		return indexOf(o.last[0]), nil
	}
	rank := []string{answer.Failed, answer.Indexing, answer.Stale, answer.Ready}
	worst := o.last[0]
	list := make([]wire.ProjectState, len(o.projects))
	for i, p := range o.projects {
		list[i] = wire.ProjectState{Project: p.Name, Index: indexOf(o.last[i])}
		if slices.Index(rank, o.last[i].State) < slices.Index(rank, worst.State) {
			worst = o.last[i]
		}
	}
	return indexOf(worst), list
}

// changedFiles counts the files of results that are no longer what was indexed.
func changedFiles(results []search.Result) int {
	files := map[[2]string]bool{}
	for i := range results {
		if r := &results[i]; r.Changed {
			files[[2]string{r.Project, r.File}] = true
		}
	}
	return len(files)
}
