package dead

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var (
	goModule  = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
	goImport  = regexp.MustCompile(`(?m)^(?:import[ \t]+|[ \t]+)(?:([\w.]+)[ \t]+)?"([\w.~/+-]+)"`)
	goVersion = regexp.MustCompile(`^v\d+$`)
)

// A goModuleAt is a module of Go.
type goModuleAt struct{ path, dir string }

// module notes the module that a go.mod describes.
func (p *program) module(f *file) {
	if path.Base(f.path) != "go.mod" || f.record == nil {
		return
	}
	if m := goModule.FindSubmatch(f.record.Text.All()); m != nil {
		p.modules = append(p.modules, goModuleAt{string(m[1]), path.Dir(f.path)})
	}
}

// imports are what a file of Go imports.
type imports struct {
	folders map[string]int32 // packages of the index, by the name that they have in the file
	bound   [][]byte         // how names of others are qualified, with the dot
	dots    []int32          // folders whose names need no qualifier
	fills   bool             // it fills in templates, which call what they have the names of
}

// importsOf reads the imports of a file.
func (p *program) importsOf(src []byte) (m imports) {
	m.folders = map[string]int32{}
	for _, first := range []string{"\nfunc ", "\ntype ", "\nvar ", "\nconst "} { // imports come before
		if i := bytes.Index(src, []byte(first)); i >= 0 {
			src = src[:i]
		}
	}
	for _, one := range goImport.FindAllSubmatch(src, 400) {
		at, name := string(one[2]), string(one[1])
		last := path.Base(at)
		if goVersion.MatchString(last) {
			last = path.Base(path.Dir(at))
		}
		last, _, _ = strings.Cut(strings.TrimPrefix(last, "go-"), ".")
		last = last[strings.LastIndexByte(last, '-')+1:]
		dir, ok := p.folder(at)
		m.fills = m.fills || at == "text/template" || at == "html/template"
		switch {
		case name == "_":
		case ok && name == ".":
			m.dots = append(m.dots, dir)
		case ok && name != "":
			m.folders[name] = dir
		case ok:
			if own := p.clauses[dir]; own != "" {
				last = own
			}
			m.folders[last] = dir
		case strings.Contains(at, "."): // else it is of the standard library, whose interfaces are known
			if name == "" {
				name = last
			}
			m.bound = append(m.bound, []byte(name+"."))
		}
	}
	return m
}

// folder returns the number of the folder that an import path leads to.
func (p *program) folder(at string) (int32, bool) {
	for _, m := range p.modules {
		rest, ok := strings.CutPrefix(at, m.path)
		if m.path == "std" {
			rest, ok = "/"+at, true
		}
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if dir, known := p.dirs[path.Join(m.dir, rest)]; known && p.clauses[dir] != "" {
			return dir, true
		}
	}
	return 0, false
}

// givenOut returns an exported function by which others get values of the type of a method, which is not
// exported itself.
func (p *program) givenOut(one *item) string {
	if one.kind != method || one.up < 0 || p.items[one.up].public {
		return ""
	}
	if p.outs == nil {
		p.outs = map[string]string{}
		for i := range p.items {
			by := &p.items[i]
			if s := by.sym(); by.record.Lang == "go" && by.code() && by.public && !strings.HasSuffix(by.record.Path, "_test.go") {
				_, head, _ := bytes.Cut(headOf(by.record.Text.All(), s), []byte(s.Name))
				for _, word := range goLocal.FindAll(head, -1) {
					p.outs[path.Dir(by.record.Path)+":"+string(word)] = s.Qualified()
				}
			}
		}
	}
	return p.outs[path.Dir(one.record.Path)+":"+p.items[one.up].sym().Name]
}

// goLocal finds names that are not exported.
var goLocal = regexp.MustCompile(`\b[\p{Ll}_][\pL\d_]*`)

var goClause = regexp.MustCompile(`(?m)^package[ \t]+(\w+)`)

// clause notes the name of the package that a file of Go is of.
func (p *program) clause(f *file) {
	if f.family == "go" && f.record != nil && p.clauses[f.dir] == "" && !strings.HasSuffix(f.path, "_test.go") {
		if m := goClause.FindSubmatch(f.record.Text.Slice(0, 16<<10)); m != nil {
			p.clauses[f.dir] = string(m[1])
		}
	}
}

// join finds folders that have files of each other by symbolic links. The index has such a file once, and it is of
// the packages of both.
func (p *program) join() {
	p.joined = map[int32][]int32{}
	for dir, n := range p.dirs {
		if p.clauses[n] == "" {
			continue
		}
		for _, target := range p.view.Tree.Links(dir, ".go") {
			if of, ok := p.dirs[path.Dir(target)]; ok && of != n {
				p.joined[n] = append(p.joined[n], of)
				p.joined[of] = append(p.joined[of], n)
			}
		}
	}
}

var printed = regexp.MustCompile(`(?mi)^\s*//\s*(?:unordered )?output:`)

// shown reports whether a function is an example of Go that is not run, for it does not say what it prints.
func shown(one *item) bool {
	if one.record.Lang != "go" || one.flags&ir.TestFunc == 0 || one.kind != function {
		return false
	}
	s := one.sym()
	return strings.HasPrefix(s.Name, "Example") && !printed.Match(one.record.Text.Slice(int(s.Start), int(s.End)))
}
