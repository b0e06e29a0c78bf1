package graph

import (
	"cmp"
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/lang"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	golang "github.com/quarry-search/quarry/index/internal/lang/golang/resolve"
	javascript "github.com/quarry-search/quarry/index/internal/lang/javascript/resolve"
	python "github.com/quarry-search/quarry/index/internal/lang/python/resolve"
	rust "github.com/quarry-search/quarry/index/internal/lang/rust/resolve"
)

// Claims are the names by which other roots import what is in a root, as its
// configuration files have them.
type Claims struct {
	modules []golang.GoModule // longest paths first
	scripts *javascript.Scripts
	crates  []rust.Crate
}

// NewClaims reads configuration files, by path, for which IsConfig holds.
func NewClaims(configs map[string][]byte) Claims {
	return Claims{golang.GoModules(configs), javascript.NewScripts(configs), rust.NewCrates(configs)}
}

// Go returns the module that an import path, or the name of something in a package,
// belongs to, and where that lies. Of nested modules the innermost has it.
func (c Claims) Go(name string) (module, dir string, ok bool) {
	for _, m := range c.modules {
		if rest, found := strings.CutPrefix(name, m.Path); found && (rest == "" || rest[0] == '/' || rest[0] == '.') {
			return m.Path, m.Dir, true
		}
	}
	return "", "", false
}

// GoModule returns the module that a folder is in.
func (c Claims) GoModule(dir string) string {
	best, module := -1, ""
	for _, m := range c.modules {
		if d := m.Dir; (d == "" || d == dir || strings.HasPrefix(dir, d+"/")) && len(d) > best {
			best, module = len(d), m.Path
		}
	}
	return module
}

// GoFolders are the folders where the package of an import path may lie, the likeliest first.
func (c Claims) GoFolders(name string) []string { return golang.GoFolders(c.modules, name) }

// Package reports whether a package of npm is in the root.
func (c Claims) Package(name string) bool { return c.scripts.Packages[name] != nil }

// Script returns the file of a package, or of a module below its name; "" is none.
func (c Claims) Script(module string, has func(path string) bool) string {
	name, sub := javascript.PackageName(module)
	p := c.scripts.Packages[name]
	if p == nil {
		return ""
	}
	for _, at := range p.Files(sub) {
		if found := javascript.ScriptFile(at, has); found != "" {
			return found
		}
	}
	return ""
}

// ScriptAt returns the file that a relative import of another one means.
func ScriptAt(from, module string, has func(path string) bool) string {
	return javascript.ScriptFile(path.Join(program.Folder(from), module), has)
}

// Crate returns the root file of the library that a crate's name means.
func (c Claims) Crate(name string) (root string, ok bool) {
	for i := range c.crates {
		if k := &c.crates[i]; k.Name == name {
			return k.Root, true
		}
	}
	return "", false
}

// CrateName undoes the renaming of a dependency by the package that a file belongs to.
func (c Claims) CrateName(file, name string) string {
	var best *rust.Crate
	for i := range c.crates {
		k := &c.crates[i]
		if (k.Dir == "" || strings.HasPrefix(file, k.Dir+"/")) && (best == nil || len(k.Dir) > len(best.Dir)) {
			best = k
		}
	}
	if best != nil && best.Renames[name] != "" {
		return best.Renames[name]
	}
	return name
}

// StandardPython reports whether a module is one of Python's standard library, which
// is found before any other.
func StandardPython(module string) bool { return python.StandardModules[module] }

// GoInterface returns the methods of an interface of Go's library, by its path and name; nil: it is none of those that
// any type can implement.
func GoInterface(name string) []string { return golang.Methods(name) }

// PredeclaredGo and PredeclaredPython report whether the language has a name without an import or a
// declaration.
func PredeclaredGo(name string) bool { return golang.Predeclared(name) }

// PredeclaredPython is described at PredeclaredGo.
func PredeclaredPython(name string) bool { return python.Predeclared(name) }

// IsConfig reports whether a file decides what imports lead to.
func IsConfig(p string) bool { return lang.ConfigFamily(p) != "" }

// SameFamily reports whether files of two languages can see each other's definitions.
func SameFamily(a, b string) bool {
	return a == b || cmp.Or(lang.FamilyOf(a), a) == cmp.Or(lang.FamilyOf(b), b)
}
