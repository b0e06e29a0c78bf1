package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Class is what the solver knows of a class: its members, those that other places
// add to it included, and where it stands in the hierarchy.
type Class struct {
	ID      edge.ID
	File    *File
	Info    *ir.ClassInfo
	Params  edge.ID      // the node whose type parameters the members speak of
	Bag     Bag          // its own members, those of its parts, and extra
	Extra   []Entry      // what other places add: methods written outside of it
	Own     []BaseOf     // as the class itself is written
	Bases   []BaseOf     // those of its parts, too
	Subs    []edge.ID    // classes that name this one as a base, in order
	Foreign bool         // a base is outside the index, or not known
	Asked   []Asked      // the methods of its bases that are interfaces outside the index
	Unknown bool         // a base is outside the index, and its methods are not known
	Target  pointsto.Set // of Alias and Named

	mro      []Ancestor // the class and what it inherits from, in the order of lookup
	mroWhole bool       // mro does not depend on where it was begun
	below    []edge.ID  // all below it, structural implementations included
	hasBelow bool
}

// Asked is a method that an interface outside the index has.
type Asked struct {
	Name intern.Name
	Arity
}

// BaseOf is a base as evaluated.
type BaseOf struct {
	Kind   ir.BaseKind
	Values pointsto.Set
}

// Abstract reports whether there are no instances of the class alone.
func (c *Class) Abstract() bool { return c.Info.Kind == ir.Interface || c.Info.Kind == ir.Trait }

// Self returns the value of an instance of the class as its own members see it.
func (g *Family) Self(c *Class, kind pointsto.Kind) pointsto.Value {
	args := make([]pointsto.Set, len(c.Info.TypeParams))
	for i := range args {
		args[i] = g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Param, ID: uint32(c.ID), Base: pointsto.Value(i)}))
	}
	return g.Values.Typed(pointsto.Info{Kind: kind, ID: uint32(c.ID)}, args)
}

// ClassOf returns the class that a value is one of or is itself, aliases followed,
// or nil.
func (g *Family) ClassOf(v pointsto.Value) *Class {
	i := &g.Values.Info[v]
	switch i.Kind {
	case pointsto.Class, pointsto.Inst, pointsto.Decl:
		return g.Entities[i.ID].Class
	}
	return nil
}

// ClassesOf returns the classes that are among some values themselves.
func (g *Family) ClassesOf(s pointsto.Set) (all []*Class) {
	for _, v := range g.Elems(s) {
		if c := g.ClassOf(v); c != nil && g.Values.Info[v].Kind == pointsto.Class {
			all = append(all, c)
		}
	}
	return all
}

// SelfValue is the receiver in the methods of a class.
func SelfValue(g *Family, c *Class) pointsto.Value {
	if c.Info.Kind == ir.Singleton || c.File.Lang.Exact && !c.Abstract() {
		return g.Self(c, pointsto.Inst)
	}
	return g.Self(c, pointsto.Decl)
}

// ArgOf gives the type argument that a value of the class has for a parameter.
func (g *Family) ArgOf(v pointsto.Value, c *Class, p pointsto.Info) (pointsto.Set, bool) {
	if edge.ID(p.ID) != c.ID {
		return 0, false
	}
	s := g.Values.Arg(v, int(p.Base))
	return s, s != 0
}

// Declared finds the members of a name that a class has itself, the first of them.
// Those that are found through an interface alone are left out where there are others.
func (g *Family) Declared(c *Class, n intern.Name) []Entry {
	list := g.allDeclared(c, n)
	if len(list) < 2 || !slices.ContainsFunc(list, g.isExplicit) {
		return list
	}
	if own := slices.DeleteFunc(slices.Clone(list), g.isExplicit); len(own) > 0 {
		return own
	}
	return list
}

func (g *Family) isExplicit(m Entry) bool {
	fn := g.Func(m.ID)
	return m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Explicit != 0
}

// allDeclared are the members of a name that a class has itself, also through interfaces.
func (g *Family) allDeclared(c *Class, n intern.Name) []Entry {
	list := g.Find(&c.Bag, n)
	return list[:min(len(list), MaxSame)]
}

// Member finds the entries of a name in a class and what it inherits from. at is
// where in the MRO they are.
func (g *Family) Member(c *Class, n intern.Name) (found []Entry, at int) {
	at = -1
	for i, s := range g.MRO(c) {
		list := g.Declared(s.Class, n)
		if len(list) == 0 {
			continue
		}
		if !g.Demanded(s.Class, list) {
			return list, i
		}
		if at < 0 {
			found, at = list, i
		}
	}
	return found, at
}

// Demanded reports whether the members of a trait are methods that it only asks for:
// what the class inherits otherwise is meant.
func (g *Family) Demanded(c *Class, list []Entry) bool {
	if c.Info.Kind != ir.Trait {
		return false
	}
	for _, m := range list {
		if fn := g.Func(m.ID); fn == nil || fn.Flags&ir.Abstract == 0 {
			return false
		}
	}
	return true
}

// IsAbove reports whether a class is another one or inherits from it, or satisfies
// it by its methods.
func (g *Family) IsAbove(up, c *Class) bool {
	if InMRO(g.MRO(c), up) {
		return true
	}
	return up.File.Lang.Structural && up.Info.Kind == ir.Interface && g.satisfies(c, up)
}

// maxLevels is how far below a class others are looked for. People write some ten levels;
// of ten thousand, each below the one before, all pairs would be fifty million.
const maxLevels = 128

// BelowOf returns all classes below one, in order of path and place: what inherits
// from it, and what has its methods where the language asks no more.
func (g *Family) BelowOf(c *Class) []edge.ID {
	if c.hasBelow {
		return c.below
	}
	c.hasBelow = true
	seen := map[edge.ID]bool{c.ID: true}
	var all []edge.ID
	level := []*Class{c}
	for n := 0; n < maxLevels && len(level) > 0; n++ {
		var next []*Class
		for _, c := range level {
			for _, id := range c.Subs {
				if sub := g.Classes[id]; sub != nil && !seen[id] {
					seen[id] = true
					all, next = append(all, id), append(next, sub)
				}
			}
		}
		level = next
	}
	if c.File.Lang.Structural && c.Info.Kind == ir.Interface {
		for _, id := range g.implementers(c) {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	slices.SortFunc(all, g.Compare)
	c.below = all
	return all
}

// MethodsOf returns the names of the methods of an interface, inherited ones
// included, sorted. ok is false when a base of it is not known.
func (g *Family) MethodsOf(c *Class) (list []intern.Name, ok bool) {
	ok = true
	for _, s := range g.MRO(c) {
		ok = ok && !s.Class.Unknown
		for _, m := range s.Class.Asked {
			list = append(list, m.Name)
		}
		for _, e := range s.Class.Bag.Entries {
			if e.Kind == ir.FuncMember {
				list = append(list, e.Name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), ok
}

// satisfies reports whether a type has all methods of an interface.
func (g *Family) satisfies(c, up *Class) bool {
	if c.Info.Kind == ir.Interface || c.File.Lang.Family != up.File.Lang.Family {
		return false
	}
	list, ok := g.MethodsOf(up)
	if !ok || len(list) == 0 {
		return false
	}
	for _, n := range list {
		have, ok := g.arity(c, n)
		if !ok {
			return false
		}
		want, ok := g.arity(up, n)
		switch {
		case !ok || have.Params < 0 || want.Params < 0:
		case have != want || g.takesOther(c, up, n):
			return false
		}
	}
	return true
}

// takesOther reports whether the methods of a name that two classes have, with as many parameters, take
// instances of different types of the index.
func (g *Family) takesOther(c, up *Class, n intern.Name) bool {
	a, at := g.Member(c, n)
	b, of := g.Member(up, n)
	if at < 0 || of < 0 {
		return false
	}
	fa, fb := g.Func(a[0].ID), g.Func(b[0].ID)
	if fa == nil || fb == nil {
		return false
	}
	in, other := g.Entities[a[0].ID].File, g.Entities[b[0].ID].File
	for i := range fa.Params {
		x, y := g.Elems(in.VarTypes[fa.Params[i].Var]), g.Elems(other.VarTypes[fb.Params[i].Var])
		if len(x) != 1 || len(y) != 1 {
			continue
		}
		if k, o := g.ClassOf(x[0]), g.ClassOf(y[0]); k != nil && o != nil && k != o && k.Target == 0 && o.Target == 0 {
			return true
		}
	}
	return false
}

// arity returns how many parameters and results the method of a name has that a class has, or an
// interface outside the index that it names as a base; -1 where that is not known.
func (g *Family) arity(c *Class, n intern.Name) (a Arity, ok bool) {
	if found, at := g.Member(c, n); at >= 0 {
		a = Arity{-1, -1}
		if fn := g.Func(found[0].ID); fn != nil {
			a = Arity{len(fn.Params), len(fn.Results)}
		}
		return a, found[0].Kind == ir.FuncMember
	}
	for _, s := range g.MRO(c) {
		for _, m := range s.Class.Asked {
			if m.Name == n {
				return m.Arity, true
			}
		}
	}
	return a, false
}

// mayHave reports whether a class may have the methods of an interface which those of an interface
// outside the index are among: what it inherits from outside may have these.
func (g *Family) mayHave(c, up *Class) bool {
	inside, outside := true, false
	list, _ := g.MethodsOf(up)
	for _, n := range list {
		if _, ok := g.arity(c, n); !ok {
			_, at := g.Member(up, n)
			inside = inside && at < 0
		}
	}
	for _, s := range g.MRO(c) {
		outside = outside || s.Class.Unknown
	}
	return inside && outside
}

// implementers returns the types that have the methods of an interface. They are
// looked for among those that have its rarest method.
func (g *Family) implementers(c *Class) []edge.ID {
	list, ok := g.MethodsOf(c)
	if !ok || len(list) == 0 {
		return nil
	}
	rarest := list[0]
	for _, n := range list[1:] {
		if len(g.Methods[n]) < len(g.Methods[rarest]) {
			rarest = n
		}
	}
	var out []edge.ID
	seen := map[edge.ID]bool{}
	var consider func(id edge.ID)
	consider = func(id edge.ID) {
		k := g.Classes[id]
		if k == nil || seen[id] {
			return
		}
		seen[id] = true
		if g.satisfies(k, c) {
			out = append(out, id)
		}
		for _, sub := range k.Subs { // types that embed it have the method, too
			consider(sub)
		}
	}
	for _, id := range g.Methods[rarest] {
		consider(id)
	}
	slices.SortFunc(out, g.Compare)
	return out
}

// IsVirtual reports whether a method of a class is virtual, in it or in a base.
func (g *Family) IsVirtual(c *Class, n intern.Name) bool {
	for _, s := range g.MRO(c) {
		for _, m := range g.Declared(s.Class, n) {
			if fn := g.Func(m.ID); fn != nil && fn.Flags&(ir.Virtual|ir.Abstract) != 0 {
				return true
			}
		}
	}
	return false
}

// IsSignature reports whether a function is declared without a body.
func IsSignature(fn *ir.FuncInfo) bool { return fn.Flags&(ir.Prototype|ir.Abstract) != 0 }

// ConstructorsIn are the constructors that a class itself has.
func (g *Family) ConstructorsIn(k *Class) []Entry {
	var out []Entry
	for _, n := range k.File.Lang.Constructors {
		id := g.Names.Intern(n)
		if n == "" {
			id = g.Entities[k.ID].Name
		}
		for _, m := range g.Declared(k, id) {
			if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && (n != "" || fn.Flags&ir.Constructor != 0) {
				out = append(out, m)
			}
		}
	}
	return out
}

// DefinitionOf finds what a prototype declares.
func (g *Family) DefinitionOf(id edge.ID) edge.ID {
	at := &g.Entities[id]
	if at.File == nil || at.File.Pkg == 0 {
		return 0
	}
	b := g.Bag(at.File.Pkg)
	if at.Outer != at.File.ID {
		c := g.Classes[g.CanonicalID(at.Outer)]
		if c == nil {
			return 0
		}
		b = &c.Bag
	}
	for _, m := range g.Find(b, at.Name) {
		if fn := g.Func(m.ID); fn != nil && fn.Flags&ir.Prototype == 0 && len(fn.Params) == len(g.Func(id).Params) {
			return m.ID
		}
	}
	return 0
}
