package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/fault"
)

var _ project.Others = (*Gateway)(nil)

// Several implements project.Others.
func (g *Gateway) Several(ctx context.Context) bool {
	who, n := identity.Of(ctx), 0
	g.mu.Lock()
	defer g.mu.Unlock()
	for name := range g.known {
		if who.May(name) {
			n++
		}
	}
	return n > 1
}

type betweenKey struct{}

// Between implements project.Others.
func (g *Gateway) Between(ctx context.Context) bool { return ctx.Value(betweenKey{}) != nil }

// Choose implements project.Others. What is not for whoever asks is passed over first: it is in no count, and
// nothing else is found out about it.
func (g *Gateway) Choose(ctx context.Context, selectors, words []string) (*project.Choice, error) {
	c := &project.Choice{Acquire: g.acquire}
	for _, selector := range selectors {
		if project.IsPattern(selector) {
			continue
		}
		name, err := g.find(ctx, selector)
		var p *wire.Problem
		switch {
		case err == nil:
			c.Names = append(c.Names, name)
		case !errors.As(err, &p) || p.Code == wire.CodeNotFound && !g.Between(ctx):
			return nil, err
		default:
			c.Unasked = append(c.Unasked, wire.UnaskedProject{Project: selector, Reason: g.reasonOf(selector, p)})
		}
	}
	matched, unindexed, err := g.matching(ctx, selectors)
	if err != nil {
		return nil, err
	}
	// Those that are named come first in any case.
	matched = slices.DeleteFunc(matched, func(name string) bool { return slices.Contains(c.Names, name) })
	for _, name := range unindexed {
		c.Unasked = append(c.Unasked, wire.UnaskedProject{Project: name, Reason: wire.UnaskedUnindexed})
	}
	if room := max(0, g.opt.Across-len(c.Names)); len(matched) > room {
		g.route(ctx, matched, words)
		for _, name := range matched[room:] {
			c.Unasked = append(c.Unasked, wire.UnaskedProject{Project: name, Reason: wire.UnaskedLimit})
		}
		matched = matched[:room]
	}
	c.Names = inOrder(selectors, c.Names, matched)
	g.split(ctx, c)
	return c, nil
}

// inOrder puts repositories in the order of the selectors that they are for, and those of a pattern in that
// of their names, as one server has them: results that are as good come in it.
func inOrder(selectors, named, matched []string) (names []string) {
	slices.Sort(matched)
	for _, selector := range selectors {
		from, is := named, func(name string) bool { return name == selector }
		if project.IsPattern(selector) {
			from, is = matched, func(name string) bool { return project.Matches(selector, name) }
		}
		for _, name := range from {
			if is(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// reasonOf is why a repository is not asked that find does not give.
func (g *Gateway) reasonOf(name string, p *wire.Problem) wire.UnaskedReason {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch r := g.known[name]; {
	case p.Code == wire.CodeNotFound:
		return wire.UnaskedMissing
	case r != nil && r.row.Commit == "":
		return wire.UnaskedUnindexed
	}
	return wire.UnaskedUnavailable
}

// matching returns the repositories that patterns are for, of those for whoever asks: those that
// have a snapshot, and those that have none yet. Each pattern must be for one.
func (g *Gateway) matching(ctx context.Context, patterns []string) (indexed, unindexed []string, err error) {
	who := identity.Of(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, pattern := range patterns {
		if !project.IsPattern(pattern) {
			continue
		}
		if err := project.CheckPattern(pattern); err != nil {
			return nil, nil, err
		}
		some := false
		for name, r := range g.known {
			if !who.May(name) || !project.Matches(pattern, name) {
				continue
			}
			some = true
			if r.row.Commit == "" {
				unindexed = append(unindexed, name)
			} else {
				indexed = append(indexed, name)
			}
		}
		switch {
		case !some && pattern == "*":
			return nil, nil, wire.Problemf(wire.CodeUnavailable, "the catalogue has no repository yet")
		case !some:
			return nil, nil, wire.Problemf(wire.CodeNotFound, "the catalogue has no repository that the pattern %q is for", pattern)
		}
	}
	for _, list := range []*[]string{&indexed, &unindexed} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return indexed, unindexed, nil
}

// split says which repositories of a choice this gateway asks itself, and has the others ask the rest.
func (g *Gateway) split(ctx context.Context, c *project.Choice) {
	f, _ := ctx.Value(forwardKey{}).(*forward)
	p := g.opt.Peers
	if p == nil || f == nil { // there are none, or one of them asks
		c.Here = c.Names
		return
	}
	var rest []string
	for _, name := range c.Names {
		if len(p.before(name)) == 0 {
			c.Here = append(c.Here, name)
		} else {
			rest = append(rest, name)
		}
	}
	if len(rest) > 0 {
		c.Ask = func(ctx context.Context, q project.Question) ([]wire.UnaskedProject, error) {
			a := &asking{Peers: p, header: f.header, q: q}
			a.ask(ctx, rest, len(p.all))
			return a.unasked, a.err
		}
	}
}

// An asking is a question about repositories that other gateways answer for.
type asking struct {
	*Peers
	header http.Header // of the request that it is for
	q      project.Question

	mu      sync.Mutex
	unasked []wire.UnaskedProject
	err     error // the first that is one of the question's
}

// ask asks each gateway for all that it answers for, at once, and then the next ones in place of those that
// do not answer.
func (a *asking) ask(ctx context.Context, names []string, tries int) {
	groups := map[*peer][]string{}
	for _, name := range names {
		to := a.first(name)
		if tries == 0 || to == nil {
			a.leave(ctx, name)
			continue
		}
		groups[to] = append(groups[to], name)
	}
	var work fault.Group // whoever waits for it has panics, too
	for to, all := range groups {
		for of := range slices.Chunk(all, project.MaxNamed) {
			work.Go(func() { a.askOne(ctx, to, of, tries) })
		}
	}
	work.Wait()
}

// askOne asks a gateway, and the next ones in place of one that does not answer.
func (a *asking) askOne(ctx context.Context, to *peer, of []string, tries int) {
	text, err := a.one(ctx, to, of)
	if err == nil {
		a.meters.forwards.WithLabelValues(forwarded).Inc()
		err = a.take(to, text)
	}
	var said *wire.Problem
	switch {
	case err == nil:
	case errors.As(err, &said):
		a.refused(ctx, of, said)
	case ctx.Err() != nil:
		a.leave(ctx, of...)
	default:
		a.lost(to, err)
		a.meters.forwards.WithLabelValues(passedOver).Inc()
		a.ask(ctx, of, tries-1)
	}
}

// first returns the first gateway for a repository that answers, which may be this one; nil: none does.
func (p *Peers) first(name string) *peer {
	for _, one := range p.order(name) {
		if !one.down.Load() {
			return one
		}
	}
	return nil
}

// leave notes that repositories were not asked.
func (a *asking) leave(ctx context.Context, names ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	reason := wire.UnaskedUnavailable
	if ctx.Err() != nil {
		reason = wire.UnaskedSlow
	}
	for _, name := range names {
		a.unasked = append(a.unasked, wire.UnaskedProject{Project: name, Reason: reason})
	}
}

// take takes an answer. Its error is a *wire.Problem.
func (a *asking) take(from *peer, text []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	unasked, err := a.q.Take(text)
	if err != nil {
		a.log.Warn("the answer of a gateway cannot be read", "peer", from.url.String(), "err", err)
		return wire.Problemf(wire.CodeUnavailable, "the answer of %s cannot be read", from.url.Host)
	}
	if unasked != nil {
		a.unasked = append(a.unasked, unasked.Projects...)
	}
	return nil
}

// refused notes that a gateway has an error in place of an answer.
func (a *asking) refused(ctx context.Context, names []string, said *wire.Problem) {
	switch said.Code {
	case wire.CodeInvalidRequest, wire.CodeInvalidPath, wire.CodeInvalidPattern, wire.CodeNoVectors, wire.CodeNoReranker:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.err = cmp.Or(a.err, error(said))
	default:
		a.leave(ctx, names...)
	}
}

// maxAnswer bounds what is read of another gateway's answer, in bytes.
const maxAnswer = 16 << 20

// one has a gateway answer for some repositories. The error is a *wire.Problem where that has one.
func (a *asking) one(ctx context.Context, to *peer, names []string) ([]byte, error) {
	body, err := json.Marshal(a.q.Of(names))
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &waiting{cancel}
	to.waits.Store(w, nil)
	defer to.waits.Delete(w)
	r, err := http.NewRequestWithContext(within, http.MethodPost, to.url.JoinPath(a.q.Endpoint).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(headerForwarded, a.id)
	for _, name := range []string{"Authorization", "X-Request-Id"} {
		if v := a.header.Get(name); v != "" {
			r.Header.Set(name, v)
		}
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		p := &wire.Problem{}
		if json.Unmarshal(text, p) != nil || p.Code == "" {
			p.Code = wire.CodeUnavailable
		}
		return nil, p
	}
	return text, nil
}
