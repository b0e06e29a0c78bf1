package dead

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var (
	opens    = regexp.MustCompile(`\bpublic\b`)
	internal = regexp.MustCompile(`\binternal\b`)
	shielded = regexp.MustCompile(`\bprotected\b`)
)

// pair finds definitions of one name of which a build has one, or which are one thing together.
func (p *program) pair() {
	type place struct {
		in     int32 // the folder, or after all of these the file; -1: the tree
		parent string
		name   string
	}
	p.twins = map[int32][]int32{}
	first := make(map[place]int32, len(p.items))
	for n := range p.files {
		f := &p.files[n]
		at := place{in: int32(len(p.dirs) + n)}
		switch f.lang {
		case "java", "kotlin", "csharp":
			continue
		case "go":
			at.in = f.dir
		}
		for i := f.first; i < f.last; i++ {
			one := &p.items[i]
			if one.Flags&ir.TestFunc != 0 || one.up >= 0 && p.items[one.up].Code() {
				continue
			}
			here := at
			here.parent, here.name = one.Sym().Parent, one.Sym().Name
			if f.family == "c" && !one.hidden {
				here.in = -1
			}
			if twin, ok := first[here]; ok {
				p.twins[twin] = append(p.twins[twin], i)
				p.twins[i] = append(p.twins[i], twin)
			} else {
				first[here] = i
			}
		}
	}
}

// hidden reports whether only the file of a symbol can name it. own says whether the file is a module.
func hidden(r *store.Record, s *store.Symbol, one *item, inside bool, own func() bool) bool {
	private := one.Flags&ir.Private != 0
	switch r.Lang {
	case "javascript", "typescript", "tsx":
		return !inside && !s.Exported && one.Kind != convention.Method && s.Parent == "" && own()
	case "java", "kotlin", "php", "c", "cpp":
		return private && !strings.HasPrefix(path.Ext(r.Path), ".h") && !(r.Lang == "php" && inTrait(r, one))
	}
	return false
}

// property reports whether a function of JavaScript is assigned to what is written with a dot.
func property(src []byte, s *store.Symbol) bool {
	head := src[s.Start:min(s.End, s.Start+200)]
	i := bytes.Index(head, []byte(s.Name))
	return i > 0 && head[i-1] == '.'
}

// inTrait reports whether an item is of a trait of PHP, whose private members are those of the classes that use it.
func inTrait(r *store.Record, one *item) bool {
	up := r.Around(one.Number)
	return up >= 0 && r.Symbols[up].Kind() == syntax.Trait
}

var included = regexp.MustCompile(`#[ \t]*include[ \t]*"(?:[^"\n]*/)?([^"/\n]+\.(?:c|cc|cpp|cxx))"`)

// includes notes the files of C with code that others include: what is private there is not theirs alone.
func (p *program) includes(r *store.Record) {
	for _, m := range included.FindAllSubmatch(r.Text.All(), -1) {
		p.included[string(m[1])] = true
	}
}

// module reports whether a file of JavaScript's languages keeps what it does not export to itself: it imports or
// exports something, is a module by its name, or is a program of its own. What a script declares is everybody's that it
// is loaded with.
func module(r *store.Record) bool {
	switch path.Ext(r.Path) {
	case ".mjs", ".cjs", ".mts", ".cts":
		return true
	}
	text := r.Text.All()
	return bytes.HasPrefix(text, []byte("#!")) || modular.Match(text) || required.Match(text) && !asks.Match(text)
}

var (
	modular  = regexp.MustCompile(`(?m)^[ \t]*(?:export|import)\b|[;}][ \t]*(?:export|import)\b`)
	required = regexp.MustCompile(`\bexports[ \t]*[.\[=]|(?:^|[^.\w$])require[ \t]*\([ \t\r\n]*["'` + "`]") // goog.require is a script's
	// asks finds code that looks whether it is loaded as a module: it may also be a script.
	asks = regexp.MustCompile(`\btypeof[ \t(]*(?:exports|module|require)\b`)
)

// within reports whether an item is written in another one, or is that: a type of the name of a
// method's type may be one that the method has.
func (p *program) within(i, of int32) bool {
	for ; i >= 0 && i != of; i = p.items[i].up {
	}
	return i == of
}

// api reports whether code that is not in the index may be meant to use an item: it is exported,
// and so is all around it, by a package that others import.
func (p *program) api(i int32, exports string) bool {
	if exports == IgnoreExports || p.testCode(i) || !p.exported(i) {
		return false
	}
	return exports == RootExports || p.packages.Library(p.items[i].Record.Path, convention.Family(p.items[i].Record.Lang))
}

// exported reports whether an item is exported, and all around it.
func (p *program) exported(i int32) bool {
	for at := i; at >= 0; at = p.items[at].up {
		one := &p.items[at]
		switch {
		case one.Kind == convention.Class && at != i && p.inherited(at):
		case one.Flags&ir.Private != 0 || one.hidden:
			return false
		case one.Public,
			one.Kind == convention.Method && one.up >= 0 && p.shielded(one),
			one.up >= 0 && p.items[one.up].Kind == convention.Class && !p.items[one.up].Public && p.lends(one):
		default:
			return false
		}
	}
	return true
}

// lends reports whether a member of a type that is not exported is itself one that others may use, where a type
// below has it. Of Go its name says so, and it counts for exported.
func (p *program) lends(one *item) bool {
	s := one.Sym()
	switch one.Record.Lang {
	case "java":
		return opens.Match(convention.Head(p.textOf(one.Record), s))
	case "python":
		return !strings.HasPrefix(s.Name, "_")
	case "kotlin":
		return !internal.Match(convention.Head(p.textOf(one.Record), s))
	case "php", "javascript", "typescript", "tsx":
		return !strings.HasPrefix(s.Name, "#")
	}
	return false
}

// inherited reports whether a type that is exported has what a type has that is not: it is below it.
func (p *program) inherited(class int32) bool {
	if p.items[class].Record.Lang == "rust" { // what has a trait gives its methods to those who know the trait
		return false
	}
	seen := map[int32]bool{class: true}
	for queue := []int32{class}; len(queue) > 0; queue = queue[1:] {
		for _, below := range p.below[queue[0]] {
			if p.items[below].Public {
				return true
			}
			if !seen[below] && len(seen) < maxAbove {
				seen[below] = true
				queue = append(queue, below)
			}
		}
	}
	return false
}

// shielded reports whether a method is there for types below its own.
func (p *program) shielded(one *item) bool {
	switch one.Record.Lang {
	case "java", "kotlin", "csharp", "php", "cpp":
		s := one.Sym()
		return shielded.Match(one.Record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+300)))
	}
	return false
}
