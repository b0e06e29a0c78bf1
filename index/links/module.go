package links

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// maxPassing bounds how many files a name is passed on through.
const maxPassing = 12

// exports is what a file says of names that it passes on.
type exports struct {
	named map[string]passedOn
	stars []string // modules of which all is passed on
	all   bool     // what is defined is exported without a word (CommonJS)
}

// A passedOn is where a name that a file passes on comes from.
type passedOn struct {
	module string // "": the file itself
	name   string // there; "": the module
}

// has reports whether a file is in the root.
func (f *finder) has(p string) bool { return f.files[p] != nil }

// in returns what a file defines under a name.
func (f *finder) in(file, name string) []graph.ID {
	return f.defined(name, func(r *store.Record, s *store.Symbol) bool { return r.Path == file && s.Parent == "" })
}

// scriptName finds what a package of npm exports.
func (f *finder) scriptName(name string) ([]graph.ID, graph.Confidence) {
	for i := 1; i < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		file := f.claims.Script(name[:i], f.has)
		if file == "" {
			continue
		}
		parts := strings.Split(name[i+1:], ".")
		if ids := f.exported(file, parts[0], 0); len(ids) > 0 {
			return f.follow(ids, parts[1:])
		}
	}
	return nil, 0
}

// exported returns what a module of JavaScript exports under a name.
func (f *finder) exported(file, name string, depth int) []graph.ID {
	r := f.files[file]
	if r == nil || depth > maxPassing {
		return nil
	}
	e := f.exports[file]
	if e == nil {
		e = scriptExports(r.Text.All())
		f.exports[file] = e
	}
	own := f.defined(name, func(o *store.Record, s *store.Symbol) bool { return o == r && s.Parent == "" && (s.Exported || e.all) })
	if len(own) > 0 {
		return own
	}
	if p, ok := e.named[name]; ok {
		if p.module == "" {
			return f.in(file, p.name)
		}
		if p.name != "" {
			return f.exported(f.script(file, p.module), p.name, depth+1)
		}
		return nil
	}
	for _, module := range e.stars {
		if ids := f.exported(f.script(file, module), name, depth+1); len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// script returns the file that an import of a file means; "" is none of the root.
func (f *finder) script(from, module string) string {
	if strings.HasPrefix(module, ".") {
		return graph.ScriptAt(from, module, f.has)
	}
	return f.claims.Script(module, f.has)
}

var (
	scriptExport = regexp.MustCompile(`\bexport\s+(?:type\s+)?(?:\*(?:\s*as\s+([\w$]+))?|\{([^}]*)\})\s*(?:from\s*["']([^"']+)["'])?`)
	scriptImport = regexp.MustCompile(`\bimport\s+(?:type\s+)?[^"';{]*\{([^}]*)\}\s*from\s*["']([^"']+)["']`)
	scriptCommon = regexp.MustCompile(`\bmodule\.exports\b|(?m:^\s*exports\.\w+\s*=)`)
)

func scriptExports(text []byte) *exports {
	e := &exports{named: map[string]passedOn{}, all: scriptCommon.Match(text)}
	if !bytes.Contains(text, []byte("export")) {
		return e
	}
	each := func(list string, yield func(name, as string)) {
		for item := range strings.SplitSeq(list, ",") {
			item = strings.TrimPrefix(strings.TrimSpace(item), "type ")
			name, as, renamed := strings.Cut(item, " as ")
			if name, as = strings.TrimSpace(name), strings.TrimSpace(as); !renamed {
				as = name
			}
			if name != "" {
				yield(name, as)
			}
		}
	}
	imported := map[string]passedOn{}
	for _, m := range scriptImport.FindAllSubmatch(text, -1) {
		each(string(m[1]), func(name, as string) { imported[as] = passedOn{string(m[2]), name} })
	}
	for _, m := range scriptExport.FindAllSubmatch(text, -1) {
		from := string(m[3])
		switch {
		case m[2] != nil:
			each(string(m[2]), func(name, as string) {
				p, ok := imported[name]
				if from != "" || !ok {
					p = passedOn{from, name}
				}
				e.named[as] = p
			})
		case len(m[1]) > 0:
			e.named[string(m[1])] = passedOn{module: from}
		case from != "":
			e.stars = append(e.stars, from)
		}
	}
	return e
}

// privatePython are folders and files at the top of many projects that nobody installs.
var privatePython = map[string]bool{
	"tests": true, "test": true, "testing": true, "docs": true, "doc": true, "examples": true, "scripts": true, "tools": true,
	"benchmarks": true, "setup": true, "conftest": true, "noxfile": true, "tasks": true, "manage": true,
}

// pythonName finds a name of a module of Python; of several the longest.
func (f *finder) pythonName(parts []string) ([]graph.ID, graph.Confidence) {
	if graph.StandardPython(parts[0]) || privatePython[parts[0]] {
		return nil, 0
	}
	for i := len(parts) - 1; i > 0; i-- {
		file := modules.PythonModule(f.files, f.roots, strings.Join(parts[:i], "/"))
		if file == "" {
			continue
		}
		if ids := f.pythonIn(file, parts[i], 0); len(ids) > 0 {
			return f.follow(ids, parts[i+1:])
		}
	}
	return nil, 0
}

var pythonFrom = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)`)

// pythonIn returns what a module of Python has under a name, by itself or by an import.
func (f *finder) pythonIn(file, name string, depth int) []graph.ID {
	if file == "" || depth > maxPassing {
		return nil
	}
	if ids := f.in(file, name); len(ids) > 0 {
		return ids
	}
	e := f.imports[file]
	if e == nil {
		e = &exports{named: map[string]passedOn{}}
		for _, m := range pythonFrom.FindAllSubmatch(f.files[file].Text.All(), -1) {
			for item := range strings.SplitSeq(strings.Trim(string(m[2]), "()"), ",") {
				words := strings.Fields(item)
				switch {
				case len(words) == 1 && words[0] == "*":
					e.stars = append(e.stars, string(m[1]))
				case len(words) == 1:
					e.named[words[0]] = passedOn{string(m[1]), words[0]}
				case len(words) == 3 && words[1] == "as":
					e.named[words[2]] = passedOn{string(m[1]), words[0]}
				}
			}
		}
		f.imports[file] = e
	}
	if p, ok := e.named[name]; ok {
		return f.pythonIn(f.pythonImported(file, p.module), p.name, depth+1)
	}
	for _, module := range e.stars {
		if ids := f.pythonIn(f.pythonImported(file, module), name, depth+1); len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// pythonImported returns the file of a module that another one imports.
func (f *finder) pythonImported(from, module string) string {
	name := strings.TrimLeft(module, ".")
	dots := len(module) - len(name)
	below := strings.ReplaceAll(name, ".", "/")
	if dots == 0 {
		return modules.PythonModule(f.files, f.roots, below)
	}
	dir := source.Dir(from)
	for range dots - 1 {
		dir = source.Dir(dir)
	}
	return modules.PythonModule(f.files, []string{dir}, below)
}

// rustName finds a name of a crate.
func (f *finder) rustName(parts []string) ([]graph.ID, graph.Confidence) {
	if len(parts) > 2 && parts[1] == parts[0] { // use a::{self as b}
		parts = parts[1:]
	}
	root, ok := f.claims.Crate(parts[0])
	if !ok || f.files[root] == nil {
		return nil, 0
	}
	ids, rest := f.rustIn(root, root, parts[1:], 0)
	if len(ids) == 0 {
		return nil, 0
	}
	return f.follow(ids, rest)
}

// rustIn returns what a path means in a module of Rust, and what of the path is left.
func (f *finder) rustIn(root, file string, parts []string, depth int) (ids []graph.ID, rest []string) {
	if len(parts) == 0 || depth > maxPassing {
		return nil, nil
	}
	if child := f.rustChild(root, file, parts[0]); child != "" && len(parts) > 1 {
		if ids, rest = f.rustIn(root, child, parts[1:], depth+1); len(ids) > 0 {
			return ids, rest
		}
	}
	if ids = f.in(file, parts[0]); len(ids) > 0 {
		return ids, parts[1:]
	}
	if len(parts) > 1 { // in a module that is written in the file
		ids = f.defined(parts[1], func(r *store.Record, s *store.Symbol) bool { return r.Path == file && s.Parent == parts[0] })
		if len(ids) > 0 {
			return ids, parts[2:]
		}
	}
	e := f.imports[file]
	if e == nil {
		e = rustUses(f.files[file].Text.All())
		f.imports[file] = e
	}
	if p, ok := e.named[parts[0]]; ok {
		return f.rustFrom(root, file, append(strings.Split(p.module, "::"), parts[1:]...), depth+1)
	}
	for _, module := range e.stars {
		if ids, rest = f.rustFrom(root, file, append(strings.Split(module, "::"), parts...), depth+1); len(ids) > 0 {
			return ids, rest
		}
	}
	return nil, nil
}

// rustFrom follows a path that a file writes.
func (f *finder) rustFrom(root, file string, parts []string, depth int) ([]graph.ID, []string) {
	switch parts[0] {
	case "crate":
		return f.rustIn(root, root, parts[1:], depth)
	case "self":
		return f.rustIn(root, file, parts[1:], depth)
	case "super":
		return nil, nil
	}
	return f.rustIn(root, file, parts, depth)
}

// rustChild returns the file of a module that is declared in a file.
func (f *finder) rustChild(root, file, name string) string {
	dir := source.Dir(file)
	if base := path.Base(file); file != root && base != "mod.rs" {
		dir = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	for _, p := range []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
		if f.has(p) {
			return p
		}
	}
	return ""
}

var rustUse = regexp.MustCompile(`(?m)^\s*pub\s+use\s+([^;]+);`)

// rustUses reads what a file passes on: pub use a::{b, c as d, e::*};
func rustUses(text []byte) *exports {
	e := &exports{named: map[string]passedOn{}}
	var tree func(before, text string, depth int)
	tree = func(before, text string, depth int) {
		text = strings.TrimSpace(text)
		if open := strings.IndexByte(text, '{'); open >= 0 && strings.HasSuffix(text, "}") && depth < 8 {
			before += strings.TrimSpace(text[:open])
			for _, item := range splitTop(text[open+1:len(text)-1], ',') {
				tree(before, item, depth+1)
			}
			return
		}
		if text == "" {
			return
		}
		whole, as, renamed := strings.Cut(before+text, " as ")
		whole = strings.TrimPrefix(strings.TrimSpace(whole), "::")
		if module, ok := strings.CutSuffix(whole, "::*"); ok {
			e.stars = append(e.stars, module)
			return
		}
		whole = strings.TrimSuffix(whole, "::self")
		if !renamed {
			as = whole[strings.LastIndexByte(whole, ':')+1:]
		}
		e.named[strings.TrimSpace(as)] = passedOn{module: whole}
	}
	for _, m := range rustUse.FindAllSubmatch(text, -1) {
		tree("", string(m[1]), 0)
	}
	return e
}
