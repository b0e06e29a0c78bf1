package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// suitsFunction says how well a function as an argument suits a declared type.
func (e *eval) suitsFunction(d valueInfo, up *class, id ID) int {
	g := e.g
	fn := g.fn(id)
	if fn == nil {
		return 0
	}
	n := len(fn.Params)
	free := fn.Name != 0 && fn.Class != 0 // C::method may have its receiver as first argument
	if n == 1 && g.entities[id].file.ir.String(fn.Params[0].Name) == "it" {
		free = true // a lambda of Kotlin with no or one parameter
	}
	want := -1
	if up != nil {
		if !up.abstract() {
			return -1
		}
		for _, m := range up.bag.entries {
			if f := g.fn(m.id); f != nil && f.Flags&ir.Abstract != 0 {
				want = len(f.Params)
			}
		}
	} else if params, ok := g.functionalOf(d); ok {
		want = len(params)
	} else {
		switch text := g.names.text[d.id]; {
		case literalWords[text] != "" || text == "list" || text == "map" || text == "Class" || text == "KClass":
			return -1
		case text == "Object" || text == "Any":
			return 0
		}
		return 0
	}
	if want >= 0 && want != n && !free {
		return -1
	}
	return 1
}

// contextualLibrary gives the parameters of functions the types that a functional
// interface of the library has as arguments.
func (e *eval) contextualLibrary(s set, d valueInfo, with func(valueInfo) (set, bool)) {
	g := e.g
	params, ok := g.functionalOf(d)
	if !ok {
		return
	}
	args := g.args(d.args)
	for _, v := range g.elems(s) {
		vi := g.values.info[v]
		if vi.kind != vFunc && vi.kind != vBound {
			continue
		}
		for p, at := range params {
			if at < 0 || at >= len(args) {
				continue
			}
			t := args[at]
			if with != nil {
				t = g.subst(t, with)
			}
			e.pass(ID(vi.id), p, t)
		}
	}
}
