package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

var jvmFamily = langFamily{name: "jvm", names: map[string]string{"java": "java", "kotlin": "kotlin"}, make: newJVM}

// jvm is what Java and Kotlin have in common.
type jvm struct{ Default }

// java is the Language.
type java struct{ jvm }

func newJVM() map[string]*lang {
	var t traits
	t.pack, t.flatPackages, t.implicitThis = byName, true, true
	t.classCode, t.root, t.overridesByType, t.constructors = true, "Object", true, []string{"<new>"}
	t.typed = true
	t.overloads, t.functional, t.methodRefs = true, true, true
	ofJava := t
	ofJava.separate = true
	t.topProperties, t.callMakes, t.callable = true, true, []string{"invoke"}
	return map[string]*lang{"java": {traits: ofJava, Language: &java{}}, "kotlin": {traits: t, Language: &kotlin{}}}
}

// Resolve finds a package, or what is in one.
func (*jvm) Resolve(g *family, f *file, i *ir.ImportInfo) target { return g.resolveNamed(f, i) }

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

// jvmUniversal is a member that a class has without a declaration: those of the root
// classes, the first of which is root, and what the compiler adds. typed is what it gives, where that is known.
func (e *eval) jvmUniversal(root string, k *class, n name) (path string, typed set, ok bool) {
	g := e.g
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

// Universal is a member of Object, or of an enum.
func (*java) Universal(e *eval, k *class, _ value, n name) (path string, typed set, ok bool) {
	return e.jvmUniversal("Object", k, n)
}

// CallUndeclared calls the accessor of a property of Kotlin, or what all objects have.
func (*java) CallUndeclared(e *eval, c *calling, k *class, v value, _ int) (set, bool) {
	if s, ok := e.kotlinProperty(c, v); ok {
		return s, true
	}
	return e.callUniversal(c, k, v)
}

// CallOn calls a function by the method of the interface that it has become an instance of.
func (*jvm) CallOn(e *eval, c *calling, v value, all set) (set, bool) {
	switch e.g.values.info[v].kind {
	case vMany:
		c.many = true
		if path, _, ok := e.f.lang.Universal(e, nil, v, c.name); ok {
			c.external = e.g.names.intern(path)
		}
		return 0, true
	case vFunc, vBound:
		return e.callFunctional(c, v, all), true
	}
	return 0, false
}

// Construct makes an instance of a class that is written where it is made.
func (*jvm) Construct(e *eval, c *calling, k *class, made value) bool {
	if !k.isAnonymous(e.g) {
		return false
	}
	e.constructAnonymous(c, k, made)
	return true
}

// ClassMember is C::new.
func (*jvm) ClassMember(e *eval, v value, _ *class, n name) (set, bool) {
	if e.g.names.text[n] != "new" {
		return 0, false
	}
	return e.constructorOf(v), true
}

// Item is a half of a pair.
func (*jvm) Item(e *eval, v value, key string) (set, bool) {
	i := e.g.values.info[v]
	if args := e.g.args(i.args); len(args) == 2 && len(key) == 1 {
		switch e.g.names.text[i.id] {
		case "Entry", "Pair", "IndexedValue":
			return args[min(1, int(key[0]-'0'))], true
		}
	}
	return 0, false
}

// Suits says how well a function suits a functional interface.
func (*jvm) Suits(e *eval, d, v valueInfo, up *class) (int, bool) {
	if v.kind != vFunc && v.kind != vBound || up == nil && (d.kind != vExternal && d.kind != vGeneric || e.g.isFunctionType(d)) {
		return 0, false
	}
	return e.suitsFunction(d, up, ID(v.id)), true
}

// ContextOf is for functional interfaces of the library.
func (*jvm) ContextOf(e *eval, s set, declared valueInfo, with substitution) {
	e.contextualLibrary(s, declared, with)
}

// NearestClasses are those that share the most folders with the file.
func (*jvm) NearestClasses(e *eval, list []entry) []entry { return e.nearestClasses(list) }

// Beyond finds the file that Java knows by a class, or the first segment of a package.
func (*jvm) Beyond(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool) {
	g := e.g
	if file := e.facade(f, n); file != 0 {
		return e.single(valueInfo{kind: vModule, id: uint32(file)}), true, ByScope, true
	}
	if sub := g.lookspace(g.namespace(f.lang.family, ""), n); sub != 0 {
		return e.single(valueInfo{kind: vModule, id: uint32(sub)}), false, ByScope, true
	}
	return 0, false, 0, false
}

// CallLibrary calls a method of the library, or makes one of its containers.
func (*java) CallLibrary(e *eval, c *calling, v value) (set, bool) { return e.callOutside(c, v) }

// MissingProperty is what the compiler adds, or the instance of an object of Kotlin.
func (*java) MissingProperty(e *eval, v value, n name, _ ir.Pos) (set, bool) {
	k, typed, ok := e.enumField(v, n)
	if ok || k == nil {
		return typed, ok
	}
	if k.info.Kind == ir.Singleton && e.g.names.text[n] == "INSTANCE" {
		return e.g.values.single(v), true
	}
	return 0, false
}

// FreeCall calls a function of the library that makes something, a method of a base
// outside of the index, or one of all objects.
func (*java) FreeCall(e *eval, c *calling) (set, bool) {
	if s, ok := e.buildFree(c); ok {
		return s, true
	}
	return e.callInherited(c)
}

// callOutside calls what the library has for values of any kind, or of this one.
func (e *eval) callOutside(c *calling, v value) (set, bool) {
	if s, ok := e.callLibrary(c, v); ok {
		if c.external == 0 {
			c.external = c.name
		}
		return s, true
	}
	if c.external != 0 {
		return e.build(c, e.g.names.text[c.external])
	}
	return 0, false
}

// enumField is a property that the compiler adds to an enum. It also returns the class of
// the value.
func (e *eval) enumField(v value, n name) (k *class, typed set, ok bool) {
	g := e.g
	k = g.classOf(v)
	if k == nil {
		return nil, 0, false
	}
	if g.values.info[v].kind == vClass || k.info.Kind == ir.Enum {
		if path, typed, ok := e.f.lang.Universal(e, k, v, n); ok && typed != 0 {
			return k, typed, path != ""
		}
	}
	return k, 0, false
}
