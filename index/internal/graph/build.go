package graph

import (
	"path"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A family is the part of a Graph that has the files of one family of languages, or what
// is frozen of it.
type family struct {
	name string
	*settings

	names     names
	values    *values
	entities  []entity
	byKey     table
	populated map[ID]int // files in a namespace, and in those below it
	langs     map[string]*lang

	files   map[string]*file
	dirs    map[string]int // files below a folder
	configs map[string][]byte
	aliases aliases

	bags      map[ID]*bag // of files, packages and namespaces
	classes   map[ID]*class
	satisfied map[ID][]ID    // the interfaces that a type has the methods of, where that is all it takes
	inner     map[ID][]entry // classes that are written by their paths, by the class that they are in
	kept      map[ID][]entry // what was attached to classes that are being declared again
	foreign   map[name]*bag  // methods that the files add to types outside the index

	loaded  []*file  // whose expressions are at hand, those longest ago first
	nodes   int      // expressions at hand
	most    int      // how many to have while it is solved
	spare   ir.Spare // while it is solved
	statics []*eval  // evaluators of declarations that nobody uses

	between func() // while it is solved

	pending map[string]*ir.File // nil: to be removed
	waiting int                 // expressions in pending
	slimmed map[string]slimmed  // of pending: those whose expressions are not at hand
	stale   bool                // the configuration has changed

	suffixes map[string][]string  // paths by their last segment, made at the first use
	apart    map[spaceKey][]entry // functions that are defined outside of their namespace: a::f() {}
	admitted map[uint64]set       // what admit has found, since classes changed
	solver

	frozen *frozen // of one that has only what queries need
	weight int64   // bytes, about
	whole  int64   // what that was when it was made
}

func newFamily(of string, s *settings) *family {
	g := &family{
		name: of, settings: s,
		names: newNames(), entities: make([]entity, 1),
		populated: map[ID]int{}, langs: languagesOf(of),
		files: map[string]*file{}, dirs: map[string]int{}, configs: map[string][]byte{},
		bags: map[ID]*bag{}, classes: map[ID]*class{}, foreign: map[name]*bag{}, kept: map[ID][]entry{},
		pending: map[string]*ir.File{},
	}
	g.values = newValues(g.stable)
	g.solver.init()
	g.forgetAliases()
	for _, l := range g.langs {
		l.finish(g)
	}
	return g
}

// register makes the nodes of a file and enters its names where others look.
func (g *family) register(p string, f *ir.File) *file {
	own := *f // without its strings, see settle
	f = &own
	r := &file{path: p, dir: path.Dir(p), lang: g.languageOf(f.Language), ir: f}
	if r.dir == "." {
		r.dir = ""
	}
	r.names = make([]name, len(f.Strings))
	for i, s := range f.Strings {
		r.names[i] = g.names.intern(s)
	}
	r.id = g.entity(entityKey{kind: FileNode, name: g.names.intern(p)})
	g.own(r.id, r, 1)
	g.files[p] = r
	for d := r.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		g.dirs[d]++
		if d == "" {
			break
		}
	}
	r.pkg = g.packageOf(r)
	if r.pkg != 0 {
		g.populate(r.pkg, 1)
	}
	g.settle(r)
	if s, ok := g.slimmed[p]; ok {
		r.slim, r.exprs, r.args = true, s.exprs, s.args
		g.load(r)
	} else {
		g.loadedFrom(r)
	}
	g.identify(r)
	g.entitle(r)
	g.enter(r)
	r.lang.Entered(g, r)
	return r
}

// own notes what a node is in the current version of its file.
func (g *family) own(id ID, f *file, ref uint32) {
	e := &g.entities[id]
	e.file, e.ref = f, ref
}

func (g *family) packageOf(r *file) ID {
	pkg := r.ir.String(r.ir.Package)
	switch r.lang.pack {
	case byFolder:
		return g.entity(entityKey{kind: NamespaceNode, name: g.names.intern(r.lang.family + ":" + r.dir + ":" + pkg)})
	case byName:
		return g.namespace(r.lang.family, pkg)
	case global:
		return g.namespace(r.lang.family, "")
	}
	return 0
}

// identify gives every function, class and shared variable its node.
func (g *family) identify(r *file) {
	f := r.ir
	r.funcs = make([]ID, len(f.Funcs))
	r.classes = make([]ID, len(f.Classes))
	r.vars = make([]ID, len(f.Vars))
	r.funcs[1] = r.id
	seen := map[entityKey]uint32{}
	make := func(outer ID, kind Kind, n ir.Str, ref uint32) ID {
		key := entityKey{outer: outer, kind: kind, name: r.names[n]}
		key.nth = seen[key]
		seen[entityKey{outer: outer, kind: kind, name: r.names[n]}]++
		id := g.entity(key)
		g.own(id, r, ref)
		return id
	}
	var class func(c ir.Class, depth int) ID
	var fn func(i ir.Func, depth int) ID
	fn = func(i ir.Func, depth int) ID {
		if r.funcs[i] != 0 || depth > 1000 {
			return r.funcs[i]
		}
		info, outer := &f.Funcs[i], r.id
		if info.Class != 0 {
			outer = class(info.Class, depth+1)
		} else if info.Outer != 0 {
			outer = fn(info.Outer, depth+1)
		}
		r.funcs[i] = make(outer, FuncNode, info.Name, uint32(i))
		return r.funcs[i]
	}
	class = func(c ir.Class, depth int) ID {
		if r.classes[c] != 0 || depth > 1000 {
			return r.classes[c]
		}
		info, outer := &f.Classes[c], r.id
		if info.Outer != 0 {
			outer = class(info.Outer, depth+1)
		} else if info.Func != 0 {
			outer = fn(info.Func, depth+1)
		}
		r.classes[c] = make(outer, ClassNode, info.Name, uint32(c))
		return r.classes[c]
	}
	for c := 1; c < len(f.Classes); c++ {
		class(ir.Class(c), 0)
	}
	for i := 2; i < len(f.Funcs); i++ {
		fn(ir.Func(i), 0)
	}
	for _, m := range f.Top {
		if m.Kind == ir.VarMember {
			r.vars[m.Ref] = make(r.id, VarNode, m.Name, m.Ref)
		}
	}
	for c := 1; c < len(f.Classes); c++ {
		for _, m := range f.Classes[c].Members {
			if m.Kind == ir.VarMember {
				r.vars[m.Ref] = make(r.classes[c], VarNode, m.Name, m.Ref)
			}
		}
	}
}

// bag returns the bag of a container, made at its first use.
func (g *family) bag(id ID) *bag {
	b := g.bags[id]
	if b == nil {
		b = &bag{}
		g.bags[id] = b
	}
	return b
}

// entryOf makes the entry of a member.
func (f *file) entryOf(m ir.Member) entry {
	e := entry{name: f.names[m.Name], kind: m.Kind, static: m.Static, open: m.Exported, ref: m.Ref}
	switch m.Kind {
	case ir.FuncMember:
		e.id = f.funcs[m.Ref]
		if f.lang.newName != 0 && f.ir.Funcs[m.Ref].Flags&ir.Constructor != 0 {
			e.name = f.lang.newName
		}
	case ir.ClassMember:
		e.id = f.classes[m.Ref]
	case ir.VarMember:
		e.id = f.vars[m.Ref]
	case ir.ImportMember:
		e.id = f.id
	}
	return e
}

// enter puts the names of a file into the bags.
func (g *family) enter(r *file) {
	top := g.bag(r.id)
	for _, m := range r.ir.Top {
		e := r.entryOf(m)
		top.add(e)
		if r.pkg != 0 && m.Kind != ir.ImportMember {
			g.bag(r.pkg).add(e)
		}
	}
	for c := 1; c < len(r.ir.Classes); c++ {
		info := &r.ir.Classes[c]
		if info.Kind != ir.Namespace {
			continue
		}
		ns := g.spaceOf(r, ir.Class(c))
		g.populate(ns, 1)
		b := g.bag(ns)
		for _, m := range info.Members {
			b.add(r.entryOf(m))
		}
	}
}

// spaceOf returns the namespace that a Namespace class opens.
func (g *family) spaceOf(r *file, c ir.Class) ID {
	info := &r.ir.Classes[c]
	outer := r.id
	if r.pkg != 0 {
		outer = r.pkg
	}
	if info.Outer != 0 {
		outer = g.spaceOf(r, info.Outer)
	}
	for _, segment := range split(r.ir.String(info.Name)) {
		outer = g.subspace(outer, g.names.intern(segment))
	}
	return outer
}

// leave takes a file out of everything that register put it in.
func (g *family) leave(r *file) {
	r.lang.Left(g, r)
	g.drop(g.bag(r.id), r)
	if r.pkg != 0 {
		g.drop(g.bag(r.pkg), r)
		g.populate(r.pkg, -1)
	}
	for c := 1; c < len(r.ir.Classes); c++ {
		if r.ir.Classes[c].Kind == ir.Namespace {
			ns := g.spaceOf(r, ir.Class(c))
			g.drop(g.bag(ns), r)
			g.populate(ns, -1)
		}
	}
	for _, ids := range [][]ID{r.funcs, r.classes, r.vars, {r.id}} {
		for _, id := range ids {
			if id != 0 {
				g.entities[id].file = nil
			}
		}
	}
	delete(g.files, r.path)
	if !r.slim {
		g.nodes -= len(r.ir.Exprs)
	}
	for d := r.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if g.dirs[d]--; g.dirs[d] == 0 {
			delete(g.dirs, d)
		}
		if d == "" {
			break
		}
	}
}

// paths returns the paths of the files, sorted.
func (g *family) paths() []string {
	all := make([]string, 0, len(g.files))
	for p := range g.files {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
