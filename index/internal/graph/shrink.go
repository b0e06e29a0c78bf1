package graph

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// What updates need of a family is four to ten times as large as what answers come from.
// So a family is kept only in its frozen form if those that are whole would be too large
// together, or if it has grown, or comes from a snapshot, or nothing has changed for long:
// see Shrink. A change of one of its files has a Resolve make it again, of all its files.

// mostWhole is how many bytes those families may take together that are kept with all that
// their updates need, unless told otherwise.
const mostWhole = 256 << 20

// grown is by how much a family may grow in updates: by an eighth, and a little. Values
// and nodes that edits have left behind stay in it, of a project of Python with 400 files
// 2 MB in a minute with an edit each second.
func grown(whole int64) int64 {
	const little = 256 << 10
	return whole + whole/8 + little
}

// Shrink lets go of what only updates need, and reports whether there was something. A
// graph without Reload, which could not be made again, is left as it is.
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

// Shrunk reports whether a change may have a family made again.
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

// shrunk returns a family in its frozen form. The whole one is of no use afterwards: while
// the frozen form is made, it has only what that is made of.
func (g *family) shrunk() *family {
	g.unload(0)
	g.loaded, g.values, g.cells, g.byCell, g.byKey, g.names.byText = nil, nil, blocks[cell]{}, table{}, table{}, table{}
	g.bags, g.into, g.open_, g.elsewhere, g.overridden = nil, nil, nil, nil, nil
	for _, f := range g.files {
		f.names, f.varTypes, f.results, f.targets, f.said, f.declared = nil, nil, resultTypes{}, nil, nil, nil
	}
	for _, u := range g.units {
		if u != nil {
			u.gives = nil
		}
	}
	f := frozenFamily(g.name, g.settings, g.freeze())
	f.configs = g.configs
	return f
}

// thaw returns a frozen family as one that can be resolved, with all its files and
// those that wait.
func (g *family) thaw() *family {
	f := newFamily(g.name, g.settings)
	f.configs, f.most = g.configs, g.most
	for _, path := range g.frozen.paths() {
		if g.halted.Load() {
			return f
		}
		if _, waits := g.pending[path]; waits {
			continue
		}
		if file := g.reload(path, nil); file != nil {
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

// afresh returns a family that has been resolved as one that can be resolved from nothing,
// with all its files and those that wait.
func (g *family) afresh() *family {
	f := newFamily(g.name, g.settings)
	f.configs, f.most, f.slimmed = g.configs, g.most, map[string]slimmed{}
	for path, r := range g.files {
		if _, waits := g.pending[path]; waits {
			continue
		}
		own := *r.ir
		own.Texts, own.Strings = nil, make([]string, len(r.names))
		for i, n := range r.names {
			own.Strings[i] = g.names.text[n]
		}
		f.wait(path, &own)
		if r.slim {
			f.slimmed[path] = slimmed{r.exprs, r.args}
		}
	}
	for path, file := range g.pending {
		if file != nil {
			f.wait(path, file)
		}
	}
	maps.Copy(f.slimmed, g.slimmed)
	return f
}

// reduced returns what to keep of a family that has been resolved: all of it, but where
// edits have let it grow.
func (g *family) reduced() *family {
	g.weight = g.bytes()
	g.whole = cmp.Or(g.whole, g.weight)
	if g.reload == nil || g.halted.Load() || g.weight <= min(g.largest(), grown(g.whole)) {
		return g
	}
	return g.shrunk()
}

// largest is how many bytes the families that are kept whole may take together, and so the
// most that one may take.
func (s *settings) largest() int64 { return cmp.Or(s.bound, mostWhole) }

// A keeper sees to it, while families are resolved, that those which are kept whole are not
// too large together: first it shrinks those that have not changed, then those that are
// largest.
type keeper struct {
	g *Graph

	mu    sync.Mutex
	idle  []int // numbers of families that are whole and have not changed
	fresh []int // the same of those that have been resolved
}

// keeper returns one for a Resolve in which some families change.
func (g *Graph) keeper(changed []int) *keeper {
	k := &keeper{g: g}
	for n, f := range g.families {
		if f.frozen == nil && !slices.Contains(changed, n) {
			k.idle = append(k.idle, n)
		}
	}
	return k
}

// add enters a family that has been resolved. Several goroutines may call it.
func (k *keeper) add(n int, f *family) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.g.families[n] = f
	if f.frozen != nil || f.reload == nil || f.halted.Load() {
		return
	}
	k.fresh = append(k.fresh, n)
	for k.sum(k.idle)+k.sum(k.fresh) > k.g.largest() {
		if len(k.idle) > 0 {
			k.idle = k.shrink(k.idle)
		} else {
			k.fresh = k.shrink(k.fresh)
		}
	}
}

// sum is how many bytes some families take.
func (k *keeper) sum(families []int) (n int64) {
	for _, i := range families {
		n += k.g.families[i].weight
	}
	return n
}

// shrink shrinks the largest of some families, and returns the others.
func (k *keeper) shrink(families []int) []int {
	at := 0
	for i, n := range families {
		if k.g.families[n].weight > k.g.families[families[at]].weight {
			at = i
		}
	}
	n := families[at]
	k.g.families[n] = k.g.families[n].shrunk()
	return slices.Delete(families, at, at+1)
}
