package solver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// freezer makes the frozen form of a family.
type freezer struct {
	g      *program.Family
	out    *frozen.Family
	number []edge.ID // by the graph's own
	files  []*program.File
	others []edge.ID // the graph's own numbers of nodes of no file

	dispatches []program.Dispatch // in order, from 1
	dispatchAt []uint32           // by the graph's own numbers
	nameAt     []uint32           // as above
}

// Freeze returns all that the family answers from, renumbered: numbers of nodes,
// names and dispatches depend on what edits there were.
func Freeze(g *program.Family) *frozen.Family {
	if g.Frozen != nil {
		return g.Frozen
	}
	z := &freezer{
		g: g, out: &frozen.Family{}, number: make([]edge.ID, len(g.Entities)),
		dispatches: make([]program.Dispatch, 1), dispatchAt: make([]uint32, len(g.Dispatches)), nameAt: make([]uint32, len(g.Names.Text)),
	}
	for _, p := range g.Paths() {
		z.files = append(z.files, g.Files[p])
	}
	z.numberNodes()
	var crew fault.Group
	crew.Go(func() {
		z.numberDispatches()
		z.edges()
	})
	z.numberNames()
	z.nodes()
	z.sites()
	crew.Wait()
	z.out.Invert()
	return z.out
}

// units calls yield for every unit in the order of files.
func (z *freezer) units(yield func(u *program.Unit)) {
	for _, f := range z.files {
		for _, u := range f.Units {
			yield(u)
		}
	}
}

// numberNodes numbers the nodes of the files, and those others that anything leads to.
func (z *freezer) numberNodes() {
	n := edge.ID(0)
	for _, f := range z.files {
		f.Own(func(id edge.ID) {
			n++
			z.number[id] = n
		})
	}
	const met = ^edge.ID(0)
	meet := func(id edge.ID) {
		for ; id != 0 && z.number[id] == 0; id = z.g.Entities[id].Outer {
			z.number[id] = met
			z.others = append(z.others, id)
		}
	}
	z.units(func(u *program.Unit) {
		for i := range u.Edges {
			if d := u.Edges[i].Via; d == 0 {
				meet(u.Edges[i].To)
			} else {
				for _, o := range z.g.Overriding[z.g.Dispatches[d]] {
					meet(o.ID)
				}
			}
		}
	})
	for _, f := range z.files {
		f.Own(func(id edge.ID) {
			meet(z.g.Entities[id].Outer)
			if z.g.Entities[id].Kind == edge.ClassNode {
				for _, m := range Members(z.g, id) {
					meet(m)
				}
			}
		})
	}
	slices.SortFunc(z.others, z.compareOthers)
	for id, n := range z.number {
		if n != 0 && n != met {
			z.number[id] = n + edge.ID(len(z.others))
		}
	}
	for i, id := range z.others {
		z.number[id] = edge.ID(i) + 1
	}
	z.out.Nodes = make([]frozen.Node, 1+len(z.others)+int(n))
}

// compareOthers orders nodes of no file by what makes them the same after an edit.
func (z *freezer) compareOthers(a, b edge.ID) int {
	if c := strings.Compare(z.g.Qualified(a), z.g.Qualified(b)); c != 0 {
		return c
	}
	return slices.CompareFunc(z.chain(a), z.chain(b), func(x, y *program.Entity) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), strings.Compare(z.g.Names.Text[x.Name], z.g.Names.Text[y.Name]), cmp.Compare(x.Nth, y.Nth))
	})
}

// chain returns a node with what is around it, the outermost first.
func (z *freezer) chain(id edge.ID) []*program.Entity {
	var out []*program.Entity
	for ; id != 0; id = z.g.Entities[id].Outer {
		out = append(out, &z.g.Entities[id])
	}
	slices.Reverse(out)
	return out
}

func (z *freezer) numberDispatches() {
	z.units(func(u *program.Unit) {
		for i := range u.Edges {
			if d := u.Edges[i].Via; d != 0 && z.dispatchAt[d] == 0 {
				z.dispatchAt[d] = 1
				z.dispatches = append(z.dispatches, z.g.Dispatches[d])
			}
		}
	})
	slices.SortFunc(z.dispatches[1:], z.g.CompareDispatches)
	z.out.Overrides.Ends = make([]uint32, len(z.dispatches))
	for n, d := range z.dispatches[1:] {
		z.dispatchAt[z.g.DispatchAt[d]] = uint32(n) + 1
		for _, o := range z.g.Overriding[d] {
			z.out.Overrides.Data = append(z.out.Overrides.Data, uint32(z.number[o.ID]))
		}
		z.out.Overrides.Ends[n+1] = uint32(len(z.out.Overrides.Data))
	}
}

// numberNames puts the names that are used in order.
func (z *freezer) numberNames() {
	used := make([]bool, len(z.nameAt))
	use := func(id edge.ID) {
		used[z.g.Entities[id].Name] = true
		used[z.g.Before(id)] = true
	}
	for _, id := range z.others {
		use(id)
	}
	languages := map[string]bool{}
	for _, f := range z.files {
		f.Own(use)
		languages[f.Lang.Name] = true
	}
	z.units(func(u *program.Unit) {
		for i := range u.Sites {
			used[u.Sites[i].Name] = true
		}
	})
	used[0] = true
	n := 0
	for _, name := range z.g.Names.Sorted() {
		if used[name] {
			z.nameAt[name] = uint32(n)
			z.out.Names = append(z.out.Names, z.g.Names.Text[name])
			n++
		}
	}
	for l := range languages {
		z.out.Languages = append(z.out.Languages, l)
	}
	slices.Sort(z.out.Languages)
}

func (z *freezer) nodes() {
	out := z.out
	for _, id := range z.others {
		e := &z.g.Entities[id]
		out.Nodes[z.number[id]] = frozen.Node{Kind: e.Kind, Name: z.nameAt[e.Name], Outer: z.number[e.Outer]}
	}
	out.Members.Ends = make([]uint32, len(out.Nodes))
	for _, f := range z.files {
		language, _ := slices.BinarySearch(out.Languages, f.Lang.Name)
		in := frozen.File{Name: z.nameAt[z.g.Entities[f.ID].Name], Language: uint32(language), First: z.number[f.ID]}
		f.Own(func(id edge.ID) {
			e, n := &z.g.Entities[id], unnamed(z.g, id)
			x := frozen.Node{
				Kind: e.Kind, File: uint32(len(out.Files)) + 1, Name: z.nameAt[e.Name], Before: z.nameAt[z.g.Before(id)],
				Outer: z.number[e.Outer], Flags: uint32(n.Flags), Pos: n.Pos, Start: n.Start, End: n.End,
			}
			switch e.Kind {
			case edge.FuncNode:
				in.Funcs++
			case edge.ClassNode:
				in.Classes++
				x.Flags = uint32(n.ClassKind)
				z.members(id)
			case edge.VarNode:
				in.Vars++
			}
			out.Nodes[z.number[id]] = x
			out.Members.Ends[z.number[id]] = uint32(len(out.Members.Data))
		})
		out.Files = append(out.Files, in)
	}
}

// members notes the members of a class, or whose part it is.
func (z *freezer) members(id edge.ID) {
	if main := z.g.CanonicalID(id); main != id && z.number[main] != 0 {
		z.out.Parts = append(z.out.Parts, frozen.PartOf{Part: z.number[id], Of: z.number[main]})
		return
	}
	first := len(z.out.Members.Data)
	for _, m := range Members(z.g, id) {
		z.out.Members.Data = append(z.out.Members.Data, uint32(z.number[m]))
	}
	slices.Sort(z.out.Members.Data[first:])
}

func (z *freezer) edges() {
	ends := make([]uint32, len(z.out.Nodes))
	z.units(func(u *program.Unit) {
		for i := range u.Edges {
			ends[z.number[u.Edges[i].From]]++
		}
	})
	z.out.Edges = make([]edge.Edge, intern.Summed(ends))
	z.units(func(u *program.Unit) {
		for _, e := range u.Edges {
			e.From = z.number[e.From]
			if e.Via != 0 {
				e.To, e.Via = 0, z.dispatchAt[e.Via]
			} else {
				e.To = z.number[e.To]
			}
			z.out.Edges[ends[e.From]] = e
			ends[e.From]++
		}
	})
	z.out.EdgesOf.Ends = ends
	for id := range ends {
		lo, hi := z.out.EdgesOf.Bounds(uint32(id))
		slices.SortFunc(z.out.Edges[lo:hi], func(a, b edge.Edge) int {
			return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Confidence, b.Confidence),
				cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Via, b.Via), cmp.Compare(a.To, b.To))
		})
	}
}

func (z *freezer) sites() {
	ends := make([]uint32, len(z.out.Nodes))
	z.units(func(u *program.Unit) {
		for i := range u.Sites {
			ends[z.number[u.Sites[i].From]]++
		}
	})
	z.out.Sites = make([]frozen.Site, intern.Summed(ends))
	z.units(func(u *program.Unit) {
		for _, s := range u.Sites {
			from := z.number[s.From]
			z.out.Sites[ends[from]] = frozen.Site{From: from, Name: z.nameAt[s.Name], Pos: s.Pos, Reason: s.Reason}
			ends[from]++
		}
	})
	z.out.SitesOf.Ends = ends
	for id := range ends {
		lo, hi := z.out.SitesOf.Bounds(uint32(id))
		slices.SortFunc(z.out.Sites[lo:hi], func(a, b frozen.Site) int {
			return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Name, b.Name))
		})
	}
}
