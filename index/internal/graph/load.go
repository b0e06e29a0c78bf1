package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// keepNodes is, unless told otherwise, how many expressions the graph keeps between updates, of all files
// together: 9 MB of them. What a project has beyond that is lowered again when an
// update needs it.
const keepNodes = 1 << 18

// Reload tells the graph where to get a file from that was put in before: what load
// returns must be equal to that, or nil. Without it the graph keeps every file whole;
// with it, about keep expressions of all files together, or a quarter of a million for 0.
func (g *Graph) Reload(load func(path string) *ir.File, keep int) {
	g.reload, g.keep = load, cmp.Or(keep, keepNodes)
}

// load makes sure that the expressions of a file are at hand.
func (g *Graph) load(f *file) {
	if !f.slim {
		return
	}
	f.slim = false
	full := g.reload(f.path)
	if full == nil || len(full.Funcs) != len(f.ir.Funcs) || len(full.Vars) != len(f.ir.Vars) || len(full.Strings) != len(f.ir.Strings) {
		// The text is not what it was: the file is about to be put in anew.
		full = &ir.File{Exprs: make([]ir.Node, f.exprs), Args: make([]ir.Arg, f.args), Funcs: make([]ir.FuncInfo, len(f.ir.Funcs))}
	}
	f.ir.Exprs, f.ir.Args = full.Exprs, full.Args
	for i := range f.ir.Funcs {
		f.ir.Funcs[i].Body = full.Funcs[i].Body
	}
	g.nodes += len(f.ir.Exprs)
	g.loaded = append(g.loaded, f)
}

// unload lets go of expressions, those that were needed longest ago first, and of all
// versions of files that are not the last ones.
func (g *Graph) unload() {
	g.loaded = slices.DeleteFunc(g.loaded, func(f *file) bool { return g.files[f.path] != f })
	if g.reload == nil {
		return
	}
	n := 0
	for ; n < len(g.loaded) && g.nodes > g.keep; n++ {
		f := g.loaded[n]
		if f.slim {
			continue
		}
		g.nodes -= len(f.ir.Exprs)
		f.exprs, f.args, f.slim = len(f.ir.Exprs), len(f.ir.Args), true
		f.ir.Exprs, f.ir.Args = nil, nil
		for i := range f.ir.Funcs {
			f.ir.Funcs[i].Body = nil
		}
	}
	g.loaded = slices.Clone(g.loaded[n:])
}

// loadedFrom notes a file that came in whole.
func (g *Graph) loadedFrom(f *file) {
	g.nodes += len(f.ir.Exprs)
	g.loaded = append(g.loaded, f)
}

// settle makes the strings of a file those of the graph, so that they are kept once.
func (g *Graph) settle(r *file) {
	for i, n := range r.names {
		r.ir.Strings[i] = g.names.text[n]
	}
}
