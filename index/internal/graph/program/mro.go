package program

import (
	"iter"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// MRO returns the order of lookup of a class: C3 (Barrett and others, "A
// Monotonic Superclass Linearization for Dylan", 1996) where the bases allow it, and
// depth first otherwise.
func (g *Family) MRO(c *Class) []Ancestor {
	if c.mro == nil && c.File.Lang.Promotes {
		c.mro = g.mroByDepth(c)
	}
	if c.mro == nil {
		c.mro, _ = g.linearise(c, map[edge.ID]bool{})
	}
	return c.mro
}

// maxMRO is how many classes a class inherits from at most; further ones are not
// followed. People write some dozens, and MROs of a thousand classes, each below the one
// before, would take as much as a million.
const maxMRO = 512

// linearise returns the MRO of a class. It is whole unless it leads back to itself or to
// one of those that are open; then it depends on where it was begun.
func (g *Family) linearise(c *Class, open map[edge.ID]bool) (mro []Ancestor, whole bool) {
	if c.mroWhole {
		return c.mro, true
	}
	own := Ancestor{Class: c, As: g.Self(c, pointsto.Decl)}
	if open[c.ID] {
		return []Ancestor{own}, false
	}
	whole = true
	open[c.ID] = true
	defer delete(open, c.ID)
	var before, after []Ancestor // the direct bases
	var mros [][]Ancestor
	for _, b := range orderedBases(c) {
		for _, v := range g.Elems(b.Values) {
			base := g.ClassOf(v)
			if base == nil || b.Kind == ir.Meta {
				continue
			}
			above, all := g.linearise(base, open)
			whole = whole && all
			up := make([]Ancestor, 0, len(above))
			for _, s := range above {
				s.As = g.SubstValue(s.As, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(v, base, p) })
				up = append(up, s)
			}
			mros = append(mros, up)
			if b.Kind == ir.Prepend {
				before = append(before, up[0])
			} else {
				after = append(after, up[0])
			}
		}
	}
	mro = []Ancestor{own}
	if len(mros) > 0 {
		mro = inherited(own, mros, before, after)
	}
	if whole && !c.File.Lang.Promotes {
		c.mro, c.mroWhole = mro, true
	}
	return mro, whole
}

// OutsideBases yields the bases outside of the index that the classes of an MRO have, each with the
// class that has it.
func (g *Family) OutsideBases(mro []Ancestor) iter.Seq2[*Ancestor, pointsto.Value] {
	return func(yield func(*Ancestor, pointsto.Value) bool) {
		for i := range mro {
			if !mro[i].Class.Foreign {
				continue
			}
			for _, b := range mro[i].Class.Bases {
				for _, v := range g.Elems(b.Values) {
					if !yield(&mro[i], v) {
						return
					}
				}
			}
		}
	}
}

// inherited puts a class among what it inherits, by the MROs of its bases.
func inherited(own Ancestor, mros [][]Ancestor, before, after []Ancestor) []Ancestor {
	merged, ok := mros[0], true
	if len(mros) > 1 {
		merged, ok = merge(append(slices.Clone(mros), append(slices.Clone(before), after...)))
	}
	if !ok {
		merged = nil
		for _, l := range mros {
			for _, s := range l {
				if !InMRO(merged, s.Class) {
					merged = append(merged, s)
				}
			}
		}
	}
	merged = slices.DeleteFunc(merged, func(s Ancestor) bool { return s.Class == own.Class })
	merged = merged[:min(len(merged), maxMRO)]
	out := make([]Ancestor, 0, len(merged)+1)
	n := 0
	for n < len(merged) && InMRO(before, merged[n].Class) {
		n++
	}
	out = append(out, merged[:n]...)
	out = append(out, own)
	return append(out, merged[n:]...)
}

// orderedBases puts mixins that are written later first, as Ruby and PHP do, then base
// classes, then interfaces.
func orderedBases(c *Class) []BaseOf {
	var out []BaseOf
	for _, kinds := range [...][]ir.BaseKind{{ir.Prepend}, {ir.Mixin}} {
		for _, b := range slices.Backward(c.Bases) {
			if slices.Contains(kinds, b.Kind) {
				out = append(out, b)
			}
		}
	}
	for _, kinds := range [...][]ir.BaseKind{{ir.Extend, ir.Embed}, {ir.Implement}} {
		for _, b := range c.Bases {
			if slices.Contains(kinds, b.Kind) {
				out = append(out, b)
			}
		}
	}
	return out
}

// InMRO reports whether a class is in an MRO.
func InMRO(list []Ancestor, c *Class) bool {
	return slices.ContainsFunc(list, func(s Ancestor) bool { return s.Class == c })
}

// merge is the merge of C3.
func merge(mros [][]Ancestor) (out []Ancestor, ok bool) {
	for {
		mros = slices.DeleteFunc(mros, func(l []Ancestor) bool { return len(l) == 0 })
		if len(mros) == 0 {
			return out, true
		}
		found := false
		for _, l := range mros {
			head := l[0]
			if slices.ContainsFunc(mros, func(m []Ancestor) bool { return InMRO(m[1:], head.Class) }) {
				continue
			}
			out = append(out, head)
			for i, m := range mros {
				if m[0].Class == head.Class {
					mros[i] = m[1:]
				}
			}
			found = true
			break
		}
		if !found {
			return nil, false
		}
	}
}

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

// An Ancestor is a class in an MRO, with its type arguments in terms of
// the parameters of the class at the front.
type Ancestor struct {
	Class *Class
	As    pointsto.Value
	Via   *Via // the embedded field of an interface that it is reached through, or nil
}

// Forget drops what was found out by the bases and members of classes, which change.
func (c *Class) Forget() {
	c.mro, c.mroWhole, c.below, c.hasBelow = nil, false, nil, false
}

// AfterInMRO returns the place behind a class in an order of ancestors, its end if it is not in it.
func AfterInMRO(mro []Ancestor, c *Class) int {
	for i, s := range mro {
		if s.Class == c {
			return i + 1
		}
	}
	return len(mro)
}
