package eval

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

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
		c.Callees = slices.DeleteFunc(c.Callees, func(h Callee) bool { return program.ContainsEntry(e.Family.Overrides(v), h.To) })
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
		for _, to := range e.Family.Promised(h.To) { // by a type parameter it is the trait's that is called
			e.edge(edge.Edge{From: e.from(), To: to, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
		}
	}
	if e.Family.TooManySteps() {
		c.Many = true // what was followed may not be all
	}
	if len(c.Callees)+len(c.via) > 0 && !c.Many || c.Quiet || c.Known {
		return
	}
	e.Lang.Unresolved(e, c)
	s := program.Site{From: e.from(), Pos: c.Node.Pos, Reason: c.Reason, Name: c.Name}
	switch {
	case c.External != 0 && !c.Open:
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

// Handed is an edge to a class whose instance is handed to something outside the index.
func (e *Evaluator) Handed(class edge.ID) {
	e.edge(edge.Edge{From: e.from(), To: class, Kind: edge.References, Rule: edge.ByFlow, Pos: e.At})
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

// ofFile is the function that stands for what is at the top of a file.
const ofFile = 1

// nestedRefs are refs of a variable that a definition has made, in a function, or at the top of a
// file where several are of its name.
func (e *Evaluator) nestedRefs(s pointsto.Set, n *ir.Node) {
	v := &e.File.IR.Vars[n.Ref]
	if e.Mute > 0 || s == 0 || v.Func == 0 || v.Name == 0 {
		return
	}
	for _, x := range e.Family.Elems(s) {
		i := e.Family.Values.Info[x]
		if i.Kind != pointsto.Func {
			continue
		}
		at := &e.Family.Entities[i.ID]
		if at.File == e.File && at.Name == e.File.Names[v.Name] && max(e.File.IR.Funcs[at.Ref].Outer, ofFile) == v.Func {
			e.refs(e.Family.Values.Single(x), n, edge.ByScope)
		}
	}
}

// recently is how far back an edge is looked for in its part before it is made: what
// is found later is taken out by publish.
const recently = 16

func (e *Evaluator) madeRecently(x edge.Edge) bool {
	made := e.now.Edges[max(e.firstEdge, len(e.now.Edges)-recently):]
	for i := range made {
		if made[i].Key() == x.Key() {
			return true
		}
	}
	return false
}
