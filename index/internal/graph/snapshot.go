package graph

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/lang"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// Save writes all that the graph answers from, as of the last Resolve, but nothing that
// only updates need. Graphs that answer the same are the same bytes, whatever edits led
// to them. It may run alongside queries.
func (g *Graph) Save(e *snapshot.Encoder) {
	all := g.byName()
	e.Uint(saveVersion)
	e.Len(len(all))
	for _, p := range all {
		e.String(p.Name)
		solver.Freeze(p).Save(e)
	}
}

// Restore reads what Save wrote. The graph answers as the saved one did, and needs no
// file. It cannot change (Put, Remove, Config and Resolve panic) until Reload says where
// to get its files from. Bytes that make no sense give an error.
func Restore(d *snapshot.Decoder) (*Graph, error) {
	g := &Graph{settings: &program.Settings{}, fixed: true}
	if v := d.Uint(); v != saveVersion {
		d.Fail("version %d of the call graph", v)
	}
	last := ""
	for range min(d.Len(1), edge.MaxFamilies+1) {
		name := d.String()
		if name <= last || !lang.KnownFamily(name) {
			d.Fail("a family with the name %q", name)
		}
		last = name
		f := frozen.Restore(d)
		if err := d.Err(); err != nil {
			return nil, err
		}
		g.families = append(g.families, solver.FrozenFamily(name, lang.Maker(name), g.settings, f))
	}
	return g, d.Err()
}

// Frozen returns a copy that answers as the graph does and cannot change: what Restore
// makes of what Save writes.
func (g *Graph) Frozen() *Graph {
	return g.copied(func(p *program.Family) *frozen.Family { return solver.Freeze(p) })
}

// Apart is Frozen with nothing in common that a Move of g changes.
func (g *Graph) Apart() *Graph {
	return g.copied(func(p *program.Family) *frozen.Family {
		f := solver.Freeze(p)
		if p.Frozen != nil {
			f = f.Apart()
		}
		return f
	})
}

func (g *Graph) copied(freeze func(p *program.Family) *frozen.Family) *Graph {
	c := &Graph{settings: &program.Settings{}, fixed: true}
	for _, p := range g.families {
		c.families = append(c.families, solver.FrozenFamily(p.Name, p.Languages, c.settings, freeze(p)))
	}
	return c
}

func (g *Graph) mustChange() {
	if g.fixed {
		panic("graph: a copy, or one that was restored without Reload, cannot change")
	}
}

// saveVersion is the version of the encoding.
const saveVersion = 2
