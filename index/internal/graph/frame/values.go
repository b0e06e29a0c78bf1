package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Single is the set of one value.
func (fr *Frame) Single(i pointsto.Info) pointsto.Set {
	return fr.Family.Values.Single(fr.Family.Values.Intern(i))
}

// External is something outside the index.
func (fr *Frame) External(path intern.Name) pointsto.Set {
	return fr.Single(pointsto.Info{Kind: pointsto.External, ID: uint32(path)})
}

// Generic is a built-in type with arguments.
func (fr *Frame) Generic(word string, args ...pointsto.Set) pointsto.Set {
	return fr.Family.Values.Single(fr.Family.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(fr.Family.Names.Intern(word))}, args))
}

// ClassesOf are the classes of values.
func (fr *Frame) ClassesOf(s pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range fr.Family.Elems(s) {
		i := fr.Family.Values.Info[v]
		switch i.Kind {
		case pointsto.Inst, pointsto.Decl:
			out = fr.Family.Union(out, fr.Single(pointsto.Info{Kind: pointsto.Class, ID: i.ID}))
		case pointsto.Class:
			out = fr.Family.Union(out, fr.Family.Values.Single(v))
		}
	}
	return out
}

// ValueType is the type of values: of a function that is only declared, any that has
// its signature.
func (fr *Frame) ValueType(s pointsto.Set) pointsto.Set {
	g := fr.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			out = g.Union(out, g.Values.Single(v))
			continue
		}
		fn := g.Func(edge.ID(i.ID))
		if fn == nil || !program.IsSignature(fn) {
			out = g.Union(out, g.Values.Single(v))
			continue
		}
		f := g.Entities[i.ID].File
		var args []pointsto.Set
		for _, p := range fn.Params {
			args = append(args, f.VarTypes[p.Var])
		}
		result := pointsto.Set(0)
		if r := f.Results.Of(ir.Func(g.Entities[i.ID].Ref)); len(r) > 0 {
			result = r[0]
		}
		out = g.Union(out, fr.Generic("func", append(args, result)...))
	}
	return out
}

// HasFunc reports whether a function is among some values.
func (fr *Frame) HasFunc(s pointsto.Set) bool {
	for _, v := range fr.Family.Elems(s) {
		if k := fr.Family.Values.Info[v].Kind; k == pointsto.Func || k == pointsto.Bound {
			return true
		}
	}
	return false
}

// NoMethods leaves the methods of the name out of what a name can mean that is not
// called.
func (fr *Frame) NoMethods(s pointsto.Set, n intern.Name) pointsto.Set {
	g := fr.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; (i.Kind == pointsto.Func || i.Kind == pointsto.Bound) && g.Entities[i.ID].Name == n {
			continue
		}
		out = g.Union(out, g.Values.Single(v))
	}
	return out
}

// Rebind makes functions that lie in a literal its methods.
func (fr *Frame) Rebind(s pointsto.Set, recv pointsto.Value) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range fr.Family.Elems(s) {
		if i := fr.Family.Values.Info[v]; i.Kind == pointsto.Func {
			v = fr.Family.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: i.ID, Base: recv, Args: i.Args})
		}
		out = fr.Family.Union(out, fr.Family.Values.Single(v))
	}
	return out
}

// LeavesOpen reports whether a receiver of which nothing is called may be of any class
// that is not known: one that implements an interface.
func (fr *Frame) LeavesOpen(v pointsto.Value) bool {
	k := fr.Family.ClassOf(v)
	return k != nil && fr.Family.Values.Info[v].Kind == pointsto.Decl && fr.Family.AbstractType(k)
}

// ForeignBase is a member that a base outside the index may have.
func (fr *Frame) ForeignBase(c *program.Class, n intern.Name) pointsto.Set {
	for _, b := range c.Bases {
		for _, v := range fr.Family.Elems(b.Values) {
			if i := fr.Family.Values.Info[v]; i.Kind == pointsto.External || i.Kind == pointsto.Generic {
				return fr.External(fr.Family.Names.Intern(fr.Family.Names.Text[i.ID] + "." + fr.Family.Names.Text[n]))
			}
		}
	}
	return 0
}

// StarExternal is a name that only a module outside the index can have brought, by
// an import of all its names.
func (fr *Frame) StarExternal(f *program.File, n intern.Name) pointsto.Set {
	for i := 1; i < len(f.IR.Imports); i++ {
		if t := &f.Targets[i]; t.External != 0 && len(t.In) == 0 && f.IR.String(f.IR.Imports[i].Name) == "*" {
			return fr.External(fr.Family.Names.Intern(fr.Family.Names.Text[t.External] + "." + fr.Family.Names.Text[n]))
		}
	}
	return 0
}

// IsGetter reports whether a member is an accessor that is read.
func (fr *Frame) IsGetter(m program.Entry) bool {
	fn := fr.Family.Func(m.ID)
	return fn != nil && fn.Flags&ir.Getter != 0
}

// Decorated reports whether a function has decorators.
func (fr *Frame) Decorated(list []program.Entry) bool {
	fn := fr.Family.Func(list[0].ID)
	return fn != nil && len(fn.Decorators()) > 0
}

// WantsKey reports whether an element of a loop is the key.
func (fr *Frame) WantsKey(n *ir.Node) bool {
	return n != nil && n.Name != 0 && fr.File.IR.String(n.Name) == "key"
}
