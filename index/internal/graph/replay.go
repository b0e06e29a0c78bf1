package graph

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
)

// A replay evaluates the units of some files as a solver would that begins with nothing,
// while it evaluates those of all other files, too. Evaluation is not monotone everywhere:
// a type with arguments that grow leaves its smaller versions behind, more than 64 values
// are none, a fallback is taken while nothing has come yet. So the result depends on what
// each unit saw when, and an update must come out as if all had been solved again.
//
// The other units are not evaluated: what they gave, and in which round, is known. It is
// given again in its time. When that is done, each cell that they read must have grown as
// it did before, by the same values in the same rounds before the same files. Then they
// would have done what they did. Otherwise the family is made afresh: in most projects
// that takes as long as to evaluate again all that the change leads to.
type replay struct {
	coming  events
	entered map[uint32]bool
	ends    []uint32 // by cell: where its events end in all
	all     []event  // of the units that stand
	now     moment
}

// A moment is a place in the work of a solver.
type moment struct {
	round uint32
	order uint32 // of a unit
}

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.round, o.round), cmp.Compare(m.order, o.order))
}

// An event is a contribution of a unit in its time.
type event struct {
	moment
	cell  uint32
	file  uint32 // the place of the unit's file
	value set    // all that the unit has given by then
}

// events are a heap, the earliest first.
type events []event

func (h events) Len() int           { return len(h) }
func (h events) Less(i, j int) bool { return h[i].compare(h[j].moment) < 0 }
func (h events) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)        { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	*h = (*h)[:n]
	return x
}

// replayed makes the units of some files again and evaluates them. The units that these
// files had are retired. It reports false where the result is not what there would be
// from nothing.
func (g *family) replayed(files []*file) bool {
	old := g.retired
	g.release()
	before := map[uint32][]event{}
	for _, f := range files {
		f.again = true
		g.makeUnits(f)
	}
	defer func() {
		for _, f := range files {
			f.again = false
		}
	}()
	evaluated := g.arrange(old)
	if evaluated > g.unitCount()/2 {
		return false
	}
	r := newReplay(g)
	g.replay = r
	defer func() { g.replay = nil }()
	for _, u := range old {
		for _, c := range u.gives {
			before[c.cell] = append(before[c.cell], event{moment{c.round, u.order}, c.cell, u.file.order, c.value})
		}
	}
	for _, c := range slices.Sorted(maps.Keys(before)) {
		r.enter(g, c)
	}
	for _, f := range files {
		for _, u := range f.units {
			g.giveDeclared(u)
			for _, c := range u.gives {
				r.enter(g, c.cell)
				g.cells.at(c.cell).value = g.values.union(g.cells.at(c.cell).value, c.value)
			}
			g.enqueue(u.n)
		}
	}
	peak := g.peak
	g.run()
	if g.halted.Load() {
		return true
	}
	if g.peak += peak; g.dropped || g.peak > g.mostMemos() {
		return false
	}
	after := map[uint32][]event{}
	for _, f := range files {
		for _, u := range f.units {
			for _, c := range u.gives {
				after[c.cell] = append(after[c.cell], event{moment{c.round, u.order}, c.cell, u.file.order, c.value})
			}
		}
	}
	for c := range before {
		if !r.same(g, c, before[c], after[c]) {
			return false
		}
	}
	for c := range after {
		if _, ok := before[c]; !ok && !r.same(g, c, nil, after[c]) {
			return false
		}
	}
	return true
}

// release has no cell name the units that are retired, so that their numbers can be given
// again.
func (g *family) release() {
	gone := make(map[uint32]bool, len(g.retired))
	for _, u := range g.retired {
		gone[u.n] = true
	}
	for i := range g.cells.len() {
		c := g.cells.at(uint32(i))
		c.readers = slices.DeleteFunc(c.readers, func(n uint32) bool { return gone[n] })
	}
	g.free = append(g.free, slices.Sorted(maps.Keys(gone))...)
	slices.Sort(g.free)
	g.retired = nil
}

// unitCount is how many units there are.
func (g *family) unitCount() int { return len(g.units) - 1 - len(g.free) }

// orderOf is the place of a unit in a round.
func (g *family) orderOf(n uint32) uint32 {
	if u := g.units[n]; u != nil {
		return u.order
	}
	return 0
}

// arrange puts the files, the units of the files, and those that are retired, in the order
// in which a solver goes through them. It returns how many are to be evaluated.
func (g *family) arrange(old []*unit) (evaluated int) {
	files := slices.Collect(maps.Values(g.files))
	for _, u := range old {
		if g.files[u.file.path] != u.file {
			files = append(files, u.file)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	at, order := uint32(0), uint32(0)
	for i, f := range files {
		if i == 0 || files[i-1].path != f.path {
			at++
		}
		f.order = at
		if g.files[f.path] != f {
			continue
		}
		for _, u := range f.units {
			order++
			u.order = order
		}
		if f.again {
			evaluated += len(f.units)
		}
	}
	return evaluated
}

// newReplay knows what all units have given that stand.
func newReplay(g *family) *replay {
	r := &replay{entered: map[uint32]bool{}, ends: make([]uint32, g.cells.len()+1), now: moment{1, 0}}
	for _, u := range g.units {
		if u != nil && !u.file.again {
			for _, c := range u.gives {
				r.ends[c.cell]++
			}
		}
	}
	n := uint32(0)
	for c := range r.ends { // where those of a cell begin, for now
		n, r.ends[c] = n+r.ends[c], n
	}
	r.all = make([]event, n)
	for _, u := range g.units {
		if u != nil && !u.file.again {
			for _, c := range u.gives {
				r.all[r.ends[c.cell]] = event{moment{c.round, u.order}, c.cell, u.file.order, c.value}
				r.ends[c.cell]++
			}
		}
	}
	return r
}

// of are the events of a cell.
func (r *replay) of(c uint32) []event {
	if int(c) >= len(r.ends) {
		return nil
	}
	from := uint32(0)
	if c > 0 {
		from = r.ends[c-1]
	}
	return r.all[from:r.ends[c]]
}

// enter gives a cell what the units that stand have given it by now, and will.
func (r *replay) enter(g *family, c uint32) {
	if r.entered[c] {
		return
	}
	r.entered[c] = true
	s := set(0)
	for _, e := range r.of(c) {
		if e.compare(r.now) < 0 {
			s = g.values.union(s, e.value)
		} else {
			heap.Push(&r.coming, e)
		}
	}
	g.cells.at(c).value = s
}

// until does what the units that stand did before a moment. r may be nil.
func (r *replay) until(g *family, m moment) {
	if r == nil {
		return
	}
	for len(r.coming) > 0 && r.coming[0].compare(m) < 0 {
		e := heap.Pop(&r.coming).(event)
		c := g.cells.at(e.cell)
		if v := g.values.union(c.value, e.value); v != c.value {
			c.value = v
			for _, reader := range c.readers {
				if g.units[reader].file.again {
					g.enqueue(reader)
				}
			}
		}
	}
	r.now = m
}

// skip goes on to the round after the next event, where nothing is queued. It reports
// false where there is none. r may be nil.
func (r *replay) skip(g *family) bool {
	if r == nil {
		return false
	}
	for len(r.coming) > 0 && len(g.queue) == 0 {
		g.round = r.coming[0].round + 1
		r.until(g, moment{g.round, 0})
	}
	return len(g.queue) > 0
}

// same reports whether the units that stand would see a cell grow as it did before.
func (r *replay) same(g *family, c uint32, before, after []event) bool {
	if slices.EqualFunc(before, after, func(a, b event) bool {
		return a.round == b.round && a.file == b.file && a.value == b.value
	}) {
		return true
	}
	if !slices.ContainsFunc(g.cells.at(c).readers, func(n uint32) bool { return !g.units[n].file.again }) {
		return true
	}
	return slices.Equal(g.growth(r.of(c), before), g.growth(r.of(c), after))
}

// A growth is what is in a cell from when the units of a file were evaluated in a round.
type growth struct {
	round, file uint32
	value       set
}

// growth is how a cell grows by two lists of events.
func (g *family) growth(a, b []event) []growth {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.file, b.file))
	})
	var out []growth
	s := set(0)
	for _, e := range all {
		v := g.values.union(s, e.value)
		if v == s {
			continue
		}
		s = v
		if n := len(out); n > 0 && out[n-1].round == e.round && out[n-1].file == e.file {
			out[n-1].value = s
		} else {
			out = append(out, growth{e.round, e.file, s})
		}
	}
	return out
}
