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
	"github.com/quarry-search/quarry/index/internal/source"
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

// unsure is said of a name of a file that may have more names than can be seen.
const unsure = "?"

// names returns the names of a file that mean nothing.
func (l *look) names(s *text, root *walk.Graph) (found []Finding) {
	f := l.project().lowered(s.record.Path)
	if f == nil {
		return nil
	}
	known := namers[s.record.Lang](l.project(), s, f)
	if known == nil {
		l.left[left{lack: moreNames}]++
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
		if why == unsure {
			l.left[left{lack: moreNames}]++
			return nil
		}
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
	if base := path.Base(s.record.Path); !strings.HasSuffix(base, ".py") || base == "conf.py" || base == "wscript" || base == "setup.py" {
		return nil
	}
	for i := 1; i < len(f.Imports); i++ {
		if f.String(f.Imports[i].Name) == "*" {
			return nil
		}
	}
	asked, open := false, false
	return func(u *use) string {
		if graph.PredeclaredPython(u.name) || u.name == "_" || strings.HasPrefix(u.name, "__") && strings.HasSuffix(u.name, "__") || u.name == "reveal_type" {
			return ""
		}
		if !asked {
			asked, open = true, openNames.Match(s.src)
		}
		if open {
			return unsure
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
	moduleScript  = regexp.MustCompile(`(?m)^\s*(import|export)\b`)
	declares      = regexp.MustCompile(`\b(?:declare\s+(?:const|let|var|function|class|namespace|module|enum|global|abstract class)|interface|type|namespace|module|enum|class|function|infer)\s+([\w$]+)`)
	globalComment = regexp.MustCompile(`/\*\s*(?:globals?|eslint-env)\s+([^*]*)\*/`)
	autoImports   = regexp.MustCompile(`unplugin-auto-import|"nuxt"|"zx"|"@?wdio|"meteor`)
	configScript  = regexp.MustCompile(`(^|/)(\.eslintrc[\w.]*|eslint[\w.-]*\.[cm]?[jt]s|biome\.jsonc?|\.jshintrc|package\.json|(jest|karma|rollup|webpack|vite|vitest|esbuild|tsup)[\w.-]*\.\w+)$`)
)

// namesScript knows the globals of JavaScript and its environments, and those that a project declares.
// Scripts that are no modules share their names with others.
func namesScript(p *project, s *text, _ *ir.File) func(*use) string {
	if s.record.Traits.Declaration || !isModule(s.src) || len(s.src) > 0 && bytes.Count(s.src, []byte("\n")) < len(s.src)/400 {
		return nil
	}
	var told []byte
	own := map[string]bool{}
	asked, bundle := false, false
	return func(u *use) string {
		if globals()[u.name] {
			return ""
		}
		if !asked {
			asked, bundle = true, bundled.Match(s.src)
			for _, m := range globalComment.FindAllSubmatch(s.src, -1) {
				told = append(append(told, m[1]...), ' ')
			}
			for _, m := range declares.FindAllSubmatch(s.src, -1) {
				own[string(m[1])] = true
			}
		}
		switch u.name {
		case "this", "super", "arguments", "undefined", "NaN", "Infinity", "async", "await", "yield", "of", "let", "static", "type", "get", "set", "as", "satisfies", "new", "target", "meta":
			return ""
		}
		if bundle {
			return unsure
		}
		if own[u.name] || wordIn(told, u.name) || strings.HasPrefix(u.name, "__") || strings.HasPrefix(u.name, "$") || bytes.Contains(s.src, []byte("typeof "+u.name)) {
			return ""
		}
		if before := bytes.TrimRight(s.src[:u.start], " \t\n"); bytes.HasSuffix(before, []byte("<")) && u.name == strings.ToLower(u.name) || bytes.HasSuffix(before, []byte("</")) {
			return ""
		}
		if p.scriptGlobal(u.name) || p.importsThemselves(source.Dir(s.record.Path)) {
			return ""
		}
		return fmt.Sprintf("nothing is called %s here", u.name)
	}
}

// scriptGlobal reports whether some file of a project gives a name to all others.
func (p *project) scriptGlobal(name string) bool {
	return p.once("global "+name, func() bool { return p.givesAll(name) })
}

func (p *project) givesAll(name string) bool {
	is := false
	given := regexp.MustCompile(`\b(global|globalThis|window|self)(\.|\[["'])` + regexp.QuoteMeta(name) + `\b`)
	key := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `["']?\s*:\s*(true|false|["'](readonly|readable|writable|writeable|off)|JSON\.stringify|process\.env)`) // of what a linter or a bundler is told
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
			is = config && key.Match(text) || given.Match(text) || (r.Traits.Declaration && !moduleScript.Match(text) || bytes.Contains(text, []byte("declare global"))) && wordIn(text, name)
		}
	}
	return is
}

// importsThemselves reports whether a package of npm that a folder is in has tools that import by
// themselves what a file names.
func (p *project) importsThemselves(dir string) bool {
	for ; ; dir = source.Dir(dir) {
		at := path.Join(dir, "package.json")
		if r := p.files[at]; r != nil && p.once("auto "+at, func() bool { return autoImports.Match(r.Text.All()) }) {
			return true
		}
		if dir == "" {
			return false
		}
	}
}

// isModule reports whether a script is a module: it imports or exports.
func isModule(src []byte) bool {
	for _, word := range []string{"require(", "module.exports", "exports."} {
		if bytes.Contains(src, []byte(word)) {
			return true
		}
	}
	return (bytes.Contains(src, []byte("import")) || bytes.Contains(src, []byte("export"))) && moduleScript.Match(src)
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
