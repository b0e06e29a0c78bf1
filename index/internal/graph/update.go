package graph

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// resolve is Graph.Resolve, and calls between between two of its small steps. It reports
// false where the family has to be made afresh: nobody may use it then but for that.
//
// What a file says about a name that others can use (a function's parameters, a
// class's bases, an import) has a hash, and so has what that means once it is
// resolved. A change makes the names dirty whose hashes differ; a file that mentions a
// dirty name is declared again, which may make more names dirty, until none is
// left. The functions of those files are evaluated again, as if it were from nothing:
// see replay.
func (g *family) resolve(between func()) (ok bool) {
	g.between = between
	defer func() { g.between = nil }()
	changed := slices.Sorted(maps.Keys(g.pending))
	all := g.stale || g.dropped || len(changed) > len(g.files)/4+8
	for _, p := range changed {
		all = all || g.restarts(g.files[p], g.pending[p])
	}
	if g.solved && all {
		return false
	}
	first := !g.solved
	g.stale, g.solved = false, true
	g.suffixes = nil
	for _, l := range g.langs {
		l.Forget()
	}
	dirty := map[name]bool{}
	var fresh []*file
	for _, p := range changed {
		if g.halted.Load() {
			return true
		}
		old, f := g.files[p], g.pending[p]
		if (old == nil) != (f == nil) {
			// A file or folder may be a module by its name.
			for _, n := range split(strings.ReplaceAll(p, "/", ".")) {
				dirty[g.names.intern(n)] = true
			}
		}
		for _, n := range g.languageFor(old, f).Dirty(old, f) {
			dirty[g.names.intern(n)] = true
		}
		said := hashes(nil)
		if old != nil {
			said = old.said
			for _, h := range old.declared {
				if said.of(h.name) == 0 {
					dirty[h.name] = true
				}
			}
			g.retire(old)
			g.undeclare(old)
			g.leave(old)
		}
		var r *file
		if f != nil {
			r = g.register(p, f)
			r.said = newHashes(g.sayings(r))
			if old != nil {
				r.before = old.declared
			}
			fresh = append(fresh, r)
			differing(dirty, said, r.said)
			g.relieve()
		} else {
			differing(dirty, said, nil)
		}
	}
	clear(g.pending)
	clear(g.slimmed)
	g.waiting = 0
	if first {
		g.resolveAll()
	} else if !g.resolveSome(fresh, dirty) {
		return false
	}
	g.unload(g.most / (solveNodes / keepNodes))
	return true
}

// restarts reports whether a version of a file changes what all others mean.
func (g *family) restarts(old *file, now *ir.File) bool {
	return g.languageFor(old, now).Restarts(old, now)
}

// languageFor returns the language of a file that is in the family or comes into it.
func (g *family) languageFor(old *file, now *ir.File) *lang {
	if now == nil && old != nil {
		return old.lang
	}
	if now == nil {
		return g.languageOf("")
	}
	return g.languageOf(now.Language)
}

// resolveAll starts from nothing.
func (g *family) resolveAll() {
	for id := range g.classes {
		g.entities[id].class = nil
	}
	clear(g.classes)
	clear(g.partOf)
	clear(g.bounds)
	clear(g.foreign)
	clear(g.kept)
	clear(g.apart)
	g.solver.init()
	files := make([]*file, 0, len(g.files))
	for _, p := range g.paths() {
		f := g.files[p]
		f.attached, f.units, f.unitOf = nil, nil, nil
		files = append(files, f)
	}
	g.importAll()
	g.declare(files)
	if g.halted.Load() || !g.each(files, g.makeUnits) {
		return
	}
	// What stands at the top of files is first: variables and constants have their
	// values before functions read them.
	for n := 1; n < len(g.units); n++ {
		g.giveDeclared(g.units[n])
		if g.units[n].root == 1 {
			g.enqueue(uint32(n))
		}
	}
	for n := 1; n < len(g.units); n++ {
		g.enqueue(uint32(n))
	}
	g.run()
	if g.halted.Load() {
		return
	}
	g.findOverridden()
	if g.reload != nil && g.bytes() > g.largest() {
		return // it is not kept as it is: see reduced
	}
	g.invert()
	g.findElsewhere()
}

// resolveSome starts from the files that were put in and the names that have
// become dirty. It reports false where that does not lead to what there would be from
// nothing.
func (g *family) resolveSome(fresh []*file, dirty map[name]bool) (ok bool) {
	again := map[*file]bool{}
	for _, f := range fresh {
		again[f] = true
	}
	if len(dirty) > 0 {
		old := map[*file][]target{}
		for _, f := range g.files {
			old[f] = f.targets
		}
		g.importAll()
		for _, p := range g.paths() {
			if f := g.files[p]; g.importsChanged(f, old[f], dirty) {
				again[f] = true
			}
		}
	} else {
		for _, f := range fresh {
			g.resolveImports(f)
		}
	}
	before := map[*file]hashes{}
	for {
		if g.halted.Load() {
			return true
		}
		g.widen(dirty)
		size := len(dirty)
		for _, p := range g.paths() {
			f := g.files[p]
			if !again[f] && mentions(f, dirty) {
				again[f] = true
			}
		}
		count := len(again)
		files := slices.SortedFunc(maps.Keys(again), func(a, b *file) int { return g.compare(a.id, b.id) })
		for _, f := range files {
			if _, ok := before[f]; !ok {
				before[f] = f.declared
				if f.before != nil {
					before[f], f.before = f.before, nil
				}
			}
			g.undeclare(f)
		}
		g.declare(files)
		if g.halted.Load() {
			return true
		}
		for _, f := range files {
			differing(dirty, before[f], f.declared)
		}
		g.widen(dirty)
		if len(dirty) == size && len(again) == count && !g.more(again, dirty) {
			break
		}
	}
	files := slices.SortedFunc(maps.Keys(again), func(a, b *file) int { return g.compare(a.id, b.id) })
	for _, f := range files {
		g.retire(f)
	}
	if !g.replayed(files) {
		return false
	}
	if g.halted.Load() {
		return true
	}
	g.findOverridden()
	g.findElsewhere()
	return true
}

// more reports whether files mention dirty names that are not declared again yet.
func (g *family) more(again map[*file]bool, dirty map[name]bool) bool {
	for _, f := range g.files {
		if !again[f] && mentions(f, dirty) {
			return true
		}
	}
	return false
}

func mentions(f *file, dirty map[name]bool) bool {
	for _, n := range f.names[1:] {
		if dirty[n] {
			return true
		}
	}
	return false
}

// widen adds to the dirty names those that cannot be told apart from them: what an
// import or export gives another name, and the methods of an interface that types
// satisfy by having them all.
func (g *family) widen(dirty map[name]bool) {
	for grown := true; grown; {
		grown = false
		add := func(n name) {
			if n != 0 && !dirty[n] {
				dirty[n], grown = true, true
			}
		}
		for _, f := range g.files {
			for i := 1; i < len(f.ir.Imports); i++ {
				info := &f.ir.Imports[i]
				if dirty[f.names[info.Name]] && info.Alias != 0 {
					add(f.names[info.Alias])
				}
			}
			for _, x := range f.ir.Exports {
				if n := f.names[x.Name]; !dirty[n] {
					for _, m := range f.names[1:] {
						if dirty[m] {
							add(n)
							break
						}
					}
				}
			}
		}
		for _, k := range g.classes {
			if k.file.lang.structural && k.info.Kind == ir.Interface {
				list, _ := g.methodsOf(k)
				if slices.ContainsFunc(list, func(n name) bool { return dirty[n] }) {
					for _, n := range list {
						add(n)
					}
				}
			}
		}
	}
}

// importAll resolves the imports of all files. Those that go through what another
// file imports are found a round later.
func (g *family) importAll() {
	for _, f := range g.files {
		f.targets = make([]target, len(f.ir.Imports))
	}
	paths := g.paths()
	for range maxChain {
		changed := false
		for _, p := range paths {
			f := g.files[p]
			for i := 1; i < len(f.ir.Imports); i++ {
				if t := f.lang.Resolve(g, f, &f.ir.Imports[i]); !t.equal(f.targets[i]) {
					f.targets[i], changed = t, true
				}
			}
		}
		if !changed {
			break
		}
	}
	for _, f := range g.files {
		g.nameImports(f)
	}
}

func (t target) equal(o target) bool {
	return slices.Equal(t.in, o.in) && slices.Equal(t.loads, o.loads) && t.external == o.external
}

// importsChanged compares the imports of a file with what they led to before. It
// reports whether one leads elsewhere, and makes the names dirty that come through it.
func (g *family) importsChanged(f *file, old []target, dirty map[name]bool) bool {
	changed := false
	for i := range f.targets {
		if i < len(old) && old[i].equal(f.targets[i]) {
			continue
		}
		changed = true
		if i == 0 {
			continue
		}
		info := &f.ir.Imports[i]
		for _, s := range []ir.Str{info.Name, info.Alias} {
			if n := f.ir.String(s); n != "" && n != "*" && n != "=" {
				dirty[f.names[s]] = true
			}
		}
		if f.ir.String(info.Name) != "*" {
			continue
		}
		lists := f.targets[i].in
		if i < len(old) {
			lists = slices.Concat(lists, old[i].in)
		}
		lists = f.lang.Reaches(g, lists)
		for _, in := range lists {
			for _, e := range g.bag(in).entries {
				dirty[e.name] = true
			}
		}
	}
	return changed
}

// hashes are hashes by name, in order. Of two versions they are compared, and kept no
// longer than 32 bits for it: one change in four thousand million is not seen.
type hashes []nameHash

type nameHash struct {
	name name
	hash uint32
}

func newHashes(by map[name]uint64) hashes {
	out := make(hashes, 0, len(by))
	for n, h := range by {
		out = append(out, nameHash{n, uint32(h^h>>32) | 1})
	}
	slices.SortFunc(out, func(a, b nameHash) int { return cmp.Compare(a.name, b.name) })
	return out
}

// of returns the hash of a name, or 0.
func (h hashes) of(n name) uint32 {
	at, ok := slices.BinarySearchFunc(h, n, func(e nameHash, n name) int { return cmp.Compare(e.name, n) })
	if !ok {
		return 0
	}
	return h[at].hash
}

// differing makes the names dirty whose hashes differ.
func differing(dirty map[name]bool, a, b hashes) {
	for _, e := range a {
		if b.of(e.name) != e.hash {
			dirty[e.name] = true
		}
	}
	for _, e := range b {
		if a.of(e.name) == 0 {
			dirty[e.name] = true
		}
	}
}

// retire takes the units of a file out.
func (g *family) retire(f *file) {
	if f.unitOf == nil {
		return
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(f.unitOf))) {
		u := g.units[n]
		if n == 0 || u == nil || u.file != f {
			continue
		}
		g.unpost(n, u)
		g.units[n] = nil
		g.retired = append(g.retired, u)
	}
	f.units, f.unitOf = nil, nil
}

// post enters what a unit gave into the indexes of edges and sites, unpost takes
// it out.
func (g *family) post(n uint32, u *unit) {
	for _, e := range u.edges {
		g.into.insert(e.To, n)
	}
	for _, s := range u.sites {
		if s.reason != External {
			g.open_[s.name] = insert(g.open_[s.name], n)
		}
	}
}

func (g *family) unpost(n uint32, u *unit) {
	for _, e := range u.edges {
		g.into.remove(e.To, n)
	}
	for _, s := range u.sites {
		if s.reason != External {
			g.open_[s.name] = without(g.open_[s.name], n)
			if len(g.open_[s.name]) == 0 {
				delete(g.open_, s.name)
			}
		}
	}
}

func insert(list []uint32, n uint32) []uint32 {
	if at, ok := slices.BinarySearch(list, n); !ok {
		return slices.Insert(list, at, n)
	}
	return list
}

func without(list []uint32, n uint32) []uint32 {
	if at, ok := slices.BinarySearch(list, n); ok {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// seed is that of all hashes here: they are compared within one process only.
var seed = maphash.MakeSeed()

// sayings hashes what the text of a file says of each name that others can use:
// positions and the bodies of functions left out.
func (g *family) sayings(r *file) map[name]uint64 {
	f := r.ir
	out := map[name]uint64{}
	h := hasher{f: f}
	h.SetSeed(seed)
	add := func(n ir.Str, kind byte) {
		if n != 0 {
			h.WriteByte(kind)
			out[r.names[n]] += h.Sum64() | 1
		}
	}
	h.str(f.Package)
	pkg := h.Sum64()
	for i := 1; i < len(f.Funcs); i++ {
		fn := &f.Funcs[i]
		h.Reset()
		maphash.WriteComparable(&h.Hash, pkg)
		maphash.WriteComparable(&h.Hash, uint32(fn.Flags))
		h.container(fn.Class, fn.Outer, r)
		h.expr(fn.Recv, 0)
		for _, p := range fn.Params {
			h.str(p.Name)
			h.WriteByte(byte(p.Kind))
			h.expr(p.Type, 0)
			maphash.WriteComparable(&h.Hash, p.Default != 0)
		}
		for _, x := range fn.Results {
			h.expr(x, 0)
		}
		h.params(fn.TypeParams())
		for _, x := range fn.Decorators() {
			h.expr(x, 0)
		}
		if fn.Flags&ir.Constructor != 0 && fn.Class != 0 {
			add(f.Classes[fn.Class].Name, 'n') // it is called by the name of the class
		}
		add(fn.Name, 'f')
	}
	for i := 1; i < len(f.Classes); i++ {
		c := &f.Classes[i]
		h.Reset()
		maphash.WriteComparable(&h.Hash, pkg)
		h.WriteByte(byte(c.Kind))
		h.container(c.Outer, c.Func, r)
		for _, b := range c.Bases {
			h.WriteByte(byte(b.Kind))
			h.expr(b.X, 0)
		}
		h.params(c.TypeParams)
		h.expr(c.Target, 0)
		for _, x := range c.Decorators {
			h.expr(x, 0)
		}
		add(c.Name, 'c')
		if path := f.String(c.Name); strings.Contains(path, ".") { // class A::B
			for _, segment := range split(path) {
				out[g.names.intern(segment)] += h.Sum64() | 1
			}
		}
		if c.Kind == ir.Extends {
			for _, m := range c.Members {
				add(m.Name, 'x')
			}
		}
	}
	member := func(m ir.Member, in ir.Class) {
		h.Reset()
		maphash.WriteComparable(&h.Hash, pkg)
		h.WriteByte(byte(m.Kind))
		h.container(in, 0, r)
		maphash.WriteComparable(&h.Hash, m.Static)
		maphash.WriteComparable(&h.Hash, m.Exported)
		switch m.Kind {
		case ir.VarMember:
			h.expr(f.Vars[m.Ref].Type, 0)
			maphash.WriteComparable(&h.Hash, f.Vars[m.Ref].Init != 0)
			if in == 0 && r.lang.aliasVars {
				h.expr(f.Vars[m.Ref].Init, 0) // another name for something
			}
		case ir.ImportMember:
			i := &f.Imports[m.Ref]
			h.str(i.Module)
			h.str(i.Name)
			h.WriteByte(byte(i.Flags))
		}
		add(m.Name, 'm')
	}
	for _, m := range f.Top {
		member(m, 0)
	}
	for i := 1; i < len(f.Classes); i++ {
		for _, m := range f.Classes[i].Members {
			member(m, ir.Class(i))
		}
	}
	for _, i := range f.Imports[1:] {
		h.Reset()
		h.str(i.Module)
		h.WriteByte(byte(i.Flags))
		if i.Alias != 0 {
			add(i.Alias, 'i')
		}
		add(i.Name, 'i')
	}
	for _, x := range f.Exports {
		h.Reset()
		h.expr(x.X, 0)
		add(x.Name, 'e')
	}
	if r.lang.pack == byName {
		for _, segment := range split(f.String(f.Package)) {
			out[g.names.intern(segment)] += pkg | 1
		}
	}
	r.lang.AlsoSaid(g, r, out)
	return out
}

// hasher hashes parts of a file by what they say.
type hasher struct {
	maphash.Hash
	f *ir.File
}

func (h *hasher) str(s ir.Str) {
	h.WriteString(h.f.String(s))
	h.WriteByte(0)
}

func (h *hasher) params(list []ir.TypeParam) {
	for _, p := range list {
		h.str(p.Name)
		h.expr(p.Bound, 0)
	}
}

// container hashes where something is written.
func (h *hasher) container(c ir.Class, fn ir.Func, r *file) {
	if c != 0 {
		maphash.WriteComparable(&h.Hash, r.classes[c])
	} else if fn != 0 {
		maphash.WriteComparable(&h.Hash, r.funcs[fn])
	}
}

func (h *hasher) expr(x ir.Expr, depth int) {
	if x == 0 || depth > 30 {
		h.WriteByte(0)
		return
	}
	n := &h.f.Exprs[x]
	h.WriteByte(byte(n.Op))
	h.str(n.Name)
	h.expr(n.A, depth+1)
	h.expr(n.B, depth+1)
	for _, a := range h.f.Args[n.Lo:n.Hi] {
		h.str(a.Name)
		h.expr(a.X, depth+1)
	}
	h.WriteByte(')')
}

// meanings hashes what the declarations of a file mean, by name.
func (g *family) meanings(f *file) map[name]uint64 {
	out := map[name]uint64{}
	var h maphash.Hash
	h.SetSeed(seed)
	add := func(n ir.Str) {
		if n != 0 {
			out[f.names[n]] += h.Sum64() | 1
		}
		h.Reset()
	}
	in := func(id ID) { maphash.WriteComparable(&h, id) }
	for i := 2; i < len(f.ir.Funcs); i++ {
		fn := &f.ir.Funcs[i]
		in(f.funcs[i])
		for _, p := range fn.Params {
			maphash.WriteComparable(&h, f.varTypes[p.Var])
		}
		for _, s := range f.results.of(ir.Func(i)) {
			maphash.WriteComparable(&h, s)
		}
		if fn.Recv != 0 {
			maphash.WriteComparable(&h, g.typeIn(f, ir.Func(i), 0, fn.Recv))
		}
		if fn.Flags&ir.Constructor != 0 && fn.Class != 0 {
			out[f.names[f.ir.Classes[fn.Class].Name]] += h.Sum64() | 1
		}
		add(fn.Name)
	}
	for c := 1; c < len(f.ir.Classes); c++ {
		info := &f.ir.Classes[c]
		k := g.classes[f.classes[c]]
		if k == nil {
			continue
		}
		main := g.classes[g.canonicalID(k.id)]
		in(k.id)
		in(main.id)
		maphash.WriteComparable(&h, k.target)
		maphash.WriteComparable(&h, g.aliased(k))
		for _, s := range g.lineOf(main) {
			in(s.class.id)
			maphash.WriteComparable(&h, s.as)
			maphash.WriteComparable(&h, s.class.foreign)
		}
		shape := h.Sum64() | 1
		add(info.Name)
		// All that can be found through the class depends on where it stands.
		for _, s := range g.lineOf(main) {
			for _, e := range s.class.bag.entries {
				out[e.name] += shape
			}
		}
		for _, m := range info.Members {
			if m.Kind == ir.VarMember {
				in(f.vars[m.Ref])
				maphash.WriteComparable(&h, f.varTypes[m.Ref])
				add(m.Name)
			}
		}
	}
	for _, m := range f.ir.Top {
		if m.Kind == ir.VarMember {
			in(f.vars[m.Ref])
			maphash.WriteComparable(&h, f.varTypes[m.Ref])
			if init := f.ir.Vars[m.Ref].Init; init != 0 && f.lang.aliasVars {
				maphash.WriteComparable(&h, g.static(f, 1, 0).eval(init))
			}
			add(m.Name)
		}
	}
	f.lang.AlsoSaid(g, f, out)
	return out
}
