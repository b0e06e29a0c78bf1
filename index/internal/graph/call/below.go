package call

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Callable reports whether one of the members of a class is meant by a call rather
// than those of its bases: one that takes the arguments, and is no extension.
func Callable(g *program.Family, list []program.Entry, args []Argument) bool {
	for _, m := range list {
		fn := g.Func(m.ID)
		if fn == nil || fn.Flags&ir.Getter != 0 || fn.Flags&ir.Extension == 0 && Takes(fn, args) {
			return true
		}
	}
	return false
}

// OrBelow adds what may run in the place of a method.
func (c *Call) OrBelow(g *program.Family, via program.Dispatch) {
	impls := g.Overrides(via)
	if len(impls) > program.FewOverrides {
		c.via = append(c.via, via)
		return
	}
	for _, o := range impls {
		c.Add(o.ID, edge.ByHierarchy, true)
	}
}

// BoundBelow is OrBelow of a method that was taken as a value from what may be an instance
// of a class below.
func (c *Call) BoundBelow(fr *frame.Frame, id edge.ID, fn *ir.FuncInfo, recv pointsto.Value) {
	k := fr.Family.ClassOf(recv)
	if k == nil || fr.Family.Values.Info[recv].Kind != pointsto.Decl || fn.Class == 0 || fn.Flags&(ir.Private|ir.Static|ir.Abstract) != 0 {
		return
	}
	if !k.File.Lang.VirtualOnly || fr.Family.IsVirtual(k, fr.Family.Entities[id].Name) {
		c.OrBelow(fr.Family, program.Dispatch{Class: k.ID, Method: id, AnyCount: fr.File.Lang.AnyCount})
	}
}
