package program

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Open reports whether values flow into a place of the declared types, as a language
// has them: where they say what it is, they do not.
func (g *Family) Open(types pointsto.Set, l *Lang) bool {
	if types == 0 {
		return true
	}
	for _, v := range g.Elems(types) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Decl:
			if c := g.ClassOf(v); c == nil || g.AbstractType(c) || c.Target != 0 {
				return true
			}
		case pointsto.Inst:
			// A type over a function or container is as open as that.
			if c := g.ClassOf(v); c != nil && c.Target != 0 && c.File.Lang.Converts && g.openTarget(c.Target, 0) {
				return true
			}
		case pointsto.External:
			if !l.Typed || !intern.Name(i.ID).Basic() {
				return true
			}
		case pointsto.Param, pointsto.Func, pointsto.Bound:
			return true
		case pointsto.Class: // type[Base] may be a class below Base, which is then made
			if l.Dynamic {
				return true
			}
		case pointsto.Generic:
			if g.IsFunctionType(i) || i.Args == 0 {
				return true
			}
			if _, ok := g.FunctionalOf(i); ok {
				return true
			}
			for _, a := range g.Args(i.Args) {
				if a != 0 && g.Open(a, l) {
					return true
				}
			}
		}
	}
	return false
}

// openTarget is open of what a named type is made of. Numbers and strings hold
// nothing, and types may be made of themselves.
func (g *Family) openTarget(types pointsto.Set, depth int) bool {
	if depth > pointsto.MaxDepth {
		return true
	}
	for _, v := range g.Values.Elems(types) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Decl:
			return true
		case pointsto.Inst:
			if c := g.ClassOf(v); c != nil && c.Target != 0 && g.openTarget(c.Target, depth+1) {
				return true
			}
		case pointsto.Generic:
			if g.IsFunctionType(i) || i.Args == 0 {
				return true
			}
			for _, a := range g.Values.Args(i.Args) {
				if g.openTarget(a, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// Closed reports whether a variable's declared type says all of it.
func (f *File) Closed(g *Family, v ir.Var) bool {
	t := f.VarTypes[v]
	return t != 0 && !g.Open(t, f.Lang)
}

// AbstractType reports whether a class leaves methods to those below it.
func (g *Family) AbstractType(c *Class) bool {
	if c.Abstract() {
		return true
	}
	for _, e := range c.Bag.Entries {
		if e.Kind == ir.FuncMember {
			if fn := g.Func(e.ID); fn != nil && fn.Flags&ir.Abstract != 0 {
				return true
			}
		}
	}
	return false
}

// admitsAny reports whether a value may be an instance of one of some declared types.
func (g *Family) admitsAny(declared pointsto.Set, v pointsto.Value, l *Lang) bool {
	for _, d := range g.Elems(declared) {
		if g.admits(d, v, l) {
			return true
		}
	}
	return false
}

// admits reports whether a value may be an instance of a declared type.
func (g *Family) admits(d, v pointsto.Value, l *Lang) bool {
	di, vi := g.Values.Info[d], g.Values.Info[v]
	up, k := g.ClassOf(d), g.ClassOf(v)
	if l.Assignable {
		return g.assignable(di, vi, up, k)
	}
	switch vi.Kind {
	case pointsto.Inst, pointsto.Decl:
		switch {
		case k == nil || up == k || di.Kind == pointsto.Param:
			return true
		case up != nil:
			// A declared type may hold an instance of one below it, too.
			return g.IsAbove(up, k) || vi.Kind == pointsto.Decl && g.IsAbove(k, up) || vi.Kind == pointsto.Decl && (up.Abstract() || k.Abstract())
		}
		return k.Foreign || di.Kind != pointsto.External && di.Kind != pointsto.Generic || g.IsFunctionType(di) || isRoot(g.Names.Text[di.ID])
	case pointsto.Func, pointsto.Bound:
		return up == nil && g.wordOf(di) == "" || up != nil && g.AbstractType(up)
	case pointsto.External, pointsto.Generic:
		return up == nil
	}
	return true
}

// assignable is admits in Go: the types of interfaces ask for methods, all others for
// the same type. Functions and containers go wherever a named type may be made of them,
// since they go together with values of it.
func (g *Family) assignable(declared, given pointsto.Info, up, k *Class) bool {
	if given.Kind == pointsto.External && intern.Name(given.ID).Basic() {
		return declared.Kind == pointsto.External && declared.ID == given.ID
	}
	switch {
	case declared.Kind == pointsto.Param || given.Kind == pointsto.Param:
		return true
	case declared.Kind == pointsto.External && intern.Name(declared.ID).Basic():
		return false
	case k == nil || k.Target != 0 || k.Info.Kind == ir.Interface:
		return true
	case up != nil && up.Info.Kind == ir.Interface:
		list, whole := g.MethodsOf(up)
		return len(list) == 0 || !whole || g.satisfies(k, up) || g.mayHave(k, up)
	case up != nil:
		return up == k || up.Target != 0
	case declared.Kind == pointsto.External && g.Names.Text[declared.ID] == "error":
		_, at := g.Member(k, g.Names.Intern("Error"))
		return at >= 0 || k.Foreign
	}
	return declared.Kind != pointsto.Generic || declared.Args == 0 || !BuiltinForms[g.Names.Text[declared.ID]]
}

// Admit leaves of values that flow into a place those that can be what the place
// is declared to hold. Without it, what comes out of a container of the library, or
// through Object, would stay all that it may be. It judges each value alone, so that
// it does not matter when a value comes.
func (g *Family) Admit(declared, s pointsto.Set, l *Lang) pointsto.Set {
	if declared == 0 || s == 0 || !l.Typed {
		return s
	}
	key := uint64(declared)<<32 | uint64(s)
	if out, ok := g.Admitted[key]; ok {
		return out
	}
	out := s
	for _, v := range g.Elems(s) {
		if !g.admitsAny(declared, v, l) {
			out = 0
			break
		}
	}
	if out == 0 {
		for _, v := range g.Elems(s) {
			if g.admitsAny(declared, v, l) {
				out = g.Union(out, g.Values.Single(v))
			}
		}
	}
	if len(g.Admitted) > 1<<18 {
		clear(g.Admitted)
	}
	g.Admitted[key] = out
	return out
}

// Narrow is what of some values a type lets through, and the type itself.
func (g *Family) Narrow(s, t pointsto.Set, l *Lang) pointsto.Set {
	out := t
	for _, v := range g.Values.Elems(s) {
		i := g.Values.Info[v]
		c := g.ClassOf(v)
		for _, w := range g.Values.Elems(t) {
			up, j := g.ClassOf(w), g.Values.Info[w]
			switch {
			case i.Kind == pointsto.Func || i.Kind == pointsto.Bound:
			case up != nil && c != nil:
				if v == w || i.Kind != pointsto.Inst || !g.AbstractType(up) || !g.IsAbove(up, c) {
					continue
				}
			case up != nil:
				// A type over a container holds what the container holds.
				if i.Kind != pointsto.Generic || !l.Converts || !Targets(g, up, i.ID) {
					continue
				}
			case j.Kind == pointsto.External:
				if i.Kind != pointsto.Inst || !l.Structural || intern.Name(j.ID).Basic() {
					continue
				}
			case j.Kind != pointsto.Generic || i.Kind != pointsto.Generic || i.ID != j.ID || !l.Converts:
				continue
			}
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}

// isRoot reports whether every object is of a type.
func isRoot(name string) bool {
	switch name {
	case "Object", "Any", "any", "object":
		return true
	}
	return false
}

// wordOf is the built-in type that a type is, "" for none.
func (g *Family) wordOf(i pointsto.Info) string {
	if i.Kind != pointsto.External {
		return ""
	}
	return LiteralWords[g.Names.Text[i.ID]]
}

// BuiltinForms are the types that are written without a name.
var BuiltinForms = Words("list map chan func tuple object iterator")

// MaxNesting bounds the depth of expressions and of chains of declarations.
const MaxNesting = 400

// Words is the set of the words of a text.
func Words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// ParamFor returns the number of the parameter that takes an argument, or -1.
func ParamFor(fn *ir.FuncInfo, f *File, i int, keyword ir.Str, from *File) int {
	if keyword != 0 {
		n := from.Names[keyword]
		for p := range fn.Params {
			if f.Names[fn.Params[p].Name] == n {
				return p
			}
		}
		for p := range fn.Params {
			if fn.Params[p].Kind == ir.KwVariadic {
				return p
			}
		}
		return -1
	}
	for p := range fn.Params {
		switch fn.Params[p].Kind {
		case ir.Variadic:
			return p
		case ir.Positional:
			if i == 0 {
				return p
			}
			i--
		}
	}
	return -1
}
