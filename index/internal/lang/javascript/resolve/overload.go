package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The overloads of TypeScript are signatures, and one function that serves them all.
// Of the signatures the first that takes the arguments counts, as for the compiler.

// signed splits functions of one name into signatures and those with a body. ok is
// false where there is nothing to choose.
func signed(e *eval.Evaluator, list []program.Entry) (signatures, bodies []program.Entry, ok bool) {
	if len(list) < 2 {
		return nil, nil, false
	}
	for _, m := range list {
		fn := e.Family.Func(m.ID)
		if m.Kind != ir.FuncMember || fn == nil || fn.Flags&(ir.Getter|ir.Setter) != 0 {
			return nil, nil, false
		}
		if program.IsSignature(fn) {
			signatures = append(signatures, m)
		} else {
			bodies = append(bodies, m)
		}
	}
	return signatures, bodies, len(signatures) > 0
}

// fitting is the signature that a call means.
func fitting(e *eval.Evaluator, signatures []program.Entry, args []eval.Argument) program.Entry {
	for _, m := range signatures {
		if call.Takes(e.Family.Func(m.ID), args) && e.Match(m.ID, args) >= 0 {
			return m
		}
	}
	for _, m := range signatures {
		if call.Takes(e.Family.Func(m.ID), args) {
			return m
		}
	}
	return signatures[len(signatures)-1]
}

// bindingOf gives the type parameters of a called signature and of the receiver.
func bindingOf(e *eval.Evaluator, c *eval.Call, id edge.ID, recv pointsto.Value) (map[pointsto.Info]pointsto.Set, program.Substitution) {
	found := e.Bindings(c, id, recv)
	k := e.Family.ClassOf(recv)
	return found, func(p pointsto.Info) (pointsto.Set, bool) {
		if r := found[p]; r != 0 {
			return r, true
		}
		if k != nil {
			return e.Family.ArgOf(recv, k, p)
		}
		return 0, false
	}
}

// CallAmong calls values of which some are overloaded functions: the body runs, and
// the signature says what the arguments are and what comes back. What it declares as
// an interface or function may be what the body returns.
func (*language) CallAmong(e *eval.Evaluator, c *eval.Call, values []pointsto.Value, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	if c.ForNew {
		return 0, false
	}
	type place struct {
		outer edge.ID
		name  intern.Name
		base  pointsto.Value
	}
	var order []place
	groups := map[place][]program.Entry{}
	var others []pointsto.Value
	for _, v := range values {
		x := g.Values.Info[v]
		if x.Kind != pointsto.Func && x.Kind != pointsto.Bound || g.Func(edge.ID(x.ID)) == nil {
			others = append(others, v)
			continue
		}
		at := place{g.Entities[x.ID].Outer, g.Entities[x.ID].Name, x.Base}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], program.Entry{Name: at.name, Kind: ir.FuncMember, ID: edge.ID(x.ID)})
	}
	if len(order) == len(values)-len(others) {
		return 0, false
	}
	out := pointsto.Set(0)
	for _, v := range others {
		out = g.Union(out, e.Invoke(c, v, rule))
	}
	for _, at := range order {
		sortEntries(g, groups[at])
		signatures, bodies, ok := signed(e, groups[at])
		if !ok {
			bodies = groups[at]
		}
		ran := pointsto.Set(0)
		for _, m := range bodies {
			v := g.Values.Intern(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)})
			if at.base != 0 {
				v = g.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: at.base})
			}
			ran = g.Union(ran, e.Invoke(c, v, rule))
		}
		if ok {
			sig := fitting(e, signatures, c.Args)
			if len(bodies) == 0 {
				c.Add(sig.ID, rule, false)
			}
			ran = orRan(e, throughSignature(e, c, sig, at.base), ran)
		}
		out = g.Union(out, ran)
	}
	return out, true
}

// orRan adds to what a signature declares what a body returns, where that can be
// more than is declared.
func orRan(e *eval.Evaluator, declared, ran pointsto.Set) pointsto.Set {
	if e.Family.Open(declared, e.File.Lang) {
		return e.Family.Union(declared, ran)
	}
	return declared
}

func sortEntries(g *program.Family, list []program.Entry) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && g.Compare(list[j].ID, list[j-1].ID) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// throughSignature types the arguments of a call by a signature, and returns what
// it declares.
func throughSignature(e *eval.Evaluator, c *eval.Call, sig program.Entry, recv pointsto.Value) pointsto.Set {
	found, with := bindingOf(e, c, sig.ID, recv)
	fn, f := e.Family.Func(sig.ID), e.Family.Entities[sig.ID].File
	for i, a := range c.Args {
		if p := program.ParamFor(fn, f, i, a.Name, e.File); p >= 0 {
			declared := f.VarTypes[fn.Params[p].Var]
			if fn.Params[p].Kind == ir.Variadic {
				declared = e.Elements(declared, nil)
			}
			expect(e, a.X, declared, with)
		}
	}
	out := e.Returned(sig.ID, recv, found)
	if recv != 0 {
		if k := e.Family.ClassOf(recv); k != nil {
			out = e.Family.ThroughMRO(out, recv, k)
		}
	}
	return out
}

// CallMembers is CallAmong for the members of an instance.
func (*language) CallMembers(e *eval.Evaluator, c *eval.Call, list []program.Entry, on eval.Receiver, rule edge.Rule) (pointsto.Set, bool) {
	signatures, bodies, ok := signed(e, list)
	if !ok {
		return 0, false
	}
	sig := fitting(e, signatures, c.Args)
	if len(bodies) == 0 {
		out := e.CallMethod(c, sig, on, rule, false)
		throughSignature(e, c, sig, on.Value)
		return out, true
	}
	ran := pointsto.Set(0)
	for _, m := range bodies {
		ran = e.Family.Union(ran, e.CallMethod(c, m, on, rule, false))
	}
	return orRan(e, e.Family.Instantiate(throughSignature(e, c, sig, on.Value), on.Value, on.At), ran), true
}
