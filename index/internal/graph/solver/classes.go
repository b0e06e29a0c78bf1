package solver

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A pathPart is a class that is written by its path: class A::B.
type pathPart struct {
	file *program.File
	c    ir.Class
}

// mergePaths puts classes that are written by their paths where their paths lead.
func mergePaths(g *program.Family, list []pathPart, first map[classKey]edge.ID) {
	for _, x := range list {
		f, info := x.file, &x.file.IR.Classes[x.c]
		path := f.IR.String(info.Name)
		last := strings.LastIndexByte(path, '.')
		var around []edge.ID // where the path may begin
		for c := info.Outer; c != 0; c = f.IR.Classes[c].Outer {
			around = append(around, g.Canonical(f, c))
		}
		outer := edge.ID(0)
		for _, at := range append(around, f.Pkg) {
			outer = at
			for _, segment := range strings.Split(path[:last], ".") {
				if outer = first[classKey{outer: outer, name: g.Names.Intern(segment)}]; outer == 0 {
					break
				}
				outer = g.CanonicalID(outer)
			}
			if outer != 0 {
				break
			}
		}
		if outer == 0 {
			continue
		}
		own := g.Names.Intern(path[last+1:])
		at := classKey{outer: outer, name: own}
		id := f.Classes[x.c]
		if main, ok := first[at]; ok {
			g.PartOf[id] = main
			continue
		}
		first[at] = id
		g.Inner[outer] = append(g.Inner[outer], program.Entry{Name: own, Kind: ir.ClassMember, Static: true, Open: true, ID: id, Ref: uint32(x.c)})
	}
}

// memberClasses are the classes of a file that have a name in what they are
// written in.
func memberClasses(f *program.File) []bool {
	named := make([]bool, len(f.IR.Classes))
	mark := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.ClassMember {
				named[m.Ref] = true
			}
		}
	}
	mark(f.IR.Top)
	for c := range f.IR.Classes {
		mark(f.IR.Classes[c].Members)
	}
	return named
}

// mergeParts makes definitions of one name in one container the parts of one class:
// partial classes, reopened ones, forward declarations.
func mergeParts(g *program.Family) {
	g.Inner = map[edge.ID][]program.Entry{}
	var byPath []pathPart
	first := map[classKey]edge.ID{}
	for part := range g.PartOf {
		if k := g.Classes[part]; k != nil && k.Info.Kind != ir.Extends {
			delete(g.PartOf, part)
		}
	}
	for _, p := range g.Paths() {
		f := g.Files[p]
		if !f.Lang.Merges && !f.Lang.MergesInFile {
			continue
		}
		var named []bool
		if f.Lang.PathClasses {
			named = memberClasses(f)
		}
		for c := 1; c < len(f.IR.Classes); c++ {
			info := &f.IR.Classes[c]
			k := g.Classes[f.Classes[c]]
			if named != nil && k != nil {
				if !named[c] {
					continue
				}
				if strings.Contains(f.IR.String(info.Name), ".") {
					byPath = append(byPath, pathPart{f, ir.Class(c)})
					continue
				}
			}
			if k == nil || info.Name == 0 || info.Kind == ir.Extends || info.Kind == ir.Alias || info.Func != 0 {
				continue
			}
			at := classKey{outer: f.ID, name: f.Names[info.Name]}
			if f.Lang.ClassesPerFile {
				at.file = f.ID
			}
			if f.Lang.ByArity {
				at.params = len(info.TypeParams)
			}
			if f.Lang.Merges {
				at.outer = f.Pkg
			}
			if info.Outer != 0 {
				at.outer = g.Canonical(f, info.Outer)
				if f.IR.Classes[info.Outer].Kind == ir.Namespace {
					at.outer = g.SpaceOf(f, info.Outer)
				}
			}
			main, ok := first[at]
			if !ok {
				first[at] = k.ID
				continue
			}
			m := g.Classes[main]
			// The part that has members speaks for the class.
			if len(m.Info.Members) == 0 && len(info.Members) > 0 && len(m.Info.Bases) == 0 {
				g.PartOf[main] = k.ID
				first[at] = k.ID
				continue
			}
			g.PartOf[k.ID] = main
		}
	}
	mergePaths(g, byPath, first)
}

// A classKey is where a class is found by its name.
type classKey struct {
	outer  edge.ID
	name   intern.Name
	file   edge.ID // where files do not share their classes
	params int     // how many type parameters it has, where these tell classes apart
}

func newClass(g *program.Family, f *program.File, c ir.Class) {
	info := &f.IR.Classes[c]
	id := f.Classes[c]
	if info.Kind == ir.Namespace || id == 0 {
		return
	}
	k := &program.Class{ID: id, File: f, Info: info, Params: id}
	g.Classes[id] = k
	g.Entities[id].Class = k
	// What other files have attached to it before stays.
	k.Extra = append(k.Extra, g.Kept[id]...)
	delete(g.Kept, id)
}

// fillBags puts together the members of every class that may have changed: its own,
// those of its parts, and what other places add.
func fillBags(g *program.Family) {
	for _, k := range g.Classes {
		k.Bag.Entries, k.Bag.Sorted = k.Bag.Entries[:0], false
		g.AddOwn(&k.Bag, k)
	}
	for part, main := range g.PartOf {
		p, m := g.Classes[part], g.Classes[main]
		if p == nil || m == nil {
			continue
		}
		if m = g.Classes[g.CanonicalID(main)]; m != nil {
			g.AddOwn(&m.Bag, p)
		}
	}
	for _, k := range g.Classes {
		k.Forget()
	}
}
