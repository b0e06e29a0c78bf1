package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// maxChain bounds the length of a chain of imports and re-exports.
const maxChain = 16

// enclosing calls yield for each class around what is evaluated, innermost first.
func (e *eval) enclosing(yield func(c ir.Class) bool) {
	f := e.f.ir
	c := e.class
	if c == 0 && e.fn != 0 {
		c = classAround(f, e.fn)
	}
	for range maxNesting {
		if c == 0 || !yield(c) {
			return
		}
		info := &f.Classes[c]
		if info.Outer != 0 {
			c = info.Outer
		} else if info.Func != 0 {
			c = classAround(f, info.Func)
		} else {
			return
		}
	}
}

// implicitClass is the class whose members are in scope without "this", or nil.
func (e *eval) implicitClass() *class {
	if !e.f.lang.implicitThis {
		return nil
	}
	var found *class
	e.enclosing(func(c ir.Class) bool {
		found = e.g.classes[e.g.canonical(e.f, c)]
		return false
	})
	if found == nil {
		found = e.recvClass(e.fn)
	}
	return found
}

// recvClass is the class that a function written outside of it is a method of.
func (e *eval) recvClass(fn ir.Func) *class {
	for range maxNesting {
		if fn == 0 {
			return nil
		}
		info := &e.f.ir.Funcs[fn]
		if info.Recv != 0 {
			for _, v := range e.g.elems(e.f.recv[fn]) {
				if c := e.g.classOf(v); c != nil {
					return c
				}
			}
			return nil
		}
		fn = info.Outer
	}
	return nil
}

// free finds what a name means that is no local variable. found is false when
// nothing in the index has it; the values may be empty all the same.
func (e *eval) free(n name) (s set, found bool, rule Rule) { return e.inScope(n, false) }

// freeType is free where types are meant: members that are no types are out of
// sight there, and nested classes are in scope in every language.
func (e *eval) freeType(n name) (s set, found bool, rule Rule) { return e.inScope(n, true) }

func (e *eval) inScope(n name, types bool) (s set, found bool, rule Rule) {
	if e.deeper() {
		return 0, false, 0
	}
	defer e.shallower()
	g, f := e.g, e.f.ir
	if s, ok := e.typeParam(n); ok {
		return s, true, ByScope
	}
	if s, ok := e.f.lang.Special(e, g.names.text[n]); ok {
		return s, true, ByScope
	}
	done := false
	module := e.f.id
	if e.f.lang.tagNames {
		was := e.types
		e.types = types
		defer func() { e.types = was }()
	}
	if e.f.lang.implicitThis {
		if s, rule, done = e.inReceiver(n, types); done {
			return s, true, rule
		}
	}
	e.enclosing(func(c ir.Class) bool {
		info := &f.Classes[c]
		if info.Kind == ir.Namespace {
			ns := g.spaceOf(e.f, c)
			if module = ns; e.f.lang.closedModules {
				return false
			}
			if e.f.lang.pack == byName {
				s, done = e.inNamespace(c, n)
				rule = ByScope
			} else if list := e.inSpace(ns, n); len(list) > 0 {
				s, done, rule = e.entries(list, 0), true, ByScope
			} else if sub := g.lookspace(ns, n); sub != 0 {
				s, done, rule = e.single(valueInfo{kind: vModule, id: uint32(sub)}), true, ByScope
			}
			return !done
		}
		k := g.classes[g.canonical(e.f, c)]
		if k == nil {
			return true
		}
		if types {
			if s = e.nestedType(k, n); s != 0 {
				done, rule = true, ByScope
				return false
			}
		} else if e.f.lang.implicitThis {
			s, done = e.memberByName(k, n)
		}
		if !done && g.names.text[n] == g.names.text[g.entities[k.id].name] && (info.Func != 0 || e.f.lang.implicitThis && !e.f.lang.companions) {
			s, done = e.single(valueInfo{kind: vClass, id: uint32(k.id)}), true
		}
		rule = BySelf
		return !done
	})
	switch {
	case done:
		return s, true, rule
	case e.f.lang.closedModules:
		return e.f.lang.InModule(e, module, n)
	}
	return e.atTop(e.f, n)
}

// named is free of a Name; one that is written as a path begins at the top.
func (e *eval) named(n *ir.Node) (s set, found bool, rule Rule) {
	if n.Flags&ir.Path != 0 && !e.f.lang.closedModules {
		return e.atTop(e.f, e.f.names[n.Name])
	}
	s, found, rule = e.free(e.f.names[n.Name])
	if !found && n.Flags&ir.Path == 0 {
		s = e.f.lang.Unknown(e, s, e.f.names[n.Name])
	}
	return s, found, rule
}

// inReceiver finds a name in the class of which the function around is a method
// that is written elsewhere, and in the namespaces around that class.
func (e *eval) inReceiver(n name, types bool) (set, Rule, bool) {
	g := e.g
	fn := e.fn
	for range maxNesting {
		if fn == 0 || e.f.ir.Funcs[fn].Recv != 0 {
			break
		}
		fn = e.f.ir.Funcs[fn].Outer
	}
	if fn == 0 {
		return 0, 0, false
	}
	for _, v := range g.elems(e.f.recv[fn]) {
		if i := g.values.info[v]; i.kind == vModule {
			if s := e.entries(e.inSpace(ID(i.id), n), 0); s != 0 {
				return s, ByScope, true
			}
		}
		k := g.classOf(v)
		if k == nil {
			continue
		}
		if s, ok := e.memberOrType(k, n, types); ok {
			return s, BySelf, true
		}
		if !e.f.lang.spacesAroundReceiver {
			return 0, 0, false
		}
		return e.aroundReceiver(k, n, types)
	}
	return 0, 0, false
}

// aroundReceiver finds a name in the classes and namespaces around a class.
func (e *eval) aroundReceiver(k *class, n name, types bool) (set, Rule, bool) {
	g, f := e.g, k.file
	for c := f.ir.Classes[g.entities[k.id].ref].Outer; c != 0; c = f.ir.Classes[c].Outer {
		if f.ir.Classes[c].Kind != ir.Namespace {
			if o := g.classes[g.canonical(f, c)]; o != nil {
				if s, ok := e.memberOrType(o, n, types); ok {
					return s, BySelf, true
				}
			}
		} else if s := e.entries(e.inSpace(g.spaceOf(f, c), n), 0); s != 0 {
			return s, ByScope, true
		} else if sub := g.lookspace(g.spaceOf(f, c), n); sub != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(sub)}), ByScope, true
		}
	}
	return 0, 0, false
}

// memberOrType is a member of a class that a name means in its methods, or a class in
// it where a type is meant; the name of the class is in scope, too.
func (e *eval) memberOrType(k *class, n name, types bool) (set, bool) {
	if types {
		if s := e.nestedType(k, n); s != 0 {
			return s, true
		}
	} else if s, ok := e.memberByName(k, n); ok {
		return s, true
	}
	if n == e.g.entities[k.id].name {
		return e.single(valueInfo{kind: vClass, id: uint32(k.id)}), true
	}
	return 0, false
}

// nestedType is a class that is written in another one or what that inherits from.
func (e *eval) nestedType(k *class, n name) set {
	s := set(0)
	for _, step := range e.g.lineOf(k) {
		for _, m := range e.g.declared(step.class, n) {
			if m.kind == ir.ClassMember {
				s = e.g.union(s, e.entryValue(m, 0))
			}
		}
		if s != 0 {
			return s
		}
	}
	return 0
}

// memberByName is a member that is in scope in the methods of its class.
func (e *eval) memberByName(k *class, n name) (set, bool) {
	if recv, ok := e.ownReceiver(k, n); ok {
		return e.attrAt(recv, n, e.readAt), true
	}
	return 0, false
}

// ownReceiver is the receiver that a name without one has in the methods of a
// class, if it is a member there. Constructors go by other names.
func (e *eval) ownReceiver(k *class, n name) (set, bool) {
	list, at := e.g.member(k, n)
	if at < 0 {
		return 0, false
	}
	if fn := e.g.fn(list[0].id); fn != nil && fn.Flags&ir.Constructor != 0 && !e.f.lang.namedConstructors {
		return 0, false
	}
	if this := e.self(e.fn); this != 0 {
		for _, v := range e.g.elems(this) {
			if c := e.g.classOf(v); c != nil && c == k {
				return this, true
			}
		}
	}
	return e.g.values.single(e.g.self(k, vDecl)), true
}

// implicitReceiver is the receiver of a call without one, of a method that the
// classes around have; 0 where none has it.
func (e *eval) implicitReceiver(n name, args []argument) set {
	if !e.f.lang.implicitThis || e.f.lang.dynamic {
		return 0
	}
	if _, ok := e.typeParam(n); ok {
		return 0
	}
	g := e.g
	recv := set(0)
	e.enclosing(func(c ir.Class) bool {
		k := g.classes[g.canonical(e.f, c)]
		if k == nil || k.info.Kind == ir.Namespace || !e.hasFunction(k, n, args) {
			return true
		}
		recv = g.values.single(g.selfValue(k))
		return false
	})
	if recv == 0 {
		if k := e.recvClass(e.fn); k != nil && e.hasFunction(k, n, args) {
			recv = e.self(e.fn)
		} else if k == nil {
			recv = e.f.lang.BoundReceiver(e, n, args)
		}
	}
	return recv
}

// hasFunction reports whether a class has or inherits a function of the name that a
// call means.
func (e *eval) hasFunction(k *class, n name, args []argument) bool {
	for _, s := range e.g.lineOf(k) {
		for _, m := range e.g.declared(s.class, n) {
			if m.kind == ir.FuncMember && e.f.lang.Applies(e, m, args) {
				return true
			}
		}
	}
	return false
}

func (e *eval) typeParam(n name) (set, bool) {
	f := e.f.ir
	for fn := e.fn; fn != 0; fn = f.Funcs[fn].Outer {
		for i, p := range f.Funcs[fn].TypeParams() {
			if e.f.names[p.Name] == n {
				return e.single(valueInfo{kind: vParam, id: uint32(e.f.funcs[fn]), base: value(i)}), true
			}
		}
		if s := e.f.lang.ReceiverParam(e, fn, n); s != 0 {
			return s, true
		}
	}
	var s set
	e.enclosing(func(c ir.Class) bool {
		for i, p := range f.Classes[c].TypeParams {
			if e.f.names[p.Name] == n {
				s = e.single(valueInfo{kind: vParam, id: uint32(e.g.canonical(e.f, c)), base: value(i)})
				return false
			}
		}
		return true
	})
	return s, s != 0
}

// atTop finds a name at the top of a file: in the file, its package, and what it
// imports whole.
func (e *eval) atTop(f *file, n name) (s set, found bool, rule Rule) {
	g := e.g
	if s, found, rule, ok := f.lang.Top(e, f, n); ok {
		return s, found, rule
	}
	own := g.find(g.bag(f.id), n)
	if len(own) > 0 {
		rule = ByScope
		if own[0].kind == ir.ImportMember {
			rule = ByImport
		}
		all := slices.Clip(own) // the bag's own
		if f.lang.pack == byFolder || f.lang.merges {
			for _, x := range g.find(g.bag(f.pkg), n) {
				if x.kind != ir.ImportMember && g.entities[x.id].file != f {
					all = append(all, x)
				}
			}
		}
		s = e.entries(all, 0)
		if f.lang.dynamic {
			s = g.union(s, e.cell(cellKey{cName, f.id, uint32(n)}))
		}
		return s, true, rule
	}
	if i, ok := f.imports[n]; ok {
		return e.imported(f, i, 0), true, ByImport
	}
	if f.pkg != 0 {
		for pkg := f.pkg; pkg != 0; pkg = g.entities[pkg].outer {
			if list := g.find(g.bag(pkg), n); len(list) > 0 {
				return e.entries(e.f.lang.NearestClasses(e, list), 0), true, ByScope
			}
			if sub := g.lookspace(pkg, n); sub != 0 {
				return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true, ByScope
			}
			if f.lang.flatPackages {
				break
			}
		}
	}
	outside := name(0) // something outside the index, all names of which are in scope
	for i := 1; i < len(f.ir.Imports); i++ {
		info := &f.ir.Imports[i]
		if f.ir.String(info.Name) != "*" || f.ir.String(info.Alias) != "" {
			continue
		}
		for _, in := range f.targets[i].in {
			if !f.lang.StarBrings(g, in, n) {
				continue
			}
			if s, ok := e.within(in, n, 0); ok {
				return s, true, ByImport
			}
		}
		if outside == 0 {
			outside = f.targets[i].external
		}
	}
	if f.lang.pack == byName {
		for _, in := range f.lang.GlobalImports(g) {
			if s, ok := e.within(in, n, 0); ok {
				return s, true, ByImport
			}
		}
	}
	if s := e.cell(cellKey{cName, f.id, uint32(n)}); s != 0 && f.lang.dynamic {
		return s, true, ByScope
	}
	if s, found, rule, ok := f.lang.Beyond(e, f, n); ok {
		return s, found, rule
	}
	if f.lang.unknownFree && !f.lang.predeclared[g.names.text[n]] {
		if outside != 0 && f.lang.predeclared != nil {
			return e.external(g.names.intern(g.names.text[outside] + "." + g.names.text[n])), true, ByImport
		}
		return 0, false, 0
	}
	if f.lang.builtin != nil && !f.lang.builtin[g.names.text[n]] {
		return e.starExternal(f, n), false, 0
	}
	return e.external(n), false, 0
}

// starExternal is a name that only a module outside the index can have brought, by
// an import of all its names.
func (e *eval) starExternal(f *file, n name) set {
	for i := 1; i < len(f.ir.Imports); i++ {
		if t := &f.targets[i]; t.external != 0 && len(t.in) == 0 && f.ir.String(f.ir.Imports[i].Name) == "*" {
			return e.external(e.g.names.intern(e.g.names.text[t.external] + "." + e.g.names.text[n]))
		}
	}
	return 0
}

// maxSame is how many definitions of one name in one scope or class are looked at. That
// many are more than a set has anyway, and a file may have 100,000.
const maxSame = 4 * maxValues

// entries are the values of members of one name.
func (e *eval) entries(list []entry, chain int) set {
	s := set(0)
	for _, m := range list[:min(len(list), maxSame)] {
		s = e.g.union(s, e.entryValue(m, chain))
	}
	return s
}

func (e *eval) entryValue(m entry, chain int) set {
	g := e.g
	f := g.entities[m.id].file
	switch m.kind {
	case ir.FuncMember:
		if fn := g.fn(m.id); fn != nil && fn.Flags&ir.Getter != 0 && f.lang.topProperties {
			e.property(m.id, e.readAt)
			return e.returned(m.id, 0, nil)
		}
		if fn := g.fn(m.id); fn != nil && len(fn.Decorators()) > 0 && f.lang.decorates {
			if e.at != 0 { // the decorator may have left something else, but this is named
				e.edge(Edge{From: e.from(), To: m.id, Kind: References, Rule: ByValue, Pos: e.at})
			}
			return e.cell(cellKey{cName, f.id, uint32(m.name)})
		}
		return e.single(valueInfo{kind: vFunc, id: uint32(m.id)})
	case ir.ClassMember:
		if f != nil && f.ir.Classes[m.ref].Kind == ir.Namespace {
			return e.single(valueInfo{kind: vModule, id: uint32(g.spaceOf(f, ir.Class(m.ref)))})
		}
		if f != nil && f.ir.Classes[m.ref].Kind == ir.Singleton {
			return e.single(valueInfo{kind: vInst, id: uint32(g.canonicalID(m.id))})
		}
		if f != nil && f.ir.Classes[m.ref].Kind == ir.Alias {
			if s := f.lang.AliasedSpace(g, f, ir.Class(m.ref), chain); s != 0 {
				return s
			}
		}
		return e.single(valueInfo{kind: vClass, id: uint32(g.canonicalID(m.id))})
	case ir.VarMember:
		if f == nil {
			return 0
		}
		if init := f.ir.Vars[m.ref].Init; e.n == 0 && init != 0 && f.lang.aliasVars {
			return g.union(f.varTypes[m.ref], e.otherName(f, init))
		}
		return g.orDeclared(e.cell(cellKey{cVar, m.id, 0}), f.varTypes[m.ref])
	case ir.ImportMember:
		if f == nil {
			return 0
		}
		return e.imported(f, ir.Import(m.ref), chain+1)
	}
	return 0
}

// imported is what an import of a file brings.
func (e *eval) imported(f *file, i ir.Import, chain int) set {
	g := e.g
	if chain > maxChain || int(i) >= len(f.targets) {
		return 0
	}
	info := &f.ir.Imports[i]
	t := &f.targets[i]
	n := f.ir.String(info.Name)
	if len(t.in) == 0 {
		if t.external == 0 {
			if f.lang.pack == byName && info.Module == 0 && n != "" && n != "*" {
				return e.external(f.names[info.Name]) // a class of the global namespace
			}
			return 0
		}
		if n == "" || n == "*" || n == "=" || n == "default" && f.lang.defaultExports {
			return e.external(t.external)
		}
		return e.external(g.names.intern(g.names.text[t.external] + "." + n))
	}
	s := set(0)
	if t.whole {
		n = ""
	}
	switch n {
	case "", "*":
		for _, in := range t.in {
			s = g.union(s, e.single(valueInfo{kind: vModule, id: uint32(in)}))
		}
		return s
	case "=":
		for _, in := range t.in {
			whole := e.cell(cellKey{cName, in, uint32(g.names.intern("export:="))})
			s = g.union(s, g.union(whole, e.single(valueInfo{kind: vModule, id: uint32(in)})))
		}
		return s
	}
	for _, in := range t.in {
		if s, ok := e.within(in, f.names[info.Name], chain+1); ok {
			return s
		}
	}
	return 0
}

// within finds a name in a file, package or namespace from outside.
func (e *eval) within(in ID, n name, chain int) (set, bool) {
	g := e.g
	if chain > maxChain {
		return 0, false
	}
	at := &g.entities[in]
	if at.kind == ClassNode {
		if c := g.classes[g.canonicalID(in)]; c != nil {
			return e.attrFound(g.values.single(g.values.intern(valueInfo{kind: vClass, id: uint32(c.id)})), n)
		}
		return 0, false
	}
	if s, found, ok := e.f.lang.Within(e, in, n, chain); ok {
		return s, found
	}
	list := g.find(g.bag(in), n)
	if at.kind == NamespaceNode && e.f.lang.pack == byName {
		list = (*file)(nil).withoutImports(list)
	}
	if at.kind == NamespaceNode {
		list = e.inSpace(in, n)
	}
	if f := at.file; f != nil && at.kind == FileNode && f.lang.hidesUnexported {
		list = exportedOnly(list)
	}
	s, found := set(0), len(list) > 0
	if found {
		s = e.entries(e.f.lang.NearestClasses(e, list), chain)
	}
	if f := at.file; f != nil && at.kind == FileNode {
		text := g.names.text[n]
		for _, x := range f.ir.Exports {
			switch exported := f.ir.String(x.Name); {
			case exported == text:
				s = g.union(s, e.exported(f, x, chain))
				found = true
			case text == "default" && exported == "=":
				s = g.union(s, e.exported(f, x, chain))
				found = true
			case exported == "=":
				if v, ok := e.attrFound(e.exported(f, x, chain), n); ok {
					s, found = g.union(s, v), true
				}
			}
		}
		if f.lang.dynamic && found {
			s = g.union(s, e.cell(cellKey{cName, f.id, uint32(n)}))
			found = true
		}
		if !found {
			for i := 1; i < len(f.ir.Imports); i++ {
				info := &f.ir.Imports[i]
				name := f.ir.String(info.Name)
				if info.Flags&ir.Reexport != 0 && name != "*" {
					as := info.Alias
					if as == 0 {
						as = info.Name
					}
					if f.names[as] == n {
						return e.imported(f, ir.Import(i), chain+1), true
					}
					continue
				}
				star := name == "*" && info.Alias == 0 && (info.Flags&(ir.Reexport|ir.Include) != 0 || f.lang.starsReexport)
				if !star {
					continue
				}
				for _, next := range f.targets[i].in {
					if !f.lang.StarBrings(g, next, n) {
						continue
					}
					if s, ok := e.within(next, n, chain+1); ok {
						return s, true
					}
				}
			}
		}
	}
	if !found {
		if sub := g.lookspace(in, n); sub != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true
		}
		if f := e.f.lang.Submodule(g, in, n); f != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(f)}), true
		}
	}
	return s, found
}

// exportedOnly leaves out what a module keeps to itself.
func exportedOnly(list []entry) []entry {
	var out []entry
	for _, m := range list {
		if m.open {
			out = append(out, m)
		}
	}
	return out
}

// exported evaluates an export without the edges of its file.
func (e *eval) exported(f *file, x ir.Export, chain int) set {
	if e.n == 0 {
		// A declaration that goes through a name: follow the name alone.
		in := e.g.static(f, 1, 0)
		defer e.g.done(in)
		return in.eval(x.X)
	}
	return e.cell(cellKey{cName, f.id, uint32(e.g.names.intern("export:" + f.ir.String(x.Name)))})
}

// classAround returns the class that a function is a method of, directly or by the
// functions around it, or 0.
func classAround(f *ir.File, fn ir.Func) ir.Class {
	for range maxNesting {
		if fn == 0 {
			break
		}
		if c := f.Funcs[fn].Class; c != 0 {
			return c
		}
		fn = f.Funcs[fn].Outer
	}
	return 0
}

// otherName is what "x = a.b" at the top of a file says in declarations.
func (e *eval) otherName(f *file, x ir.Expr) set {
	if e.g.depth > maxNesting {
		return 0
	}
	in := e.g.static(f, 1, 0)
	defer e.g.done(in)
	return in.eval(x)
}

// inNamespace finds a name in a namespace that is written out in the file, and in
// those that its path leads through: namespace A.B is in A.
func (e *eval) inNamespace(c ir.Class, n name) (set, bool) {
	g := e.g
	stop := e.f.pkg
	if outer := e.f.ir.Classes[c].Outer; outer != 0 {
		stop = g.spaceOf(e.f, outer)
	}
	first := g.spaceOf(e.f, c)
	for ns := first; ns != 0 && (ns != stop || ns == first); ns = g.entities[ns].outer {
		if list := e.f.withoutImports(g.find(g.bag(ns), n)); len(list) > 0 {
			return e.entries(list, 0), true
		}
		if sub := g.lookspace(ns, n); sub != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true
		}
		if !e.f.lang.nestedSpaces {
			break
		}
	}
	return 0, false
}

// withoutImports leaves out what other files import: that is theirs alone.
func (f *file) withoutImports(list []entry) []entry {
	out := list[:0:0]
	for _, m := range list {
		if m.kind != ir.ImportMember || f != nil && m.id == f.id {
			out = append(out, m)
		}
	}
	return out
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
	if len(list) == 0 {
		return list
	}
	if !e.f.lang.separate {
		return e.f.lang.Candidates(e, list, args)
	}
	for i, m := range list {
		if m.kind != ir.FuncMember {
			return list[:i] // functions come first
		}
	}
	return list
}

// nameValue is a name that is read: a property may run code.
func (e *eval) nameValue(n *ir.Node) (set, Rule) {
	nm := e.f.names[n.Name]
	if s, rule, ok := e.f.lang.Read(e, n); ok {
		return s, rule
	}
	e.readAt = n.Pos
	s, _, rule := e.named(n)
	e.readAt = 0
	if e.f.lang.separate {
		s = e.noMethods(s, nm)
	}
	return s, rule
}

// spaceKey is a name in a namespace.
type spaceKey struct {
	space ID
	name  name
}

// inSpace finds a name in a namespace.
func (e *eval) inSpace(ns ID, n name) []entry {
	list := e.g.find(e.g.bag(ns), n)
	if more := e.g.apart[spaceKey{ns, n}]; len(more) > 0 {
		list = append(slices.Clone(list), more...)
	}
	return e.f.lang.Linked(e, list)
}
