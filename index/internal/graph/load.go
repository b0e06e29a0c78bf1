package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// solveNodes is how many expressions the graph has at hand, unless told otherwise, while
// a Resolve runs: 300 MB of them, which all of a tree of 15,000 files are. Of a larger one
// the rest is loaded each time that it is needed; where that is more than half, a quarter
// of this has to do, for having a part saves little then: a pass over 100,000 files goes
// through 50 million.
const solveNodes = 8 << 20

// keepNodes is, unless told otherwise, how many expressions the graph keeps between
// updates, of all files together: 9 MB of them. What a project has beyond that is lowered
// again when an update needs it.
const keepNodes = 1 << 18

// Reload tells the graph where to get a file from that was put in before: what load
// returns must be equal to that, or nil. Without it the graph keeps every file whole;
// with it, about keep expressions of all files together, or a quarter of a million for 0;
// and of files that wait for a Resolve, and while one runs, 32 times as many. It is asked
// for a file from the next Resolve on, not before, and by several goroutines at once. With
// spare, which may be nil, all but the expressions, the arguments and the bodies of what
// load returns is of use only until load is called with it again.
//
// A graph from Restore can change from then on; see Configured.
func (g *Graph) Reload(load func(path string, spare *ir.Spare) *ir.File, keep int) {
	g.reload, g.keep, g.fixed = load, cmp.Or(keep, keepNodes), false
}

// room is how many expressions to have at hand of files that wait, and while a Resolve
// runs.
func (s *settings) room() int { return s.keep * (solveNodes / keepNodes) }

// slimmed is how much there is of a file that waits without its expressions.
type slimmed struct{ exprs, args int }

// wait has a file wait for the next Resolve; nil: it is to be removed.
func (g *family) wait(path string, f *ir.File) {
	if before := g.pending[path]; before != nil {
		g.waiting -= len(before.Exprs)
	}
	delete(g.slimmed, path)
	g.pending[path] = f
	if f != nil {
		g.waiting += len(f.Exprs)
	}
}

// thin has a file wait without its expressions.
func (g *family) thin(path string) {
	f := g.pending[path]
	if g.slimmed == nil {
		g.slimmed = map[string]slimmed{}
	}
	g.slimmed[path] = slimmed{len(f.Exprs), len(f.Args)}
	g.waiting -= len(f.Exprs)
	strip(f)
}

// knows reports whether a file is in the family, or waits for it.
func (g *family) knows(path string) bool {
	_, waits := g.pending[path]
	return waits || g.file(path) != 0
}

// strip takes the expressions out of a file.
func strip(f *ir.File) {
	f.Exprs, f.Args, f.Bodies = nil, nil, nil
}

// load makes sure that the expressions of a file are at hand.
func (g *family) load(f *file) {
	if !f.slim {
		return
	}
	f.slim = false
	full := g.reload(f.path, &g.spare)
	if full == nil || len(full.Funcs) != len(f.ir.Funcs) || len(full.Vars) != len(f.ir.Vars) || len(full.Strings) != len(f.names) {
		// The text is not what it was: the file is about to be put in again.
		full = &ir.File{Exprs: make([]ir.Node, f.exprs), Args: make([]ir.Arg, f.args)}
	}
	f.ir.Exprs, f.ir.Args, f.ir.Bodies = full.Exprs, full.Args, full.Bodies
	g.nodes += len(f.ir.Exprs)
	g.loaded = append(g.loaded, f)
}

// relieve lets go of expressions while a Resolve runs, if more are at hand than it should
// have: nobody may use any. Those that were loaded last go first: a Resolve goes through
// all files in the same order again and again, so that those that stay are there the next
// time, where the oldest would be gone just before they are needed.
func (g *family) relieve() {
	if g.reload == nil || g.nodes <= g.most {
		return
	}
	n := len(g.loaded)
	for ; n > 0 && g.nodes > g.most-g.most/16; n-- {
		g.slim(g.loaded[n-1])
	}
	g.loaded = g.loaded[:n]
}

// slim lets go of the expressions of a file.
func (g *family) slim(f *file) {
	if f.slim || g.files[f.path] != f {
		return
	}
	g.nodes -= len(f.ir.Exprs)
	f.exprs, f.args, f.slim = len(f.ir.Exprs), len(f.ir.Args), true
	g.spare.Add(f.ir.Exprs, f.ir.Args)
	strip(f.ir)
}

// unload lets go of expressions but for some, those that were needed longest ago first,
// and of all versions of files that are not the last ones.
func (g *family) unload(keep int) {
	defer func() { g.spare, g.statics = ir.Spare{}, nil }() // these know files, too
	g.loaded = slices.DeleteFunc(g.loaded, func(f *file) bool { return g.files[f.path] != f })
	if g.reload == nil {
		return
	}
	n := 0
	for ; n < len(g.loaded) && g.nodes > keep; n++ {
		g.slim(g.loaded[n])
	}
	g.loaded = slices.Clone(g.loaded[n:])
}

// loadedFrom notes a file that came in whole.
func (g *family) loadedFrom(f *file) {
	g.nodes += len(f.ir.Exprs)
	g.loaded = append(g.loaded, f)
}

// settle has a file take its strings from the graph, which keeps each once.
func (g *family) settle(r *file) {
	r.known, r.ir.Strings, r.ir.Texts = &g.names, nil, r
}

// Text returns a string of the file.
func (f *file) Text(s ir.Str) string { return f.known.text[f.names[s]] }
