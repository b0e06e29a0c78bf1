package diagnostics

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
)

var ignoredGo = regexp.MustCompile(`(?m)^//(go:build|\s*\+build)\s.*\bignore\b`)

// importsGo looks at packages below the path of a module of the index.
func importsGo(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	name := f.String(i.Module)
	if name == "C" || ignoredGo.Match(s.src[:min(len(s.src), 4096)]) || strings.Contains("/"+s.record.Path, "/_") {
		return ""
	}
	module, dir, ok := p.set.Claims.Go(name)
	if !ok || module == "std" || module == "cmd" || strings.HasPrefix(strings.TrimPrefix(name, module), ".") || p.set.Claims.GoModule(source.Dir(s.record.Path)) == "" {
		return ""
	}
	folder := strings.Trim(path.Join(dir, strings.TrimPrefix(name, module)), "/")
	if p.begins(folder, "") && p.hasGo(folder) || p.view.Ignored(folder, true) || p.files[folder] != nil {
		return ""
	}
	if !p.folder(folder) && p.view.Exists(folder) || p.required(module, name) {
		return ""
	}
	return fmt.Sprintf("there is no package in %s for the import of %q", cmp.Or(folder, "."), name)
}

func (p *project) hasGo(folder string) bool {
	for _, name := range p.folders[folder] {
		if strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".proto") || strings.HasSuffix(name, ".y") {
			return true
		}
	}
	return false
}

// required reports whether a go.mod takes a longer path, or a path of another version, from elsewhere.
func (p *project) required(module, name string) bool {
	for at, r := range p.files {
		if base := path.Base(at); base != "go.mod" && base != "go.work" {
			continue
		}
		text := string(r.Text.All())
		for q := name; len(q) > len(module); q = path.Dir(q) {
			if strings.Contains(text, q+" v") || strings.Contains(text, q+" =>") {
				return true
			}
		}
	}
	return false
}

var (
	// openPython finds modules that may get names in ways that are not looked at.
	openPython = regexp.MustCompile(`__getattr__|\bglobals\(|sys\.modules|\bexec\(|\bvars\(|\blocals\(|__dict__|\bsetattr\(|import_module|lazy|deprecat`)
	// openPackage finds packages whose modules may lie elsewhere.
	openPackage = regexp.MustCompile(`__path__|extend_path|declare_namespace`)
	statement   = regexp.MustCompile(`^\s*(from|import)\s`)
)

// importsPython looks at relative imports, and at those of the package that a file is in.
func importsPython(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	module, name := f.String(i.Module), f.String(i.Name)
	dots := len(module) - len(strings.TrimLeft(module, "."))
	parts := strings.FieldsFunc(module[dots:], func(r rune) bool { return r == '.' })
	dir := source.Dir(s.record.Path)
	if !p.inPython(s.record.Path) {
		return ""
	}
	if dots > 0 {
		for range dots - 1 {
			if dir == "" {
				return ""
			}
			dir = source.Dir(dir)
		}
	} else {
		for p.files[path.Join(dir, "__init__.py")] != nil && dir != "" { // the folder above the outermost package
			up := source.Dir(dir)
			if p.files[path.Join(up, "__init__.py")] == nil {
				break
			}
			dir = up
		}
		if len(parts) < 2 && name == "" || len(parts) == 0 || parts[0] != path.Base(dir) || p.files[path.Join(dir, "__init__.py")] == nil || name == "" && !statement.Match(s.line(s.offset(i.Pos))) {
			return ""
		}
		parts = parts[1:]
	}
	whole := module
	for n, part := range parts {
		if !p.pythonModule(dir, part) {
			return fmt.Sprintf("there is no module %s for the import of %s", part, whole)
		}
		next := path.Join(dir, part)
		if !p.folder(next) {
			if n == len(parts)-1 && p.files[next+".py"] != nil {
				return p.pythonName(next+".py", "", name)
			}
			return ""
		}
		dir = next
	}
	init := path.Join(dir, "__init__.py")
	if name == "" || p.files[init] == nil || p.openPackage(init) || len(parts) > 0 && p.files[dir+".py"] != nil {
		return ""
	}
	return p.pythonName(init, dir, name)
}

// inPython reports whether a file is a module of a package, so that relative imports mean something.
func (p *project) inPython(at string) bool {
	return p.files[path.Join(source.Dir(at), "__init__.py")] != nil
}

// pythonModule reports whether a package may have a module: in a file, a folder, or as something that
// is built.
func (p *project) pythonModule(dir, name string) bool {
	at := path.Join(dir, name)
	if p.begins(dir, name+".") || p.folder(at) || p.there(at) || p.view.Ignored(at+".py", false) || p.view.Exists(at+".py") {
		return true
	}
	if init := p.files[path.Join(dir, "__init__.py")]; init == nil || p.openPackage(init.Path) {
		return true
	}
	for _, q := range p.folders[dir] { // a module of an extension
		if strings.HasPrefix(q, name+"module.") || q == name+".c" {
			return true
		}
	}
	return p.makes(name)
}

// openPackage reports whether modules of a package may lie elsewhere.
func (p *project) openPackage(init string) bool {
	return p.once("open package "+init, func() bool { return openPackage.Match(p.files[init].Text.All()) })
}

// pythonName says whether a module lacks a name; dir is its folder where it is a package.
func (p *project) pythonName(file, dir, name string) string {
	if name == "" || name == "*" {
		return ""
	}
	if has, known := p.pythonHas(file, name, 0); has || !known {
		return ""
	}
	if dir != "" && p.pythonModule(dir, name) || strings.HasPrefix(name, "__") {
		return ""
	}
	return fmt.Sprintf("%s has no %s", file, name)
}

// pythonHas reports whether a module binds a name, and whether all of its names are known.
func (p *project) pythonHas(file, name string, depth int) (has, known bool) {
	u := p.unit(file)
	if u == nil || depth > 12 {
		return false, false
	}
	if u.top[name] {
		return true, true
	}
	src := p.files[file].Text.All()
	switch {
	case p.once("open python "+file, func() bool { return openPython.Match(src) }):
		return false, false
	case wordIn(src, name) && p.bound(file)[name]:
		return true, true
	}
	for _, module := range u.stars {
		rest := strings.TrimLeft(module, ".")
		if module == rest {
			return false, false
		}
		dir := source.Dir(file)
		for range len(module) - len(rest) - 1 {
			dir = source.Dir(dir)
		}
		at := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
		next := at + ".py"
		if p.files[next] == nil {
			next = path.Join(at, "__init__.py")
		}
		if has, known := p.pythonHas(next, name, depth+1); has || !known {
			return has, known
		}
	}
	return false, true
}

// made are the names that processors of annotations and generators give to classes.
var made = regexp.MustCompile(`^(Dagger|AutoValue_|Q[A-Z]|R$|BR$|BuildConfig)|(_|Impl_|Binding|_Factory|Grpc|OuterClass|Parser|Lexer|Listener|Visitor|MapperImpl|JsonAdapter|Args|Directions)$`)

// importsNamed looks at classes of packages that files of the index declare.
func importsNamed(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	module, name := f.String(i.Module), f.String(i.Name)
	family := s.record.Lang
	if family != "php" {
		family = "jvm"
	}
	spaces := p.packages(family)
	if name == "*" || name == "" || module == "" || i.Flags&ir.FuncName != 0 && family == "php" {
		return ""
	}
	parts := strings.Split(module+"."+name, ".")
	if i.Flags&ir.StaticName != 0 {
		parts = parts[:len(parts)-1]
	}
	fold := func(t string) string {
		if family == "php" {
			return strings.ToLower(t)
		}
		return t
	}
	known := 0
	for n := len(parts) - 1; n > 0 && known == 0; n-- {
		if spaces[fold(strings.Join(parts[:n], "."))] != nil {
			known = n
		}
	}
	if known == 0 {
		return ""
	}
	space, class := fold(strings.Join(parts[:known], ".")), parts[known]
	if names := spaces[space]; names["*"] || names[fold(class)] || names[""] || made.MatchString(class) || class == "" || class[0] >= 'a' && class[0] <= 'z' && family == "jvm" && s.record.Lang == "java" {
		return ""
	}
	for q := range spaces {
		if q == fold(strings.Join(parts[:known+1], ".")) || strings.HasPrefix(q, fold(strings.Join(parts[:known+1], "."))+".") {
			return ""
		}
	}
	if p.generates(family) || p.leftOut(space, class) || known < len(parts)-1 && class[0] >= 'a' && class[0] <= 'z' {
		return ""
	}
	return fmt.Sprintf("no file of the index declares %s in %s", class, strings.Join(parts[:known], "."))
}

// leftOut reports whether a file for a class would be left out of the index where the others of its
// package are.
func (p *project) leftOut(space, class string) bool {
	for _, dir := range p.homes[strings.ToLower(space)] {
		for _, ext := range []string{".java", ".kt", ".php"} {
			if at := path.Join(dir, class+ext); p.view.Ignored(at, false) || p.view.Exists(at) {
				return true
			}
		}
	}
	return false
}

var (
	makesJVM = regexp.MustCompile(`\.(proto|g4|g|thrift|avsc|avdl|xsd|wsdl|fbs|jj|jjt|y|flex|sq|sqm|graphqls?|ftl|mustache|jte|vm)$|(^|/)(buildSrc|build-logic)/`)
	makesPHP = regexp.MustCompile(`class_alias\s*\(|spl_autoload_register|\beval\s*\(`)
)

// generates reports whether classes may be made of something else than files of their language.
func (p *project) generates(family string) bool {
	key := "generates " + family
	if u, ok := p.units[key]; ok {
		return u != nil
	}
	p.units[key] = nil
	for at, r := range p.files {
		if family == "jvm" && makesJVM.MatchString(at) || family == "php" && r.Lang == "php" && makesPHP.Match(r.Text.All()) && !r.Traits.Test && !apart(r) {
			p.units[key] = &unit{}
			return true
		}
	}
	return false
}

// packages are the names at the top of all packages or namespaces of a family; those with "*" may have
// more.
func (p *project) packages(family string) map[string]map[string]bool {
	if spaces := p.spaces[family]; spaces != nil {
		return spaces
	}
	if p.spaces == nil {
		p.spaces, p.homes = map[string]map[string]map[string]bool{}, map[string][]string{}
	}
	spaces := map[string]map[string]bool{}
	p.spaces[family] = spaces
	enter := func(space, name string) {
		if family == "php" {
			space, name = strings.ToLower(space), strings.ToLower(name)
		}
		if spaces[space] == nil {
			spaces[space] = map[string]bool{}
		}
		if name != "" {
			spaces[space][name] = true
		}
	}
	for at, r := range p.files {
		switch r.Lang {
		case "php":
			if family != "php" {
				continue
			}
		case "java", "kotlin", "scala", "groovy":
			if family != "jvm" {
				continue
			}
		default:
			continue
		}
		u := p.unit(at)
		if u == nil { // what it has is not known
			enter(strings.ReplaceAll(declaredPackage(r.Text.All()), `\`, "."), "*")
			continue
		}
		space := u.space
		enter(space, "")
		if dir := source.Dir(at); !slices.Contains(p.homes[strings.ToLower(space)], dir) {
			p.homes[strings.ToLower(space)] = append(p.homes[strings.ToLower(space)], dir)
		}
		for name := range u.top {
			enter(space, name)
			for _, in := range u.inner[name] {
				enter(strings.Trim(space+"."+name, "."), in)
			}
		}
		if r.Lang == "kotlin" && space != "" {
			enter(space, strings.ToUpper(path.Base(at)[:1])+strings.TrimSuffix(path.Base(at), ".kt")[1:]+"Kt")
		}
	}
	return spaces
}

var packageClause = regexp.MustCompile(`(?m)^\s*(?:package|namespace)\s+([\w.\\]+)`)

func declaredPackage(src []byte) string {
	if m := packageClause.FindSubmatch(src); m != nil {
		return string(m[1])
	}
	return ""
}
