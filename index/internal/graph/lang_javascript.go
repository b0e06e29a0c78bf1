package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// scriptExtensions are tried in this order: what is written wins over what is
// only declared.
var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts", ".json"}

// resolveJavaScript finds a module: by its relative path, by the aliases of the
// nearest tsconfig, by the imports of the nearest package, and by the names of the
// packages in the root. Anything else is outside the index.
func (g *Graph) resolveJavaScript(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, ".") {
		if id := g.scriptAt(path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	c := g.config().scripts
	for d := f.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		if t := c.tsconfigs[d]; t != nil {
			if id := g.aliasedScript(t, module); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if p := c.folders[d]; p != nil && strings.HasPrefix(module, "#") {
			if id := g.firstScript(p.entries(p.imports, module)); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if d == "" {
			break
		}
	}
	name, sub := packageName(module)
	if p := c.packages[name]; p != nil {
		if id := g.firstScript(p.files(sub)); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

// aliasedScript finds a module by the paths and the base folder of a tsconfig.
func (g *Graph) aliasedScript(t *tsconfig, module string) ID {
	for _, a := range t.paths {
		rest, ok := a.match(module)
		if !ok {
			continue
		}
		for _, to := range a.dirs {
			if id := g.scriptAt(path.Clean(strings.Replace(to, "*", rest, 1))); id != 0 {
				return id
			}
		}
	}
	if t.hasBase {
		return g.scriptAt(path.Join(t.base, module))
	}
	return 0
}

// match returns what the star of a pattern stands for in a text.
func (p prefix) match(text string) (string, bool) {
	head, tail, star := strings.Cut(p.text, "*")
	if !star {
		return "", text == p.text
	}
	rest, ok := strings.CutPrefix(text, head)
	if !ok || !strings.HasSuffix(rest, tail) {
		return "", false
	}
	return strings.TrimSuffix(rest, tail), true
}

func (g *Graph) firstScript(paths []string) ID {
	for _, p := range paths {
		if id := g.scriptAt(p); id != 0 {
			return id
		}
	}
	return 0
}

// scriptAt finds the file that a path without its extension, with that of the
// compiled file, or of a folder means.
func (g *Graph) scriptAt(p string) ID {
	stem := ""
	switch ext := path.Ext(p); ext { // "./a.js" is written for a.ts
	case ".js", ".jsx", ".mjs", ".cjs":
		stem = strings.TrimSuffix(p, ext)
		for _, ext := range scriptExtensions[:4] {
			if id := g.fileAt(stem + ext); id != 0 {
				return id
			}
		}
	}
	if id := g.fileAt(p); id != 0 {
		return id
	}
	for _, base := range []string{p, path.Join(p, "index"), stem} {
		if base == "" {
			continue
		}
		for _, ext := range scriptExtensions {
			if id := g.fileAt(base + ext); id != 0 {
				return id
			}
		}
	}
	return 0
}
