package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// getterReceiver is the receiver of a property with an accessor that the classes
// around have, or 0.
func (e *eval) getterReceiver(n name) set {
	g := e.g
	recv := set(0)
	getter := func(k *class) bool {
		list, at := g.member(k, n)
		return at >= 0 && e.isGetter(list[0])
	}
	e.enclosing(func(c ir.Class) bool {
		k := g.classes[g.canonical(e.f, c)]
		if k == nil {
			return true
		}
		if getter(k) {
			recv = g.values.single(g.selfValue(k))
		}
		_, at := g.member(k, n)
		return at < 0
	})
	if recv == 0 {
		if k := e.recvClass(e.fn); k != nil && getter(k) {
			recv = e.self(e.fn)
		}
	}
	return recv
}

// nearestClasses leaves of several classes of one name in one package those that
// share the most folders with the file: a project may hold several programs, and a
// program several versions of a class.
func (e *eval) nearestClasses(list []entry) []entry {
	if len(list) < 2 {
		return list
	}
	best, mixed := 0, false
	for i, m := range list {
		o := e.g.entities[m.id].file
		if m.kind != ir.ClassMember || o == nil {
			return list
		}
		n := sharedFolders(e.f.dir, o.dir)
		mixed = mixed || i > 0 && n != best
		best = max(best, n)
	}
	if !mixed {
		return list
	}
	var out []entry
	for _, m := range list {
		if sharedFolders(e.f.dir, e.g.entities[m.id].file.dir) == best {
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
func (e *eval) buildFree(c *calling) (set, bool) {
	s, ok := e.build(c, e.g.names.text[c.name])
	if ok {
		c.external = c.name
	}
	return s, ok
}

// callFree calls a function of the library that has no receiver.
func (e *eval) callFree(c *calling) (set, bool) {
	if s, ok := e.buildFree(c); ok {
		return s, true
	}
	text := e.g.names.text[c.name]
	if what, ok := scopeFunctions[text]; ok && len(c.args) == 1 && (what.receiver || what.same) {
		out := set(0)
		for _, v := range e.g.elems(e.self(e.fn)) {
			s, known := e.callScope(c, v)
			out, ok = e.g.union(out, s), known
		}
		if out != 0 && ok {
			return out, true
		}
	}
	if text == "with" && len(c.args) == 2 {
		out := set(0)
		known := false
		args := c.args
		c.args = args[1:]
		for _, v := range e.g.elems(args[0].value) {
			s, ok := e.callScope(c, v)
			out, known = e.g.union(out, s), known || ok
		}
		c.args = args
		return out, known
	}
	return 0, false
}
