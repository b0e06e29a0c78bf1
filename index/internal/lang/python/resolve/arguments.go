package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallAmong leaves out the functions that do not take the arguments: to call them would be
// an error.
func (*language) CallAmong(e *eval.Evaluator, c *eval.Call, values []pointsto.Value, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	var fitting []pointsto.Set
	functions := 0
	for _, v := range values {
		i := g.Values.Info[v]
		switch known := i.Kind == pointsto.Func || i.Kind == pointsto.Bound; {
		case !known || g.Func(edge.ID(i.ID)) == nil:
			fitting = append(fitting, g.Values.Single(v))
		case takes(e, c, i):
			functions++
			fitting = append(fitting, g.Values.Single(v))
		}
	}
	if functions == 0 || len(fitting) == len(values) {
		return 0, false
	}
	return e.CallValues(c, g.Values.UnionOf(fitting), rule), true
}

// takes reports whether a function may be called with the arguments of a call. What a
// decorator outside of the index makes of a function may take others.
func takes(e *eval.Evaluator, c *eval.Call, i pointsto.Info) bool {
	fn, f := e.Family.Func(edge.ID(i.ID)), e.Family.Entities[i.ID].File
	if f == nil || c.Unknown || len(fn.Decorators()) > 0 {
		return true
	}
	first := 0 // argument: a method called through its class has its receiver as one
	switch {
	case i.Kind == pointsto.Bound && fn.Self == 0 && fn.Flags&ir.Static == 0:
		first = -1
	case i.Kind == pointsto.Func && fn.Self != 0 && fn.Flags&(ir.Static|ir.ClassMethod) == 0:
		first = 1
	}
	given := make([]bool, len(fn.Params))
	if first < 0 {
		if p := program.ParamFor(fn, f, 0, 0, e.File); p >= 0 {
			given[p] = true
		}
	}
	at := -first
	for _, a := range c.Args {
		if a.Kind != ir.Plain {
			return true
		}
		if at < 0 {
			at++
			continue
		}
		p := program.ParamFor(fn, f, at, a.Name, e.File)
		if p < 0 {
			return false
		}
		given[p] = true
		at++
	}
	for p := range fn.Params {
		if k := fn.Params[p].Kind; !given[p] && fn.Params[p].Default == 0 && (k == ir.Positional || k == ir.KwOnly) {
			return false
		}
	}
	return true
}
