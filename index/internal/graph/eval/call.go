package eval

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// An Argument is an evaluated argument.
type Argument struct {
	Name  ir.Str
	Value pointsto.Set
	Kind  ir.ArgKind
	X     ir.Expr
}

// A Callee is a function or class that a call leads to.
type Callee struct {
	To       edge.ID
	Rule     edge.Rule
	Possible bool // one of several that the hierarchy or the overloads allow
}

// A Call is a call that is being resolved.
type Call struct {
	Node     *ir.Node
	Name     intern.Name
	Args     []Argument
	Callees  []Callee
	External intern.Name
	Reason   edge.Reason
	Many     bool
	Explicit []pointsto.Set // type arguments
	ForNew   bool
	Quiet    bool             // it is no call in the text
	on       []pointsto.Value // receivers whose members are being called
	via      []program.Dispatch
	Known    bool // it runs no code of the index: a conversion, a record's making
}

// setExternal notes what is called outside the index: of several, the first by
// name, since the order of values says nothing.
func (c *Call) setExternal(g *program.Family, n intern.Name) {
	if c.External == 0 || g.Names.Text[n] < g.Names.Text[c.External] {
		c.External = n
	}
}

// calling returns an empty calling, with the slices of one that has ended.
func (e *Evaluator) calling() *Call {
	if n := len(e.idle); n > 0 {
		c := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return c
	}
	return &Call{}
}

// called takes a calling back whose call has been resolved.
func (e *Evaluator) called(c *Call) {
	*c = Call{Args: c.Args[:0], Callees: c.Callees[:0], on: c.on[:0], via: c.via[:0]}
	e.idle = append(e.idle, c)
}

// call resolves a call, makes its edges and returns what it returns.
func (e *Evaluator) call(n *ir.Node) pointsto.Set {
	g, f := e.Family, e.File.IR
	unused := e.forEffect
	e.forEffect = false
	c := e.calling()
	defer e.called(c)
	c.Node, c.ForNew, c.Reason, c.Quiet = n, n.Op == ir.New, edge.UnknownReceiver, n.Flags&ir.Implicit != 0
	fx := n.A
	for f.Exprs[fx].Op == ir.Apply && f.Exprs[fx].A != 0 {
		a := &f.Exprs[fx]
		for _, arg := range f.Args[a.Lo:a.Hi] {
			e.typeRefs(arg.X)
			c.Explicit = append(c.Explicit, e.Typ(arg.X))
		}
		fx = a.A
	}
	for _, a := range f.Args[n.Lo:n.Hi] {
		c.Args = append(c.Args, Argument{a.Name, e.Eval(a.X), a.Kind, a.X})
	}
	fn := &f.Exprs[fx]
	out := pointsto.Set(0)
	recv := pointsto.Set(0)
	if fn.Op == ir.Attr {
		recv = e.Eval(fn.A)
	}
	at, outer := e.At, e.unused
	e.At, e.last, e.unused = n.Pos, nil, unused
	defer func() { e.At, e.unused = at, outer }()
	if s, ok := e.Lang.Call(e, c, fn, recv); ok {
		e.conclude(c)
		return s
	}
	switch fn.Op {
	case ir.Attr:
		c.Name = e.File.Names[fn.Name]
		out = e.CallMember(c, recv, e.ruleOf(fn.A, recv))
		e.Lang.LateBound(e, c, &f.Exprs[fn.A], recv)
	case ir.Name:
		c.Name = e.File.Names[fn.Name]
		if recv, pending := e.Lang.LambdaReceiver(e, c.Name); recv != 0 || pending {
			out = e.CallMember(c, recv, edge.ByType)
			break
		}
		if recv := e.implicitReceiver(c.Name, c.Args); recv != 0 && fn.Flags&ir.Path == 0 && !c.ForNew {
			out = e.CallMember(c, recv, edge.BySelf)
			break
		}
		s, found, rule := e.named(fn)
		if c.ForNew && e.File.Lang.Separate {
			s, found, rule = e.freeType(c.Name)
		}
		if c.Quiet && c.ForNew {
			s = e.Lang.Initialized(e, c.Name, s)
		}
		if s != 0 {
			if s = e.Lang.Applicable(e, s, c.Args); s == 0 {
				s, found = e.External(c.Name), false
			}
		}
		if !found {
			if r, ok := e.Lang.FreeCall(e, c); ok {
				out = r
				break
			}
		}
		c.Reason = edge.FunctionValue
		if !found && s == 0 {
			c.Reason = edge.UnknownMember
		}
		out = e.CallValues(c, s, rule)
	case ir.Super:
		out = e.CallValues(c, e.super(fn), edge.ByConstructor)
	case ir.This:
		s := pointsto.Set(0)
		e.Enclosing(func(k ir.Class) bool {
			s = e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(g.Canonical(e.File, k))})
			return false
		})
		out = e.CallValues(c, s, edge.ByConstructor)
	case ir.Apply:
		// A conversion to, or the making of, a built-in form.
		c.Known = true
		e.typeRefs(fx)
		out = e.Typ(fx)
	default:
		c.Reason = edge.FunctionValue
		if fn.Op == ir.Local {
			c.Name = e.File.Names[fn.Name]
		}
		e.unused = false
		s := e.Eval(fx)
		e.unused = unused
		out = e.CallValues(c, s, edge.ByFlow)
	}
	e.conclude(c)
	return out
}

// ruleOf says how a receiver is known.
func (e *Evaluator) ruleOf(x ir.Expr, recv pointsto.Set) edge.Rule {
	n := &e.File.IR.Exprs[x]
	switch n.Op {
	case ir.This, ir.Super:
		return edge.BySelf
	case ir.Local:
		if e.Func != 0 && e.File.IR.Funcs[e.Func].Self == ir.Var(n.Ref) {
			return edge.BySelf
		}
		if e.File.IR.Vars[n.Ref].Type != 0 {
			return edge.ByType
		}
		return edge.ByFlow
	case ir.Name:
		for _, v := range e.Family.Elems(recv) {
			if k := e.Family.Values.Info[v].Kind; k == pointsto.Module {
				return edge.ByImport
			}
		}
	}
	return edge.ByType
}

// conclude makes the edges of a call, or says that it has none.
func (e *Evaluator) conclude(c *Call) {
	if e.Mute > 0 || e.UnitNumber == 0 {
		return
	}
	// Values come in no order: of two ways to one function the less sure one counts.
	// The receiver of a method is one of its class or below, whatever is known to come.
	slices.SortStableFunc(c.Callees, func(a, b Callee) int {
		switch {
		case a.Possible == b.Possible:
			return int(a.Rule) - int(b.Rule)
		case a.Possible:
			return -1
		}
		return 1
	})
	for _, v := range c.via {
		c.Callees = slices.DeleteFunc(c.Callees, func(h Callee) bool { return ContainsEntry(e.Family.Overrides(v), h.To) })
		e.edge(edge.Edge{From: e.from(), To: v.Method, Kind: edge.Calls, Confidence: edge.Possible, Rule: edge.ByHierarchy, Pos: c.Node.Pos, Via: e.Family.DispatchNumber(v)})
	}
	certain := 0
	for i, h := range c.Callees {
		if !h.Possible && !containsHit(c.Callees[:i], h.To) {
			certain++
		}
	}
	for i, h := range c.Callees {
		if containsHit(c.Callees[:i], h.To) {
			continue
		}
		confidence := edge.Exact
		switch {
		case h.Possible:
			confidence = edge.Possible
		case certain > 1 || h.Rule == edge.ByHierarchy:
			confidence = edge.Scoped
		}
		e.edge(edge.Edge{From: e.from(), To: h.To, Kind: edge.Calls, Confidence: confidence, Rule: h.Rule, Pos: c.Node.Pos})
	}
	if len(c.Callees)+len(c.via) > 0 && !c.Many || c.Quiet || c.Known {
		return
	}
	e.Lang.Unresolved(e, c)
	s := program.Site{From: e.from(), Pos: c.Node.Pos, Reason: c.Reason, Name: c.Name}
	switch {
	case c.External != 0:
		s.Reason, s.Name = edge.External, c.External
	case c.Many:
		s.Reason = edge.TooMany
	case c.Name == 0:
		s.Reason = edge.NoName
	}
	e.now.Sites = append(e.now.Sites, s)
}

func containsHit(hits []Callee, to edge.ID) bool {
	for _, h := range hits {
		if h.To == to {
			return true
		}
	}
	return false
}

// from is the named function around what is evaluated. For the initial values of
// fields and for code that runs when a class is made it is the class, in languages
// that do not count such code as the file's.
func (e *Evaluator) from() edge.ID {
	if e.Fields {
		return e.File.OwnerOf(e.class, 0)
	}
	return e.File.OwnerOf(0, e.Func)
}

func (e *Evaluator) edge(x edge.Edge) {
	if e.Mute > 0 || e.UnitNumber == 0 || x.To == 0 {
		return
	}
	if !e.madeRecently(x) {
		e.now.Edges = append(e.now.Edges, x)
	}
}

// Implicit is an edge to a function that the language calls by itself.
func (e *Evaluator) Implicit(to edge.ID) {
	e.edge(edge.Edge{From: e.from(), To: to, Kind: edge.Calls, Confidence: edge.Scoped, Rule: edge.ByProperty, Pos: e.At})
}

// Property is an edge to an accessor.
func (e *Evaluator) Property(to edge.ID, pos ir.Pos) {
	if pos != 0 {
		e.edge(edge.Edge{From: e.from(), To: to, Kind: edge.Calls, Rule: edge.ByProperty, Pos: pos})
	}
}

// access makes the edges of a read or write that runs an accessor: to the one that
// was found and, where it is only promised or may be overridden, to those below.
func (e *Evaluator) access(m program.Entry, recv pointsto.Value, pos ir.Pos) {
	g := e.Family
	fn := g.Func(m.ID)
	if pos == 0 || fn == nil || e.Mute > 0 {
		return
	}
	abstract := fn.Flags&ir.Abstract != 0
	if !abstract {
		e.Property(m.ID, pos)
	}
	k := g.ClassOf(recv)
	if k == nil || g.Values.Info[recv].Kind != pointsto.Decl || fn.Flags&(ir.Static|ir.Private) != 0 && !abstract {
		return
	}
	kind := fn.Flags & (ir.Getter | ir.Setter)
	impls := slices.DeleteFunc(slices.Clone(g.Overrides(program.Dispatch{Class: k.ID, Method: m.ID, AnyCount: e.File.Lang.AnyCount})), func(o program.Entry) bool {
		return g.Func(o.ID).Flags&(ir.Getter|ir.Setter) != kind
	})
	for _, o := range impls {
		confidence := edge.Possible
		if abstract && len(impls) == 1 {
			confidence = edge.Scoped
		}
		e.edge(edge.Edge{From: e.from(), To: o.ID, Kind: edge.Calls, Confidence: confidence, Rule: edge.ByHierarchy, Pos: pos})
	}
}

// refs makes the edges of functions and classes that are used as values.
func (e *Evaluator) refs(s pointsto.Set, n *ir.Node, rule edge.Rule) {
	if e.Mute > 0 || e.UnitNumber == 0 || s == 0 {
		return
	}
	for _, v := range e.Family.Elems(s) {
		switch i := e.Family.Values.Info[v]; i.Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Class:
			if at := &e.Family.Entities[i.ID]; at.Name != 0 {
				e.edge(edge.Edge{From: e.from(), To: edge.ID(i.ID), Kind: edge.References, Rule: edge.ByValue, Pos: n.Pos})
			}
		}
	}
}

// CallMember calls a member of each of the receivers.
func (e *Evaluator) CallMember(c *Call, recv pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(recv) {
		out = g.Union(out, e.CallOn(c, v, recv, rule))
	}
	return out
}

// CallOn calls a member of one value; all are those that the receiver may be.
func (e *Evaluator) CallOn(c *Call, v pointsto.Value, all pointsto.Set, rule edge.Rule) pointsto.Set {
	g := e.Family
	// A type may embed what holds it in turn.
	if slices.Contains(c.on, v) || e.tooDeep() {
		return 0
	}
	c.on = append(c.on, v)
	defer func() { c.on = c.on[:len(c.on)-1]; e.up() }()
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
		out := e.CallInstance(c, i.Base, recv, afterInMRO(g.MRO(recv), k), all, edge.BySelf)
		if len(c.Callees) == 0 && !c.Known && c.External == 0 && k.Foreign {
			for _, w := range g.Elems(e.ForeignBase(k, c.Name)) {
				if x := g.Values.Info[w]; x.Kind == pointsto.External {
					c.External = intern.Name(x.ID)
				}
			}
			return g.Union(out, e.Outside(c, 0))
		}
		return out
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
		if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ConstructorRef {
			return e.CallValues(c, g.Values.Arg(v, 0), edge.ByFlow)
		}
		s, found := e.Attr(v, c.Name, 0)
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
			return e.CallValues(c, s, rule)
		}
		if c.Quiet && e.File.Lang.LiteralsMake {
			return e.Instances(s, c.Explicit) // a literal: nothing is called
		}
		for _, w := range g.Elems(s) {
			if x := g.Values.Info[w]; x.Kind == pointsto.External {
				c.setExternal(g, intern.Name(x.ID))
			}
		}
		if s, ok := e.Lang.CallLibrary(e, c, v); ok {
			return s
		}
		e.callForeign(i, c.Args)
		if len(c.Args) == 1 {
			e.become(s, c.Args[0].Value) // it may be a conversion
		}
		return e.Outside(c, v)
	case pointsto.Param:
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
	case pointsto.Func, pointsto.Bound:
		switch g.Names.Text[c.Name] {
		case "call", "apply", "invoke", "run", "__call__", "Invoke":
			return e.Invoke(c, v, edge.ByFlow)
		}
		s, _ := e.Attr(v, c.Name, 0)
		if s == 0 && !e.File.Lang.FuncFields {
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

// overloaded chooses among the static members of a class of one name.
func (e *Evaluator) overloaded(c *Call, v pointsto.Value, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	k := g.ClassOf(v)
	if k == nil || k.File.Lang.Dynamic || k.Info.Kind == ir.Alias {
		return 0, false
	}
	list, at := g.Member(k, c.Name)
	if at < 0 || len(list) < 2 || list[0].Kind != ir.FuncMember {
		return 0, false
	}
	chosen, possible := e.Overload(c, e.Lang.ForTypes(e, list, c.Explicit))
	out := pointsto.Set(0)
	if possible {
		for _, m := range chosen {
			c.Callees = append(c.Callees, Callee{m.ID, edge.ByOverload, true})
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
		list := e.candidates(e.sideOf(g.Declared(s.Class, c.Name), false), c.Args)
		if len(list) == 0 || !later && (k.File.Lang.PassesOver && !e.callable(list, c.Args) || g.Demanded(s.Class, list)) {
			continue
		}
		if s.Via != nil {
			return e.CallMember(c, e.held(s.Via, recv), edge.ByType)
		}
		if list[0].Kind != ir.FuncMember || e.IsGetter(list[0]) {
			values := e.Bound(list, recv, &s, c.Node.Pos)
			if k.File.Lang.Dynamic {
				values = g.Union(values, e.Undeclared(mro, c.Name))
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
		on := Receiver{recv, k, &s, all, from > 0}
		if out, ok := e.Lang.CallMembers(e, c, list, on, rule); ok {
			return out
		}
		chosen, possible := e.Overload(c, e.Lang.ForTypes(e, list, c.Explicit))
		out := pointsto.Set(0)
		for _, m := range chosen {
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

// callable reports whether one of the members of a class is meant by a call rather
// than those of its bases: one that takes the arguments, and is no extension.
func (e *Evaluator) callable(list []program.Entry, args []Argument) bool {
	for _, m := range list {
		fn := e.Family.Func(m.ID)
		if fn == nil || fn.Flags&ir.Getter != 0 || fn.Flags&ir.Extension == 0 && Takes(fn, args) {
			return true
		}
	}
	return false
}

// Decorated reports whether a function has decorators.
func (e *Evaluator) Decorated(list []program.Entry) bool {
	fn := e.Family.Func(list[0].ID)
	return fn != nil && len(fn.Decorators()) > 0
}

// IsGetter reports whether a member is an accessor that is read.
func (e *Evaluator) IsGetter(m program.Entry) bool {
	fn := e.Family.Func(m.ID)
	return fn != nil && fn.Flags&ir.Getter != 0
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
		c.Callees = append(c.Callees, Callee{m.ID, rule, possible})
		e.PassSelf(m.ID, recv)
		if k.Target != 0 && k.File.Lang.DefinedTypes {
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: m.ID, Sub: 0}, bare(g, all))
		}
		e.PassArgs(c, m.ID, recv, at)
	}
	out := e.Instantiate(e.Returned(m.ID, recv, e.Bindings(c, m.ID, recv)), recv, at)
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
		// Values that are known to come here say more than the hierarchy.
		for _, v := range g.Elems(all) {
			if e.File.Lang.Functional && (g.Values.Info[v].Kind == pointsto.Func || g.Values.Info[v].Kind == pointsto.Bound) {
				e.edge(edge.Edge{From: e.from(), To: m.ID, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
				c.Known = true
				return out
			}
			if g.Values.Info[v].Kind == pointsto.Inst && v != recv {
				if o := g.ClassOf(v); o != nil && o != k && g.IsAbove(k, o) {
					e.edge(edge.Edge{From: e.from(), To: m.ID, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
					c.Known = true
					return out
				}
			}
		}
		e.edge(edge.Edge{From: e.from(), To: m.ID, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
		if e.Lang.KnownObject(e, all, c.Name) {
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
			c.Callees = append(c.Callees, Callee{impls[0].ID, edge.ByHierarchy, false})
			e.PassArgs(c, impls[0].ID, 0, nil)
			if len(fn.Results) == 0 {
				out = g.Union(out, e.Returned(impls[0].ID, 0, nil))
			}
			return out
		}
	}
	if len(impls) > program.FewOverrides {
		c.via = append(c.via, via)
		return out
	}
	for _, o := range impls {
		c.Callees = append(c.Callees, Callee{o.ID, edge.ByHierarchy, true})
	}
	return out
}

// ContainsEntry reports whether a node is among some members.
func ContainsEntry(list []program.Entry, id edge.ID) bool {
	for _, e := range list {
		if e.ID == id {
			return true
		}
	}
	return false
}

// Arg is the value of an argument, or nothing.
func (c *Call) Arg(n int) pointsto.Set {
	if n < len(c.Args) {
		return c.Args[n].Value
	}
	return 0
}

// A Receiver is what a member is called on.
type Receiver struct {
	Value pointsto.Value
	Class *program.Class
	At    *program.Ancestor // of the class's MRO, where the member is
	All   pointsto.Set      // all values that the receiver may be
	Super bool              // the members of the class itself are passed over
}
