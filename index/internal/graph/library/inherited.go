package library

import (
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallInherited calls a name that nothing in the index has: a method of a base outside
// of it, one of all objects, or of what is imported statically.
func CallInherited(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	g := e.Family
	path := intern.Name(0)
	e.Enclosing(func(c1 ir.Class) bool {
		k := g.Classes[g.Canonical(e.File, c1)]
		if k == nil {
			return true
		}
		for _, s := range g.MRO(k) {
			if !s.Class.Foreign {
				continue
			}
			for _, v := range g.Elems(e.ForeignBase(s.Class, c.Name)) {
				if i := g.Values.Info[v]; i.Kind == pointsto.External && path == 0 {
					path = intern.Name(i.ID)
				}
			}
		}
		return path == 0
	})
	if path == 0 {
		if only := onlyStar(e); only != "" {
			path = g.Names.Intern(only + "." + g.Names.Text[c.Name])
		}
	}
	if path == 0 {
		e.Enclosing(func(c1 ir.Class) bool {
			if k := g.Classes[g.Canonical(e.File, c1)]; k != nil && path == 0 {
				if p, _, ok := e.Lang.Universal(e, k, 0, c.Name); ok {
					path = g.Names.Intern(p)
				}
			}
			return path == 0
		})
	}
	if path == 0 {
		return 0, false
	}
	c.External = path
	return e.Outside(c, 0), true
}

// onlyStar is the class outside the index whose static members the file imports all
// of, if there is just one.
func onlyStar(e *eval.Evaluator) string {
	only := ""
	for i := 1; i < len(e.File.IR.Imports); i++ {
		info := &e.File.IR.Imports[i]
		if info.Flags&ir.StaticName == 0 || e.File.IR.String(info.Name) != "*" || len(e.File.Targets[i].In) > 0 {
			continue
		}
		if only != "" {
			return ""
		}
		only = e.File.IR.String(info.Module)
	}
	return only
}
