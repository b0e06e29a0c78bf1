package solver

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Resolve is Graph.Resolve, and calls between between two of its small steps. It reports
// false where the family has to be made afresh: nobody may use it then but for that.
//
// What a file says about a name that others can use (a function's parameters, a
// class's bases, an import) has a hash, and so has what that means once it is
// resolved. A change makes the names dirty whose hashes differ; a file that mentions a
// dirty name is declared again, which may make more names dirty, until none is
// left. The functions of those files are evaluated again, as if it were from nothing:
// see replay.
func Resolve(g *program.Family, between func()) (ok bool) {
	g.Between = between
	defer func() { g.Between = nil }()
	changed := slices.Sorted(maps.Keys(g.Pending))
	all := g.Stale || g.Dropped || len(changed) > len(g.Files)/4+8
	for _, p := range changed {
		all = all || restarts(g, g.Files[p], g.Pending[p])
	}
	if g.Solved && all {
		return false
	}
	first := !g.Solved
	g.Stale, g.Solved = false, true
	g.Suffixes = nil
	for _, l := range g.Langs {
		l.Forget()
	}
	dirty := map[intern.Name]bool{}
	var fresh []*program.File
	for _, p := range changed {
		if g.Halted.Load() {
			return true
		}
		old, f := g.Files[p], g.Pending[p]
		if (old == nil) != (f == nil) {
			// A file or folder may be a module by its name.
			for _, n := range program.Split(strings.ReplaceAll(p, "/", ".")) {
				dirty[g.Names.Intern(n)] = true
			}
		}
		for _, n := range languageFor(g, old, f).Dirty(old, f) {
			dirty[g.Names.Intern(n)] = true
		}
		said := program.Hashes(nil)
		if old != nil {
			said = old.TextHashes
			for _, h := range old.MeaningHashes {
				if said.Of(h.Name) == 0 {
					dirty[h.Name] = true
				}
			}
			retire(g, old)
			undeclare(g, old)
			g.Leave(old)
		}
		var r *program.File
		if f != nil {
			r = g.Register(p, f)
			r.TextHashes = program.NewHashes(textHashes(g, r))
			if old != nil {
				r.OldHashes = old.MeaningHashes
			}
			fresh = append(fresh, r)
			program.Differing(dirty, said, r.TextHashes)
			g.Relieve()
		} else {
			program.Differing(dirty, said, nil)
		}
	}
	clear(g.Pending)
	clear(g.Slimmed)
	g.Waiting = 0
	if first {
		resolveAll(g)
	} else if !resolveSome(g, fresh, dirty) {
		return false
	}
	g.Unload(g.Most / (program.SolveNodes / program.KeepNodes))
	return true
}

// restarts reports whether a version of a file changes what all others mean.
func restarts(g *program.Family, old *program.File, now *ir.File) bool {
	return languageFor(g, old, now).Restarts(old, now)
}

// languageFor returns the language of a file that is in the family or comes into it.
func languageFor(g *program.Family, old *program.File, now *ir.File) *program.Lang {
	if now == nil && old != nil {
		return old.Lang
	}
	if now == nil {
		return g.LanguageOf("")
	}
	return g.LanguageOf(now.Language)
}

// resolveAll starts from nothing.
func resolveAll(g *program.Family) {
	for id := range g.Classes {
		g.Entities[id].Class = nil
	}
	clear(g.Classes)
	clear(g.PartOf)
	clear(g.Bounds)
	clear(g.Foreign)
	clear(g.Kept)
	clear(g.Apart)
	g.State.Init()
	files := make([]*program.File, 0, len(g.Files))
	for _, p := range g.Paths() {
		f := g.Files[p]
		f.Attached, f.Units, f.UnitOf = nil, nil, nil
		files = append(files, f)
	}
	importAll(g)
	declare(g, files)
	if g.Halted.Load() || !each(g, files, func(f *program.File) { makeUnits(g, f) }) {
		return
	}
	// What stands at the top of files is first: variables and constants have their
	// values before functions read them.
	for n := 1; n < len(g.Units); n++ {
		giveDeclared(g, g.Units[n])
		if g.Units[n].Root == 1 {
			enqueue(g, uint32(n))
		}
	}
	for n := 1; n < len(g.Units); n++ {
		enqueue(g, uint32(n))
	}
	run(g, nil)
	if g.Halted.Load() {
		return
	}
	g.FindOverridden()
	if g.Reload != nil && g.Bytes() > g.Largest() {
		return // it is not kept as it is: see reduced
	}
	invert(g)
	findElsewhere(g)
}

// resolveSome starts from the files that were put in and the names that have
// become dirty. It reports false where that does not lead to what there would be from
// nothing.
func resolveSome(g *program.Family, fresh []*program.File, dirty map[intern.Name]bool) (ok bool) {
	again := map[*program.File]bool{}
	for _, f := range fresh {
		again[f] = true
	}
	if len(dirty) > 0 {
		old := map[*program.File][]program.Target{}
		for _, f := range g.Files {
			old[f] = f.Targets
		}
		importAll(g)
		for _, p := range g.Paths() {
			if f := g.Files[p]; importsChanged(g, f, old[f], dirty) {
				again[f] = true
			}
		}
	} else {
		for _, f := range fresh {
			g.ResolveImports(f)
		}
	}
	before := map[*program.File]program.Hashes{}
	for {
		if g.Halted.Load() {
			return true
		}
		widen(g, dirty)
		size := len(dirty)
		for _, p := range g.Paths() {
			f := g.Files[p]
			if !again[f] && mentions(f, dirty) {
				again[f] = true
			}
		}
		count := len(again)
		files := slices.SortedFunc(maps.Keys(again), func(a, b *program.File) int { return g.Compare(a.ID, b.ID) })
		for _, f := range files {
			if _, ok := before[f]; !ok {
				before[f] = f.MeaningHashes
				if f.OldHashes != nil {
					before[f], f.OldHashes = f.OldHashes, nil
				}
			}
			undeclare(g, f)
		}
		declare(g, files)
		if g.Halted.Load() {
			return true
		}
		for _, f := range files {
			program.Differing(dirty, before[f], f.MeaningHashes)
		}
		widen(g, dirty)
		if len(dirty) == size && len(again) == count && !more(g, again, dirty) {
			break
		}
	}
	files := slices.SortedFunc(maps.Keys(again), func(a, b *program.File) int { return g.Compare(a.ID, b.ID) })
	for _, f := range files {
		retire(g, f)
	}
	if !replayed(g, files) {
		return false
	}
	if g.Halted.Load() {
		return true
	}
	g.FindOverridden()
	findElsewhere(g)
	return true
}

// more reports whether files mention dirty names that are not declared again yet.
func more(g *program.Family, again map[*program.File]bool, dirty map[intern.Name]bool) bool {
	for _, f := range g.Files {
		if !again[f] && mentions(f, dirty) {
			return true
		}
	}
	return false
}

func mentions(f *program.File, dirty map[intern.Name]bool) bool {
	for _, n := range f.Names[1:] {
		if dirty[n] {
			return true
		}
	}
	return false
}

// widen adds to the dirty names those that cannot be told apart from them: what an
// import or export gives another name, and the methods of an interface that types
// satisfy by having them all.
func widen(g *program.Family, dirty map[intern.Name]bool) {
	for grown := true; grown; {
		grown = false
		add := func(n intern.Name) {
			if n != 0 && !dirty[n] {
				dirty[n], grown = true, true
			}
		}
		for _, f := range g.Files {
			for i := 1; i < len(f.IR.Imports); i++ {
				info := &f.IR.Imports[i]
				if dirty[f.Names[info.Name]] && info.Alias != 0 {
					add(f.Names[info.Alias])
				}
			}
			for _, x := range f.IR.Exports {
				if n := f.Names[x.Name]; !dirty[n] {
					for _, m := range f.Names[1:] {
						if dirty[m] {
							add(n)
							break
						}
					}
				}
			}
		}
		for _, k := range g.Classes {
			if k.File.Lang.Structural && k.Info.Kind == ir.Interface {
				list, _ := g.MethodsOf(k)
				if slices.ContainsFunc(list, func(n intern.Name) bool { return dirty[n] }) {
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
func importAll(g *program.Family) {
	for _, f := range g.Files {
		f.Targets = make([]program.Target, len(f.IR.Imports))
	}
	paths := g.Paths()
	for range program.MaxChain {
		changed := false
		for _, p := range paths {
			f := g.Files[p]
			for i := 1; i < len(f.IR.Imports); i++ {
				if t := f.Lang.Resolve(g, f, &f.IR.Imports[i]); !t.Equal(f.Targets[i]) {
					f.Targets[i], changed = t, true
				}
			}
		}
		if !changed {
			break
		}
	}
	for _, f := range g.Files {
		g.NameImports(f)
	}
}

// importsChanged compares the imports of a file with what they led to before. It
// reports whether one leads elsewhere, and makes the names dirty that come through it.
func importsChanged(g *program.Family, f *program.File, old []program.Target, dirty map[intern.Name]bool) bool {
	changed := false
	for i := range f.Targets {
		if i < len(old) && old[i].Equal(f.Targets[i]) {
			continue
		}
		changed = true
		if i == 0 {
			continue
		}
		info := &f.IR.Imports[i]
		for _, s := range []ir.Str{info.Name, info.Alias} {
			if n := f.IR.String(s); n != "" && n != "*" && n != "=" {
				dirty[f.Names[s]] = true
			}
		}
		if f.IR.String(info.Name) != "*" {
			continue
		}
		lists := f.Targets[i].In
		if i < len(old) {
			lists = slices.Concat(lists, old[i].In)
		}
		lists = f.Lang.Reaches(g, lists)
		for _, in := range lists {
			for _, e := range g.Bag(in).Entries {
				dirty[e.Name] = true
			}
		}
	}
	return changed
}

// retire takes the units of a file out.
func retire(g *program.Family, f *program.File) {
	if f.UnitOf == nil {
		return
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(f.UnitOf))) {
		u := g.Units[n]
		if n == 0 || u == nil || u.File != f {
			continue
		}
		unpost(g, n, u)
		g.Units[n] = nil
		g.Retired = append(g.Retired, u)
	}
	f.Units, f.UnitOf = nil, nil
}

// post enters what a unit gave into the indexes of edges and sites, unpost takes
// it out.
func post(g *program.Family, n uint32, u *program.Unit) {
	for _, e := range u.Edges {
		g.Into.Insert(e.To, n)
	}
	for _, s := range u.Sites {
		if s.Reason != edge.External {
			g.OpenSites[s.Name] = program.Insert(g.OpenSites[s.Name], n)
		}
	}
}

func unpost(g *program.Family, n uint32, u *program.Unit) {
	for _, e := range u.Edges {
		g.Into.Remove(e.To, n)
	}
	for _, s := range u.Sites {
		if s.Reason != edge.External {
			g.OpenSites[s.Name] = program.Without(g.OpenSites[s.Name], n)
			if len(g.OpenSites[s.Name]) == 0 {
				delete(g.OpenSites, s.Name)
			}
		}
	}
}

// textHashes hashes what the text of a file says of each name that others can use:
// positions and the bodies of functions left out.
func textHashes(g *program.Family, r *program.File) map[intern.Name]uint64 {
	f := r.IR
	out := map[intern.Name]uint64{}
	h := hasher{f: f}
	h.SetSeed(intern.Seed)
	add := func(n ir.Str, kind byte) {
		if n != 0 {
			h.WriteByte(kind)
			out[r.Names[n]] += h.Sum64() | 1
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
			for _, segment := range program.Split(path) {
				out[g.Names.Intern(segment)] += h.Sum64() | 1
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
			if in == 0 && r.Lang.AliasVars {
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
	if r.Lang.Pack == program.ByName {
		for _, segment := range program.Split(f.String(f.Package)) {
			out[g.Names.Intern(segment)] += pkg | 1
		}
	}
	r.Lang.AlsoHashes(g, r, out)
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
func (h *hasher) container(c ir.Class, fn ir.Func, r *program.File) {
	if c != 0 {
		maphash.WriteComparable(&h.Hash, r.Classes[c])
	} else if fn != 0 {
		maphash.WriteComparable(&h.Hash, r.Funcs[fn])
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

// meaningHashes hashes what the declarations of a file mean, by name.
func meaningHashes(g *program.Family, f *program.File) map[intern.Name]uint64 {
	out := map[intern.Name]uint64{}
	var h maphash.Hash
	h.SetSeed(intern.Seed)
	add := func(n ir.Str) {
		if n != 0 {
			out[f.Names[n]] += h.Sum64() | 1
		}
		h.Reset()
	}
	in := func(id edge.ID) { maphash.WriteComparable(&h, id) }
	for i := 2; i < len(f.IR.Funcs); i++ {
		fn := &f.IR.Funcs[i]
		in(f.Funcs[i])
		for _, p := range fn.Params {
			maphash.WriteComparable(&h, f.VarTypes[p.Var])
		}
		for _, s := range f.Results.Of(ir.Func(i)) {
			maphash.WriteComparable(&h, s)
		}
		if fn.Recv != 0 {
			maphash.WriteComparable(&h, eval.TypeIn(g, f, ir.Func(i), 0, fn.Recv))
		}
		if fn.Flags&ir.Constructor != 0 && fn.Class != 0 {
			out[f.Names[f.IR.Classes[fn.Class].Name]] += h.Sum64() | 1
		}
		add(fn.Name)
	}
	for c := 1; c < len(f.IR.Classes); c++ {
		info := &f.IR.Classes[c]
		k := g.Classes[f.Classes[c]]
		if k == nil {
			continue
		}
		main := g.Classes[g.CanonicalID(k.ID)]
		in(k.ID)
		in(main.ID)
		maphash.WriteComparable(&h, k.Target)
		maphash.WriteComparable(&h, eval.Aliased(g, k))
		for _, s := range g.MRO(main) {
			in(s.Class.ID)
			maphash.WriteComparable(&h, s.As)
			maphash.WriteComparable(&h, s.Class.Foreign)
		}
		shape := h.Sum64() | 1
		add(info.Name)
		// All that can be found through the class depends on where it stands.
		for _, s := range g.MRO(main) {
			for _, e := range s.Class.Bag.Entries {
				out[e.Name] += shape
			}
		}
		for _, m := range info.Members {
			if m.Kind == ir.VarMember {
				in(f.Vars[m.Ref])
				maphash.WriteComparable(&h, f.VarTypes[m.Ref])
				add(m.Name)
			}
		}
	}
	for _, m := range f.IR.Top {
		if m.Kind == ir.VarMember {
			in(f.Vars[m.Ref])
			maphash.WriteComparable(&h, f.VarTypes[m.Ref])
			if init := f.IR.Vars[m.Ref].Init; init != 0 && f.Lang.AliasVars {
				maphash.WriteComparable(&h, eval.Static(g, f, 1, 0).Eval(init))
			}
			add(m.Name)
		}
	}
	f.Lang.AlsoHashes(g, f, out)
	return out
}
