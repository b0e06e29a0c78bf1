package resolve

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// A Crate is a package of Cargo.
type Crate struct {
	Dir     string
	Name    string            // as paths write it
	Root    string            // the path of its library
	Renames map[string]string // what its dependencies are called there, to their names
}

// NewCrates reads the Cargo.toml files among configuration files.
func NewCrates(configs map[string][]byte) []Crate {
	var all []Crate
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		if c := readCrate(program.Folder(p), configs[p]); c.Name != "" {
			all = append(all, c)
		}
	}
	return all
}

// readCrate reads a Cargo.toml.
func readCrate(dir string, text []byte) Crate {
	c := Crate{Dir: dir, Root: path.Join(dir, "src/lib.rs"), Renames: map[string]string{}}
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
		case section == "package" && key == "name" && c.Name == "", section == "lib" && key == "name":
			c.Name = crateName(text)
		case section == "lib" && key == "path":
			c.Root = path.Join(dir, text)
		case strings.HasSuffix(section, "dependencies") && strings.HasPrefix(value, "{"):
			if name := inlineKey(value, "package"); name != "" {
				c.Renames[crateName(key)] = crateName(name)
			}
		case key == "package" && strings.Contains(section, "dependencies."):
			c.Renames[crateName(section[strings.LastIndexByte(section, '.')+1:])] = crateName(text)
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
func (l *language) cratesOf(g *program.Family) []Crate {
	if !l.read {
		l.crates, l.read = NewCrates(g.Configs), true
	}
	return l.crates
}

// crateOf returns the package that a file belongs to, or nil.
func (l *language) crateOf(g *program.Family, f *program.File) *Crate {
	var best *Crate
	crates := l.cratesOf(g)
	for i := range crates {
		c := &crates[i]
		if (c.Dir == "" || f.Dir == c.Dir || strings.HasPrefix(f.Dir, c.Dir+"/")) && (best == nil || len(c.Dir) > len(best.Dir)) {
			best = c
		}
	}
	return best
}

// externCrate returns the root of the library that a name means in a file when
// nothing in scope has it, or 0.
func (l *language) externCrate(g *program.Family, f *program.File, name string) edge.ID {
	if c := l.crateOf(g, f); c != nil {
		if real, ok := c.Renames[name]; ok {
			name = real
		}
	}
	crates := l.cratesOf(g)
	for i := range crates {
		if c := &crates[i]; c.Name == name {
			return g.FileAt(c.Root)
		}
	}
	return 0
}
