package graph

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var goFamily = langFamily{
	name:   "go",
	names:  map[string]string{"go": "go"},
	config: func(base string) bool { return base == "go.mod" },
	make:   newGo,
}

// golang is the Language.
type golang struct {
	Default
	modules []goModule // what the configuration says, longest paths first
	read    bool       // that was read
	dirs    map[string]ID
}

func newGo() map[string]*lang {
	var t traits
	t.pack, t.flatPackages, t.unknownFree, t.predeclared = byFolder, true, true, goPredeclared
	t.structural, t.exact, t.promotes, t.definedTypes = true, true, true, true
	t.typed, t.assignable, t.null, t.literalsMake, t.sharedStores = true, true, "nil", true, true
	t.converts, t.variants, t.callsForEffect, t.funcTypes = true, true, true, true
	return map[string]*lang{"go": {traits: t, Language: &golang{}}}
}

// Forget lets go of what is known of folders and modules.
func (l *golang) Forget() { l.modules, l.read, l.dirs = nil, false, nil }

// A goModule is a module of a go.mod file.
type goModule struct{ path, dir string }

// goModules reads configuration files.
func goModules(configs map[string][]byte) []goModule {
	var all []goModule
	for p, text := range configs {
		if path.Base(p) == "go.mod" {
			if name := modulePath(text); name != "" {
				all = append(all, goModule{name, folder(p)})
			}
		}
	}
	slices.SortFunc(all, func(a, b goModule) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(a.dir, b.dir))
	})
	return all
}

// Resolve maps an import path to a folder by the go.mod files, the vendor folder
// and, in the tree of Go itself, by the path alone.
func (l *golang) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	for _, dir := range l.dirsOf(g, module) {
		if id := l.packageAt(g, dir); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

func (l *golang) dirsOf(g *family, module string) []string {
	if !l.read {
		l.modules, l.read = goModules(g.configs), true
	}
	var out []string
	for _, m := range l.modules {
		switch {
		case m.path == module:
			out = append(out, m.dir)
		case strings.HasPrefix(module, m.path+"/"):
			out = append(out, path.Join(m.dir, module[len(m.path)+1:]))
		case m.path == "std":
			out = append(out, path.Join(m.dir, module), path.Join(m.dir, "vendor", module))
		}
	}
	if len(l.modules) == 0 {
		out = append(out, module)
	}
	return out
}

// packageAt returns the package that a folder holds, tests apart.
func (l *golang) packageAt(g *family, dir string) ID {
	if dir == "." {
		dir = ""
	}
	if g.dirs[dir] == 0 {
		return 0
	}
	return l.packages(g)[dir]
}

// packages are the packages of the folders that hold Go files.
func (l *golang) packages(g *family) map[string]ID {
	if l.dirs == nil {
		l.dirs = map[string]ID{}
		main := map[string]bool{}
		for _, p := range g.paths() {
			f := g.files[p]
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			// Programs that are run by hand lie next to a package as another one, main.
			if pkg := f.ir.String(f.ir.Package); l.dirs[f.dir] == 0 || pkg == path.Base(f.dir) || main[f.dir] && pkg != "main" {
				l.dirs[f.dir], main[f.dir] = f.pkg, pkg == "main"
			}
		}
	}
	return l.dirs
}

// goPredeclared are the names of the universe block.
var goPredeclared = words("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune " +
	"string uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new " +
	"panic print println real recover")

// ImportName is what a package calls itself, or what its path lets expect when
// it is not in the index.
func (*golang) ImportName(g *family, f *file, i *ir.ImportInfo, t target) string {
	if i.Alias != 0 || i.Name != 0 {
		return ""
	}
	if len(t.in) > 0 {
		text := g.names.text[g.entities[t.in[0]].name]
		return text[strings.LastIndexByte(text, ':')+1:]
	}
	return goPackageName(f.ir.String(i.Module))
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
func (*golang) ReceiverParam(e *eval, fn ir.Func, n name) set {
	f := e.f.ir
	recv := &f.Exprs[f.Funcs[fn].Recv]
	if recv.Op != ir.Apply || recv.A == 0 {
		return 0
	}
	for i, a := range f.Args[recv.Lo:recv.Hi] {
		if x := &f.Exprs[a.X]; x.Op != ir.Name || e.f.names[x.Name] != n {
			continue
		}
		// The type's own name is not one of those that the receiver gives.
		at := e.fn
		e.fn = 0
		types := e.typeName(recv.A)
		e.fn = at
		for _, v := range e.g.values.elems(types) {
			if x := e.g.values.info[v]; x.kind == vClass {
				return e.single(valueInfo{kind: vParam, id: x.id, base: value(i)})
			}
		}
	}
	return 0
}

// CallOn knows what has no methods: functions, and types that are written without a name,
// which may be part of the value of a named type.
func (*golang) CallOn(e *eval, _ *calling, v value, _ set) (set, bool) {
	switch i := e.g.values.info[v]; i.kind {
	case vManyFuncs, vFunc, vBound:
		return 0, true
	case vGeneric:
		return 0, builtinForms[e.g.names.text[i.id]]
	}
	return 0, false
}

// CallAbsent calls a method of a generic type outside of the index that a struct embeds.
func (*golang) CallAbsent(e *eval, c *calling, v value, s set, rule Rule) (set, bool) {
	k := e.g.classOf(v)
	if k == nil || !e.g.onlyExternal(s) {
		return 0, false
	}
	if v := e.embeddedGeneric(v, k); v != 0 {
		return e.callOn(c, v, e.g.values.single(v), rule), true
	}
	return 0, false
}

// Literal is a map by its elements alone.
func (*golang) Literal(e *eval, n *ir.Node) (set, bool) {
	if e.f.ir.String(n.Name) != "map" {
		return 0, false
	}
	return e.generic("map", 0, e.elementsOf(n)), true
}

// Elements is what a range clause takes.
func (*golang) Elements(e *eval, v value, n *ir.Node) (set, bool) {
	if n == nil || n.Op != ir.Elem {
		return 0, false
	}
	return e.ranged(v, n.Name != 0)
}

// Outside knows the packages slices and maps.
func (*golang) Outside(e *eval, c *calling, _ value) (set, bool) {
	s := e.goLibrary(c)
	return s, s != 0
}
