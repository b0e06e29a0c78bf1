package subgraph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
)

// A near is a symbol as it is related to the target.
type near struct {
	depth int
	side  string
	via   *near // the step before it; nil: it is a seed
	at    answer.Place
	keep  bool
}

// relate finds how far each symbol is from the target, and on which side: callers over the edges
// found on the way to callers, callees over the others, and what was expanded over any. What cannot
// be reached without going through what is left out is left out.
func (f *found) relate() {
	out, in := map[answer.Place][]*link{}, map[answer.Place][]*link{}
	for _, l := range f.order {
		out[l.from], in[l.to] = append(out[l.from], l), append(in[l.to], l)
	}
	f.near = map[answer.Place]*near{}
	var seeds []answer.Place
	for p := range f.seeds {
		if len(out[p])+len(in[p]) > 0 || len(f.seeds) == 1 {
			seeds = append(seeds, p)
		}
	}
	if len(seeds) == 0 { // nothing leads from any of them, or to it
		for p := range f.seeds {
			seeds = append(seeds, p)
		}
		slices.SortFunc(seeds, comparePlaces)
		seeds = seeds[:min(1, len(seeds))]
	}
	slices.SortFunc(seeds, comparePlaces)
	for _, p := range seeds {
		f.near[p] = &near{side: SideTarget, at: p}
		f.places = append(f.places, p)
	}
	callers := f.spread(seeds, func(p answer.Place, yield func(*link, answer.Place)) {
		for _, l := range in[p] {
			if l.up {
				yield(l, l.from)
			}
		}
	}, SideCaller)
	callees := f.spread(seeds, func(p answer.Place, yield func(*link, answer.Place)) {
		for _, l := range out[p] {
			if l.down {
				yield(l, l.to)
			}
		}
	}, SideCallee)
	f.spread(slices.Concat(seeds, callers, callees), func(p answer.Place, yield func(*link, answer.Place)) {
		for _, l := range out[p] {
			yield(l, l.to)
		}
		for _, l := range in[p] {
			yield(l, l.from)
		}
	}, "")
	if f.query.To != "" {
		for _, l := range f.order {
			for _, p := range []answer.Place{l.from, l.to} {
				if n := f.near[p]; l.path && n != nil && n.side != SideTarget {
					n.side = SidePath
				}
			}
		}
	}
}

// spread goes on from some symbols as far as it leads, the nearest first, and returns those that it
// came to. side "" takes that of the step before.
func (f *found) spread(from []answer.Place, each func(answer.Place, func(*link, answer.Place)), side string) (reached []answer.Place) {
	seen := map[answer.Place]bool{}
	for _, p := range from {
		seen[p] = true
	}
	queue := slices.Clone(from)
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		before := f.near[p]
		each(p, func(_ *link, to answer.Place) {
			if seen[to] || f.tests[to] && f.query.Tests == answer.WithoutTests {
				return
			}
			seen[to] = true
			n := f.near[to]
			switch {
			case n == nil:
				n = &near{depth: before.depth + 1, side: cmp.Or(side, before.side), via: before, at: to}
				if n.side == SideTarget {
					n.side = SideBoth
				}
				f.near[to] = n
				f.places = append(f.places, to)
			case side != "" && n.side != side && n.side != SideTarget:
				n.side = SideBoth
				if before.depth+1 < n.depth {
					n.depth, n.via = before.depth+1, before
				}
			}
			reached = append(reached, to)
			queue = append(queue, to)
		})
	}
	return reached
}

func comparePlaces(a, b answer.Place) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Symbol, b.Symbol))
}

// narrow leaves what is admitted, the target, and what lies between; admits nil leaves all.
func (f *found) narrow(admits func(path string, test bool) bool) {
	for _, p := range f.places {
		n := f.near[p]
		if admits == nil || n.side == SideTarget || admits(p.File, f.tests[p]) {
			for ; n != nil && !n.keep; n = n.via {
				n.keep = true
			}
		}
	}
	f.places = slices.DeleteFunc(f.places, func(p answer.Place) bool {
		if f.near[p].keep {
			return false
		}
		delete(f.near, p)
		return true
	})
	f.order = slices.DeleteFunc(f.order, func(l *link) bool { return f.near[l.from] == nil || f.near[l.to] == nil })
}
