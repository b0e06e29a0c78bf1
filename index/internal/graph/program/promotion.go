package program

import (
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// mroByDepth is the order of lookup by depth of embedding: the class, what it
// embeds, what that embeds, and so on.
func (g *Family) mroByDepth(c *Class) []Ancestor {
	mro := []Ancestor{{Class: c, As: g.Self(c, pointsto.Decl)}}
	for n := 0; n < len(mro); n++ {
		s := mro[n]
		for _, b := range s.Class.Bases {
			for _, v := range g.Values.Elems(b.Values) {
				base := g.ClassOf(v)
				if base == nil || InMRO(mro, base) {
					continue
				}
				next := Ancestor{Class: base, Via: s.Via}
				next.As = g.SubstValue(v, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(s.As, s.Class, p) })
				if base.Abstract() && !s.Class.Abstract() {
					if list := g.Declared(s.Class, g.Entities[base.ID].Name); len(list) == 1 && list[0].Kind == ir.VarMember {
						next.Via = &Via{list[0], s}
					}
				}
				mro = append(mro, next)
			}
		}
	}
	return mro
}

// A Via is the embedded field through which an interface's methods are promoted:
// they are called on what it holds.
type Via struct {
	Field Entry
	Owner Ancestor // the struct that has the field
}
