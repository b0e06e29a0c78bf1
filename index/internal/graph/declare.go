package graph

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// canonicalID returns the class that a class is a part of: itself, the first of
// those that the language merges, or what an extension extends.
func (g *family) canonicalID(id ID) ID {
	for range 4 {
		up, ok := g.partOf[id]
		if !ok {
			break
		}
		id = up
	}
	return id
}

func (g *family) canonical(f *file, c ir.Class) ID { return g.canonicalID(f.classes[c]) }

// declare finds what the declarations of some files mean: classes and what adds to
// them, bases, types. None of it depends on what functions do. The imports of the
// files are known; what the files said before has been taken out (undeclare).
func (g *family) declare(files []*file) {
	g.admitted = map[uint64]set{}
	g.forgetAliases()
	for _, f := range files {
		f.varTypes = make([]set, len(f.ir.Vars))
		f.results = newResults(f.ir)
		for c := 1; c < len(f.ir.Classes); c++ {
			g.newClass(f, ir.Class(c))
		}
	}
	g.mergeParts()
	g.fillBags()
	if !g.each(files, g.attach) {
		return
	}
	g.fillBags()
	// Bases may be nested in bases: the second round sees what the first found.
	for range 2 {
		if !g.each(files, g.findBases) {
			return
		}
		g.gatherBases()
	}
	g.linkBases()
	g.findSatisfied()
	g.forgetAliases()
	if !g.each(files, g.declareTypes) {
		return
	}
	g.forgetAliases()
	if !g.each(files, g.declareBounds) {
		return
	}
	g.each(files, func(f *file) { f.declared = newHashes(g.meanings(f)) })
}

// each calls step for each file; it returns false as soon as the graph is halted.
func (g *family) each(files []*file, step func(*file)) (done bool) {
	for _, f := range files {
		if g.halted.Load() {
			return false
		}
		step(f)
		g.relieve()
	}
	return true
}

// resultTypes are the types of the declared results of a file's functions.
type resultTypes struct {
	ends []uint32 // by ir.Func: where those of a function end in sets; 0: it has not been declared yet
	sets []set
}

func newResults(f *ir.File) resultTypes {
	n := 0
	for i := range f.Funcs {
		n += len(f.Funcs[i].Results)
	}
	return resultTypes{make([]uint32, len(f.Funcs)), make([]set, 0, n)}
}

// room makes room for the results of the function after the last one.
func (r *resultTypes) room(fn ir.Func, n int) []set {
	at := len(r.sets)
	r.sets = append(r.sets, make([]set, n)...)
	r.ends[fn] = uint32(len(r.sets))
	return r.sets[at:]
}

// of returns the results of a function.
func (r *resultTypes) of(fn ir.Func) []set {
	if fn == 0 || int(fn) >= len(r.ends) || r.ends[fn] <= r.ends[fn-1] {
		return nil
	}
	return r.sets[r.ends[fn-1]:r.ends[fn]]
}

// declareBounds keeps what others ask of the declarations of a file: the bounds of its
// type parameters, and what its aliases stand for.
func (g *family) declareBounds(f *file) {
	for i := 2; i < len(f.ir.Funcs); i++ {
		for n, p := range f.ir.Funcs[i].TypeParams() {
			g.bounds[valueInfo{kind: vParam, id: uint32(f.funcs[i]), base: value(n)}] = g.typeIn(f, ir.Func(i), 0, p.Bound)
		}
	}
	for c := 1; c < len(f.ir.Classes); c++ {
		for n, p := range f.ir.Classes[c].TypeParams {
			g.bounds[valueInfo{kind: vParam, id: uint32(f.classes[c]), base: value(n)}] = g.typeIn(f, 0, ir.Class(c), p.Bound)
		}
		if k := g.classes[f.classes[c]]; k != nil && k.info.Kind == ir.Alias {
			k.target = g.aliased(k)
		}
	}
}

// undeclare takes out what the declarations of a file have brought.
func (g *family) undeclare(f *file) {
	for _, id := range f.classes {
		if k := g.classes[id]; k != nil && k.file == f {
			if rest := slices.DeleteFunc(k.extra, func(e entry) bool { return g.owner(e) == f }); len(rest) > 0 {
				g.kept[id] = rest
			}
			delete(g.classes, id)
			g.entities[id].class = nil
			delete(g.partOf, id)
		}
	}
	for b := range g.bounds {
		if at := &g.entities[b.id]; at.file == f || at.file == nil {
			delete(g.bounds, b)
		}
	}
	for _, a := range f.attached {
		if k := g.classes[a.to]; k != nil {
			k.extra = slices.DeleteFunc(k.extra, func(e entry) bool { return g.owner(e) == f })
		}
		if rest, ok := g.kept[a.to]; ok {
			g.kept[a.to] = slices.DeleteFunc(rest, func(e entry) bool { return g.owner(e) == f })
		}
		if b := g.foreign[a.foreign]; b != nil {
			g.drop(b, f)
		}
		if list, ok := g.apart[a.space]; ok {
			g.apart[a.space] = slices.DeleteFunc(list, func(e entry) bool { return g.owner(e) == f })
		}
	}
	f.attached = f.attached[:0]
}

// owner is the file that an entry is of.
func (g *family) owner(e entry) *file { return g.entities[e.id].file }

// An attachment is where a method or extension of a file has been put.
type attachment struct {
	to      ID
	foreign name
	space   spaceKey
}

// findSatisfied notes which types have the methods of which interfaces.
func (g *family) findSatisfied() {
	g.satisfied = map[ID][]ID{}
	for id, c := range g.classes {
		if !c.file.lang.structural || c.info.Kind != ir.Interface {
			continue
		}
		for _, below := range g.belowOf(c) {
			if k := g.classes[below]; k != nil && k.info.Kind != ir.Interface {
				g.satisfied[below] = append(g.satisfied[below], id)
			}
		}
	}
	for _, list := range g.satisfied {
		slices.SortFunc(list, g.compare)
	}
}

func (g *family) newClass(f *file, c ir.Class) {
	info := &f.ir.Classes[c]
	id := f.classes[c]
	if info.Kind == ir.Namespace || id == 0 {
		return
	}
	k := &class{id: id, file: f, info: info, params: id}
	g.classes[id] = k
	g.entities[id].class = k
	// What other files have attached to it before stays.
	k.extra = append(k.extra, g.kept[id]...)
	delete(g.kept, id)
}

// fillBags puts together the members of every class that may have changed: its own,
// those of its parts, and what other places add.
func (g *family) fillBags() {
	for _, k := range g.classes {
		k.bag.entries, k.bag.sorted = k.bag.entries[:0], false
		g.addOwn(&k.bag, k)
	}
	for part, main := range g.partOf {
		p, m := g.classes[part], g.classes[main]
		if p == nil || m == nil {
			continue
		}
		if m = g.classes[g.canonicalID(main)]; m != nil {
			g.addOwn(&m.bag, p)
		}
	}
	for _, k := range g.classes {
		k.forget()
	}
}

func (g *family) addOwn(b *bag, k *class) {
	for _, m := range k.info.Members {
		b.add(k.file.entryOf(m))
	}
	b.addAll(k.extra)
	b.addAll(g.inner[k.id])
}

// A place is where a class is found by its name.
type place struct {
	outer ID
	name  name
	file  ID // where files do not share their classes
}

// mergeParts makes definitions of one name in one container the parts of one class:
// partial classes, reopened ones, forward declarations.
func (g *family) mergeParts() {
	g.inner = map[ID][]entry{}
	var byPath []pathPart
	first := map[place]ID{}
	for part := range g.partOf {
		if k := g.classes[part]; k != nil && k.info.Kind != ir.Extends {
			delete(g.partOf, part)
		}
	}
	for _, p := range g.paths() {
		f := g.files[p]
		if !f.lang.merges && !f.lang.mergesInFile {
			continue
		}
		var named []bool
		if f.lang.pathClasses {
			named = f.memberClasses()
		}
		for c := 1; c < len(f.ir.Classes); c++ {
			info := &f.ir.Classes[c]
			k := g.classes[f.classes[c]]
			if named != nil && k != nil {
				if !named[c] {
					continue
				}
				if strings.Contains(f.ir.String(info.Name), ".") {
					byPath = append(byPath, pathPart{f, ir.Class(c)})
					continue
				}
			}
			if k == nil || info.Name == 0 || info.Kind == ir.Extends || info.Kind == ir.Alias || info.Func != 0 {
				continue
			}
			at := place{outer: f.id, name: f.names[info.Name]}
			if f.lang.classesPerFile {
				at.file = f.id
			}
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
			m := g.classes[main]
			// The part that has members speaks for the class.
			if len(m.info.Members) == 0 && len(info.Members) > 0 && len(m.info.Bases) == 0 {
				g.partOf[main] = k.id
				first[at] = k.id
				continue
			}
			g.partOf[k.id] = main
		}
	}
	g.mergePaths(byPath, first)
}

// attach puts methods and extensions that are written elsewhere into their types.
func (g *family) attach(f *file) {
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
			} else if i.kind == vExternal || i.kind == vGeneric {
				b := &bag{}
				g.addOwn(b, k)
				g.foreignBag(name(i.id)).addAll(b.entries)
				f.attached = append(f.attached, attachment{foreign: name(i.id)})
				k.target = g.values.single(v)
			} else if i.kind == vParam {
				k.target = g.values.single(v)
				g.attachBlanket(k, i)
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
		if recv == 0 && f.lang.spaceReceivers {
			recv = g.static(f, ir.Func(i), 0).typeName(info.Recv)
		}
		if f.recv == nil {
			f.recv = map[ir.Func]set{}
		}
		f.recv[ir.Func(i)] = recv
		for _, v := range g.elems(recv) {
			switch x := g.values.info[v]; x.kind {
			case vInst, vDecl:
				if up := g.classOf(v); up != nil {
					up.extra = append(up.extra, e)
					f.attached = append(f.attached, attachment{to: up.id})
				}
			case vModule:
				at := spaceKey{ID(x.id), e.name}
				if g.apart == nil {
					g.apart = map[spaceKey][]entry{}
				}
				g.apart[at] = append(g.apart[at], e)
				f.attached = append(f.attached, attachment{space: at})
			case vExternal, vGeneric:
				g.foreignBag(name(x.id)).add(e)
				f.attached = append(f.attached, attachment{foreign: name(x.id)})
			case vParam: // an extension of anything
				g.foreignBag(g.names.intern(anyItem)).add(e)
				f.attached = append(f.attached, attachment{foreign: g.names.intern(anyItem)})
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

func (g *family) foreignBag(n name) *bag {
	b := g.foreign[n]
	if b == nil {
		b = &bag{}
		g.foreign[n] = b
	}
	return b
}

// findBases evaluates the bases of the classes of a file.
func (g *family) findBases(f *file) {
	for c := 1; c < len(f.ir.Classes); c++ {
		k := g.classes[f.classes[c]]
		if k == nil {
			continue
		}
		up := g.classes[g.canonicalID(k.id)]
		k.own = k.own[:0]
		for _, b := range k.info.Bases {
			e := g.static(f, k.info.Func, ir.Class(c))
			s := e.typ(b.X)
			if b.Kind != ir.Meta { // a module may be extended with itself
				e.notBelow(&s, up)
			}
			k.own = append(k.own, baseOf{b.Kind, s})
			g.done(e)
		}
		if k.info.Kind == ir.Named {
			k.target = g.typeIn(f, k.info.Func, ir.Class(c), k.info.Target)
		}
	}
}

// gatherBases gives every class the bases of its parts.
func (g *family) gatherBases() {
	parts := map[ID][]ID{}
	for part := range g.partOf {
		if g.classes[part] != nil {
			main := g.canonicalID(part)
			parts[main] = append(parts[main], part)
		}
	}
	for _, k := range g.classes {
		k.bases = append(k.bases[:0], k.own...)
		k.forget()
	}
	for main, list := range parts {
		k := g.classes[main]
		if k == nil {
			continue
		}
		slices.SortFunc(list, g.compare)
		for _, part := range list {
			k.bases = append(k.bases, g.classes[part].own...)
		}
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

// linkBases notes, at each base, who inherits from it.
func (g *family) linkBases() {
	clear(g.methods)
	clear(g.overriding)
	for _, k := range g.classes {
		k.subs, k.foreign = k.subs[:0], false
	}
	for _, k := range g.classes {
		for _, b := range k.bases {
			if b.values == 0 {
				k.foreign = true
			}
			for _, v := range g.elems(b.values) {
				up := g.classOf(v)
				if up == nil {
					k.foreign = true
				} else if b.kind != ir.Meta && !slices.Contains(up.subs, k.id) {
					up.subs = append(up.subs, k.id)
				}
			}
		}
		if k.file.lang.structural && k.info.Kind != ir.Interface {
			for _, e := range k.bag.entries {
				if list := g.methods[e.name]; e.kind == ir.FuncMember && (len(list) == 0 || list[len(list)-1] != k.id) {
					g.methods[e.name] = append(list, k.id)
				}
			}
		}
	}
	for _, k := range g.classes {
		slices.SortFunc(k.subs, g.compare)
	}
}

// declareTypes evaluates the declared types of variables, parameters and results.
func (g *family) declareTypes(f *file) {
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
				if f.lang.pointerFields && g.isPointer(f, info.Type) {
					if f.pointers == nil {
						f.pointers = map[ir.Var]bool{}
					}
					f.pointers[ir.Var(v)] = true
				}
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
			switch {
			case p.Kind == ir.Variadic && t != 0:
				t = g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern("list"))}, []set{t}))
			case p.Kind == ir.KwVariadic && t != 0:
				t = g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern("map"))}, []set{0, t}))
			}
			f.varTypes[p.Var] = t
		}
		declared := f.results.room(ir.Func(i), len(info.Results))
		for n, x := range info.Results {
			declared[n] = g.typeIn(f, ir.Func(i), 0, x)
		}
	}
}

// isPointer reports whether a declared type is one of a pointer or reference.
func (g *family) isPointer(f *file, x ir.Expr) bool {
	g.load(f)
	return f.ir.Exprs[x].Op == ir.Deref
}

// attachBlanket gives the members of an impl block for a type parameter to what
// the parameter is bound by, and so to all that has that: impl<T: A> B for T.
func (g *family) attachBlanket(k *class, param valueInfo) {
	bounds := g.static(k.file, 0, 0).boundOf(param)
	for _, b := range k.info.Bases {
		for _, v := range g.elems(g.typeIn(k.file, k.info.Func, ir.Class(g.entities[k.id].ref), b.X)) {
			for _, w := range g.elems(bounds) {
				if g.classOf(v) != nil && g.classOf(v) == g.classOf(w) {
					return // it only hands on: impl<T: A> A for Box<T>
				}
			}
		}
	}
	for _, b := range g.elems(bounds) {
		if up := g.classOf(b); up != nil && up != k {
			g.partOf[k.id] = up.id
			return
		}
	}
}
