// Package transfer has what functions give back of what they are passed.
//
// The analysis does not tell the callers of a function apart, but for what the function
// gives back of what it is passed. A decorator that returns its class, a wrapper that
// returns what the wrapped function does: were their results kept as values, each caller
// would get what all callers pass. So a result is kept as what is passed (pointsto.Passed),
// what calling that gives (pointsto.PassedResult), or a function literal together with what
// the function around it was passed, and each call puts its own arguments in. These are
// parametric summaries, after Sharir and Pnueli, "Two approaches to interprocedural data
// flow analysis", 1981, of languages whose variables have no types.
package transfer

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/defuse"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Transfer makes the summaries of functions, and puts into them what calls pass.
type Transfer struct {
	*frame.Frame
	results Results

	last        []returning // what the last call may have run
	Unused      bool        // what the call that is being resolved returns is not used
	several     several
	summarizing bool // the result of the function of the frame is evaluated for its summary

	defUse   *defuse.Chains // of chainsOf
	chainsOf *program.File
}

// Results is what a Transfer asks the evaluation.
type Results interface {
	// Symbolic is the value of an expression with what is passed in the place of its values.
	// ok is false where that is no other than its value.
	Symbolic(x ir.Expr) (s pointsto.Set, ok bool)
	// CallAny calls values with what is not known.
	CallAny(s pointsto.Set) pointsto.Set
}

// A Passing is a call of a function, as far as its summary needs it.
type Passing struct {
	Callee edge.ID
	Call   *call.Call    // nil: any call
	Self   pointsto.Set  // the receiver; 0: any
	Env    pointsto.List // what the function around the callee was passed; 0: anything
}

// Of returns the transfer of the functions of a frame.
func Of(fr *frame.Frame, results Results) Transfer { return Transfer{Frame: fr, results: results} }

// Chains are those of the file.
func (t *Transfer) Chains() *defuse.Chains {
	if t.chainsOf != t.File {
		t.chainsOf, t.defUse = t.File, defuse.Of(t.File.IR, t.defUse)
	}
	return t.defUse
}

// where are functions that are returned if a parameter is absent: what a decorator gives
// that has its options in parentheses; or values that are returned if it is not.
func (t *Transfer) where(param ir.Expr, s pointsto.Set) pointsto.Set {
	kind := pointsto.WhereAbsent
	if param != 0 && t.File.IR.Exprs[param].Flags&ir.Given != 0 {
		kind = pointsto.WhereGiven
	}
	if param == 0 || s == 0 || !t.File.Lang.Dynamic || kind == pointsto.WhereAbsent && !t.HasFunc(s) {
		return s
	}
	n := ir.Var(t.File.IR.Exprs[param].Ref)
	v := t.Chains().Var(n)
	if v.Func != t.Func || v.Param == 0 || !v.Passed() || !t.passedOpen(n) {
		return s
	}
	i := pointsto.Info{Kind: kind, ID: uint32(t.File.Funcs[v.Func]), Base: pointsto.Value(v.Param)}
	return t.Family.Values.Single(t.Family.Values.TypedWithin(i, []pointsto.Set{s}, pointsto.MaxWritten))
}

// Passes reports which parameters may be in what an expression gives.
func (t *Transfer) Passes(x ir.Expr) uint64 { return t.Chains().Passes(x, t.passedOpen) }

// passedOpen reports whether a parameter has what is passed, and nothing else. But where
// types are checked, one of a declared type has what that lets through.
func (t *Transfer) passedOpen(v ir.Var) bool {
	return (t.File.Lang.Decorates || t.File.VarTypes[v] == 0) && !t.File.Closed(t.Family, v)
}

// Closure is a function literal with what the function around it is passed.
func (t *Transfer) Closure(fn ir.Func) (pointsto.Set, bool) {
	info := &t.File.IR.Funcs[fn]
	outer := info.Outer
	if outer == 0 {
		return 0, false
	}
	id := uint32(t.File.Funcs[outer])
	bits := t.Chains().Captures(fn, t.passedOpen)
	env := make([]pointsto.Set, min(len(t.File.IR.Funcs[outer].Params)+1, 63))
	for p := range env {
		if bits&(1<<p) != 0 {
			env[p] = t.Single(pointsto.Info{Kind: pointsto.Passed, ID: id, Base: pointsto.Value(p)})
		}
	}
	return t.Family.Values.Single(t.Family.Values.Typed(pointsto.Info{Kind: pointsto.Func, ID: uint32(t.File.Funcs[fn])}, env)), true
}

// GivenBack is what an expression that is returned gives, with what is passed in the
// place of its values; s is the expression's value, and param the parameter that it depends
// on whether this is returned, or 0.
func (t *Transfer) GivenBack(x, param ir.Expr, s pointsto.Set) pointsto.Set {
	if t.File.Lang.Dynamic && t.UnitNumber != 0 && (t.File.Lang.Decorates || len(t.File.Results.Of(t.Func)) == 0) {
		t.Chains().Begin()
		if t.Passes(x) != 0 {
			s = t.summary(x, s)
		}
	}
	return t.where(param, s)
}

func (t *Transfer) summary(x ir.Expr, s pointsto.Set) pointsto.Set {
	last, several, unused, at := t.last, t.several, t.Unused, t.At
	t.Quiet()
	t.Unused, t.summarizing = false, true
	if to, ok := t.results.Symbolic(x); ok {
		s = to
	}
	t.Loud()
	t.summarizing = false
	t.last, t.several, t.Unused, t.At = last, several, unused, at
	return s
}
