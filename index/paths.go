package index

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
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
func (w *walk) otherWays(ctx context.Context, from, to *target, limit int) [][]hop {
	if len(from.others)+len(to.others) == 0 {
		return nil
	}
	starts, ends := w.meanings(from), w.meanings(to)
	var ignored gaps
	found := w.paths(ctx, slices.Sorted(maps.Keys(starts)), slices.Sorted(maps.Keys(ends)), limit, &ignored)
	if len(found) == 0 {
		return nil
	}
	// The answer is about one pair of them, the likeliest.
	way := slices.MinFunc(found, func(a, b []hop) int {
		return cmp.Or(cmp.Compare(from.rank(starts[a[0].from]), from.rank(starts[b[0].from])),
			cmp.Compare(to.rank(ends[a[len(a)-1].to]), to.rank(ends[b[len(b)-1].to])))
	})
	first, last := starts[way[0].from], ends[way[len(way)-1].to]
	found = slices.DeleteFunc(found, func(way []hop) bool { return starts[way[0].from] != first || ends[way[len(way)-1].to] != last })
	from.mean(first)
	to.mean(last)
	return found
}

// meanings returns the nodes of all that a target could be.
func (w *walk) meanings(t *target) map[graph.ID]definition {
	all := map[graph.ID]definition{}
	list := t.others
	if t.symbol >= 0 {
		list = append([]definition{{t.record, uint32(t.symbol)}}, list...)
	}
	for _, d := range list {
		for _, id := range w.seeds(&target{record: d.record, symbol: int32(d.symbol)}) {
			if _, ok := all[id]; !ok {
				all[id] = d
			}
		}
	}
	return all
}

// rank is the place of a meaning in the order of what a target could be, -1 for the first.
func (t *target) rank(d definition) int { return slices.Index(t.others, d) }

// mean makes one of the other meanings of a target the target.
func (t *target) mean(d definition) {
	if own := (definition{t.record, uint32(t.symbol)}); d != own {
		t.others = append([]definition{own}, slices.DeleteFunc(slices.Clone(t.others), func(o definition) bool { return o == d })...)
		t.record, t.symbol = d.record, int32(d.symbol)
	}
}

// paths finds the shortest ways over calls from some nodes to others, at most limit
// of them, and notes what it could not follow.
func (w *walk) paths(ctx context.Context, from, to []graph.ID, limit int, l *gaps) (found [][]hop) {
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
		if len(level) > maxReached {
			l.because("more than %d symbols are reached", maxReached)
			break
		}
		var next []graph.ID
		for _, id := range frontier {
			w.open(id, func(s graph.Site) { l.called(cmp.Or(s.Name, "an expression")) })
			w.g.Out(id, func(e graph.Edge) bool {
				end := w.home(e.To)
				if !isCall(&e, false) || end == id || end != e.To {
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
		l.cuts = append(l.cuts, CutDepth)
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
			return cmp.Or(cmp.Compare(a.confidence, b.confidence), w.compare(a.from, b.from), cmp.Compare(a.pos, b.pos))
		})
		for _, h := range list {
			back(h.from, append(tail, h))
		}
	}
	ends := slices.Clone(to)
	slices.SortFunc(ends, w.compare)
	for _, id := range ends {
		if _, ok := level[id]; ok && goal[id] {
			back(id, nil)
		}
	}
	return found
}

// callPaths renders ways, the surest first.
func (w *walk) callPaths(found [][]hop) []CallPath {
	weakest := func(way []hop) graph.Confidence {
		worst := graph.Exact
		for _, h := range way {
			worst = max(worst, h.confidence)
		}
		return worst
	}
	slices.SortStableFunc(found, func(a, b []hop) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(weakest(a), weakest(b)))
	})
	c := collection{walk: w}
	var all []CallPath
	for _, way := range found {
		p := CallPath{Confidence: weakest(way).String()}
		for _, h := range way {
			p.Hops = append(p.Hops, c.callEdge(entry{from: h.from, to: h.to, kind: h.kind, confidence: h.confidence, rule: h.rule, pos: h.pos}))
		}
		all = append(all, p)
	}
	return all
}
