package diagnostics

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"strings"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A project is what imports and names of a file are compared with: all files of the index, also
// those that the question is not about.
type project struct {
	view    *store.View
	files   map[string]*store.Record
	folders map[string][]string // the names in a folder, by its path; "" is the root
	bases   map[string]bool     // the names of all files and folders
	set     modules.Set
	units   map[string]*unit
	built   []byte                                // the texts of files that say what is built; nil: not read
	spaces  map[string]map[string]map[string]bool // see packages
	homes   map[string][]string                   // the folders of a package
	shared  map[string]bool                       // answers, see once
	names   map[string]map[string]bool            // see bound
}

// A unit is what a file defines, exports and imports. It is made once in an answer.
type unit struct {
	space   string              // its package or namespace
	top     map[string]bool     // the names at the top, with those of imports
	exports map[string]bool     // of those and others, what is exported
	stars   []string            // modules of which it has all names, or exports them
	inner   map[string][]string // what the namespaces at the top have
}

func newProject(x *store.View) *project {
	p := &project{view: x, files: x.Records(), folders: map[string][]string{}, bases: map[string]bool{}, units: map[string]*unit{}, names: map[string]map[string]bool{}, shared: map[string]bool{}}
	seen := map[string]bool{}
	var enter func(at string)
	enter = func(at string) {
		if seen[at] || at == "" {
			return
		}
		seen[at] = true
		dir := source.Dir(at)
		p.folders[dir] = append(p.folders[dir], path.Base(at))
		p.bases[path.Base(at)] = true
		enter(dir)
	}
	for at := range p.files {
		enter(at)
	}
	x.Mu.RLock()
	for at := range x.Table.Skips {
		enter(at)
	}
	x.Mu.RUnlock()
	p.set = modules.Of(p.files)
	return p
}

// folder reports whether a path is one of a folder that has files.
func (p *project) folder(at string) bool { return len(p.folders[at]) > 0 || at == "" }

// there reports whether a path is one of a file or folder, or of something that is not in the index
// because it is built or belongs to the user.
func (p *project) there(at string) bool {
	if at == "" || at == "." || p.folder(at) || p.files[at] != nil {
		return true
	}
	dir, base := source.Dir(at), path.Base(at)
	for _, name := range p.folders[dir] {
		if name == base {
			return true
		}
	}
	return p.view.Exists(at) || p.view.Ignored(at, false) || p.view.Ignored(at, true)
}

// begins reports whether a folder has a file whose name begins with a text: "a." is found for a.js,
// a.web.ts and a.pyx.
func (p *project) begins(dir, head string) bool {
	for _, name := range p.folders[dir] {
		if strings.HasPrefix(name, head) {
			return true
		}
	}
	return false
}

// buildFiles have the names of what a build makes, and of what it takes from elsewhere.
var buildFiles = regexp.MustCompile(`(^|/)(\.gitignore|\.npmignore|GNUmakefile|[Mm]akefile.*|.*\.mk|.*\.am|CMakeLists\.txt|.*\.cmake|configure(\.ac|\.in)?|meson\.build|SConstruct|SConscript|` +
	`BUILD(\.bazel)?|.*\.bzl|setup\.py|setup\.cfg|pyproject\.toml|build\.rs|Rakefile|extconf\.rb|.*\.gemspec|build\.(gradle|sbt|xml|zig)(\.kts)?|composer\.json|package\.json|tsconfig.*\.json|.*\.gypi?|` +
	`(rollup|webpack|vite|esbuild|gulp|grunt)[\w.-]*\.[cm]?[jt]s|[Gg]runtfile\.js|[Gg]ulpfile\.js|.*\.(sh|yml|yaml))$`)

// makes reports whether a file that says what is built has a name in it.
func (p *project) makes(name string) bool {
	if p.built == nil {
		p.built = []byte{'\n'}
		for at, r := range p.files {
			if buildFiles.MatchString(at) && r.Size < 1<<20 {
				p.built = append(append(p.built, r.Text.All()...), '\n')
			}
		}
	}
	return wordIn(p.built, name)
}

// wordIn reports whether a text has a name that does not go on before or after it.
func wordIn(text []byte, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !inWord(text[i-1])) && (end == len(text) || !inWord(text[end])) {
			return true
		}
		from = i + 1
	}
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// prepared are folders of texts that programs are tried on: what is wrong in them is wrong on purpose.
var prepared = regexp.MustCompile(`(?i)(^|/)(testdata|test[-_]?data|test[-_]?files?|test[-_]?cases|(tests?|specs?)/(data|cases|input|examples?)|fixtures?|__(test)?fixtures__|__snapshots__|snapshots?|templates?|cookiecutter|skeletons?|boilerplates?|golden|corpus|broken|invalid|` +
	`third[-_]?party|vendor(ed)?|_vendor|node_modules)/|\{\{|\{%|%[A-Za-z_]+%`)

// apart reports whether what a file names need not be in the index: it is one of somebody else, a
// template, or something that a test works on.
func apart(r *store.Record) bool { return r.Traits.Vendored || prepared.MatchString(r.Path) }

// once is what a question about the project is answered with, which is asked once.
func (p *project) once(question string, ask func() bool) bool {
	is, ok := p.shared[question]
	if !ok {
		is = ask()
		p.shared[question] = is
	}
	return is
}

// lowered returns the lowered form of a file; nil where there is none that has all of it.
func (p *project) lowered(at string) *ir.File {
	if r := p.files[at]; r != nil && len(r.Lowered) > 0 && !r.Errors {
		return p.view.LowerOf(r)
	}
	return nil
}

// unit returns what a file has at its top; nil where that is not known.
func (p *project) unit(at string) *unit {
	if u, ok := p.units[at]; ok {
		return u
	}
	f := p.lowered(at)
	if f == nil {
		p.units[at] = nil
		return nil
	}
	return p.enter(at, f)
}

// enter keeps what is asked of a file.
func (p *project) enter(at string, f *ir.File) *unit {
	u := &unit{space: f.String(f.Package), top: map[string]bool{}, exports: map[string]bool{}, inner: map[string][]string{}}
	p.units[at] = u
	for _, m := range f.Top {
		name := f.String(m.Name)
		u.top[name] = true
		if m.Exported {
			u.exports[name] = true
		}
		if m.Kind != ir.ClassMember {
			continue
		}
		if c := &f.Classes[m.Ref]; c.Kind == ir.Namespace {
			for _, in := range c.Members {
				u.inner[name] = append(u.inner[name], f.String(in.Name))
			}
		}
	}
	for i := 1; i < len(f.Imports); i++ {
		info := &f.Imports[i]
		module, name := f.String(info.Module), f.String(info.Name)
		if name == "*" && info.Alias == 0 && (info.Flags&ir.Reexport != 0 || f.Language == "python") {
			u.stars = append(u.stars, module)
			continue
		}
		if f.Language == "python" {
			module, _, _ = strings.Cut(module, ".")
		}
		name = cmp.Or(f.String(info.Alias), name, module)
		if f.Language == "python" { // whose imports are names of a module as others
			u.top[name] = true
		}
		if info.Flags&ir.Reexport != 0 {
			u.exports[name] = true
		}
	}
	for _, e := range f.Exports {
		u.exports[f.String(e.Name)] = true
	}
	return u
}

// bound returns the names that the code of a file binds at its top, by its control flow.
func (p *project) bound(at string) map[string]bool {
	if names, ok := p.names[at]; ok {
		return names
	}
	names := map[string]bool{}
	p.names[at] = names
	r := p.files[at]
	parser := p.view.Parsers.Get()
	defer p.view.Parsers.Put(parser)
	tree := parser.Tree(r.Lang, r.Text.All())
	if tree == nil || tree.Root() == 0 {
		return names
	}
	binds(control.Graph(r.Lang, tree, control.Root(tree)), names)
	return names
}

// binds enters the names that a module has: its own, and those that functions say are its own.
func binds(g *walk.Graph, names map[string]bool) {
	for i := range g.Vars {
		if v := &g.Vars[i]; !v.Free && v.Name != "" {
			names[v.Name] = true
		}
	}
	for g := range g.All() {
		for i := range g.Steps {
			for _, a := range g.Steps[i].Access {
				if v := &g.Vars[a.Var]; a.Kind == walk.Def && a.Path == "" && (v.Free || v.Outer != 0) {
					names[v.Name] = true
				}
			}
		}
	}
}
