package graph

import (
	"path"
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

// javaProperty is a property of Kotlin that is a method of Java, unless it is a field
// that Kotlin sees.
func (e *eval) javaProperty(v value, n name, pos ir.Pos) (set, bool) {
	g := e.g
	k := g.classOf(v)
	if k == nil || !e.isKotlin() {
		return 0, false
	}
	if list, at := g.member(k, n); at >= 0 && (list[0].open || g.entities[list[0].id].file.lang.name != "java") {
		return 0, false
	}
	for _, prefix := range [...]string{"get", "is"} {
		if list := e.accessorOf(k, prefix, n); len(list) > 0 {
			e.property(list[0].id, pos)
			return e.returned(list[0].id, v, nil), true
		}
	}
	return 0, false
}

// accessorOf finds the method of Java that a property of Kotlin stands for.
func (e *eval) accessorOf(k *class, prefix string, n name) []entry {
	g := e.g
	text := g.names.text[n]
	if prefix == "is" && strings.HasPrefix(text, "is") {
		prefix = ""
	} else if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	id, ok := g.names.ids[prefix+text]
	if !ok {
		return nil
	}
	list, at := g.member(k, id)
	if at < 0 || list[0].kind != ir.FuncMember || g.entities[list[0].id].file.lang.name != "java" {
		return nil
	}
	return list
}

// kotlinProperty is a call of Java of the accessor of a property of Kotlin.
func (e *eval) kotlinProperty(c *calling, v value) (set, bool) {
	g := e.g
	text := g.names.text[c.name]
	set0, rest := false, ""
	switch {
	case strings.HasPrefix(text, "get"):
		rest = text[3:]
	case strings.HasPrefix(text, "set"):
		set0, rest = true, text[3:]
	case strings.HasPrefix(text, "is"):
		rest = "I" + text[1:]
	}
	k := g.classOf(v)
	if rest == "" || k == nil {
		return 0, false
	}
	id, ok := g.names.ids[strings.ToLower(rest[:1])+rest[1:]]
	if !ok {
		return 0, false
	}
	list, at := g.member(k, id)
	if at < 0 || g.entities[list[0].id].file.lang.name != "kotlin" {
		return 0, false
	}
	c.known = true
	if set0 {
		if len(c.args) == 1 {
			e.setMember(list, v, c.args[0].value, c.node.Pos)
		}
		return 0, true
	}
	step := g.lineOf(k)[at]
	return e.bound(list, v, &step, c.node.Pos), true
}

// facade is the file that Java knows by a class named after it: AppKt for App.kt.
func (e *eval) facade(f *file, n name) ID {
	g := e.g
	text := g.names.text[n]
	if f.lang.name != "java" || !strings.HasSuffix(text, "Kt") {
		return 0
	}
	base := strings.TrimSuffix(text, "Kt") + ".kt"
	pkgs := []ID{f.pkg}
	for i := 1; i < len(f.ir.Imports); i++ {
		if f.names[f.ir.Imports[i].Name] == n {
			pkgs = []ID{g.namespace("jvm", f.ir.String(f.ir.Imports[i].Module))}
		}
	}
	for _, pkg := range pkgs {
		for _, m := range g.bag(pkg).entries {
			if o := g.entities[m.id].file; o != nil && path.Base(o.path) == base {
				return o.id
			}
		}
	}
	return 0
}

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

// isEntries reports whether a loop over a generic type yields entries: maps, in
// Kotlin.
func (e *eval) isEntries(word string, args []set) bool {
	return len(args) == 2 && e.isKotlin() && strings.HasSuffix(word, "Map")
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

// alsoSaid adds to what a file says of its names what that means to the other
// language: the methods getX and setX of Java are the property x of Kotlin, and the
// other way round, and the functions of X.kt are in the class XKt.
func (g *Graph) alsoSaid(f *file, out map[name]uint64) {
	if f.lang.family != "jvm" {
		return
	}
	derived := map[name]uint64{}
	property := func(list []ir.Member) {
		for _, m := range list {
			if m.Kind == ir.FuncMember && f.ir.Funcs[m.Ref].Flags&(ir.Getter|ir.Setter) == 0 || m.Kind > ir.VarMember || m.Kind == ir.ClassMember {
				continue
			}
			if text := f.ir.String(m.Name); text != "" {
				upper := strings.ToUpper(text[:1]) + text[1:]
				for _, prefix := range [...]string{"get", "set", "is"} {
					derived[g.names.intern(prefix+upper)] += out[f.names[m.Name]]
				}
			}
		}
	}
	if f.lang.name == "kotlin" {
		for c := 1; c < len(f.ir.Classes); c++ {
			property(f.ir.Classes[c].Members)
		}
		derived[g.names.intern(strings.TrimSuffix(path.Base(f.path), ".kt")+"Kt")]++
	} else {
		for n, h := range out {
			text := g.names.text[n]
			if rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "get"), "set"), "is"); rest != text && rest != "" {
				derived[g.names.intern(strings.ToLower(rest[:1])+rest[1:])] += h
			}
		}
	}
	for n, h := range derived {
		out[n] += h
	}
}
