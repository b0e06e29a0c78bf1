package solver

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
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
// would have done what they did. Otherwise all is done once more with the files of those
// that have read it. Where that becomes half of the family, it is made afresh.
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
	file  uint32       // the place of the unit's file
	value pointsto.Set // all that the unit has given by then
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

// mostReplays is how often an update is begun again with more files, before the family is
// made afresh.
const mostReplays = 12

// replayed makes the units of some files again and evaluates them, and those of the files
// that this leads to. The units that these files had are retired. It reports false where
// the result is not what there would be from nothing.
func replayed(g *program.Family, files []*program.File) bool {
	old := g.Retired
	defer func() {
		for _, f := range files {
			f.Again = false
		}
	}()
	var r *replay
	peak := g.Peak
	for range mostReplays {
		if r = replayOnce(g, r, files, old); r == nil {
			return false
		}
		if g.Halted.Load() {
			return true
		}
		if g.Peak += peak; g.Dropped || g.Peak > mostMemos(g) {
			return false
		}
		more := r.differing(g, eventsOf(old), eventsOf(unitsOf(files)))
		if len(more) == 0 {
			return true
		}
		for _, f := range files {
			retire(g, f)
		}
		own := len(g.Retired)
		for _, f := range more {
			retire(g, f)
		}
		old = append(old[:len(old):len(old)], g.Retired[own:]...)
		files = append(files, more...)
	}
	return false
}

// replayOnce evaluates the units of some files, of which old were there before. was is the
// replay before this one, which had fewer files, or nil. It returns nil where these are
// more than half of the units.
func replayOnce(g *program.Family, was *replay, files []*program.File, old []*program.Unit) *replay {
	release(g)
	for _, f := range files {
		f.Again = true
		makeUnits(g, f)
	}
	if arrange(g, old) > unitCount(g)/2 {
		return nil
	}
	r := newReplay(g)
	g.Entering = func(cell uint32) { r.enter(g, cell) }
	defer func() { g.Entering = nil }()
	changed := map[uint32]bool{}
	for _, u := range old {
		for _, c := range u.Constraints {
			changed[c.Cell] = true
		}
	}
	if was != nil { // it has left its own values
		maps.Copy(changed, was.entered)
	}
	for _, c := range slices.Sorted(maps.Keys(changed)) {
		r.enter(g, c)
	}
	for _, u := range unitsOf(files) {
		giveDeclared(g, u)
		for _, c := range u.Constraints {
			r.enter(g, c.Cell)
			g.Cells.At(c.Cell).Value = g.Values.Union(g.Cells.At(c.Cell).Value, c.Value)
		}
		enqueue(g, u.N)
	}
	run(g, r)
	return r
}

// unitsOf are the units of some files.
func unitsOf(files []*program.File) (all []*program.Unit) {
	for _, f := range files {
		all = append(all, f.Units...)
	}
	return all
}

// eventsOf is what units have given, by cell.
func eventsOf(units []*program.Unit) map[uint32][]event {
	by := map[uint32][]event{}
	for _, u := range units {
		for _, c := range u.Constraints {
			by[c.Cell] = append(by[c.Cell], event{moment{c.Round, u.Order}, c.Cell, u.File.Order, c.Value})
		}
	}
	return by
}

// differing returns the files, in order, of the units that stand and would see a cell grow
// in another way than before.
func (r *replay) differing(g *program.Family, before, after map[uint32][]event) []*program.File {
	files := map[*program.File]bool{}
	for c := range before {
		r.readers(g, c, before[c], after[c], files)
	}
	for c := range after {
		if _, ok := before[c]; !ok {
			r.readers(g, c, nil, after[c], files)
		}
	}
	return slices.SortedFunc(maps.Keys(files), func(a, b *program.File) int { return g.Compare(a.ID, b.ID) })
}

// release has no cell name the units that are retired, so that their numbers can be given
// again.
func release(g *program.Family) {
	gone := make(map[uint32]bool, len(g.Retired))
	for _, u := range g.Retired {
		gone[u.N] = true
	}
	for i := range g.Cells.Len() {
		c := g.Cells.At(uint32(i))
		c.Readers = slices.DeleteFunc(c.Readers, func(n uint32) bool { return gone[n] })
	}
	g.Free = append(g.Free, slices.Sorted(maps.Keys(gone))...)
	slices.Sort(g.Free)
	g.Retired = nil
}

// unitCount is how many units there are.
func unitCount(g *program.Family) int { return len(g.Units) - 1 - len(g.Free) }

// orderOf is the place of a unit in a round.
func orderOf(g *program.Family, n uint32) uint32 {
	if u := g.Units[n]; u != nil {
		return u.Order
	}
	return 0
}

// arrange puts the files, the units of the files, and those that are retired, in the order
// in which a solver goes through them. It returns how many are to be evaluated.
func arrange(g *program.Family, old []*program.Unit) (evaluated int) {
	files := slices.Collect(maps.Values(g.Files))
	for _, u := range old {
		if g.Files[u.File.Path] != u.File {
			files = append(files, u.File)
		}
	}
	slices.SortFunc(files, func(a, b *program.File) int { return cmp.Compare(a.Path, b.Path) })
	at, order := uint32(0), uint32(0)
	for i, f := range files {
		if i == 0 || files[i-1].Path != f.Path {
			at++
		}
		f.Order = at
		if g.Files[f.Path] != f {
			continue
		}
		for _, u := range f.Units {
			order++
			u.Order = order
		}
		if f.Again {
			evaluated += len(f.Units)
		}
	}
	return evaluated
}

// newReplay knows what all units have given that stand.
func newReplay(g *program.Family) *replay {
	r := &replay{entered: map[uint32]bool{}, ends: make([]uint32, g.Cells.Len()+1), now: moment{1, 0}}
	for _, u := range g.Units {
		if u != nil && !u.File.Again {
			for _, c := range u.Constraints {
				r.ends[c.Cell]++
			}
		}
	}
	n := uint32(0)
	for c := range r.ends { // where those of a cell begin, for now
		n, r.ends[c] = n+r.ends[c], n
	}
	r.all = make([]event, n)
	for _, u := range g.Units {
		if u != nil && !u.File.Again {
			for _, c := range u.Constraints {
				r.all[r.ends[c.Cell]] = event{moment{c.Round, u.Order}, c.Cell, u.File.Order, c.Value}
				r.ends[c.Cell]++
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
func (r *replay) enter(g *program.Family, c uint32) {
	if r.entered[c] {
		return
	}
	r.entered[c] = true
	s := pointsto.Set(0)
	for _, e := range r.of(c) {
		if e.compare(r.now) < 0 {
			s = g.Values.Union(s, e.value)
		} else {
			heap.Push(&r.coming, e)
		}
	}
	g.Cells.At(c).Value = s
}

// until does what the units that stand did before a moment. r may be nil.
func (r *replay) until(g *program.Family, m moment) {
	if r == nil {
		return
	}
	for len(r.coming) > 0 && r.coming[0].compare(m) < 0 {
		e := heap.Pop(&r.coming).(event)
		c := g.Cells.At(e.cell)
		if v := g.Values.Union(c.Value, e.value); v != c.Value {
			c.Value = v
			for _, reader := range c.Readers {
				if g.Units[reader].File.Again {
					enqueue(g, reader)
				}
			}
		}
	}
	r.now = m
}

// skip goes on to the round after the next event, where nothing is queued. It reports
// false where there is none. r may be nil.
func (r *replay) skip(g *program.Family) bool {
	if r == nil {
		return false
	}
	for len(r.coming) > 0 && len(g.Queue) == 0 {
		g.Round = r.coming[0].round + 1
		r.until(g, moment{g.Round, 0})
	}
	return len(g.Queue) > 0
}

// readers adds the files of the units that stand and read a cell, where that has grown in
// another way than before.
func (r *replay) readers(g *program.Family, c uint32, before, after []event, files map[*program.File]bool) {
	if slices.EqualFunc(before, after, func(a, b event) bool {
		return a.round == b.round && a.file == b.file && a.value == b.value
	}) {
		return
	}
	stands := func(n uint32) bool { return !g.Units[n].File.Again }
	readers := g.Cells.At(c).Readers
	if !slices.ContainsFunc(readers, stands) || slices.Equal(grown(g, r.of(c), before), grown(g, r.of(c), after)) {
		return
	}
	for _, n := range readers {
		if stands(n) {
			files[g.Units[n].File] = true
		}
	}
}

// A growth is what is in a cell from when the units of a file were evaluated in a round.
type growth struct {
	round, file uint32
	value       pointsto.Set
}

// grown is how a cell grows by two lists of events.
func grown(g *program.Family, a, b []event) []growth {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.file, b.file))
	})
	var out []growth
	s := pointsto.Set(0)
	for _, e := range all {
		v := g.Values.Union(s, e.value)
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
