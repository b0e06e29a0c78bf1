package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/transfer"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallMember calls a member of each of the receivers. Where wrappers hold each other it
// comes to the same receivers by every way there is between them: they are called once.
func (e *Evaluator) CallMember(c *Call, recv pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	at, out, again := c.Member(recv, rule)
	if again {
		return out
	}
	for _, v := range g.Elems(recv) {
		callees, external := c.Found(), c.External
		c.External = 0
		out = g.Union(out, e.CallOn(c, v, recv, rule))
		if c.External == 0 && c.Found() == callees && !c.Known && e.LeavesOpen(v) {
			c.Open = true
		}
		if external != 0 {
			c.SetExternal(g, external)
		}
	}
	c.Gave(at, out)
	return out
}

// CallOn calls a member of one value; all are those that the receiver may be.
func (e *Evaluator) CallOn(c *Call, v pointsto.Value, all pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	if !c.On(v) {
		return 0
	}
	defer c.Off()
	if e.TooDeep() {
		return 0
	}
	defer e.Up()
	if s, ok := e.Lang.CallOn(e, c, v, all); ok {
		return s
	}
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.ManyFuncs, pointsto.Many:
		c.Many = true
		return 0
	case pointsto.Inst, pointsto.Decl:
		k := g.Classes[edge.ID(i.ID)]
		if k == nil {
			return 0
		}
		return e.CallInstance(c, v, k, 0, all, rule)
	case pointsto.Super:
		return e.callOnSuper(c, v, i, all)
	case pointsto.Class:
		if s, ok := e.overloaded(c, v, rule); ok {
			return s
		}
		s, ok := e.Attr(v, c.Name, 0)
		if !ok {
			if s, ok := e.Lang.CallUndeclared(e, c, g.ClassOf(v), v, 0); ok {
				return s
			}
			c.Reason = edge.UnknownMember
			return 0
		}
		return e.CallValues(c, s, rule)
	case pointsto.External, pointsto.Generic, pointsto.Object:
		return e.callOnForeign(c, v, i, rule)
	case pointsto.Param:
		return e.callOnParam(c, v, i, all)
	case pointsto.Func, pointsto.Bound:
		switch g.Names.Text[c.Name] {
		case "call", "apply", "invoke", "run", "__call__", "Invoke":
			return e.Invoke(c, v, edge.ByFlow)
		}
		s, _ := e.Attr(v, c.Name, 0)
		if s == 0 && !e.File.Lang.FuncFields {
			if list := e.Lang.Extensions(e, pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("func"))}, c.Name); len(list) > 0 {
				return e.CallValues(c, e.Bound(list, v, nil, 0), rule)
			}
			c.External = c.Name
			return e.Outside(c, v)
		}
		return e.CallValues(c, s, rule)
	}
	s, _ := e.Attr(v, c.Name, 0)
	if s == 0 && i.Kind == pointsto.Module {
		if s, ok := e.Lang.CallAbsent(e, c, v, s, rule); ok {
			return s
		}
	}
	return e.CallValues(c, s, rule)
}

// callOnParam calls a member of what bounds a type parameter.
func (e *Evaluator) callOnParam(c *Call, v pointsto.Value, i pointsto.Info, all pointsto.Set) pointsto.Set {
	g := e.Family
	bound, out := e.BoundOf(i), pointsto.Set(0)
	for _, v := range g.Values.Elems(bound) {
		out = g.Union(out, e.CallOn(c, v, g.Union(all, bound), edge.ByType))
	}
	if len(c.Callees) == 0 {
		if s, ok := e.Lang.CallLibrary(e, c, v); ok {
			return s
		}
	}
	return out
}

// callOnForeign calls a member of a literal, or of something outside the index.
func (e *Evaluator) callOnForeign(c *Call, v pointsto.Value, i pointsto.Info, rule edge.Rule) pointsto.Set {
	g := e.Family
	if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ConstructorRef {
		return e.CallValues(c, g.Values.Arg(v, 0), edge.ByFlow)
	}
	s, found := e.Attr(v, c.Name, 0)
	if i.Kind == pointsto.Generic && e.Lang.Own(e, c, i) {
		s = e.External(g.Names.Intern(g.Names.Text[i.ID] + "." + g.Names.Text[c.Name]))
	}
	if i.Kind == pointsto.Object && !found {
		if s, ok := e.Lang.CallAbsent(e, c, v, s, rule); ok {
			return s
		}
		if list := g.Find(g.Foreign[g.Entities[i.ID].Name], c.Name); len(list) == 0 {
			c.External = g.Names.Intern(g.Names.Text[g.Entities[i.ID].Name] + "." + g.Names.Text[c.Name])
			return e.Outside(c, v)
		}
	}
	if i.Kind == pointsto.Object || !g.OnlyExternal(s) {
		first := len(c.Callees)
		computed := i.Kind == pointsto.Object && e.UnderAnyKey(edge.ID(i.ID), c.Name)
		if computed && len(g.Elems(s)) > program.FewOverrides {
			c.Many = true // a dictionary, of which nothing says that the name is a key
			return 0
		}
		out := e.CallValues(c, s, rule)
		if computed {
			for n := range c.Callees[first:] {
				c.Callees[first+n].Possible = true
			}
		}
		return out
	}
	if c.Quiet && e.File.Lang.LiteralsMake {
		return e.Instances(s, c.Explicit) // a literal: nothing is called
	}
	for _, w := range g.Elems(s) {
		if x := g.Values.Info[w]; x.Kind == pointsto.External {
			c.SetExternal(g, intern.Name(x.ID))
		}
	}
	e.possibleExtensions(c, i)
	if s, ok := e.Lang.CallLibrary(e, c, v); ok {
		return s
	}
	for n, a := range c.Args {
		e.PassForeign(i, n, a.Value)
	}
	if len(c.Args) == 1 {
		e.Become(s, c.Args[0].Value) // it may be a conversion
	}
	return e.Outside(c, v)
}

// callOnSuper calls a member of a base.
func (e *Evaluator) callOnSuper(c *Call, v pointsto.Value, i pointsto.Info, all pointsto.Set) pointsto.Set {
	g := e.Family
	k, recv := g.Classes[edge.ID(i.ID)], g.ClassOf(i.Base)
	if k == nil {
		return 0
	}
	if recv == nil || !program.InMRO(g.MRO(recv), k) {
		recv = k
	}
	if g.Values.Info[i.Base].Kind == pointsto.Class {
		s, _ := e.Attr(v, c.Name, 0)
		return e.CallValues(c, s, edge.BySelf)
	}
	out := e.CallInstance(c, i.Base, recv, program.AfterInMRO(g.MRO(recv), k), all, edge.BySelf)
	if len(c.Callees) == 0 && !c.Known && c.External == 0 && k.Foreign {
		for _, w := range g.Elems(e.ForeignBase(k, c.Name)) {
			if x := g.Values.Info[w]; x.Kind == pointsto.External {
				c.External = intern.Name(x.ID)
			}
		}
		return g.Union(out, e.Outside(c, 0))
	}
	return out
}

// overloaded chooses among the static members of a class of one name.
func (e *Evaluator) overloaded(c *Call, v pointsto.Value, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	k := g.ClassOf(v)
	if k == nil || k.File.Lang.Dynamic || k.Info.Kind == ir.Alias {
		return 0, false
	}
	list, at := g.Member(k, c.Name)
	if at < 0 || list[0].Kind != ir.FuncMember {
		return 0, false
	}
	if list, _ = g.OverloadsAbove(list, g.MRO(k)[at+1:], true); len(list) < 2 {
		return 0, false
	}
	chosen, possible := e.Overload(c, e.Lang.ForTypes(e, list, c.Explicit))
	out := pointsto.Set(0)
	if possible {
		for _, m := range chosen {
			c.Add(m.ID, edge.ByOverload, true)
			out = g.Union(out, e.Returned(m.ID, 0, e.Bindings(c, m.ID, 0)))
		}
		return out, true
	}
	for _, m := range chosen {
		out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}))
	}
	return e.CallValues(c, out, rule), true
}

// CallInstance calls a method of an instance, or what lies in a field of it.
func (e *Evaluator) CallInstance(c *Call, recv pointsto.Value, k *program.Class, from int, all pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	mro := g.MRO(k)
	later := false // what is left is what was passed over
	rest := mro[min(from, len(mro)):]
	for i := 0; i <= len(rest); i++ {
		if i == len(rest) {
			if later {
				break
			}
			i, later = 0, true
			if len(rest) == 0 {
				break
			}
		}
		s := rest[i]
		list := e.candidates(g.SideOf(e.File.Lang, g.Declared(s.Class, c.Name), false), c.Args)
		if len(list) == 0 || !later && (k.File.Lang.PassesOver && !call.Callable(e.Family, list, c.Args) || g.Demanded(s.Class, list)) {
			continue
		}
		if s.Via != nil {
			return e.CallMember(c, e.held(s.Via, recv), edge.ByType)
		}
		if list[0].Kind != ir.FuncMember || e.IsGetter(list[0]) {
			values := e.Bound(list, recv, &s, c.Node.Pos)
			if k.File.Lang.Dynamic {
				values = g.Values.UnionOf([]pointsto.Set{values, e.Undeclared(mro, c.Name), e.fieldsBelow(recv, k, list[0], c.Name)})
			}
			c.Reason = edge.FunctionValue
			before := len(c.Callees)
			out := e.CallValues(c, values, edge.ByFlow)
			if len(c.Callees) == before && c.External == 0 {
				out = g.Union(out, e.Lang.CallHeld(e, c, s.Class, 0))
			}
			return out
		}
		if list[0].Kind == ir.FuncMember && k.File.Lang.Decorates && e.Decorated(list) {
			return e.CallValues(c, e.Bound(list, recv, &s, 0), rule)
		}
		list, above := g.OverloadsAbove(list, rest[i+1:], false)
		if !call.Callable(e.Family, list, c.Args) { // what all objects have, and another of its name does not take the arguments
			if out, ok := e.CallUniversal(c, k, recv); ok {
				return out
			}
		}
		on := Receiver{Value: recv, Class: k, At: &s, All: all, Super: from > 0}
		if out, ok := e.Lang.CallMembers(e, c, list, on, rule); ok {
			return out
		}
		chosen, possible := e.Overload(c, e.Lang.ForTypes(e, list, c.Explicit))
		out := pointsto.Set(0)
		for _, m := range chosen {
			if on.At = &s; above[m.ID] != nil {
				on.At = above[m.ID]
			}
			out = g.Union(out, e.CallMethod(c, m, on, rule, possible))
		}
		return out
	}
	if s, ok := e.Lang.CallMissing(e, c, k, recv, from, rule); ok {
		return s
	}
	// Not declared: a field that was assigned, the underlying type, a foreign base.
	s, found := e.instanceAttr(recv, k, from, c.Name, c.Node.Pos)
	if s, ok := e.Lang.CallAbsent(e, c, recv, s, rule); ok {
		return s
	}
	if !found {
		if s, ok := e.Lang.CallUndeclared(e, c, k, recv, from); ok {
			return s
		}
		c.Reason = edge.UnknownMember
		if b := g.Foreign[g.Entities[k.ID].Name]; b != nil && len(g.Find(b, c.Name)) > 0 {
			return e.CallValues(c, e.Bound(g.Find(b, c.Name), recv, nil, 0), rule)
		}
		return 0
	}
	if s == 0 {
		c.Reason = edge.UnknownMember
	}
	return e.CallValues(c, s, edge.ByFlow)
}

// CallMethod calls a method that was found in the class of the receiver, and what
// may run in its place further down.
func (e *Evaluator) CallMethod(c *Call, m program.Entry, on Receiver, rule edge.Rule, possible bool) pointsto.Set {
	g := e.Family
	recv, k, at, all, super := on.Value, on.Class, on.At, on.All, on.Super
	fn := g.Func(m.ID)
	if fn == nil {
		return 0
	}
	declared := g.Values.Info[recv].Kind == pointsto.Decl && !super
	abstract := fn.Flags&ir.Abstract != 0
	if !abstract {
		if possible {
			rule = edge.ByOverload
		}
		c.Add(m.ID, rule, possible)
		e.PassSelf(m.ID, recv)
		if k.Target != 0 && k.File.Lang.DefinedTypes {
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: m.ID, Sub: 0}, program.Bare(g, all))
		}
		e.PassArgs(c, m.ID, recv, at)
	}
	out := e.Family.Instantiate(e.transfer.ReturnedTo(transfer.Passing{Callee: m.ID, Call: c, Self: g.Values.Single(recv)}, recv, e.Bindings(c, m.ID, recv)), recv, at)
	if at.Class != k {
		out = e.Lang.AsSelf(e, out, at.Class, recv)
	}
	if !declared || fn.Flags&(ir.Private|ir.Static) != 0 && !abstract {
		if abstract && !declared {
			if to := e.Lang.Delegated(e, k, recv); to != 0 {
				return g.Union(out, e.CallMember(c, to, edge.ByFlow))
			}
			c.Reason = edge.UnknownMember
		}
		return out
	}
	if k.File.Lang.VirtualOnly && !abstract && !g.IsVirtual(k, c.Name) {
		return out
	}
	via := program.Dispatch{Class: k.ID, Method: m.ID, AnyCount: e.File.Lang.AnyCount}
	impls := g.Overrides(via)
	if abstract {
		e.Edge(edge.Edge{From: e.Owner(), To: m.ID, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
		// Values that are known to come here say more than the hierarchy.
		if on.Implemented(g, e.File.Lang.Functional) || e.Lang.KnownObject(e, all, c.Name) {
			c.Known = true
			return out
		}
		c.Reason = edge.UnknownMember
		before := len(c.Callees)
		held := e.Lang.CallHeld(e, c, at.Class, len(impls))
		if len(fn.Results) == 0 {
			out = g.Union(out, held)
		}
		if len(impls) == 1 && len(c.Callees) == before {
			c.Add(impls[0].ID, edge.ByHierarchy, false)
			e.PassArgs(c, impls[0].ID, 0, nil)
			if len(fn.Results) == 0 {
				out = g.Union(out, e.Returned(impls[0].ID, 0, nil))
			}
			return out
		}
	}
	c.OrBelow(e.Family, via)
	return out
}
