package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// What a language sees of calls.
type (
	// Argument is call.Argument.
	Argument = call.Argument
	// Call is call.Call.
	Call = call.Call
	// Receiver is call.Receiver.
	Receiver = call.Receiver
)

// callOf resolves a call, makes its edges and returns what it returns. outside is set where something outside the index may be called.
func (e *Evaluator) callOf(n *ir.Node) (out pointsto.Set, outside bool) {
	g, f := e.Family, e.File.IR
	unused := e.forEffect
	e.forEffect = false
	c := e.calls.Get()
	defer func() { outside = c.External != 0; e.calls.Put(c) }()
	c.Node, c.ForNew, c.Reason, c.Quiet = n, n.Op == ir.New, edge.UnknownReceiver, n.Flags&ir.Implicit != 0
	fx := n.A
	for f.Exprs[fx].Op == ir.Apply && f.Exprs[fx].A != 0 {
		a := &f.Exprs[fx]
		for _, arg := range f.Args[a.Lo:a.Hi] {
			e.TypeRefs(arg.X)
			c.Explicit = append(c.Explicit, e.Typ(arg.X))
		}
		fx = a.A
	}
	for _, a := range f.Args[n.Lo:n.Hi] {
		c.Args = append(c.Args, Argument{Name: a.Name, Value: e.operand(a.X), Kind: a.Kind, X: a.X})
	}
	fn := &f.Exprs[fx]
	symbols := e.symbols
	e.symbols = false
	recv := pointsto.Set(0)
	if fn.Op == ir.Attr {
		recv = e.Eval(fn.A)
	}
	at, outer := e.At, e.transfer.Unused
	e.At = n.Pos
	e.transfer.Call(unused)
	defer func() { e.At, e.transfer.Unused = at, outer }()
	if s, ok := e.Lang.Call(e, c, fn, recv); ok {
		e.conclude(c)
		return s, false
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
		if c.ForNew && (e.File.Lang.Separate || e.File.Lang.NewType) {
			s, found, rule = e.freeType(c.Name)
			s = e.ofArity(s, len(c.Explicit))
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
		e.TypeRefs(fx)
		out = e.Typ(fx)
	default:
		c.Reason = edge.FunctionValue
		if fn.Op == ir.Local {
			c.Name = e.File.Names[fn.Name]
		}
		e.transfer.Unused = false
		e.symbols = symbols
		if fn.Op == ir.Local {
			e.Mute++ // it is called, not used as a value
		}
		s := e.operand(fx)
		if fn.Op == ir.Local {
			e.Mute--
		}
		e.symbols = false
		e.transfer.Unused = unused
		out = e.CallValues(c, s, edge.ByFlow)
		c.Open = c.Open || fn.Op == ir.Index // an element of something outside the index may have been put there
	}
	e.conclude(c)
	return out, false
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

// Overload leaves of several functions of one name those that a call can mean. possible says
// that more than one is left where only one can run.
func (e *Evaluator) Overload(c *Call, list []program.Entry) (chosen []program.Entry, possible bool) {
	list, told := e.Lang.Narrow(e.Family, list)
	return call.Choice{Frame: &e.Frame, Types: e}.Of(c, list, told)
}

// Match says how well arguments fit declared parameters, see call.Choice.
func (e *Evaluator) Match(id edge.ID, args []Argument) int {
	return call.Choice{Frame: &e.Frame, Types: e}.Match(id, args)
}

// Fits says how well a value suits a declared type, see call.Choice.
func (e *Evaluator) Fits(declared, given pointsto.Value) int {
	return call.Choice{Frame: &e.Frame, Types: e}.Fits(declared, given)
}

// Suits is that of the language.
func (e *Evaluator) Suits(declared, given pointsto.Info, up *program.Class) (n int, ok bool) {
	return e.Lang.Suits(e, declared, given, up)
}

// conclude makes the edges of a call, or says that it has none.
func (e *Evaluator) conclude(c *Call) {
	if e.Records() && !c.Edges(&e.Frame) {
		e.Lang.Unresolved(e, c)
		c.Lost(&e.Frame)
	}
}
