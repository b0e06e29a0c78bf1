// Package call has a call that is being resolved: what it passes, what was found to be called,
// which of several functions of one name it means, and the edges that come of it.
package call

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

// A Receiver is what a member is called on.
type Receiver struct {
	Value pointsto.Value
	Class *program.Class
	At    *program.Ancestor // of the class's MRO, where the member is
	All   pointsto.Set      // all values that the receiver may be
	Super bool              // the members of the class itself are passed over
}

// Implemented reports whether the receiver is known to be of a class below its own as well, or
// with functional, a function.
func (r Receiver) Implemented(g *program.Family, functional bool) bool {
	for _, v := range g.Elems(r.All) {
		switch g.Values.Info[v].Kind {
		case pointsto.Func, pointsto.Bound:
			if functional {
				return true
			}
		case pointsto.Inst:
			if o := g.ClassOf(v); v != r.Value && o != nil && o != r.Class && g.IsAbove(r.Class, o) {
				return true
			}
		}
	}
	return false
}

// A Pool keeps the slices of calls that have been resolved.
type Pool struct{ idle []*Call }

// Get returns an empty call.
func (p *Pool) Get() *Call {
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c
	}
	return &Call{}
}

// Put takes back a call that has been resolved.
func (p *Pool) Put(c *Call) {
	*c = Call{Args: c.Args[:0], Callees: c.Callees[:0], on: c.on[:0], via: c.via[:0], members: c.members[:0]}
	p.idle = append(p.idle, c)
}

// Add notes what the call leads to. possible says that it is one of several that the hierarchy
// or the overloads allow.
func (c *Call) Add(to edge.ID, rule edge.Rule, possible bool) {
	c.Callees = append(c.Callees, Callee{to, rule, possible})
}

// Found counts what was found to be called.
func (c *Call) Found() int { return len(c.Callees) + len(c.via) + c.again }

// SetExternal notes what is called outside the index: of several, the first by
// name, since the order of values says nothing.
func (c *Call) SetExternal(g *program.Family, n intern.Name) {
	if c.External == 0 || g.Names.Text[n] < g.Names.Text[c.External] {
		c.External = n
	}
}

// Arg is the value of an argument, or nothing.
func (c *Call) Arg(n int) pointsto.Set {
	if n < len(c.Args) {
		return c.Args[n].Value
	}
	return 0
}

// Member begins to call the member of the call's name of several receivers. Where that has
// begun before, again is set, and out is what it gave: nothing yet while it is being called,
// since what is found is found there.
func (c *Call) Member(recv pointsto.Set, rule edge.Rule) (at int, out pointsto.Set, again bool) {
	at = slices.IndexFunc(c.members, func(m memberCall) bool {
		return m.recv == recv && m.name == c.Name && m.rule == rule
	})
	if at >= 0 {
		c.again++
		return at, c.members[at].out, true
	}
	c.members = append(c.members, memberCall{recv: recv, name: c.Name, rule: rule})
	return len(c.members) - 1, 0, false
}

// Gave ends what Member began.
func (c *Call) Gave(at int, out pointsto.Set) { c.members[at].out = out }

// On begins to call a member of a value. It reports false where that is being done already: a
// type may embed what holds it in turn. Off must follow if not.
func (c *Call) On(v pointsto.Value) bool {
	if slices.Contains(c.on, v) {
		return false
	}
	c.on = append(c.on, v)
	return true
}

// Off ends what On began.
func (c *Call) Off() { c.on = c.on[:len(c.on)-1] }
