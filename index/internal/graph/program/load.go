package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Load makes sure that the expressions of a file are at hand.
func (g *Family) Load(f *File) {
	if !f.Slim {
		return
	}
	f.Slim = false
	full := g.Reload(f.Path, &g.spare)
	if full == nil || len(full.Funcs) != len(f.IR.Funcs) || len(full.Vars) != len(f.IR.Vars) || len(full.Strings) != len(f.Names) {
		// The text is not what it was: the file is about to be put in again.
		full = &ir.File{Exprs: make([]ir.Node, f.Exprs), Args: make([]ir.Arg, f.Args)}
	}
	f.IR.Exprs, f.IR.Args, f.IR.Bodies = full.Exprs, full.Args, full.Bodies
	g.Nodes += len(f.IR.Exprs)
	g.Loaded = append(g.Loaded, f)
}

// Relieve lets go of expressions while a Resolve runs, if more are at hand than it should
// have: nobody may use any. Those that were loaded last go first: a Resolve goes through
// all files in the same order again and again, so that those that stay are there the next
// time, where the oldest would be gone just before they are needed.
func (g *Family) Relieve() {
	if g.Reload == nil || g.Nodes <= g.Most {
		return
	}
	n := len(g.Loaded)
	for ; n > 0 && g.Nodes > g.Most-g.Most/16; n-- {
		g.slim(g.Loaded[n-1])
	}
	g.Loaded = g.Loaded[:n]
}

// slim lets go of the expressions of a file.
func (g *Family) slim(f *File) {
	if f.Slim || g.Files[f.Path] != f {
		return
	}
	g.Nodes -= len(f.IR.Exprs)
	f.Exprs, f.Args, f.Slim = len(f.IR.Exprs), len(f.IR.Args), true
	g.spare.Add(f.IR.Exprs, f.IR.Args)
	strip(f.IR)
}

// Unload lets go of expressions but for some, those that were needed longest ago first,
// and of all versions of files that are not the last ones.
func (g *Family) Unload(keep int) {
	defer func() { g.spare, g.Evals = ir.Spare{}, nil }() // these know files, too
	g.Loaded = slices.DeleteFunc(g.Loaded, func(f *File) bool { return g.Files[f.Path] != f })
	if g.Reload == nil {
		return
	}
	n := 0
	for ; n < len(g.Loaded) && g.Nodes > keep; n++ {
		g.slim(g.Loaded[n])
	}
	g.Loaded = slices.Clone(g.Loaded[n:])
}

// loadedFrom notes a file that came in whole.
func (g *Family) loadedFrom(f *File) {
	g.Nodes += len(f.IR.Exprs)
	g.Loaded = append(g.Loaded, f)
}

// settle has a file take its strings from the graph, which keeps each once.
func (g *Family) settle(r *File) {
	r.known, r.IR.Strings, r.IR.Texts = &g.Names, nil, r
}

// Wait has a file wait for the next Resolve; nil: it is to be removed.
func (g *Family) Wait(path string, f *ir.File) {
	if before := g.Pending[path]; before != nil {
		g.Waiting -= len(before.Exprs)
	}
	delete(g.Slimmed, path)
	g.Pending[path] = f
	if f != nil {
		g.Waiting += len(f.Exprs)
	}
}

// Thin has a file wait without its expressions.
func (g *Family) Thin(path string) {
	f := g.Pending[path]
	if g.Slimmed == nil {
		g.Slimmed = map[string]Slimmed{}
	}
	g.Slimmed[path] = Slimmed{len(f.Exprs), len(f.Args)}
	g.Waiting -= len(f.Exprs)
	strip(f)
}

// strip takes the expressions out of a file.
func strip(f *ir.File) {
	f.Exprs, f.Args, f.Bodies = nil, nil, nil
}
