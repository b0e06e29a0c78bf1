// Package reach finds the projects that a request is about, and has them in memory for as long as it takes: one,
// or several, some of which other servers answer for. It asks them nothing itself.
package reach

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/fault"
)

// A Finder finds projects.
type Finder struct {
	Projects project.Projects
	Others   project.Others         // nil: all are here
	Apart    bool                   // they are no whole: nobody asks all of them
	Code     func(err error) string // what an error of Projects is called
}

// A Request says which projects it is about, and what it asks them.
type Request struct {
	Project  string
	Projects []string // in its place; nil: none
	Words    []string
	// Elsewhere returns what the servers are asked that some of the projects are at, where they have so long.
	Elsewhere func(within time.Duration) project.Question
}

// Everywhere reports whether a request is about all projects, as it names none and there are servers
// that have several together.
func (f *Finder) Everywhere(ctx context.Context, r *Request) bool {
	return r.Project == "" && r.Projects == nil && f.Others != nil && f.Others.Several(ctx)
}

// Projects are those that a request is about.
type Projects struct {
	Here    []project.Project // that are asked here
	Several bool

	// Of several, where there are others:
	Names   []string // of all that are asked, in the order of results that are as good; nil: that of Here
	Unasked []wire.UnaskedProject
	Between bool // one of the others asks

	asking *fault.ErrGroup // nil: the others are not asked
	left   []wire.UnaskedProject
}

// Find returns what project, or projects in its place, selects. done must be called.
func (f *Finder) Find(ctx context.Context, r *Request) (p *Projects, done func(), err error) {
	p = &Projects{Several: r.Projects != nil}
	if p.Several && f.Others != nil {
		done, err = f.spread(ctx, p, r)
	} else {
		done, err = f.acquire(ctx, p, r)
	}
	return p, done, err
}

// Elsewhere reports whether others are asked.
func (p *Projects) Elsewhere() bool { return p.asking != nil }

// Wait waits until the others have answered. Nobody may hold what one of them may wait for.
func (p *Projects) Wait() error {
	if p.asking == nil {
		return nil
	}
	err := p.asking.Wait()
	p.Unasked, p.left = append(p.Unasked, p.left...), nil
	return err
}

// Order is that of the names of projects.
func (p *Projects) Order() []string {
	if p.Names != nil {
		return p.Names
	}
	names := make([]string, len(p.Here))
	for i := range p.Here {
		names[i] = p.Here[i].Name
	}
	return names
}

// acquire takes the projects that a request is about, which are all here.
func (f *Finder) acquire(ctx context.Context, to *Projects, r *Request) (done func(), err error) {
	selectors := []string{r.Project}
	if to.Several {
		if selectors, err = f.expand(ctx, r.Projects); err != nil {
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
		p, release, err := f.Projects.Acquire(ctx, selector)
		if err != nil {
			done()
			return nil, err
		}
		releases = append(releases, release)
		if !slices.ContainsFunc(to.Here, func(o project.Project) bool { return o.Name == p.Name }) {
			to.Here = append(to.Here, p)
		}
	}
	if len(to.Here) == 0 {
		return nil, &project.MissingError{}
	}
	return done, nil
}

// expand returns the projects that some selectors are for, each by what selects it alone.
func (f *Finder) expand(ctx context.Context, selectors []string) (all []string, err error) {
	for _, selector := range selectors {
		if !project.IsPattern(selector) {
			all = append(all, selector)
			continue
		}
		if f.Apart {
			return nil, wire.Problemf(wire.CodeInvalidRequest, "projects must name some: this server has too many to search all")
		}
		if err := project.CheckPattern(selector); err != nil {
			return nil, err
		}
		have, n := f.Projects.List(ctx), len(all)
		for _, p := range have {
			if project.Matches(selector, p.Name) {
				all = append(all, p.Root)
			}
		}
		if len(all) == n {
			return nil, &project.MissingError{Selector: selector, Have: have}
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

// spread has the others asked for what they answer for, and takes the projects that are here.
// What cannot be asked is noted.
func (f *Finder) spread(ctx context.Context, to *Projects, r *Request) (done func(), err error) {
	choice, err := f.Others.Choose(ctx, r.Projects, r.Words)
	if err != nil {
		return nil, err
	}
	to.Names, to.Unasked, to.Between = choice.Names, choice.Unasked, f.Others.Between(ctx)
	wait := maxWait
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	within, cancel := context.WithTimeout(ctx, wait)
	var asking fault.ErrGroup
	if choice.Ask != nil {
		question := r.Elsewhere(wait)
		to.asking = &asking
		asking.Go(func() (err error) {
			to.left, err = choice.Ask(within, question)
			return err
		})
	}
	type held struct {
		project.Project
		release func()
		err     error
		late    bool // when that one was known: another one may take all of the time
	}
	got := make([]held, len(choice.Here))
	var taking fault.ErrGroup
	taking.SetLimit(acquirers)
	for i, name := range choice.Here {
		taking.Go(func() error {
			got[i].Project, got[i].release, got[i].err = choice.Acquire(within, name)
			got[i].late = within.Err() != nil
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
			to.Unasked = append(to.Unasked, wire.UnaskedProject{Project: choice.Here[i], Reason: several.Reason(f.Code(one.err), one.late)})
			continue
		}
		to.Here = append(to.Here, one.Project)
	}
	return done, nil
}
