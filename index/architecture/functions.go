package architecture

import (
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Function is one that calls or is called, by the call graph.
type Function struct {
	Symbol   string `json:"symbol"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Layer    string `json:"layer"` // entry: nothing calls it; leaf: it calls nothing; else middle
	CallsIn  int    `json:"calls_in"`
	CallsOut int    `json:"calls_out"`
}

// functionsIn lists the functions of the files that are looked at, entries before leaves and those
// in between, each by place. Calls that may be, as of interfaces, count; of functions that call
// themselves that does not.
func functionsIn(ctx context.Context, x *store.View, s *system) ([]Function, error) {
	looked := map[string]bool{}
	for _, i := range s.files {
		looked[s.program.files[i].path] = true
	}
	type degree struct{ in, out int }
	all := []Function{}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		found := map[graph.ID]*degree{}
		at := func(id graph.ID) *degree {
			d := found[id]
			if d == nil {
				d = &degree{}
				found[id] = d
			}
			return d
		}
		n := 0
		w.G.Each(func(e graph.Edge) bool {
			if n++; n%4096 == 0 && ctx.Err() != nil {
				return false
			}
			if e.Kind != graph.Calls {
				return true
			}
			from, to := w.Home(e.From), w.Home(e.To)
			if from != to && looked[w.Node(from).Path] && looked[w.Node(to).Path] {
				at(from).out++
				at(to).in++
			}
			return true
		})
		for id, d := range found {
			if w.Node(id).Kind != graph.FuncNode {
				continue
			}
			at := w.Place(id)
			f := Function{Symbol: at.Symbol, File: at.File, Line: at.Line, Layer: Middle, CallsIn: d.in, CallsOut: d.out}
			switch {
			case d.in == 0:
				f.Layer = Entry
			case d.out == 0:
				f.Layer = Leaf
			}
			all = append(all, f)
		}
	})
	slices.SortFunc(all, func(a, b Function) int {
		rank := func(f *Function) int { return slices.Index([]string{Entry, Leaf, Middle}, f.Layer) }
		if r := rank(&a) - rank(&b); r != 0 {
			return r
		}
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Symbol, b.Symbol)
	})
	return all, ctx.Err()
}
