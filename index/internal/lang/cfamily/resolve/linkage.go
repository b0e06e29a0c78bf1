package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// linkage is what the files of C and C++ see of each other. It is made as it is
// asked for.
type linkage struct {
	reach map[edge.ID]map[edge.ID]bool // the files that a file includes, directly or not
	kept  int                          // entries in reach
	using map[edge.ID][]edge.ID        // the namespaces that a file brings whole
	// direct are the files that include a file directly.
	direct map[edge.ID][]*program.File
}

// maxReach bounds the entries of linkage.reach.
const maxReach = 1 << 20

// included returns the files that a file sees, itself included.
func (l *linkage) included(g *program.Family, f *program.File) map[edge.ID]bool {
	if seen, ok := l.reach[f.ID]; ok {
		return seen
	}
	seen := map[edge.ID]bool{f.ID: true}
	for todo := []*program.File{f}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := 1; i < len(at.Targets); i++ {
			if at.IR.Imports[i].Flags&ir.Include == 0 {
				continue
			}
			for _, to := range at.Targets[i].In {
				if next := g.Entities[to].File; next != nil && !seen[to] {
					seen[to] = true
					todo = append(todo, next)
				}
			}
		}
	}
	if l.kept += len(seen); l.kept > maxReach || l.reach == nil {
		l.reach, l.kept = map[edge.ID]map[edge.ID]bool{}, len(seen)
	}
	l.reach[f.ID] = seen
	return seen
}

// together leaves of definitions that only files see which include them those of files that
// another one includes with this one: a header may use what is included before it.
func (l *linkage) together(g *program.Family, f *program.File, list []program.Entry) (out []program.Entry) {
	above := l.including(g, f)
	for _, m := range list {
		at := fileOf(m, g)
		if slices.ContainsFunc(above, func(o *program.File) bool { return l.included(g, o)[at] }) {
			out = append(out, m)
		}
	}
	return out
}

// including returns the files that include a file, directly or not.
func (l *linkage) including(g *program.Family, f *program.File) (list []*program.File) {
	if l.direct == nil {
		l.direct = map[edge.ID][]*program.File{}
		for _, o := range g.Files {
			for i := 1; i < len(o.Targets); i++ {
				if o.IR.Imports[i].Flags&ir.Include != 0 {
					for _, to := range o.Targets[i].In {
						l.direct[to] = append(l.direct[to], o)
					}
				}
			}
		}
	}
	seen := map[edge.ID]bool{f.ID: true}
	for todo := []edge.ID{f.ID}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, o := range l.direct[at] {
			if !seen[o.ID] {
				seen[o.ID] = true
				list, todo = append(list, o), append(todo, o.ID)
			}
		}
	}
	return list
}

// near leaves of definitions those that declarations mean: in files that include
// one of the declaring ones, with the name of one, in the same folder. A rule that
// none passes is skipped.
func (l *linkage) near(g *program.Family, f *program.File, declared, list []program.Entry) []program.Entry {
	keep := func(ok func(o *program.File) bool) {
		var out []program.Entry
		for _, m := range list {
			if o := g.Entities[m.ID].File; o != nil && ok(o) {
				out = append(out, m)
			}
		}
		if len(out) > 0 {
			list = out
		}
	}
	if len(list) > 1 && len(declared) > 0 {
		keep(func(o *program.File) bool {
			reach := l.included(g, o)
			return slices.ContainsFunc(declared, func(d program.Entry) bool { return reach[fileOf(d, g)] })
		})
	}
	if len(list) > 1 && len(declared) > 0 {
		keep(func(o *program.File) bool {
			return slices.ContainsFunc(declared, func(d program.Entry) bool {
				h := g.Entities[d.ID].File
				return h != nil && stem(h.Path) == stem(o.Path)
			})
		})
	}
	if len(list) > 1 {
		keep(func(o *program.File) bool { return o.Dir == f.Dir })
	}
	return list
}

func stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

// usingIn returns the namespaces that a file, or one that it includes, brings whole.
func (l *linkage) usingIn(g *program.Family, f *program.File) []edge.ID {
	if list, ok := l.using[f.ID]; ok {
		return list
	}
	var list []edge.ID
	for id := range l.included(g, f) {
		o := g.Entities[id].File
		for i := 1; i < len(o.Targets); i++ {
			if info := &o.IR.Imports[i]; info.Flags&ir.Include == 0 && o.IR.String(info.Name) == "*" {
				list = append(list, o.Targets[i].In...)
			}
		}
	}
	slices.SortFunc(list, g.Compare)
	list = slices.Compact(list)
	if l.using == nil {
		l.using = map[edge.ID][]edge.ID{}
	}
	l.using[f.ID] = list
	return list
}
