package calls

import (
	"context"
	"path"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls/dependents"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Dependents is SearchOn, backward, over all that depends on the seeds. Its Reached have neither
// Sites nor a Kind where they have a Via: Between has them.
//
// Most of a large tree may depend on a symbol. A server has the edges turned round for that, once it
// was asked; the answer is the same without.
func (w *Walk) Dependents(ctx context.Context, seeds []graph.ID, known []Reached, depth int) (found []Reached, cut answer.Cut) {
	d := w.turned(ctx)
	if d == nil || len(known) > 0 || depth < 2 {
		return w.SearchOn(ctx, seeds, known, depth, true, w.Dependency)
	}
	direct, cut := w.SearchOn(ctx, seeds, nil, 1, true, w.Dependency)
	if cut == CutReached || slices.ContainsFunc(direct, func(r Reached) bool { return !d.Has(r.ID) }) {
		return w.SearchOn(ctx, seeds, nil, depth, true, w.Dependency)
	}
	steps := make([]dependents.Step, len(direct))
	for i, r := range direct {
		steps[i] = dependents.Step{ID: r.ID, Via: r.Via, Depth: r.Depth, Confidence: r.Confidence}
	}
	asked := map[loading]bool{} // a file of a folder is loaded by what loads the others
	steps, more := d.From(ctx, seeds, steps, maxReached, depth, func(id graph.ID, yield func(graph.ID)) {
		if file := w.PathOf(id); w.isFile(id) {
			at := loading{path.Ext(file), path.Dir(file)}
			if asked[at] {
				return
			}
			asked[at] = true
		}
		w.loaders(id, func(file graph.ID) bool {
			yield(file)
			return true
		})
	})
	switch {
	case !more:
		cut = ""
	case len(steps) == maxReached:
		cut = CutReached
	default:
		cut = CutDepth
	}
	found = make([]Reached, len(steps))
	for i, s := range steps {
		found[i] = Reached{ID: s.ID, Depth: s.Depth, Via: s.Via, Confidence: s.Confidence}
	}
	w.seen += len(found)
	return found, cut
}

// turned returns the edges turned round, or nil where they are not those of the present graph; a
// server has them made for the next question then.
func (w *Walk) turned(ctx context.Context) *dependents.Dependents {
	if w.index.Over != nil {
		return nil
	}
	if w.back = store.Kept[dependents.Kept](w.index).Of(w.calls.Version.Load()); w.back == nil {
		w.prepare(ctx)
	}
	return w.back
}

// Between fills in the Sites and the Kind of what was reached backward through edges.
func (w *Walk) Between(r *Reached) {
	if r.Via == 0 {
		return
	}
	r.Sites, r.Kind = nil, graph.Implements
	w.into(r.Via, func(e graph.Edge) bool {
		if w.Dependency(&e) && w.Home(e.From) == r.ID {
			if r.Kind = min(r.Kind, e.Kind); !slices.Contains(r.Sites, e.Pos) {
				r.Sites = append(r.Sites, e.Pos)
			}
		}
		return true
	})
	slices.Sort(r.Sites)
}

// dependent writes out a node that a Maker meets.
func (w *Walk) dependent(id graph.ID) dependents.Node {
	n := w.Node(id)
	return dependents.Node{ID: id, Path: n.Path, Pos: n.Pos, Name: n.Name, Flags: dependents.Flags{
		Test: w.IsTest(id), File: n.Kind == graph.FileNode, Open: w.mayBeCalledByName(id), Loads: loads(n), Method: w.IsMethod(id),
	}}
}

// PathOf returns the path of a node.
func (w *Walk) PathOf(id graph.ID) string {
	if _, path, ok := w.back.Flags(id); ok {
		return path
	}
	return w.Node(id).Path
}

// IsMethod reports whether a node is a function of a class.
func (w *Walk) IsMethod(id graph.ID) bool {
	if f, _, ok := w.back.Flags(id); ok {
		return f.Method
	}
	n := w.Node(id)
	return n.Kind == graph.FuncNode && n.Outer != 0 && w.Node(n.Outer).Kind == graph.ClassNode
}

// isFile reports whether a node is the code of a file outside of all definitions.
func (w *Walk) isFile(id graph.ID) bool {
	if f, _, ok := w.back.Flags(id); ok {
		return f.File
	}
	return w.Node(id).Kind == graph.FileNode
}

// mayBeCalledByName reports whether calls of a node's name may be open.
func (w *Walk) mayBeCalledByName(id graph.ID) bool {
	if f, _, ok := w.back.Flags(id); ok {
		return f.Open
	}
	n := w.Node(id)
	return n.Kind == graph.FuncNode && PlainName(n) != "" && w.G.MayBeOpen(id)
}
