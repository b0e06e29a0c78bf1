package calls

import (
	"context"
	"iter"
	"slices"

	"github.com/quarry-search/quarry/index/calls/dependents"
	"github.com/quarry-search/quarry/index/calls/postings"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A witness looks at the text of each file that says a name, which takes long where most
// files do. But what it finds there are calls of which the graph knows nothing, or that
// they lead out of the index, and these are few. So a server keeps, once it was asked, a
// posting list of them by name: the files that a witness has to look at. It is made in the
// background; a question for which it is not of the present state looks at all files, with
// the same answer.

// toRead returns the numbers of the sources that have to be looked at, in order. Where they
// are not known it returns all, and in a server has them made for the next question.
func (t *witness) toRead(ctx context.Context, s *texts.Search, generation uint64) iter.Seq[int] {
	all := func(yield func(int) bool) {
		for n := range s.Files {
			if !yield(n) {
				return
			}
		}
	}
	if t.took != nil {
		return all
	}
	for _, a := range t.asked {
		if a.accessor {
			return all // it is run without a call
		}
	}
	x := t.index
	if p := store.Kept[postings.Kept](x).Of(generation, t.Walk.calls.Version.Load()); p != nil {
		names := map[string]bool{}
		for name, a := range t.asked {
			names[name] = a.part()
		}
		return slices.Values(p.Naming(s, names))
	}
	t.prepare(ctx)
	return all
}

// prepare has a server Prepare in the background.
func (w *Walk) prepare(ctx context.Context) {
	if x := w.index; x.Opt.Background && x.Over == nil {
		ctx = context.WithoutCancel(ctx)
		w.calls.Precompute(func() { Prepare(ctx, x) })
	}
}

// Prepare makes the postings of the present state, and turns its edges round, which spares the next
// questions about callers most of their work. It gives up where the state changes.
func Prepare(ctx context.Context, x *store.View) {
	kept := store.Kept[postings.Kept](x)
	sources, err := texts.SourcesOf(ctx, x)
	if err != nil || !x.Counters.Built.Load() || x.Graph.Behind() {
		return
	}
	every, err := texts.Compile(`.`, line.Options{})
	if err != nil {
		return
	}
	s := &texts.Search{Index: x, Pattern: every, Sources: sources, Files: sources.Files}
	s.Look()
	generation, version := sources.State.Generation, x.Graph.Version.Load()
	m := kept.Make(s, generation, version)
	var turned dependents.Maker
	for n := 0; n < len(sources.Files); n += readAtOnce {
		// The lock is let go of now and then, and while texts are read: a graph that is to change
		// does not wait long, nor do the questions behind it.
		end := min(n+readAtOnce, len(sources.Files))
		var known []*postings.Known
		ReadGraph(x, func(w *Walk) {
			turned.Node = w.dependent
			for i := n; i < end; i++ {
				known = append(known, w.known(&sources.Files[i], &turned))
			}
		})
		callgraph.Quietly(func() {
			for i, k := range known {
				if k != nil && !x.Graph.Stop.Load() {
					m.Add(n+i, k)
				}
			}
		})
		if x.Graph.Stop.Load() || version != x.Graph.Version.Load() || generation != x.Counters.Generation.Load() {
			return
		}
	}
	size := store.Kept[dependents.Kept](x).Keep(turned.Made(version))
	x.Counters.Calls.Store(size + kept.Keep(m))
}

// readAtOnce is of how many files Prepare reads the calls before it lets go of the graph.
const readAtOnce = 64

// known reads where the graph knows calls in a file, and turns its edges; nil for a file that does
// not concern a witness.
func (w *Walk) known(file *texts.Source, turned *dependents.Maker) *postings.Known {
	id := w.G.File(file.Path)
	if !postings.Concerns(file, id != 0) {
		return nil
	}
	k := &postings.Known{InGraph: file.Record != nil && id != 0}
	if id == 0 {
		return k
	}
	turned.Meet(id)
	w.G.CallsIn(file.Path, func(e graph.Edge) bool {
		if w.Dependency(&e) && w.Home(e.To) == e.To {
			turned.Add(e.To, w.Home(e.From), e.Confidence)
		}
		switch {
		case !k.InGraph || !tells(&e):
		case e.Rule == graph.ByProperty:
			k.Implicit(e.Pos, PlainName(w.Node(e.To)))
		default:
			k.Call(e.Pos, false)
		}
		return true
	}, func(s graph.Site) bool {
		if k.InGraph && s.Reason != graph.External {
			k.Call(s.Pos, true)
		}
		return true
	})
	return k
}
