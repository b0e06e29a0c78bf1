package diagnostics

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A use is a place that has a name which no function around it binds.
type use struct {
	name       string
	start, end int
	path       string // the member that is taken of it, "" for none
	in         *walk.Graph
}

// namers say what names a file has besides those that its code binds. known is nil for a file of
// which that cannot be said.
var namers = map[string]func(p *project, s *text, f *ir.File) (known func(u *use) (why string)){
	"go":         namesGo,
	"javascript": namesScript,
	"python":     namesPython,
	"tsx":        namesScript,
	"typescript": namesScript,
}

// names returns the names of a file that mean nothing.
func (l *look) names(s *text, root *walk.Graph) (found []Finding) {
	f := l.project().lowered(s.record.Path)
	if f == nil {
		return nil
	}
	known := namers[s.record.Lang](l.project(), s, f)
	if known == nil {
		l.open++
		return nil
	}
	top := map[string]bool{}
	binds(root, top)
	s.declaredTypes(top)
	var gaps [][]byte
	type key struct {
		name string
		in   *walk.Graph
	}
	said := map[key]bool{}
	var uses []use
	var visit func(g *walk.Graph, around []*walk.Graph)
	visit = func(g *walk.Graph, around []*walk.Graph) {
		for _, gap := range g.Gaps {
			gaps = append(gaps, s.src[max(gap.Start, 0):min(max(gap.End, gap.Start), len(s.src))])
		}
		around = append(around, g)
		for i := range g.Steps {
			for _, a := range g.Steps[i].Access {
				v := &g.Vars[a.Var]
				if a.Kind != walk.Use || !v.Free || v.Name == "" || a.ByCall || a.Inner || top[v.Name] || !s.named(a.Start, v.Name) || boundIn(around, v.Name) {
					continue
				}
				uses = append(uses, use{v.Name, a.Start, a.Start + len(v.Name), a.Path, g})
			}
		}
		for _, n := range g.Nested {
			visit(n, around)
		}
	}
	visit(root, nil)
	uses = append(uses, s.typeUses(root, top)...)
	for i := range uses {
		u := &uses[i]
		k := key{u.name + u.path, u.in}
		if said[k] {
			continue
		}
		said[k] = true
		why := known(u)
		if why == "" || s.mayLack(u.start) {
			continue
		}
		inGap := false
		for _, gap := range gaps {
			inGap = inGap || wordIn(gap, u.name)
		}
		if !inGap {
			found = append(found, s.finding(UnresolvedName, Error, Likely, u.start, u.end, "%s", why))
		}
	}
	return found
}

// named reports whether a name stands at an offset.
func (s *text) named(at int, name string) bool {
	if at > 0 && s.src[at-1] == '.' && !bytes.HasSuffix(s.src[:at], []byte("...")) { // a member, which looked like the argument of a type
		return false
	}
	return at >= 0 && bytes.HasPrefix(s.src[min(at, len(s.src)):], []byte(name)) && (at+len(name) == len(s.src) || !inWord(s.src[at+len(name)]))
}

// boundIn reports whether one of some functions, each within the one before it, binds a name.
func boundIn(around []*walk.Graph, name string) bool {
	for _, g := range around {
		for i := range g.Vars {
			if v := &g.Vars[i]; v.Name == name && !v.Free {
				return true
			}
		}
	}
	return false
}

var lacking = regexp.MustCompile(`NameError|ReferenceError|except\s*:|catch|\bdefined\(`)

// mayLack reports whether a name may be missing: what happens then is written next to it.
func (s *text) mayLack(at int) bool {
	line := s.line(at)
	if n, _ := s.place(at); remark.Match(line) || bytes.Contains(line, []byte("type: ignore")) || bytes.Contains(line, []byte("typeof")) || n > 1 && remark.Match(s.line(s.lines[n-2])) {
		return true
	}
	for _, n := range s.above(at) {
		switch s.tree.Kind(n) {
		case "try_statement":
			for c := range s.tree.NamedChildren(n) {
				if k := s.tree.Kind(c); k == "except_clause" || k == "catch_clause" {
					head, _, _ := bytes.Cut(s.tree.Bytes(c), []byte("\n"))
					if lacking.Match(head) {
						return true
					}
				}
			}
		case "with_statement":
			if head, _, _ := bytes.Cut(s.tree.Bytes(n), []byte("\n")); lacking.Match(head) {
				return true
			}
		case "ERROR":
			return true
		}
	}
	return false
}

var openNames = regexp.MustCompile(`\bglobals\(\)|\bexec\(|\bvars\(\)|\blocals\(\)|__builtins__|\bbuiltins\.\w+\s*=|get_ipython|\bversion_info\b|\bPY[23]\b|\bsix\b`)

// namesPython knows the builtins, and what a file is given that is run by a tool.
func namesPython(_ *project, s *text, f *ir.File) func(*use) string {
	if base := path.Base(s.record.Path); openNames.Match(s.src) || !strings.HasSuffix(base, ".py") || base == "conf.py" || base == "wscript" || base == "setup.py" {
		return nil
	}
	for i := 1; i < len(f.Imports); i++ {
		if f.String(f.Imports[i].Name) == "*" {
			return nil
		}
	}
	return func(u *use) string {
		if graph.PredeclaredPython(u.name) || u.name == "_" || strings.HasPrefix(u.name, "__") && strings.HasSuffix(u.name, "__") || u.name == "reveal_type" {
			return ""
		}
		return fmt.Sprintf("nothing is called %s here", u.name)
	}
}

// globals are the names that JavaScript, browsers, Node and frameworks for tests give to every module.
// They are those of the package globals of npm, 17.14.0.
var globals = sync.OnceValue(func() map[string]bool { return words(globalNames) })

//go:embed globals.txt
var globalNames string

var (
	moduleScript  = regexp.MustCompile(`(?m)^\s*(import|export)\b|\brequire\(|\bmodule\.exports\b|\bexports\.`)
	globalComment = regexp.MustCompile(`/\*\s*(?:globals?|eslint-env)\s+([^*]*)\*/`)
	autoImports   = regexp.MustCompile(`unplugin-auto-import|"nuxt"|\bzx\b|"@?wdio|"meteor`)
	configScript  = regexp.MustCompile(`(^|/)(\.eslintrc[\w.]*|eslint\.config\.[cm]?[jt]s|biome\.jsonc?|\.jshintrc|jest\.config\.\w+|package\.json|tsconfig[\w.-]*\.json)$`)
)

// namesScript knows the globals of JavaScript and its environments, and those that a project declares.
// Scripts that are no modules share their names with others.
func namesScript(p *project, s *text, _ *ir.File) func(*use) string {
	if !moduleScript.Match(s.src) || s.record.Traits.Declaration || bundled.Match(s.src) || len(s.src) > 0 && bytes.Count(s.src, []byte("\n")) < len(s.src)/400 {
		return nil
	}
	var told []byte
	for _, m := range globalComment.FindAllSubmatch(s.src, -1) {
		told = append(append(told, m[1]...), ' ')
	}
	declared := regexp.MustCompile(`\b(?:declare\s+(?:const|let|var|function|class|namespace|module|enum|global|abstract class)|interface|type|namespace|module|enum|class|function|infer)\s+([\w$]+)`)
	own := map[string]bool{}
	for _, m := range declared.FindAllSubmatch(s.src, -1) {
		own[string(m[1])] = true
	}
	return func(u *use) string {
		switch u.name {
		case "this", "super", "arguments", "undefined", "NaN", "Infinity", "async", "await", "yield", "of", "let", "static", "type", "get", "set", "as", "satisfies", "new", "target", "meta":
			return ""
		}
		if globals()[u.name] || own[u.name] || wordIn(told, u.name) || strings.HasPrefix(u.name, "__") || strings.HasPrefix(u.name, "$") || bytes.Contains(s.src, []byte("typeof "+u.name)) {
			return ""
		}
		if before := bytes.TrimRight(s.src[:u.start], " \t\n"); bytes.HasSuffix(before, []byte("<")) && u.name == strings.ToLower(u.name) || bytes.HasSuffix(before, []byte("</")) {
			return ""
		}
		if p.scriptGlobal(u.name) {
			return ""
		}
		return fmt.Sprintf("nothing is called %s here", u.name)
	}
}

// scriptGlobal reports whether some file of a project gives a name to all others.
func (p *project) scriptGlobal(name string) bool {
	if is, ok := p.shared[name]; ok {
		return is
	}
	is := p.makes(name)
	given := regexp.MustCompile(`\b(global|globalThis|window|self)(\.|\[["'])` + regexp.QuoteMeta(name) + `\b`)
	for at, r := range p.files {
		if is {
			break
		}
		config := configScript.MatchString(at)
		if !config && !scripts[r.Lang] && r.Lang != "vue" && r.Lang != "svelte" {
			continue
		}
		text := r.Text.All()
		if bytes.Contains(text, []byte(name)) {
			is = config && wordIn(text, name) || given.Match(text) || (r.Traits.Declaration || bytes.Contains(text, []byte("declare global"))) && wordIn(text, name)
		}
		is = is || path.Base(at) == "package.json" && autoImports.Match(text)
	}
	p.shared[name] = is
	return is
}

// namesGo knows the universe, the package and what is imported.
func namesGo(p *project, s *text, f *ir.File) func(*use) string {
	if ignoredGo.Match(s.src[:min(len(s.src), 4096)]) || strings.Contains("/"+s.record.Path, "/_") {
		return nil
	}
	pkg := p.goPackage(path.Dir(s.record.Path), f.String(f.Package))
	if pkg == nil {
		return nil
	}
	imports := map[string]string{} // what is imported, by name: its folder, "" where that is not known
	loose := 0                     // imports whose name may be another
	for i := 1; i < len(f.Imports); i++ {
		info := &f.Imports[i]
		module, alias := f.String(info.Module), f.String(info.Alias)
		if f.String(info.Name) == "*" {
			return nil
		}
		folder, name := p.goFolder(module)
		switch {
		case alias == "_":
			continue
		case alias != "":
			imports[alias] = folder
		case folder != "":
			if name == "" {
				return nil
			}
			imports[name] = folder
		default:
			guess := guessGo(module)
			imports[guess] = ""
			if first, _, _ := strings.Cut(module, "/"); strings.Contains(first, ".") && !wordIn(s.src, guess+".") {
				loose++
			}
		}
	}
	return func(u *use) string {
		member := strings.TrimPrefix(u.path, ".")
		if end := strings.IndexAny(member, ".[*"); end >= 0 {
			member = member[:end]
		}
		folder, imported := imports[u.name]
		switch {
		case imported && folder != "" && strings.HasPrefix(u.path, ".") && member != "" && member[0] >= 'A' && member[0] <= 'Z':
			if names := p.goPackage(folder, ""); names != nil && !names[member] {
				return fmt.Sprintf("package %s has no %s", u.name, member)
			}
			return ""
		case imported, pkg[u.name], graph.PredeclaredGo(u.name), u.name == "C", u.name == "iota", u.name == "nil", u.name == "_":
			return ""
		case loose > 0 && u.path != "":
			return ""
		}
		return fmt.Sprintf("nothing is called %s here", u.name)
	}
}

var versionGo = regexp.MustCompile(`^v\d+$|\.v\d+$`)

// guessGo is the name that a package is likely to have.
func guessGo(module string) string {
	base := path.Base(module)
	if versionGo.MatchString(base) && base[0] == 'v' {
		base = path.Base(path.Dir(module))
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(versionGo.ReplaceAllString(base, ""), ".go"), "go-"), "-go")
}

// goFolder returns the folder of a package of the project, "" for another one, and its name.
func (p *project) goFolder(module string) (folder, name string) {
	root, dir, ok := p.set.Claims.Go(module)
	if !ok || root == "std" || root == "cmd" {
		return "", ""
	}
	folder = strings.Trim(path.Join(dir, strings.TrimPrefix(module, root)), "/")
	if !p.hasGo(folder) || folder == "" {
		return "", ""
	}
	for _, base := range p.folders[folder] {
		if strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go") {
			r := p.files[path.Join(folder, base)]
			if r != nil && !ignoredGo.Match(r.Text.Slice(0, min(int(r.Size), 4096))) {
				return folder, declaredPackage(r.Text.All())
			}
		}
	}
	return folder, ""
}

// goPackage returns the names of a package of Go: of all its files, whatever builds have them; nil
// where they are not all known. Without a name it is the one that others import.
func (p *project) goPackage(dir, name string) map[string]bool {
	if dir == "." {
		dir = ""
	}
	key := dir + " " + name
	if names, ok := p.names[key]; ok {
		return names
	}
	names := map[string]bool{}
	for _, base := range p.folders[dir] {
		at := path.Join(dir, base)
		switch path.Ext(base) {
		case ".go":
		case ".proto", ".y", ".rl", ".templ", ".qtpl", ".swig", ".swigcxx":
			if !p.begins(dir, strings.TrimSuffix(base, path.Ext(base))+".") {
				names = nil
			}
			continue
		default:
			continue
		}
		test := strings.HasSuffix(base, "_test.go")
		u := p.unit(at)
		if u == nil {
			if r := p.files[at]; r != nil && !r.Errors && len(bytes.TrimSpace(r.Text.All())) == 0 {
				continue
			}
			names = nil
			break
		}
		if name == "" && test || name != "" && u.space != name {
			continue
		}
		for n := range u.top {
			names[n] = true
		}
	}
	if names != nil {
		for _, made := range []string{"a.pb.go", "a_gen.go", "a_string.go", "zz_generated.a.go", "generated.go", "bindata.go"} {
			if p.view.Ignored(path.Join(dir, made), false) {
				names = nil
				break
			}
		}
	}
	p.names[key] = names
	return names
}

// program reports whether a file is of code, and not of data.
func program(r *store.Record) bool {
	for i := range r.Symbols {
		if store.Runs(r.Symbols[i].Kind()) {
			return true
		}
	}
	return len(r.Lowered) > 0
}
