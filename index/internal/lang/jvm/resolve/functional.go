package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// suitsFunction says how well a function as an argument suits a declared type.
func suitsFunction(e *eval.Evaluator, d pointsto.Info, up *program.Class, id edge.ID) int {
	g := e.Family
	fn := g.Func(id)
	if fn == nil {
		return 0
	}
	n := len(fn.Params)
	free := fn.Name != 0 && fn.Class != 0 // C::method may have its receiver as first argument
	if n == 1 && g.Entities[id].File.IR.String(fn.Params[0].Name) == "it" {
		free = true // a lambda of Kotlin with no or one parameter
	}
	want := -1
	if up != nil {
		if !up.Abstract() {
			return -1
		}
		for _, m := range up.Bag.Entries {
			if f := g.Func(m.ID); f != nil && f.Flags&ir.Abstract != 0 {
				want = len(f.Params)
			}
		}
	} else if params, ok := g.FunctionalOf(d); ok {
		want = len(params)
	} else {
		switch text := g.Names.Text[d.ID]; {
		case program.LiteralWords[text] != "" || text == "list" || text == "map" || text == "Class" || text == "KClass":
			return -1
		case text == "Object" || text == "Any":
			return 0
		}
		return 0
	}
	if want >= 0 && want != n && !free {
		return -1
	}
	return 1
}

// contextualLibrary gives the parameters of functions the types that a functional
// interface of the library has as arguments.
func contextualLibrary(e *eval.Evaluator, s pointsto.Set, d pointsto.Info, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := e.Family
	params, ok := g.FunctionalOf(d)
	if !ok {
		return
	}
	args := g.Args(d.Args)
	for _, v := range g.Elems(s) {
		vi := g.Values.Info[v]
		if vi.Kind != pointsto.Func && vi.Kind != pointsto.Bound {
			continue
		}
		for p, at := range params {
			if at < 0 || at >= len(args) {
				continue
			}
			t := args[at]
			if with != nil {
				t = g.Subst(t, with)
			}
			e.Pass(edge.ID(vi.ID), p, t)
		}
	}
}
