// Package modules knows which modules and packages the files of an index are.
package modules

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Claims reads the configuration files among some.
func Claims(files map[string]*store.Record) graph.Claims {
	configs := map[string][]byte{}
	for p, r := range files {
		if graph.IsConfig(p) {
			configs[p] = r.Text.All()
		}
	}
	return graph.NewClaims(configs)
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

// A Set is the modules and packages that an index has itself.
type Set struct {
	Files  map[string]*store.Record
	Claims graph.Claims
	roots  []string        // where Python's modules lie
	rust   map[string]bool // the names of Rust's modules that are files
}

// Own reports whether a name belongs to a module that the index has itself: what it
// does not find there is nowhere else.
func (o *Set) Own(language, name string) bool {
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

// Of returns the modules of some files.
func Of(files map[string]*store.Record) Set {
	m := Set{files, Claims(files), PythonRoots(files), map[string]bool{}}
	for p, r := range files {
		if r.Lang == "rust" {
			m.rust[strings.TrimSuffix(path.Base(strings.TrimSuffix(p, "/mod.rs")), ".rs")] = true
		}
	}
	return m
}

// kept is the Set of a View's last commit.
type kept struct{ last atomic.Pointer[generation] }

type generation struct {
	number uint64
	set    *Set
}

// Forget lets go of what keeps records alive.
func (k *kept) Forget() { k.last.Store(nil) }

// Current returns the modules of an index as it is now: to find them takes some milliseconds in a tree of 10,000
// files, so they are found once for each commit.
func Current(x *store.View) *Set {
	k, built := store.Kept[kept](x), x.Counters.Built.Load()
	x.Mu.RLock()
	now := x.State().Generation
	x.Mu.RUnlock()
	if last := k.last.Load(); built && last != nil && last.number == now {
		return last.set
	}
	set := Of(x.Records())
	if built {
		k.last.Store(&generation{now, &set})
	}
	return &set
}

// GoName is the name of a package as its path tells it.
func GoName(module string) string {
	parts := strings.Split(module, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	last, _, _ = strings.Cut(last, ".v")
	return strings.TrimPrefix(strings.TrimSuffix(last, "-go"), "go-")
}
