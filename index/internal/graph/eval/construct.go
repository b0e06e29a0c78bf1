package eval

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/typeparam"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Construct makes an instance.
func (e *Evaluator) Construct(c *Call, k *program.Class, typed pointsto.Value) pointsto.Set {
	g := e.Family
	if e.File.Lang.Converts && !c.ForNew {
		c.Known = true
		out := e.Instances(e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(k.ID)}), c.Explicit)
		for _, a := range c.Args {
			out = e.Family.Narrow(a.Value, out, e.File.Lang)
		}
		return out
	}
	made := typed
	if made == 0 || g.Values.Info[made].Kind != pointsto.Inst {
		args := c.Explicit
		if len(args) == 0 && len(k.Info.TypeParams) > 0 {
			args = e.inference().Arguments(c, k)
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
		if list := e.Family.ConstructorsIn(s.Class); len(list) > 0 {
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
		c.Add(k.ID, edge.ByConstructor, false)
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
			if def := e.Family.DefinitionOf(id); def != 0 {
				id = def
			}
		}
		to := id
		if at := &e.Family.Entities[id]; at.Name == 0 {
			to = at.Outer // it is written in the head of the class
		}
		c.Add(to, edge.ByConstructor, possible)
		e.PassSelf(id, made)
		e.PassArgs(c, id, made, nil)
	}
}

func (e *Evaluator) inference() typeparam.Inference {
	return typeparam.Inference{Frame: &e.Frame, Results: e}
}

// Bindings are the type parameters of a function as a call shows them.
func (e *Evaluator) Bindings(c *Call, id edge.ID, recv pointsto.Value) map[pointsto.Info]pointsto.Set {
	return e.inference().Bindings(c, id, recv)
}

// Extended is the type that an extension is declared to extend.
func (e *Evaluator) Extended(id edge.ID) pointsto.Set {
	at := &e.Family.Entities[id]
	return TypeIn(e.Family, at.File, ir.Func(at.Ref), 0, e.Family.Func(id).Recv)
}
