package graph

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var bashFamily = langFamily{name: "bash", names: map[string]string{"bash": "bash"}, make: newBash}

// bash is the Language.
type bash struct {
	Default
	sourcing map[ID][]ID // scripts, by those that they source; made at the first use
}

func newBash() map[string]*lang {
	var t traits
	t.overloads = true
	return map[string]*lang{"bash": {traits: t, Language: &bash{}}}
}

// Forget lets go of what scripts source.
func (l *bash) Forget() { l.sourcing = nil }

// Resolve finds a script that is sourced: next to the file, below the folder
// that the program was started in, which may be any above, or by the end of its path.
func (*bash) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	for dir := f.dir; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if id := g.fileAt(path.Join(dir, module)); id != 0 && id != f.id {
			return target{in: []ID{id}}
		}
		if dir == "" || dir == "/" {
			break
		}
	}
	var others []string
	for _, p := range g.bySuffix(module) {
		if p != f.path {
			others = append(others, p)
		}
	}
	if id := g.nearest(f, others); id != 0 {
		return target{in: []ID{id}}
	}
	return g.outsideOf(module)
}

// Beyond finds a name in the scripts that source a file.
func (l *bash) Beyond(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool) {
	s, ok = l.sourcedBy(e, f, n)
	return s, ok, ByImport, ok
}

// sourcedBy finds a name in the scripts that source a file, directly or through
// others: they and what else they source share one scope with it.
func (l *bash) sourcedBy(e *eval, f *file, n name) (set, bool) {
	g := e.g
	if l.sourcing == nil {
		l.sourcing = map[ID][]ID{}
		for _, p := range g.paths() {
			o := g.files[p]
			for i := 1; i < len(o.targets); i++ {
				for _, in := range o.targets[i].in {
					if !slices.Contains(l.sourcing[in], o.id) {
						l.sourcing[in] = append(l.sourcing[in], o.id)
					}
				}
			}
		}
	}
	seen := []ID{f.id}
	for at := 0; at < len(seen) && at < maxNesting; at++ {
		for _, up := range l.sourcing[seen[at]] {
			if slices.Contains(seen, up) {
				continue
			}
			seen = append(seen, up)
			if s, ok := e.within(up, n, 0); ok {
				return s, true
			}
		}
	}
	return 0, false
}

// Restarts reports whether a script sources others than before: what they see
// changes, though no name of theirs does.
func (*bash) Restarts(old *file, f *ir.File) bool {
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
		before = list(old.ir)
	}
	return strings.Join(before, "\n") != strings.Join(list(f), "\n")
}
