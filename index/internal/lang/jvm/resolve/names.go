package resolve

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// getterReceiver is the receiver of a property with an accessor that the classes
// around have, or 0.
func getterReceiver(e *eval.Evaluator, n intern.Name) pointsto.Set {
	g := e.Family
	recv := pointsto.Set(0)
	getter := func(k *program.Class) bool {
		list, at := g.Member(k, n)
		return at >= 0 && e.IsGetter(list[0])
	}
	e.Enclosing(func(c ir.Class) bool {
		k := g.Classes[g.Canonical(e.File, c)]
		if k == nil {
			return true
		}
		if getter(k) {
			recv = g.Values.Single(program.SelfValue(g, k))
		}
		_, at := g.Member(k, n)
		return at < 0
	})
	if recv == 0 {
		if k := e.RecvClass(e.Func); k != nil && getter(k) {
			recv = e.Self(e.Func)
		}
	}
	return recv
}

// nearestClasses leaves of several classes of one name in one package those that
// share the most folders with the file: a project may hold several programs, and a
// program several versions of a class.
func nearestClasses(e *eval.Evaluator, list []program.Entry) []program.Entry {
	if len(list) < 2 {
		return list
	}
	best, mixed := 0, false
	for i, m := range list {
		o := e.Family.Entities[m.ID].File
		if m.Kind != ir.ClassMember || o == nil {
			return list
		}
		n := sharedFolders(e.File.Dir, o.Dir)
		mixed = mixed || i > 0 && n != best
		best = max(best, n)
	}
	if !mixed {
		return list
	}
	var out []program.Entry
	for _, m := range list {
		if sharedFolders(e.File.Dir, e.Family.Entities[m.ID].File.Dir) == best {
			out = append(out, m)
		}
	}
	return out
}

// sharedFolders is the number of folders that two paths begin with.
func sharedFolders(a, b string) int {
	n := 0
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, "/")
		y, b, _ = strings.Cut(b, "/")
		if x != y {
			break
		}
		n++
	}
	return n
}

// buildFree calls a function of the library that makes a container of its arguments.
func buildFree(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	s, ok := build(e, c, e.Family.Names.Text[c.Name])
	if ok {
		c.External = c.Name
	}
	return s, ok
}

// callFree calls a function of the library that has no receiver.
func callFree(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	if s, ok := buildFree(e, c); ok {
		return s, true
	}
	text := e.Family.Names.Text[c.Name]
	if what, ok := scopeFunctions[text]; ok && len(c.Args) == 1 && (what.receiver || what.same) {
		out := pointsto.Set(0)
		for _, v := range e.Family.Elems(e.Self(e.Func)) {
			s, known := callScope(e, c, v)
			out, ok = e.Family.Union(out, s), known
		}
		if out != 0 && ok {
			return out, true
		}
	}
	if text == "with" && len(c.Args) == 2 {
		out := pointsto.Set(0)
		known := false
		args := c.Args
		c.Args = args[1:]
		for _, v := range e.Family.Elems(args[0].Value) {
			s, ok := callScope(e, c, v)
			out, known = e.Family.Union(out, s), known || ok
		}
		c.Args = args
		return out, known
	}
	return 0, false
}
