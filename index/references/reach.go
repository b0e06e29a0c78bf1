package references

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/references/typing"
)

// maxPassing bounds the files that are asked whether they pass a name on.
const maxPassing = 3000

// A reach says which files import the one that defines the target, or one that passes the
// target's name on: as the call graph has it. Packages of Go and namespaces are not files, and
// are not in it.
type reach map[string]*importer

// An importer is a file that imports such files. The graph has one line for each of them, the
// first.
type importer struct {
	lines map[int]bool
	files map[string]bool
}

// reached follows the imports backward from the target's file.
func (s *search) reached(ctx context.Context) reach {
	out := reach{}
	var next []graph.ID
	seen := map[graph.ID]bool{}
	add := func(path string) {
		if id := s.G.File(path); id != 0 && !seen[id] {
			seen[id] = true
			next = append(next, id)
		}
	}
	add(s.at.Record.Path)
	if s.lang == "c" || s.lang == "cpp" { // declared in headers
		for _, d := range s.index.Definitions(s.name) {
			if graph.SameFamily(d.Record.Lang, s.lang) {
				add(d.Record.Path)
			}
		}
	}
	asked := 0
	for len(next) > 0 && ctx.Err() == nil {
		id := next[0]
		next = next[1:]
		to := s.Node(id).Path
		var from []string
		for _, id := range append([]graph.ID{id}, s.declaredFor(to)...) {
			s.G.In(id, func(e graph.Edge) bool {
				if e.Kind != graph.Imports {
					return true
				}
				p := s.G.PathOf(e.From)
				if out[p] == nil {
					out[p] = &importer{map[int]bool{}, map[string]bool{}}
					from = append(from, p)
				}
				out[p].lines[e.Pos.Line()] = true
				out[p].files[to] = true
				return true
			})
		}
		slices.Sort(from)
		for _, p := range from {
			if asked++; asked > maxPassing {
				s.gaps.Because("more than %d files may pass the name on", maxPassing)
				return out
			}
			if s.passes(p) {
				add(p)
			}
		}
	}
	return out
}

// declaredFor returns the scripts whose types a file of TypeScript declares: an import of a script
// brings these.
func (s *search) declaredFor(file string) (scripts []graph.ID) {
	for declares, script := range map[string]string{".d.ts": ".js", ".d.mts": ".mjs", ".d.cts": ".cjs"} {
		if name, ok := strings.CutSuffix(file, declares); ok {
			if id := s.G.File(name + script); id != 0 {
				scripts = append(scripts, id)
			}
		}
	}
	return scripts
}

// passes reports whether a file passes on the target's name, which it imports.
func (s *search) passes(path string) bool {
	r := s.index.Record(path)
	if r == nil {
		return false
	}
	switch store.CrossFamily(r.Lang) {
	case "python", "javascript", "rust":
	case "":
		return r.Lang == "c" || r.Lang == "cpp" || r.Lang == "ruby"
	default:
		return false
	}
	wanted := map[string]bool{s.name: true, s.parent: true}
	delete(wanted, "")
	for i := range r.Symbols { // what it defines itself it does not pass on
		if t := &r.Symbols[i]; t.Parent == "" {
			delete(wanted, t.Name)
		}
	}
	f := s.common.lower(r)
	if f == nil || len(wanted) == 0 {
		return false
	}
	for i := 1; i < len(f.Imports); i++ {
		info := &f.Imports[i]
		name := f.String(info.Name)
		if name == "" && info.Flags&ir.Reexport != 0 {
			return true // the whole module, as a name of this one
		}
		if name != "*" && !wanted[name] && (name != "default" || !wanted[f.String(info.Alias)]) {
			continue
		}
		if r.Lang == "python" || info.Flags&(ir.Reexport|ir.Mod) != 0 {
			return true
		}
	}
	for _, e := range f.Exports { // import {a} ...; export {a}
		if wanted[f.String(e.Name)] {
			return true
		}
	}
	return false
}

// leads says how sure it is that an import of a file brings what the target's file has; ""
// where it brings something else.
func (f *file) leads(info *ir.ImportInfo) string {
	return f.leadsFrom(info, f.IR.String(info.Module))
}

// leadsFrom is leads for an import from a module, or from one that is a part of that one's path.
func (f *file) leadsFrom(info *ir.ImportInfo, module string) string {
	s := f.s
	home := s.at.Record.Path
	switch store.CrossFamily(f.Lang) {
	case "go":
		here := source.Dir(home)
		own := s.common.modules().Claims.GoModule(here)
		root, dir, ok := s.common.modules().Claims.Go(module)
		switch {
		case ok && path.Join(dir, strings.TrimPrefix(strings.TrimPrefix(module, root), "/")) == here,
			own == "std" && module == here, // of Go's library
			strings.HasSuffix("/"+here, "/vendor/"+module):
			return scoped
		case ok || own != "" || path.Base(module) != path.Base(here):
			return ""
		}
		return byName // there is no go.mod
	case "jvm", "csharp", "php":
		pkg := s.packageOf()
		for _, own := range []string{pkg, pkg + "." + s.name, pkg + "." + s.parent} {
			if module == own {
				return scoped
			}
		}
		return ""
	}
	if f.Lang == "rust" && f.Path == home && !f.elsewhere()[info.Pos.Line()] {
		return scoped // of a module in the file
	}
	up, _, _ := strings.Cut(s.at.Sym().Parent, ".")
	if up = strings.Trim(up, `"'`); up != "" && store.CrossFamily(f.Lang) == "javascript" && strings.TrimPrefix(module, "node:") == up {
		return scoped // it is declared in addition to what that module has
	}
	var lines map[int]bool
	by := s.reach[f.Path]
	if by != nil {
		lines = by.lines
	}
	if lines[info.Pos.Line()] {
		return scoped
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		if j := &f.IR.Imports[i]; j.Module == info.Module && lines[j.Pos.Line()] {
			return scoped
		}
	}
	if f.Lang == "python" && by != nil && info.Name != 0 { // the file imports it as a module's, too, in another line
		for p := range by.files {
			if modules.IsSubmodule(p, module, f.IR.String(info.Name)) {
				return scoped
			}
		}
	}
	if info.Flags&ir.System != 0 || f.Lang != "rust" && f.elsewhere()[info.Pos.Line()] {
		return "" // a line of Rust may import from several modules
	}
	if by != nil {
		for p := range by.files {
			if modules.IsModule(p, module) || f.Lang == "rust" && modules.IsModule(p, f.IR.String(info.Name)) {
				return scoped // the last is a module itself
			}
		}
	}
	if f.Lang == "rust" {
		if c := f.above(home, module); c != "" {
			return c
		}
	}
	if modules.IsModule(home, module) && !f.elsewhere()[info.Pos.Line()] {
		return byName
	}
	return ""
}

// above says whether a path of Rust that begins at a module around the file, and may end in the enum of
// the target, leads to its file.
func (f *file) above(home, module string) string {
	if parent := typing.LastPart(f.s.parent); parent != "" {
		module = strings.TrimSuffix(strings.TrimSuffix(module, parent), "::")
	}
	switch module[strings.LastIndexByte(module, ':')+1:] {
	case "super", "crate", "self":
	default:
		return ""
	}
	if dir := source.Dir(f.Path); module == "super" && (home == dir+".rs" || home == dir+"/mod.rs") {
		return scoped
	}
	return byName
}

// elsewhere are the lines of imports that lead to other files of the index.
func (f *file) elsewhere() map[int]bool {
	if f.others != nil {
		return f.others
	}
	f.others = map[int]bool{}
	var lines map[int]bool
	if by := f.s.reach[f.Path]; by != nil {
		lines = by.lines
	}
	if id := f.s.G.File(f.Path); id != 0 {
		f.s.G.Out(id, func(e graph.Edge) bool {
			if e.Kind == graph.Imports && !lines[e.Pos.Line()] {
				f.others[e.Pos.Line()] = true
			}
			return true
		})
	}
	return f.others
}

// packageOf is the package or namespace that the target's file declares.
func (s *search) packageOf() string {
	if !s.packaged {
		s.packaged = true
		if f := s.common.lower(s.at.Record); f != nil && f.Package != 0 {
			s.pkg = f.String(f.Package)
		}
	}
	return s.pkg
}
