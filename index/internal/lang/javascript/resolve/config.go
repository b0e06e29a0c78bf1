package resolve

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// Scripts is what the configuration of JavaScript projects says.
type Scripts struct {
	Packages  map[string]*npmPackage // by name
	folders   map[string]*npmPackage // by folder
	tsconfigs map[string]*tsconfig   // by folder
}

// An npmPackage is a package of the root.
type npmPackage struct {
	dir     string
	mains   []string            // its files for the package itself, in order of preference
	exports map[string][]string // its files for what is below its name, by "./sub"
	imports map[string][]string // its private aliases, by "#name"
}

// A tsconfig is what a configuration of TypeScript means after what it extends.
type tsconfig struct {
	base    string
	hasBase bool
	paths   []prefix // exact ones first, then the longest
}

// NewScripts reads configuration files, by path.
func NewScripts(configs map[string][]byte) *Scripts {
	s := &Scripts{Packages: map[string]*npmPackage{}, folders: map[string]*npmPackage{}, tsconfigs: map[string]*tsconfig{}}
	for _, p := range slices.Sorted(maps.Keys(configs)) {
		dir, base := program.Folder(p), path.Base(p)
		switch {
		case base == "package.json":
			s.npm(dir, configs[p])
		case strings.HasPrefix(base, "tsconfig"), base == "jsconfig.json":
			t := readTSConfig(p, configs, 0)
			old := s.tsconfigs[dir]
			// The file that compilers take unasked goes before its neighbours; those
			// count where it says nothing, as one that only refers to them.
			if old == nil || len(old.paths) == 0 && !old.hasBase || (base == "tsconfig.json" && (len(t.paths) > 0 || t.hasBase)) {
				s.tsconfigs[dir] = t
			}
		}
	}
	return s
}

func (s *Scripts) npm(dir string, text []byte) {
	var c struct {
		Name, Main, Module, Types, Typings, Source string
		Exports, Imports                           any
	}
	if json.Unmarshal(text, &c) != nil {
		return
	}
	p := &npmPackage{dir: dir, exports: map[string][]string{}, imports: map[string][]string{}}
	for _, f := range []string{c.Source, c.Types, c.Typings, c.Module, c.Main} {
		if f != "" {
			p.mains = append(p.mains, f)
		}
	}
	subpaths(c.Exports, ".", p.exports)
	subpaths(c.Imports, "", p.imports)
	s.folders[dir] = p
	if c.Name != "" && s.Packages[c.Name] == nil {
		s.Packages[c.Name] = p
	}
}

// subpaths collects the files under each key that begins with "." or "#"; the
// conditions between are all taken, in the order of their names.
func subpaths(x any, key string, out map[string][]string) {
	switch x := x.(type) {
	case string:
		out[key] = append(out[key], x)
	case []any:
		for _, y := range x {
			subpaths(y, key, out)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if strings.HasPrefix(k, ".") || strings.HasPrefix(k, "#") {
				subpaths(x[k], k, out)
			} else {
				subpaths(x[k], key, out)
			}
		}
	}
}

// PackageName splits a module's name into that of the package and the rest.
func PackageName(module string) (name, sub string) {
	parts := 1
	if strings.HasPrefix(module, "@") {
		parts = 2
	}
	for i := 0; i < len(module); i++ {
		if module[i] == '/' {
			if parts--; parts == 0 {
				return module[:i], module[i+1:]
			}
		}
	}
	return module, ""
}

// Files are the places where the module of a package may be written. What the
// package names is often built: its source is then sought next to it.
func (p *npmPackage) Files(sub string) []string {
	var out []string
	if sub == "" {
		out = p.entries(p.exports, ".")
		for _, m := range p.mains {
			out = append(out, p.sources(m)...)
		}
		return append(out, path.Join(p.dir, "src/index"), path.Join(p.dir, "index"), path.Join(p.dir, "lib/index"))
	}
	out = p.entries(p.exports, "./"+sub)
	return append(out, path.Join(p.dir, sub), path.Join(p.dir, "src", sub))
}

// entries are the files that a table of a package has for a key.
func (p *npmPackage) entries(table map[string][]string, key string) []string {
	var out []string
	for _, pattern := range slices.SortedFunc(maps.Keys(table), longest) {
		rest, ok := prefix{text: pattern}.match(key)
		if !ok {
			continue
		}
		for _, to := range table[pattern] {
			out = append(out, p.sources(strings.ReplaceAll(to, "*", rest))...)
		}
	}
	return out
}

// sources are a file of the package and where its source may be.
func (p *npmPackage) sources(to string) []string {
	to = strings.TrimPrefix(path.Clean(to), "./")
	stem := to
	for _, ext := range []string{".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs"} {
		if s, ok := strings.CutSuffix(to, ext); ok {
			stem = s
			break
		}
	}
	var out []string
	if first, rest, ok := strings.Cut(stem, "/"); ok {
		switch first {
		case "dist", "build", "out", "lib", "esm", "cjs", "es", "types", "typings", "_dts", "dts":
			out = append(out, path.Join(p.dir, "src", rest))
			if _, inner, ok := strings.Cut(rest, "/"); ok { // dist/esm/index.js
				out = append(out, path.Join(p.dir, "src", inner))
			}
		}
	}
	if !strings.HasSuffix(to, ".d.ts") {
		out = append(out, path.Join(p.dir, to))
	}
	return append(out, path.Join(p.dir, stem))
}

// readTSConfig reads a configuration and those it extends.
func readTSConfig(p string, all map[string][]byte, depth int) *tsconfig {
	var c struct {
		Extends         any
		CompilerOptions struct {
			BaseURL *string             `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	t := &tsconfig{}
	text, ok := all[p]
	if !ok || depth > 8 || json.Unmarshal(plainJSON(text), &c) != nil {
		return t
	}
	dir := program.Folder(p)
	var parents []string
	switch x := c.Extends.(type) {
	case string:
		parents = []string{x}
	case []any:
		for _, y := range x {
			if s, ok := y.(string); ok {
				parents = append(parents, s)
			}
		}
	}
	for _, parent := range parents {
		up := path.Join(dir, parent)
		if _, ok := all[up]; !ok {
			up += ".json"
		}
		if !strings.HasPrefix(parent, ".") || up == p {
			continue // of a package
		}
		if from := readTSConfig(up, all, depth+1); from.hasBase || from.paths != nil {
			if from.hasBase {
				t.base, t.hasBase = from.base, true
			}
			if from.paths != nil {
				t.paths = from.paths
			}
		}
	}
	if c.CompilerOptions.BaseURL != nil {
		t.base, t.hasBase = clean(path.Join(dir, *c.CompilerOptions.BaseURL)), true
	}
	if c.CompilerOptions.Paths == nil {
		return t
	}
	from := dir
	if t.hasBase {
		from = t.base
	}
	t.paths = nil
	for _, pattern := range slices.SortedFunc(maps.Keys(c.CompilerOptions.Paths), longest) {
		a := prefix{text: pattern}
		for _, to := range c.CompilerOptions.Paths[pattern] {
			a.dirs = append(a.dirs, path.Join(from, to))
		}
		t.paths = append(t.paths, a)
	}
	return t
}

func clean(p string) string {
	if p == "." {
		return ""
	}
	return p
}

// longest orders patterns: exact ones first, then by the text before the star.
func longest(a, b string) int {
	x, _, starX := strings.Cut(a, "*")
	y, _, starY := strings.Cut(b, "*")
	switch {
	case starX != starY && starY:
		return -1
	case starX != starY:
		return 1
	}
	return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(a, b))
}

// plainJSON takes the comments and trailing commas out that TypeScript allows in
// its configuration.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			start := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			out = append(out, text[start:min(i+1, len(text))]...)
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			for i += 2; i+1 < len(text) && (text[i] != '*' || text[i+1] != '/'); i++ {
			}
			i++
		case c == '}' || c == ']':
			end := len(out)
			for end > 0 && strings.IndexByte(" \t\r\n", out[end-1]) >= 0 {
				end--
			}
			if end > 0 && out[end-1] == ',' {
				out[end-1] = ' '
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}
