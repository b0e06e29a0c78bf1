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
	p.twins = map[int32][]int32{}
	first := map[[2]string]int32{}
	var last *store.Record
	outer := false // its file is of the package of tests next to another
	for i := range p.items {
		one := &p.items[i]
		if one.flags&ir.TestFunc != 0 || one.up >= 0 && p.items[one.up].code() {
			continue
		}
		s := one.sym()
		where := one.record.Path
		switch one.record.Lang {
		case "java", "kotlin", "csharp":
			continue
		case "go":
			where = path.Dir(where)
			if one.record != last {
				last = one.record
				outer = false
				if strings.HasSuffix(last.Path, "_test.go") {
					m := goClause.FindSubmatch(last.Text.Slice(0, 16<<10))
					outer = m != nil && bytes.HasSuffix(m[1], []byte("_test"))
				}
			}
			if outer {
				where += "_test"
			}
		case "c", "cpp":
			if !one.hidden {
				where = ""
			}
		}
		key := [2]string{where, s.Qualified()}
		if at, ok := first[key]; ok {
			p.twins[at] = append(p.twins[at], int32(i))
			p.twins[int32(i)] = append(p.twins[int32(i)], at)
		} else {
			first[key] = int32(i)
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
