package frame

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Owner is the named function around what is evaluated. For the initial values of
// fields and for code that runs when a class is made it is the class, in languages
// that do not count such code as the file's.
func (fr *Frame) Owner() edge.ID {
	if fr.Fields {
		return fr.File.OwnerOf(fr.Class, 0)
	}
	return fr.File.OwnerOf(0, fr.Func)
}

// Edge makes an edge.
func (fr *Frame) Edge(x edge.Edge) {
	if fr.Mute > 0 || fr.UnitNumber == 0 || x.To == 0 {
		return
	}
	if !fr.madeRecently(x) {
		fr.now.Edges = append(fr.now.Edges, x)
	}
}

// Implicit is an edge to a function that the language calls by itself.
func (fr *Frame) Implicit(to edge.ID) {
	fr.Edge(edge.Edge{From: fr.Owner(), To: to, Kind: edge.Calls, Confidence: edge.Scoped, Rule: edge.ByProperty, Pos: fr.At})
}

// ImplicitOn makes the edges to a method of a value that the language calls by itself, and to
// those that may run in its place.
func (fr *Frame) ImplicitOn(recv pointsto.Value, m program.Entry) {
	fr.Implicit(m.ID)
	if fr.Mute == 0 {
		fr.below(m, recv, fr.At)
	}
}

// Handed is an edge to a class whose instance is handed to something outside the index.
func (fr *Frame) Handed(class edge.ID) {
	fr.Edge(edge.Edge{From: fr.Owner(), To: class, Kind: edge.References, Rule: edge.ByFlow, Pos: fr.At})
}

// Property is an edge to an accessor.
func (fr *Frame) Property(to edge.ID, pos ir.Pos) {
	if pos != 0 {
		fr.Edge(edge.Edge{From: fr.Owner(), To: to, Kind: edge.Calls, Rule: edge.ByProperty, Pos: pos})
	}
}

// Access makes the edges of a read or write that runs an accessor: to the one that
// was found and, where it is only promised or may be overridden, to those below.
func (fr *Frame) Access(m program.Entry, recv pointsto.Value, pos ir.Pos) {
	g := fr.Family
	fn := g.Func(m.ID)
	if pos == 0 || fn == nil || fr.Mute > 0 {
		return
	}
	if fn.Flags&ir.Abstract == 0 {
		fr.Property(m.ID, pos)
	}
	fr.below(m, recv, pos)
}

// below makes the edges to what may run in the place of a member of a value.
func (fr *Frame) below(m program.Entry, recv pointsto.Value, pos ir.Pos) {
	g := fr.Family
	k, fn := g.ClassOf(recv), g.Func(m.ID)
	if k == nil || fn == nil || g.Values.Info[recv].Kind != pointsto.Decl {
		return
	}
	abstract := fn.Flags&ir.Abstract != 0
	if !abstract && (fn.Flags&(ir.Static|ir.Private) != 0 || k.File.Lang.VirtualOnly && !g.IsVirtual(k, m.Name)) {
		return
	}
	kind := fn.Flags & (ir.Getter | ir.Setter)
	impls := slices.DeleteFunc(slices.Clone(g.Overrides(program.Dispatch{Class: k.ID, Method: m.ID, AnyCount: fr.File.Lang.AnyCount})), func(o program.Entry) bool {
		return g.Func(o.ID).Flags&(ir.Getter|ir.Setter) != kind
	})
	for _, o := range impls {
		confidence := edge.Possible
		if abstract && len(impls) == 1 {
			confidence = edge.Scoped
		}
		fr.Edge(edge.Edge{From: fr.Owner(), To: o.ID, Kind: edge.Calls, Confidence: confidence, Rule: edge.ByHierarchy, Pos: pos})
	}
}

// Refs makes the edges of functions and classes that are used as values.
func (fr *Frame) Refs(s pointsto.Set, n *ir.Node, rule edge.Rule) {
	if fr.Mute > 0 || fr.UnitNumber == 0 || s == 0 {
		return
	}
	for _, v := range fr.Family.Elems(s) {
		switch i := fr.Family.Values.Info[v]; i.Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Class:
			if at := &fr.Family.Entities[i.ID]; at.Name != 0 {
				fr.Edge(edge.Edge{From: fr.Owner(), To: edge.ID(i.ID), Kind: edge.References, Rule: edge.ByValue, Pos: n.Pos})
			}
		}
	}
}

// NestedRefs are refs of a variable that a definition has made, in a function, or at the top of a
// file where several are of its name.
func (fr *Frame) NestedRefs(s pointsto.Set, n *ir.Node) {
	v := &fr.File.IR.Vars[n.Ref]
	if fr.Mute > 0 || s == 0 || v.Func == 0 || v.Name == 0 {
		return
	}
	for _, x := range fr.Family.Elems(s) {
		i := fr.Family.Values.Info[x]
		if i.Kind != pointsto.Func {
			continue
		}
		at := &fr.Family.Entities[i.ID]
		if at.File == fr.File && at.Name == fr.File.Names[v.Name] && max(fr.File.IR.Funcs[at.Ref].Outer, ofFile) == v.Func {
			fr.Refs(fr.Family.Values.Single(x), n, edge.ByScope)
		}
	}
}

// ofFile is the function that stands for what is at the top of a file.
const ofFile = 1

// recently is how far back an edge is looked for in its part before it is made: what
// is found later is taken out by publish.
const recently = 16

func (fr *Frame) madeRecently(x edge.Edge) bool {
	made := fr.now.Edges[max(fr.firstEdge, len(fr.now.Edges)-recently):]
	for i := range made {
		if made[i].Key() == x.Key() {
			return true
		}
	}
	return false
}

// Site is a call that leads nowhere.
func (fr *Frame) Site(s program.Site) { fr.now.Sites = append(fr.now.Sites, s) }
