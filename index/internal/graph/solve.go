package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A cellKind is what a cell holds the values of.
type cellKind uint8

const (
	cVar     cellKind = iota // a variable at the top of a file, or a field; by its node
	cLocal                   // a variable of one unit that another one uses; by file and number
	cParam                   // a parameter; by function and number
	cSelf                    // the receiver of a method; by function
	cResult                  // a result; by function and number
	cYield                   // what a generator yields; by function
	cName                    // a name at the top of a file that is assigned and also defined; by file and name
	cAttr                    // an undeclared field of a class; by class and name
	cItem                    // a field of a literal; by literal and name
	cBlock                   // the block that a method is called with; by function
	cStatic                  // an undeclared field of the class itself; by class and name
	cForeign                 // what the functions that become values of an external type are called with; by its name and the parameter's number
	cObject                  // what objects hold where an interface is expected; by the interface and the name
	cStore                   // what is put into containers of a form; by the class of the elements and the form
)

// Names of the items of a literal that are no names in any language.
const (
	anyItem  = "*" // every item
	someItem = "?" // an item whose key is not known
)

// cellKey names a cell.
type cellKey struct {
	kind cellKind
	id   ID
	sub  uint32
}

func (k cellKey) hash() uint64 { return mix(uint64(k.kind), uint64(k.id), uint64(k.sub)) }

// A cell holds the values that reach a place which several units share.
type cell struct {
	key     cellKey
	value   set
	readers []uint32
}

// A unit is what is evaluated at once: a function with the functions inside it.
type unit struct {
	n     uint32 // its number
	order uint32 // its place in a round
	file  *file
	root  ir.Func
	first ir.Func // in the order of the text; file.next has the others
	gives []contribution
	edges []Edge
	sites []site
	memo  *memo // while the solver runs
}

// A contribution is what a unit has added to a cell, up to a round of the solver. Of one
// cell a unit has one for each round in which it added more, in their order.
type contribution struct {
	cell  uint32
	value set
	round uint32
}

// solver computes the least fixed point: the smallest sets that satisfy every
// assignment, call and return. Nothing is ever taken out of a cell while it runs; see
// run for the order of work.
type solver struct {
	cells   blocks[cell]
	byCell  table
	units   []*unit  // the first is none
	free    []uint32 // numbers of units that may be given again
	queue   []uint32
	queued  []bool        // by unit: it is in the queue
	methods map[name][]ID // classes of structural languages, by the names of their methods

	depth int // of what is being evaluated, in whatever file
	steps int // since that began

	retired []*unit // units that are gone, while cells may still name them
	replay  *replay // while an update runs
	round   uint32  // of the solver; what is declared is there before the first
	peak    int     // numbers of memos in the last run
	dropped bool    // there was no room for all of them
	solved  bool

	overriding map[dispatch][]entry // what runs in place of a method, as far as it was asked
	overridden map[ID][]dispatch
	dispatches []dispatch // by number; 0 is none
	dispatchAt map[dispatch]uint32

	bounds map[valueInfo]set // of type parameters
	partOf map[ID]ID         // parts of classes: see canonicalID
	into   *inverse
	open_  map[name][]uint32

	elsewhere map[ID][]uint32 // units that hold edges and sites of a node besides its own
}

func (s *solver) init() {
	s.cells = blocks[cell]{}
	s.cells.extend(1)
	s.byCell = table{}
	s.units, s.queued = make([]*unit, 1), make([]bool, 1)
	if s.methods == nil {
		s.overriding = map[dispatch][]entry{}
		s.dispatches, s.dispatchAt = make([]dispatch, 1), map[dispatch]uint32{}
		s.bounds = map[valueInfo]set{}
		s.methods, s.partOf = map[name][]ID{}, map[ID]ID{}
	}
	s.queue, s.free, s.retired = nil, nil, nil
	s.into, s.open_ = nil, nil
	s.round, s.dropped = 0, false
}

// cell finds or makes a cell.
func (g *family) cell(key cellKey) uint32 {
	if n := g.byCell.find(key.hash(), func(n uint32) bool { return g.cells.at(n).key == key }); n != 0 {
		return n
	}
	n := uint32(g.cells.len())
	g.cells.extend(g.cells.len() + 1)
	g.cells.at(n).key = key
	g.byCell.add(n, func(n uint32) uint64 { return g.cells.at(n).key.hash() })
	return n
}

// split into units: see the package doc of ir.
func (g *family) makeUnits(r *file) {
	f := r.ir
	member := make([]bool, len(f.Funcs))
	for _, m := range f.Top {
		if m.Kind == ir.FuncMember {
			member[m.Ref] = true
		}
	}
	root := make([]ir.Func, len(f.Funcs))
	root[1] = 1
	var rootOf func(i ir.Func, depth int) ir.Func
	rootOf = func(i ir.Func, depth int) ir.Func {
		if root[i] != 0 || depth > 1000 {
			return root[i]
		}
		info := &f.Funcs[i]
		switch {
		case r.apart(i):
			root[i] = i
		case info.Outer != 0:
			root[i] = rootOf(info.Outer, depth+1)
		case info.Class != 0:
			root[i] = i
			for c := info.Class; c != 0; c = f.Classes[c].Outer {
				if outer := f.Classes[c].Func; outer != 0 {
					root[i] = rootOf(outer, depth+1)
					break
				}
			}
		case member[i] || info.Recv != 0:
			root[i] = i
		default:
			root[i] = 1
		}
		return root[i]
	}
	r.within, r.inner = make([]ir.Func, len(f.Classes)), nil
	for i := 1; i < len(f.Classes); i++ {
		c := ir.Class(i)
		for range maxNesting {
			info := &f.Classes[c]
			if info.Func > 1 {
				if r.inner == nil {
					r.inner = map[ir.Func][]ir.Class{}
				}
				r.within[i] = info.Func
				r.inner[info.Func] = append(r.inner[info.Func], ir.Class(i))
			}
			if c = info.Outer; c == 0 || r.within[i] != 0 {
				break
			}
		}
	}
	r.shared = make([]bool, len(f.Funcs))
	r.shared[1] = true
	for i := 2; i < len(f.Funcs); i++ {
		if r.apart(ir.Func(i)) {
			for outer := r.around(ir.Func(i)); outer != 0 && !r.shared[outer]; outer = r.around(outer) {
				r.shared[outer] = true
			}
		}
	}
	r.unitOf = make([]uint32, len(f.Funcs))
	at := map[ir.Func]uint32{}
	for i := 1; i < len(f.Funcs); i++ {
		top := rootOf(ir.Func(i), 0)
		if top == 0 {
			top = 1
		}
		n, ok := at[top]
		if !ok {
			u := &unit{file: r, root: top}
			if k := len(g.free); k > 0 {
				n, g.free = g.free[k-1], g.free[:k-1]
				g.units[n] = u
			} else {
				n = uint32(len(g.units))
				g.units, g.queued = append(g.units, u), append(g.queued, false)
			}
			u.n = n
			at[top] = n
			r.units = append(r.units, u)
		}
		r.unitOf[i] = n
	}
	r.next = make([]ir.Func, len(f.Funcs))
	for i := len(f.Funcs) - 1; i > 0; i-- {
		u := g.units[r.unitOf[i]]
		r.next[i], u.first = u.first, ir.Func(i)
	}
}

// apartSize is the length in bytes from which a function within others is a unit of
// its own, where the language has it so: the suites of tests are functions of thousands of lines
// with the tests inside, each of which would be evaluated again for every other.
const apartSize = 600

func (f *file) apart(i ir.Func) bool {
	info := &f.ir.Funcs[i]
	return i > 1 && f.lang.splitsFuncs && info.End >= info.Start+apartSize
}

// owns reports whether a cell is a variable of a function in the unit.
func (u *unit) owns(n uint32, key cellKey) bool {
	f := u.file
	return key.id == f.id && f.unitOf[f.ir.Vars[key.sub].Func] == n
}

// around returns the function that a function or its class is written in: 1 for those
// at the top, 0 for 1 itself.
func (f *file) around(i ir.Func) ir.Func {
	if i == 1 {
		return 0
	}
	info := &f.ir.Funcs[i]
	if info.Outer != 0 {
		return info.Outer
	}
	for c := info.Class; c != 0; c = f.ir.Classes[c].Outer {
		if outer := f.ir.Classes[c].Func; outer != 0 {
			return outer
		}
	}
	return 1
}

// enqueue marks a unit as one to be evaluated.
func (g *family) enqueue(n uint32) {
	if g.units[n] != nil && !g.queued[n] {
		g.queued[n] = true
		g.queue = append(g.queue, n)
	}
}

// giveDeclared enters the declared results of a unit before it is evaluated, so
// that those who call it need not be evaluated again after it.
func (g *family) giveDeclared(u *unit) {
	for fn := u.first; fn != 0; fn = u.file.next[fn] {
		for i, s := range u.file.results.of(fn) {
			if s == 0 {
				continue
			}
			at := g.cell(cellKey{cResult, u.file.funcs[fn], uint32(i)})
			g.cells.at(at).value = g.values.union(g.cells.at(at).value, s)
			u.gives = append(u.gives, contribution{at, s, 0})
		}
	}
	slices.SortFunc(u.gives, func(a, b contribution) int { return cmp.Compare(a.cell, b.cell) })
}

// run evaluates units until nothing changes, in rounds: in each those are evaluated, in
// the order of files and places, that were queued in the one before. It is this order
// that makes the result one of the files alone, since evaluation is not monotone
// everywhere: what a function gave when less was known stays given.
func (g *family) run() {
	e := newEval(g)
	var done []uint32
	made := map[edgeKey]struct{}{}
	memos := 0 // numbers in those that are kept
	g.peak = 0
	for g.round = 1; len(g.queue) > 0 || g.replay.skip(g); g.round++ {
		// Of files that are not at hand each is loaded once in a round.
		batch := g.queue
		if g.replay == nil {
			slices.Sort(batch) // numbers are in that order
		} else {
			slices.SortFunc(batch, func(a, b uint32) int { return cmp.Compare(g.orderOf(a), g.orderOf(b)) })
		}
		g.queue = nil
		for _, n := range batch {
			g.between()
			if g.halted.Load() {
				return
			}
			if !g.queued[n] {
				continue
			}
			u := g.units[n]
			if u == nil {
				g.queued[n] = false
				continue
			}
			g.replay.until(g, moment{g.round, u.order})
			g.queued[n] = false
			if u.memo == nil {
				done = append(done, n)
			}
			memos -= u.memo.size()
			e.unit(n, u)
			g.take(n, u, e)
			if memos += u.memo.size(); memos > g.mostMemos() {
				memos -= u.memo.size()
				g.dropped = true
				g.publish(n, u, made) // it is evaluated whole, if it is again
			}
			g.peak = max(g.peak, memos)
			g.relieve()
		}
		g.replay.until(g, moment{g.round + 1, 0})
	}
	for _, n := range done {
		if u := g.units[n]; u.memo != nil {
			g.publish(n, u, made)
		}
	}
}

// take enters what an evaluation of a unit gave.
func (g *family) take(n uint32, u *unit, e *eval) {
	for _, c := range e.reads {
		readers := &g.cells.at(c).readers
		if at, ok := slices.BinarySearch(*readers, n); !ok {
			*readers = slices.Insert(*readers, at, n)
		}
	}
	slices.Sort(e.written)
	u.gives = merged(u.gives, e)
	for _, at := range e.written {
		c := g.cells.at(at)
		if g.replay != nil {
			g.replay.enter(g, at)
		}
		if v := g.values.union(c.value, e.marks.at(at).gives); v != c.value {
			c.value = v
			for _, reader := range c.readers {
				if g.replay != nil && !g.units[reader].file.again {
					continue // it stands, or everything is solved again
				}
				// A unit has seen what it gave to its own variables.
				if reader != n || c.key.kind != cLocal || !u.owns(n, c.key) {
					g.enqueue(reader)
				}
			}
		}
	}
}

// merged adds what an evaluation gave to what a unit gave before, which it still gives.
// Both are in the order of cells.
func merged(gives []contribution, e *eval) []contribution {
	v, round := e.g.values, e.g.round
	i, fresh := 0, 0
	last := func(at uint32) (before set, to int) {
		for i < len(gives) && gives[i].cell < at {
			i++
		}
		for to = i; to < len(gives) && gives[to].cell == at; to++ {
			before = gives[to].value
		}
		return before, to
	}
	for _, at := range e.written {
		if before, _ := last(at); v.union(before, e.marks.at(at).gives) != before {
			fresh++
		}
	}
	if fresh == 0 {
		return gives
	}
	out := make([]contribution, 0, len(gives)+fresh)
	from := 0
	i = 0
	for _, at := range e.written {
		before, to := last(at)
		if now := v.union(before, e.marks.at(at).gives); now != before {
			out = append(append(out, gives[from:to]...), contribution{at, now, round})
			from = to
		}
	}
	return append(out, gives[from:]...)
}

// elems returns the values of a set.
func (g *family) elems(s set) []value { return g.values.elems(s) }

// args returns the sets of a list.
func (g *family) args(l list) []set { return g.values.args(l) }
