package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// config returns what the configuration files say.
func (g *family) config() *modules {
	if g.modules == nil {
		g.modules = newModules(g.configs)
	}
	return g.modules
}

// resolveGo maps an import path to a folder by the go.mod files, the vendor folder
// and, in the tree of Go itself, by the path alone.
func (g *family) resolveGo(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	for _, dir := range g.goDirs(f, module) {
		if id := g.goPackage(dir, f, i); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(module)
}

func (g *family) goDirs(f *file, module string) []string {
	var out []string
	for _, m := range g.config().go_ {
		switch {
		case m.text == module:
			out = append(out, m.dirs[0])
		case strings.HasPrefix(module, m.text+"/"):
			out = append(out, path.Join(m.dirs[0], module[len(m.text)+1:]))
		case m.text == "std":
			out = append(out, path.Join(m.dirs[0], module), path.Join(m.dirs[0], "vendor", module))
		}
	}
	if len(g.config().go_) == 0 {
		out = append(out, module)
	}
	return out
}

// goPackage returns the package that a folder holds, tests apart.
func (g *family) goPackage(dir string, f *file, i *ir.ImportInfo) ID {
	if dir == "." {
		dir = ""
	}
	if g.dirs[dir] == 0 {
		return 0
	}
	return g.goPackages()[dir]
}

// goPackages are the packages of the folders that hold Go files.
func (g *family) goPackages() map[string]ID {
	if g.goDir == nil {
		g.goDir = map[string]ID{}
		main := map[string]bool{}
		for _, p := range g.paths() {
			f := g.files[p]
			if f.lang.family != "go" || strings.HasSuffix(p, "_test.go") {
				continue
			}
			// Programs that are run by hand lie next to a package as another one, main.
			if pkg := f.ir.String(f.ir.Package); g.goDir[f.dir] == 0 || pkg == path.Base(f.dir) || main[f.dir] && pkg != "main" {
				g.goDir[f.dir], main[f.dir] = f.pkg, pkg == "main"
			}
		}
	}
	return g.goDir
}

// goPredeclared are the names of the universe block.
var goPredeclared = words("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune " +
	"string uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new " +
	"panic print println real recover")

// goImportName is what a package calls itself, or what its path lets expect when
// it is not in the index.
func (g *family) goImportName(f *file, i *ir.ImportInfo, t target) string {
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

// builtinForms are the types that are written without a name.
var builtinForms = words("list map chan func tuple object iterator")

// variants reports whether functions of one name are for different builds, of
// which each has one: they lie in different files.
func (e *eval) variants(list []entry) bool {
	for i, m := range list {
		for _, o := range list[:i] {
			if e.g.entities[m.id].file == e.g.entities[o.id].file {
				return false
			}
		}
	}
	return true
}
