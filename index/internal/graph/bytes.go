package graph

import (
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Bytes returns about how much memory the graph takes.
func (g *Graph) Bytes() (n int64) {
	for _, f := range g.families {
		n += f.weight + int64(f.nodes)*int64(unsafe.Sizeof(ir.Node{}))
	}
	return n
}

// bytes returns about how much memory the family takes, without the expressions that are
// at hand.
func (g *family) bytes() int64 {
	if f := g.frozen; f != nil {
		n := sizeOf(f.nodes) + sizeOf(f.edges) + sizeOf(f.sites) + sizeOf(f.parts) + sizeOf(f.files)
		for _, l := range []lists{f.edgesOf, f.sitesOf, f.members, f.overrides, f.into, f.through, f.overridden, f.open} {
			n += sizeOf(l.ends) + sizeOf(l.data)
		}
		return n + text(f.names)
	}
	const indexed = 8 // of a site, in the index of them
	n := text(g.names.text) + sizeOf(g.names.byText.slots) + g.into.bytes() + sizeOf(g.entities) + sizeOf(g.byKey.slots) + g.cells.bytes() + sizeOf(g.byCell.slots) +
		sizeOf(g.values.info) + sizeOf(g.values.keys) + sizeOf(g.values.self) + sizeOf(g.values.byInfo.slots) + sizeOf(g.values.unions) +
		sizeOf(g.values.paramsOne) + sizeOf(g.values.paramsMany) +
		g.values.sets.bytes() + g.values.lists.bytes()
	for i := range g.cells.len() {
		n += sizeOf(g.cells.at(uint32(i)).readers)
	}
	for _, u := range g.units {
		if u != nil {
			n += int64(unsafe.Sizeof(*u)) + sizeOf(u.gives) + sizeOf(u.edges) + sizeOf(u.sites) + int64(len(u.sites))*indexed
		}
	}
	for _, f := range g.files {
		n += int64(unsafe.Sizeof(*f)) + sizeOf(f.names) + sizeOf(f.varTypes) + sizeOf(f.results.ends) + sizeOf(f.results.sets) + sizeOf(f.said) + sizeOf(f.declared) +
			sizeOf(f.ir.Funcs) + sizeOf(f.ir.Vars) + sizeOf(f.ir.Classes) + sizeOf(f.ir.Imports)
		for i := range f.ir.Funcs {
			n += sizeOf(f.ir.Funcs[i].Params) + sizeOf(f.ir.Funcs[i].Results)
		}
	}
	return n
}

// sizeOf is what a slice takes.
func sizeOf[T any](s []T) int64 {
	var zero T
	return int64(cap(s)) * int64(unsafe.Sizeof(zero))
}

// text is what strings take.
func text(all []string) int64 {
	n := sizeOf(all)
	for _, s := range all {
		n += int64(len(s))
	}
	return n
}

func (p *pool[T]) bytes() int64 { return sizeOf(p.data) + sizeOf(p.ends) + sizeOf(p.table) }
