package solver

import (
	"cmp"
	"maps"

	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// What updates need of a family is four to ten times as large as what answers come from.
// So a family is kept only in its frozen form if those that are whole would be too large
// together, or if it has grown, or comes from a snapshot, or nothing has changed for long:
// see Shrink. A change of one of its files has a Resolve make it again, of all its files.

// roomToGrow is by how much a family may grow in updates: by an eighth, and a little. Values
// and nodes that edits have left behind stay in it, of a project of Python with 400 files
// 2 MB in a minute with an edit each second.
func roomToGrow(whole int64) int64 {
	const little = 256 << 10
	return whole + whole/8 + little
}

// FrozenFamily returns a family that has only its frozen form.
func FrozenFamily(name string, languages func() map[string]*program.Lang, s *program.Settings, f *frozen.Family) *program.Family {
	g := &program.Family{Name: name, Languages: languages, Settings: s, Configs: map[string][]byte{}, Pending: map[string]*ir.File{}, Frozen: f}
	g.Weight = g.Bytes()
	return g
}

// Shrunk returns a family in its frozen form. The whole one is of no use afterwards: while
// the frozen form is made, it has only what that is made of.
func Shrunk(g *program.Family) *program.Family {
	g.Unload(0)
	g.Loaded, g.Values, g.Cells, g.ByCell, g.ByKey, g.Names.ByText = nil, nil, intern.Blocks[pointsto.Cell]{}, intern.Table{}, intern.Table{}, intern.Table{}
	g.Bags, g.Into, g.OpenSites, g.Elsewhere, g.Overridden = nil, nil, nil, nil, nil
	for _, f := range g.Files {
		f.Names, f.VarTypes, f.Results, f.Targets, f.TextHashes, f.MeaningHashes = nil, nil, program.ResultTypes{}, nil, nil, nil
	}
	for _, u := range g.Units {
		if u != nil {
			u.Constraints = nil
		}
	}
	f := FrozenFamily(g.Name, g.Languages, g.Settings, Freeze(g))
	f.Configs = g.Configs
	return f
}

// Thaw returns a frozen family as one that can be resolved, with all its files and
// those that wait.
func Thaw(g *program.Family) *program.Family {
	f := program.NewFamily(g.Name, g.Languages, g.Settings)
	f.Configs, f.Most = g.Configs, g.Most
	for _, path := range g.Frozen.Paths() {
		if g.Halted.Load() {
			return f
		}
		if _, waits := g.Pending[path]; waits {
			continue
		}
		if file := g.Reload(path, nil); file != nil {
			f.Wait(path, file)
			if f.Waiting > f.Most {
				f.Thin(path)
			}
		}
	}
	for path, file := range g.Pending {
		if file != nil {
			f.Wait(path, file)
		}
	}
	if f.Slimmed == nil {
		f.Slimmed = map[string]program.Slimmed{}
	}
	maps.Copy(f.Slimmed, g.Slimmed)
	return f
}

// Afresh returns a family that has been resolved as one that can be resolved from nothing,
// with all its files and those that wait.
func Afresh(g *program.Family) *program.Family {
	f := program.NewFamily(g.Name, g.Languages, g.Settings)
	f.Configs, f.Most, f.Slimmed = g.Configs, g.Most, map[string]program.Slimmed{}
	for path, r := range g.Files {
		if _, waits := g.Pending[path]; waits {
			continue
		}
		own := *r.IR
		own.Texts, own.Strings = nil, make([]string, len(r.Names))
		for i, n := range r.Names {
			own.Strings[i] = g.Names.Text[n]
		}
		f.Wait(path, &own)
		if r.Slim {
			f.Slimmed[path] = program.Slimmed{Exprs: r.Exprs, Args: r.Args}
		}
	}
	for path, file := range g.Pending {
		if file != nil {
			f.Wait(path, file)
		}
	}
	maps.Copy(f.Slimmed, g.Slimmed)
	return f
}

// Reduced returns what to keep of a family that has been resolved: all of it, but where
// edits have let it grow.
func Reduced(g *program.Family) *program.Family {
	g.Weight = g.Bytes()
	g.Whole = cmp.Or(g.Whole, g.Weight)
	if g.Reload == nil || g.Halted.Load() || g.Weight <= min(g.Largest(), roomToGrow(g.Whole)) {
		return g
	}
	return Shrunk(g)
}
