package graph

import (
	"cmp"
	"slices"
	"strings"
)

// freezer makes the frozen form of a family.
type freezer struct {
	g      *family
	out    *frozen
	number []ID // by the graph's own
	files  []*file
	others []ID // the graph's own numbers of nodes of no file

	dispatches []dispatch // in order, from 1
	dispatchAt []uint32   // by the graph's own numbers
	nameAt     []uint32   // as above
}

// freeze returns all that the family answers from, renumbered: numbers of nodes,
// names and dispatches depend on what edits there were.
func (g *family) freeze() *frozen {
	if g.frozen != nil {
		return g.frozen
	}
	z := &freezer{
		g: g, out: &frozen{}, number: make([]ID, len(g.entities)),
		dispatches: make([]dispatch, 1), dispatchAt: make([]uint32, len(g.dispatches)), nameAt: make([]uint32, len(g.names.text)),
	}
	for _, p := range g.paths() {
		z.files = append(z.files, g.files[p])
	}
	z.numberNodes()
	z.numberDispatches()
	z.numberNames()
	z.nodes()
	z.edges()
	z.sites()
	z.out.invert()
	return z.out
}

// own calls yield for the nodes of a file in order.
func (f *file) own(yield func(id ID)) {
	for _, ids := range [][]ID{f.funcs, f.classes, f.vars} {
		for _, id := range ids {
			if id != 0 {
				yield(id)
			}
		}
	}
}

// units calls yield for every unit in the order of files.
func (z *freezer) units(yield func(u *unit)) {
	for _, f := range z.files {
		for _, u := range f.units {
			yield(u)
		}
	}
}

// numberNodes numbers the nodes of the files, and those others that anything leads to.
func (z *freezer) numberNodes() {
	n := ID(0)
	for _, f := range z.files {
		f.own(func(id ID) {
			n++
			z.number[id] = n
		})
	}
	const met = ^ID(0)
	meet := func(id ID) {
		for ; id != 0 && z.number[id] == 0; id = z.g.entities[id].outer {
			z.number[id] = met
			z.others = append(z.others, id)
		}
	}
	z.units(func(u *unit) {
		for i := range u.edges {
			if d := u.edges[i].via; d == 0 {
				meet(u.edges[i].To)
			} else {
				for _, o := range z.g.overriding[z.g.dispatches[d]] {
					meet(o.id)
				}
			}
		}
	})
	for _, f := range z.files {
		f.own(func(id ID) {
			meet(z.g.entities[id].outer)
			if z.g.entities[id].kind == ClassNode {
				for _, m := range z.g.members(id) {
					meet(m)
				}
			}
		})
	}
	slices.SortFunc(z.others, z.compareOthers)
	for id, n := range z.number {
		if n != 0 && n != met {
			z.number[id] = n + ID(len(z.others))
		}
	}
	for i, id := range z.others {
		z.number[id] = ID(i) + 1
	}
	z.out.nodes = make([]frozenNode, 1+len(z.others)+int(n))
}

// compareOthers orders nodes of no file by what makes them the same after an edit.
func (z *freezer) compareOthers(a, b ID) int {
	if c := strings.Compare(z.g.qualified(a), z.g.qualified(b)); c != 0 {
		return c
	}
	return slices.CompareFunc(z.chain(a), z.chain(b), func(x, y *entity) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), strings.Compare(z.g.names.text[x.name], z.g.names.text[y.name]), cmp.Compare(x.nth, y.nth))
	})
}

// chain returns a node with what is around it, the outermost first.
func (z *freezer) chain(id ID) []*entity {
	var out []*entity
	for ; id != 0; id = z.g.entities[id].outer {
		out = append(out, &z.g.entities[id])
	}
	slices.Reverse(out)
	return out
}

func (z *freezer) numberDispatches() {
	z.units(func(u *unit) {
		for i := range u.edges {
			if d := u.edges[i].via; d != 0 && z.dispatchAt[d] == 0 {
				z.dispatchAt[d] = 1
				z.dispatches = append(z.dispatches, z.g.dispatches[d])
			}
		}
	})
	slices.SortFunc(z.dispatches[1:], z.g.compareDispatches)
	z.out.overrides.ends = make([]uint32, len(z.dispatches))
	for n, d := range z.dispatches[1:] {
		z.dispatchAt[z.g.dispatchAt[d]] = uint32(n) + 1
		for _, o := range z.g.overriding[d] {
			z.out.overrides.data = append(z.out.overrides.data, uint32(z.number[o.id]))
		}
		z.out.overrides.ends[n+1] = uint32(len(z.out.overrides.data))
	}
}

// numberNames puts the names that are used in order.
func (z *freezer) numberNames() {
	used := make([]bool, len(z.nameAt))
	use := func(id ID) {
		used[z.g.entities[id].name] = true
		used[z.g.before(id)] = true
	}
	for _, id := range z.others {
		use(id)
	}
	languages := map[string]bool{}
	for _, f := range z.files {
		f.own(use)
		languages[f.lang.name] = true
	}
	z.units(func(u *unit) {
		for i := range u.sites {
			used[u.sites[i].name] = true
		}
	})
	used[0] = true
	var all []name
	for n, ok := range used {
		if ok {
			all = append(all, name(n))
		}
	}
	slices.SortFunc(all, func(a, b name) int { return strings.Compare(z.g.names.text[a], z.g.names.text[b]) })
	for i, n := range all {
		z.nameAt[n] = uint32(i)
		z.out.names = append(z.out.names, z.g.names.text[n])
	}
	for l := range languages {
		z.out.languages = append(z.out.languages, l)
	}
	slices.Sort(z.out.languages)
}

func (z *freezer) nodes() {
	out := z.out
	for _, id := range z.others {
		e := &z.g.entities[id]
		out.nodes[z.number[id]] = frozenNode{kind: e.kind, name: z.nameAt[e.name], outer: z.number[e.outer]}
	}
	out.members.ends = make([]uint32, len(out.nodes))
	for _, f := range z.files {
		language, _ := slices.BinarySearch(out.languages, f.lang.name)
		in := frozenFile{name: z.nameAt[z.g.entities[f.id].name], language: uint32(language), first: z.number[f.id]}
		f.own(func(id ID) {
			e, n := &z.g.entities[id], z.g.unnamed(id)
			x := frozenNode{
				kind: e.kind, file: uint32(len(out.files)) + 1, name: z.nameAt[e.name], before: z.nameAt[z.g.before(id)],
				outer: z.number[e.outer], flags: uint32(n.Flags), pos: n.Pos, start: n.Start, end: n.End,
			}
			switch e.kind {
			case FuncNode:
				in.funcs++
			case ClassNode:
				in.classes++
				x.flags = uint32(n.ClassKind)
				z.members(id)
			case VarNode:
				in.vars++
			}
			out.nodes[z.number[id]] = x
			out.members.ends[z.number[id]] = uint32(len(out.members.data))
		})
		out.files = append(out.files, in)
	}
}

// members notes the members of a class, or whose part it is.
func (z *freezer) members(id ID) {
	if main := z.g.canonicalID(id); main != id && z.number[main] != 0 {
		z.out.parts = append(z.out.parts, partOf{z.number[id], z.number[main]})
		return
	}
	first := len(z.out.members.data)
	for _, m := range z.g.members(id) {
		z.out.members.data = append(z.out.members.data, uint32(z.number[m]))
	}
	slices.Sort(z.out.members.data[first:])
}

func (z *freezer) edges() {
	ends := make([]uint32, len(z.out.nodes))
	z.units(func(u *unit) {
		for i := range u.edges {
			ends[z.number[u.edges[i].From]]++
		}
	})
	z.out.edges = make([]Edge, summed(ends))
	z.units(func(u *unit) {
		for _, e := range u.edges {
			e.From = z.number[e.From]
			if e.via != 0 {
				e.To, e.via = 0, z.dispatchAt[e.via]
			} else {
				e.To = z.number[e.To]
			}
			z.out.edges[ends[e.From]] = e
			ends[e.From]++
		}
	})
	z.out.edgesOf.ends = ends
	for id := range ends {
		lo, hi := z.out.edgesOf.bounds(uint32(id))
		slices.SortFunc(z.out.edges[lo:hi], func(a, b Edge) int {
			return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Confidence, b.Confidence),
				cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.via, b.via), cmp.Compare(a.To, b.To))
		})
	}
}

func (z *freezer) sites() {
	ends := make([]uint32, len(z.out.nodes))
	z.units(func(u *unit) {
		for i := range u.sites {
			ends[z.number[u.sites[i].from]]++
		}
	})
	z.out.sites = make([]frozenSite, summed(ends))
	z.units(func(u *unit) {
		for _, s := range u.sites {
			from := z.number[s.from]
			z.out.sites[ends[from]] = frozenSite{from, z.nameAt[s.name], s.pos, s.reason}
			ends[from]++
		}
	})
	z.out.sitesOf.ends = ends
	for id := range ends {
		lo, hi := z.out.sitesOf.bounds(uint32(id))
		slices.SortFunc(z.out.sites[lo:hi], func(a, b frozenSite) int {
			return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.reason, b.reason), cmp.Compare(a.name, b.name))
		})
	}
}

// summed turns counts into where the first of each is. It returns their sum.
func summed(counts []uint32) uint32 {
	total := uint32(0)
	for k, n := range counts {
		counts[k] = total
		total += n
	}
	return total
}
