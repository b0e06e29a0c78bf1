package solver

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/defuse"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// declare finds what the declarations of some files mean: classes and what adds to
// them, bases, types. None of it depends on what functions do. The imports of the
// files are known; what the files said before has been taken out (undeclare). With same it
// was the same, but for bodies.
func declare(g *program.Family, files []*program.File, same bool) {
	g.Admitted = map[uint64]pointsto.Set{}
	g.ForgetAliases()
	for _, f := range files {
		f.VarTypes = make([]pointsto.Set, len(f.IR.Vars))
		f.Results = program.NewResults(f.IR)
		for c := 1; c < len(f.IR.Classes); c++ {
			newClass(g, f, ir.Class(c))
		}
	}
	mergeParts(g)
	fillBags(g)
	if !each(g, files, func(f *program.File) { attach(g, f) }) {
		return
	}
	fillBags(g)
	// Bases may be nested in bases: the second round sees what the first found.
	for range 2 {
		if !each(g, files, func(f *program.File) { findBases(g, f) }) {
			return
		}
		gatherBases(g)
		forget(g)
	}
	linkBases(g)
	g.ForgetAliases()
	if !each(g, files, func(f *program.File) { declareTypes(g, f) }) {
		return
	}
	if !same {
		findSatisfied(g)
	}
	g.ForgetAliases()
	if !each(g, files, func(f *program.File) { declareBounds(g, f) }) {
		return
	}
	forget(g)
	each(g, files, func(f *program.File) { f.MeaningHashes = program.NewHashes(meaningHashes(g, f)) })
}

// forget lets go of what the languages have found while bases or bounds were not known.
func forget(g *program.Family) {
	for _, l := range g.Langs {
		l.Forget()
	}
}

// each calls step for each file; it returns false as soon as the graph is halted.
func each(g *program.Family, files []*program.File, step func(*program.File)) (done bool) {
	for _, f := range files {
		if g.Halted.Load() {
			return false
		}
		step(f)
		g.Relieve()
	}
	return true
}

// declareBounds keeps what others ask of the declarations of a file: the bounds of its
// type parameters, and what its aliases stand for.
func declareBounds(g *program.Family, f *program.File) {
	for i := 2; i < len(f.IR.Funcs); i++ {
		for n, p := range f.IR.Funcs[i].TypeParams() {
			g.Bounds[pointsto.Info{Kind: pointsto.Param, ID: uint32(f.Funcs[i]), Base: pointsto.Value(n)}] = eval.TypeIn(g, f, ir.Func(i), 0, p.Bound)
		}
	}
	for c := 1; c < len(f.IR.Classes); c++ {
		for n, p := range f.IR.Classes[c].TypeParams {
			g.Bounds[pointsto.Info{Kind: pointsto.Param, ID: uint32(f.Classes[c]), Base: pointsto.Value(n)}] = eval.TypeIn(g, f, 0, ir.Class(c), p.Bound)
		}
		if k := g.Classes[f.Classes[c]]; k != nil && k.Info.Kind == ir.Alias {
			k.Target = eval.Aliased(g, k)
		}
	}
}

// undeclare takes out what the declarations of a file have brought.
func undeclare(g *program.Family, f *program.File) {
	for _, id := range f.Classes {
		if k := g.Classes[id]; k != nil && k.File == f {
			if rest := slices.DeleteFunc(k.Extra, func(e program.Entry) bool { return g.Owner(e) == f }); len(rest) > 0 {
				g.Kept[id] = rest
			}
			delete(g.Classes, id)
			g.Entities[id].Class = nil
			delete(g.PartOf, id)
		}
	}
	for b := range g.Bounds {
		if at := &g.Entities[b.ID]; at.File == f || at.File == nil {
			delete(g.Bounds, b)
		}
	}
	for _, a := range f.Attached {
		if k := g.Classes[a.To]; k != nil {
			k.Extra = slices.DeleteFunc(k.Extra, func(e program.Entry) bool { return g.Owner(e) == f })
		}
		if rest, ok := g.Kept[a.To]; ok {
			g.Kept[a.To] = slices.DeleteFunc(rest, func(e program.Entry) bool { return g.Owner(e) == f })
		}
		if b := g.Foreign[a.Foreign]; b != nil {
			g.Drop(b, f)
		}
		if list, ok := g.Apart[a.Space]; ok {
			g.Apart[a.Space] = slices.DeleteFunc(list, func(e program.Entry) bool { return g.Owner(e) == f })
		}
	}
	f.Attached = f.Attached[:0]
}

// attach puts methods and extensions that are written elsewhere into their types.
func attach(g *program.Family, f *program.File) {
	for c := 1; c < len(f.IR.Classes); c++ {
		info := &f.IR.Classes[c]
		if info.Kind != ir.Extends {
			continue
		}
		k := g.Classes[f.Classes[c]]
		for _, v := range g.Elems(targetOf(eval.Static(g, f, info.Func, ir.Class(c)), info.Target)) {
			i := g.Values.Info[v]
			if up := g.ClassOf(v); up != nil && up != k {
				g.PartOf[k.ID] = up.ID
			} else if i.Kind == pointsto.External || i.Kind == pointsto.Generic {
				b := &program.Bag{}
				g.AddOwn(b, k)
				g.ForeignBag(intern.Name(i.ID)).AddAll(b.Entries)
				f.Attached = append(f.Attached, program.Attachment{Foreign: intern.Name(i.ID)})
				k.Target = g.Values.Single(v)
			} else if i.Kind == pointsto.Param {
				k.Target = g.Values.Single(v)
				attachBlanket(g, k, i)
			}
		}
	}
	f.Recv = nil
	for i := 2; i < len(f.IR.Funcs); i++ {
		info := &f.IR.Funcs[i]
		if info.Recv == 0 {
			continue
		}
		e := program.Entry{Name: f.Names[info.Name], Kind: ir.FuncMember, Open: true, ID: f.Funcs[i], Ref: uint32(i)}
		recv := eval.TypeIn(g, f, ir.Func(i), 0, info.Recv)
		if recv == 0 && f.Lang.SpaceReceivers {
			recv = eval.Static(g, f, ir.Func(i), 0).TypeName(info.Recv)
		}
		if f.Recv == nil {
			f.Recv = map[ir.Func]pointsto.Set{}
		}
		f.Recv[ir.Func(i)] = recv
		if f.Lang.Extends {
			g.ForeignBag(g.Names.Intern(program.AnyType)).Add(e)
			f.Attached = append(f.Attached, program.Attachment{Foreign: g.Names.Intern(program.AnyType)})
		}
		for _, v := range g.Elems(recv) {
			switch x := g.Values.Info[v]; x.Kind {
			case pointsto.Inst, pointsto.Decl:
				if up := g.ClassOf(v); up != nil {
					up.Extra = append(up.Extra, e)
					f.Attached = append(f.Attached, program.Attachment{To: up.ID})
				}
			case pointsto.Module:
				at := program.SpaceKey{Space: edge.ID(x.ID), Name: e.Name}
				if g.Apart == nil {
					g.Apart = map[program.SpaceKey][]program.Entry{}
				}
				g.Apart[at] = append(g.Apart[at], e)
				f.Attached = append(f.Attached, program.Attachment{Space: at})
			case pointsto.External, pointsto.Generic:
				g.ForeignBag(intern.Name(x.ID)).Add(e)
				f.Attached = append(f.Attached, program.Attachment{Foreign: intern.Name(x.ID)})
			case pointsto.Param: // an extension of anything
				g.ForeignBag(g.Names.Intern(pointsto.AnyItem)).Add(e)
				f.Attached = append(f.Attached, program.Attachment{Foreign: g.Names.Intern(pointsto.AnyItem)})
			}
		}
	}
}

// targetOf is the type that an extension extends, without its arguments.
func targetOf(e *eval.Evaluator, x ir.Expr) pointsto.Set {
	n := &e.File.IR.Exprs[x]
	if n.Op == ir.Apply && n.A == 0 {
		return e.External(e.File.Names[n.Name])
	}
	return e.Typ(x)
}

// declareTypes evaluates the declared types of variables, parameters and results.
func declareTypes(g *program.Family, f *program.File) {
	in := make([]ir.Class, len(f.IR.Vars))
	for c := 1; c < len(f.IR.Classes); c++ {
		for _, m := range f.IR.Classes[c].Members {
			if m.Kind == ir.VarMember {
				in[m.Ref] = ir.Class(c)
			}
		}
	}
	for v := 1; v < len(f.IR.Vars); v++ {
		if info := &f.IR.Vars[v]; info.Type != 0 {
			fn := info.Func
			if in[v] != 0 {
				fn = 0
				if f.Lang.PointerFields && isPointer(g, f, info.Type) {
					if f.Pointers == nil {
						f.Pointers = map[ir.Var]bool{}
					}
					f.Pointers[ir.Var(v)] = f.IR.Exprs[info.Type].Name != 0
				}
			}
			f.VarTypes[v] = eval.TypeIn(g, f, fn, in[v], info.Type)
		}
	}
	var chains *defuse.Chains
	for i := 1; i < len(f.IR.Funcs); i++ {
		info := &f.IR.Funcs[i]
		for _, p := range info.Params {
			if p.Type == 0 {
				continue
			}
			t := eval.TypeIn(g, f, ir.Func(i), 0, p.Type)
			switch {
			case p.Kind == ir.Variadic && t != 0:
				t = g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("list"))}, []pointsto.Set{t}))
			case p.Kind == ir.KwVariadic && t != 0:
				t = g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("map"))}, []pointsto.Set{0, t}))
			}
			f.VarTypes[p.Var] = t
		}
		declared := f.Results.Room(ir.Func(i), len(info.Results))
		for n, x := range info.Results {
			declared[n] = eval.TypeIn(g, f, ir.Func(i), 0, x)
		}
		if f.Lang.Decorates && len(declared) == 1 && isParam(g, declared[0]) {
			if g.Load(f); chains == nil {
				chains = defuse.Of(f.IR, nil)
			}
			if givesBack(f.IR, ir.Func(i), chains) {
				declared[0] = 0
			}
		}
	}
}

// isParam reports whether a declared type is a type parameter.
func isParam(g *program.Family, s pointsto.Set) bool {
	types := g.Elems(s)
	return len(types) == 1 && g.Values.Info[types[0]].Kind == pointsto.Param
}

// givesBack reports whether all that a function returns is made of what it is passed. Then
// its body says more than a type parameter as its declared result: which wrapper it is.
func givesBack(f *ir.File, fn ir.Func, chains *defuse.Chains) bool {
	some := false
	chains.Begin()
	for _, s := range f.Body(fn) {
		if s.Op == ir.Return && s.A != 0 {
			if some = true; chains.Passes(s.A, func(ir.Var) bool { return true }) == 0 {
				return false
			}
		}
	}
	return some
}

// isPointer reports whether a declared type is one of a pointer or reference.
func isPointer(g *program.Family, f *program.File, x ir.Expr) bool {
	g.Load(f)
	return f.IR.Exprs[x].Op == ir.Deref
}

// attachBlanket gives the members of an impl block for a type parameter to what
// the parameter is bound by, and so to all that has that: impl<T: A> B for T.
func attachBlanket(g *program.Family, k *program.Class, param pointsto.Info) {
	bounds := eval.Static(g, k.File, 0, 0).BoundOf(param)
	for _, b := range k.Info.Bases {
		for _, v := range g.Elems(eval.TypeIn(g, k.File, k.Info.Func, ir.Class(g.Entities[k.ID].Ref), b.X)) {
			for _, w := range g.Elems(bounds) {
				if g.ClassOf(v) != nil && g.ClassOf(v) == g.ClassOf(w) {
					return // it only hands on: impl<T: A> A for Box<T>
				}
			}
		}
	}
	for _, b := range g.Elems(bounds) {
		if up := g.ClassOf(b); up != nil && up != k {
			g.PartOf[k.ID] = up.ID
			return
		}
	}
}
