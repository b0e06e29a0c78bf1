package solver

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
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
