// Package resolve has what is special about shell scripts: one that is sourced shares the
// scope of those that source it.
package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is shell scripts.
var Family = program.Languages{Name: "bash", Names: map[string]string{"bash": "bash"}, Make: newBash}

// language is the Language.
type language struct {
	plain.Default
	sourcing map[edge.ID][]edge.ID // scripts, by those that they source; made at the first use
}

func newBash() map[string]*program.Lang {
	var t program.Traits
	t.Overloads = true
	return map[string]*program.Lang{"bash": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of what scripts source.
func (l *language) Forget() { l.sourcing = nil }

// Resolve finds a script that is sourced: next to the file, below the folder
// that the program was started in, which may be any above, or by the end of its path.
func (*language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module := f.IR.String(i.Module)
	for dir := f.Dir; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if id := g.FileAt(path.Join(dir, module)); id != 0 && id != f.ID {
			return program.Target{In: []edge.ID{id}}
		}
		if dir == "" || dir == "/" {
			break
		}
	}
	var others []string
	for _, p := range g.BySuffix(module) {
		if p != f.Path {
			others = append(others, p)
		}
	}
	if id := g.Nearest(f, others); id != 0 {
		return program.Target{In: []edge.ID{id}}
	}
	return g.OutsideOf(module)
}

// Beyond finds a name in the scripts that source a file.
func (l *language) Beyond(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	s, ok = l.sourcedBy(e, f, n)
	return s, ok, edge.ByImport, ok
}

// sourcedBy finds a name in the scripts that source a file, directly or through
// others: they and what else they source share one scope with it.
func (l *language) sourcedBy(e *eval.Evaluator, f *program.File, n intern.Name) (pointsto.Set, bool) {
	g := e.Family
	if l.sourcing == nil {
		l.sourcing = map[edge.ID][]edge.ID{}
		for _, p := range g.Paths() {
			o := g.Files[p]
			for i := 1; i < len(o.Targets); i++ {
				for _, in := range o.Targets[i].In {
					if !slices.Contains(l.sourcing[in], o.ID) {
						l.sourcing[in] = append(l.sourcing[in], o.ID)
					}
				}
			}
		}
	}
	seen := []edge.ID{f.ID}
	for at := 0; at < len(seen) && at < program.MaxNesting; at++ {
		for _, up := range l.sourcing[seen[at]] {
			if slices.Contains(seen, up) {
				continue
			}
			seen = append(seen, up)
			if s, ok := e.Within(up, n, 0); ok {
				return s, true
			}
		}
	}
	return 0, false
}

// Restarts reports whether a script sources others than before: what they see
// changes, though no name of theirs does.
func (*language) Restarts(old *program.File, f *ir.File) bool {
	list := func(f *ir.File) (out []string) {
		if f != nil {
			for _, i := range f.Imports[1:] {
				out = append(out, f.String(i.Module))
			}
		}
		return out
	}
	var before []string
	if old != nil {
		before = list(old.IR)
	}
	return strings.Join(before, "\n") != strings.Join(list(f), "\n")
}
