package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/transfer"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallValues calls each of some values.
func (e *Evaluator) CallValues(c *Call, s pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	values := g.Elems(s)
	if len(values) > 1 && values[0] == g.Values.Folded {
		c.Many = true // the classes that are left are not what is called
		return 0
	}
	if len(values) > 1 {
		if out, ok := e.Lang.CallAmong(e, c, values, rule); ok {
			return out
		}
		if out, ok := e.callOverloads(c, values, rule); ok {
			return out
		}
	}
	out := pointsto.Set(0)
	for _, v := range values {
		if e.abstractBound(v) {
			out = g.Union(out, e.callAbstract(c, v, values))
			continue
		}
		out = g.Union(out, e.Invoke(c, v, rule))
	}
	return out
}

// abstractBound reports whether a value is a method of an interface, bound to
// what the interface holds.
func (e *Evaluator) abstractBound(v pointsto.Value) bool {
	i := e.Family.Values.Info[v]
	if i.Kind != pointsto.Bound {
		return false
	}
	fn := e.Family.Func(edge.ID(i.ID))
	return fn != nil && fn.Flags&ir.Abstract != 0 && e.Family.ClassOf(i.Base) != nil
}

// callAbstract calls a method value of an interface: what the interface is known
// to hold is among the values, too, with its own method.
func (e *Evaluator) callAbstract(c *Call, v pointsto.Value, among []pointsto.Value) pointsto.Set {
	g := e.Family
	i := g.Values.Info[v]
	recv := pointsto.Set(0)
	for _, w := range among {
		if j := g.Values.Info[w]; j.Kind == pointsto.Bound && g.Entities[j.ID].Name == g.Entities[i.ID].Name {
			recv = g.Union(recv, g.Values.Single(j.Base))
		}
	}
	name := c.Name
	c.Name = g.Entities[i.ID].Name
	out := e.CallOn(c, i.Base, recv, edge.ByFlow)
	if len(c.Callees) == 0 {
		c.Name = name
	}
	return out
}

// callOverloads chooses among functions of one name that are in scope together.
func (e *Evaluator) callOverloads(c *Call, values []pointsto.Value, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	var list []program.Entry
	for _, v := range values {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound || g.Entities[i.ID].File == nil {
			return 0, false
		}
		if g.Entities[i.ID].File.Lang.Dynamic || len(list) > 0 && g.Entities[i.ID].Name != list[0].Name {
			return 0, false
		}
		if e.File.Lang.Variants && (e.abstractBound(v) || len(list) > 0 && g.Qualified(list[0].ID) != g.Qualified(edge.ID(i.ID))) {
			return 0, false
		}
		list = append(list, program.Entry{Name: g.Entities[i.ID].Name, Kind: ir.FuncMember, ID: edge.ID(i.ID)})
	}
	chosen, possible := e.Overload(c, list)
	out := pointsto.Set(0)
	for _, v := range values {
		i := g.Values.Info[v]
		if !program.ContainsEntry(chosen, edge.ID(i.ID)) {
			continue
		}
		if possible && !e.File.Lang.Variants {
			c.Add(edge.ID(i.ID), edge.ByOverload, true)
			out = g.Union(out, e.Returned(edge.ID(i.ID), i.Base, nil))
			continue
		}
		first := len(c.Callees)
		out = g.Union(out, e.Invoke(c, v, rule))
		for n := range c.Callees[first:] {
			c.Callees[first+n].Possible = possible
		}
	}
	return out, true
}

// Invoke calls one value.
func (e *Evaluator) Invoke(c *Call, v pointsto.Value, rule edge.Rule) pointsto.Set {
	g := e.Family
	if e.TooDeep() {
		return 0
	}
	defer e.Up()
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Func, pointsto.Bound:
		return e.invokeFunc(c, i, rule)
	case pointsto.Class:
		return e.invokeClass(c, i)
	case pointsto.Inst, pointsto.Decl:
		return e.invokeInstance(c, v, i, rule)
	case pointsto.Super:
		return e.invokeSuper(c, i)
	case pointsto.External:
		return e.invokeExternal(c, v, i)
	case pointsto.Generic:
		if w := g.Names.Text[i.ID]; w == "func" || w == program.ExtensionForm {
			c.Reason = edge.FunctionValue
			for j, a := range c.Args {
				e.Contextual(a.Value, g.Values.Arg(v, j), nil)
			}
			return g.Values.Arg(v, -1)
		}
		c.External = intern.Name(i.ID)
		return e.Outside(c, v)
	case pointsto.Object:
		// module.exports = function: the module is called.
		c.Reason = edge.FunctionValue
		return 0
	case pointsto.Module:
		return e.CallValues(c, e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: edge.ID(i.ID), Sub: uint32(g.Names.Intern("export:default"))}), edge.ByImport)
	case pointsto.Param:
		return e.CallValues(c, e.BoundOf(i), rule)
	case pointsto.Passed:
		return e.Single(pointsto.Info{Kind: pointsto.PassedResult, ID: i.ID, Base: i.Base})
	case pointsto.Many, pointsto.ManyFuncs:
		c.Many = true
	}
	return 0
}

// invokeFunc calls a function.
func (e *Evaluator) invokeFunc(c *Call, i pointsto.Info, rule edge.Rule) pointsto.Set {
	g := e.Family
	id := edge.ID(i.ID)
	fn := g.Func(id)
	if fn == nil {
		return 0
	}
	if !e.Lang.Invokes(c, fn) {
		return 0
	}
	if fn.Flags&ir.Prototype != 0 {
		if def := e.Family.DefinitionOf(id); def != 0 {
			id, fn = def, g.Func(def)
		}
	}
	if fn.Flags&ir.MacroFunc != 0 {
		rule = edge.ByMacro
	}
	c.Add(id, rule, false)
	if c.ForNew && i.Kind == pointsto.Func && e.File.Lang.FunctionsMake {
		made := e.Single(pointsto.Info{Kind: pointsto.Object, ID: uint32(id)})
		e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, made)
		e.PassArgs(c, id, 0, nil)
		return made
	}
	args, self := c.Args, pointsto.Set(0)
	if i.Kind == pointsto.Bound {
		self = g.Values.Single(i.Base)
		e.PassSelf(id, i.Base)
		c.BoundBelow(&e.Frame, id, fn, i.Base)
		if f := g.Entities[id].File; f.Lang.Decorates && fn.Self == 0 && fn.Class == 0 {
			// A function that a decorator left in the place of a method.
			c.Args = append([]Argument{{Value: self}}, args...)
		}
	} else if fn.Self != 0 && fn.Flags&(ir.Static|ir.ClassMethod) == 0 && len(args) > 0 && (fn.Recv == 0 || fn.Flags&ir.Extension != 0) && args[0].Kind == ir.Plain && args[0].Name == 0 {
		// A method called through its class: the receiver is the first argument.
		self = args[0].Value
		e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, self)
		c.Args = args[1:]
	}
	if i.Kind == pointsto.Func && fn.Name == 0 && len(args) > 0 && e.Lang.HasReceiver(g, g.Entities[id].File, ir.Func(g.Entities[id].Ref)) {
		e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, args[0].Value)
		c.Args = args[1:]
	}
	if i.Kind == pointsto.Func && e.File.Lang.MethodRefs && fn.Class != 0 && fn.Name != 0 && fn.Flags&(ir.Static|ir.ClassMethod|ir.Constructor|ir.Extension) == 0 && len(args) > 0 {
		c.Args = args[1:] // C::method: the receiver is the first argument
	}
	e.PassArgs(c, id, i.Base, nil)
	out := e.transfer.ReturnedTo(transfer.Passing{Callee: id, Call: c, Self: self, Env: i.Args}, i.Base, e.Bindings(c, id, i.Base))
	c.Args = args
	if i.Base != 0 {
		if k := g.ClassOf(i.Base); k != nil {
			out = e.Family.ThroughMRO(out, i.Base, k)
		}
	}
	return out
}

// invokeClass makes an instance, or converts to a type.
func (e *Evaluator) invokeClass(c *Call, i pointsto.Info) pointsto.Set {
	g := e.Family
	k := g.Classes[edge.ID(i.ID)]
	if k == nil {
		return 0
	}
	if i.Args != 0 { // Box[A]()
		return e.Construct(c, k, g.Values.Typed(pointsto.Info{Kind: pointsto.Inst, ID: i.ID}, g.Args(i.Args)))
	}
	if k.Info.Kind == ir.Alias {
		out := pointsto.Set(0)
		for _, w := range g.Elems(Aliased(g, k)) {
			if up := g.ClassOf(w); up != nil {
				out = g.Union(out, e.Construct(c, up, w))
			} else if x := g.Values.Info[w]; x.Kind == pointsto.External || x.Kind == pointsto.Generic {
				if e.File.Lang.Converts {
					c.Known = true
				} else {
					c.External = intern.Name(x.ID)
				}
				out = g.Union(out, g.Values.Single(w))
			}
		}
		return out
	}
	return e.Construct(c, k, 0)
}

// invokeInstance calls an instance by a member that the language calls then.
func (e *Evaluator) invokeInstance(c *Call, v pointsto.Value, i pointsto.Info, rule edge.Rule) pointsto.Set {
	g := e.Family
	k := g.Classes[edge.ID(i.ID)]
	if k == nil {
		return 0
	}
	for _, n := range e.File.Lang.Callable {
		list, at := g.Member(k, g.Names.Intern(n))
		if at < 0 || list[0].Kind != ir.FuncMember {
			continue
		}
		chosen, possible := e.Overload(c, list)
		out := pointsto.Set(0)
		ancestor := g.MRO(k)[at]
		for _, m := range chosen {
			out = g.Union(out, e.CallMethod(c, m, Receiver{Value: v, Class: k, At: &ancestor, All: g.Values.Single(v)}, rule, possible))
		}
		return out
	}
	if k.Info.Kind == ir.Enum {
		c.Known = true // making a variant with its payload
		return g.Values.Single(v)
	}
	if k.Target != 0 {
		out := pointsto.Set(0)
		e.Inside(v, func() { out = e.CallValues(c, k.Target, rule) })
		return out
	}
	c.Reason = edge.FunctionValue
	return 0
}

// invokeSuper runs the constructor of a base.
func (e *Evaluator) invokeSuper(c *Call, i pointsto.Info) pointsto.Set {
	g := e.Family
	up, recv := g.Classes[edge.ID(i.ID)], g.ClassOf(i.Base)
	if up == nil {
		return 0
	}
	if recv == nil || !program.InMRO(g.MRO(recv), up) {
		recv = up
	}
	mro := g.MRO(recv)
	for _, s := range mro[program.AfterInMRO(mro, up):] {
		if list := e.Family.ConstructorsIn(s.Class); len(list) > 0 {
			e.MakeWith(c, list, i.Base)
			return 0
		}
	}
	for _, w := range g.OutsideBases(mro[program.AfterInMRO(mro, up):]) {
		if x := g.Values.Info[w]; x.Kind == pointsto.External {
			c.External = intern.Name(x.ID)
		}
	}
	if root := e.File.Lang.Root; c.External == 0 && len(up.Bases) == 0 && root != "" {
		c.External = g.Names.Intern(root)
	}
	if c.External == 0 {
		for _, b := range up.Bases {
			for _, w := range g.Elems(b.Values) {
				switch x := g.Values.Info[w]; x.Kind {
				case pointsto.External, pointsto.Generic:
					c.External = intern.Name(x.ID)
				case pointsto.Decl, pointsto.Inst:
					if k := g.ClassOf(w); k != nil && k.Info.Kind == ir.Interface {
						continue // it has no constructor
					}
					c.Add(edge.ID(x.ID), edge.ByConstructor, false)
				}
			}
		}
	}
	return 0
}

// invokeExternal calls something outside the index: it may be a conversion.
func (e *Evaluator) invokeExternal(c *Call, v pointsto.Value, i pointsto.Info) pointsto.Set {
	g := e.Family
	c.External = intern.Name(i.ID)
	if c.ForNew && len(c.Explicit) > 0 { // an object of a generic type
		e.Outside(c, 0)
		return g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: i.ID}, c.Explicit))
	}
	if s, ok := e.Lang.CallExternal(e, c, g.Names.Text[i.ID]); ok {
		return s
	}
	if len(c.Args) == 1 {
		e.Become(g.Values.Single(v), c.Args[0].Value) // it may be a conversion
	}
	return e.Outside(c, 0)
}
