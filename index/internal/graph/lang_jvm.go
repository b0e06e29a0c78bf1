package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// constructorRef is the name of the value of C::new: a generic form whose argument
// is the class.
const constructorRef = "<constructor>"

// isKotlin reports whether the code that is evaluated is Kotlin.
func (e *eval) isKotlin() bool { return e.f != nil && e.f.lang.name == "kotlin" }

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
		for _, m := range g.declared(k, c.name) {
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
func (c *class) isAnonymous(g *family) bool {
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
	if k != nil && k.info.Kind == ir.Enum {
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
	switch {
	case e.f.lang.family == "php":
		return e.phpMissing(c, k, v)
	case !e.isJVM() && e.f.lang.family != "csharp":
		return 0, false
	}
	g := e.g
	if e.isKotlin() {
		if s, ok := e.callOutside(c, v); ok {
			return s, true
		}
		if g.names.text[c.name] == "copy" {
			c.external = c.name
			return g.values.single(v), true
		}
	} else if s, ok := e.kotlinProperty(c, v); ok {
		return s, true
	}
	path, typed, ok := e.universal(k, v, c.name)
	if !ok {
		return 0, false
	}
	c.external = g.names.intern(path)
	return g.union(typed, e.outside(c, 0)), true
}

// callOutside calls what the library has for values of any kind, or of this one.
func (e *eval) callOutside(c *calling, v value) (set, bool) {
	if !e.isJVM() {
		return 0, false
	}
	g := e.g
	if s, ok := e.callScope(c, v); ok {
		return s, true
	}
	if s, ok := e.callLibrary(c, v); ok {
		if c.external == 0 {
			c.external = c.name
		}
		return s, true
	}
	if c.external != 0 {
		if s, ok := e.build(c, g.names.text[c.external]); ok {
			return s, true
		}
	}
	if !e.isKotlin() {
		return 0, false
	}
	if k := g.values.info[v].kind; k == vInst || k == vDecl || k == vParam {
		if list := e.extensionsOfAll(c.name); len(list) > 0 {
			return e.callValues(c, e.bound(list, v, nil, 0), ByType), true
		}
	}
	if g.names.text[c.name] == "to" && len(c.args) == 1 {
		c.external = c.name
		return e.generic("Pair", g.values.single(v), c.args[0].value), true
	}
	return 0, false
}

// universalField is a property that is not declared: what the compiler adds, and
// what a class of Java has by its methods.
func (e *eval) universalField(v value, n name, pos ir.Pos) (set, bool) {
	if e.f == nil || !e.isJVM() {
		return 0, false
	}
	g := e.g
	k := g.classOf(v)
	if k == nil {
		return 0, false
	}
	if g.values.info[v].kind == vClass || k.info.Kind == ir.Enum {
		if path, typed, ok := e.universal(k, v, n); ok && typed != 0 {
			return typed, path != ""
		}
	}
	if e.isKotlin() {
		if list := e.extensionsOfAll(n); len(list) > 0 {
			return e.bound(list, v, nil, pos), true
		}
	} else if k.info.Kind == ir.Singleton && g.names.text[n] == "INSTANCE" {
		return g.values.single(v), true
	}
	return 0, false
}

// sameParams leaves of overloads of one name those that declare the same types of
// parameters as a method above them, if there are any.
func (g *family) sameParams(list []entry, above *ir.FuncInfo, in *file) []entry {
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

// isEntries reports whether a loop over a generic type yields entries: maps, in
// Kotlin.
func (e *eval) isEntries(word string, args []set) bool {
	return len(args) == 2 && e.isKotlin() && strings.HasSuffix(word, "Map")
}
