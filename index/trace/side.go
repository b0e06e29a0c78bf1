package trace

import (
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A side is one end of the ways that are looked for.
type side struct {
	seeds []graph.ID                    // of the target
	ends  []graph.ID                    // to which a way may lead: these, or what names the target
	tails map[graph.ID][]calls.CallEdge // the rest of the way from there, of what names the target
}

// sideOf returns the side of a target.
func sideOf(ctx context.Context, x *store.View, w *calls.Walk, at *store.Target, l *calls.Gaps) side {
	s := side{seeds: w.Seeds(at)}
	users, ok := impact.Users(ctx, x, w, at, s.seeds, 0, l)
	if s.ends = s.seeds; !ok {
		return s
	}
	s.ends, s.tails = nil, map[graph.ID][]calls.CallEdge{}
	rest := map[answer.Place][]calls.CallEdge{}
	for _, u := range users { // what they name comes before them
		way := slices.Concat([]calls.CallEdge{u.Edge()}, rest[u.Via])
		if u.ID == 0 {
			rest[u.Place] = way
		} else {
			s.ends, s.tails[u.ID] = append(s.ends, u.ID), way
		}
	}
	return s
}

// to returns ways over calls from some nodes to the side, at most limit of them.
func (s *side) to(ctx context.Context, w *calls.Walk, from []graph.ID, limit int, l *calls.Gaps) ([]CallPath, answer.Cut) {
	var all []CallPath
	for _, id := range from {
		if way := s.tails[id]; way != nil {
			all = append(all, CallPath{Hops: way})
		}
	}
	found, cut := paths(ctx, w, from, s.ends, limit, l)
	for i, p := range callPaths(w, found) {
		p.Hops = append(p.Hops, s.tails[found[i][len(found[i])-1].to]...)
		all = append(all, p)
	}
	return all, cut
}

// between fills in the ways from one target to another.
func (a *Answer) between(ctx context.Context, x *store.View, w *calls.Walk, at, to *store.Target, limit int, l *calls.Gaps) {
	var missed calls.Gaps // that matters if there is no way
	start, end := sideOf(ctx, x, w, at, &missed), sideOf(ctx, x, w, to, &missed)
	all, cut := end.to(ctx, w, start.seeds, limit+1, &missed)
	var backCut answer.Cut
	if len(all) == 0 {
		all, backCut = start.to(ctx, w, end.seeds, limit+1, &missed)
		a.Backward = len(all) > 0
	}
	if len(all) == 0 {
		found := otherWays(ctx, w, at, to, limit+1)
		if len(found) == 0 {
			found = otherWays(ctx, w, to, at, limit+1)
			a.Backward = len(found) > 0
		}
		all = callPaths(w, found)
		a.Others = at.Alternatives()
	}
	if len(all) == 0 {
		l.Take(&missed)
		for _, c := range []answer.Cut{cut, backCut} {
			if c != "" {
				a.Cut(c)
			}
		}
		ends := slices.Clone(end.ends)
		before, _ := w.Search(ctx, ends, maxPathDepth, true, func(e *graph.Edge) bool { return calls.IsCall(e, true) })
		for _, r := range before {
			ends = append(ends, r.ID)
		}
		w.Doubts(ctx, to, ends, l)
	}
	a.Paths = answer.PageOf(&a.Page, sorted(all), 0, limit)
}
