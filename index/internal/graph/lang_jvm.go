package graph

import "github.com/quarry-search/quarry/index/internal/ir"

// constructorRef is the name of the value of C::new: a generic form whose argument
// is the class.
const constructorRef = "<constructor>"

// isJVM reports whether the code that is evaluated is Java or Kotlin.
func (e *eval) isJVM() bool { return e.f.lang.family == "jvm" }

// constructorOf is C::new as a value.
func (e *eval) constructorOf(v value) set { return e.generic(constructorRef, e.g.values.single(v)) }

// callFunctional calls a function value by the method of whatever functional
// interface it has become an instance of.
func (e *eval) callFunctional(c *calling, v value, all set) set {
	g := e.g
	switch g.names.text[c.name] {
	case "andThen", "compose", "negate", "and", "or", "reversed", "thenComparing", "equals", "hashCode", "toString", "getClass":
		c.external = c.name
		return e.outside(c, v)
	}
	for _, w := range g.elems(all) {
		k := g.classOf(w)
		if k == nil {
			continue
		}
		for _, m := range g.find(&k.bag, c.name) {
			if fn := g.fn(m.id); fn != nil && fn.Flags&ir.Abstract == 0 {
				return 0 // a default method of the interface, not the function
			}
		}
	}
	return e.invoke(c, v, ByFlow)
}

// constructAnonymous makes an instance of a class without a name: what runs is the
// constructor of its base, or nothing if that is an interface.
func (e *eval) constructAnonymous(c *calling, k *class, made value) {
	g := e.g
	for _, b := range k.bases {
		for _, v := range g.elems(b.values) {
			up := g.classOf(v)
			if up == nil || up.info.Kind == ir.Interface {
				continue
			}
			if list := e.constructorsIn(up); len(list) > 0 {
				e.makeWith(c, list, made)
			} else {
				c.hits = append(c.hits, hit{up.id, ByConstructor, false})
			}
		}
	}
	c.known = true
}

// isAnonymous reports whether a class is one that is written where it is made: it
// has no name, or that of the constant of an enum.
func (c *class) isAnonymous(g *Graph) bool {
	if c.info.Name == 0 {
		return true
	}
	for _, b := range c.bases {
		for _, v := range g.elems(b.values) {
			if up := g.classOf(v); up != nil && up.info.Kind == ir.Enum {
				return true
			}
		}
	}
	return false
}

// universal is a member that a class has without a declaration: those of the root
// classes, and what the compiler adds. typed is what it gives, where that is known.
func (e *eval) universal(k *class, v value, n name) (path string, typed set, ok bool) {
	if e.f.lang.family == "csharp" {
		return e.csharpUniversal(k, v, n)
	}
	g := e.g
	root := "Object"
	if e.f.lang.name == "kotlin" {
		root = "Any"
	}
	text := g.names.text[n]
	switch text {
	case "toString", "hashCode", "equals", "getClass", "notify", "notifyAll", "wait", "clone", "finalize", "javaClass":
		return root + "." + text, 0, true
	}
	if k.info.Kind == ir.Enum {
		one := g.values.single(g.self(k, vDecl))
		switch text {
		case "values", "entries":
			return "Enum." + text, e.generic("list", one), true
		case "valueOf":
			return "Enum." + text, one, true
		case "name", "ordinal", "compareTo", "getDeclaringClass":
			return "Enum." + text, 0, true
		}
	}
	return "", 0, false
}

// callUniversal calls a member that is not declared. ok is false when the class has
// none of the name.
func (e *eval) callUniversal(c *calling, k *class, v value) (set, bool) {
	if !e.isJVM() && e.f.lang.family != "csharp" {
		return 0, false
	}
	path, typed, ok := e.universal(k, v, c.name)
	if !ok {
		return 0, false
	}
	c.external = e.g.names.intern(path)
	return e.g.union(typed, e.outside(c, 0)), true
}

// freeOutside is what a call of a name is that nothing in the index has: a method
// of a base outside of it, one of all objects, or of what is imported statically.
func (e *eval) freeOutside(c *calling) (set, bool) {
	if !e.isJVM() && e.f.lang.family != "csharp" {
		return 0, false
	}
	g := e.g
	path := name(0)
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

// sameParams leaves of overloads of one name those that declare the same types of
// parameters as a method above them, if there are any.
func (g *Graph) sameParams(list []entry, above *ir.FuncInfo, in *file) []entry {
	var same []entry
	for _, m := range list {
		fn := g.fn(m.id)
		if fn == nil || len(fn.Params) != len(above.Params) {
			continue
		}
		f, equal := g.entities[m.id].file, true
		for i := range fn.Params {
			equal = equal && f.varTypes[fn.Params[i].Var] == in.varTypes[above.Params[i].Var]
		}
		if equal {
			same = append(same, m)
		}
	}
	if len(same) == 0 {
		return list
	}
	return same
}
