package solver

import (
	"maps"
	"slices"
	"strings"

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
	forget(g)
	dirty := map[intern.Name]bool{}
	var fresh []*program.File
	named := true // the names say all of the classes
	for _, p := range changed {
		if g.Halted.Load() {
			return true
		}
		old, f := g.Files[p], g.Pending[p]
		named = named && old != nil && f != nil && allNamed(old.IR) && allNamed(f)
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
			if f == nil { // of another version what the names mean is compared: see resolveSome
				for _, h := range old.MeaningHashes {
					if said.Of(h.Name) == 0 {
						dirty[h.Name] = true
					}
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
	} else if !resolveSome(g, fresh, dirty, named) {
		return false
	}
	g.Names.Sort()
	g.Unload(g.Most / (program.SolveNodes / program.KeepNodes))
	return true
}

// allNamed reports whether all classes of a file have names.
func allNamed(f *ir.File) bool {
	return len(f.Classes) == 0 || !slices.ContainsFunc(f.Classes[1:], func(c ir.ClassInfo) bool { return c.Name == 0 })
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
	declare(g, files, false)
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
// become dirty; named says that the classes of these files are what their names say, and so
// the same if none is dirty. It reports false where that does not lead to what there would be
// from nothing.
func resolveSome(g *program.Family, fresh []*program.File, dirty map[intern.Name]bool, named bool) (ok bool) {
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
		if size > 0 {
			for _, f := range g.Files {
				if !again[f] && mentions(f, dirty) {
					again[f] = true
				}
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
		declare(g, files, named && len(dirty) == 0)
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
	if len(dirty) == 0 {
		return false
	}
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
	for grown := len(dirty) > 0; grown; {
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
