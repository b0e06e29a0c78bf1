package dead

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
)

var (
	goModule  = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
	goImport  = regexp.MustCompile(`^(?:import[ \t]+|[ \t]+)(?:([\pL\pN_.]+)[ \t]+)?"([\w.~/+-]+)"`)
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
	for line := range bytes.Lines(src) {
		if bytes.IndexByte(line, '"') < 0 || line[0] != 'i' && indentOf(line) == 0 {
			continue
		}
		one := goImport.FindSubmatch(line)
		if one == nil {
			continue
		}
		at, name := string(one[2]), string(one[1])
		last := path.Base(at)
		if goVersion.MatchString(last) {
			last = path.Base(path.Dir(at))
		}
		last, _, _ = strings.Cut(last, ".")
		parts := strings.Split(last, "-") // which of them is the name of the package, the path does not say
		last = parts[len(parts)-1]
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
			if name != "" {
				parts = []string{name}
			}
			for _, part := range parts {
				if part != "go" || len(parts) == 1 {
					m.bound = append(m.bound, []byte(part+"."))
				}
			}
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

// golang links a word of Go with what it may name: in its package, or qualified, and methods.
func (w *wordScan) golang(owner, id int32, at int, pos ir.Pos, h how) {
	of := &w.p.names[id]
	in := func(scope int64) {
		if spot, ok := of.in(scope); ok {
			w.name(owner, spot, pos, h)
		}
	}
	folder := func(dir int32) { in(folderScope + int64(dir)) }
	qualifier, member := qualified(w.src, at)
	if !member {
		if spot := w.own[id] - 1; spot >= 0 {
			w.name(owner, spot, pos, h)
		}
		for _, dir := range w.dots {
			folder(dir)
		}
		if spot, ok := of.in(goFamily); ok && told(w.src, at) {
			w.name(owner, spot, pos, quoted)
		}
		return
	}
	if len(of.scopes) > 0 && of.scopes[0].scope <= goFamily {
		in(goFamily)
	}
	in(ownScope + int64(w.f.dir))
	for _, other := range w.p.joined[w.f.dir] {
		in(ownScope + int64(other))
	}
	if dir, ok := w.folders[string(qualifier)]; ok {
		if w.f.record == nil {
			h = known // generated code says of what package it is
		}
		folder(dir)
		for _, other := range w.p.joined[dir] {
			folder(other)
		}
	}
}

// givenOut returns what is exported and names the type of a method, which is not exported itself: others
// may get values of it by that.
func (p *program) givenOut(one *item) string {
	if one.Kind != convention.Method || one.up < 0 || p.items[one.up].Public {
		return ""
	}
	if by, ok := p.outs[[2]int32{p.dirs[path.Dir(one.Record.Path)], p.items[one.up].name}]; ok {
		return p.items[by].Sym().Qualified()
	}
	return ""
}

// givesOut notes the names that exported types and values and the heads of exported functions of a file of Go have.
func (s *scanner) givesOut(f *file) {
	if strings.HasSuffix(f.path, "_test.go") {
		return
	}
	for i := f.first; i < f.last; i++ {
		by := &s.p.items[i]
		if !by.Public {
			continue
		}
		text := s.src[by.Sym().Start:by.Sym().End]
		if by.Code() {
			text = convention.Head(s.src, by.Sym())
		}
		_, head, _ := bytes.Cut(text, []byte(by.Sym().Name))
		for word := range bytes.FieldsFuncSeq(head, func(r rune) bool { return r < 0x80 && !inWord(byte(r)) }) {
			if name, ok := s.p.byName.get(string(word)); ok {
				s.outs[[2]int32{f.dir, name}] = i
			}
		}
	}
}

var goClause = regexp.MustCompile(`(?m)^package[ \t]+([\pL\pN_]+)`)

// clause finds the names of packages of Go, and tells the package of tests that a folder may have next to its own from
// that: names of one mean nothing in the other.
func (p *program) clause() {
	for n := range p.files {
		if f := &p.files[n]; f.record != nil && f.clause != "" && p.clauses[f.dir] == "" && !strings.HasSuffix(f.path, "_test.go") {
			p.clauses[f.dir] = f.clause
		}
	}
	for n := range p.files {
		f := &p.files[n]
		if !strings.HasSuffix(f.path, "_test.go") || !strings.HasSuffix(f.clause, "_test") || f.clause == p.clauses[f.dir] {
			continue
		}
		beside := path.Dir(f.path) + "\x00" // no path of a folder
		if _, ok := p.dirs[beside]; !ok {
			p.dirs[beside] = int32(len(p.dirs))
		}
		f.dir = p.dirs[beside]
	}
}

// clauseOf returns the name of the package in the beginning of a file of Go, "" where it is not found.
func clauseOf(text []byte) string {
	if !bytes.HasPrefix(text, []byte("package")) {
		text = text[bytes.Index(text, []byte("\npackage"))+1:]
	}
	if m := goClause.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// join finds folders that have files of each other by symbolic links. The index has such a file once, and it is of
// the packages of both.
func (p *program) join(ctx context.Context) error {
	p.joined = map[int32][]int32{}
	var dirs []string
	for dir, n := range p.dirs {
		if p.clauses[n] != "" {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	links := make([][]string, len(dirs))
	if err := each(ctx, len(dirs), func(_, i int) { links[i] = p.view.Tree.Links(dirs[i], ".go") }); err != nil {
		return err
	}
	for i, dir := range dirs {
		n := p.dirs[dir]
		for _, target := range links[i] {
			if of, ok := p.dirs[path.Dir(target)]; ok && of != n {
				p.joined[n] = append(p.joined[n], of)
				p.joined[of] = append(p.joined[of], n)
			}
		}
	}
	return nil
}

var printed = regexp.MustCompile(`(?mi)^\s*//\s*(?:unordered )?output:`)

// shown reports whether that is so of a function.
func shown(one *item) bool {
	if one.Record.Lang != "go" || one.Flags&ir.TestFunc == 0 || one.Kind != convention.Function {
		return false
	}
	s := one.Sym()
	return strings.HasPrefix(s.Name, "Example") && !printed.Match(one.Record.Text.Slice(int(s.Start), int(s.End)))
}

// told reports whether a word is a text of Go, or is called in one, as that of a program that finds methods by
// their names: then it begins with a capital letter.
func told(src []byte, at int) bool {
	end := at
	for end < len(src) && inWord(src[end]) {
		end++
	}
	if c := src[at]; c < 'A' || c > 'Z' || at == 0 || end+1 >= len(src) {
		return false
	}
	before := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
	inText := bytes.Count(before, []byte(`"`))%2 == 1 || bytes.Count(before, []byte("`"))%2 == 1
	return inText && (src[end] == '"' && src[at-1] == '"' || src[end] == '`' && src[at-1] == '`' || src[end] == '(' && src[end+1] != '%')
}
