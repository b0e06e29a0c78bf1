package calls

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
)

// mistakable reports whether something that the graph takes for a use of another overload may be
// one of the target, whose nodes are given: a call with as many arguments as both take, or a
// name without arguments.
func (w *Walk) mistakable(at *store.Target, ids []graph.ID) bool {
	r := at.Record
	own := arityOf(r, at.Symbol)
	for _, i := range same(r, at.Symbol) {
		other := arityOf(r, i)
		apart := own.Apart(other)
		for _, id := range w.G.Named(r.Path, r.Symbols[i].Name, int(r.Symbols[i].NameLine)) {
			if slices.Contains(ids, id) {
				continue
			}
			found := false
			w.G.In(id, func(e graph.Edge) bool {
				found = !apart || e.Kind != graph.Calls
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// arityOf reads the parameters of a function.
func arityOf(r *store.Record, i int32) protocol.Arity {
	s := &r.Symbols[i]
	src := r.Text.All()[s.Start:s.End]
	for range s.NameLine - s.Line { // annotations
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return protocol.ArityOf(r.Lang, s.Name, src)
}
