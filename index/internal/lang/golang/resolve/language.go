// Package resolve has what is special about Go: modules, range clauses, and what its library
// makes of what it gets.
package resolve

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is Go.
var Family = program.Languages{
	Name:   "go",
	Names:  map[string]string{"go": "go"},
	Config: func(base string) bool { return base == "go.mod" },
	Make:   newGo,
}

// language is the Language.
type language struct {
	plain.Default
	modules []GoModule // what the configuration says, longest paths first
	read    bool       // that was read
	dirs    map[string]edge.ID
}

func newGo() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.FlatPackages, t.UnknownFree, t.Predeclared = program.ByFolder, true, true, goPredeclared
	t.Interfaces = interfaces()
	t.Structural, t.Exact, t.Promotes, t.DefinedTypes = true, true, true, true
	t.Typed, t.Assignable, t.Null, t.LiteralsMake, t.SharedStores = true, true, "nil", true, true
	t.Converts, t.Variants, t.CallsForEffect, t.FuncTypes = true, true, true, true
	return map[string]*program.Lang{"go": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of what is known of folders and modules.
func (l *language) Forget() { l.modules, l.read, l.dirs = nil, false, nil }

// A GoModule is a module of a go.mod file.
type GoModule struct{ Path, Dir string }

// GoModules reads configuration files.
func GoModules(configs map[string][]byte) []GoModule {
	var all []GoModule
	for p, text := range configs {
		if path.Base(p) == "go.mod" {
			if name := modulePath(text); name != "" {
				all = append(all, GoModule{name, program.Folder(p)})
			}
		}
	}
	slices.SortFunc(all, func(a, b GoModule) int {
		return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(a.Dir, b.Dir))
	})
	return all
}

// Unresolved notes what is handed to a package outside of the index and of Go's library: any
// interface of it may be what the methods of that are called through.
func (*language) Unresolved(e *eval.Evaluator, c *eval.Call) {
	if first, _, nested := strings.Cut(e.Family.Names.Text[c.External], "/"); nested && strings.Contains(first, ".") {
		library.HandOut(e, c)
	}
}

// Resolve maps an import path to a folder by the go.mod files, the vendor folder
// and, in the tree of Go itself, by the path alone.
func (l *language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module := f.IR.String(i.Module)
	for _, dir := range l.dirsOf(g, module) {
		if id := l.packageAt(g, dir); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
	}
	return g.OutsideOf(module)
}

func (l *language) dirsOf(g *program.Family, module string) []string {
	if !l.read {
		l.modules, l.read = GoModules(g.Configs), true
	}
	return GoFolders(l.modules, module)
}

// GoFolders are the folders where the package of an import path may lie, the likeliest first.
func GoFolders(modules []GoModule, name string) []string {
	var out []string
	for _, m := range modules {
		switch {
		case m.Path == name:
			out = append(out, m.Dir)
		case strings.HasPrefix(name, m.Path+"/"):
			out = append(out, path.Join(m.Dir, name[len(m.Path)+1:]))
		case m.Path == "std":
			out = append(out, path.Join(m.Dir, name), path.Join(m.Dir, "vendor", name))
		}
	}
	if len(modules) == 0 {
		out = append(out, name)
	}
	return out
}

// packageAt returns the package that a folder holds, tests apart.
func (l *language) packageAt(g *program.Family, dir string) edge.ID {
	if dir == "." {
		dir = ""
	}
	if g.Dirs[dir] == 0 {
		return 0
	}
	return l.packages(g)[dir]
}

// packages are the packages of the folders that hold Go files.
func (l *language) packages(g *program.Family) map[string]edge.ID {
	if l.dirs == nil {
		l.dirs = map[string]edge.ID{}
		main := map[string]bool{}
		for _, p := range g.Paths() {
			f := g.Files[p]
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			// Programs that are run by hand lie next to a package as another one, main.
			if pkg := f.IR.String(f.IR.Package); l.dirs[f.Dir] == 0 || pkg == path.Base(f.Dir) || main[f.Dir] && pkg != "main" {
				l.dirs[f.Dir], main[f.Dir] = f.Pkg, pkg == "main"
			}
		}
	}
	return l.dirs
}

// goPredeclared are the names of the universe block.
var goPredeclared = program.Words("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune " +
	"string uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new " +
	"panic print println real recover")

// Predeclared reports whether a name is one of the universe block.
func Predeclared(name string) bool { return goPredeclared[name] }

// ImportName is what a package calls itself, or what its path lets expect when
// it is not in the index.
func (*language) ImportName(g *program.Family, f *program.File, i *ir.ImportInfo, t program.Target) string {
	if i.Alias != 0 || i.Name != 0 {
		return ""
	}
	if len(t.In) > 0 {
		text := g.Names.Text[g.Entities[t.In[0]].Name]
		return text[strings.LastIndexByte(text, ':')+1:]
	}
	return goPackageName(f.IR.String(i.Module))
}

// goPackageName guesses the name of a package from its path, by the conventions
// for versions and prefixes.
func goPackageName(p string) string {
	name := path.Base(p)
	if isVersion(name) && len(name) < len(p) {
		name = path.Base(path.Dir(p))
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && isVersion(name[i+1:]) {
		name = name[:i]
	}
	name = strings.TrimPrefix(name, "go-")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "-go"), ".go")
	return name[strings.LastIndexAny(name, "-.")+1:]
}

// isVersion reports whether s is "v" and digits.
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// modulePath returns the path in the module line of a go.mod file, "" where there is none.
func modulePath(text []byte) string {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("module"))
		name := bytes.TrimSpace(rest)
		if !ok || len(name) == 0 || len(name) == len(rest) {
			continue
		}
		if name[0] == '"' || name[0] == '`' {
			path, err := strconv.Unquote(string(name))
			if err != nil {
				return ""
			}
			return path
		}
		return string(name)
	}
	return ""
}

// ReceiverParam is the parameter of a type that the receiver of a method gives a
// name of its own: K of func (m *Map[K, V]).
func (*language) ReceiverParam(e *eval.Evaluator, fn ir.Func, n intern.Name) pointsto.Set {
	f := e.File.IR
	recv := &f.Exprs[f.Funcs[fn].Recv]
	if recv.Op != ir.Apply || recv.A == 0 {
		return 0
	}
	for i, a := range f.Args[recv.Lo:recv.Hi] {
		if x := &f.Exprs[a.X]; x.Op != ir.Name || e.File.Names[x.Name] != n {
			continue
		}
		// The type's own name is not one of those that the receiver gives.
		at := e.Func
		e.Func = 0
		types := e.TypeName(recv.A)
		e.Func = at
		for _, v := range e.Family.Values.Elems(types) {
			if x := e.Family.Values.Info[v]; x.Kind == pointsto.Class {
				return e.Single(pointsto.Info{Kind: pointsto.Param, ID: x.ID, Base: pointsto.Value(i)})
			}
		}
	}
	return 0
}

// CallOn knows what has no methods: functions, and types that are written without a name,
// which may be part of the value of a named type.
func (*language) CallOn(e *eval.Evaluator, _ *eval.Call, v pointsto.Value, _ pointsto.Set) (pointsto.Set, bool) {
	switch i := e.Family.Values.Info[v]; i.Kind {
	case pointsto.ManyFuncs, pointsto.Func, pointsto.Bound:
		return 0, true
	case pointsto.Generic:
		return 0, program.BuiltinForms[e.Family.Names.Text[i.ID]]
	}
	return 0, false
}

// CallAbsent calls a method of a generic type outside of the index that a struct embeds.
func (*language) CallAbsent(e *eval.Evaluator, c *eval.Call, v pointsto.Value, s pointsto.Set, rule edge.Rule) (pointsto.Set, bool) {
	k := e.Family.ClassOf(v)
	if k == nil || !e.Family.OnlyExternal(s) {
		return 0, false
	}
	if v := embeddedGeneric(e, v, k); v != 0 {
		return e.CallOn(c, v, e.Family.Values.Single(v), rule), true
	}
	return 0, false
}

// Literal is a map by its elements alone.
func (*language) Literal(e *eval.Evaluator, n *ir.Node) (pointsto.Set, bool) {
	if e.File.IR.String(n.Name) != "map" {
		return 0, false
	}
	return e.Generic("map", 0, elementsOf(e, n)), true
}

// Elements is what a range clause takes.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, n *ir.Node) (pointsto.Set, bool) {
	if n == nil || n.Op != ir.Elem {
		return 0, false
	}
	return ranged(e, v, n.Name != 0)
}

// Outside knows the packages slices and maps.
func (*language) Outside(e *eval.Evaluator, c *eval.Call, _ pointsto.Value) (pointsto.Set, bool) {
	s := goLibrary(e, c)
	return s, s != 0
}

// elementsOf are the values of the elements of a literal.
func elementsOf(e *eval.Evaluator, n *ir.Node) pointsto.Set {
	all := pointsto.Set(0)
	for _, a := range e.File.IR.Args[n.Lo:n.Hi] {
		all = e.Family.Union(all, e.Eval(a.X))
	}
	return all
}
