package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A pathPart is a class that is written by its path: class A::B.
type pathPart struct {
	file *file
	c    ir.Class
}

// mergePaths puts classes that are written by their paths where their paths lead.
func (g *family) mergePaths(list []pathPart, first map[place]ID) {
	for _, x := range list {
		f, info := x.file, &x.file.ir.Classes[x.c]
		path := f.ir.String(info.Name)
		last := strings.LastIndexByte(path, '.')
		var around []ID // where the path may begin
		for c := info.Outer; c != 0; c = f.ir.Classes[c].Outer {
			around = append(around, g.canonical(f, c))
		}
		outer := ID(0)
		for _, at := range append(around, f.pkg) {
			outer = at
			for _, segment := range strings.Split(path[:last], ".") {
				if outer = first[place{outer: outer, name: g.names.intern(segment)}]; outer == 0 {
					break
				}
				outer = g.canonicalID(outer)
			}
			if outer != 0 {
				break
			}
		}
		if outer == 0 {
			continue
		}
		own := g.names.intern(path[last+1:])
		at := place{outer: outer, name: own}
		id := f.classes[x.c]
		if main, ok := first[at]; ok {
			g.partOf[id] = main
			continue
		}
		first[at] = id
		g.inner[outer] = append(g.inner[outer], entry{name: own, kind: ir.ClassMember, static: true, open: true, id: id, ref: uint32(x.c)})
	}
}

// memberClasses are the classes of a file that have a name in what they are
// written in.
func (f *file) memberClasses() []bool {
	named := make([]bool, len(f.ir.Classes))
	mark := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.ClassMember {
				named[m.Ref] = true
			}
		}
	}
	mark(f.ir.Top)
	for c := range f.ir.Classes {
		mark(f.ir.Classes[c].Members)
	}
	return named
}
