package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// canonicalID returns the class that a class is a part of: itself, the first of
// those that the language merges, or what an extension extends.
func (g *Graph) canonicalID(id ID) ID {
	for range 4 {
		up, ok := g.partOf[id]
		if !ok {
			break
		}
		id = up
	}
	return id
}

func (g *Graph) canonical(f *file, c ir.Class) ID { return g.canonicalID(f.classes[c]) }

// declare finds what the declarations of all files mean, one after the other:
// imports, classes and what adds to them, bases, types. None of it depends on what
// functions do.
func (g *Graph) declare(paths []string) {
	for _, p := range paths {
		g.resolveImports(g.files[p])
	}
	clear(g.classes)
	clear(g.partOf)
	clear(g.foreign)
	clear(g.methods)
	for _, p := range paths {
		f := g.files[p]
		f.varTypes = make([]set, len(f.ir.Vars))
		f.results = make([][]set, len(f.ir.Funcs))
		for c := 1; c < len(f.ir.Classes); c++ {
			g.newClass(f, ir.Class(c))
		}
	}
	g.mergeParts(paths)
	for _, p := range paths {
		g.attach(g.files[p])
	}
	// Bases may be nested in bases: the second round sees what the first found.
	for range 2 {
		for _, p := range paths {
			g.findBases(g.files[p])
		}
	}
	for _, p := range paths {
		g.linkBases(g.files[p])
	}
	for _, p := range paths {
		g.declareTypes(g.files[p])
	}
	g.satisfied = map[ID][]ID{}
	for _, p := range paths {
		g.findSatisfied(g.files[p])
	}
}

// findSatisfied notes which types have the methods of the interfaces of a file.
func (g *Graph) findSatisfied(f *file) {
	if !f.lang.structural {
		return
	}
	for _, id := range f.classes[1:] {
		c := g.classes[id]
		if c == nil || c.info.Kind != ir.Interface {
			continue
		}
		for _, below := range g.belowOf(c) {
			if k := g.classes[below]; k != nil && k.info.Kind != ir.Interface {
				g.satisfied[below] = append(g.satisfied[below], id)
			}
		}
	}
}

func (g *Graph) newClass(f *file, c ir.Class) {
	info := &f.ir.Classes[c]
	id := f.classes[c]
	if info.Kind == ir.Namespace || id == 0 {
		return
	}
	k := &class{id: id, file: f, info: info, params: id}
	for _, m := range info.Members {
		k.bag.add(f.entryOf(m))
	}
	g.classes[id] = k
}

// mergeParts makes definitions of one name in one container the parts of one class:
// partial classes, reopened ones, forward declarations.
func (g *Graph) mergeParts(paths []string) {
	type place struct {
		outer ID
		name  name
	}
	first := map[place]ID{}
	for _, p := range paths {
		f := g.files[p]
		if !f.lang.merges && f.lang.family != "javascript" {
			continue
		}
		for c := 1; c < len(f.ir.Classes); c++ {
			info := &f.ir.Classes[c]
			k := g.classes[f.classes[c]]
			if k == nil || info.Name == 0 || info.Kind == ir.Extends || info.Kind == ir.Alias || info.Func != 0 {
				continue
			}
			at := place{f.id, f.names[info.Name]}
			if f.lang.merges {
				at.outer = f.pkg
			}
			if info.Outer != 0 {
				at.outer = g.canonical(f, info.Outer)
				if f.ir.Classes[info.Outer].Kind == ir.Namespace {
					at.outer = g.spaceOf(f, info.Outer)
				}
			}
			main, ok := first[at]
			if !ok {
				first[at] = k.id
				continue
			}
			g.partOf[k.id] = main
			m := g.classes[main]
			// The part that has members speaks for the class.
			if len(m.info.Members) == 0 && len(info.Members) > 0 && len(m.info.Bases) == 0 {
				delete(g.partOf, k.id)
				g.partOf[main] = k.id
				first[at] = k.id
				for _, e := range m.bag.entries {
					k.bag.add(e)
				}
				continue
			}
			for _, e := range k.bag.entries {
				m.bag.add(e)
			}
		}
	}
}

// attach puts methods and extensions that are written elsewhere into their types.
func (g *Graph) attach(f *file) {
	for c := 1; c < len(f.ir.Classes); c++ {
		info := &f.ir.Classes[c]
		if info.Kind != ir.Extends {
			continue
		}
		k := g.classes[f.classes[c]]
		for _, v := range g.elems(g.static(f, info.Func, ir.Class(c)).targetOf(info.Target)) {
			i := g.values.info[v]
			if up := g.classOf(v); up != nil && up != k {
				g.partOf[k.id] = up.id
				for _, e := range k.bag.entries {
					up.bag.add(e)
				}
			} else if i.kind == vExternal || i.kind == vGeneric {
				g.foreignBag(name(i.id)).addAll(k.bag.entries)
				k.target = g.values.single(v)
			} else if i.kind == vParam {
				k.target = g.values.single(v)
			}
		}
	}
	f.recv = nil
	for i := 2; i < len(f.ir.Funcs); i++ {
		info := &f.ir.Funcs[i]
		if info.Recv == 0 {
			continue
		}
		e := entry{name: f.names[info.Name], kind: ir.FuncMember, open: true, id: f.funcs[i], ref: uint32(i)}
		recv := g.typeIn(f, ir.Func(i), 0, info.Recv)
		if f.recv == nil {
			f.recv = map[ir.Func]set{}
		}
		f.recv[ir.Func(i)] = recv
		for _, v := range g.elems(recv) {
			switch x := g.values.info[v]; x.kind {
			case vInst, vDecl:
				if up := g.classOf(v); up != nil {
					up.bag.add(e)
				}
			case vExternal, vGeneric:
				g.foreignBag(name(x.id)).add(e)
			case vParam: // an extension of anything
				g.foreignBag(g.names.intern(anyItem)).add(e)
			}
		}
	}
}

// targetOf is the type that an extension extends, without its arguments.
func (e *eval) targetOf(x ir.Expr) set {
	n := &e.f.ir.Exprs[x]
	if n.Op == ir.Apply && n.A == 0 {
		return e.external(e.f.names[n.Name])
	}
	return e.typ(x)
}

func (b *bag) addAll(list []entry) {
	for _, e := range list {
		b.add(e)
	}
}

func (g *Graph) foreignBag(n name) *bag {
	b := g.foreign[n]
	if b == nil {
		b = &bag{}
		g.foreign[n] = b
	}
	return b
}

// findBases evaluates the bases of the classes of a file.
func (g *Graph) findBases(f *file) {
	for c := 1; c < len(f.ir.Classes); c++ {
		k := g.classes[f.classes[c]]
		if k == nil {
			continue
		}
		up := g.classes[g.canonicalID(k.id)]
		for i, b := range k.info.Bases {
			e := g.static(f, k.info.Func, ir.Class(c))
			s := e.typ(b.X)
			e.notBelow(&s, up)
			g.setBase(up, k, i, baseOf{b.Kind, s})
		}
		if k.info.Kind == ir.Named {
			k.target = g.static(f, k.info.Func, ir.Class(c)).typ(k.info.Target)
		}
		up.line = nil
	}
}

// notBelow leaves a class out of its own bases.
func (e *eval) notBelow(s *set, c *class) {
	out := set(0)
	for _, v := range e.g.elems(*s) {
		if e.g.classOf(v) != c {
			out = e.g.union(out, e.g.values.single(v))
		}
	}
	*s = out
}

// setBase notes base number i of a part of a class.
func (g *Graph) setBase(up, part *class, i int, b baseOf) {
	at := baseAt{part.id, i}
	if n, ok := up.baseAt[at]; ok {
		up.bases[n] = b
		return
	}
	if up.baseAt == nil {
		up.baseAt = map[baseAt]int{}
	}
	up.baseAt[at] = len(up.bases)
	up.bases = append(up.bases, b)
}

// linkBases notes, at each base, who inherits from it.
func (g *Graph) linkBases(f *file) {
	for c := 1; c < len(f.ir.Classes); c++ {
		k := g.classes[f.classes[c]]
		if k == nil {
			continue
		}
		k.baseAt = nil
		for _, b := range k.bases {
			if b.values == 0 {
				k.foreign = true
			}
			for _, v := range g.elems(b.values) {
				up := g.classOf(v)
				if up == nil {
					k.foreign = true
					continue
				}
				if !slices.Contains(up.subs, k.id) {
					up.subs = append(up.subs, k.id)
				}
			}
		}
		k.line = nil
		if f.lang.structural && k.info.Kind != ir.Interface {
			for _, e := range k.bag.entries {
				if e.kind == ir.FuncMember && !slices.Contains(g.methods[e.name], k.id) {
					g.methods[e.name] = append(g.methods[e.name], k.id)
				}
			}
		}
	}
}

// declareTypes evaluates the declared types of variables, parameters and results.
func (g *Graph) declareTypes(f *file) {
	in := make([]ir.Class, len(f.ir.Vars))
	for c := 1; c < len(f.ir.Classes); c++ {
		for _, m := range f.ir.Classes[c].Members {
			if m.Kind == ir.VarMember {
				in[m.Ref] = ir.Class(c)
			}
		}
	}
	for v := 1; v < len(f.ir.Vars); v++ {
		if info := &f.ir.Vars[v]; info.Type != 0 {
			fn := info.Func
			if in[v] != 0 {
				fn = 0
			}
			f.varTypes[v] = g.typeIn(f, fn, in[v], info.Type)
		}
	}
	for i := 1; i < len(f.ir.Funcs); i++ {
		info := &f.ir.Funcs[i]
		for _, p := range info.Params {
			if p.Type == 0 {
				continue
			}
			t := g.typeIn(f, ir.Func(i), 0, p.Type)
			if p.Kind == ir.Variadic && t != 0 {
				t = g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern("list"))}, []set{t}))
			}
			f.varTypes[p.Var] = t
		}
		if len(info.Results) > 0 {
			f.results[i] = make([]set, len(info.Results))
			for n, x := range info.Results {
				f.results[i][n] = g.typeIn(f, ir.Func(i), 0, x)
			}
		}
	}
}

// Resolve brings the edges up to date with what was put in and taken out.
func (g *Graph) Resolve() {
	if len(g.pending) == 0 && !g.stale {
		return
	}
	g.stale = false
	changed := make([]string, 0, len(g.pending))
	for p := range g.pending {
		changed = append(changed, p)
	}
	slices.Sort(changed)
	for _, p := range changed {
		if old := g.files[p]; old != nil {
			g.leave(old)
		}
		if f := g.pending[p]; f != nil {
			g.register(p, f)
		}
	}
	clear(g.pending)
	g.modules, g.suffixes, g.goDir, g.pythonDirs = nil, nil, nil, nil
	paths := g.paths()
	g.declare(paths)
	g.solver.init()
	for _, p := range paths {
		f := g.files[p]
		f.units = nil
		g.makeUnits(f)
	}
	for n := 1; n < len(g.units); n++ {
		g.enqueue(uint32(n))
	}
	g.run()
	g.invert()
}
