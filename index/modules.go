package index

import (
	"github.com/quarry-search/quarry/index/internal/graph"
	"path"
	"slices"
	"strings"
)

// claimsOf reads the configuration files among some.
func claimsOf(files map[string]*record) graph.Claims {
	configs := map[string][]byte{}
	for p, r := range files {
		if graph.IsConfig(p) {
			configs[p] = r.text.all()
		}
	}
	return graph.NewClaims(configs)
}

// lastPart cuts a name before its last part.
func lastPart(name string) (before, last string, found bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}

// pythonRoots are the folders where others may look for modules: the root, src and
// lib, and those of projects of their own below.
func pythonRoots(files map[string]*record) []string {
	roots := []string{"", "src", "lib"}
	for p := range files {
		switch path.Base(p) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			if dir := dirOf(p); dir != "" {
				roots = append(roots, dir, dir+"/src")
			}
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// pythonModule returns the file of a module, given as a path below one of the roots.
func pythonModule(files map[string]*record, roots []string, module string) string {
	for _, root := range roots {
		at := path.Join(root, module)
		for _, p := range []string{at + "/__init__.py", at + ".py", at + ".pyi"} {
			if files[p] != nil {
				return p
			}
		}
	}
	return ""
}

// modules are the modules and packages that an index has itself.
type modules struct {
	files  map[string]*record
	claims graph.Claims
	roots  []string // where Python's modules lie
}

// own reports whether a name belongs to a module that the index has itself: what it
// does not find there is nowhere else.
func (o *modules) own(language, name string) bool {
	head, _, _ := strings.Cut(name, ".")
	switch language {
	case "go":
		_, _, ok := o.claims.Go(name)
		return ok
	case "javascript":
		for i := range name {
			if name[i] == '.' || name[i] == '/' && (name[0] != '@' || strings.Count(name[:i], "/") == 1) {
				if o.claims.Package(name[:i]) {
					return true
				}
			}
		}
		return o.claims.Package(name)
	case "rust":
		_, ok := o.claims.Crate(head)
		return ok
	case "python":
		return graph.StandardPython(head) || pythonModule(o.files, o.roots, head) != ""
	}
	return false
}

func modulesOf(files map[string]*record) modules {
	return modules{files, claimsOf(files), pythonRoots(files)}
}
