package eval

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Construct makes an instance.
func (e *Evaluator) Construct(c *Call, k *program.Class, typed pointsto.Value) pointsto.Set {
	g := e.Family
	if e.File.Lang.Converts && !c.ForNew {
		c.Known = true
		out := e.Instances(e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(k.ID)}), c.Explicit)
		for _, a := range c.Args {
			out = e.narrow(a.Value, out)
		}
		return out
	}
	made := typed
	if made == 0 || g.Values.Info[made].Kind != pointsto.Inst {
		args := c.Explicit
		if len(args) == 0 && len(k.Info.TypeParams) > 0 {
			args = e.inferred(c, k)
		}
		if len(args) == 0 && typed != 0 {
			args = g.Args(g.Values.Info[typed].Args)
		}
		made = g.Values.Typed(pointsto.Info{Kind: pointsto.Inst, ID: uint32(k.ID)}, args)
	}
	out := g.Values.Single(made)
	if c.Quiet && c.ForNew || e.File.Lang.Aggregates { // a composite literal: its fields are filled
		for _, a := range c.Args {
			if a.Name != 0 {
				e.setAttr(made, e.File.Names[a.Name], a.Value, 0)
			}
		}
		if !e.File.Lang.Aggregates {
			return out
		}
	}
	if e.Lang.Construct(e, c, k, made) {
		return out
	}
	ran := false
	for _, s := range g.MRO(k) {
		if list := e.ConstructorsIn(s.Class); len(list) > 0 {
			e.MakeWith(c, list, made)
			ran = true
			if s.Class != k && !e.File.Lang.InheritsConstructors {
				break
			}
			return out
		}
		if !s.Class.File.Lang.InheritsConstructors {
			break
		}
	}
	if e.File.Lang.Aggregates {
		for i, a := range c.Args { // an aggregate
			if a.Name == 0 && a.Value != 0 {
				e.setAttr(made, g.Names.Intern("#"+strconv.Itoa(i)), a.Value, 0)
			}
		}
	}
	if !c.Quiet && !ran {
		c.Callees = append(c.Callees, Callee{k.ID, edge.ByConstructor, false})
	}
	return out
}

// ConstructorsIn are the constructors that a class itself has.
func (e *Evaluator) ConstructorsIn(k *program.Class) []program.Entry {
	var out []program.Entry
	for _, n := range k.File.Lang.Constructors {
		id := e.Family.Names.Intern(n)
		if n == "" {
			id = e.Family.Entities[k.ID].Name
		}
		for _, m := range e.Family.Declared(k, id) {
			if fn := e.Family.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && (n != "" || fn.Flags&ir.Constructor != 0) {
				out = append(out, m)
			}
		}
	}
	return out
}

// MakeWith runs the constructors that fit.
func (e *Evaluator) MakeWith(c *Call, list []program.Entry, made pointsto.Value) {
	if e.Lang.Copies(e, list, c.Args, made) {
		c.Known = true
		return
	}
	chosen, possible := e.Overload(c, list)
	for _, m := range chosen {
		id := m.ID
		if fn := e.Family.Func(id); fn != nil && fn.Flags&ir.Prototype != 0 {
			if def := e.definition(id); def != 0 {
				id = def
			}
		}
		to := id
		if at := &e.Family.Entities[id]; at.Name == 0 {
			to = at.Outer // it is written in the head of the class
		}
		c.Callees = append(c.Callees, Callee{to, edge.ByConstructor, possible})
		e.PassSelf(id, made)
		e.PassArgs(c, id, made, nil)
	}
}

// definition finds what a prototype declares.
func (e *Evaluator) definition(id edge.ID) edge.ID {
	g := e.Family
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

// inferred are the type arguments that the arguments of a constructor show.
func (e *Evaluator) inferred(c *Call, k *program.Class) []pointsto.Set {
	g := e.Family
	found := map[pointsto.Info]pointsto.Set{}
	for _, m := range e.ConstructorsIn(k) {
		f := g.Entities[m.ID].File
		for i, p := range g.Func(m.ID).Params {
			if i < len(c.Args) {
				e.unify(f.VarTypes[p.Var], c.Args[i].Value, found, 0)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	args := make([]pointsto.Set, len(k.Info.TypeParams))
	for i := range args {
		args[i] = found[pointsto.Info{Kind: pointsto.Param, ID: uint32(k.ID), Base: pointsto.Value(i)}]
	}
	return args
}

// unify finds what type parameters stand for, from a declared type and a value of it.
func (e *Evaluator) unify(declared, given pointsto.Set, found map[pointsto.Info]pointsto.Set, depth int) {
	g := e.Family
	if depth > pointsto.MaxDepth {
		return
	}
	for _, d := range g.Elems(declared) {
		di := g.Values.Info[d]
		if di.Kind == pointsto.Param {
			found[di] = g.Union(found[di], given)
			continue
		}
		args := g.Args(di.Args)
		if len(args) == 0 {
			continue
		}
		for _, v := range g.Elems(given) {
			vi := g.Values.Info[v]
			if g.IsFunctionType(di) {
				if vi.Kind == pointsto.Func || vi.Kind == pointsto.Bound {
					e.unify(args[len(args)-1], e.Returned(edge.ID(vi.ID), vi.Base, nil), found, depth+1)
				} else if vi.Kind == pointsto.Generic {
					e.unify(args[len(args)-1], g.Values.Arg(v, -1), found, depth+1)
				}
				continue
			}
			if vi.Kind == pointsto.Object {
				e.unify(args[len(args)-1], e.GetItem(edge.ID(vi.ID), pointsto.SomeItem), found, depth+1)
				continue
			}
			have := g.Args(vi.Args)
			if up, k := g.ClassOf(d), g.ClassOf(v); up != nil && k != nil && up != k {
				// As the base sees it.
				for _, s := range g.MRO(k) {
					if s.Class == up {
						as := g.SubstValue(s.As, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(v, k, p) })
						have = g.Args(g.Values.Info[as].Args)
					}
				}
			}
			for i := range args {
				switch {
				case i < len(have) && len(have) == len(args):
					e.unify(args[i], have[i], found, depth+1)
				case len(have) > 0:
					e.unify(args[i], have[len(have)-1], found, depth+1)
				}
			}
		}
	}
}

// Bindings are the type parameters of a function as a call shows them.
func (e *Evaluator) Bindings(c *Call, id edge.ID, recv pointsto.Value) map[pointsto.Info]pointsto.Set {
	g := e.Family
	fn := g.Func(id)
	if fn == nil || len(fn.TypeParams()) == 0 {
		return nil
	}
	f := g.Entities[id].File
	found := map[pointsto.Info]pointsto.Set{}
	for i := range c.Explicit {
		found[pointsto.Info{Kind: pointsto.Param, ID: uint32(id), Base: pointsto.Value(i)}] = c.Explicit[i]
	}
	for i, a := range c.Args {
		p := program.ParamFor(fn, f, i, a.Name, e.File)
		if p < 0 {
			continue
		}
		declared := f.VarTypes[fn.Params[p].Var]
		if fn.Params[p].Kind == ir.Variadic {
			declared = e.Elements(declared, nil)
		}
		e.unify(declared, a.Value, found, 0)
	}
	if fn.Flags&ir.Extension != 0 && recv != 0 {
		e.unify(TypeIn(g, f, ir.Func(g.Entities[id].Ref), 0, fn.Recv), g.Values.Single(recv), found, 0)
	}
	return found
}
