package library

import (
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// HandOut makes edges to the classes whose instances, or which as arguments for types, a call
// hands to something outside the index, which may call any method of them.
func HandOut(e *eval.Evaluator, c *eval.Call) {
	for _, a := range c.Args {
		held := a.Value
		if x := &e.File.IR.Exprs[a.X]; held == 0 && x.Op == ir.Local {
			held = e.File.VarTypes[x.Ref]
		}
		handOut(e, held)
	}
	for _, typ := range c.Explicit {
		handOut(e, typ)
	}
}

func handOut(e *eval.Evaluator, s pointsto.Set) {
	g := e.Family
	for _, v := range g.Elems(s) {
		if k := g.Values.Info[v].Kind; k != pointsto.Inst && k != pointsto.Decl {
			continue
		}
		if k := g.ClassOf(v); k != nil && k.Info.Kind != ir.Interface && k.Info.Kind != ir.Enum {
			e.Handed(k.ID)
		}
	}
}
