package graph

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// callValues calls each of some values.
func (e *eval) callValues(c *calling, s set, rule Rule) set {
	g := e.g
	values := g.elems(s)
	if len(values) > 1 {
		if out, ok := e.f.lang.CallAmong(e, c, values, rule); ok {
			return out
		}
		if out, ok := e.callOverloads(c, values, rule); ok {
			return out
		}
	}
	out := set(0)
	for _, v := range values {
		if e.abstractBound(v) {
			out = g.union(out, e.callAbstract(c, v, values))
			continue
		}
		out = g.union(out, e.invoke(c, v, rule))
	}
	return out
}

// abstractBound reports whether a value is a method of an interface, bound to
// what the interface holds.
func (e *eval) abstractBound(v value) bool {
	i := e.g.values.info[v]
	if i.kind != vBound {
		return false
	}
	fn := e.g.fn(ID(i.id))
	return fn != nil && fn.Flags&ir.Abstract != 0 && e.g.classOf(i.base) != nil
}

// callAbstract calls a method value of an interface: what the interface is known
// to hold is among the values, too, with its own method.
func (e *eval) callAbstract(c *calling, v value, among []value) set {
	g := e.g
	i := g.values.info[v]
	recv := set(0)
	for _, w := range among {
		if j := g.values.info[w]; j.kind == vBound && g.entities[j.id].name == g.entities[i.id].name {
			recv = g.union(recv, g.values.single(j.base))
		}
	}
	name := c.name
	c.name = g.entities[i.id].name
	out := e.callOn(c, i.base, recv, ByFlow)
	if len(c.hits) == 0 {
		c.name = name
	}
	return out
}

// callOverloads chooses among functions of one name that are in scope together.
func (e *eval) callOverloads(c *calling, values []value, rule Rule) (set, bool) {
	g := e.g
	var list []entry
	for _, v := range values {
		i := g.values.info[v]
		if i.kind != vFunc && i.kind != vBound || g.entities[i.id].file == nil {
			return 0, false
		}
		if g.entities[i.id].file.lang.dynamic || len(list) > 0 && g.entities[i.id].name != list[0].name {
			return 0, false
		}
		if e.f.lang.variants && (e.abstractBound(v) || len(list) > 0 && g.qualified(list[0].id) != g.qualified(ID(i.id))) {
			return 0, false
		}
		list = append(list, entry{name: g.entities[i.id].name, kind: ir.FuncMember, id: ID(i.id)})
	}
	chosen, possible := e.overload(c, list)
	out := set(0)
	for _, v := range values {
		i := g.values.info[v]
		if !containsEntry(chosen, ID(i.id)) {
			continue
		}
		if possible && !e.f.lang.variants {
			c.hits = append(c.hits, hit{ID(i.id), ByOverload, true})
			out = g.union(out, e.returned(ID(i.id), i.base, nil))
			continue
		}
		first := len(c.hits)
		out = g.union(out, e.invoke(c, v, rule))
		for n := range c.hits[first:] {
			c.hits[first+n].possible = possible
		}
	}
	return out, true
}

// invoke calls one value.
func (e *eval) invoke(c *calling, v value, rule Rule) set {
	g := e.g
	if e.deeper() {
		return 0
	}
	defer e.shallower()
	i := g.values.info[v]
	switch i.kind {
	case vFunc, vBound:
		id := ID(i.id)
		fn := g.fn(id)
		if fn == nil {
			return 0
		}
		if !e.f.lang.Invokes(c, fn) {
			return 0
		}
		if fn.Flags&ir.Prototype != 0 {
			if def := e.definition(id); def != 0 {
				id, fn = def, g.fn(def)
			}
		}
		if fn.Flags&ir.MacroFunc != 0 {
			rule = ByMacro
		}
		c.hits = append(c.hits, hit{to: id, rule: rule})
		if c.forNew && i.kind == vFunc && e.f.lang.functionsMake {
			made := e.single(valueInfo{kind: vObject, id: uint32(id)})
			e.write(cellKey{cSelf, id, 0}, made)
			e.passArgs(c, id, 0, nil)
			return made
		}
		args := c.args
		if i.kind == vBound {
			e.passSelf(id, i.base)
			if f := g.entities[id].file; f.lang.decorates && fn.Self == 0 && fn.Class == 0 {
				// A function that a decorator left in the place of a method.
				c.args = append([]argument{{value: g.values.single(i.base)}}, args...)
			}
		} else if fn.Self != 0 && fn.Flags&(ir.Static|ir.ClassMethod) == 0 && len(args) > 0 && (fn.Recv == 0 || fn.Flags&ir.Extension != 0) && args[0].kind == ir.Plain && args[0].name == 0 {
			// A method called through its class: the receiver is the first argument.
			e.write(cellKey{cSelf, id, 0}, args[0].value)
			c.args = args[1:]
		}
		if i.kind == vFunc && fn.Name == 0 && len(args) > 0 && e.hasReceiver(g.entities[id].file, ir.Func(g.entities[id].ref)) {
			e.write(cellKey{cSelf, id, 0}, args[0].value)
			c.args = args[1:]
		}
		if i.kind == vFunc && e.f.lang.methodRefs && fn.Class != 0 && fn.Name != 0 && fn.Flags&(ir.Static|ir.ClassMethod|ir.Constructor|ir.Extension) == 0 && len(args) > 0 {
			c.args = args[1:] // C::method: the receiver is the first argument
		}
		e.passArgs(c, id, i.base, nil)
		out := e.returned(id, i.base, e.bindings(c, id, i.base))
		c.args = args
		if i.base != 0 {
			if k := g.classOf(i.base); k != nil {
				out = e.throughLine(out, i.base, k)
			}
		}
		return out
	case vClass:
		k := g.classes[ID(i.id)]
		if k == nil {
			return 0
		}
		if i.args != 0 { // Box[A]()
			return e.construct(c, k, g.values.typed(valueInfo{kind: vInst, id: i.id}, g.args(i.args)))
		}
		if k.info.Kind == ir.Alias {
			out := set(0)
			for _, w := range g.elems(g.aliased(k)) {
				if up := g.classOf(w); up != nil {
					out = g.union(out, e.construct(c, up, w))
				} else if x := g.values.info[w]; x.kind == vExternal || x.kind == vGeneric {
					if e.f.lang.converts {
						c.known = true
					} else {
						c.external = name(x.id)
					}
					out = g.union(out, g.values.single(w))
				}
			}
			return out
		}
		return e.construct(c, k, 0)
	case vInst, vDecl:
		k := g.classes[ID(i.id)]
		if k == nil {
			return 0
		}
		for _, n := range e.f.lang.callable {
			list, at := g.member(k, g.names.intern(n))
			if at < 0 || list[0].kind != ir.FuncMember {
				continue
			}
			chosen, possible := e.overload(c, list)
			out := set(0)
			step := g.lineOf(k)[at]
			for _, m := range chosen {
				out = g.union(out, e.callMethod(c, m, receiver{v, k, &step, g.values.single(v), false}, rule, possible))
			}
			return out
		}
		if k.info.Kind == ir.Enum {
			c.known = true // making a variant with its payload
			return g.values.single(v)
		}
		if k.target != 0 {
			out := set(0)
			e.inside(v, func() { out = e.callValues(c, k.target, rule) })
			return out
		}
		c.reason = FunctionValue
		return 0
	case vSuper:
		up, recv := g.classes[ID(i.id)], g.classOf(i.base)
		if up == nil {
			return 0
		}
		if recv == nil || !hasStep(g.lineOf(recv), up) {
			recv = up
		}
		line := g.lineOf(recv)
		for _, s := range line[stepAfter(line, up):] {
			if list := e.constructorsIn(s.class); len(list) > 0 {
				e.makeWith(c, list, i.base)
				return 0
			}
		}
		for _, s := range line[stepAfter(line, up):] {
			if s.class.foreign {
				for _, b := range s.class.bases {
					for _, w := range g.elems(b.values) {
						if x := g.values.info[w]; x.kind == vExternal {
							c.external = name(x.id)
						}
					}
				}
			}
		}
		if root := e.f.lang.root; c.external == 0 && len(up.bases) == 0 && root != "" {
			c.external = g.names.intern(root)
		}
		if c.external == 0 {
			for _, b := range up.bases {
				for _, w := range g.elems(b.values) {
					switch x := g.values.info[w]; x.kind {
					case vExternal, vGeneric:
						c.external = name(x.id)
					case vDecl, vInst:
						c.hits = append(c.hits, hit{ID(x.id), ByConstructor, false})
					}
				}
			}
		}
		return 0
	case vExternal:
		c.external = name(i.id)
		if c.forNew && len(c.explicit) > 0 { // an object of a generic type
			e.outside(c, 0)
			return g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: i.id}, c.explicit))
		}
		if s, ok := e.f.lang.CallExternal(e, c, g.names.text[i.id]); ok {
			return s
		}
		if len(c.args) == 1 {
			e.become(g.values.single(v), c.args[0].value) // it may be a conversion
		}
		return e.outside(c, 0)
	case vGeneric:
		if w := g.names.text[i.id]; w == "func" || w == extensionForm {
			c.reason = FunctionValue
			for j, a := range c.args {
				e.contextual(a.value, g.values.arg(v, j), nil)
			}
			return g.values.arg(v, -1)
		}
		c.external = name(i.id)
		return e.outside(c, v)
	case vObject:
		// module.exports = function: the module is called.
		c.reason = FunctionValue
		return 0
	case vModule:
		return e.callValues(c, e.cell(cellKey{cName, ID(i.id), uint32(g.names.intern("export:default"))}), ByImport)
	case vParam:
		return e.callValues(c, e.boundOf(i), rule)
	case vMany, vManyFuncs:
		c.many = true
	}
	return 0
}

// definition finds what a prototype declares.
func (e *eval) definition(id ID) ID {
	g := e.g
	at := &g.entities[id]
	if at.file == nil || at.file.pkg == 0 {
		return 0
	}
	b := g.bag(at.file.pkg)
	if at.outer != at.file.id {
		c := g.classes[g.canonicalID(at.outer)]
		if c == nil {
			return 0
		}
		b = &c.bag
	}
	for _, m := range g.find(b, at.name) {
		if fn := g.fn(m.id); fn != nil && fn.Flags&ir.Prototype == 0 && len(fn.Params) == len(g.fn(id).Params) {
			return m.id
		}
	}
	return 0
}

// construct makes an instance.
func (e *eval) construct(c *calling, k *class, typed value) set {
	g := e.g
	if e.f.lang.converts && !c.forNew {
		c.known = true
		out := e.instances(e.single(valueInfo{kind: vClass, id: uint32(k.id)}), c.explicit)
		for _, a := range c.args {
			out = e.narrow(a.value, out)
		}
		return out
	}
	made := typed
	if made == 0 || g.values.info[made].kind != vInst {
		args := c.explicit
		if len(args) == 0 && len(k.info.TypeParams) > 0 {
			args = e.inferred(c, k)
		}
		if len(args) == 0 && typed != 0 {
			args = g.args(g.values.info[typed].args)
		}
		made = g.values.typed(valueInfo{kind: vInst, id: uint32(k.id)}, args)
	}
	out := g.values.single(made)
	if c.quiet && c.forNew || e.f.lang.aggregates { // a composite literal: its fields are filled
		for _, a := range c.args {
			if a.name != 0 {
				e.setAttr(made, e.f.names[a.name], a.value, 0)
			}
		}
		if !e.f.lang.aggregates {
			return out
		}
	}
	if e.f.lang.Construct(e, c, k, made) {
		return out
	}
	ran := false
	for _, s := range g.lineOf(k) {
		if list := e.constructorsIn(s.class); len(list) > 0 {
			e.makeWith(c, list, made)
			ran = true
			if s.class != k && !e.f.lang.inheritsConstructors {
				break
			}
			return out
		}
		if !s.class.file.lang.inheritsConstructors {
			break
		}
	}
	if e.f.lang.aggregates {
		for i, a := range c.args { // an aggregate
			if a.name == 0 && a.value != 0 {
				e.setAttr(made, g.names.intern("#"+strconv.Itoa(i)), a.value, 0)
			}
		}
	}
	if !c.quiet && !ran {
		c.hits = append(c.hits, hit{k.id, ByConstructor, false})
	}
	return out
}

// constructorsIn are the constructors that a class itself has.
func (e *eval) constructorsIn(k *class) []entry {
	var out []entry
	for _, n := range k.file.lang.constructors {
		id := e.g.names.intern(n)
		if n == "" {
			id = e.g.entities[k.id].name
		}
		for _, m := range e.g.declared(k, id) {
			if fn := e.g.fn(m.id); m.kind == ir.FuncMember && fn != nil && (n != "" || fn.Flags&ir.Constructor != 0) {
				out = append(out, m)
			}
		}
	}
	return out
}

// makeWith runs the constructors that fit.
func (e *eval) makeWith(c *calling, list []entry, made value) {
	if e.f.lang.Copies(e, list, c.args, made) {
		c.known = true
		return
	}
	chosen, possible := e.overload(c, list)
	for _, m := range chosen {
		id := m.id
		if fn := e.g.fn(id); fn != nil && fn.Flags&ir.Prototype != 0 {
			if def := e.definition(id); def != 0 {
				id = def
			}
		}
		to := id
		if at := &e.g.entities[id]; at.name == 0 {
			to = at.outer // it is written in the head of the class
		}
		c.hits = append(c.hits, hit{to, ByConstructor, possible})
		e.passSelf(id, made)
		e.passArgs(c, id, made, nil)
	}
}

// inferred are the type arguments that the arguments of a constructor show.
func (e *eval) inferred(c *calling, k *class) []set {
	g := e.g
	found := map[valueInfo]set{}
	for _, m := range e.constructorsIn(k) {
		f := g.entities[m.id].file
		for i, p := range g.fn(m.id).Params {
			if i < len(c.args) {
				e.unify(f.varTypes[p.Var], c.args[i].value, found, 0)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	args := make([]set, len(k.info.TypeParams))
	for i := range args {
		args[i] = found[valueInfo{kind: vParam, id: uint32(k.id), base: value(i)}]
	}
	return args
}

// unify finds what type parameters stand for, from a declared type and a value of it.
func (e *eval) unify(declared, given set, found map[valueInfo]set, depth int) {
	g := e.g
	if depth > maxDepth {
		return
	}
	for _, d := range g.elems(declared) {
		di := g.values.info[d]
		if di.kind == vParam {
			found[di] = g.union(found[di], given)
			continue
		}
		args := g.args(di.args)
		if len(args) == 0 {
			continue
		}
		for _, v := range g.elems(given) {
			vi := g.values.info[v]
			if g.isFunctionType(di) {
				if vi.kind == vFunc || vi.kind == vBound {
					e.unify(args[len(args)-1], e.returned(ID(vi.id), vi.base, nil), found, depth+1)
				} else if vi.kind == vGeneric {
					e.unify(args[len(args)-1], g.values.arg(v, -1), found, depth+1)
				}
				continue
			}
			if vi.kind == vObject {
				e.unify(args[len(args)-1], e.getItem(ID(vi.id), someItem), found, depth+1)
				continue
			}
			have := g.args(vi.args)
			if up, k := g.classOf(d), g.classOf(v); up != nil && k != nil && up != k {
				// As the base sees it.
				for _, s := range g.lineOf(k) {
					if s.class == up {
						as := g.substValue(s.as, func(p valueInfo) (set, bool) { return g.argOf(v, k, p) })
						have = g.args(g.values.info[as].args)
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

// bindings are the type parameters of a function as a call shows them.
func (e *eval) bindings(c *calling, id ID, recv value) map[valueInfo]set {
	g := e.g
	fn := g.fn(id)
	if fn == nil || len(fn.TypeParams()) == 0 {
		return nil
	}
	f := g.entities[id].file
	found := map[valueInfo]set{}
	for i := range c.explicit {
		found[valueInfo{kind: vParam, id: uint32(id), base: value(i)}] = c.explicit[i]
	}
	for i, a := range c.args {
		p := paramFor(fn, f, i, a.name, e.f)
		if p < 0 {
			continue
		}
		declared := f.varTypes[fn.Params[p].Var]
		if fn.Params[p].Kind == ir.Variadic {
			declared = e.elements(declared, nil)
		}
		e.unify(declared, a.value, found, 0)
	}
	if fn.Flags&ir.Extension != 0 && recv != 0 {
		e.unify(g.typeIn(f, ir.Func(g.entities[id].ref), 0, fn.Recv), g.values.single(recv), found, 0)
	}
	return found
}

// returned is what a function returns, as seen on a receiver and with its type
// parameters bound.
func (e *eval) returned(id ID, recv value, found map[valueInfo]set) set {
	return e.returnedNth(id, 0, recv, found)
}

func (e *eval) returnedNth(id ID, nth uint32, recv value, found map[valueInfo]set) set {
	g := e.g
	fn := g.fn(id)
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
		s = e.cell(cellKey{cResult, id, nth})
		if e.n == 0 || s == g.values.many {
			f := g.entities[id].file
			if r := f.results.of(ir.Func(g.entities[id].ref)); int(nth) < len(r) && r[nth] != 0 {
				s = r[nth]
			}
		}
	}
	if fn.Flags&ir.Generator != 0 {
		if y := e.cell(cellKey{cYield, id, 0}); y != 0 || s == 0 {
			s = g.union(s, e.generic("generator", y))
		}
	}
	if recv != 0 {
		if k := g.classOf(recv); k != nil {
			s = g.subst(s, func(p valueInfo) (set, bool) { return g.argOf(recv, k, p) })
		}
	}
	if len(found) > 0 {
		s = g.subst(s, func(p valueInfo) (set, bool) { r := found[p]; return r, r != 0 })
	}
	e.last = append(e.last, returning{id, recv, found})
	return s
}

// settledResult is a result of a type parameter's type, where the call shows what
// the parameter stands for and that says all of it: what other instances of the
// function return does not count then. It is 0 for all others.
func (e *eval) settledResult(id ID, nth uint32, recv value, found map[valueInfo]set) set {
	g := e.g
	f := g.entities[id].file
	results := f.results.of(ir.Func(g.entities[id].ref))
	if !f.lang.exact || int(nth) >= len(results) {
		return 0
	}
	declared := results[nth]
	if !g.hasParam(declared, maxDepth+1) {
		return 0
	}
	t := g.subst(declared, func(p valueInfo) (set, bool) { r := found[p]; return r, r != 0 })
	if k := g.classOf(recv); k != nil {
		t = e.throughLine(t, recv, k)
	}
	if !g.settled(t, e.f.lang) {
		return 0
	}
	return t
}

// settled reports whether types without parameters say all of what is of them.
func (g *family) settled(t set, l *lang) bool {
	return t != 0 && !g.hasParam(t, maxDepth+1) && !g.open(t, l)
}

// ownResult is the result of a method that is declared to return its receiver, or
// another one of the receiver's class: that class, whatever class it is written in.
func (e *eval) ownResult(id ID, nth uint32, recv value) set {
	g := e.g
	if at := &g.entities[id]; recv == 0 || nth != 0 || !at.file.fluent[ir.Func(at.ref)] {
		return 0
	}
	switch i := g.values.info[recv]; i.kind {
	case vInst, vDecl:
		return g.values.single(recv)
	case vClass:
		if e.f.lang.exactClasses { // cls() makes an instance of exactly the class that is named
			return e.single(valueInfo{kind: vInst, id: i.id, args: i.args})
		}
		return e.single(valueInfo{kind: vDecl, id: i.id, args: i.args})
	}
	return 0
}

// A returning is a function whose results the last call gives.
type returning struct {
	id    ID
	recv  value
	found map[valueInfo]set
}

// throughLine replaces the parameters of base classes in what a method returned.
func (e *eval) throughLine(s set, recv value, k *class) set {
	g := e.g
	if !g.hasParam(s, maxDepth+1) {
		return s
	}
	for i := range g.lineOf(k) {
		s = e.seen1(s, recv, &g.lineOf(k)[i])
	}
	return s
}

// severalResults are a call and what it gave when it was last evaluated.
type severalResults struct {
	x     ir.Expr
	first set
	last  []returning
	part  uint32 // that evaluated it
	reads [2]int // what had been read by then, in now
}

// result is one of several results.
func (e *eval) result(n *ir.Node) set {
	g := e.g
	// The results of one call come one after the other.
	if e.several.x != n.A {
		first := e.eval(n.A)
		e.several = severalResults{n.A, first, e.last, e.part, [2]int{e.firstRead, len(e.now.reads)}}
	} else if e.several.part != e.part {
		// What it read is read here, too.
		e.now.reads = append(e.now.reads, e.now.reads[e.several.reads[0]:e.several.reads[1]]...)
	}
	first, last := e.several.first, e.several.last
	if n.Ref == 0 {
		return first
	}
	out := set(0)
	for _, r := range last {
		s := e.returnedNth(r.id, n.Ref, r.recv, r.found)
		if k := g.classOf(r.recv); k != nil {
			s = e.throughLine(s, r.recv, k)
		}
		out = g.union(out, s)
	}
	for _, v := range g.elems(first) {
		if i := g.values.info[v]; i.kind == vExternal {
			out = g.union(out, g.values.single(v))
		}
	}
	return out
}

// applied is a generic function or class with its arguments, as a value.
func (e *eval) applied(x ir.Expr, n *ir.Node) set {
	if n.A == 0 {
		e.typeRefs(x)
		return e.typ(x)
	}
	for _, a := range e.f.ir.Args[n.Lo:n.Hi] {
		e.typeRefs(a.X)
	}
	return e.eval(n.A)
}

// apply calls a value with one argument: a decorator.
func (e *eval) apply(fn value, arg set, n *ir.Node) set {
	c := &calling{node: n, args: []argument{{value: arg}}}
	s := e.invoke(c, fn, ByFlow)
	e.conclude(c)
	return s
}

// outside is what a call of something outside the index gives: it may call the
// functions it gets, with what the receiver holds, and return any of that.
func (e *eval) outside(c *calling, recv value) set {
	g := e.g
	if s, ok := e.f.lang.Outside(e, c, recv); ok {
		return s
	}
	held := set(0)
	if recv != 0 {
		i := g.values.info[recv]
		switch i.kind {
		case vGeneric:
			for _, a := range g.args(i.args) {
				held = g.union(held, a)
			}
		case vObject:
			held = e.getItem(ID(i.id), someItem)
		case vInst, vDecl:
			held = g.values.single(recv)
		}
	}
	returns := set(0)
	for _, a := range c.args {
		for _, v := range g.elems(a.value) {
			i := g.values.info[v]
			if i.kind == vGeneric && g.names.text[i.id] == constructorRef {
				returns = g.union(returns, e.instances(g.values.arg(v, 0), nil))
				continue
			}
			if i.kind != vFunc && i.kind != vBound {
				continue
			}
			if fn := g.fn(ID(i.id)); fn != nil {
				for p := range fn.Params {
					e.pass(ID(i.id), p, held)
				}
				returns = g.union(returns, e.returned(ID(i.id), i.base, nil))
			}
		}
	}
	out := set(0)
	if c.external != 0 {
		out = e.external(c.external)
	}
	if recv != 0 && held != 0 {
		if k := g.values.info[recv].kind; k == vGeneric || k == vObject {
			for _, a := range c.args { // what is put into it can be taken out again
				for _, v := range g.elems(a.value) {
					if j := g.values.info[v]; j.kind == vInst || j.kind == vDecl {
						held = g.union(held, g.values.single(v))
					}
				}
			}
			out = g.union(out, g.union(held, e.generic("list", g.union(held, returns))))
			if k == vObject {
				out = g.union(out, g.values.single(recv))
			}
		}
	} else if returns != 0 {
		out = g.union(out, g.union(returns, e.generic("list", returns)))
	}
	return out
}

// callUniversal calls a member that is not declared. ok is false when the class has
// none of the name.
func (e *eval) callUniversal(c *calling, k *class, v value) (set, bool) {
	path, typed, ok := e.f.lang.Universal(e, k, v, c.name)
	if !ok {
		return 0, false
	}
	c.external = e.g.names.intern(path)
	return e.g.union(typed, e.outside(c, 0)), true
}

// callInherited calls a name that nothing in the index has: a method of a base outside
// of it, one of all objects, or of what is imported statically.
func (e *eval) callInherited(c *calling) (set, bool) {
	g := e.g
	path := name(0)
	e.enclosing(func(c1 ir.Class) bool {
		k := g.classes[g.canonical(e.f, c1)]
		if k == nil {
			return true
		}
		for _, s := range g.lineOf(k) {
			if !s.class.foreign {
				continue
			}
			for _, v := range g.elems(e.foreignBase(s.class, c.name)) {
				if i := g.values.info[v]; i.kind == vExternal && path == 0 {
					path = name(i.id)
				}
			}
		}
		return path == 0
	})
	if path == 0 {
		if only := e.onlyStar(); only != "" {
			path = g.names.intern(only + "." + g.names.text[c.name])
		}
	}
	if path == 0 {
		e.enclosing(func(c1 ir.Class) bool {
			if k := g.classes[g.canonical(e.f, c1)]; k != nil && path == 0 {
				if p, _, ok := e.f.lang.Universal(e, k, 0, c.name); ok {
					path = g.names.intern(p)
				}
			}
			return path == 0
		})
	}
	if path == 0 {
		return 0, false
	}
	c.external = path
	return e.outside(c, 0), true
}

// onlyStar is the class outside the index whose static members the file imports all
// of, if there is just one.
func (e *eval) onlyStar() string {
	only := ""
	for i := 1; i < len(e.f.ir.Imports); i++ {
		info := &e.f.ir.Imports[i]
		if info.Flags&ir.StaticName == 0 || e.f.ir.String(info.Name) != "*" || len(e.f.targets[i].in) > 0 {
			continue
		}
		if only != "" {
			return ""
		}
		only = e.f.ir.String(info.Module)
	}
	return only
}
