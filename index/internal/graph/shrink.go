package graph

import (
	"cmp"
	"maps"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// What updates need of a family is four to ten times as large as what answers come from.
// So a family is kept only in its frozen form if it is large, or has grown, or comes from
// a snapshot, or nothing has changed for long: see Shrink. A change of one of its files
// has a Resolve make it anew, of all its files.

// largeFamily is how many bytes a family may take with all that its updates need, unless
// told otherwise.
const largeFamily = 256 << 20

// grown is by how much a family may grow in updates: by an eighth, and a little. Values
// and nodes that edits have left behind stay in it, of a project of Python with 400 files
// 2 MB in a minute with an edit each second.
func grown(whole int64) int64 {
	const little = 256 << 10
	return whole + whole/8 + little
}

// Shrink lets go of what only updates need, and reports whether there was something. A
// graph without Reload, which could not be made anew, is left as it is.
func (g *Graph) Shrink() (some bool) {
	if g.reload == nil {
		return false
	}
	for n, f := range g.families {
		if f.frozen == nil {
			g.families[n], some = f.shrunk(), true
		}
	}
	return some
}

// Shrunk reports whether a change may have a family made anew.
func (g *Graph) Shrunk() bool {
	for _, f := range g.families {
		if f.frozen != nil {
			return true
		}
	}
	return false
}

// frozenFamily returns a family that has only its frozen form.
func frozenFamily(name string, s *settings, f *frozen) *family {
	g := &family{name: name, settings: s, configs: map[string][]byte{}, pending: map[string]*ir.File{}, frozen: f}
	g.weight = g.bytes()
	return g
}

// shrunk returns a family in its frozen form.
func (g *family) shrunk() *family {
	f := frozenFamily(g.name, g.settings, g.freeze())
	f.configs = g.configs
	return f
}

// anew returns a frozen family as one that can be resolved, with all its files and
// those that wait.
func (g *family) anew() *family {
	f := newFamily(g.name, g.settings)
	f.configs, f.most = g.configs, g.most
	for _, path := range g.frozen.paths() {
		if g.halted.Load() {
			return f
		}
		if _, waits := g.pending[path]; waits {
			continue
		}
		if file := g.reload(path); file != nil {
			f.wait(path, file)
			if f.waiting > f.most {
				f.thin(path)
			}
		}
	}
	for path, file := range g.pending {
		if file != nil {
			f.wait(path, file)
		}
	}
	if f.slimmed == nil {
		f.slimmed = map[string]slimmed{}
	}
	maps.Copy(f.slimmed, g.slimmed)
	return f
}

// reduced returns what to keep of a family that has been resolved.
func (g *family) reduced() *family {
	g.weight = g.bytes()
	g.whole = cmp.Or(g.whole, g.weight)
	if g.reload == nil || g.halted.Load() || g.weight <= min(cmp.Or(g.large, largeFamily), grown(g.whole)) {
		return g
	}
	return g.shrunk()
}
