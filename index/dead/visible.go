package dead

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// pair finds definitions of one name of which a build has one, or which are one thing together.
func (p *program) pair() {
	type place struct {
		in     int32 // the folder, or after all of these the file; -1: the tree
		outer  bool  // it is of the package of tests next to another
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
			at.in, at.outer = f.dir, strings.HasSuffix(f.path, "_test.go") && strings.HasSuffix(f.clause, "_test")
		}
		for i := f.first; i < f.last; i++ {
			one := &p.items[i]
			if one.flags&ir.TestFunc != 0 || one.up >= 0 && p.items[one.up].code() {
				continue
			}
			here := at
			here.parent, here.name = one.sym().Parent, one.sym().Name
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

// hidden reports whether only the file of a symbol can name it.
func hidden(r *store.Record, s *store.Symbol, one *item, inside bool) bool {
	private := one.flags&ir.Private != 0
	switch r.Lang {
	case "javascript", "typescript", "tsx":
		return !inside && !s.Exported && one.kind != method && s.Parent == "" && module(r)
	case "java", "kotlin", "php", "c", "cpp":
		return private && !strings.HasPrefix(path.Ext(r.Path), ".h")
	}
	return false
}

// property reports whether a function of JavaScript is assigned to what is written with a dot.
func property(src []byte, s *store.Symbol) bool {
	head := src[s.Start:min(s.End, s.Start+200)]
	i := bytes.Index(head, []byte(s.Name))
	return i > 0 && head[i-1] == '.'
}

// module reports whether a file of JavaScript keeps what it does not export to itself.
func module(r *store.Record) bool {
	if r.Lang != "javascript" {
		return true
	}
	text := r.Text.All()
	return slices.ContainsFunc([]string{"export ", "import ", "exports", "require("}, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// within reports whether an item is written in another one, or is that: a type of the name of a
// method's type may be one that the method has.
func (p *program) within(i, of int32) bool {
	for ; i >= 0 && i != of; i = p.items[i].up {
	}
	return i == of
}
