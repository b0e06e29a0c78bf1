package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var phpFamily = langFamily{name: "php", names: map[string]string{"php": "php"}, make: newPHP}

// php is the Language.
type php struct{ Default }

func newPHP() map[string]*lang {
	var t traits
	t.pack = byName
	t.classCode, t.fluent, t.inheritsConstructors, t.constructors = true, true, true, []string{"__construct"}
	t.dynamic, t.getItem, t.setItem = true, []string{"offsetGet"}, []string{"offsetSet"}
	t.iterate, t.advance, t.callable = []string{"getIterator"}, []string{"current"}, []string{"__invoke"}
	return map[string]*lang{"php": {traits: t, Language: &php{}}}
}

// Resolve finds what a use declaration brings, and the file that an include
// names: next to the including one, or else the one whose path ends alike.
func (*php) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	if i.Flags&ir.Include == 0 {
		return g.resolveNamed(f, i)
	}
	module := f.ir.String(i.Module)
	if id := g.fileAt(path.Join(f.dir, module)); id != 0 {
		return target{in: []ID{id}, whole: true}
	}
	if id := g.nearest(f, g.bySuffix(strings.TrimPrefix(path.Clean(module), "../"))); id != 0 {
		return target{in: []ID{id}, whole: true}
	}
	return target{}
}

// Top finds a name outside of all classes: what the file defines or imports,
// what its namespace has, and, of functions and constants, what the global one has.
func (*php) Top(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool) {
	s, found, rule = e.phpTop(f, n)
	return s, found, rule, true
}

func (e *eval) phpTop(f *file, n name) (set, bool, Rule) {
	g := e.g
	text := g.names.text[n]
	if strings.HasPrefix(text, "$") {
		return e.phpGlobal(f, n)
	}
	spaced := false
	e.enclosing(func(c ir.Class) bool {
		spaced = spaced || f.ir.Classes[c].Kind == ir.Namespace
		return !spaced
	})
	if !spaced {
		if own := g.find(g.bag(f.id), n); len(own) > 0 {
			if own[0].kind == ir.ImportMember {
				return e.entries(own, 0), true, ByImport
			}
			return e.entries(own, 0), true, ByScope
		}
		if list := g.find(g.bag(f.pkg), n); len(list) > 0 {
			return e.entries(list, 0), true, ByScope
		}
		if sub := g.lookspace(f.pkg, n); sub != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true, ByScope
		}
	}
	var list []entry
	for _, m := range g.find(g.bag(g.namespace("php", "")), n) {
		if m.kind == ir.FuncMember || m.kind == ir.VarMember {
			list = append(list, m)
		}
	}
	if len(list) > 0 {
		return e.entries(list, 0), true, ByScope
	}
	return e.external(n), false, 0
}

// phpGlobal is a variable at the top of a file. Functions see those of all files,
// by "global"; other code that of its own and of what it includes.
func (e *eval) phpGlobal(f *file, n name) (set, bool, Rule) {
	g := e.g
	s := e.entries(g.find(g.bag(f.id), n), 0)
	if e.fn > 1 {
		return g.union(s, e.entries(g.find(g.bag(f.pkg), n), 0)), true, ByScope
	}
	for i, t := range f.targets {
		if i == 0 || !t.whole {
			continue
		}
		for _, in := range t.in {
			s = g.union(s, e.entries(g.find(g.bag(in), n), 0))
		}
	}
	return s, true, ByScope
}

// Special gives the words for the enclosing class, and the heads of full names:
// \A\b begins at the root, namespace\b in the file's own.
func (*php) Special(e *eval, n string) (set, bool) {
	switch n {
	case `\`:
		return e.single(valueInfo{kind: vModule, id: uint32(e.g.namespace("php", ""))}), true
	case "namespace":
		at := e.f.pkg
		e.enclosing(func(c ir.Class) bool {
			if e.f.ir.Classes[c].Kind != ir.Namespace {
				return true
			}
			at = e.g.spaceOf(e.f, c)
			return false
		})
		return e.single(valueInfo{kind: vModule, id: uint32(at)}), true
	case "self", "static":
		return e.classesOf(e.self(e.fn)), true
	}
	return 0, false
}

// CallUndeclared calls a method that a class has not: what its __call does, or what the
// language gives enums.
func (*php) CallUndeclared(e *eval, c *calling, k *class, v value, _ int) (set, bool) {
	g := e.g
	if k == nil {
		return 0, false
	}
	catch := "__call"
	if g.values.info[v].kind == vClass {
		catch = "__callStatic"
	}
	if list, at := g.member(k, g.names.intern(catch)); at >= 0 && list[0].kind == ir.FuncMember {
		c.hits = append(c.hits, hit{list[0].id, ByProperty, false})
		e.passSelf(list[0].id, v)
		return e.returned(list[0].id, v, nil), true
	}
	if k.info.Kind != ir.Enum {
		return 0, false
	}
	one := g.values.single(g.self(k, vDecl))
	switch text := g.names.text[c.name]; text {
	case "cases":
		c.external = g.names.intern("UnitEnum.cases")
		return e.generic("list", one), true
	case "from", "tryFrom":
		c.external = g.names.intern("BackedEnum." + text)
		return one, true
	}
	return 0, false
}

// LateBound adds to a call of static::m() the methods of the classes below that may
// be the called one.
func (*php) LateBound(e *eval, c *calling, x *ir.Node, recv set) {
	f := e.f.ir
	if x.Op != ir.TypeOf || f.Exprs[x.A].Op != ir.This {
		return
	}
	g := e.g
	for _, v := range g.elems(recv) {
		k := g.classOf(v)
		if k == nil {
			continue
		}
		list, at := g.member(k, c.name)
		if at < 0 {
			continue
		}
		for _, id := range g.belowOf(k) {
			sub := g.classes[id]
			if sub == nil {
				continue
			}
			for _, m := range g.declared(sub, c.name) {
				if fn := g.fn(m.id); fn != nil && m.id != list[0].id && fn.Flags&ir.Abstract == 0 {
					c.hits = append(c.hits, hit{m.id, ByHierarchy, true})
				}
			}
		}
	}
}

// PathHead is the namespace that the first name of a path means: an imported one, or
// one in the file's own. A class of the same name is none.
func (*php) PathHead(e *eval, n name) (set, bool) { return e.phpSpace(n), true }

func (e *eval) phpSpace(n name) set {
	g := e.g
	at, bag := e.f.pkg, g.bag(e.f.id)
	e.enclosing(func(c ir.Class) bool {
		if e.f.ir.Classes[c].Kind != ir.Namespace {
			return true
		}
		at = g.spaceOf(e.f, c)
		bag = g.bag(at)
		return false
	})
	for _, m := range g.find(bag, n) {
		if m.kind != ir.ImportMember || m.id != e.f.id {
			continue
		}
		info := &e.f.ir.Imports[m.ref]
		if info.Flags&ir.FuncName != 0 {
			continue
		}
		path := strings.TrimPrefix(e.f.ir.String(info.Module)+"."+e.f.ir.String(info.Name), ".")
		at = g.namespace("php", "")
		for _, segment := range split(path) {
			if at = g.lookspace(at, g.names.intern(segment)); at == 0 {
				return e.external(g.names.intern(path))
			}
		}
		return e.single(valueInfo{kind: vModule, id: uint32(at)})
	}
	if sub := g.lookspace(at, n); sub != 0 {
		return e.single(valueInfo{kind: vModule, id: uint32(sub)})
	}
	return e.external(n)
}

// MissingMember is what __get gives for a property.
func (*php) MissingMember(e *eval, recv value, c *class, _ int, n name, pos ir.Pos) (set, bool) {
	if !strings.HasPrefix(e.g.names.text[n], "$") || !e.hasAny(c, []string{"__get"}) {
		return 0, false
	}
	e.at = pos
	return e.operator(recv, "__get"), true
}

// Elements is what the current element of an iterator is.
func (*php) Elements(e *eval, v value, _ *ir.Node) (set, bool) {
	if k := e.g.values.info[v].kind; k != vInst && k != vDecl {
		return 0, false
	}
	if c := e.g.classOf(v); c != nil && c.target == 0 && !e.hasAny(c, e.f.lang.iterate) {
		return e.operator(v, e.f.lang.advance...), true
	}
	return 0, false
}
