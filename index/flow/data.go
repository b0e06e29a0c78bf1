package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A DataQuery asks for what the variables of a function hold where.
type DataQuery struct {
	Target   string // as in ControlQuery
	Variable string // only this one; "": all
	Limit    int    // pairs of a definition and a use; 0: 1000
	Offset   int
}

// A DataAnswer is the data flow of a function.
type DataAnswer struct {
	Target    string     `json:"target"`
	Function  Function   `json:"function"`
	Variables []Variable `json:"variables"` // in the order of their declarations; never nil
	Refs      []Ref      `json:"refs"`      // all places that read or write them, by place; never nil
	Edges     []DefUse   `json:"edges"`     // a page of them; never nil
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
}

// A Variable is one of the function, or a name that it uses.
type Variable struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // parameter, local, outer (of a function around it), free (declared elsewhere, or a field)
	Line int    `json:"line"` // of its declaration; of one that is free the first place that has it

	Captured bool `json:"captured,omitempty"` // a function inside reads or writes it
}

// A Ref is a place that reads or writes a variable or a part of it.
type Ref struct {
	Name   string `json:"name"`
	Part   string `json:"part,omitempty"` // such as ".size", "[]" for an element, "[0]" for one whose index is written, ".*" for a part that is not known
	Type   string `json:"type"`           // definition, update or use
	Line   int    `json:"line"`
	Column int    `json:"column"`          // 1-based, in bytes
	Maybe  bool   `json:"maybe,omitempty"` // it does not happen always, or not to all of it
	ByCall bool   `json:"by_call,omitempty"`
	Inner  bool   `json:"inner,omitempty"` // a function inside does it, at some time
}

// A DefUse says that what a place writes may be what another one reads.
type DefUse struct {
	Variable string `json:"variable"`
	Def      Ref    `json:"def"`
	Use      Ref    `json:"use"`
	Maybe    bool   `json:"maybe,omitempty"` // the definition is one that may happen
}

// maxRefs bounds the places of an answer.
const maxRefs = 10_000

// Data answers with the data flow of a function. It returns the errors of Control.
func Data(ctx context.Context, x *store.View, q DataQuery) (DataAnswer, error) {
	a := DataAnswer{Target: q.Target, Variables: []Variable{}, Refs: []Ref{}, Edges: []DefUse{}}
	f, _, others, state, err := newMaker(x).find(q.Target)
	if a.State = state; err != nil {
		return a, err
	}
	a.Function, a.Others = f.Function, others
	f.gaps(&a.Completeness)
	wanted := func(v walk.Var) bool { return q.Variable == "" || f.graph.Vars[v].Name == q.Variable }
	if err := f.hasVariable(q.Variable); err != nil {
		return a, err
	}
	for v := 1; v < len(f.graph.Vars); v++ {
		if wanted(walk.Var(v)) {
			a.Variables = append(a.Variables, f.variable(walk.Var(v)))
		}
	}
	slices.SortStableFunc(a.Variables, func(a, b Variable) int { return cmp.Compare(a.Line, b.Line) })
	for i := range f.graph.Steps {
		for _, acc := range f.graph.Steps[i].Access {
			if wanted(acc.Var) {
				a.Refs = append(a.Refs, f.ref(&acc))
			}
		}
	}
	slices.SortStableFunc(a.Refs, func(a, b Ref) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	if len(a.Refs) > maxRefs {
		lacks(&a.Completeness, "only the first %d of %d places are given", maxRefs, len(a.Refs))
		a.Refs = a.Refs[:maxRefs]
	}
	pairs, known := control.Reach(f.graph)
	if !known {
		lacks(&a.Completeness, "the function is too large for all of its definitions to be followed")
	}
	var edges []DefUse
	for _, p := range pairs {
		def, use := &f.graph.Steps[p.Def.Step].Access[p.Def.Access], &f.graph.Steps[p.Use.Step].Access[p.Use.Access]
		if wanted(use.Var) {
			edges = append(edges, DefUse{Variable: f.graph.Vars[use.Var].Name, Def: f.ref(def), Use: f.ref(use), Maybe: def.Weak})
		}
	}
	a.Edges = append(a.Edges, answer.PageOf(&a.Page, edges, q.Offset, cmp.Or(max(q.Limit, 0), defaultBlocks))...)
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, ctx.Err()
}

// hasVariable fails for a variable that the function does not have.
func (f *function) hasVariable(name string) error {
	if name == "" {
		return nil
	}
	names := []string{}
	for _, v := range f.graph.Vars[1:] {
		if v.Name == name {
			return nil
		}
		if !slices.Contains(names, v.Name) && len(names) < 20 {
			names = append(names, v.Name)
		}
	}
	return &answer.TargetError{Target: name, Nearest: names, Reason: "there is no variable " + name + " in " + cmp.Or(f.Name, f.File)}
}

func (f *function) variable(v walk.Var) Variable {
	info := &f.graph.Vars[v]
	out := Variable{Name: info.Name, Kind: "local", Line: f.text.line(info.At), Captured: info.Captured}
	switch {
	case slices.Contains(f.graph.Params, v):
		out.Kind = "parameter"
	case info.Free:
		out.Kind = "free"
	case info.Outer != 0:
		out.Kind = "outer"
	}
	return out
}

func (f *function) ref(a *walk.Access) Ref {
	r := Ref{
		Name: f.graph.Vars[a.Var].Name, Part: a.Path, Type: "use", Line: f.text.line(a.Start), Column: f.text.column(a.Start),
		Maybe: a.Weak, ByCall: a.ByCall, Inner: a.Inner,
	}
	if a.Kind == walk.Def {
		r.Type = "definition"
		if a.Update {
			r.Type = "update"
		}
	}
	return r
}

// Given returns how many entries the answer has.
func (a *DataAnswer) Given() int { return len(a.Edges) }

// Keep leaves out all but the first n pairs.
func (a *DataAnswer) Keep(n int) { a.Edges = a.Edges[:min(n, len(a.Edges))] }

// Places calls visit for each place of the answer.
func (a *DataAnswer) Places(visit func(string, *bool)) { visit(a.Function.File, &a.Function.Changed) }
