package graph

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// npm notes the name of a package of the root.
func (m *modules) npm(dir string, text []byte) {
	var p struct{ Name string }
	if json.Unmarshal(text, &p) == nil && p.Name != "" {
		m.packages[p.Name] = dir
	}
}

// tsconfig notes the path aliases of a TypeScript project.
func (m *modules) tsconfig(p, dir string, text []byte, all map[string][]byte) {
	var c struct {
		CompilerOptions struct {
			BaseURL string              `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(text, &c) != nil {
		return
	}
	base := path.Join(dir, c.CompilerOptions.BaseURL)
	if c.CompilerOptions.BaseURL != "" {
		m.bases[dir] = base
	}
	for pattern, to := range c.CompilerOptions.Paths {
		a := prefix{text: pattern}
		for _, t := range to {
			a.dirs = append(a.dirs, path.Join(base, t))
		}
		m.aliases[dir] = append(m.aliases[dir], a)
	}
}

var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json"}

// resolveJavaScript follows relative paths, the aliases of the nearest tsconfig, and
// the names of packages in the root.
func (g *Graph) resolveJavaScript(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, ".") {
		if id := g.scriptAt(path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	c := g.config()
	for d := f.dir; ; d = path.Dir(d) {
		if d == "." {
			d = ""
		}
		for _, a := range c.aliases[d] {
			head, tail, star := strings.Cut(a.text, "*")
			rest, ok := strings.CutPrefix(module, head)
			if !ok || !star && rest != "" || star && !strings.HasSuffix(rest, tail) {
				continue
			}
			rest = strings.TrimSuffix(rest, tail)
			for _, to := range a.dirs {
				if id := g.scriptAt(path.Clean(strings.Replace(to, "*", rest, 1))); id != 0 {
					return target{in: []ID{id}}
				}
			}
		}
		if base, ok := c.bases[d]; ok {
			if id := g.scriptAt(path.Join(base, module)); id != 0 {
				return target{in: []ID{id}}
			}
		}
		if d == "" {
			break
		}
	}
	for name, dir := range c.packages {
		if rest, ok := strings.CutPrefix(module, name); ok && (rest == "" || rest[0] == '/') {
			for _, sub := range []string{"src", ""} {
				if id := g.scriptAt(path.Join(dir, sub, rest)); id != 0 {
					return target{in: []ID{id}}
				}
			}
		}
	}
	return g.outsideOf(module)
}

func (g *Graph) scriptAt(p string) ID {
	if id := g.fileAt(p); id != 0 {
		return id
	}
	stem := p
	switch ext := path.Ext(p); ext { // "./a.js" is written for a.ts
	case ".js", ".mjs", ".cjs", ".jsx":
		stem = strings.TrimSuffix(p, ext)
	}
	for _, base := range []string{p, stem, p + "/index"} {
		for _, ext := range scriptExtensions {
			if id := g.fileAt(base + ext); id != 0 {
				return id
			}
		}
	}
	return 0
}
