// Package dependents has the edges of the call graph turned round, packed: what is reached backward
// from a symbol that most of a tree depends on is found in them in a tenth of the time.
package dependents

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/paged"
)

// A Node is a symbol or a file that is a dependent, or has some.
type Node struct {
	ID   edge.ID
	Path string
	Pos  ir.Pos
	Name string
	Flags
}

// Flags are what a question asks of every node that it comes to.
type Flags struct {
	Test bool // it is code that a test runner runs
	File bool // it is the code of a file outside of all definitions
	Open bool // calls of its name may be open
	// Method says that it is a function of a class.
	Method bool
	// Loads says that files depend on it without an edge, which is looked for each time.
	Loads bool
}

// A Step is a node with the way by which it was reached.
type Step struct {
	ID, Via    edge.ID
	Depth      int
	Confidence edge.Confidence // the weakest on the way
}

// Dependents are who depends on what in one state of the graph. Nodes have ranks, by their paths,
// places and names.
type Dependents struct {
	version uint64
	ids     []edge.ID // by rank
	paths   []string
	file    []uint32 // by rank, the number of its path
	flags   []Flags
	ranks   paged.Array[uint32] // from 1
	first   []uint32            // by rank, where its dependents begin
	from    []uint32            // ranks
	certain []edge.Confidence   // of the surest edge from each
}

// Kept are the last ones that were made.
type Kept struct{ last atomic.Pointer[Dependents] }

// Of returns those of a version of the graph, or nil.
func (k *Kept) Of(version uint64) *Dependents {
	if d := k.last.Load(); d != nil && d.version == version {
		return d
	}
	return nil
}

// Keep puts some in place of the last ones, and returns their size in bytes.
func (k *Kept) Keep(d *Dependents) int64 {
	k.last.Store(d)
	return int64(len(d.from))*5 + int64(len(d.ids))*24 + int64(len(d.paths))*16
}

// A Maker takes edges.
type Maker struct {
	Node  func(edge.ID) Node // of a node that is met for the first time
	nodes []Node
	met   paged.Array[int32] // in nodes, from 1
	edges []pair
}

type pair struct {
	to, from int32 // in nodes
	c        edge.Confidence
}

// Add takes that a node depends on another one.
func (m *Maker) Add(to, from edge.ID, c edge.Confidence) {
	m.edges = append(m.edges, pair{m.Meet(to), m.Meet(from), c})
}

// Meet takes a node.
func (m *Maker) Meet(id edge.ID) int32 {
	n := m.met.At(id)
	if *n == 0 {
		m.nodes = append(m.nodes, m.Node(id))
		*n = int32(len(m.nodes))
	}
	return *n - 1
}

// Made returns what was taken, of a version of the graph.
func (m *Maker) Made(version uint64) *Dependents {
	d := &Dependents{version: version}
	order := make([]int32, len(m.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compare(&m.nodes[a], &m.nodes[b]) })
	rank := make([]uint32, len(m.nodes))
	for r, i := range order {
		n := &m.nodes[i]
		rank[i] = uint32(r)
		if last := len(d.paths) - 1; last < 0 || d.paths[last] != n.Path {
			d.paths = append(d.paths, n.Path)
		}
		d.ids, d.file, d.flags = append(d.ids, n.ID), append(d.file, uint32(len(d.paths)-1)), append(d.flags, n.Flags)
		*d.ranks.At(n.ID) = uint32(r) + 1
	}
	slices.SortFunc(m.edges, func(a, b pair) int {
		return cmp.Or(cmp.Compare(rank[a.to], rank[b.to]), cmp.Compare(rank[a.from], rank[b.from]), cmp.Compare(a.c, b.c))
	})
	m.edges = slices.CompactFunc(m.edges, func(a, b pair) bool { return a.to == b.to && a.from == b.from })
	d.first = make([]uint32, 0, len(d.ids)+1)
	d.from, d.certain = make([]uint32, len(m.edges)), make([]edge.Confidence, len(m.edges))
	for i, e := range m.edges {
		for len(d.first) <= int(rank[e.to]) {
			d.first = append(d.first, uint32(i))
		}
		d.from[i], d.certain[i] = rank[e.from], e.c
	}
	for len(d.first) <= len(d.ids) {
		d.first = append(d.first, uint32(len(m.edges)))
	}
	return d
}

func compare(a, b *Node) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// Has reports whether a node is known.
func (d *Dependents) Has(id edge.ID) bool { return d.ranks.Get(id) != 0 }

// Flags returns those of a node that is known, and its path. Of nil Dependents none is.
func (d *Dependents) Flags(id edge.ID) (f Flags, path string, known bool) {
	if d == nil {
		return f, "", false
	}
	r := d.ranks.Get(id)
	if r == 0 {
		return f, "", false
	}
	return d.flags[r-1], d.paths[d.file[r-1]], true
}

// From goes on from what was reached first, from some seeds, to all that depends on it, in at most
// depth steps: until it has come to most nodes. loaded gives the files that depend on a node with
// Loads. more says that there are further ones.
func (d *Dependents) From(ctx context.Context, seeds []edge.ID, found []Step, most, depth int, loaded func(edge.ID, func(edge.ID))) (all []Step, more bool) {
	const seed = math.MaxInt32
	at := make([]int32, len(d.ids)) // in found, from 1
	for _, id := range seeds {
		if r := d.ranks.Get(id); r != 0 {
			at[r-1] = seed
		}
	}
	for i := range found {
		if r := d.ranks.Get(found[i].ID); r != 0 {
			at[r-1] = int32(i + 1)
		}
	}
	begin := 0 // of the level before
	type keyed struct {
		key uint64
		via edge.ID
	}
	var level []keyed // by confidence and rank
	for now := 2; begin < len(found) && ctx.Err() == nil; now++ {
		first := len(found)
		level = level[:0]
		for i := begin; i < first; i++ {
			to := &found[i]
			r := d.ranks.Get(to.ID)
			if r == 0 {
				continue
			}
			r--
			reach := func(from uint32, c edge.Confidence) {
				c = max(c, to.Confidence)
				switch n := int(at[from]) - 1 - first; {
				case at[from] == 0:
					level = append(level, keyed{uint64(c)<<32 | uint64(from), to.ID})
					at[from] = int32(first + len(level))
				case n >= 0 && at[from] != seed && uint64(c) < level[n].key>>32:
					level[n] = keyed{uint64(c)<<32 | uint64(from), to.ID}
				}
			}
			for e := d.first[r]; e < d.first[r+1]; e++ {
				reach(d.from[e], d.certain[e])
			}
			if d.flags[r].Loads {
				loaded(to.ID, func(from edge.ID) {
					if r := d.ranks.Get(from); r != 0 {
						reach(r-1, edge.Exact)
					}
				})
			}
		}
		if len(level) > 0 && now > depth {
			return found, true
		}
		slices.SortFunc(level, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		more = first+len(level) > most
		level = level[:min(len(level), most-first)]
		found = slices.Grow(found, len(level))
		for _, k := range level {
			found = append(found, Step{d.ids[uint32(k.key)], k.via, now, edge.Confidence(k.key >> 32)})
			at[uint32(k.key)] = int32(len(found))
		}
		if more {
			return found, true
		}
		begin = first
	}
	return found, false
}
