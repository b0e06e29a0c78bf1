// Package resolve has what is special about Java and Kotlin, which see each other's classes:
// functional interfaces, the collections of their libraries, and Kotlin's extensions,
// properties and lambdas with receivers.
package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is Java and Kotlin.
var Family = program.Languages{Name: "jvm", Names: map[string]string{"java": "java", "kotlin": "kotlin"}, Make: newJVM}

// jvm is what Java and Kotlin have in common.
type jvm struct {
	plain.Default
	takers map[intern.Name]higherOrder // how functions of Kotlin of a name take functions
}

// java is the Language.
type java struct{ jvm }

func newJVM() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.FlatPackages, t.ImplicitThis = program.ByName, true, true
	t.ClassCode, t.Root, t.OverridesByType, t.Constructors = true, "Object", true, []string{"<new>"}
	t.Typed = true
	t.Overloads, t.InheritsOverloads, t.Functional, t.MethodRefs = true, true, true, true
	ofJava := t
	ofJava.Separate = true
	t.TopProperties, t.CallMakes, t.Callable, t.Extends = true, true, []string{"invoke"}, true
	all := map[intern.Name]higherOrder{}
	return map[string]*program.Lang{
		"java":   {Traits: ofJava, ModuleRules: &java{jvm{takers: all}}},
		"kotlin": {Traits: t, ModuleRules: &kotlin{jvm{takers: all}}},
	}
}

// Resolve finds a package, or what is in one.
func (*jvm) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	return g.ResolveNamed(f, i)
}

// constructorOf is C::new as a value.
func constructorOf(e *eval.Evaluator, v pointsto.Value) pointsto.Set {
	return e.Generic(program.ConstructorRef, e.Family.Values.Single(v))
}

// callFunctional calls a function value by the method of whatever functional
// interface it has become an instance of.
func callFunctional(e *eval.Evaluator, c *eval.Call, v pointsto.Value, all pointsto.Set) pointsto.Set {
	g := e.Family
	switch g.Names.Text[c.Name] {
	case "andThen", "compose", "negate", "and", "or", "reversed", "thenComparing", "equals", "hashCode", "toString", "getClass":
		c.External = c.Name
		return e.Outside(c, v)
	}
	for _, w := range g.Elems(all) {
		k := g.ClassOf(w)
		if k == nil {
			continue
		}
		for _, m := range g.Declared(k, c.Name) {
			if fn := g.Func(m.ID); fn != nil && fn.Flags&ir.Abstract == 0 {
				return 0 // a default method of the interface, not the function
			}
		}
	}
	return e.Invoke(c, v, edge.ByFlow)
}

// constructAnonymous makes an instance of a class without a name: what runs is the
// constructor of its base, or nothing if that is an interface.
func constructAnonymous(e *eval.Evaluator, c *eval.Call, k *program.Class, made pointsto.Value) {
	g := e.Family
	for _, b := range k.Bases {
		for _, v := range g.Elems(b.Values) {
			up := g.ClassOf(v)
			if up == nil || up.Info.Kind == ir.Interface {
				continue
			}
			if list := e.Family.ConstructorsIn(up); len(list) > 0 {
				e.MakeWith(c, list, made)
			} else {
				c.Add(up.ID, edge.ByConstructor, false)
			}
		}
	}
	c.Known = true
}

// isAnonymous reports whether a class is one that is written where it is made: it
// has no name, or that of the constant of an enum.
func isAnonymous(c *program.Class, g *program.Family) bool {
	if c.Info.Name == 0 {
		return true
	}
	for _, b := range c.Bases {
		for _, v := range g.Elems(b.Values) {
			if up := g.ClassOf(v); up != nil && up.Info.Kind == ir.Enum {
				return true
			}
		}
	}
	return false
}

// jvmUniversal is a member that a class has without a declaration: those of the root
// classes, the first of which is root, and what the compiler adds. typed is what it gives, where that is known.
func jvmUniversal(e *eval.Evaluator, root string, k *program.Class, n intern.Name) (path string, typed pointsto.Set, ok bool) {
	g := e.Family
	text := g.Names.Text[n]
	switch text {
	case "toString", "hashCode", "equals", "getClass", "notify", "notifyAll", "wait", "clone", "finalize", "javaClass":
		return root + "." + text, 0, true
	}
	if k != nil && k.Info.Kind == ir.Enum {
		one := g.Values.Single(g.Self(k, pointsto.Decl))
		switch text {
		case "values", "entries":
			return "Enum." + text, e.Generic("list", one), true
		case "valueOf":
			return "Enum." + text, one, true
		case "name", "ordinal", "compareTo", "getDeclaringClass":
			return "Enum." + text, 0, true
		}
	}
	return "", 0, false
}

// Universal is a member of Object, or of an enum.
func (*java) Universal(e *eval.Evaluator, k *program.Class, _ pointsto.Value, n intern.Name) (path string, typed pointsto.Set, ok bool) {
	return jvmUniversal(e, "Object", k, n)
}

// CallUndeclared calls the accessor of a property of Kotlin, or what all objects have.
func (*java) CallUndeclared(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, _ int) (pointsto.Set, bool) {
	if s, ok := kotlinProperty(e, c, v); ok {
		return s, true
	}
	return e.CallUniversal(c, k, v)
}

// CallOn calls a function by the method of the interface that it has become an instance of.
func (*jvm) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, all pointsto.Set) (pointsto.Set, bool) {
	switch e.Family.Values.Info[v].Kind {
	case pointsto.Many:
		c.Many = true
		if path, _, ok := e.Lang.Universal(e, nil, v, c.Name); ok {
			c.External = e.Family.Names.Intern(path)
		}
		return 0, true
	case pointsto.Func, pointsto.Bound:
		return callFunctional(e, c, v, all), true
	}
	return 0, false
}

// Construct makes an instance of a class that is written where it is made.
func (*jvm) Construct(e *eval.Evaluator, c *eval.Call, k *program.Class, made pointsto.Value) bool {
	if !isAnonymous(k, e.Family) {
		return false
	}
	constructAnonymous(e, c, k, made)
	return true
}

// ClassMember is C::new.
func (*jvm) ClassMember(e *eval.Evaluator, v pointsto.Value, _ *program.Class, n intern.Name) (pointsto.Set, bool) {
	if e.Family.Names.Text[n] != "new" {
		return 0, false
	}
	return constructorOf(e, v), true
}

// Item is a half of a pair.
func (*jvm) Item(e *eval.Evaluator, v pointsto.Value, key string) (pointsto.Set, bool) {
	i := e.Family.Values.Info[v]
	if args := e.Family.Args(i.Args); len(args) == 2 && len(key) == 1 {
		switch e.Family.NameOf(i) {
		case "Entry", "Pair", "IndexedValue":
			return args[min(1, int(key[0]-'0'))], true
		}
	}
	return 0, false
}

// Suits says how well a function suits a functional interface, and a text, a number or a
// class any type.
func (*jvm) Suits(e *eval.Evaluator, d, v pointsto.Info, up *program.Class) (int, bool) {
	if n, ok := suitsFinal(e, d, v); ok {
		return n, true
	}
	if v.Kind != pointsto.Func && v.Kind != pointsto.Bound || up == nil && (d.Kind != pointsto.External && d.Kind != pointsto.Generic || e.Family.IsFunctionType(d)) {
		return 0, false
	}
	return suitsFunction(e, d, up, edge.ID(v.ID)), true
}

// ContextOf is for functional interfaces of the library.
func (*jvm) ContextOf(e *eval.Evaluator, s pointsto.Set, declared pointsto.Info, with program.Substitution) {
	contextualLibrary(e, s, declared, with)
}

// NearestClasses are those that share the most folders with the file.
func (*jvm) NearestClasses(e *eval.Evaluator, list []program.Entry) []program.Entry {
	return nearestClasses(e, list)
}

// Beyond finds the file that Java knows by a class, or the first segment of a package.
func (*jvm) Beyond(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	g := e.Family
	if file := facade(e, f, n); file != 0 {
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(file)}), true, edge.ByScope, true
	}
	if sub := g.Lookspace(g.Namespace(f.Lang.Family, ""), n); sub != 0 {
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), false, edge.ByScope, true
	}
	return 0, false, 0, false
}

// CallLibrary calls a method of the library, or makes one of its containers.
func (*java) CallLibrary(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	return callOutside(e, c, v)
}

// MissingProperty is what the compiler adds, or the instance of an object of Kotlin.
func (*java) MissingProperty(e *eval.Evaluator, v pointsto.Value, n intern.Name, _ ir.Pos) (pointsto.Set, bool) {
	k, typed, ok := enumField(e, v, n)
	if ok || k == nil {
		return typed, ok
	}
	if k.Info.Kind == ir.Singleton && e.Family.Names.Text[n] == "INSTANCE" {
		return e.Family.Values.Single(v), true
	}
	return 0, false
}

// FreeCall calls a function of the library that makes something, a method of a base
// outside of the index, or one of all objects.
func (*java) FreeCall(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	if s, ok := buildFree(e, c); ok {
		return s, true
	}
	return library.CallInherited(e, c)
}

// callOutside calls what the library has for values of any kind, or of this one.
func callOutside(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	if s, ok := callLibrary(e, c, v); ok {
		if c.External == 0 {
			c.External = c.Name
		}
		return s, true
	}
	if c.External != 0 {
		return build(e, c, e.Family.Names.Text[c.External])
	}
	return 0, false
}

// enumField is a property that the compiler adds to an enum. It also returns the class of
// the value.
func enumField(e *eval.Evaluator, v pointsto.Value, n intern.Name) (k *program.Class, typed pointsto.Set, ok bool) {
	g := e.Family
	k = g.ClassOf(v)
	if k == nil {
		return nil, 0, false
	}
	if g.Values.Info[v].Kind == pointsto.Class || k.Info.Kind == ir.Enum {
		if path, typed, ok := e.Lang.Universal(e, k, v, n); ok && typed != 0 {
			return k, typed, path != ""
		}
	}
	return k, 0, false
}
