package drawing

import "slices"

// The layout is that of Sugiyama, Tagawa and Toda (Methods for Visual Understanding of Hierarchical
// System Structures, 1981), as Gansner, Koutsofios, North and Vo made it quick (A Technique for
// Drawing Directed Graphs, 1993): cycles are broken, nodes get ranks, long edges are cut at each
// rank, ranks are ordered by medians, and then placed.

// Sizes in pixels, and how often ranks are ordered and placed.
const (
	gapX, gapY = 24, 46
	thread     = 6    // width of an edge that passes a rank
	gapThread  = 4    // to another
	rowOfAlone = 6    // nodes without edges
	widest     = 1600 // nodes of a rank, together
	orderings  = 12
	placings   = 10
	maxThreads = 8_000 // of all edges; longer ones go straight
)

// A box is a node, or where an edge passes a rank, in the layout.
type box struct {
	rank, place  int // place: in its rank, from the left
	x, y         float64
	width, high  float64
	above, below []int // boxes
}

// A route is an edge in the layout: the boxes that it passes, from top to bottom.
type route struct {
	boxes []int
	back  bool // it leads upward
}

type layout struct {
	boxes  []box
	ranks  [][]int
	routes []route // of each edge; without boxes: of a node to itself
}

// layOut places nodes of these sizes.
func layOut(g *Graph, width, high []float64) *layout {
	l := &layout{boxes: make([]box, len(g.Nodes)), routes: make([]route, len(g.Edges))}
	for i := range l.boxes {
		l.boxes[i].width, l.boxes[i].high = width[i], high[i]
	}
	l.breakCycles(g)
	l.rankAll(g)
	l.split()
	l.thread(g)
	l.order()
	l.place()
	return l
}

// breakCycles turns around the edges that lead back to where a search came from. It begins at the
// nodes in their order.
func (l *layout) breakCycles(g *Graph) {
	out := make([][]int, len(g.Nodes)) // edges
	for i, e := range g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	state := make([]int8, len(g.Nodes)) // 1: on the way, 2: done
	next := make([]int, len(g.Nodes))
	for root := range g.Nodes {
		if state[root] != 0 {
			continue
		}
		way := []int{root}
		state[root] = 1
		for len(way) > 0 {
			n := way[len(way)-1]
			if next[n] == len(out[n]) {
				state[n], way = 2, way[:len(way)-1]
				continue
			}
			i := out[n][next[n]]
			next[n]++
			switch to := g.Edges[i].To; state[to] {
			case 0:
				state[to] = 1
				way = append(way, to)
			case 1:
				l.routes[i].back = true
			}
		}
	}
}

// ends are the upper and the lower node of an edge.
func (l *layout) ends(g *Graph, i int) (up, down int) {
	e := g.Edges[i]
	if l.routes[i].back {
		return e.To, e.From
	}
	return e.From, e.To
}

// rankAll puts each node below all that lead to it; those that nothing leads to directly above
// what they lead to, and those without edges in rows at the end.
func (l *layout) rankAll(g *Graph) {
	before := make([]int, len(g.Nodes))
	below := make([][]int, len(g.Nodes))
	for i := range g.Edges {
		if up, down := l.ends(g, i); up != down {
			before[down]++
			below[up] = append(below[up], down)
		}
	}
	var first, alone []int
	for n := range g.Nodes {
		switch {
		case before[n] == 0 && len(below[n]) == 0:
			alone = append(alone, n)
		case before[n] == 0:
			first = append(first, n)
		}
	}
	last := -1
	for ready := slices.Clone(first); len(ready) > 0; ready = ready[1:] {
		n := ready[0]
		last = max(last, l.boxes[n].rank)
		for _, m := range below[n] {
			l.boxes[m].rank = max(l.boxes[m].rank, l.boxes[n].rank+1)
			if before[m]--; before[m] == 0 {
				ready = append(ready, m)
			}
		}
	}
	for _, n := range first {
		near := last
		for _, m := range below[n] {
			near = min(near, l.boxes[m].rank-1)
		}
		l.boxes[n].rank = near
	}
	for i, n := range alone {
		l.boxes[n].rank = last + 1 + i/rowOfAlone
	}
}

// split makes several ranks of those that are too wide: no edge is within one.
func (l *layout) split() {
	ranks := 0
	for i := range l.boxes {
		ranks = max(ranks, l.boxes[i].rank+1)
	}
	wide, part := make([]float64, ranks), make([]int, ranks)
	of := make([]int, len(l.boxes)) // which part of its rank
	for i := range l.boxes {
		r := l.boxes[i].rank
		if wide[r] > 0 && wide[r]+l.boxes[i].width > widest {
			wide[r] = 0
			part[r]++
		}
		wide[r] += l.boxes[i].width + gapX
		of[i] = part[r]
	}
	before := make([]int, ranks+1)
	for r := range ranks {
		before[r+1] = before[r] + part[r] + 1
	}
	for i := range l.boxes {
		l.boxes[i].rank = before[l.boxes[i].rank] + of[i]
	}
}

// thread cuts edges at the ranks that they pass.
func (l *layout) thread(g *Graph) {
	threads := 0
	for i := range g.Edges {
		up, down := l.ends(g, i)
		if up == down {
			continue
		}
		way := []int{up}
		if span := l.boxes[down].rank - l.boxes[up].rank - 1; threads+span <= maxThreads {
			threads += span
			for r := range span {
				way = append(way, len(l.boxes))
				l.boxes = append(l.boxes, box{rank: l.boxes[up].rank + r + 1, width: thread})
			}
		}
		way = append(way, down)
		l.routes[i].boxes = way
		for j := 1; j < len(way); j++ {
			l.boxes[way[j-1]].below = append(l.boxes[way[j-1]].below, way[j])
			l.boxes[way[j]].above = append(l.boxes[way[j]].above, way[j-1])
		}
	}
	for i := range l.boxes {
		r := l.boxes[i].rank
		for len(l.ranks) <= r {
			l.ranks = append(l.ranks, nil)
		}
		l.boxes[i].place = len(l.ranks[r])
		l.ranks[r] = append(l.ranks[r], i)
	}
}

// order sorts each rank by the medians of its neighbours, down and up in turns, and keeps the order
// with the fewest crossings.
func (l *layout) order() {
	best, least := l.copyRanks(), l.crossings()
	for n := 0; n < orderings && least > 0; n++ {
		for i := range l.ranks {
			r := i
			if n%2 == 1 {
				r = len(l.ranks) - 1 - i
			}
			median := map[int]float64{}
			for _, b := range l.ranks[r] {
				list := l.boxes[b].above
				if n%2 == 1 {
					list = l.boxes[b].below
				}
				median[b] = l.median(list, float64(l.boxes[b].place))
			}
			slices.SortStableFunc(l.ranks[r], func(a, b int) int {
				switch {
				case median[a] < median[b]:
					return -1
				case median[a] > median[b]:
					return 1
				}
				return 0
			})
			for at, b := range l.ranks[r] {
				l.boxes[b].place = at
			}
		}
		if c := l.crossings(); c < least {
			best, least = l.copyRanks(), c
		}
	}
	l.ranks = best
	for _, rank := range l.ranks {
		for at, b := range rank {
			l.boxes[b].place = at
		}
	}
}

func (l *layout) copyRanks() [][]int {
	out := make([][]int, len(l.ranks))
	for i, rank := range l.ranks {
		out[i] = slices.Clone(rank)
	}
	return out
}

// median is the middle place of some boxes, or what there is without any.
func (l *layout) median(list []int, without float64) float64 {
	if len(list) == 0 {
		return without
	}
	places := make([]int, len(list))
	for i, b := range list {
		places[i] = l.boxes[b].place
	}
	slices.Sort(places)
	return (float64(places[(len(places)-1)/2]) + float64(places[len(places)/2])) / 2
}

// crossings counts edges between neighbouring ranks that cross, with a Fenwick tree.
func (l *layout) crossings() (all int) {
	for r := 1; r < len(l.ranks); r++ {
		tree := make([]int, len(l.ranks[r])+1)
		seen := 0
		for _, up := range l.ranks[r-1] {
			var places []int
			for _, down := range l.boxes[up].below {
				if l.boxes[down].rank == r {
					places = append(places, l.boxes[down].place)
				}
			}
			for _, p := range places {
				before := 0
				for i := p + 1; i > 0; i -= i & -i {
					before += tree[i]
				}
				all += seen - before
			}
			for _, p := range places {
				seen++
				for i := p + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
		}
	}
	return all
}

// place moves the boxes of each rank to the middle of their neighbours, down and up in turns, as
// near as the others let them.
func (l *layout) place() {
	for n := range placings {
		for i := range l.ranks {
			r := i
			if n%2 == 1 {
				r = len(l.ranks) - 1 - i
			}
			l.settle(l.ranks[r], n%2 == 1, n == 0)
		}
	}
	y, left := 0.0, 0.0
	for _, rank := range l.ranks {
		high := 0.0
		for _, b := range rank {
			high = max(high, l.boxes[b].high)
			left = min(left, l.boxes[b].x-l.boxes[b].width/2)
		}
		for _, b := range rank {
			l.boxes[b].y = y + high/2
		}
		y += high + gapY
	}
	for i := range l.boxes {
		l.boxes[i].x -= left
	}
}

// settle places the boxes of a rank: least squares of the distances to where each wants to be,
// without overlaps, by pooling neighbours that want the same place.
func (l *layout) settle(rank []int, up, first bool) {
	type pool struct {
		want   float64 // of the leftmost, on average
		weight float64
		n      int
	}
	var pools []pool
	offset := make([]float64, len(rank)) // from the leftmost of the rank
	for i, b := range rank {
		if i > 0 {
			gap := float64(gapX)
			if l.boxes[b].high == 0 && l.boxes[rank[i-1]].high == 0 {
				gap = gapThread
			}
			offset[i] = offset[i-1] + l.boxes[rank[i-1]].width/2 + gap + l.boxes[b].width/2
		}
		list := l.boxes[b].above
		if up {
			list = l.boxes[b].below
		}
		want, weight := l.boxes[b].x, 0.01
		if first && len(list) == 0 {
			want = offset[i]
		}
		if len(list) > 0 {
			xs := make([]float64, len(list))
			for j, o := range list {
				xs[j] = l.boxes[o].x
			}
			slices.Sort(xs)
			want, weight = (xs[(len(xs)-1)/2]+xs[len(xs)/2])/2, 1
			if len(list) == 1 && l.boxes[b].high == 0 {
				weight = 4 // long edges are straight
			}
		}
		pools = append(pools, pool{want - offset[i], weight, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].want > pools[k].want; k-- {
			a, c := pools[k-1], pools[k]
			sum := a.weight + c.weight
			pools = append(pools[:k-1], pool{(a.want*a.weight + c.want*c.weight) / sum, sum, a.n + c.n})
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			l.boxes[rank[i]].x = p.want + offset[i]
			i++
		}
	}
}
