package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The overloads of TypeScript are signatures, and one function that serves them all.
// Of the signatures the first that takes the arguments counts, as for the compiler.

// signed splits functions of one name into signatures and those with a body. ok is
// false where there is nothing to choose.
func (e *eval) signed(list []entry) (signatures, bodies []entry, ok bool) {
	if len(list) < 2 {
		return nil, nil, false
	}
	for _, m := range list {
		fn := e.g.fn(m.id)
		if m.kind != ir.FuncMember || fn == nil || fn.Flags&(ir.Getter|ir.Setter) != 0 {
			return nil, nil, false
		}
		if isSignature(fn) {
			signatures = append(signatures, m)
		} else {
			bodies = append(bodies, m)
		}
	}
	return signatures, bodies, len(signatures) > 0
}

// fitting is the signature that a call means.
func (e *eval) fitting(signatures []entry, args []argument) entry {
	for _, m := range signatures {
		if takes(e.g.fn(m.id), args) && e.match(m.id, args) >= 0 {
			return m
		}
	}
	for _, m := range signatures {
		if takes(e.g.fn(m.id), args) {
			return m
		}
	}
	return signatures[len(signatures)-1]
}

// bindingOf gives the type parameters of a called signature and of the receiver.
func (e *eval) bindingOf(c *calling, id ID, recv value) (map[valueInfo]set, substitution) {
	found := e.bindings(c, id, recv)
	k := e.g.classOf(recv)
	return found, func(p valueInfo) (set, bool) {
		if r := found[p]; r != 0 {
			return r, true
		}
		if k != nil {
			return e.g.argOf(recv, k, p)
		}
		return 0, false
	}
}

// CallAmong calls values of which some are overloaded functions: the body runs, and
// the signature says what the arguments are and what comes back. What it declares as
// an interface or function may be what the body returns.
func (*javascript) CallAmong(e *eval, c *calling, values []value, rule Rule) (set, bool) {
	g := e.g
	if c.forNew {
		return 0, false
	}
	type place struct {
		outer ID
		name  name
		base  value
	}
	var order []place
	groups := map[place][]entry{}
	var others []value
	for _, v := range values {
		x := g.values.info[v]
		if x.kind != vFunc && x.kind != vBound || g.fn(ID(x.id)) == nil {
			others = append(others, v)
			continue
		}
		at := place{g.entities[x.id].outer, g.entities[x.id].name, x.base}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], entry{name: at.name, kind: ir.FuncMember, id: ID(x.id)})
	}
	if len(order) == len(values)-len(others) {
		return 0, false
	}
	out := set(0)
	for _, v := range others {
		out = g.union(out, e.invoke(c, v, rule))
	}
	for _, at := range order {
		sortEntries(g, groups[at])
		signatures, bodies, ok := e.signed(groups[at])
		if !ok {
			bodies = groups[at]
		}
		ran := set(0)
		for _, m := range bodies {
			v := g.values.intern(valueInfo{kind: vFunc, id: uint32(m.id)})
			if at.base != 0 {
				v = g.values.intern(valueInfo{kind: vBound, id: uint32(m.id), base: at.base})
			}
			ran = g.union(ran, e.invoke(c, v, rule))
		}
		if ok {
			sig := e.fitting(signatures, c.args)
			if len(bodies) == 0 {
				c.hits = append(c.hits, hit{to: sig.id, rule: rule})
			}
			ran = e.orRan(e.throughSignature(c, sig, at.base), ran)
		}
		out = g.union(out, ran)
	}
	return out, true
}

// orRan adds to what a signature declares what a body returns, where that can be
// more than is declared.
func (e *eval) orRan(declared, ran set) set {
	if e.g.open(declared, e.f.lang) {
		return e.g.union(declared, ran)
	}
	return declared
}

func sortEntries(g *family, list []entry) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && g.compare(list[j].id, list[j-1].id) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// throughSignature types the arguments of a call by a signature, and returns what
// it declares.
func (e *eval) throughSignature(c *calling, sig entry, recv value) set {
	found, with := e.bindingOf(c, sig.id, recv)
	fn, f := e.g.fn(sig.id), e.g.entities[sig.id].file
	for i, a := range c.args {
		if p := paramFor(fn, f, i, a.name, e.f); p >= 0 {
			declared := f.varTypes[fn.Params[p].Var]
			if fn.Params[p].Kind == ir.Variadic {
				declared = e.elements(declared, nil)
			}
			e.expect(a.x, declared, with)
		}
	}
	out := e.returned(sig.id, recv, found)
	if recv != 0 {
		if k := e.g.classOf(recv); k != nil {
			out = e.throughLine(out, recv, k)
		}
	}
	return out
}

// CallMembers is CallAmong for the members of an instance.
func (*javascript) CallMembers(e *eval, c *calling, list []entry, on receiver, rule Rule) (set, bool) {
	signatures, bodies, ok := e.signed(list)
	if !ok {
		return 0, false
	}
	sig := e.fitting(signatures, c.args)
	if len(bodies) == 0 {
		out := e.callMethod(c, sig, on, rule, false)
		e.throughSignature(c, sig, on.value)
		return out, true
	}
	ran := set(0)
	for _, m := range bodies {
		ran = e.g.union(ran, e.callMethod(c, m, on, rule, false))
	}
	return e.orRan(e.seen1(e.throughSignature(c, sig, on.value), on.value, on.at), ran), true
}
