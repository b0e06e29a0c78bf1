package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// traitOf is the trait that an impl block implements with a member; 0 for members of
// a type's own, and of traits.
func (g *family) traitOf(m entry) set {
	part := g.classes[g.entities[m.id].outer]
	if part == nil || part.info.Kind != ir.Extends || len(part.own) == 0 {
		return 0
	}
	return part.own[0].values
}

// implementsTrait reports whether a member implements one of a trait.
func (g *family) implementsTrait(m entry, trait value) bool {
	want := g.values.info[trait]
	for _, v := range g.elems(g.traitOf(m)) {
		i := g.values.info[v]
		if k := g.classOf(v); k != nil && k == g.classOf(trait) || i.id == want.id && k == nil && want.kind != vClass {
			return true
		}
	}
	return false
}

// ownFirst leaves of the members of one name those of the type itself, if there are
// any: they come before those of traits.
func (g *family) ownFirst(list []entry) []entry {
	if len(list) < 2 {
		return list
	}
	var own []entry
	for _, m := range list {
		if m.kind == ir.FuncMember && g.traitOf(m) == 0 {
			own = append(own, m)
		}
	}
	if len(own) > 0 {
		return own
	}
	return list
}

// Call resolves a call that the rules of Rust decide: of a macro, and of a path
// that names a trait. ok is false for others.
func (l *rust) Call(e *eval, c *calling, fn *ir.Node, recv set) (set, bool) {
	if c.node.Flags&ir.Macro != 0 {
		return l.callMacro(e, c, fn, recv), true
	}
	if fn.Op != ir.Attr || fn.Flags&ir.Path == 0 {
		return 0, false
	}
	at := &e.f.ir.Exprs[fn.A]
	if at.Op != ir.Apply || e.f.ir.String(at.Name) != "as" { // <T as Trait>::f
		return 0, false
	}
	c.name = e.f.names[fn.Name]
	selves := e.typ(e.f.ir.Args[at.Lo].X)
	out := set(0)
	for _, trait := range e.g.elems(recv) {
		out = e.g.union(out, e.callTrait(c, trait, selves))
	}
	return out, true
}

// callPath calls a member by the path of a type or trait. ok is false where the
// type has at most one member of the name.
func (e *eval) callPath(c *calling, v value) (set, bool) {
	g := e.g
	k := g.classOf(v)
	if k == nil {
		return 0, false
	}
	if k.info.Kind == ir.Alias {
		return e.callAlias(c, k)
	}
	list, at := g.member(k, c.name)
	if at < 0 {
		return e.derived(c, k, v, true)
	}
	if list[0].kind != ir.FuncMember {
		return 0, false
	}
	hasSelf := g.fn(list[0].id).Self != 0
	if k.info.Kind == ir.Trait {
		selves := set(0)
		if hasSelf && len(c.args) > 0 {
			selves = c.args[0].value
		}
		return e.callTrait(c, v, selves), true
	}
	if list = g.ownFirst(list); len(list) < 2 {
		if len(list) == 1 && at == 0 {
			return e.invoke(c, g.values.intern(valueInfo{kind: vFunc, id: uint32(list[0].id)}), ByType), true
		}
		return 0, false
	}
	args := c.args
	if hasSelf && len(args) > 0 {
		c.args = args[1:]
	}
	chosen, possible := e.overload(c, list)
	c.args = args
	out := set(0)
	for _, m := range chosen {
		if possible {
			c.hits = append(c.hits, hit{m.id, ByOverload, true})
			out = g.union(out, e.returned(m.id, 0, nil))
			continue
		}
		out = g.union(out, e.invoke(c, g.values.intern(valueInfo{kind: vFunc, id: uint32(m.id)}), ByType))
	}
	return out, true
}

// callAlias calls a member by an alias, or by an associated type, which is an alias
// of what bounds it.
func (e *eval) callAlias(c *calling, k *class) (set, bool) {
	g := e.g
	out, found := set(0), false
	for _, w := range g.elems(g.aliased(k)) {
		if up := g.classOf(w); up != nil && up != k && up.info.Kind != ir.Alias {
			out, found = g.union(out, e.callOn(c, g.values.intern(valueInfo{kind: vClass, id: uint32(up.id)}), 0, ByType)), true
		} else if up == nil {
			out, found = g.union(out, e.callOn(c, w, 0, ByType)), true
		}
	}
	return out, found
}

// callTrait calls a function of a trait on the types that implement it: those of
// the values in selves, or all where nothing is known of them.
func (e *eval) callTrait(c *calling, trait value, selves set) set {
	g := e.g
	k := g.classOf(trait)
	var own []entry
	if k != nil {
		own, _ = g.member(k, c.name)
	}
	args := c.args
	if len(own) > 0 && own[0].kind == ir.FuncMember && g.fn(own[0].id).Self != 0 && len(args) > 0 {
		c.args = args[1:]
		defer func() { c.args = args }()
	}
	out, known := set(0), false
	for _, v := range g.elems(selves) {
		switch g.values.info[v].kind {
		case vParam:
			for _, b := range g.elems(e.boundOf(g.values.info[v])) {
				if up := g.classOf(b); up != nil && up.info.Kind == ir.Trait {
					out, known = g.union(out, e.callInstance(c, b, up, 0, selves, ByType)), true
				}
			}
		case vInst, vDecl:
			s, ok := e.callAs(c, trait, v, selves)
			out, known = g.union(out, s), known || ok
		case vExternal, vGeneric:
			b := g.foreign[name(g.values.info[v].id)]
			if b == nil {
				continue
			}
			for _, m := range g.find(b, c.name) {
				if g.implementsTrait(m, trait) {
					out, known = g.union(out, e.invoke(c, g.values.intern(valueInfo{kind: vBound, id: uint32(m.id), base: v}), ByType)), true
				}
			}
		}
	}
	switch {
	case known:
	case k != nil && k.info.Kind == ir.Trait:
		out = e.callInstance(c, g.self(k, vDecl), k, 0, 0, ByType)
	case k == nil:
		i := g.values.info[trait]
		if i.kind == vExternal || i.kind == vGeneric {
			c.external = g.names.intern(g.names.text[i.id] + "." + g.names.text[c.name])
			out = e.outside(c, 0)
		}
	}
	return out
}

// callAs calls what an instance's class has for a function of a trait.
func (e *eval) callAs(c *calling, trait, v value, all set) (set, bool) {
	g := e.g
	k, up := g.classOf(v), g.classOf(trait)
	if k == nil {
		return 0, false
	}
	if k == up || k.abstract() {
		return e.callInstance(c, v, k, 0, all, ByType), true
	}
	for i := range g.lineOf(k) {
		at := &g.lineOf(k)[i]
		out, found := set(0), false
		for _, m := range g.declared(at.class, c.name) {
			if m.kind == ir.FuncMember && (g.implementsTrait(m, trait) || at.class == up) {
				out, found = g.union(out, e.callMethod(c, m, receiver{v, k, at, all, true}, ByType, false)), true
			}
		}
		if found {
			return out, true
		}
	}
	return 0, false
}

// CallMissing calls a method that the type of an instance does not have itself: it
// may have it by Deref, as an iterator, or by a trait that is derived.
func (*rust) CallMissing(e *eval, c *calling, k *class, recv value, _ int, rule Rule) (set, bool) {
	g := e.g
	if s := e.derefed(recv, k); s != 0 {
		return e.callMember(c, s, rule), true
	}
	if s, ok := e.derived(c, k, recv, false); ok {
		return s, true
	}
	if next, at := g.member(k, g.names.intern("next")); at >= 0 && next[0].kind == ir.FuncMember && k.foreign {
		elem := e.await(e.returned(next[0].id, recv, nil))
		c.external = g.names.intern("Iterator." + g.names.text[c.name])
		return e.outside(c, g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern("list"))}, []set{elem})), true
	}
	return 0, false
}

// derefed is what an instance stands for, by an implementation of Deref.
func (e *eval) derefed(recv value, k *class) set {
	list, at := e.g.member(k, e.g.names.intern("deref"))
	if at < 0 || list[0].kind != ir.FuncMember || e.g.depth > maxNesting/2 {
		return 0
	}
	out := set(0)
	for _, v := range e.g.elems(e.returned(list[0].id, recv, nil)) {
		if e.g.classOf(v) != k {
			out = e.g.union(out, e.g.values.single(v))
		}
	}
	return out
}

// derivedMethods are methods of traits that derive makes, or the standard library
// for every type, and what they give: the value itself, or nothing that is known.
var derivedMethods = map[string]struct {
	trait string
	same  bool
}{
	"clone": {"Clone", true}, "to_owned": {"ToOwned", true}, "borrow": {"Borrow", true}, "borrow_mut": {"BorrowMut", true},
	"as_ref": {"AsRef", true}, "as_mut": {"AsMut", true}, "by_ref": {"Iterator", true}, "upgrade": {"Weak", true},
	"as_ptr": {"NonNull", true}, "as_mut_ptr": {"NonNull", true}, "as_deref": {"Deref", true}, "as_deref_mut": {"DerefMut", true}, "into": {"Into", false},
	"try_into": {"TryInto", false}, "to_string": {"ToString", false}, "eq": {"PartialEq", false}, "ne": {"PartialEq", false},
	"cmp": {"Ord", false}, "partial_cmp": {"PartialOrd", false}, "lt": {"PartialOrd", false}, "le": {"PartialOrd", false},
	"gt": {"PartialOrd", false}, "ge": {"PartialOrd", false}, "max": {"Ord", true}, "min": {"Ord", true}, "clamp": {"Ord", true},
	"hash": {"Hash", false}, "fmt": {"Debug", false}, "type_id": {"Any", false}, "clone_from": {"Clone", false},
	"default": {"Default", true}, "from": {"From", true}, "try_from": {"TryFrom", true},
}

// derived calls a method of such a trait that the files do not implement.
func (e *eval) derived(c *calling, k *class, v value, static bool) (set, bool) {
	g := e.g
	d, ok := derivedMethods[g.names.text[c.name]]
	if !ok || k.info.Kind == ir.Trait && static {
		return 0, false
	}
	c.external = g.names.intern(d.trait + "." + g.names.text[c.name])
	if !d.same {
		return 0, true
	}
	if static {
		return g.values.single(g.values.intern(valueInfo{kind: vInst, id: uint32(k.id)})), true
	}
	return g.values.single(v), true
}

// AsSelf puts the receiver in the place of Self in what a method of a trait
// returned.
func (*rust) AsSelf(e *eval, s set, trait *class, recv value) set {
	g := e.g
	if trait.info.Kind != ir.Trait {
		return s
	}
	out := set(0)
	for _, v := range g.elems(s) {
		if i := g.values.info[v]; i.kind == vDecl && ID(i.id) == trait.id {
			v = recv
		}
		out = g.union(out, g.values.single(v))
	}
	return out
}

// callMacro calls a macro: one of the module or of those that a use brings, then
// one of the package, for the scope of macros is the text that follows, through
// all modules.
func (l *rust) callMacro(e *eval, c *calling, fn *ir.Node, recv set) set {
	g := e.g
	c.name, c.reason = e.f.names[fn.Name], UnknownMember
	s := set(0)
	switch fn.Op {
	case ir.Name:
		s, _, _ = e.free(c.name)
	case ir.Attr:
		s = e.attrValues(recv, c.name)
	default:
		s = e.eval(c.node.A)
	}
	var found []ID
	for _, v := range g.elems(s) {
		switch i := g.values.info[v]; {
		case i.kind == vFunc && g.fn(ID(i.id)) != nil && g.fn(ID(i.id)).Flags&ir.MacroFunc != 0:
			found = append(found, ID(i.id))
		case i.kind == vExternal:
			c.external = name(i.id)
		}
	}
	if imported := c.external != 0 && g.names.text[c.external] != g.names.text[c.name]; len(found) == 0 && !imported {
		if id := l.macroNamed(g, e.f, c.name); id != 0 {
			found = append(found, id)
		}
	}
	if len(found) == 0 && c.external == 0 && fn.Op == ir.Name {
		c.external = c.name // a function of the name is another thing
	}
	for _, id := range found {
		e.invoke(c, g.values.intern(valueInfo{kind: vFunc, id: uint32(id)}), ByMacro)
	}
	return 0
}

// macroNamed finds a macro by its name alone: the nearest one of the package, or one
// that another package exports.
func (l *rust) macroNamed(g *family, f *file, n name) ID {
	if l.macros == nil {
		l.macros = map[name][]ID{}
		for _, p := range g.paths() {
			o := g.files[p]
			for i := 2; i < len(o.ir.Funcs); i++ {
				if info := &o.ir.Funcs[i]; info.Flags&ir.MacroFunc != 0 && info.Outer == 0 {
					l.macros[o.names[info.Name]] = append(l.macros[o.names[info.Name]], o.funcs[i])
				}
			}
		}
	}
	var paths, others []string
	for _, id := range l.macros[n] {
		o := g.entities[id].file
		switch {
		case l.crateOf(g, o) == l.crateOf(g, f):
			paths = append(paths, o.path)
		case slices.ContainsFunc(o.ir.Top, func(m ir.Member) bool { return m.Exported && m.Kind == ir.FuncMember && o.funcs[m.Ref] == id }):
			others = append(others, o.path)
		}
	}
	if len(paths) == 0 {
		paths = others
	}
	at := g.nearest(f, paths)
	for _, id := range l.macros[n] {
		if at != 0 && g.entities[id].file.id == at {
			return id
		}
	}
	return 0
}

// CallOn calls a member by the path of a type or trait.
func (*rust) CallOn(e *eval, c *calling, v value, _ set) (set, bool) {
	if e.g.values.info[v].kind != vClass {
		return 0, false
	}
	return e.callPath(c, v)
}

// Narrow leaves the members of a type itself. Those of one trait are told apart by types.
func (*rust) Narrow(g *family, list []entry) (rest []entry, overloaded bool) {
	list = g.ownFirst(list)
	return list, len(list) > 0 && g.traitOf(list[0]) != 0
}

// Invokes reports whether a call can mean a function: macros have names of their own, and
// a literal is no call.
func (*rust) Invokes(c *calling, fn *ir.FuncInfo) bool {
	return !(c.quiet && c.forNew) && (fn.Flags&ir.MacroFunc != 0) == (c.node.Flags&ir.Macro != 0)
}

// LibraryType is a type of the standard library.
func (*rust) LibraryType(e *eval, path name, args []set) set { return e.rustType(path, args) }

// Outside is what the standard library does.
func (*rust) Outside(e *eval, c *calling, recv value) (set, bool) { return e.rustCall(c, recv), true }

// Elements is what a loop gives.
func (*rust) Elements(e *eval, v value, n *ir.Node) (set, bool) {
	g := e.g
	switch i := g.values.info[v]; i.kind {
	case vGeneric:
		args, word := g.args(i.args), g.names.text[i.id]
		switch {
		case len(args) == 0 || e.wantsKey(n):
		case len(args) == 2 && word == "map":
			return e.generic("tuple", args...), true
		case word == "Result":
			return args[0], true
		}
	case vInst, vDecl:
		if c := g.classOf(v); c != nil && c.target == 0 {
			return e.rustYields(v, c), true
		}
	}
	return 0, false
}
