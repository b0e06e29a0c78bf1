package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Symbolic is the value of an expression with what is passed in the place of its values.
// ok is false where that is no other than its value.
func (e *Evaluator) Symbolic(x ir.Expr) (s pointsto.Set, ok bool) {
	if e.TooDeep() {
		return 0, false
	}
	defer e.Up()
	if e.transfer.Passes(x) == 0 {
		return 0, false
	}
	g, f := e.Family, e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		v := e.transfer.Chains().Var(ir.Var(n.Ref))
		if v.Func == 0 {
			return e.Symbolic(v.From)
		}
		s = e.Single(pointsto.Info{Kind: pointsto.Passed, ID: uint32(e.File.Funcs[v.Func]), Base: pointsto.Value(v.Param)})
		if v.Param > 0 {
			if d := f.Funcs[v.Func].Params[v.Param-1].Default; d != 0 {
				s = g.Union(s, e.Eval(d))
			}
		}
		return s, true
	case ir.Lambda:
		return e.transfer.Closure(ir.Func(n.Ref))
	case ir.Assign:
		return e.Symbolic(n.B)
	case ir.Cast:
		return e.Symbolic(n.A)
	case ir.Decorate:
		if inner, ok := e.Symbolic(n.B); ok {
			return e.decorated(n, inner), true
		}
	case ir.Union:
		for _, a := range f.Args[n.Lo:n.Hi] {
			t, some := e.Symbolic(a.X)
			if !some {
				t = e.Eval(a.X)
			}
			s, ok = g.Union(s, t), ok || some
		}
		return s, ok
	case ir.Call:
		was := e.symbols
		e.symbols = true
		s, outside := e.callOf(n)
		e.symbols = was
		// What something outside the index makes of an argument depends on its values.
		if outside && !g.Values.HasPassed(s) {
			return 0, false
		}
		return s, true
	}
	return 0, false
}

// operand is the value of an operand of a call.
func (e *Evaluator) operand(x ir.Expr) pointsto.Set {
	if e.symbols {
		if s, ok := e.Symbolic(x); ok {
			return s
		}
		e.symbols = false
		defer func() { e.symbols = true }()
	}
	return e.Eval(x)
}

// CallAny calls values with what is not known.
func (e *Evaluator) CallAny(s pointsto.Set) pointsto.Set {
	symbols := e.symbols
	e.symbols = false
	out := e.CallValues(&Call{Node: &ir.Node{}, Unknown: true, Reason: edge.FunctionValue}, s, edge.ByFlow)
	e.symbols = symbols
	return out
}

// Returned is what a function returns, as seen on a receiver and with its type
// parameters bound, whatever is passed.
func (e *Evaluator) Returned(id edge.ID, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return e.transfer.Returned(id, recv, found)
}

// GivenBack is what a function gives back by what it returns, see transfer.Transfer.
func (e *Evaluator) GivenBack(x, param ir.Expr, s pointsto.Set) pointsto.Set {
	return e.transfer.GivenBack(x, param, s)
}

// result is one of several results.
func (e *Evaluator) result(n *ir.Node) pointsto.Set {
	if !e.transfer.Has(n.A) {
		e.transfer.Keep(n.A, e.Eval(n.A))
	}
	return e.transfer.Nth(n.Ref)
}
