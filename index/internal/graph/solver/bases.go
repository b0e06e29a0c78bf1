package solver

import (
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// findBases evaluates the bases of the classes of a file.
func findBases(g *program.Family, f *program.File) {
	for c := 1; c < len(f.IR.Classes); c++ {
		k := g.Classes[f.Classes[c]]
		if k == nil {
			continue
		}
		up := g.Classes[g.CanonicalID(k.ID)]
		k.Own = k.Own[:0]
		for _, b := range k.Info.Bases {
			e := eval.Static(g, f, k.Info.Func, ir.Class(c))
			s := e.Typ(b.X)
			if s == 0 {
				s = localClass(e, b.X)
			}
			if b.Kind != ir.Meta { // a module may be extended with itself
				notBelow(e, &s, up)
			}
			k.Own = append(k.Own, program.BaseOf{Kind: b.Kind, Values: s})
			eval.Done(g, e)
		}
		if k.Info.Kind == ir.Named {
			k.Target = eval.TypeIn(g, f, k.Info.Func, ir.Class(c), k.Info.Target)
		}
	}
}

// localClass is the type of a class that a function has for itself, and that a base names.
func localClass(e *eval.Evaluator, x ir.Expr) pointsto.Set {
	f := e.File.IR
	n := &f.Exprs[x]
	if n.Op == ir.Apply {
		n = &f.Exprs[n.A]
	}
	if n.Op != ir.Local || f.Vars[n.Ref].Func == 0 {
		return 0
	}
	v := &f.Vars[n.Ref]
	for c := range f.Classes {
		if k := &f.Classes[c]; k.Func == v.Func && k.Pos == v.Pos && k.Name == v.Name {
			return e.Instances(e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(e.Family.Canonical(e.File, ir.Class(c)))}), nil)
		}
	}
	return 0
}

// gatherBases gives every class the bases of its parts.
func gatherBases(g *program.Family) {
	parts := map[edge.ID][]edge.ID{}
	for part := range g.PartOf {
		if g.Classes[part] != nil {
			main := g.CanonicalID(part)
			parts[main] = append(parts[main], part)
		}
	}
	for _, k := range g.Classes {
		k.Bases = append(k.Bases[:0], k.Own...)
		k.Forget()
	}
	for main, list := range parts {
		k := g.Classes[main]
		if k == nil {
			continue
		}
		slices.SortFunc(list, g.Compare)
		for _, part := range list {
			k.Bases = append(k.Bases, g.Classes[part].Own...)
		}
	}
}

// notBelow leaves a class out of its own bases.
func notBelow(e *eval.Evaluator, s *pointsto.Set, c *program.Class) {
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(*s) {
		if e.Family.ClassOf(v) != c {
			out = e.Family.Union(out, e.Family.Values.Single(v))
		}
	}
	*s = out
}

// linkBases notes, at each base, who inherits from it.
func linkBases(g *program.Family) {
	clear(g.Methods)
	clear(g.Overriding)
	for _, k := range g.Classes {
		k.Subs, k.Asked, k.Foreign, k.Unknown = k.Subs[:0], k.Asked[:0], false, false
	}
	for _, k := range g.Classes {
		for _, b := range k.Bases {
			if b.Values == 0 {
				k.Foreign, k.Unknown = true, true
			}
			for _, v := range g.Elems(b.Values) {
				up := g.ClassOf(v)
				if up == nil {
					outsideBase(g, k, g.Values.Info[v])
				} else if b.Kind != ir.Meta && !slices.Contains(up.Subs, k.ID) {
					up.Subs = append(up.Subs, k.ID)
				}
			}
		}
		if k.File.Lang.Structural { // what embeds an interface has its methods, too
			for _, e := range k.Bag.Entries {
				if e.Kind == ir.FuncMember {
					noteMethod(g, e.Name, k.ID)
				}
			}
			for _, m := range k.Asked {
				noteMethod(g, m.Name, k.ID)
			}
		}
	}
	for _, k := range g.Classes {
		slices.SortFunc(k.Subs, g.Compare)
	}
}

// noteMethod notes that a class has a method of a name.
func noteMethod(g *program.Family, n intern.Name, class edge.ID) {
	if list := g.Methods[n]; len(list) == 0 || list[len(list)-1] != class {
		g.Methods[n] = append(list, class)
	}
}

// outsideBase notes a base that is outside the index.
func outsideBase(g *program.Family, k *program.Class, base pointsto.Info) {
	k.Foreign = true
	if base.Kind == pointsto.External {
		if methods := k.File.Lang.Interfaces[g.Names.Text[base.ID]]; methods != nil {
			for _, name := range slices.Sorted(maps.Keys(methods)) {
				k.Asked = append(k.Asked, program.Asked{Name: g.Names.Intern(name), Arity: methods[name]})
			}
			return
		}
	}
	k.Unknown = true
}

// findSatisfied notes which types have the methods of which interfaces.
func findSatisfied(g *program.Family) {
	g.Satisfied = map[edge.ID][]edge.ID{}
	for id, c := range g.Classes {
		if !c.File.Lang.Structural || c.Info.Kind != ir.Interface {
			continue
		}
		for _, below := range g.BelowOf(c) {
			if k := g.Classes[below]; k != nil && k.Info.Kind != ir.Interface {
				g.Satisfied[below] = append(g.Satisfied[below], id)
			}
		}
	}
	for _, list := range g.Satisfied {
		slices.SortFunc(list, g.Compare)
	}
}
