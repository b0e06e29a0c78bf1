package eval

import "github.com/quarry-search/quarry/index/internal/graph/pointsto"

// admit leaves of values that flow into a place those that can be what the place
// is declared to hold. Without it, what comes out of a container of the library, or
// through Object, would stay all that it may be. It judges each value alone, so that
// it does not matter when a value comes.
func (e *Evaluator) admit(declared, s pointsto.Set) pointsto.Set {
	if declared == 0 || s == 0 || !e.File.Lang.Typed {
		return s
	}
	g := e.Family
	key := uint64(declared)<<32 | uint64(s)
	if out, ok := g.Admitted[key]; ok {
		return out
	}
	out := s
	for _, v := range g.Elems(s) {
		if !g.AdmitsAny(declared, v, e.File.Lang) {
			out = 0
			break
		}
	}
	if out == 0 {
		for _, v := range g.Elems(s) {
			if g.AdmitsAny(declared, v, e.File.Lang) {
				out = g.Union(out, g.Values.Single(v))
			}
		}
	}
	if len(g.Admitted) > 1<<18 {
		clear(g.Admitted)
	}
	g.Admitted[key] = out
	return out
}
