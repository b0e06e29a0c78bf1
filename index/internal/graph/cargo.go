package graph

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A crate is a package of Cargo.
type crate struct {
	dir     string
	name    string            // as paths write it
	root    string            // the path of its library
	renames map[string]string // what its dependencies are called there, to their names
}

// newCrates reads the Cargo.toml files among configuration files.
func newCrates(configs map[string][]byte) []crate {
	var all []crate
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		if c := readCrate(folder(p), configs[p]); c.name != "" {
			all = append(all, c)
		}
	}
	return all
}

// readCrate reads a Cargo.toml.
func readCrate(dir string, text []byte) crate {
	c := crate{dir: dir, root: path.Join(dir, "src/lib.rs"), renames: map[string]string{}}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] ")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		text := strings.Trim(value, `"'`)
		switch {
		case section == "package" && key == "name" && c.name == "", section == "lib" && key == "name":
			c.name = crateName(text)
		case section == "lib" && key == "path":
			c.root = path.Join(dir, text)
		case strings.HasSuffix(section, "dependencies") && strings.HasPrefix(value, "{"):
			if name := inlineKey(value, "package"); name != "" {
				c.renames[crateName(key)] = crateName(name)
			}
		case key == "package" && strings.Contains(section, "dependencies."):
			c.renames[crateName(section[strings.LastIndexByte(section, '.')+1:])] = crateName(text)
		}
	}
	return c
}

func crateName(s string) string { return strings.ReplaceAll(strings.Trim(s, `"'`), "-", "_") }

// inlineKey returns the text of a key in an inline table of TOML, or "".
func inlineKey(table, key string) string {
	for part := range strings.SplitSeq(strings.Trim(table, "{} "), ",") {
		if k, v, ok := strings.Cut(part, "="); ok && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return ""
}

// cratesOf are the packages of the root.
func (l *rust) cratesOf(g *family) []crate {
	if !l.read {
		l.crates, l.read = newCrates(g.configs), true
	}
	return l.crates
}

// crateOf returns the package that a file belongs to, or nil.
func (l *rust) crateOf(g *family, f *file) *crate {
	var best *crate
	crates := l.cratesOf(g)
	for i := range crates {
		c := &crates[i]
		if (c.dir == "" || f.dir == c.dir || strings.HasPrefix(f.dir, c.dir+"/")) && (best == nil || len(c.dir) > len(best.dir)) {
			best = c
		}
	}
	return best
}

// externCrate returns the root of the library that a name means in a file when
// nothing in scope has it, or 0.
func (l *rust) externCrate(g *family, f *file, name string) ID {
	if c := l.crateOf(g, f); c != nil {
		if real, ok := c.renames[name]; ok {
			name = real
		}
	}
	crates := l.cratesOf(g)
	for i := range crates {
		if c := &crates[i]; c.name == name {
			return g.fileAt(c.root)
		}
	}
	return 0
}
