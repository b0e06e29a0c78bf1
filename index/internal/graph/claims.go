package graph

import (
	"path"
	"strings"
)

// Claims are the names by which other roots import what is in a root, as its
// configuration files have them.
type Claims struct {
	modules []goModule // longest paths first
	scripts *scripts
	crates  []crate
}

// NewClaims reads configuration files, by path, for which IsConfig holds.
func NewClaims(configs map[string][]byte) Claims {
	return Claims{goModules(configs), newScripts(configs), newCrates(configs)}
}

// Go returns the module that an import path, or the name of something in a package,
// belongs to, and where that lies. Of nested modules the innermost has it.
func (c Claims) Go(name string) (module, dir string, ok bool) {
	for _, m := range c.modules {
		if rest, found := strings.CutPrefix(name, m.path); found && (rest == "" || rest[0] == '/' || rest[0] == '.') {
			return m.path, m.dir, true
		}
	}
	return "", "", false
}

// GoModule returns the module that a folder is in.
func (c Claims) GoModule(dir string) string {
	best, module := -1, ""
	for _, m := range c.modules {
		if d := m.dir; (d == "" || d == dir || strings.HasPrefix(dir, d+"/")) && len(d) > best {
			best, module = len(d), m.path
		}
	}
	return module
}

// Package reports whether a package of npm is in the root.
func (c Claims) Package(name string) bool { return c.scripts.packages[name] != nil }

// Script returns the file of a package, or of a module below its name; "" is none.
func (c Claims) Script(module string, has func(path string) bool) string {
	name, sub := packageName(module)
	p := c.scripts.packages[name]
	if p == nil {
		return ""
	}
	for _, at := range p.files(sub) {
		if found := scriptFile(at, has); found != "" {
			return found
		}
	}
	return ""
}

// ScriptAt returns the file that a relative import of another one means.
func ScriptAt(from, module string, has func(path string) bool) string {
	return scriptFile(path.Join(folder(from), module), has)
}

// Crate returns the root file of the library that a crate's name means.
func (c Claims) Crate(name string) (root string, ok bool) {
	for i := range c.crates {
		if k := &c.crates[i]; k.name == name {
			return k.root, true
		}
	}
	return "", false
}

// CrateName undoes the renaming of a dependency by the package that a file belongs to.
func (c Claims) CrateName(file, name string) string {
	var best *crate
	for i := range c.crates {
		k := &c.crates[i]
		if (k.dir == "" || strings.HasPrefix(file, k.dir+"/")) && (best == nil || len(k.dir) > len(best.dir)) {
			best = k
		}
	}
	if best != nil && best.renames[name] != "" {
		return best.renames[name]
	}
	return name
}

// StandardPython reports whether a module is one of Python's standard library, which
// is found before any other.
func StandardPython(module string) bool { return standardModules[module] }
