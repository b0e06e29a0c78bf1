package index

import (
	"cmp"
	"context"
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
