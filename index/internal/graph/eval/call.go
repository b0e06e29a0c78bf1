package eval

import (
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
	Open     bool           // one of the receivers may be of a class that is not known
	Explicit []pointsto.Set // type arguments
	ForNew   bool
	Quiet    bool             // it is no call in the text
	on       []pointsto.Value // receivers whose members are being called
	via      []program.Dispatch
	members  []memberCall // what was called of which receivers
	again    int          // how often one of them was called again
	Known    bool         // it runs no code of the index: a conversion, a record's making
	Unknown  bool         // what is passed is not known
}

// memberCall is a call of a member of several receivers, and what it returns.
type memberCall struct {
	recv pointsto.Set
	name intern.Name
	rule edge.Rule
	out  pointsto.Set
}

// found counts what was found to be called.
func (c *Call) found() int { return len(c.Callees) + len(c.via) + c.again }

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
	*c = Call{Args: c.Args[:0], Callees: c.Callees[:0], on: c.on[:0], via: c.via[:0], members: c.members[:0]}
	e.idle = append(e.idle, c)
}

// call resolves a call, makes its edges and returns what it returns.
func (e *Evaluator) call(n *ir.Node) pointsto.Set {
	out, _ := e.callOf(n)
	return out
}

// callOf is call. outside is set where something outside the index may be called.
func (e *Evaluator) callOf(n *ir.Node) (out pointsto.Set, outside bool) {
	g, f := e.Family, e.File.IR
	unused := e.forEffect
	e.forEffect = false
	c := e.calling()
	defer func() { outside = c.External != 0; e.called(c) }()
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
		c.Args = append(c.Args, Argument{a.Name, e.operand(a.X), a.Kind, a.X})
	}
	fn := &f.Exprs[fx]
	symbols := e.symbols
	e.symbols = false
	recv := pointsto.Set(0)
	if fn.Op == ir.Attr {
		recv = e.Eval(fn.A)
	}
	at, outer := e.At, e.unused
	e.At, e.last, e.unused = n.Pos, nil, unused
	defer func() { e.At, e.unused = at, outer }()
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
		e.symbols = symbols
		if fn.Op == ir.Local {
			e.Mute++ // it is called, not used as a value
		}
		s := e.operand(fx)
		if fn.Op == ir.Local {
			e.Mute--
		}
		e.symbols = false
		e.unused = unused
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
