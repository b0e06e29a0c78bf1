package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// resolvePython finds a module: relative to the file's package for leading dots, else
// from each folder that can be on the path: those above the file, the root, src and lib.
func (g *Graph) resolvePython(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if dots := len(module) - len(strings.TrimLeft(module, ".")); dots > 0 {
		dir := f.dir
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		if id := g.pythonModule(path.Join(dir, strings.ReplaceAll(module[dots:], ".", "/"))); id != 0 {
			return target{in: []ID{id}}
		}
		// from . import x in a folder without __init__.py: x is a file beside it.
		if module[dots:] == "" {
			if id := g.pythonModule(path.Join(dir, f.ir.String(i.Name))); id != 0 {
				return target{in: []ID{id}}
			}
		}
		return target{}
	}
	p := strings.ReplaceAll(module, ".", "/")
	if i.Name == 0 && i.Alias == 0 { // import a.b binds a; attributes find the rest
		p, _, _ = strings.Cut(p, "/")
	}
	for _, root := range pythonRoots(f.dir) {
		if id := g.pythonModule(path.Join(root, p)); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

func pythonRoots(dir string) []string {
	var out []string
	for d := dir; ; d = path.Dir(d) {
		if d == "." || d == "/" {
			d = ""
		}
		out = append(out, d)
		if d == "" {
			break
		}
	}
	return append(out, "src", "lib")
}

func (g *Graph) pythonModule(p string) ID {
	if p == "." || p == "" {
		return g.fileAt("__init__.py")
	}
	if id := g.fileAt(p + "/__init__.py"); id != 0 {
		return id
	}
	if id := g.fileAt(p + ".py"); id != 0 {
		return id
	}
	return 0
}
