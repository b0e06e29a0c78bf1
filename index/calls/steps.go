package calls

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/paged"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Step is a symbol that a search in the call graph began with, or came to: from
// there it may go on in another index, by Links.
type Step struct {
	answer.Place
	Depth      int
	Confidence string // the weakest on the way
}

// Step is the step to a node.
func (w *Walk) Step(id graph.ID, depth int, c graph.Confidence) Step {
	return Step{w.Place(id), depth, c.String()}
}

// Begin returns the steps of a target's seeds. Of a file they are all that others can
// call in it, classes, too.
func (w *Walk) Begin(seeds []graph.ID, at *store.Target) []Step {
	steps := make([]Step, 0, len(seeds))
	for _, id := range seeds {
		steps = append(steps, w.Step(id, 0, graph.Exact))
	}
	if at.Record == nil || at.Symbol >= 0 {
		return steps
	}
	for i := range at.Record.Symbols {
		s := &at.Record.Symbols[i]
		for _, id := range w.G.Named(at.Record.Path, s.Name, int(s.NameLine)) {
			if w.Node(id).Kind == graph.ClassNode {
				steps = append(steps, w.Step(id, 0, graph.Exact))
			}
		}
	}
	return steps
}

// A Reached is a node that a search from some seeds has come to.
type Reached struct {
	ID         graph.ID
	Depth      int
	Via        graph.ID         // the node from which it was reached
	Confidence graph.Confidence // the weakest on the way
	Sites      []ir.Pos         // of the edges between it and Via
	Kind       graph.EdgeKind
}

// Lines are the lines of the sites, each once; never nil.
func (r *Reached) Lines() []int {
	lines := []int{}
	for _, pos := range r.Sites {
		if line := pos.Line(); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// Search finds what the seeds lead to or, backward, what leads to them, in at most
// depth steps over the edges that are followed, nearest first. Seeds themselves are
// not among it. cut is CutDepth or CutReached where there is more.
func (w *Walk) Search(ctx context.Context, seeds []graph.ID, depth int, backward bool, follow func(*graph.Edge) bool) (found []Reached, cut answer.Cut) {
	return w.SearchOn(ctx, seeds, nil, depth, backward, follow)
}

// SearchOn is Search that also comes to some nodes by other ways than edges, each at its Depth,
// from 1. They are found, too.
func (w *Walk) SearchOn(ctx context.Context, seeds []graph.ID, known []Reached, depth int, backward bool, follow func(*graph.Edge) bool) (found []Reached, cut answer.Cut) {
	next, end := w.along(backward, follow)
	var at paged.Array[int32] // index in found, from 1; -1: a seed
	var sites []ir.Pos        // room for those that are first of a node
	var e graph.Edge          // that is looked at: one of its own for each would be on the heap
	frontier := make([]Reached, 0, len(seeds))
	for _, id := range seeds {
		*at.At(id) = -1
		frontier = append(frontier, Reached{ID: id})
	}
	last := 0 // level of what is known
	for _, r := range known {
		last = max(last, r.Depth)
	}
	for level := 1; level <= depth && (len(frontier) > 0 || level <= last) && ctx.Err() == nil; level++ {
		first := len(found)
		reach := func(r Reached, pos ir.Pos) {
			place := at.At(r.ID)
			n := int(*place) - 1
			if n < -1 || 0 <= n && n < first {
				return // by fewer steps
			}
			switch {
			case n < 0:
				if len(sites) == cap(sites) {
					sites = make([]ir.Pos, 0, min(maxReached, max(16, 2*cap(sites))))
				}
				sites = append(sites, pos)
				r.Sites = sites[len(sites)-1:][:1:1]
				found = append(found, r)
				*place = int32(len(found))
			case found[n].Via == r.Via:
				if !slices.Contains(found[n].Sites, pos) {
					found[n].Sites = append(found[n].Sites, pos)
				}
				found[n].Confidence = min(found[n].Confidence, r.Confidence)
				found[n].Kind = min(found[n].Kind, r.Kind)
			case r.Confidence < found[n].Confidence:
				r.Sites = []ir.Pos{pos}
				found[n] = r
			}
		}
		for _, to := range frontier {
			if ctx.Err() != nil {
				break
			}
			next(to.ID, func(now graph.Edge) bool {
				if e = now; !follow(&e) {
					return true
				}
				from := w.Home(end(&e))
				if !backward && from != e.To {
					return true // a literal is not the function that it is written in
				}
				reach(Reached{ID: from, Depth: level, Via: to.ID, Confidence: max(to.Confidence, e.Confidence), Kind: e.Kind}, e.Pos)
				return true
			})
		}
		for _, r := range known {
			if r.Depth == level {
				for _, pos := range r.Sites {
					reach(r, pos)
				}
			}
		}
		w.sort(found[first:]) // so that of several ways the same one is told each time
		if len(found) > maxReached {
			found, cut = found[:maxReached], CutReached
			break
		}
		for i := range found[first:] {
			*at.At(found[first+i].ID) = int32(first + i + 1)
		}
		frontier = append(frontier[:0], found[first:]...)
	}
	if cut == "" && (last > depth || w.beyond(frontier, func(id graph.ID) bool { return *at.At(id) != 0 }, backward, follow)) {
		cut = CutDepth
	}
	for i := range found {
		slices.Sort(found[i].Sites)
	}
	return found, cut
}

// along returns what goes through the edges of a node, and their other ends. Loading files is
// looked for only where imports are followed.
func (w *Walk) along(backward bool, follow func(*graph.Edge) bool) (next func(graph.ID, func(graph.Edge) bool), end func(*graph.Edge) graph.ID) {
	if !backward {
		return w.G.Out, func(e *graph.Edge) graph.ID { return e.To }
	}
	end = func(e *graph.Edge) graph.ID { return e.From }
	return func(id graph.ID, yield func(graph.Edge) bool) {
		if follow(&graph.Edge{To: id, Kind: graph.Imports}) {
			w.into(id, yield)
		} else {
			w.G.In(id, yield)
		}
	}, end
}

// beyond reports whether what was reached last leads to something that was not.
func (w *Walk) beyond(frontier []Reached, seen func(graph.ID) bool, backward bool, follow func(*graph.Edge) bool) (more bool) {
	next, end := w.along(backward, follow)
	for _, to := range frontier {
		next(to.ID, func(e graph.Edge) bool {
			from := w.Home(end(&e))
			more = follow(&e) && !seen(from) && (backward || from == e.To)
			return !more
		})
		if more {
			return true
		}
	}
	return false
}

// sort puts what was reached by as many steps in the order of answers. Paths are compared once for
// each file, not for each pair of nodes: most of a large tree may be reached.
func (w *Walk) sort(list []Reached) {
	if len(list) < 2 {
		return
	}
	files := map[string]uint64{}
	for i := range list {
		files[w.Node(list[i].ID).Path] = 0
	}
	for i, file := range slices.Sorted(maps.Keys(files)) {
		files[file] = uint64(i)
	}
	type keyed struct {
		Reached
		key uint64
	}
	sorted := make([]keyed, len(list))
	for i, r := range list {
		n := w.Node(r.ID)
		sorted[i] = keyed{r, uint64(r.Confidence)<<56 | files[n.Path]<<32 | uint64(n.Pos)}
	}
	slices.SortFunc(sorted, func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(strings.Compare(w.Node(a.ID).Name, w.Node(b.ID).Name), cmp.Compare(a.ID, b.ID))
	})
	for i := range sorted {
		list[i] = sorted[i].Reached
	}
}
