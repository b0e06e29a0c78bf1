package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Directions of a SliceQuery.
const (
	Backward = "backward" // what the line depends on; the default
	Forward  = "forward"  // what depends on the line
)

// A SliceQuery asks what a line depends on, or what depends on it.
type SliceQuery struct {
	Target    string // FILE:LINE
	Direction string // "": Backward
	Variable  string // only by way of this one, of those that the line names; "": all
	Depth     int    // calls that are followed, up to callers and down to what is called; 0: none
	To        string // FILE:LINE: only what lies between the two; "": all
	Limit     int    // lines; 0: 1000
	Offset    int
}

// A SliceAnswer is a slice: lines by file, those of the function that was asked about first.
type SliceAnswer struct {
	Target    string      `json:"target"`
	Function  Function    `json:"function"`
	Direction string      `json:"direction"`
	Variable  string      `json:"variable,omitempty"`
	Lines     []SliceLine `json:"lines"` // never nil
	Functions int         `json:"functions"`
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`
}

// A SliceLine is a line of a slice, and why it is there.
type SliceLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	EndLine  int    `json:"end_line"`
	Function string `json:"function"`
	Text     string `json:"text"`
	// asked; data, alias: it writes Variable; control: it decides whether the other line runs;
	// jump: it leaves that out at times; part: it is of the same statement; argument, result: by
	// way of a call; declaration: of Variable; syntax: the head of a function, a bracket, a handler,
	// without which the others do not parse
	Reason   string `json:"reason"`
	Of       int    `json:"of"` // the line that it is there for
	OfFile   string `json:"of_file,omitempty"`
	Variable string `json:"variable,omitempty"`
	Depth    int    `json:"depth,omitempty"` // calls between it and the target
	Changed  bool   `json:"changed,omitempty"`
}

// Bounds of a slice across calls.
const (
	MaxDepth     = 20
	maxFunctions = 100
	maxLines     = 20_000
)

// CutFunctions is the cut of a slice that leads to too many functions.
const CutFunctions answer.Cut = "functions"

// Slice answers with the lines that a line depends on, or that depend on it. It returns the
// errors of Control, and a TargetError for a target that names no line.
func Slice(ctx context.Context, x *store.View, q SliceQuery) (SliceAnswer, error) {
	a := SliceAnswer{Target: q.Target, Direction: cmp.Or(q.Direction, Backward), Variable: q.Variable, Lines: []SliceLine{}}
	m := newMaker(x)
	f, line, _, state, err := m.find(q.Target)
	if a.State = state; err != nil {
		return a, err
	}
	if line == 0 {
		return a, &answer.TargetError{Target: q.Target, Nearest: []string{}, Reason: fmt.Sprintf("a slice is that of a line: ask for %s:%d, say", f.File, f.Line)}
	}
	a.Function = f.Function
	s := &slicer{linker: linker{maker: m}, query: &q, forward: a.Direction == Forward, seen: map[point]bool{}, lines: map[lineKey]*SliceLine{}, functions: map[*walk.Graph]bool{}, noted: map[*walk.Graph]*function{}}
	s.gaps.Complete = true
	f.gaps(&s.gaps)
	if err := s.begin(f, line); err != nil {
		return a, err
	}
	if q.Depth > 0 {
		calls.WalkGraph(ctx, x, func(w *calls.Walk) {
			var l calls.Gaps
			calls.Current(x, &l, state)
			c := l.Completeness("")
			if !c.Complete {
				s.gaps.Complete = false
				s.gaps.Because = append(s.gaps.Because, c.Because...)
			}
			s.walk = w
			s.run(ctx)
		})
	} else {
		s.run(ctx)
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	s.conclude()
	if !s.forward && q.To == "" {
		s.frame()
	}
	list := s.sorted(f)
	if q.To != "" {
		if list, err = s.chop(ctx, list, &q); err != nil {
			return a, err
		}
	}
	a.Functions = len(s.functions)
	for _, cut := range s.cuts {
		a.Cut(cut)
	}
	a.Lines = append(a.Lines, answer.PageOf(&a.Page, list, q.Offset, cmp.Or(max(q.Limit, 0), defaultBlocks))...)
	a.Completeness = s.gaps
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, nil
}

// A point is a step of a function, in a slice.
type point struct {
	graph *walk.Graph
	step  int
	down  bool // it was reached by way of a call: callers are no concern
}

type lineKey struct {
	file string
	line int
}

// A slicer follows dependences.
type slicer struct {
	linker
	query     *SliceQuery
	forward   bool
	todo      []work
	seen      map[point]bool
	lines     map[lineKey]*SliceLine
	functions map[*walk.Graph]bool
	noted     map[*walk.Graph]*function // those that lines are of
	gaps      answer.Completeness
	cuts      []answer.Cut
	globals   []string // variables that are not followed
	open      []string // names of which there are calls that are not resolved
	unknown   []string // calls
}

// A work is a step that is in the slice, and whose dependences are to be followed.
type work struct {
	f     *function
	point point
	depth int
}

// dependences returns what the steps of a function depend on.
func (f *function) dependences(gaps *answer.Completeness) []control.Dependence {
	if !f.sliced {
		f.deps, f.known = control.Depend(f.graph)
		f.sliced = true
	}
	if !f.known {
		lacks(gaps, "%s is too large for all of its definitions to be followed", cmp.Or(f.Name, f.File))
	}
	return f.deps
}

// begin puts the steps of a line in.
func (s *slicer) begin(f *function, line int) error {
	found, named := false, false
	names := []string{}
	for i := range f.graph.Steps {
		step := &f.graph.Steps[i]
		if i <= walk.Leave || f.text.line(step.Start) > line || f.text.line(max(step.Start, step.End-1)) < line {
			continue
		}
		found = true
		if s.query.Variable == "" {
			s.add(f, i, SliceLine{Reason: "asked", Of: line}, 0, false)
			continue
		}
		for j, acc := range step.Access {
			name := f.graph.Vars[acc.Var].Name
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if name != s.query.Variable {
				continue
			}
			named = true
			s.beginWith(f, i, j, line)
		}
	}
	switch {
	case !found:
		return &answer.TargetError{Target: s.query.Target, Nearest: []string{}, Reason: fmt.Sprintf("nothing runs in line %d of %s", line, f.File)}
	case s.query.Variable != "" && !named:
		return &answer.TargetError{Target: s.query.Variable, Nearest: names, Reason: fmt.Sprintf("line %d of %s does not name %s", line, f.File, s.query.Variable)}
	}
	return nil
}

// beginWith puts in what one access of a line depends on: the line itself, and what reaches it,
// or what it reaches.
func (s *slicer) beginWith(f *function, step, access, line int) {
	s.note(f, step, SliceLine{Reason: "asked", Of: line}, 0)
	v := f.graph.Steps[step].Access[access].Var
	for _, d := range f.dependences(&s.gaps) {
		from, on := d.From, d.On
		if s.forward {
			from, on = on, from
		}
		if from != step || d.Reason != control.Controls && d.Reason != control.Jumps && d.Var != v {
			continue
		}
		s.follow(f, d, on, step, 0, false)
	}
	if f.graph.Steps[step].Access[access].Kind == walk.Def && !s.forward {
		s.add(f, step, SliceLine{Reason: "asked", Of: line}, 0, false)
	}
}

// add puts a step in and has its dependences followed.
func (s *slicer) add(f *function, step int, why SliceLine, depth int, down bool) {
	p := point{f.graph, step, down}
	if s.seen[p] || s.seen[point{f.graph, step, false}] {
		return
	}
	if len(s.seen) >= maxLines || !s.functions[f.graph] && s.full() {
		return
	}
	s.seen[p], s.functions[f.graph] = true, true
	s.note(f, step, why, depth)
	s.noteGlobals(f, step)
	s.todo = append(s.todo, work{f, p, depth})
}

// note puts the line of a step in.
func (s *slicer) note(f *function, step int, why SliceLine, depth int) {
	if step <= walk.Leave {
		return
	}
	st := &f.graph.Steps[step]
	if st.End <= st.Start && st.Kind != walk.Label {
		return
	}
	s.noted[f.graph] = f
	line := f.text.line(st.Start)
	key := lineKey{f.File, line}
	end := f.text.line(max(st.Start, st.End-1))
	if l := s.lines[key]; l != nil {
		l.EndLine = max(l.EndLine, end)
		return
	}
	s.lines[key] = s.lineOf(f, line, end, why, depth)
}

// lineOf fills in what is known of a line.
func (s *slicer) lineOf(f *function, line, end int, why SliceLine, depth int) *SliceLine {
	why.File, why.Line, why.EndLine, why.Function, why.Depth = f.File, line, end, f.Name, depth
	why.Text = f.text.of(line)
	if len(why.Text) > maxText {
		why.Text = strings.ToValidUTF8(why.Text[:maxText], "") + "..."
	}
	return &why
}

// run follows dependences until there are no more.
func (s *slicer) run(ctx context.Context) {
	for len(s.todo) > 0 && ctx.Err() == nil {
		w := s.todo[0]
		s.todo = s.todo[1:]
		deps := w.f.near(s)
		for _, d := range deps[w.point.step] {
			to := d.On
			if s.forward {
				to = d.From
			}
			s.follow(w.f, d, to, w.point.step, w.depth, w.point.down)
		}
		s.across(w)
	}
}

// near returns the dependences of a function by the step that they are followed from.
func (f *function) near(s *slicer) [][]control.Dependence {
	if f.by == nil {
		f.by = control.By(f.dependences(&s.gaps), len(f.graph.Steps), func(d control.Dependence) int {
			if s.forward {
				return d.On
			}
			return d.From
		})
	}
	return f.by
}

// noteGlobals notes which variables of the file itself a function uses: other functions that write or
// read them are not followed.
func (s *slicer) noteGlobals(f *function, step int) {
	for _, a := range f.graph.Steps[step].Access {
		v := &f.graph.Vars[a.Var]
		if !v.Free && v.Outer == 0 || a.ByCall || slices.Contains(s.globals, v.Name) {
			continue
		}
		if slices.ContainsFunc(f.record.Symbols, func(sym store.Symbol) bool {
			return sym.Name == v.Name && sym.Parent == "" && (sym.Kind() == "variable" || a.Kind == walk.Def)
		}) {
			s.globals = append(s.globals, v.Name)
		}
	}
}

// conclude says what could not be followed.
func (s *slicer) conclude() {
	for _, list := range []struct {
		names []string
		text  string
	}{
		{s.globals, "what other functions write to variables outside of them, or read there, is not followed: %s"},
		{s.open, "some calls of these names are not resolved, and may be calls of these functions: %s"},
		{s.unknown, "what these calls run is not known: %s"},
	} {
		if len(list.names) > 0 {
			more := ""
			if len(list.names) > 5 {
				more = " and others"
			}
			lacks(&s.gaps, list.text, join(list.names[:min(len(list.names), 5)])+more)
		}
	}
}

// follow goes along a dependence to a step.
func (s *slicer) follow(f *function, d control.Dependence, to, from, depth int, down bool) {
	why := SliceLine{Reason: d.Reason.String(), Of: f.text.line(f.graph.Steps[from].Start)}
	if d.Var != 0 {
		why.Variable = f.graph.Vars[d.Var].Name
	}
	if to == walk.Entry && !s.forward {
		if d.Var != 0 && !down {
			s.callers(f, d.Var, depth)
		}
		return
	}
	s.add(f, to, why, depth, down)
	if !s.forward && (d.Reason == control.Defines || d.Reason == control.Alters) {
		s.inside(f, to, d.Var, depth)
	}
}

// inside puts in what functions that are made in a step write to a variable.
func (s *slicer) inside(f *function, step int, v walk.Var, depth int) {
	for _, g := range f.graph.Nested {
		if g.Step != step {
			continue
		}
		n := f.nested(g)
		for i := range g.Steps {
			for _, a := range g.Steps[i].Access {
				if a.Kind == walk.Def && g.Vars[a.Var].Outer == v {
					s.add(n, i, SliceLine{Reason: "data", Of: f.text.line(f.graph.Steps[step].Start), Variable: f.graph.Vars[v].Name}, depth, true)
				}
			}
		}
	}
}
