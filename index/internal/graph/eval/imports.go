package eval

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// imported is what an import of a file brings.
func (e *Evaluator) imported(f *program.File, i ir.Import, chain int) pointsto.Set {
	g := e.Family
	if chain > program.MaxChain || int(i) >= len(f.Targets) {
		return 0
	}
	info := &f.IR.Imports[i]
	t := &f.Targets[i]
	n := f.IR.String(info.Name)
	if len(t.In) == 0 {
		if t.External == 0 {
			if f.Lang.Pack == program.ByName && info.Module == 0 && n != "" && n != "*" {
				return e.External(f.Names[info.Name]) // a class of the global namespace
			}
			return 0
		}
		if n == "" || n == "*" || n == "=" || n == "default" && f.Lang.DefaultExports {
			return e.External(t.External)
		}
		return e.External(g.Names.Intern(g.Names.Text[t.External] + "." + n))
	}
	s := pointsto.Set(0)
	if t.Whole {
		n = ""
	}
	switch n {
	case "", "*":
		for _, in := range t.In {
			s = g.Union(s, e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(in)}))
		}
		return s
	case "=":
		for _, in := range t.In {
			whole := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: in, Sub: uint32(g.Names.Intern("export:="))})
			s = g.Union(s, g.Union(whole, e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(in)})))
		}
		return s
	}
	for _, in := range t.In {
		if s, ok := e.Within(in, f.Names[info.Name], chain+1); ok {
			return s
		}
	}
	return 0
}

// Within finds a name in a file, package or namespace from outside.
func (e *Evaluator) Within(in edge.ID, n intern.Name, chain int) (pointsto.Set, bool) {
	g := e.Family
	if chain > program.MaxChain {
		return 0, false
	}
	at := &g.Entities[in]
	if at.Kind == edge.ClassNode {
		if c := g.Classes[g.CanonicalID(in)]; c != nil {
			s, found := e.AttrFound(g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Class, ID: uint32(c.ID)})), n)
			if found {
				e.broughtBy = c.ID
			}
			return s, found
		}
		return 0, false
	}
	if s, found, ok := e.Lang.Within(e, in, n, chain); ok {
		return s, found
	}
	list := g.Find(g.Bag(in), n)
	if at.Kind == edge.NamespaceNode {
		list = e.inSpace(in, n)
	}
	if f := at.File; f != nil && at.Kind == edge.FileNode && f.Lang.HidesUnexported {
		list = program.ExportedOnly(list)
	}
	s, found := pointsto.Set(0), len(list) > 0
	if found {
		s = e.Entries(e.Lang.NearestClasses(e, list), chain)
	}
	if f := at.File; f != nil && at.Kind == edge.FileNode {
		text := g.Names.Text[n]
		for _, x := range f.IR.Exports {
			switch exported := f.IR.String(x.Name); {
			case exported == text:
				s = g.Union(s, e.exported(f, x, chain))
				found = true
			case text == "default" && exported == "=":
				s = g.Union(s, e.exported(f, x, chain))
				found = true
			case exported == "=":
				if v, ok := e.AttrFound(e.exported(f, x, chain), n); ok {
					s, found = g.Union(s, v), true
				}
			}
		}
		if f.Lang.Dynamic && found {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}))
		}
		if !found {
			for i := 1; i < len(f.IR.Imports); i++ {
				info := &f.IR.Imports[i]
				name := f.IR.String(info.Name)
				if info.Flags&ir.Reexport != 0 && name != "*" {
					if f.Names[cmp.Or(info.Alias, info.Name)] == n {
						return e.imported(f, ir.Import(i), chain+1), true
					}
					continue
				}
				star := name == "*" && info.Alias == 0 && (info.Flags&(ir.Reexport|ir.Include) != 0 || f.Lang.StarsReexport)
				if !star {
					continue
				}
				for _, next := range f.Targets[i].In {
					if !f.Lang.StarBrings(g, next, n) {
						continue
					}
					if s, ok := e.Within(next, n, chain+1); ok {
						return s, true
					}
				}
			}
		}
	}
	if !found {
		if sub := g.Lookspace(in, n); sub != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true
		}
		if f := e.File.Lang.Submodule(g, in, n); f != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(f)}), true
		}
	}
	return s, found
}

// exported evaluates an export without the edges of its file.
func (e *Evaluator) exported(f *program.File, x ir.Export, chain int) pointsto.Set {
	if e.UnitNumber == 0 {
		// A declaration that goes through a name: follow the name alone.
		in := Static(e.Family, f, 1, 0)
		defer Done(e.Family, in)
		return in.Eval(x.X)
	}
	return e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(e.Family.Names.Intern("export:" + f.IR.String(x.Name)))})
}

// static is what a declaration of a variable says, also by x = a.b where that is another name.
func (e *Evaluator) static(f *program.File, v ir.Var) pointsto.Set {
	t, init := declaredType(e.Family, f, v), f.IR.Vars[v].Init
	if init == 0 || !f.Lang.AliasVars || e.Family.Depth > program.MaxNesting {
		return t
	}
	in := Static(e.Family, f, 1, 0)
	defer Done(e.Family, in)
	return e.Family.Union(t, in.Eval(init))
}

// inNamespace finds a name in a namespace that is written out in the file, and in
// those that its path leads through: namespace A.B is in A.
func (e *Evaluator) inNamespace(c ir.Class, n intern.Name) (pointsto.Set, bool) {
	g := e.Family
	stop := e.File.Pkg
	if outer := e.File.IR.Classes[c].Outer; outer != 0 {
		stop = g.SpaceOf(e.File, outer)
	}
	first := g.SpaceOf(e.File, c)
	for ns := first; ns != 0 && (ns != stop || ns == first); ns = g.Entities[ns].Outer {
		if list := program.WithoutImports(e.File, g.Find(g.Bag(ns), n)); len(list) > 0 {
			return e.Entries(list, 0), true
		}
		if sub := g.Lookspace(ns, n); sub != 0 {
			return e.space(e.File, sub, n), true
		}
		if !e.File.Lang.NestedSpaces {
			break
		}
	}
	return 0, false
}

// space is a namespace by its name, and, where that lies in another one, the classes of the name
// that whole imports of a file bring: within the namespace around they come first.
func (e *Evaluator) space(f *program.File, ns edge.ID, n intern.Name) pointsto.Set {
	g := e.Family
	out := e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(ns)})
	if !f.Lang.NestedSpaces {
		return out
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		if info := &f.IR.Imports[i]; f.IR.String(info.Name) != "*" || f.IR.String(info.Alias) != "" {
			continue
		}
		for _, in := range f.Targets[i].In {
			s, _ := e.Within(in, n, 0)
			for _, v := range g.Elems(s) {
				if g.Values.Info[v].Kind == pointsto.Class {
					out = g.Union(out, g.Values.Single(v))
				}
			}
		}
	}
	return out
}

// inSpace finds a name in a namespace.
func (e *Evaluator) inSpace(ns edge.ID, n intern.Name) []program.Entry {
	list := e.Family.Find(e.Family.Bag(ns), n)
	if more := e.Family.Apart[program.SpaceKey{Space: ns, Name: n}]; len(more) > 0 {
		list = append(slices.Clone(list), more...)
	}
	return e.Lang.Linked(e, list)
}

// atTop finds a name at the top of a file: in the file, its package, and what it
// imports whole.
func (e *Evaluator) atTop(f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	g := e.Family
	if s, found, rule, ok := e.Lang.Top(e, f, n); ok {
		return s, found, rule
	}
	own := g.Find(g.Bag(f.ID), n)
	if len(own) > 0 {
		rule = edge.ByScope
		if own[0].Kind == ir.ImportMember {
			rule = edge.ByImport
		}
		all := slices.Clip(own) // the bag's own
		if f.Lang.Pack == program.ByFolder || f.Lang.Merges {
			for _, x := range g.Find(g.Bag(f.Pkg), n) {
				if x.Kind != ir.ImportMember && g.Entities[x.ID].File != f {
					all = append(all, x)
				}
			}
		}
		s = e.Entries(all, 0)
		if f.Lang.Dynamic {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}))
		}
		return s, true, rule
	}
	if i, ok := f.Imports[n]; ok {
		return e.imported(f, i, 0), true, edge.ByImport
	}
	if f.Pkg != 0 {
		for pkg := f.Pkg; pkg != 0; pkg = g.Entities[pkg].Outer {
			if list := g.Find(g.Bag(pkg), n); len(list) > 0 {
				return e.Entries(e.Lang.NearestClasses(e, list), 0), true, edge.ByScope
			}
			if sub := g.Lookspace(pkg, n); sub != 0 {
				return e.space(f, sub, n), true, edge.ByScope
			}
			if f.Lang.FlatPackages {
				break
			}
		}
	}
	outside := intern.Name(0) // something outside the index, all names of which are in scope
	hidden := pointsto.Set(0) // what a base outside the index may bring to a class, all members of which are
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		if f.IR.String(info.Name) != "*" || f.IR.String(info.Alias) != "" {
			continue
		}
		for _, in := range f.Targets[i].In {
			if !f.Lang.StarBrings(g, in, n) {
				continue
			}
			if s, ok := e.Within(in, n, 0); ok && g.Entities[in].Kind == edge.ClassNode && g.OnlyExternal(s) {
				hidden = g.Union(hidden, s)
			} else if ok {
				return s, true, edge.ByImport
			}
		}
		if outside == 0 {
			outside = f.Targets[i].External
		}
	}
	if hidden != 0 {
		return hidden, true, edge.ByImport
	}
	if f.Lang.Pack == program.ByName {
		for _, in := range f.Lang.GlobalImports(g) {
			if s, ok := e.Within(in, n, 0); ok {
				return s, true, edge.ByImport
			}
		}
	}
	if s := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}); s != 0 && f.Lang.Dynamic {
		return s, true, edge.ByScope
	}
	if s, found, rule, ok := e.Lang.Beyond(e, f, n); ok {
		return s, found, rule
	}
	if f.Lang.UnknownFree && !f.Lang.Predeclared[g.Names.Text[n]] {
		if outside != 0 && f.Lang.Predeclared != nil {
			return e.External(g.Names.Intern(g.Names.Text[outside] + "." + g.Names.Text[n])), true, edge.ByImport
		}
		return 0, false, 0
	}
	if f.Lang.Builtin != nil && !f.Lang.Builtin[g.Names.Text[n]] {
		return e.StarExternal(f, n), false, 0
	}
	return e.External(n), false, 0
}
