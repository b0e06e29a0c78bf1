package program

import (
	"path"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// own notes what a node is in the current version of its file.
func (g *Family) own(id edge.ID, f *File, ref uint32) {
	e := &g.Entities[id]
	e.File, e.Ref = f, ref
}

func (g *Family) packageOf(r *File) edge.ID {
	pkg := r.IR.String(r.IR.Package)
	switch r.Lang.Pack {
	case ByFolder:
		return g.Entity(EntityKey{Kind: edge.NamespaceNode, Name: g.Names.Intern(r.Lang.Family + ":" + r.Dir + ":" + pkg)})
	case ByName:
		return g.Namespace(r.Lang.Family, pkg)
	case Global:
		return g.Namespace(r.Lang.Family, "")
	}
	return 0
}

// identify gives every function, class and shared variable its node.
func (g *Family) identify(r *File) {
	f := r.IR
	r.Funcs = make([]edge.ID, len(f.Funcs))
	r.Classes = make([]edge.ID, len(f.Classes))
	r.Vars = make([]edge.ID, len(f.Vars))
	r.Funcs[1] = r.ID
	seen := map[EntityKey]uint32{}
	make := func(outer edge.ID, kind edge.Kind, n ir.Str, ref uint32) edge.ID {
		key := EntityKey{Outer: outer, Kind: kind, Name: r.Names[n]}
		key.Nth = seen[key]
		seen[EntityKey{Outer: outer, Kind: kind, Name: r.Names[n]}]++
		id := g.Entity(key)
		g.own(id, r, ref)
		return id
	}
	var class func(c ir.Class, depth int) edge.ID
	var fn func(i ir.Func, depth int) edge.ID
	fn = func(i ir.Func, depth int) edge.ID {
		if r.Funcs[i] != 0 || depth > 1000 {
			return r.Funcs[i]
		}
		info, outer := &f.Funcs[i], r.ID
		if info.Class != 0 {
			outer = class(info.Class, depth+1)
		} else if info.Outer != 0 {
			outer = fn(info.Outer, depth+1)
		}
		r.Funcs[i] = make(outer, edge.FuncNode, info.Name, uint32(i))
		return r.Funcs[i]
	}
	class = func(c ir.Class, depth int) edge.ID {
		if r.Classes[c] != 0 || depth > 1000 {
			return r.Classes[c]
		}
		info, outer := &f.Classes[c], r.ID
		if info.Outer != 0 {
			outer = class(info.Outer, depth+1)
		} else if info.Func != 0 {
			outer = fn(info.Func, depth+1)
		}
		r.Classes[c] = make(outer, edge.ClassNode, info.Name, uint32(c))
		return r.Classes[c]
	}
	for c := 1; c < len(f.Classes); c++ {
		class(ir.Class(c), 0)
	}
	for i := 2; i < len(f.Funcs); i++ {
		fn(ir.Func(i), 0)
	}
	for _, m := range f.Top {
		if m.Kind == ir.VarMember {
			r.Vars[m.Ref] = make(r.ID, edge.VarNode, m.Name, m.Ref)
		}
	}
	for c := 1; c < len(f.Classes); c++ {
		for _, m := range f.Classes[c].Members {
			if m.Kind == ir.VarMember {
				r.Vars[m.Ref] = make(r.Classes[c], edge.VarNode, m.Name, m.Ref)
			}
		}
	}
}

// Bag returns the bag of a container, made at its first use.
func (g *Family) Bag(id edge.ID) *Bag {
	b := g.Bags[id]
	if b == nil {
		b = &Bag{}
		g.Bags[id] = b
	}
	return b
}

// entryOf makes the entry of a member.
func (f *File) entryOf(m ir.Member) Entry {
	e := Entry{Name: f.Names[m.Name], Kind: m.Kind, Static: m.Static, Open: m.Exported, Ref: m.Ref}
	switch m.Kind {
	case ir.FuncMember:
		e.ID = f.Funcs[m.Ref]
		if f.Lang.newName != 0 && f.IR.Funcs[m.Ref].Flags&ir.Constructor != 0 {
			e.Name = f.Lang.newName
		}
	case ir.ClassMember:
		e.ID = f.Classes[m.Ref]
	case ir.VarMember:
		e.ID = f.Vars[m.Ref]
	case ir.ImportMember:
		e.ID = f.ID
	}
	return e
}

// enter puts the names of a file into the bags.
func (g *Family) enter(r *File) {
	top := g.Bag(r.ID)
	for _, m := range r.IR.Top {
		e := r.entryOf(m)
		top.Add(e)
		if r.Pkg != 0 && m.Kind != ir.ImportMember {
			g.Bag(r.Pkg).Add(e)
		}
	}
	for c := 1; c < len(r.IR.Classes); c++ {
		info := &r.IR.Classes[c]
		if info.Kind != ir.Namespace {
			continue
		}
		ns := g.SpaceOf(r, ir.Class(c))
		g.populate(ns, 1)
		b := g.Bag(ns)
		for _, m := range info.Members {
			b.Add(r.entryOf(m))
		}
	}
}

// SpaceOf returns the namespace that a Namespace class opens.
func (g *Family) SpaceOf(r *File, c ir.Class) edge.ID {
	info := &r.IR.Classes[c]
	outer := r.ID
	if r.Pkg != 0 {
		outer = r.Pkg
	}
	if info.Outer != 0 {
		outer = g.SpaceOf(r, info.Outer)
	}
	for _, segment := range Split(r.IR.String(info.Name)) {
		outer = g.Subspace(outer, g.Names.Intern(segment))
	}
	return outer
}

// Leave takes a file out of everything that register put it in.
func (g *Family) Leave(r *File) {
	r.Lang.Left(g, r)
	g.Drop(g.Bag(r.ID), r)
	if r.Pkg != 0 {
		g.Drop(g.Bag(r.Pkg), r)
		g.populate(r.Pkg, -1)
	}
	for c := 1; c < len(r.IR.Classes); c++ {
		if r.IR.Classes[c].Kind == ir.Namespace {
			ns := g.SpaceOf(r, ir.Class(c))
			g.Drop(g.Bag(ns), r)
			g.populate(ns, -1)
		}
	}
	for _, ids := range [][]edge.ID{r.Funcs, r.Classes, r.Vars, {r.ID}} {
		for _, id := range ids {
			if id != 0 {
				g.Entities[id].File = nil
			}
		}
	}
	delete(g.Files, r.Path)
	if !r.Slim {
		g.Nodes -= len(r.IR.Exprs)
	}
	for d := r.Dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if g.Dirs[d]--; g.Dirs[d] == 0 {
			delete(g.Dirs, d)
		}
		if d == "" {
			break
		}
	}
}

// Paths returns the paths of the files, sorted.
func (g *Family) Paths() []string {
	all := make([]string, 0, len(g.Files))
	for p := range g.Files {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
