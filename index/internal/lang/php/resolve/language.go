// Package resolve has what is special about PHP: namespaces, late static binding, and magic
// methods.
package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is PHP.
var Family = program.Languages{Name: "php", Names: map[string]string{"php": "php"}, Make: newPHP}

// language is the Language.
type language struct{ plain.Default }

func newPHP() map[string]*program.Lang {
	var t program.Traits
	t.Pack = program.ByName
	t.ClassCode, t.Fluent, t.InheritsConstructors, t.Constructors = true, true, true, []string{"__construct"}
	t.Dynamic, t.GetItem, t.SetItem = true, []string{"offsetGet"}, []string{"offsetSet"}
	t.Iterate, t.Advance, t.Callable = []string{"getIterator"}, []string{"current"}, []string{"__invoke"}
	return map[string]*program.Lang{"php": {Traits: t, ModuleRules: &language{}}}
}

// Unresolved notes what is handed to a namespace outside of the index: the library has none.
func (*language) Unresolved(e *eval.Evaluator, c *eval.Call) {
	if strings.Count(e.Family.Names.Text[c.External], ".") > 1 {
		library.HandOut(e, c)
	}
}

// Resolve finds what a use declaration brings, and the file that an include
// names: next to the including one, or else the one whose path ends alike.
func (*language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	if i.Flags&ir.Include == 0 {
		return g.ResolveNamed(f, i)
	}
	module := f.IR.String(i.Module)
	if id := g.FileAt(path.Join(f.Dir, module)); id != 0 {
		return program.Target{In: []edge.ID{id}, Whole: true}
	}
	if id := g.Nearest(f, g.BySuffix(strings.TrimPrefix(path.Clean(module), "../"))); id != 0 {
		return program.Target{In: []edge.ID{id}, Whole: true}
	}
	return program.Target{}
}

// Top finds a name outside of all classes: what the file defines or imports,
// what its namespace has, and, of functions and constants, what the global one has.
func (*language) Top(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	s, found, rule = phpTop(e, f, n)
	return s, found, rule, true
}

func phpTop(e *eval.Evaluator, f *program.File, n intern.Name) (pointsto.Set, bool, edge.Rule) {
	g := e.Family
	text := g.Names.Text[n]
	if strings.HasPrefix(text, "$") {
		return phpGlobal(e, f, n)
	}
	spaced := false
	e.Enclosing(func(c ir.Class) bool {
		spaced = spaced || f.IR.Classes[c].Kind == ir.Namespace
		return !spaced
	})
	if !spaced {
		if own := g.Find(g.Bag(f.ID), n); len(own) > 0 {
			if own[0].Kind == ir.ImportMember {
				return e.Entries(own, 0), true, edge.ByImport
			}
			return e.Entries(own, 0), true, edge.ByScope
		}
		if list := g.Find(g.Bag(f.Pkg), n); len(list) > 0 {
			return e.Entries(list, 0), true, edge.ByScope
		}
		if sub := g.Lookspace(f.Pkg, n); sub != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true, edge.ByScope
		}
	}
	var list []program.Entry
	for _, m := range g.Find(g.Bag(g.Namespace("php", "")), n) {
		if m.Kind == ir.FuncMember || m.Kind == ir.VarMember {
			list = append(list, m)
		}
	}
	if len(list) > 0 {
		return e.Entries(list, 0), true, edge.ByScope
	}
	return e.External(n), false, 0
}

// phpGlobal is a variable at the top of a file. Functions see those of all files,
// by "global"; other code that of its own and of what it includes.
func phpGlobal(e *eval.Evaluator, f *program.File, n intern.Name) (pointsto.Set, bool, edge.Rule) {
	g := e.Family
	s := e.Entries(g.Find(g.Bag(f.ID), n), 0)
	if e.Func > 1 {
		return g.Union(s, e.Entries(g.Find(g.Bag(f.Pkg), n), 0)), true, edge.ByScope
	}
	for i, t := range f.Targets {
		if i == 0 || !t.Whole {
			continue
		}
		for _, in := range t.In {
			s = g.Union(s, e.Entries(g.Find(g.Bag(in), n), 0))
		}
	}
	return s, true, edge.ByScope
}

// Special gives the words for the enclosing class, and the heads of full names:
// \A\b begins at the root, namespace\b in the file's own.
func (*language) Special(e *eval.Evaluator, n string) (pointsto.Set, bool) {
	switch n {
	case `\`:
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(e.Family.Namespace("php", ""))}), true
	case "namespace":
		at := e.File.Pkg
		e.Enclosing(func(c ir.Class) bool {
			if e.File.IR.Classes[c].Kind != ir.Namespace {
				return true
			}
			at = e.Family.SpaceOf(e.File, c)
			return false
		})
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(at)}), true
	case "self", "static":
		return e.ClassesOf(e.Self(e.Func)), true
	}
	return 0, false
}

// CallUndeclared calls a method that a class has not: what its __call does, or what the
// language gives enums.
func (*language) CallUndeclared(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, _ int) (pointsto.Set, bool) {
	g := e.Family
	if k == nil {
		return 0, false
	}
	catch := "__call"
	if g.Values.Info[v].Kind == pointsto.Class {
		catch = "__callStatic"
	}
	if list, at := g.Member(k, g.Names.Intern(catch)); at >= 0 && list[0].Kind == ir.FuncMember {
		c.Add(list[0].ID, edge.ByProperty, false)
		e.PassSelf(list[0].ID, v)
		return e.Returned(list[0].ID, v, nil), true
	}
	if k.Info.Kind != ir.Enum {
		return 0, false
	}
	one := g.Values.Single(g.Self(k, pointsto.Decl))
	switch text := g.Names.Text[c.Name]; text {
	case "cases":
		c.External = g.Names.Intern("UnitEnum.cases")
		return e.Generic("list", one), true
	case "from", "tryFrom":
		c.External = g.Names.Intern("BackedEnum." + text)
		return one, true
	}
	return 0, false
}

// LateBound adds to a call of static::m() the methods of the classes below that may
// be the called one.
func (*language) LateBound(e *eval.Evaluator, c *eval.Call, x *ir.Node, recv pointsto.Set) {
	f := e.File.IR
	if x.Op != ir.TypeOf || f.Exprs[x.A].Op != ir.This {
		return
	}
	g := e.Family
	for _, v := range g.Elems(recv) {
		k := g.ClassOf(v)
		if k == nil {
			continue
		}
		list, at := g.Member(k, c.Name)
		if at < 0 {
			continue
		}
		for _, id := range g.BelowOf(k) {
			sub := g.Classes[id]
			if sub == nil {
				continue
			}
			for _, m := range g.Declared(sub, c.Name) {
				if fn := g.Func(m.ID); fn != nil && m.ID != list[0].ID && fn.Flags&ir.Abstract == 0 {
					c.Add(m.ID, edge.ByHierarchy, true)
				}
			}
		}
	}
}

// PathHead is the namespace that the first name of a path means: an imported one, or
// one in the file's own. A class of the same name is none.
func (*language) PathHead(e *eval.Evaluator, n intern.Name) (pointsto.Set, bool) {
	return phpSpace(e, n), true
}

func phpSpace(e *eval.Evaluator, n intern.Name) pointsto.Set {
	g := e.Family
	at, bag := e.File.Pkg, g.Bag(e.File.ID)
	e.Enclosing(func(c ir.Class) bool {
		if e.File.IR.Classes[c].Kind != ir.Namespace {
			return true
		}
		at = g.SpaceOf(e.File, c)
		bag = g.Bag(at)
		return false
	})
	for _, m := range g.Find(bag, n) {
		if m.Kind != ir.ImportMember || m.ID != e.File.ID {
			continue
		}
		info := &e.File.IR.Imports[m.Ref]
		if info.Flags&ir.FuncName != 0 {
			continue
		}
		path := strings.TrimPrefix(e.File.IR.String(info.Module)+"."+e.File.IR.String(info.Name), ".")
		at = g.Namespace("php", "")
		for _, segment := range program.Split(path) {
			if at = g.Lookspace(at, g.Names.Intern(segment)); at == 0 {
				return e.External(g.Names.Intern(path))
			}
		}
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(at)})
	}
	if sub := g.Lookspace(at, n); sub != 0 {
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)})
	}
	return e.External(n)
}

// MissingMember is what __get gives for a property.
func (*language) MissingMember(e *eval.Evaluator, recv pointsto.Value, c *program.Class, _ int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	if !strings.HasPrefix(e.Family.Names.Text[n], "$") || !hasAny(e, c, []string{"__get"}) {
		return 0, false
	}
	e.At = pos
	return e.Operator(recv, "__get"), true
}

// Elements is what the current element of an iterator is.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, _ *ir.Node) (pointsto.Set, bool) {
	if k := e.Family.Values.Info[v].Kind; k != pointsto.Inst && k != pointsto.Decl {
		return 0, false
	}
	if c := e.Family.ClassOf(v); c != nil && c.Target == 0 && !hasAny(e, c, e.File.Lang.Iterate) {
		return e.Operator(v, e.File.Lang.Advance...), true
	}
	return 0, false
}

// hasAny reports whether a class has a member of one of some names.
func hasAny(e *eval.Evaluator, c *program.Class, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, at := e.Family.Member(c, e.Family.Names.Intern(n))
		return at >= 0
	})
}
