// Package across follows calls from one project of a server into others. The links between two
// projects are found once, and kept for as long as both indexes stay as they are.
package across

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/links"
)

// maxLinks bounds the links that are kept, of all pairs of projects together: about
// 10 MB. Finding those of a pair again takes some 10 ms.
const maxLinks = 50_000

// A pair is the roots of two projects, the calling one first.
type pair struct{ from, to string }

// pairLinks are the links of a pair, as of two generations.
type pairLinks struct {
	from, to uint64
	links    links.LinksAnswer
	used     time.Time
}

// A linkCache keeps links for as long as both indexes stay as they are.
type linkCache struct {
	mu   sync.Mutex
	kept map[pair]*pairLinks
	size int

	hits, misses atomic.Uint64
}

func (c *linkCache) get(from, to *project.Info) (links.LinksAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.kept[pair{from.Root, to.Root}]
	if l == nil || l.from != from.State.Generation || l.to != to.State.Generation {
		c.misses.Add(1)
		return links.LinksAnswer{}, false
	}
	c.hits.Add(1)
	l.used = time.Now()
	return l.links, true
}

func (c *linkCache) put(from, to *project.Info, links links.LinksAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := pair{from.Root, to.Root}
	c.drop(p)
	if len(links.Calls) > maxLinks {
		return
	}
	if c.kept == nil {
		c.kept = map[pair]*pairLinks{}
	}
	c.kept[p] = &pairLinks{from.State.Generation, to.State.Generation, links, time.Now()}
	c.size += len(links.Calls)
	for c.size > maxLinks {
		oldest := p
		for q, l := range c.kept {
			if l.used.Before(c.kept[oldest].used) {
				oldest = q
			}
		}
		c.drop(oldest)
	}
}

func (c *linkCache) drop(p pair) {
	if l := c.kept[p]; l != nil {
		c.size -= len(l.links.Calls)
		delete(c.kept, p)
	}
}

// keep drops the links of projects that are not in memory any more.
func (c *linkCache) keep(all []project.Info) {
	loaded := map[string]bool{}
	for _, p := range all {
		loaded[p.Root] = p.Loaded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.kept {
		if !loaded[p.from] || !loaded[p.to] {
			c.drop(p)
		}
	}
}

// A Finder finds what crosses from project to project. It is safe for concurrent use.
type Finder struct {
	projects project.Projects
	links    linkCache
}

// New returns a Finder for some projects.
func New(projects project.Projects) *Finder { return &Finder{projects: projects} }

// Keep drops the links of projects that are not in memory any more.
func (f *Finder) Keep(ctx context.Context) { f.links.keep(f.projects.List(ctx)) }

// Cached returns how often links were there when they were needed, and how often they had
// to be found.
func (f *Finder) Cached() (hits, misses uint64) { return f.links.hits.Load(), f.links.misses.Load() }

// Pairs returns of how many pairs of projects the links are kept.
func (f *Finder) Pairs() int {
	f.links.mu.Lock()
	defer f.links.mu.Unlock()
	return len(f.links.kept)
}

// An asking is the question that one answer puts to the other projects.
type asking struct {
	*Finder
	all   []project.Info // as they were when it began
	own   int
	known map[pair]*links.LinksAnswer // nil: could not be asked
	about wire.AcrossMeta
}

// Several reports whether there are projects to ask besides that of an answer.
func (f *Finder) Several(ctx context.Context) bool { return len(f.projects.List(ctx)) > 1 }

// ask begins to ask the projects besides that of an index; nil: there are none.
func (f *Finder) ask(ctx context.Context, x project.Index) *asking {
	all := f.projects.List(ctx)
	if len(all) < 2 {
		return nil
	}
	f.links.keep(all)
	for i := range all {
		if all[i].Root == x.Root() {
			return &asking{Finder: f, all: all, own: i, known: map[pair]*links.LinksAnswer{}, about: wire.AcrossMeta{Complete: true}}
		}
	}
	return nil // it has just been removed
}

// between returns the calls from one project into another. One that is on disk, or has
// no call graph yet, is not loaded for that, nor waited for: it is named instead.
func (a *asking) between(ctx context.Context, from, to int) ([]links.Link, error) {
	key := pair{a.all[from].Root, a.all[to].Root}
	if l, asked := a.known[key]; asked {
		if l == nil {
			return nil, nil
		}
		return l.Calls, nil
	}
	l, err := a.find(ctx, &a.all[from], &a.all[to])
	if err != nil {
		return nil, err
	}
	a.known[key] = l
	if l == nil {
		return nil, nil
	}
	if !l.Current {
		a.because("the call graphs of %s and %s may lack the latest changes", a.all[from].Name, a.all[to].Name)
	}
	return l.Calls, nil
}

// ready reports whether a project can be asked without being loaded or waited for.
func ready(p *project.Info) bool { return p.Loaded && p.State.State != answer.Indexing }

func (a *asking) find(ctx context.Context, from, to *project.Info) (*links.LinksAnswer, error) {
	own, other := &a.all[a.own], from
	if from == own {
		other = to
	}
	if !ready(own) && (from == own || to == own) {
		a.because("the call graph of %s is not there yet", own.Name)
		a.unasked(other)
		return nil, nil
	}
	if !ready(other) {
		a.unasked(other)
		return nil, nil
	}
	if l, ok := a.links.get(from, to); ok {
		return &l, nil
	}
	x, done, err := a.acquire(ctx, from)
	if x == nil {
		return nil, err
	}
	defer done()
	y, done, err := a.acquire(ctx, to)
	if y == nil {
		return nil, err
	}
	defer done()
	l, err := x.Links(ctx, y)
	switch {
	case errors.Is(err, links.ErrNoGraph), errors.Is(err, answer.ErrClosed):
		a.unasked(other) // or it is the own one that has none
		return nil, nil
	case err != nil:
		return nil, err
	}
	if l.Current {
		a.links.put(from, to, l)
	}
	return &l, nil
}

// acquire holds a project's index; nil without an error: it cannot be asked now.
func (a *asking) acquire(ctx context.Context, p *project.Info) (project.Index, func(), error) {
	held, done, err := a.projects.Acquire(ctx, p.Root)
	if ctx.Err() != nil {
		if err == nil {
			done()
		}
		return nil, nil, ctx.Err()
	}
	if err != nil { // it is gone, or there is no memory for it
		a.unasked(p)
		return nil, nil, nil
	}
	return held.Index, done, nil
}

func (a *asking) unasked(p *project.Info) {
	a.about.Complete = false
	for _, name := range a.about.Unasked {
		if name == p.Name {
			return
		}
	}
	a.about.Unasked = append(a.about.Unasked, p.Name)
}

func (a *asking) because(format string, args ...any) {
	a.about.Complete = false
	text := fmt.Sprintf(format, args...)
	for _, have := range a.about.Incomplete {
		if have == text {
			return
		}
	}
	a.about.Incomplete = append(a.about.Incomplete, text)
}

// cutAcross says that fewer entries than there are are given.
func cutAcross(m *wire.AcrossMeta, given int) {
	if given < m.Total {
		m.Truncated = true
	}
}
