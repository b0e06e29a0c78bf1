package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// An argument is an evaluated argument.
type argument struct {
	name  ir.Str
	value set
	kind  ir.ArgKind
	x     ir.Expr
}

// A hit is a function or class that a call leads to.
type hit struct {
	to       ID
	rule     Rule
	possible bool // one of several that the hierarchy or the overloads allow
}

// A calling is a call that is being resolved.
type calling struct {
	node     *ir.Node
	name     name
	args     []argument
	hits     []hit
	external name
	reason   Reason
	many     bool
	explicit []set // type arguments
	forNew   bool
	quiet    bool    // it is no call in the text
	on       []value // receivers whose members are being called
	via      []dispatch
	known    bool // it runs no code of the index: a conversion, a record's making
}

// setExternal notes what is called outside the index: of several, the first by
// name, since the order of values says nothing.
func (c *calling) setExternal(g *family, n name) {
	if c.external == 0 || g.names.text[n] < g.names.text[c.external] {
		c.external = n
	}
}

// calling returns an empty calling, with the slices of one that has ended.
func (e *eval) calling() *calling {
	if n := len(e.idle); n > 0 {
		c := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return c
	}
	return &calling{}
}

// called takes a calling back whose call has been resolved.
func (e *eval) called(c *calling) {
	*c = calling{args: c.args[:0], hits: c.hits[:0], on: c.on[:0], via: c.via[:0]}
	e.idle = append(e.idle, c)
}

// call resolves a call, makes its edges and returns what it returns.
func (e *eval) call(n *ir.Node) set {
	g, f := e.g, e.f.ir
	unused := e.forEffect
	e.forEffect = false
	c := e.calling()
	defer e.called(c)
	c.node, c.forNew, c.reason, c.quiet = n, n.Op == ir.New, UnknownReceiver, n.Flags&ir.Implicit != 0
	fx := n.A
	for f.Exprs[fx].Op == ir.Apply && f.Exprs[fx].A != 0 {
		a := &f.Exprs[fx]
		for _, arg := range f.Args[a.Lo:a.Hi] {
			e.typeRefs(arg.X)
			c.explicit = append(c.explicit, e.typ(arg.X))
		}
		fx = a.A
	}
	for _, a := range f.Args[n.Lo:n.Hi] {
		c.args = append(c.args, argument{a.Name, e.eval(a.X), a.Kind, a.X})
	}
	fn := &f.Exprs[fx]
	out := set(0)
	recv := set(0)
	if fn.Op == ir.Attr {
		recv = e.eval(fn.A)
	}
	at, outer := e.at, e.unused
	e.at, e.last, e.unused = n.Pos, nil, unused
	defer func() { e.at, e.unused = at, outer }()
	if s, ok := e.f.lang.Call(e, c, fn, recv); ok {
		e.conclude(c)
		return s
	}
	switch fn.Op {
	case ir.Attr:
		c.name = e.f.names[fn.Name]
		out = e.callMember(c, recv, e.ruleOf(fn.A, recv))
		e.f.lang.LateBound(e, c, &f.Exprs[fn.A], recv)
	case ir.Name:
		c.name = e.f.names[fn.Name]
		if recv, pending := e.f.lang.LambdaReceiver(e, c.name); recv != 0 || pending {
			out = e.callMember(c, recv, ByType)
			break
		}
		if recv := e.implicitReceiver(c.name, c.args); recv != 0 && fn.Flags&ir.Path == 0 && !c.forNew {
			out = e.callMember(c, recv, BySelf)
			break
		}
		s, found, rule := e.named(fn)
		if c.forNew && e.f.lang.separate {
			s, found, rule = e.freeType(c.name)
		}
		if c.quiet && c.forNew {
			s = e.f.lang.Initialized(e, c.name, s)
		}
		if s != 0 {
			if s = e.f.lang.Applicable(e, s, c.args); s == 0 {
				s, found = e.external(c.name), false
			}
		}
		if !found {
			if r, ok := e.f.lang.FreeCall(e, c); ok {
				out = r
				break
			}
		}
		c.reason = FunctionValue
		if !found && s == 0 {
			c.reason = UnknownMember
		}
		out = e.callValues(c, s, rule)
	case ir.Super:
		out = e.callValues(c, e.super(fn), ByConstructor)
	case ir.This:
		s := set(0)
		e.enclosing(func(k ir.Class) bool {
			s = e.single(valueInfo{kind: vClass, id: uint32(g.canonical(e.f, k))})
			return false
		})
		out = e.callValues(c, s, ByConstructor)
	case ir.Apply:
		// A conversion to, or the making of, a built-in form.
		c.known = true
		e.typeRefs(fx)
		out = e.typ(fx)
	default:
		c.reason = FunctionValue
		if fn.Op == ir.Local {
			c.name = e.f.names[fn.Name]
		}
		e.unused = false
		s := e.eval(fx)
		e.unused = unused
		out = e.callValues(c, s, ByFlow)
	}
	e.conclude(c)
	return out
}

// ruleOf says how a receiver is known.
func (e *eval) ruleOf(x ir.Expr, recv set) Rule {
	n := &e.f.ir.Exprs[x]
	switch n.Op {
	case ir.This, ir.Super:
		return BySelf
	case ir.Local:
		if e.fn != 0 && e.f.ir.Funcs[e.fn].Self == ir.Var(n.Ref) {
			return BySelf
		}
		if e.f.ir.Vars[n.Ref].Type != 0 {
			return ByType
		}
		return ByFlow
	case ir.Name:
		for _, v := range e.g.elems(recv) {
			if k := e.g.values.info[v].kind; k == vModule {
				return ByImport
			}
		}
	}
	return ByType
}

// conclude makes the edges of a call, or says that it has none.
func (e *eval) conclude(c *calling) {
	if e.mute > 0 || e.n == 0 {
		return
	}
	// Values come in no order: of two ways to one function the less sure one counts.
	// The receiver of a method is one of its class or below, whatever is known to come.
	slices.SortStableFunc(c.hits, func(a, b hit) int {
		switch {
		case a.possible == b.possible:
			return int(a.rule) - int(b.rule)
		case a.possible:
			return -1
		}
		return 1
	})
	for _, v := range c.via {
		c.hits = slices.DeleteFunc(c.hits, func(h hit) bool { return containsEntry(e.g.overrides(v), h.to) })
		e.edge(Edge{From: e.from(), To: v.method, Kind: Calls, Confidence: Possible, Rule: ByHierarchy, Pos: c.node.Pos, via: e.g.dispatchNumber(v)})
	}
	certain := 0
	for i, h := range c.hits {
		if !h.possible && !containsHit(c.hits[:i], h.to) {
			certain++
		}
	}
	for i, h := range c.hits {
		if containsHit(c.hits[:i], h.to) {
			continue
		}
		confidence := Exact
		switch {
		case h.possible:
			confidence = Possible
		case certain > 1 || h.rule == ByHierarchy:
			confidence = Scoped
		}
		e.edge(Edge{From: e.from(), To: h.to, Kind: Calls, Confidence: confidence, Rule: h.rule, Pos: c.node.Pos})
	}
	if len(c.hits)+len(c.via) > 0 && !c.many || c.quiet || c.known {
		return
	}
	e.f.lang.Unresolved(e, c)
	s := site{from: e.from(), pos: c.node.Pos, reason: c.reason, name: c.name}
	switch {
	case c.external != 0:
		s.reason, s.name = External, c.external
	case c.many:
		s.reason = TooMany
	case c.name == 0:
		s.reason = NoName
	}
	e.now.sites = append(e.now.sites, s)
}

// edgeKey is what makes an edge the same one; without To it is a site.
type edgeKey struct {
	from, to ID
	via      uint32
	kind     EdgeKind
	pos      ir.Pos
}

func (x *Edge) key() edgeKey {
	key := edgeKey{x.From, x.To, x.via, x.Kind, x.Pos}
	if x.Kind != Calls {
		key.pos = 0
	}
	return key
}

func containsHit(hits []hit, to ID) bool {
	for _, h := range hits {
		if h.to == to {
			return true
		}
	}
	return false
}

// from is the named function around what is evaluated. For the initial values of
// fields and for code that runs when a class is made it is the class, in languages
// that do not count such code as the file's.
func (e *eval) from() ID {
	if e.fields {
		return e.f.ownerOf(e.class, 0)
	}
	return e.f.ownerOf(0, e.fn)
}

// ownerOf is the node that code belongs to: the innermost function or class around
// it that has a name, or the file.
func (f *file) ownerOf(c ir.Class, fn ir.Func) ID {
	for range maxNesting {
		switch {
		case c != 0:
			info := &f.ir.Classes[c]
			if info.Name != 0 && info.Kind != ir.Namespace && f.lang.classCode {
				return f.classes[c]
			}
			c, fn = info.Outer, info.Func
		case fn > 1:
			info := &f.ir.Funcs[fn]
			if info.Name != 0 {
				return f.funcs[fn]
			}
			fn = info.Outer
			if fn == 0 {
				c = info.Class
			}
		default:
			return f.id
		}
	}
	return f.id
}

func (e *eval) edge(x Edge) {
	if e.mute > 0 || e.n == 0 || x.To == 0 {
		return
	}
	if !e.madeRecently(x) {
		e.now.edges = append(e.now.edges, x)
	}
}

// implicit is an edge to a function that the language calls by itself.
func (e *eval) implicit(to ID) {
	e.edge(Edge{From: e.from(), To: to, Kind: Calls, Confidence: Scoped, Rule: ByProperty, Pos: e.at})
}

// property is an edge to an accessor.
func (e *eval) property(to ID, pos ir.Pos) {
	if pos != 0 {
		e.edge(Edge{From: e.from(), To: to, Kind: Calls, Rule: ByProperty, Pos: pos})
	}
}

// access makes the edges of a read or write that runs an accessor: to the one that
// was found and, where it is only promised or may be overridden, to those below.
func (e *eval) access(m entry, recv value, pos ir.Pos) {
	g := e.g
	fn := g.fn(m.id)
	if pos == 0 || fn == nil || e.mute > 0 {
		return
	}
	abstract := fn.Flags&ir.Abstract != 0
	if !abstract {
		e.property(m.id, pos)
	}
	k := g.classOf(recv)
	if k == nil || g.values.info[recv].kind != vDecl || fn.Flags&(ir.Static|ir.Private) != 0 && !abstract {
		return
	}
	kind := fn.Flags & (ir.Getter | ir.Setter)
	impls := slices.DeleteFunc(slices.Clone(g.overrides(dispatch{k.id, m.id, e.f.lang.anyCount})), func(o entry) bool {
		return g.fn(o.id).Flags&(ir.Getter|ir.Setter) != kind
	})
	for _, o := range impls {
		confidence := Possible
		if abstract && len(impls) == 1 {
			confidence = Scoped
		}
		e.edge(Edge{From: e.from(), To: o.id, Kind: Calls, Confidence: confidence, Rule: ByHierarchy, Pos: pos})
	}
}

// refs makes the edges of functions and classes that are used as values.
func (e *eval) refs(s set, n *ir.Node, rule Rule) {
	if e.mute > 0 || e.n == 0 || s == 0 {
		return
	}
	for _, v := range e.g.elems(s) {
		switch i := e.g.values.info[v]; i.kind {
		case vFunc, vBound, vClass:
			if at := &e.g.entities[i.id]; at.name != 0 {
				e.edge(Edge{From: e.from(), To: ID(i.id), Kind: References, Rule: ByValue, Pos: n.Pos})
			}
		}
	}
}

// callMember calls a member of each of the receivers.
func (e *eval) callMember(c *calling, recv set, rule Rule) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(recv) {
		out = g.union(out, e.callOn(c, v, recv, rule))
	}
	return out
}

func (e *eval) callOn(c *calling, v value, all set, rule Rule) set {
	g := e.g
	// A type may embed what holds it in turn.
	if slices.Contains(c.on, v) || e.deeper() {
		return 0
	}
	c.on = append(c.on, v)
	defer func() { c.on = c.on[:len(c.on)-1]; e.shallower() }()
	if s, ok := e.f.lang.CallOn(e, c, v, all); ok {
		return s
	}
	i := g.values.info[v]
	switch i.kind {
	case vManyFuncs, vMany:
		c.many = true
		return 0
	case vInst, vDecl:
		k := g.classes[ID(i.id)]
		if k == nil {
			return 0
		}
		return e.callInstance(c, v, k, 0, all, rule)
	case vSuper:
		k, recv := g.classes[ID(i.id)], g.classOf(i.base)
		if k == nil {
			return 0
		}
		if recv == nil || !hasStep(g.lineOf(recv), k) {
			recv = k
		}
		if g.values.info[i.base].kind == vClass {
			s, _ := e.attr(v, c.name, 0)
			return e.callValues(c, s, BySelf)
		}
		out := e.callInstance(c, i.base, recv, stepAfter(g.lineOf(recv), k), all, BySelf)
		if len(c.hits) == 0 && !c.known && c.external == 0 && k.foreign {
			for _, w := range g.elems(e.foreignBase(k, c.name)) {
				if x := g.values.info[w]; x.kind == vExternal {
					c.external = name(x.id)
				}
			}
			return g.union(out, e.outside(c, 0))
		}
		return out
	case vClass:
		if s, ok := e.overloaded(c, v, rule); ok {
			return s
		}
		s, ok := e.attr(v, c.name, 0)
		if !ok {
			if s, ok := e.f.lang.CallUndeclared(e, c, g.classOf(v), v, 0); ok {
				return s
			}
			c.reason = UnknownMember
			return 0
		}
		return e.callValues(c, s, rule)
	case vExternal, vGeneric, vObject:
		if i.kind == vGeneric && g.names.text[i.id] == constructorRef {
			return e.callValues(c, g.values.arg(v, 0), ByFlow)
		}
		s, found := e.attr(v, c.name, 0)
		if i.kind == vObject && !found {
			if s, ok := e.f.lang.CallAbsent(e, c, v, s, rule); ok {
				return s
			}
			if list := g.find(g.foreign[g.entities[i.id].name], c.name); len(list) == 0 {
				c.external = g.names.intern(g.names.text[g.entities[i.id].name] + "." + g.names.text[c.name])
				return e.outside(c, v)
			}
		}
		if i.kind == vObject || !g.onlyExternal(s) {
			return e.callValues(c, s, rule)
		}
		if c.quiet && e.f.lang.literalsMake {
			return e.instances(s, c.explicit) // a literal: nothing is called
		}
		for _, w := range g.elems(s) {
			if x := g.values.info[w]; x.kind == vExternal {
				c.setExternal(g, name(x.id))
			}
		}
		if s, ok := e.f.lang.CallLibrary(e, c, v); ok {
			return s
		}
		e.callForeign(i, c.args)
		if len(c.args) == 1 {
			e.become(s, c.args[0].value) // it may be a conversion
		}
		return e.outside(c, v)
	case vParam:
		bound, out := e.boundOf(i), set(0)
		for _, v := range g.values.elems(bound) {
			out = g.union(out, e.callOn(c, v, g.union(all, bound), ByType))
		}
		if len(c.hits) == 0 {
			if s, ok := e.f.lang.CallLibrary(e, c, v); ok {
				return s
			}
		}
		return out
	case vFunc, vBound:
		switch g.names.text[c.name] {
		case "call", "apply", "invoke", "run", "__call__", "Invoke":
			return e.invoke(c, v, ByFlow)
		}
		s, _ := e.attr(v, c.name, 0)
		if s == 0 && !e.f.lang.funcFields {
			c.external = c.name
			return e.outside(c, v)
		}
		return e.callValues(c, s, rule)
	}
	s, _ := e.attr(v, c.name, 0)
	if s == 0 && i.kind == vModule {
		if s, ok := e.f.lang.CallAbsent(e, c, v, s, rule); ok {
			return s
		}
	}
	return e.callValues(c, s, rule)
}

func (g *family) onlyExternal(s set) bool {
	for _, v := range g.elems(s) {
		if k := g.values.info[v].kind; k != vExternal && k != vGeneric {
			return false
		}
	}
	return true
}

// overloaded chooses among the static members of a class of one name.
func (e *eval) overloaded(c *calling, v value, rule Rule) (set, bool) {
	g := e.g
	k := g.classOf(v)
	if k == nil || k.file.lang.dynamic || k.info.Kind == ir.Alias {
		return 0, false
	}
	list, at := g.member(k, c.name)
	if at < 0 || len(list) < 2 || list[0].kind != ir.FuncMember {
		return 0, false
	}
	chosen, possible := e.overload(c, e.f.lang.ForTypes(e, list, c.explicit))
	out := set(0)
	if possible {
		for _, m := range chosen {
			c.hits = append(c.hits, hit{m.id, ByOverload, true})
			out = g.union(out, e.returned(m.id, 0, e.bindings(c, m.id, 0)))
		}
		return out, true
	}
	for _, m := range chosen {
		out = g.union(out, e.single(valueInfo{kind: vFunc, id: uint32(m.id)}))
	}
	return e.callValues(c, out, rule), true
}

// callInstance calls a method of an instance, or what lies in a field of it.
func (e *eval) callInstance(c *calling, recv value, k *class, from int, all set, rule Rule) set {
	g := e.g
	line := g.lineOf(k)
	later := false // what is left is what was passed over
	rest := line[min(from, len(line)):]
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
		list := e.candidates(e.sideOf(g.declared(s.class, c.name), false), c.args)
		if len(list) == 0 || !later && (k.file.lang.passesOver && !e.callable(list, c.args) || g.demanded(s.class, list)) {
			continue
		}
		if s.via != nil {
			return e.callMember(c, e.held(s.via, recv), ByType)
		}
		if list[0].kind != ir.FuncMember || e.isGetter(list[0]) {
			values := e.bound(list, recv, &s, c.node.Pos)
			if k.file.lang.dynamic {
				values = g.union(values, e.undeclared(line, c.name))
			}
			c.reason = FunctionValue
			before := len(c.hits)
			out := e.callValues(c, values, ByFlow)
			if len(c.hits) == before && c.external == 0 {
				out = g.union(out, e.f.lang.CallHeld(e, c, s.class, 0))
			}
			return out
		}
		if list[0].kind == ir.FuncMember && k.file.lang.decorates && e.decorated(list) {
			return e.callValues(c, e.bound(list, recv, &s, 0), rule)
		}
		on := receiver{recv, k, &s, all, from > 0}
		if out, ok := e.f.lang.CallMembers(e, c, list, on, rule); ok {
			return out
		}
		chosen, possible := e.overload(c, e.f.lang.ForTypes(e, list, c.explicit))
		out := set(0)
		for _, m := range chosen {
			out = g.union(out, e.callMethod(c, m, on, rule, possible))
		}
		return out
	}
	if s, ok := k.file.lang.CallMissing(e, c, k, recv, from, rule); ok {
		return s
	}
	// Not declared: a field that was assigned, the underlying type, a foreign base.
	s, found := e.instanceAttr(recv, k, from, c.name, c.node.Pos)
	if s, ok := k.file.lang.CallAbsent(e, c, recv, s, rule); ok {
		return s
	}
	if !found {
		if s, ok := e.f.lang.CallUndeclared(e, c, k, recv, from); ok {
			return s
		}
		c.reason = UnknownMember
		if b := g.foreign[g.entities[k.id].name]; b != nil && len(g.find(b, c.name)) > 0 {
			return e.callValues(c, e.bound(g.find(b, c.name), recv, nil, 0), rule)
		}
		return 0
	}
	if s == 0 {
		c.reason = UnknownMember
	}
	return e.callValues(c, s, ByFlow)
}

// callable reports whether one of the members of a class is meant by a call rather
// than those of its bases: one that takes the arguments, and is no extension.
func (e *eval) callable(list []entry, args []argument) bool {
	for _, m := range list {
		fn := e.g.fn(m.id)
		if fn == nil || fn.Flags&ir.Getter != 0 || fn.Flags&ir.Extension == 0 && takes(fn, args) {
			return true
		}
	}
	return false
}

func (e *eval) decorated(list []entry) bool {
	fn := e.g.fn(list[0].id)
	return fn != nil && len(fn.Decorators()) > 0
}

func (e *eval) isGetter(m entry) bool {
	fn := e.g.fn(m.id)
	return fn != nil && fn.Flags&ir.Getter != 0
}

// callMethod calls a method that was found in the class of the receiver, and what
// may run in its place further down.
func (e *eval) callMethod(c *calling, m entry, on receiver, rule Rule, possible bool) set {
	g := e.g
	recv, k, at, all, super := on.value, on.class, on.at, on.all, on.super
	fn := g.fn(m.id)
	if fn == nil {
		return 0
	}
	declared := g.values.info[recv].kind == vDecl && !super
	abstract := fn.Flags&ir.Abstract != 0
	if !abstract {
		if possible {
			rule = ByOverload
		}
		c.hits = append(c.hits, hit{m.id, rule, possible})
		e.passSelf(m.id, recv)
		if k.target != 0 && k.file.lang.definedTypes {
			e.write(cellKey{cSelf, m.id, 0}, g.bare(all))
		}
		e.passArgs(c, m.id, recv, at)
	}
	out := e.seen1(e.returned(m.id, recv, e.bindings(c, m.id, recv)), recv, at)
	if at.class != k {
		out = k.file.lang.AsSelf(e, out, at.class, recv)
	}
	if !declared || fn.Flags&(ir.Private|ir.Static) != 0 && !abstract {
		if abstract && !declared {
			if to := k.file.lang.Delegated(e, k, recv); to != 0 {
				return g.union(out, e.callMember(c, to, ByFlow))
			}
			c.reason = UnknownMember
		}
		return out
	}
	if k.file.lang.virtualOnly && !abstract && !g.isVirtual(k, c.name) {
		return out
	}
	via := dispatch{k.id, m.id, e.f.lang.anyCount}
	impls := g.overrides(via)
	if abstract {
		// Values that are known to come here say more than the hierarchy.
		for _, v := range g.elems(all) {
			if e.f.lang.functional && (g.values.info[v].kind == vFunc || g.values.info[v].kind == vBound) {
				e.edge(Edge{From: e.from(), To: m.id, Kind: References, Rule: ByHierarchy, Pos: c.node.Pos})
				c.known = true
				return out
			}
			if g.values.info[v].kind == vInst && v != recv {
				if o := g.classOf(v); o != nil && o != k && g.isAbove(k, o) {
					e.edge(Edge{From: e.from(), To: m.id, Kind: References, Rule: ByHierarchy, Pos: c.node.Pos})
					c.known = true
					return out
				}
			}
		}
		e.edge(Edge{From: e.from(), To: m.id, Kind: References, Rule: ByHierarchy, Pos: c.node.Pos})
		if e.f.lang.KnownObject(e, all, c.name) {
			c.known = true
			return out
		}
		c.reason = UnknownMember
		before := len(c.hits)
		held := e.f.lang.CallHeld(e, c, at.class, len(impls))
		if len(fn.Results) == 0 {
			out = g.union(out, held)
		}
		if len(impls) == 1 && len(c.hits) == before {
			c.hits = append(c.hits, hit{impls[0].id, ByHierarchy, false})
			e.passArgs(c, impls[0].id, 0, nil)
			if len(fn.Results) == 0 {
				out = g.union(out, e.returned(impls[0].id, 0, nil))
			}
			return out
		}
	}
	if len(impls) > fewOverrides {
		c.via = append(c.via, via)
		return out
	}
	for _, o := range impls {
		c.hits = append(c.hits, hit{o.id, ByHierarchy, true})
	}
	return out
}

func containsEntry(list []entry, id ID) bool {
	for _, e := range list {
		if e.id == id {
			return true
		}
	}
	return false
}

// arg is the value of an argument, or nothing.
func (c *calling) arg(n int) set {
	if n < len(c.args) {
		return c.args[n].value
	}
	return 0
}
