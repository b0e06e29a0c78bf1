package trace

import (
	"cmp"
	"context"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A hop is an edge on a way, with the node that it leads to.
type hop struct {
	from, to   graph.ID
	kind       graph.EdgeKind
	confidence graph.Confidence
	rule       graph.Rule
	pos        ir.Pos
}

// otherWays finds the ways between what else two names could mean, if they are bare
// ones, and makes those the targets that the first way is between.
func otherWays(ctx context.Context, w *calls.Walk, from, to *store.Target, limit int) [][]hop {
	if len(from.Others)+len(to.Others) == 0 {
		return nil
	}
	starts, ends := meanings(w, from), meanings(w, to)
	var ignored calls.Gaps
	found, _ := paths(ctx, w, slices.Sorted(maps.Keys(starts)), slices.Sorted(maps.Keys(ends)), limit, &ignored)
	if len(found) == 0 {
		return nil
	}
	// The answer is about one pair of them, the likeliest.
	way := slices.MinFunc(found, func(a, b []hop) int {
		return cmp.Or(cmp.Compare(rank(from, starts[a[0].from]), rank(from, starts[b[0].from])),
			cmp.Compare(rank(to, ends[a[len(a)-1].to]), rank(to, ends[b[len(b)-1].to])))
	})
	first, last := starts[way[0].from], ends[way[len(way)-1].to]
	found = slices.DeleteFunc(found, func(way []hop) bool { return starts[way[0].from] != first || ends[way[len(way)-1].to] != last })
	mean(from, first)
	mean(to, last)
	return found
}

// meanings returns the nodes of all that a target could be.
func meanings(w *calls.Walk, t *store.Target) map[graph.ID]store.SymbolRef {
	all := map[graph.ID]store.SymbolRef{}
	list := t.Others
	if t.Symbol >= 0 {
		list = append([]store.SymbolRef{{Record: t.Record, Symbol: uint32(t.Symbol)}}, list...)
	}
	for _, d := range list {
		for _, id := range w.Seeds(&store.Target{Record: d.Record, Symbol: int32(d.Symbol)}) {
			if _, ok := all[id]; !ok {
				all[id] = d
			}
		}
	}
	return all
}

// rank is the place of a meaning in the order of what a target could be, -1 for the first.
func rank(t *store.Target, d store.SymbolRef) int { return slices.Index(t.Others, d) }

// mean makes one of the other meanings of a target the target.
func mean(t *store.Target, d store.SymbolRef) {
	if own := (store.SymbolRef{Record: t.Record, Symbol: uint32(t.Symbol)}); d != own {
		t.Others = append([]store.SymbolRef{own}, slices.DeleteFunc(slices.Clone(t.Others), func(o store.SymbolRef) bool { return o == d })...)
		t.Record, t.Symbol = d.Record, int32(d.Symbol)
	}
}

// paths finds the shortest ways over calls from some nodes to others, at most limit
// of them, and notes what it could not follow.
func paths(ctx context.Context, w *calls.Walk, from, to []graph.ID, limit int, l *calls.Gaps) (found [][]hop, cut answer.Cut) {
	level := map[graph.ID]int{}
	before := map[graph.ID][]hop{} // the last hops of the shortest ways to a node
	frontier := slices.Clone(from)
	for _, id := range from {
		level[id] = 0
	}
	goal := map[graph.ID]bool{}
	for _, id := range to {
		if _, both := level[id]; !both {
			goal[id] = true
		}
	}
	reached := false
	for depth := 1; depth <= maxPathDepth && !reached && len(frontier) > 0 && ctx.Err() == nil; depth++ {
		if len(level) > calls.AllSteps {
			l.Because("more than %d symbols are reached", calls.AllSteps)
			break
		}
		var next []graph.ID
		for _, id := range frontier {
			w.Open(id, func(s graph.Site) { l.Called(cmp.Or(s.Name, "an expression")) })
			w.G.Out(id, func(e graph.Edge) bool {
				end := w.Home(e.To)
				if !calls.IsCall(&e, false) || end == id || end != e.To {
					return true
				}
				at, seen := level[end]
				if seen && at < depth {
					return true
				}
				if !seen {
					level[end] = depth
					next = append(next, end)
				}
				h := hop{id, end, e.Kind, e.Confidence, e.Rule, e.Pos}
				if list := before[end]; len(list) == 0 || list[len(list)-1].from != id {
					before[end] = append(list, h)
				} else if last := &list[len(list)-1]; e.Confidence < last.confidence {
					*last = h
				}
				reached = reached || goal[end]
				return true
			})
		}
		frontier = next
	}
	if !reached && len(frontier) > 0 {
		cut = calls.CutDepth
	}
	var back func(id graph.ID, tail []hop)
	back = func(id graph.ID, tail []hop) {
		if len(found) >= limit {
			return
		}
		if level[id] == 0 {
			way := slices.Clone(tail)
			slices.Reverse(way)
			found = append(found, way)
			return
		}
		list := before[id]
		slices.SortFunc(list, func(a, b hop) int {
			return cmp.Or(cmp.Compare(a.confidence, b.confidence), w.Compare(a.from, b.from), cmp.Compare(a.pos, b.pos))
		})
		for _, h := range list {
			back(h.from, append(tail, h))
		}
	}
	ends := slices.Clone(to)
	slices.SortFunc(ends, w.Compare)
	for _, id := range ends {
		if _, ok := level[id]; ok && goal[id] {
			back(id, nil)
		}
	}
	return found, cut
}

// callPaths renders ways.
func callPaths(w *calls.Walk, found [][]hop) []CallPath {
	var all []CallPath
	for _, way := range found {
		var p CallPath
		for _, h := range way {
			p.Hops = append(p.Hops, w.CallEdge(h.from, h.to, h.kind, h.confidence, h.rule, h.pos))
		}
		all = append(all, p)
	}
	return all
}

// sorted rates ways and puts the shortest first, of these the surest.
func sorted(all []CallPath) []CallPath {
	weakest := func(p *CallPath) int {
		worst := 0
		for i := range p.Hops {
			worst = max(worst, slices.Index(confidences, p.Hops[i].Confidence))
		}
		return worst
	}
	for i := range all {
		all[i].Confidence = confidences[weakest(&all[i])]
	}
	slices.SortStableFunc(all, func(a, b CallPath) int {
		return cmp.Or(cmp.Compare(len(a.Hops), len(b.Hops)), cmp.Compare(weakest(&a), weakest(&b)))
	})
	return all
}

// confidences are those of edges, the surest first.
var confidences = []string{graph.Exact.String(), graph.Scoped.String(), graph.Possible.String(), graph.ByName.String()}
