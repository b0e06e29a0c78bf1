package program

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// FewOverrides is how many overrides a call is written out to. A call of a method
// with more is kept as one edge to the method itself, and a query makes the others of
// it: in Go's own distribution half of all edges would be those of a handful of
// methods (Write, Error, String) that hundreds of types have.
const FewOverrides = 2

// A Dispatch is a call of a method of a class by its hierarchy.
type Dispatch struct {
	Class, Method edge.ID
	AnyCount      bool // methods of other numbers of parameters override, too
}

// DispatchNumber numbers a dispatch, so that an edge needs four bytes for it.
func (g *Family) DispatchNumber(d Dispatch) uint32 {
	n, ok := g.DispatchAt[d]
	if !ok {
		n = uint32(len(g.Dispatches))
		g.Dispatches = append(g.Dispatches, d)
		g.DispatchAt[d] = n
	}
	return n
}

// Overrides are the members of classes below that run in place of a method.
func (g *Family) Overrides(d Dispatch) []Entry {
	if list, ok := g.Overriding[d]; ok {
		return list
	}
	k, fn := g.Classes[d.Class], g.Func(d.Method)
	if k == nil || fn == nil {
		return nil
	}
	n := g.Entities[d.Method].Name
	var out []Entry
	seen := map[edge.ID]bool{}
	for _, id := range g.BelowOf(k) {
		sub := g.Classes[id]
		if sub == nil {
			continue
		}
		list, at := g.Member(sub, n)
		if at < 0 {
			continue
		}
		if sub.File.Lang.Overloads {
			list = g.overriding(sub, n, at, d.Method, k.Info.Kind == ir.Interface)
		}
		if len(list) > 1 && sub.File.Lang.OverridesByType {
			list = g.sameParams(list, fn, g.Entities[d.Method].File)
		}
		for _, o := range list {
			of := g.Func(o.ID)
			if o.Kind != ir.FuncMember || o.ID == d.Method || of == nil || of.Flags&(ir.Abstract|ir.Prototype) != 0 || (of.Flags^fn.Flags)&ir.Static != 0 {
				continue
			}
			if len(list) > 1 && len(of.Params) != len(fn.Params) && !d.AnyCount {
				continue
			}
			if !seen[o.ID] {
				seen[o.ID] = true
				out = append(out, o)
			}
		}
	}
	g.Overriding[d] = out
	return out
}

// overriding are the members of a name that may override a method, of the first class that
// has some from a place in the MRO on. What has other parameters is no override where
// functions of one name are told apart by them; what is found through an interface alone is
// none but there.
func (g *Family) overriding(c *Class, n intern.Name, from int, method edge.ID, through bool) []Entry {
	for _, s := range g.MRO(c)[from:] {
		list := g.Declared(s.Class, n)
		if through {
			list = g.allDeclared(s.Class, n)
		}
		if g.Demanded(s.Class, list) {
			continue
		}
		var out []Entry
		for _, m := range list {
			if !g.SignaturesDiffer(m.ID, method) {
				out = append(out, m)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// OverloadsAbove adds to the methods of a class those that it inherits and does not override,
// where these are not hidden; rest is what follows in the MRO. at says for each that is added
// from where it comes.
func (g *Family) OverloadsAbove(list []Entry, rest []Ancestor, static bool) (all []Entry, at map[edge.ID]*Ancestor) {
	if f := g.Entities[list[0].ID].File; f == nil || !f.Lang.InheritsOverloads {
		return list, nil
	}
	all = list
	for i := range rest {
		for _, m := range g.Declared(rest[i].Class, list[0].Name) {
			fn := g.Func(m.ID)
			if m.Kind != ir.FuncMember || fn == nil || fn.Flags&(ir.Private|ir.Extension|ir.Getter) != 0 || static && !m.Static && fn.Flags&ir.Static == 0 {
				continue
			}
			if slices.ContainsFunc(all, func(o Entry) bool { return !g.SignaturesDiffer(o.ID, m.ID) }) {
				continue
			}
			if at == nil {
				at = map[edge.ID]*Ancestor{}
			}
			all, at[m.ID] = append(slices.Clip(all), m), &rest[i]
		}
	}
	return all, at
}

// AddOthers adds to functions others that do not declare the first n parameters as one of
// them does.
func (g *Family) AddOthers(list, others []Entry, n int) []Entry {
	own := list
	for _, m := range others {
		fn, f := g.Func(m.ID), g.Entities[m.ID].File
		same := func(o Entry) bool {
			of, in := g.Func(o.ID), g.Entities[o.ID].File
			for i := range n {
				if i >= len(fn.Params) || i >= len(of.Params) || fn.Params[i].Kind == ir.Variadic || f.VarTypes[fn.Params[i].Var] != in.VarTypes[of.Params[i].Var] {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(own, same) {
			list = append(slices.Clip(list), m)
		}
	}
	return list
}

// Variants reports whether functions of one name are for different builds, of which each has
// one: they lie in different files.
func (g *Family) Variants(list []Entry) bool {
	for i, m := range list {
		for _, o := range list[:i] {
			if g.Entities[m.ID].File == g.Entities[o.ID].File {
				return false
			}
		}
	}
	return true
}

// SideOf leaves of the members of a class those of its instances, or its own, where a
// language tells them apart.
func (g *Family) SideOf(l *Lang, list []Entry, static bool) []Entry {
	if !l.SplitsStatic {
		return list
	}
	other := func(m Entry) bool { return m.Static != static }
	if !slices.ContainsFunc(list, other) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), other)
}

// SignaturesDiffer reports whether two methods of one name surely differ in their parameters, so that
// neither overrides the other.
func (g *Family) SignaturesDiffer(a, b edge.ID) bool {
	fa, fb := g.Func(a), g.Func(b)
	if fa == nil || fb == nil {
		return false
	}
	if len(fa.Params) != len(fb.Params) {
		return true
	}
	in, other := g.Entities[a].File, g.Entities[b].File
	if !in.Lang.OverridesByType || !other.Lang.OverridesByType {
		return false
	}
	for i := range fa.Params {
		if g.otherType(in.VarTypes[fa.Params[i].Var], other.VarTypes[fb.Params[i].Var]) {
			return true
		}
	}
	return false
}

// otherType reports whether two declared types surely are not the same: none is a type
// parameter, another name for a type, or not known.
func (g *Family) otherType(a, b pointsto.Set) bool {
	x, y := g.Values.Elems(a), g.Values.Elems(b)
	if len(x) != 1 || len(y) != 1 || x[0] == y[0] {
		return false
	}
	word, ok := g.typeWord(x[0])
	other, okToo := g.typeWord(y[0])
	if k, o := g.ClassOf(x[0]), g.ClassOf(y[0]); k != nil && o != nil {
		return ok && okToo && k != o
	}
	return ok && okToo && SameWord(word, other) < 2
}

// typeWord is the last part of the name of a declared type.
func (g *Family) typeWord(v pointsto.Value) (string, bool) {
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Inst, pointsto.Decl:
		k := g.ClassOf(v)
		if k == nil || k.Target != 0 {
			return "", false
		}
		return g.Names.Text[g.Entities[k.ID].Name], true
	case pointsto.External, pointsto.Generic:
		text := g.Names.Text[i.ID]
		return text[strings.LastIndexByte(text, '.')+1:], true
	}
	return "", false
}

// Expand calls yield for an edge, or for those to the overrides that it stands for.
func (g *Family) Expand(e edge.Edge, yield func(edge.Edge) bool) bool {
	if e.Via == 0 {
		return yield(e)
	}
	list := g.Overriding[g.Dispatches[e.Via]]
	e.Via = 0
	for _, o := range list {
		e.To = o.ID
		if !yield(e) {
			return false
		}
	}
	return true
}

// FindOverridden makes the index from overrides to the calls that may run them. All
// that queries need of overrides is computed here: they must not change anything.
func (g *Family) FindOverridden() {
	g.Overridden = map[edge.ID][]Dispatch{}
	used := map[Dispatch]bool{}
	for _, u := range g.Units {
		if u == nil {
			continue
		}
		for i := range u.Edges {
			d := g.Dispatches[u.Edges[i].Via]
			if u.Edges[i].Via != 0 && !used[d] {
				used[d] = true
				for _, o := range g.Overrides(d) {
					g.Overridden[o.ID] = append(g.Overridden[o.ID], d)
				}
			}
		}
	}
	for d := range g.Overriding {
		if !used[d] {
			delete(g.Overriding, d)
		}
	}
	for _, list := range g.Overridden {
		slices.SortFunc(list, g.CompareDispatches)
	}
}

// CompareDispatches orders dispatches by path and place.
func (g *Family) CompareDispatches(a, b Dispatch) int {
	if c := g.Compare(a.Method, b.Method); c != 0 {
		return c
	}
	if c := g.Compare(a.Class, b.Class); c != 0 || a.AnyCount == b.AnyCount {
		return c
	}
	if b.AnyCount {
		return -1
	}
	return 1
}

// sameParams leaves of overloads of one name those that declare the same types of
// parameters as a method above them, if there are any.
func (g *Family) sameParams(list []Entry, above *ir.FuncInfo, in *File) []Entry {
	var same []Entry
	for _, m := range list {
		fn := g.Func(m.ID)
		if fn == nil || len(fn.Params) != len(above.Params) {
			continue
		}
		f, equal := g.Entities[m.ID].File, true
		for i := range fn.Params {
			equal = equal && f.VarTypes[fn.Params[i].Var] == in.VarTypes[above.Params[i].Var]
		}
		if equal {
			same = append(same, m)
		}
	}
	if len(same) == 0 {
		return list
	}
	return same
}

// WithoutExtensions leaves out the methods that are written outside of a class:
// its own come first.
func WithoutExtensions(g *Family, list []Entry) []Entry {
	var own []Entry
	for _, m := range list {
		if fn := g.Func(m.ID); fn == nil || fn.Flags&ir.Extension == 0 {
			own = append(own, m)
		}
	}
	return own
}

// VariableSpare is what SpareParams says of a function that takes a variable number.
const VariableSpare = 1 << 9

// SpareParams is the number of parameters that n arguments leave to their
// defaults; more than any for a function that takes a variable number.
func SpareParams(fn *ir.FuncInfo, n int) int {
	for _, p := range fn.Params {
		if p.Kind == ir.Variadic {
			return VariableSpare
		}
	}
	return max(0, len(fn.Params)-n)
}

// ClassAround returns the class that a function is a method of, directly or by the
// functions around it, or 0.
func ClassAround(f *ir.File, fn ir.Func) ir.Class {
	for range MaxNesting {
		if fn == 0 {
			break
		}
		if c := f.Funcs[fn].Class; c != 0 {
			return c
		}
		fn = f.Funcs[fn].Outer
	}
	return 0
}

// ContainsEntry reports whether a node is among some members.
func ContainsEntry(list []Entry, id edge.ID) bool {
	for _, e := range list {
		if e.ID == id {
			return true
		}
	}
	return false
}

// ExportedOnly leaves out what a module keeps to itself.
func ExportedOnly(list []Entry) []Entry {
	var out []Entry
	for _, m := range list {
		if m.Open {
			out = append(out, m)
		}
	}
	return out
}

// WithoutImports leaves out what other files import: that is theirs alone.
func WithoutImports(f *File, list []Entry) []Entry {
	out := list[:0:0]
	for _, m := range list {
		if m.Kind != ir.ImportMember || f != nil && m.ID == f.ID {
			out = append(out, m)
		}
	}
	return out
}
