package calls

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// ClaimsOf reads the configuration files among some.
func ClaimsOf(files map[string]*store.Record) graph.Claims {
	configs := map[string][]byte{}
	for p, r := range files {
		if graph.IsConfig(p) {
			configs[p] = r.Text.All()
		}
	}
	return graph.NewClaims(configs)
}

// LastPart cuts a name before its last part.
func LastPart(name string) (before, last string, found bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}

// MakesInstances reports whether a method of a name is called by the name of its class.
func MakesInstances(name string) bool {
	switch name {
	case "__init__", "__new__", "constructor", "__construct", "initialize", "init", "<init>":
		return true
	}
	return false
}

// ClassName is the part before the last of a node's name, or the name if it has one part.
func ClassName(n *graph.Node) string {
	name := n.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// PythonRoots are the folders where others may look for modules: the root, src and
// lib, and those of projects of their own below.
func PythonRoots(files map[string]*store.Record) []string {
	roots := []string{"", "src", "lib"}
	for p := range files {
		switch path.Base(p) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			if dir := source.Dir(p); dir != "" {
				roots = append(roots, dir, dir+"/src")
			}
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// PythonModule returns the file of a module, given as a path below one of the roots.
func PythonModule(files map[string]*store.Record, roots []string, module string) string {
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

// Modules are the modules and packages that an index has itself.
type Modules struct {
	Files  map[string]*store.Record
	Claims graph.Claims
	roots  []string        // where Python's modules lie
	rust   map[string]bool // the names of Rust's modules that are files
}

// Own reports whether a name belongs to a module that the index has itself: what it
// does not find there is nowhere else.
func (o *Modules) Own(language, name string) bool {
	head, _, _ := strings.Cut(name, ".")
	switch language {
	case "go":
		_, _, ok := o.Claims.Go(name)
		return ok
	case "javascript":
		for i := range name {
			if name[i] == '.' || name[i] == '/' && (name[0] != '@' || strings.Count(name[:i], "/") == 1) {
				if o.Claims.Package(name[:i]) {
					return true
				}
			}
		}
		return o.Claims.Package(name)
	case "rust":
		_, ok := o.Claims.Crate(head)
		return ok || o.rust[head]
	case "python":
		return graph.StandardPython(head) || PythonModule(o.Files, o.roots, head) != ""
	}
	return false
}

func ModulesOf(files map[string]*store.Record) Modules {
	m := Modules{files, ClaimsOf(files), PythonRoots(files), map[string]bool{}}
	for p, r := range files {
		if r.Lang == "rust" {
			m.rust[strings.TrimSuffix(path.Base(strings.TrimSuffix(p, "/mod.rs")), ".rs")] = true
		}
	}
	return m
}
