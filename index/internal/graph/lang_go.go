package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// config returns what the configuration files say.
func (g *Graph) config() *modules {
	if g.modules == nil {
		m := &modules{packages: map[string]string{}, aliases: map[string][]prefix{}, bases: map[string]string{}, crates: map[string]string{}}
		for p, text := range g.configs {
			dir := path.Dir(p)
			if dir == "." {
				dir = ""
			}
			switch base := path.Base(p); {
			case base == "go.mod":
				if name := modfile.ModulePath(text); name != "" {
					m.go_ = append(m.go_, prefix{name, []string{dir}})
				}
			case base == "package.json":
				m.npm(dir, text)
			case base == "Cargo.toml":
				m.cargo(dir, text)
			default:
				m.tsconfig(p, dir, text, g.configs)
			}
		}
		slices.SortFunc(m.go_, func(a, b prefix) int {
			return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.dirs[0], b.dirs[0]))
		})
		g.modules = m
	}
	return g.modules
}

// resolveGo maps an import path to a folder by the go.mod files, the vendor folder
// and, in the tree of Go itself, by the path alone.
func (g *Graph) resolveGo(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	for _, dir := range g.goDirs(f, module) {
		if id := g.goPackage(dir, f, i); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

func (g *Graph) goDirs(f *file, module string) []string {
	var out []string
	for _, m := range g.config().go_ {
		switch {
		case m.text == module:
			out = append(out, m.dirs[0])
		case strings.HasPrefix(module, m.text+"/"):
			out = append(out, path.Join(m.dirs[0], module[len(m.text)+1:]))
		case m.text == "std":
			out = append(out, path.Join(m.dirs[0], module), path.Join(m.dirs[0], "vendor", module))
		}
	}
	if len(g.config().go_) == 0 {
		out = append(out, module)
	}
	return out
}

// goPackage returns the package that a folder holds, tests apart.
func (g *Graph) goPackage(dir string, f *file, i *ir.ImportInfo) ID {
	if dir == "." {
		dir = ""
	}
	if g.dirs[dir] == 0 {
		return 0
	}
	return g.goPackages()[dir]
}

// goPackages are the packages of the folders that hold Go files.
func (g *Graph) goPackages() map[string]ID {
	if g.goDir == nil {
		g.goDir = map[string]ID{}
		for _, p := range g.paths() {
			f := g.files[p]
			if f.lang.family != "go" || strings.HasSuffix(p, "_test.go") || g.goDir[f.dir] != 0 && f.ir.String(f.ir.Package) == "main" {
				continue
			}
			if pkg := f.ir.String(f.ir.Package); g.goDir[f.dir] == 0 || pkg == path.Base(f.dir) {
				g.goDir[f.dir] = f.pkg
			}
		}
	}
	return g.goDir
}
