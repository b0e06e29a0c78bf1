package resolve

import (
	_ "embed" // library.txt, interfaces.txt
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// ranged is what a variable of a range clause takes from a value: the first of two,
// or the only one, if key is set. ok is false where all languages do the same.
func ranged(e *eval.Evaluator, v pointsto.Value, key bool) (s pointsto.Set, ok bool) {
	g := e.Family
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Generic:
		args := g.Args(i.Args)
		switch g.Names.Text[i.ID] {
		case "list":
			return 0, key
		case "chan":
			if len(args) > 0 && key {
				return e.Stored(i.ID, args[0]), true
			}
		case "func":
			return yielded(e, args, key), true
		}
	case pointsto.Inst:
		// A number of a named type counts in that type.
		if c := g.ClassOf(v); key && c != nil && c.Target != 0 && g.OnlyExternal(c.Target) && len(g.Elems(c.Target)) == 1 {
			if t := g.Values.Info[g.Elems(c.Target)[0]]; t.Kind == pointsto.External {
				return g.Values.Single(v), true
			}
		}
	case pointsto.Func, pointsto.Bound:
		fn := g.Func(edge.ID(i.ID))
		if fn == nil || len(fn.Params) != 1 {
			return 0, true
		}
		f := g.Entities[i.ID].File
		for _, t := range g.Elems(f.VarTypes[fn.Params[0].Var]) {
			if j := g.Values.Info[t]; j.Kind == pointsto.Generic {
				s = g.Union(s, yielded(e, []pointsto.Set{g.Values.Single(t)}, key))
			}
		}
		return s, true
	}
	return 0, false
}

// yielded is what an iterator function with these parameters passes to the loop.
func yielded(e *eval.Evaluator, params []pointsto.Set, key bool) pointsto.Set {
	g := e.Family
	if len(params) == 0 {
		return 0
	}
	out := pointsto.Set(0)
	for _, v := range g.Elems(params[0]) {
		i := g.Values.Info[v]
		args := g.Args(i.Args)
		if i.Kind != pointsto.Generic || g.Names.Text[i.ID] != "func" {
			continue
		}
		switch {
		case key && len(args) > 1:
			out = g.Union(out, args[0])
		case !key && len(args) > 2:
			out = g.Union(out, args[1])
		}
	}
	return out
}

// embeddedGeneric is the generic type outside of the index that a struct embeds,
// as the struct instantiates it, or 0.
func embeddedGeneric(e *eval.Evaluator, recv pointsto.Value, c *program.Class) pointsto.Value {
	g := e.Family
	for _, s := range g.MRO(c) {
		for _, b := range s.Class.Bases {
			for _, v := range g.Elems(b.Values) {
				if g.Values.Info[v].Kind == pointsto.Generic {
					v = g.SubstValue(v, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(s.As, s.Class, p) })
					return g.SubstValue(v, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, c, p) })
				}
			}
		}
	}
	return 0
}

//go:embed library.txt
var libraryText string

// models say what the functions of packages return, by the package.
var models = library.MustParse(libraryText)

// goLibrary is what the functions of the packages slices and maps return: they are
// made of what they get. 0 for all others.
func goLibrary(e *eval.Evaluator, c *eval.Call) pointsto.Set {
	if len(c.Args) == 0 {
		return 0
	}
	path := strings.TrimPrefix(e.Family.Names.Text[c.External], "golang.org/x/exp/")
	pkg, fn, _ := strings.Cut(path, ".")
	s, _ := models[pkg].Apply(e, fn, &meaning{e, c})
	return s
}

// A meaning is what the words of the models mean at a call.
type meaning struct {
	e *eval.Evaluator
	c *eval.Call
}

// Call calls nothing: what the functions among the arguments get is not followed.
func (m *meaning) Call(string, []pointsto.Set) pointsto.Set { return 0 }

// Word is what a word means.
func (m *meaning) Word(word string, _ []pointsto.Set) (pointsto.Set, bool) {
	e, g := m.e, m.e.Family
	out := pointsto.Set(0)
	switch word {
	case "arg0":
		out = m.c.Arg(0)
	case "elem":
		out = e.Elements(m.c.Arg(0), nil)
	case "key":
		out, _ = m.mapped()
	case "val":
		_, out = m.mapped()
	case "rest", "lists":
		for _, a := range m.c.Args[1:] {
			s := a.Value
			if word == "lists" {
				s = e.Generic("list", s)
			}
			out = g.Union(out, s)
		}
	default:
		return 0, false
	}
	return out, true
}

// mapped are the keys and the elements of the map that the first argument is.
func (m *meaning) mapped() (keys, elems pointsto.Set) {
	g := m.e.Family
	for _, v := range g.Elems(m.c.Arg(0)) {
		for _, w := range append(g.Elems(targetOf(g, v)), v) {
			if args := g.Args(g.Values.Info[w].Args); len(args) == 2 {
				keys, elems = g.Union(keys, args[0]), g.Union(elems, m.e.Stored(g.Values.Info[w].ID, args[1]))
			}
		}
	}
	return keys, elems
}

// targetOf is what the named type of a value is made of.
func targetOf(g *program.Family, v pointsto.Value) pointsto.Set {
	if c := g.ClassOf(v); c != nil {
		return c.Target
	}
	return 0
}

//go:embed interfaces.txt
var interfacesText string

// interfaces are those of Go's library, by path and name.
var interfaces = sync.OnceValue(func() map[string]map[string]program.Arity {
	all := map[string]map[string]program.Arity{}
	for line := range strings.Lines(interfacesText) {
		name, list, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		methods := map[string]program.Arity{}
		for _, m := range strings.Fields(list) {
			of, counts, _ := strings.Cut(m, "/")
			params, results, _ := strings.Cut(counts, "/")
			var a program.Arity
			a.Params, _ = strconv.Atoi(params)
			a.Results, _ = strconv.Atoi(results)
			methods[of] = a
		}
		all[name] = methods
	}
	return all
})

// Methods are the names of those of an interface of Go's library, by its path and name; nil: there is no such one that
// any type can implement.
func Methods(name string) []string { return slices.Sorted(maps.Keys(interfaces()[name])) }
