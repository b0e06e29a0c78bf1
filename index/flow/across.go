package flow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// atZero is why a slice without a depth is not complete.
const atZero = "calls are not followed, neither to callers nor into what is called: depth is 0"

// across follows the calls of a step that is in the slice. Backward, what a call gives depends
// on what the called function returns; forward, what it is given is in that one's parameters,
// and what a function returns is where it is called.
func (s *slicer) across(w work) {
	step := &w.f.graph.Steps[w.point.step]
	if s.walk == nil {
		if len(step.Calls) > 0 {
			lacks(&s.gaps, atZero)
		}
		return
	}
	for i := range step.Calls {
		s.into(w, &step.Calls[i])
	}
	if s.forward && step.Kind == walk.Return && !w.point.down {
		s.returned(w)
	}
}

// A linker finds what calls lead to. Without walk it is of no use.
type linker struct {
	*maker
	walk  *calls.Walk // nil: calls are not followed
	sites map[*store.Record]*sites
}

// node returns the node of the call graph that a function is, 0 for none.
func (s *linker) node(f *function) graph.ID {
	for _, id := range s.walk.G.Named(f.File, f.graph.Name, f.Line) {
		if n := s.walk.Node(id); int(n.Start) <= f.graph.Start+1 && int(n.End) >= f.graph.End-1 && n.Kind == graph.FuncNode {
			return id
		}
	}
	id := s.walk.G.At(f.File, f.Line)
	if n := s.walk.Node(id); id != 0 && n.Kind == graph.FuncNode && n.Path == f.File {
		return id
	}
	return 0
}

// targets returns the edges to the functions that a call may run, one for each, and whether these
// are all.
func (s *linker) targets(f *function, at int) (list []graph.Edge, all bool) {
	pos := ir.At(f.text.line(at), f.text.column(at))
	of := s.callsOf(f.record)
	for _, e := range of.edges[pos] {
		if n := s.walk.Node(e.To); n.Kind == graph.FuncNode && n.Path != "" && !slices.ContainsFunc(list, func(o graph.Edge) bool { return o.To == e.To }) {
			list = append(list, e)
		}
	}
	return list, !of.open[pos]
}

// callsOf returns the calls of a file by place.
func (s *linker) callsOf(r *store.Record) *sites {
	if c, ok := s.sites[r]; ok {
		return c
	}
	c := &sites{map[ir.Pos][]graph.Edge{}, map[ir.Pos]bool{}, map[ir.Pos]string{}}
	s.walk.G.CallsIn(r.Path, func(e graph.Edge) bool {
		if e.Kind == graph.Calls {
			c.edges[e.Pos] = append(c.edges[e.Pos], e)
		}
		return true
	}, func(site graph.Site) bool {
		if site.Reason != graph.External {
			c.open[site.Pos] = true
		} else {
			c.outside[site.Pos] = site.Name
		}
		return true
	})
	if s.sites == nil {
		s.sites = map[*store.Record]*sites{}
	}
	s.sites[r] = c
	return c
}

// The sites of a file are its calls by place.
type sites struct {
	edges   map[ir.Pos][]graph.Edge
	open    map[ir.Pos]bool   // those that are not resolved
	outside map[ir.Pos]string // the names of what is not in the index
}

// offset returns that of a place.
func (t *text) offset(p ir.Pos) int { return t.lines[min(p.Line(), len(t.lines))-1] + p.Column() - 1 }

// full reports whether no more functions are taken in.
func (s *slicer) full() bool {
	if len(s.functions) < maxFunctions {
		return false
	}
	if !slices.Contains(s.cuts, CutFunctions) {
		s.cuts = append(s.cuts, CutFunctions)
	}
	return true
}

// functionOf returns the function of a node, nil where its file has none.
func (s *linker) functionOf(id graph.ID) *function {
	n := s.walk.Node(id)
	r := s.index.Record(n.Path)
	if r == nil || int(n.End) > r.Text.Size {
		return nil
	}
	at := int(n.Start)
	if n.Name != "" { // its name is within it, where a decorator is before it
		at = min(s.text(r).offset(n.Pos), r.Text.Size-1)
	}
	f, err := s.at(r, at, nil)
	if err != nil {
		return nil
	}
	if f.graph.Start >= int(n.Start)-1 || f.graph.End <= int(n.End)+1 {
		return f
	}
	for _, g := range f.graph.Nested { // it is assigned to its name
		if int(n.Start) <= g.Start && g.End <= int(n.End) && !g.Class {
			return f.nested(g)
		}
	}
	return nil
}

// into follows a call to what it runs.
func (s *slicer) into(w work, c *walk.Call) {
	to, all := s.targets(w.f, c.At)
	line := w.f.text.line(c.Start)
	if !all {
		s.unknown = append(s.unknown, fmt.Sprintf("%s (%s:%d)", cmp.Or(w.f.called(c.At), "an expression"), w.f.File, line))
	}
	if len(to) == 0 {
		return
	}
	if w.depth >= s.query.Depth {
		s.deeper()
		return
	}
	for _, e := range to {
		if s.full() {
			return
		}
		f := s.functionOf(e.To)
		if f == nil {
			lacks(&s.gaps, "%s: no control flow of %s", s.walk.Node(e.To).Path, s.walk.Node(e.To).Name)
			continue
		}
		f.noted(&s.gaps)
		why := SliceLine{Of: line, OfFile: w.f.File}
		if s.forward {
			why.Reason = "argument"
			for i := range f.graph.Steps {
				if s.readsParam(f, i) {
					s.add(f, i, why, w.depth+1, true)
				}
			}
			continue
		}
		why.Reason = "result"
		for i := range f.graph.Steps {
			if step := &f.graph.Steps[i]; i > walk.Leave && (step.Kind == walk.Return || step.Kind == walk.Yields || ends(step) || changesParam(f, step)) {
				s.add(f, i, why, w.depth+1, true)
			}
		}
	}
}

// ends reports whether the function ends after a step without a return, with its value in a
// language where that is its result.
func ends(step *walk.Step) bool {
	return slices.ContainsFunc(step.Next, func(e walk.Edge) bool { return e.To == walk.Exit && (e.Kind == walk.Next || e.Kind == walk.Resumed) })
}

// changesParam reports whether a step changes a part of a parameter.
func changesParam(f *function, step *walk.Step) bool {
	return slices.ContainsFunc(step.Access, func(a walk.Access) bool {
		return a.Kind == walk.Def && a.Path != "" && !a.ByCall && slices.Contains(f.graph.Params, a.Var)
	})
}

// readsParam reports whether a step reads a parameter as it was given.
func (s *slicer) readsParam(f *function, step int) bool {
	if step <= walk.Leave {
		return false
	}
	for _, d := range f.near(s)[walk.Entry] {
		if d.From == step && d.Var != 0 && slices.Contains(f.graph.Params, d.Var) {
			return true
		}
	}
	return false
}

// callers goes backward from a parameter to where the function is called.
func (s *slicer) callers(f *function, v walk.Var, depth int) {
	if s.walk == nil {
		lacks(&s.gaps, atZero)
		return
	}
	s.called(f, depth, SliceLine{Reason: "argument", Of: f.Line, OfFile: f.File, Variable: f.graph.Vars[v].Name})
}

// returned goes forward from a return to where the function is called.
func (s *slicer) returned(w work) {
	s.called(w.f, w.depth, SliceLine{Reason: "result", Of: w.f.text.line(w.f.graph.Steps[w.point.step].Start), OfFile: w.f.File})
}

// called puts the calls of a function in.
func (s *slicer) called(f *function, depth int, why SliceLine) {
	id := s.node(f)
	if id == 0 {
		lacks(&s.gaps, "the callers of %s are not known", cmp.Or(f.Name, f.File))
		return
	}
	if depth >= s.query.Depth {
		s.walk.G.In(id, func(e graph.Edge) bool {
			if e.Kind == graph.Calls {
				s.deeper()
			}
			return e.Kind != graph.Calls
		})
		return
	}
	if f.graph.Name != "" && !slices.Contains(s.open, f.graph.Name) {
		s.walk.G.Open(f.graph.Name, func(graph.Site) bool {
			s.open = append(s.open, f.graph.Name)
			return false
		})
	}
	s.walk.G.In(id, func(e graph.Edge) bool {
		if e.Kind == graph.Calls {
			s.callAt(e, depth, why)
		}
		return !s.full()
	})
}

// callAt puts the step of a call in.
func (s *slicer) callAt(e graph.Edge, depth int, why SliceLine) {
	r := s.index.Record(s.walk.Node(e.From).Path)
	if r == nil {
		return
	}
	at := min(s.text(r).offset(e.Pos), r.Text.Size-1)
	f, err := s.at(r, at, nil)
	if err != nil {
		lacks(&s.gaps, "%s:%d: %v", r.Path, e.Pos.Line(), err)
		return
	}
	for i := range f.graph.Steps {
		for _, c := range f.graph.Steps[i].Calls {
			if c.At == at {
				s.add(f, i, why, depth+1, false)
			}
		}
	}
}

// deeper notes that there is more beyond the depth.
func (s *slicer) deeper() {
	if !slices.Contains(s.cuts, calls.CutDepth) {
		s.cuts = append(s.cuts, calls.CutDepth)
	}
}
