package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// fewOverrides is how many overrides a call is written out to. A call of a method
// with more is kept as one edge to the method itself, and a query makes the others of
// it: in Go's own distribution half of all edges would be those of a handful of
// methods (Write, Error, String) that hundreds of types have.
const fewOverrides = 2

// A dispatch is a call of a method of a class by its hierarchy.
type dispatch struct {
	class, method ID
	anyCount      bool // methods of other numbers of parameters override, too
}

// dispatchNumber numbers a dispatch, so that an edge needs four bytes for it.
func (g *family) dispatchNumber(d dispatch) uint32 {
	n, ok := g.dispatchAt[d]
	if !ok {
		n = uint32(len(g.dispatches))
		g.dispatches = append(g.dispatches, d)
		g.dispatchAt[d] = n
	}
	return n
}

// overrides are the members of classes below that run in place of a method.
func (g *family) overrides(d dispatch) []entry {
	if list, ok := g.overriding[d]; ok {
		return list
	}
	k, fn := g.classes[d.class], g.fn(d.method)
	if k == nil || fn == nil {
		return nil
	}
	n := g.entities[d.method].name
	var out []entry
	seen := map[ID]bool{}
	for _, id := range g.belowOf(k) {
		sub := g.classes[id]
		if sub == nil {
			continue
		}
		list, at := g.member(sub, n)
		if at < 0 {
			continue
		}
		if len(list) > 1 && sub.file.lang.overridesByType {
			list = g.sameParams(list, fn, g.entities[d.method].file)
		}
		for _, o := range list {
			of := g.fn(o.id)
			if o.kind != ir.FuncMember || o.id == d.method || of == nil || of.Flags&(ir.Abstract|ir.Prototype) != 0 || (of.Flags^fn.Flags)&ir.Static != 0 {
				continue
			}
			if len(list) > 1 && len(of.Params) != len(fn.Params) && !d.anyCount {
				continue
			}
			if !seen[o.id] {
				seen[o.id] = true
				out = append(out, o)
			}
		}
	}
	g.overriding[d] = out
	return out
}

// expand calls yield for an edge, or for those to the overrides that it stands for.
func (g *family) expand(e Edge, yield func(Edge) bool) bool {
	if e.via == 0 {
		return yield(e)
	}
	list := g.overriding[g.dispatches[e.via]]
	e.via = 0
	for _, o := range list {
		e.To = o.id
		if !yield(e) {
			return false
		}
	}
	return true
}

// findOverridden makes the index from overrides to the calls that may run them. All
// that queries need of overrides is computed here: they must not change anything.
func (g *family) findOverridden() {
	g.overridden = map[ID][]dispatch{}
	used := map[dispatch]bool{}
	for _, u := range g.units {
		if u == nil {
			continue
		}
		for i := range u.edges {
			d := g.dispatches[u.edges[i].via]
			if u.edges[i].via != 0 && !used[d] {
				used[d] = true
				for _, o := range g.overrides(d) {
					g.overridden[o.id] = append(g.overridden[o.id], d)
				}
			}
		}
	}
	for d := range g.overriding {
		if !used[d] {
			delete(g.overriding, d)
		}
	}
	for _, list := range g.overridden {
		slices.SortFunc(list, g.compareDispatches)
	}
}

// compareDispatches orders dispatches by path and place.
func (g *family) compareDispatches(a, b dispatch) int {
	if c := g.compare(a.method, b.method); c != 0 {
		return c
	}
	if c := g.compare(a.class, b.class); c != 0 || a.anyCount == b.anyCount {
		return c
	}
	if b.anyCount {
		return -1
	}
	return 1
}

// sameParams leaves of overloads of one name those that declare the same types of
// parameters as a method above them, if there are any.
func (g *family) sameParams(list []entry, above *ir.FuncInfo, in *file) []entry {
	var same []entry
	for _, m := range list {
		fn := g.fn(m.id)
		if fn == nil || len(fn.Params) != len(above.Params) {
			continue
		}
		f, equal := g.entities[m.id].file, true
		for i := range fn.Params {
			equal = equal && f.varTypes[fn.Params[i].Var] == in.varTypes[above.Params[i].Var]
		}
		if equal {
			same = append(same, m)
		}
	}
	if len(same) == 0 {
		return list
	}
	return same
}
