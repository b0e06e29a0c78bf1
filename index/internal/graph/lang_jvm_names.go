package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// freeOutside is what a call of a name is that nothing in the index has: a method
// of a base outside of it, one of all objects, or of what is imported statically.
func (e *eval) freeOutside(c *calling) (set, bool) {
	if !e.isJVM() && e.f.lang.family != "csharp" {
		return 0, false
	}
	g := e.g
	path := name(0)
	if s, ok := e.callFree(c); ok {
		return s, true
	}
	e.enclosing(func(c1 ir.Class) bool {
		k := g.classes[g.canonical(e.f, c1)]
		if k == nil {
			return true
		}
		for _, s := range g.lineOf(k) {
			if !s.class.foreign {
				continue
			}
			for _, v := range g.elems(e.foreignBase(s.class, c.name)) {
				if i := g.values.info[v]; i.kind == vExternal && path == 0 {
					path = name(i.id)
				}
			}
		}
		return path == 0
	})
	if path == 0 {
		if only := e.onlyStar(); only != "" {
			path = g.names.intern(only + "." + g.names.text[c.name])
		}
	}
	if path == 0 {
		e.enclosing(func(c1 ir.Class) bool {
			if k := g.classes[g.canonical(e.f, c1)]; k != nil && path == 0 {
				if p, _, ok := e.universal(k, 0, c.name); ok {
					path = g.names.intern(p)
				}
			}
			return path == 0
		})
	}
	if path == 0 {
		return 0, false
	}
	c.external = path
	return e.outside(c, 0), true
}

// onlyStar is the class outside the index whose static members the file imports all
// of, if there is just one.
func (e *eval) onlyStar() string {
	only := ""
	for i := 1; i < len(e.f.ir.Imports); i++ {
		info := &e.f.ir.Imports[i]
		if info.Flags&ir.StaticName == 0 || e.f.ir.String(info.Name) != "*" || len(e.f.targets[i].in) > 0 {
			continue
		}
		if only != "" {
			return ""
		}
		only = e.f.ir.String(info.Module)
	}
	return only
}

// callFree calls a function of the library that has no receiver.
func (e *eval) callFree(c *calling) (set, bool) {
	text := e.g.names.text[c.name]
	if s, ok := e.build(c, text); ok {
		c.external = c.name
		return s, true
	}
	if what, ok := scopeFunctions[text]; ok && len(c.args) == 1 && e.isKotlin() && (what.receiver || what.same) {
		out := set(0)
		for _, v := range e.g.elems(e.self(e.fn)) {
			s, known := e.callScope(c, v)
			out, ok = e.g.union(out, s), known
		}
		if out != 0 && ok {
			return out, true
		}
	}
	if text == "with" && len(c.args) == 2 && e.isKotlin() {
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

// noMethods leaves the methods of the name out of what a name can mean that is not
// called.
func (e *eval) noMethods(s set, n name) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		if i := g.values.info[v]; (i.kind == vFunc || i.kind == vBound) && g.entities[i.id].name == n {
			continue
		}
		out = g.union(out, g.values.single(v))
	}
	return out
}

// candidates are the members of one name that a call can mean.
func (e *eval) candidates(list []entry, args []argument) []entry {
	switch {
	case len(list) == 0:
	case e.f.lang.separate:
		for i, m := range list {
			if m.kind != ir.FuncMember {
				return list[:i] // functions come first
			}
		}
	case e.isKotlin():
		return e.membersFirst(list, args)
	}
	return list
}

// nameValue is a name that is read: a property may run code, or belong to the
// receiver of a lambda.
func (e *eval) nameValue(n *ir.Node) (set, Rule) {
	nm := e.f.names[n.Name]
	if e.isKotlin() {
		if recv, pending := e.lambdaReceiver(nm); recv != 0 || pending {
			return e.attrAt(recv, nm, n.Pos), ByType
		}
		if recv := e.getterReceiver(nm); recv != 0 {
			return e.attrAt(recv, nm, n.Pos), BySelf
		}
	}
	e.readAt = n.Pos
	s, _, rule := e.named(n)
	e.readAt = 0
	if e.f.lang.separate {
		s = e.noMethods(s, nm)
	}
	return s, rule
}

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
	if len(list) < 2 || e.f == nil || !e.isJVM() {
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
