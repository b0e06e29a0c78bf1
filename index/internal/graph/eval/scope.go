package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Free finds what a name means that is no local variable. found is false when
// nothing in the index has it; the values may be empty all the same.
func (e *Evaluator) Free(n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	return e.inScope(n, false, true)
}

// freeType is Free where types are meant: members that are no types are out of
// sight there, and nested classes are in scope in every language.
func (e *Evaluator) freeType(n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	return e.inScope(n, true, true)
}

// inScope is both. Without members, those of the classes around are out of sight.
func (e *Evaluator) inScope(n intern.Name, types, members bool) (s pointsto.Set, found bool, rule edge.Rule) {
	if e.TooDeep() {
		return 0, false, 0
	}
	defer e.Up()
	g, f := e.Family, e.File.IR
	if s, ok := e.typeParam(n); ok {
		return s, true, edge.ByScope
	}
	if s, ok := e.Lang.Special(e, g.Names.Text[n]); ok {
		return s, true, edge.ByScope
	}
	done := false
	module := e.File.ID
	if e.File.Lang.TagNames {
		was := e.Types
		e.Types = types
		defer func() { e.Types = was }()
	}
	if e.File.Lang.ImplicitThis && members {
		if s, rule, done = e.inReceiver(n, types); done {
			return s, true, rule
		}
	}
	e.Enclosing(func(c ir.Class) bool {
		info := &f.Classes[c]
		if info.Kind == ir.Namespace {
			ns := g.SpaceOf(e.File, c)
			if module = ns; e.File.Lang.ClosedModules {
				return false
			}
			if e.File.Lang.Pack == program.ByName {
				s, done = e.inNamespace(c, n)
				rule = edge.ByScope
			} else if list := e.inSpace(ns, n); len(list) > 0 {
				s, done, rule = e.Entries(list, 0), true, edge.ByScope
			} else if sub := g.Lookspace(ns, n); sub != 0 {
				s, done, rule = e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true, edge.ByScope
			}
			return !done
		}
		k := g.Classes[g.Canonical(e.File, c)]
		if k == nil || !members {
			return true
		}
		if types && !e.File.Lang.ClosedModules {
			if s = e.nestedType(k, n); s != 0 {
				done, rule = true, edge.ByScope
				return false
			}
		} else if !types && e.File.Lang.ImplicitThis {
			s, done = e.memberByName(k, n)
		}
		if !done && g.Names.Text[n] == g.Names.Text[g.Entities[k.ID].Name] && (info.Func != 0 || e.File.Lang.ImplicitThis && !e.File.Lang.Companions) && !e.File.Lang.ByArity {
			s, done = e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(k.ID)}), true
		}
		rule = edge.BySelf
		return !done
	})
	switch {
	case done:
		return s, true, rule
	case e.File.Lang.ClosedModules:
		return e.Lang.InModule(e, module, n)
	}
	return e.atTop(e.File, n)
}

// named is Free of a Name; one that is written as a path begins at the top.
func (e *Evaluator) named(n *ir.Node) (s pointsto.Set, found bool, rule edge.Rule) {
	if n.Flags&ir.Path != 0 && !e.File.Lang.ClosedModules {
		return e.atTop(e.File, e.File.Names[n.Name])
	}
	e.broughtBy = 0
	s, found, rule = e.Free(e.File.Names[n.Name])
	if found && rule == edge.ByImport && e.broughtBy != 0 && e.File.Lang.ImplicitThis && !e.onlyClasses(s) {
		// C.name under another name, so it makes what belongs to C run: its initial values.
		e.Edge(edge.Edge{From: e.Owner(), To: e.broughtBy, Kind: edge.References, Rule: edge.ByValue, Pos: n.Pos})
	}
	if !found && n.Flags&ir.Path == 0 {
		s = e.Lang.Unknown(e, s, e.File.Names[n.Name])
	}
	return s, found, rule
}

// onlyClasses reports whether there are values, and all are classes: a class in another one may be
// used without that.
func (e *Evaluator) onlyClasses(s pointsto.Set) bool {
	for _, v := range e.Family.Elems(s) {
		if e.Family.Values.Info[v].Kind != pointsto.Class {
			return false
		}
	}
	return s != 0
}

// nestedType is a class that is written in another one or what that inherits from.
func (e *Evaluator) nestedType(k *program.Class, n intern.Name) pointsto.Set {
	s := pointsto.Set(0)
	for _, ancestor := range e.Family.MRO(k) {
		for _, m := range e.Family.Declared(ancestor.Class, n) {
			if m.Kind == ir.ClassMember {
				s = e.Family.Union(s, e.EntryValue(m, 0))
			}
		}
		if s != 0 {
			return s
		}
	}
	return 0
}

// Entries are the values of members of one name.
func (e *Evaluator) Entries(list []program.Entry, chain int) pointsto.Set {
	s := pointsto.Set(0)
	for _, m := range list[:min(len(list), program.MaxSame)] {
		if len(list) > 1 && e.Family.DeclaredOnly(m, list) {
			continue
		}
		s = e.Family.Union(s, e.EntryValue(m, chain))
	}
	return s
}

// EntryValue is the values of a member; chain counts the imports that led to it.
func (e *Evaluator) EntryValue(m program.Entry, chain int) pointsto.Set {
	g := e.Family
	f := g.Entities[m.ID].File
	switch m.Kind {
	case ir.FuncMember:
		if fn := g.Func(m.ID); fn != nil && fn.Flags&ir.Getter != 0 && f.Lang.TopProperties {
			e.Property(m.ID, e.readAt)
			return e.Returned(m.ID, 0, nil)
		}
		if fn := g.Func(m.ID); fn != nil && len(fn.Decorators()) > 0 && f.Lang.Decorates {
			if e.At != 0 { // the decorator may have left something else, but this is named
				e.Edge(edge.Edge{From: e.Owner(), To: m.ID, Kind: edge.References, Rule: edge.ByValue, Pos: e.At})
			}
			return e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(m.Name)})
		}
		return e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)})
	case ir.ClassMember:
		if f != nil && f.IR.Classes[m.Ref].Kind == ir.Namespace {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(g.SpaceOf(f, ir.Class(m.Ref)))})
		}
		if f != nil && f.IR.Classes[m.Ref].Kind == ir.Singleton {
			return e.Single(pointsto.Info{Kind: pointsto.Inst, ID: uint32(g.CanonicalID(m.ID))})
		}
		if f != nil && f.IR.Classes[m.Ref].Kind == ir.Alias {
			if s := e.Lang.AliasedSpace(g, f, ir.Class(m.Ref), chain); s != 0 {
				return s
			}
		}
		return e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(g.CanonicalID(m.ID))})
	case ir.VarMember:
		if f == nil {
			return 0
		}
		if e.UnitNumber == 0 {
			return e.static(f, ir.Var(m.Ref))
		}
		return g.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}), f.VarTypes[m.Ref])
	case ir.ImportMember:
		if f == nil {
			return 0
		}
		return e.imported(f, ir.Import(m.Ref), chain+1)
	}
	return 0
}

// candidates are the members of one name that a call can mean.
func (e *Evaluator) candidates(list []program.Entry, args []Argument) []program.Entry {
	if len(list) == 0 {
		return list
	}
	if !e.File.Lang.Separate {
		return e.Lang.Candidates(e, list, args)
	}
	for i, m := range list {
		if m.Kind != ir.FuncMember {
			return list[:i] // functions come first
		}
	}
	return list
}

// nameValue is a name that is read: a property may run code.
func (e *Evaluator) nameValue(n *ir.Node) (pointsto.Set, edge.Rule) {
	nm := e.File.Names[n.Name]
	if s, rule, ok := e.Lang.Read(e, n); ok {
		return s, rule
	}
	e.readAt = n.Pos
	s, _, rule := e.named(n)
	e.readAt = 0
	if e.File.Lang.Separate {
		s = e.NoMethods(s, nm)
	}
	return s, rule
}
