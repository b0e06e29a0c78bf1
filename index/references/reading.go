package references

import (
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
)

// A reading is what the call graph and the lowered file have at places of one file.
type reading struct {
	edges  map[ir.Pos][]graph.Edge
	sites  map[ir.Pos][]graph.Site
	exprs  map[ir.Pos][]ir.Expr // names, and what ends in one
	locals map[string][]span    // the functions that have a variable of a name
}

// readingOf reads a file at some places, and for variables of some names; nil: all. f is nil
// where there is none.
func readingOf(g *graph.Graph, path string, f *ir.File, at map[ir.Pos]bool, named *mention.Names) reading {
	r := reading{map[ir.Pos][]graph.Edge{}, map[ir.Pos][]graph.Site{}, map[ir.Pos][]ir.Expr{}, map[string][]span{}}
	g.CallsIn(path, func(e graph.Edge) bool {
		if (at == nil || at[e.Pos]) && e.Kind != graph.Imports && !e.Hands() {
			r.edges[e.Pos] = append(r.edges[e.Pos], e)
		}
		return true
	}, func(s graph.Site) bool {
		if at == nil || at[s.Pos] {
			r.sites[s.Pos] = append(r.sites[s.Pos], s)
		}
		return true
	})
	if f == nil {
		return r
	}
	for i := 1; i < len(f.Exprs); i++ {
		switch e := &f.Exprs[i]; e.Op {
		case ir.Local, ir.Name, ir.Attr, ir.Imported:
			if at == nil || at[e.Pos] {
				r.exprs[e.Pos] = append(r.exprs[e.Pos], ir.Expr(i))
			}
		}
	}
	for i := 1; i < len(f.Vars); i++ {
		v := &f.Vars[i]
		if name := f.String(v.Name); v.Func > 1 && name != "" && (named == nil || named.Has(name)) {
			fn := &f.Funcs[v.Func]
			r.locals[name] = append(r.locals[name], span{int(fn.Start), int(fn.End)})
		}
	}
	return r
}
