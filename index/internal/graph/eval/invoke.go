package eval

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallValues calls each of some values.
func (e *Evaluator) CallValues(c *Call, s pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	values := g.Elems(s)
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
		if !ContainsEntry(chosen, edge.ID(i.ID)) {
			continue
		}
		if possible && !e.File.Lang.Variants {
			c.Callees = append(c.Callees, Callee{edge.ID(i.ID), edge.ByOverload, true})
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
	if e.tooDeep() {
		return 0
	}
	defer e.up()
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Func, pointsto.Bound:
		id := edge.ID(i.ID)
		fn := g.Func(id)
		if fn == nil {
			return 0
		}
		if !e.Lang.Invokes(c, fn) {
			return 0
		}
		if fn.Flags&ir.Prototype != 0 {
			if def := e.definition(id); def != 0 {
				id, fn = def, g.Func(def)
			}
		}
		if fn.Flags&ir.MacroFunc != 0 {
			rule = edge.ByMacro
		}
		c.Callees = append(c.Callees, Callee{To: id, Rule: rule})
		if c.ForNew && i.Kind == pointsto.Func && e.File.Lang.FunctionsMake {
			made := e.Single(pointsto.Info{Kind: pointsto.Object, ID: uint32(id)})
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, made)
			e.PassArgs(c, id, 0, nil)
			return made
		}
		args := c.Args
		if i.Kind == pointsto.Bound {
			e.PassSelf(id, i.Base)
			if f := g.Entities[id].File; f.Lang.Decorates && fn.Self == 0 && fn.Class == 0 {
				// A function that a decorator left in the place of a method.
				c.Args = append([]Argument{{Value: g.Values.Single(i.Base)}}, args...)
			}
		} else if fn.Self != 0 && fn.Flags&(ir.Static|ir.ClassMethod) == 0 && len(args) > 0 && (fn.Recv == 0 || fn.Flags&ir.Extension != 0) && args[0].Kind == ir.Plain && args[0].Name == 0 {
			// A method called through its class: the receiver is the first argument.
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, args[0].Value)
			c.Args = args[1:]
		}
		if i.Kind == pointsto.Func && fn.Name == 0 && len(args) > 0 && e.HasReceiver(g.Entities[id].File, ir.Func(g.Entities[id].Ref)) {
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, args[0].Value)
			c.Args = args[1:]
		}
		if i.Kind == pointsto.Func && e.File.Lang.MethodRefs && fn.Class != 0 && fn.Name != 0 && fn.Flags&(ir.Static|ir.ClassMethod|ir.Constructor|ir.Extension) == 0 && len(args) > 0 {
			c.Args = args[1:] // C::method: the receiver is the first argument
		}
		e.PassArgs(c, id, i.Base, nil)
		out := e.Returned(id, i.Base, e.Bindings(c, id, i.Base))
		c.Args = args
		if i.Base != 0 {
			if k := g.ClassOf(i.Base); k != nil {
				out = e.ThroughMRO(out, i.Base, k)
			}
		}
		return out
	case pointsto.Class:
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
	case pointsto.Inst, pointsto.Decl:
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
				out = g.Union(out, e.CallMethod(c, m, Receiver{v, k, &ancestor, g.Values.Single(v), false}, rule, possible))
			}
			return out
		}
		if k.Info.Kind == ir.Enum {
			c.Known = true // making a variant with its payload
			return g.Values.Single(v)
		}
		if k.Target != 0 {
			out := pointsto.Set(0)
			e.inside(v, func() { out = e.CallValues(c, k.Target, rule) })
			return out
		}
		c.Reason = edge.FunctionValue
		return 0
	case pointsto.Super:
		up, recv := g.Classes[edge.ID(i.ID)], g.ClassOf(i.Base)
		if up == nil {
			return 0
		}
		if recv == nil || !program.InMRO(g.MRO(recv), up) {
			recv = up
		}
		mro := g.MRO(recv)
		for _, s := range mro[afterInMRO(mro, up):] {
			if list := e.ConstructorsIn(s.Class); len(list) > 0 {
				e.MakeWith(c, list, i.Base)
				return 0
			}
		}
		for _, s := range mro[afterInMRO(mro, up):] {
			if s.Class.Foreign {
				for _, b := range s.Class.Bases {
					for _, w := range g.Elems(b.Values) {
						if x := g.Values.Info[w]; x.Kind == pointsto.External {
							c.External = intern.Name(x.ID)
						}
					}
				}
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
						c.Callees = append(c.Callees, Callee{edge.ID(x.ID), edge.ByConstructor, false})
					}
				}
			}
		}
		return 0
	case pointsto.External:
		c.External = intern.Name(i.ID)
		if c.ForNew && len(c.Explicit) > 0 { // an object of a generic type
			e.Outside(c, 0)
			return g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: i.ID}, c.Explicit))
		}
		if s, ok := e.Lang.CallExternal(e, c, g.Names.Text[i.ID]); ok {
			return s
		}
		if len(c.Args) == 1 {
			e.become(g.Values.Single(v), c.Args[0].Value) // it may be a conversion
		}
		return e.Outside(c, 0)
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
	case pointsto.Many, pointsto.ManyFuncs:
		c.Many = true
	}
	return 0
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
		p := ParamFor(fn, f, i, a.Name, e.File)
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

// Returned is what a function returns, as seen on a receiver and with its type
// parameters bound.
func (e *Evaluator) Returned(id edge.ID, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return e.returnedNth(id, 0, recv, found)
}

func (e *Evaluator) returnedNth(id edge.ID, nth uint32, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	g := e.Family
	fn := g.Func(id)
	if fn == nil {
		return 0
	}
	if e.unused {
		return 0
	}
	s := e.ownResult(id, nth, recv)
	if s == 0 {
		s = e.settledResult(id, nth, recv, found)
	}
	if s == 0 {
		s = e.Cell(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: nth})
		if e.UnitNumber == 0 || s == g.Values.Many {
			f := g.Entities[id].File
			if r := f.Results.Of(ir.Func(g.Entities[id].Ref)); int(nth) < len(r) && r[nth] != 0 {
				s = r[nth]
			}
		}
	}
	if fn.Flags&ir.Generator != 0 {
		if y := e.Cell(pointsto.CellKey{Kind: pointsto.YieldCell, ID: id, Sub: 0}); y != 0 || s == 0 {
			s = g.Union(s, e.Generic("generator", y))
		}
	}
	if recv != 0 {
		if k := g.ClassOf(recv); k != nil {
			s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, k, p) })
		}
	}
	if len(found) > 0 {
		s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { r := found[p]; return r, r != 0 })
	}
	e.last = append(e.last, returning{id, recv, found})
	return s
}

// settledResult is a result of a type parameter's type, where the call shows what
// the parameter stands for and that says all of it: what other instances of the
// function return does not count then. It is 0 for all others.
func (e *Evaluator) settledResult(id edge.ID, nth uint32, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	g := e.Family
	f := g.Entities[id].File
	results := f.Results.Of(ir.Func(g.Entities[id].Ref))
	if !f.Lang.Exact || int(nth) >= len(results) {
		return 0
	}
	declared := results[nth]
	if !g.HasParam(declared, pointsto.MaxDepth+1) {
		return 0
	}
	t := g.Subst(declared, func(p pointsto.Info) (pointsto.Set, bool) { r := found[p]; return r, r != 0 })
	if k := g.ClassOf(recv); k != nil {
		t = e.ThroughMRO(t, recv, k)
	}
	if !settled(g, t, e.File.Lang) {
		return 0
	}
	return t
}

// settled reports whether types without parameters say all of what is of them.
func settled(g *program.Family, t pointsto.Set, l *program.Lang) bool {
	return t != 0 && !g.HasParam(t, pointsto.MaxDepth+1) && !g.Open(t, l)
}

// ownResult is the result of a method that is declared to return its receiver, or
// another one of the receiver's class: that class, whatever class it is written in.
func (e *Evaluator) ownResult(id edge.ID, nth uint32, recv pointsto.Value) pointsto.Set {
	g := e.Family
	if at := &g.Entities[id]; recv == 0 || nth != 0 || !at.File.Fluent[ir.Func(at.Ref)] {
		return 0
	}
	switch i := g.Values.Info[recv]; i.Kind {
	case pointsto.Inst, pointsto.Decl:
		return g.Values.Single(recv)
	case pointsto.Class:
		if e.File.Lang.ExactClasses { // cls() makes an instance of exactly the class that is named
			return e.Single(pointsto.Info{Kind: pointsto.Inst, ID: i.ID, Args: i.Args})
		}
		return e.Single(pointsto.Info{Kind: pointsto.Decl, ID: i.ID, Args: i.Args})
	}
	return 0
}

// A returning is a function whose results the last call gives.
type returning struct {
	id    edge.ID
	recv  pointsto.Value
	found map[pointsto.Info]pointsto.Set
}

// ThroughMRO replaces the parameters of base classes in what a method returned.
func (e *Evaluator) ThroughMRO(s pointsto.Set, recv pointsto.Value, k *program.Class) pointsto.Set {
	g := e.Family
	if !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	for i := range g.MRO(k) {
		s = e.Instantiate(s, recv, &g.MRO(k)[i])
	}
	return s
}

// severalResults are a call and what it gave when it was last evaluated.
type severalResults struct {
	x     ir.Expr
	first pointsto.Set
	last  []returning
	part  uint32 // that evaluated it
	reads [2]int // what had been read by then, in now
}

// result is one of several results.
func (e *Evaluator) result(n *ir.Node) pointsto.Set {
	g := e.Family
	// The results of one call come one after the other.
	if e.several.x != n.A {
		first := e.Eval(n.A)
		e.several = severalResults{n.A, first, e.last, e.part, [2]int{e.firstRead, len(e.now.Reads)}}
	} else if e.several.part != e.part {
		// What it read is read here, too.
		e.now.Reads = append(e.now.Reads, e.now.Reads[e.several.reads[0]:e.several.reads[1]]...)
	}
	first, last := e.several.first, e.several.last
	if n.Ref == 0 {
		return first
	}
	out := pointsto.Set(0)
	for _, r := range last {
		s := e.returnedNth(r.id, n.Ref, r.recv, r.found)
		if k := g.ClassOf(r.recv); k != nil {
			s = e.ThroughMRO(s, r.recv, k)
		}
		out = g.Union(out, s)
	}
	for _, v := range g.Elems(first) {
		if i := g.Values.Info[v]; i.Kind == pointsto.External {
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}

// applied is a generic function or class with its arguments, as a value.
func (e *Evaluator) applied(x ir.Expr, n *ir.Node) pointsto.Set {
	if n.A == 0 {
		e.typeRefs(x)
		return e.Typ(x)
	}
	for _, a := range e.File.IR.Args[n.Lo:n.Hi] {
		e.typeRefs(a.X)
	}
	return e.Eval(n.A)
}

// apply calls a value with one argument: a decorator.
func (e *Evaluator) apply(fn pointsto.Value, arg pointsto.Set, n *ir.Node) pointsto.Set {
	c := &Call{Node: n, Args: []Argument{{Value: arg}}}
	s := e.Invoke(c, fn, edge.ByFlow)
	e.conclude(c)
	return s
}

// Outside is what a call of something outside the index gives: it may call the
// functions it gets, with what the receiver holds, and return any of that.
func (e *Evaluator) Outside(c *Call, recv pointsto.Value) pointsto.Set {
	g := e.Family
	if s, ok := e.Lang.Outside(e, c, recv); ok {
		return s
	}
	held := pointsto.Set(0)
	if recv != 0 {
		i := g.Values.Info[recv]
		switch i.Kind {
		case pointsto.Generic:
			for _, a := range g.Args(i.Args) {
				held = g.Union(held, a)
			}
		case pointsto.Object:
			held = e.GetItem(edge.ID(i.ID), pointsto.SomeItem)
		case pointsto.Inst, pointsto.Decl:
			held = g.Values.Single(recv)
		}
	}
	returns := pointsto.Set(0)
	for _, a := range c.Args {
		for _, v := range g.Elems(a.Value) {
			i := g.Values.Info[v]
			if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ConstructorRef {
				returns = g.Union(returns, e.Instances(g.Values.Arg(v, 0), nil))
				continue
			}
			if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
				continue
			}
			if fn := g.Func(edge.ID(i.ID)); fn != nil {
				for p := range fn.Params {
					e.Pass(edge.ID(i.ID), p, held)
				}
				returns = g.Union(returns, e.Returned(edge.ID(i.ID), i.Base, nil))
			}
		}
	}
	out := pointsto.Set(0)
	if c.External != 0 {
		out = e.External(c.External)
	}
	if recv != 0 && held != 0 {
		if k := g.Values.Info[recv].Kind; k == pointsto.Generic || k == pointsto.Object {
			for _, a := range c.Args { // what is put into it can be taken out again
				for _, v := range g.Elems(a.Value) {
					if j := g.Values.Info[v]; j.Kind == pointsto.Inst || j.Kind == pointsto.Decl {
						held = g.Union(held, g.Values.Single(v))
					}
				}
			}
			out = g.Union(out, g.Union(held, e.Generic("list", g.Union(held, returns))))
			if k == pointsto.Object {
				out = g.Union(out, g.Values.Single(recv))
			}
		}
	} else if returns != 0 {
		out = g.Union(out, g.Union(returns, e.Generic("list", returns)))
	}
	return out
}

// CallUniversal calls a member that is not declared. ok is false when the class has
// none of the name.
func (e *Evaluator) CallUniversal(c *Call, k *program.Class, v pointsto.Value) (pointsto.Set, bool) {
	path, typed, ok := e.Lang.Universal(e, k, v, c.Name)
	if !ok {
		return 0, false
	}
	c.External = e.Family.Names.Intern(path)
	return e.Family.Union(typed, e.Outside(c, 0)), true
}

// CallInherited calls a name that nothing in the index has: a method of a base outside
// of it, one of all objects, or of what is imported statically.
func (e *Evaluator) CallInherited(c *Call) (pointsto.Set, bool) {
	g := e.Family
	path := intern.Name(0)
	e.Enclosing(func(c1 ir.Class) bool {
		k := g.Classes[g.Canonical(e.File, c1)]
		if k == nil {
			return true
		}
		for _, s := range g.MRO(k) {
			if !s.Class.Foreign {
				continue
			}
			for _, v := range g.Elems(e.ForeignBase(s.Class, c.Name)) {
				if i := g.Values.Info[v]; i.Kind == pointsto.External && path == 0 {
					path = intern.Name(i.ID)
				}
			}
		}
		return path == 0
	})
	if path == 0 {
		if only := e.onlyStar(); only != "" {
			path = g.Names.Intern(only + "." + g.Names.Text[c.Name])
		}
	}
	if path == 0 {
		e.Enclosing(func(c1 ir.Class) bool {
			if k := g.Classes[g.Canonical(e.File, c1)]; k != nil && path == 0 {
				if p, _, ok := e.Lang.Universal(e, k, 0, c.Name); ok {
					path = g.Names.Intern(p)
				}
			}
			return path == 0
		})
	}
	if path == 0 {
		return 0, false
	}
	c.External = path
	return e.Outside(c, 0), true
}

// onlyStar is the class outside the index whose static members the file imports all
// of, if there is just one.
func (e *Evaluator) onlyStar() string {
	only := ""
	for i := 1; i < len(e.File.IR.Imports); i++ {
		info := &e.File.IR.Imports[i]
		if info.Flags&ir.StaticName == 0 || e.File.IR.String(info.Name) != "*" || len(e.File.Targets[i].In) > 0 {
			continue
		}
		if only != "" {
			return ""
		}
		only = e.File.IR.String(info.Module)
	}
	return only
}
