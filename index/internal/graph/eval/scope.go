package eval

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Enclosing calls yield for each class around what is evaluated, innermost first.
func (e *Evaluator) Enclosing(yield func(c ir.Class) bool) {
	f := e.File.IR
	c := e.class
	if c == 0 && e.Func != 0 {
		c = classAround(f, e.Func)
	}
	for range program.MaxNesting {
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
func (e *Evaluator) implicitClass() *program.Class {
	if !e.File.Lang.ImplicitThis {
		return nil
	}
	var found *program.Class
	e.Enclosing(func(c ir.Class) bool {
		found = e.Family.Classes[e.Family.Canonical(e.File, c)]
		return false
	})
	if found == nil {
		found = e.RecvClass(e.Func)
	}
	return found
}

// RecvClass is the class that a function written outside of it is a method of.
func (e *Evaluator) RecvClass(fn ir.Func) *program.Class {
	for range program.MaxNesting {
		if fn == 0 {
			return nil
		}
		info := &e.File.IR.Funcs[fn]
		if info.Recv != 0 {
			for _, v := range e.Family.Elems(e.File.Recv[fn]) {
				if c := e.Family.ClassOf(v); c != nil {
					return c
				}
			}
			return nil
		}
		fn = info.Outer
	}
	return nil
}

// Free finds what a name means that is no local variable. found is false when
// nothing in the index has it; the values may be empty all the same.
func (e *Evaluator) Free(n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	return e.inScope(n, false)
}

// freeType is free where types are meant: members that are no types are out of
// sight there, and nested classes are in scope in every language.
func (e *Evaluator) freeType(n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	return e.inScope(n, true)
}

func (e *Evaluator) inScope(n intern.Name, types bool) (s pointsto.Set, found bool, rule edge.Rule) {
	if e.tooDeep() {
		return 0, false, 0
	}
	defer e.up()
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
	if e.File.Lang.ImplicitThis {
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
		if k == nil {
			return true
		}
		if types {
			if s = e.nestedType(k, n); s != 0 {
				done, rule = true, edge.ByScope
				return false
			}
		} else if e.File.Lang.ImplicitThis {
			s, done = e.memberByName(k, n)
		}
		if !done && g.Names.Text[n] == g.Names.Text[g.Entities[k.ID].Name] && (info.Func != 0 || e.File.Lang.ImplicitThis && !e.File.Lang.Companions) {
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

// named is free of a Name; one that is written as a path begins at the top.
func (e *Evaluator) named(n *ir.Node) (s pointsto.Set, found bool, rule edge.Rule) {
	if n.Flags&ir.Path != 0 && !e.File.Lang.ClosedModules {
		return e.atTop(e.File, e.File.Names[n.Name])
	}
	s, found, rule = e.Free(e.File.Names[n.Name])
	if !found && n.Flags&ir.Path == 0 {
		s = e.Lang.Unknown(e, s, e.File.Names[n.Name])
	}
	return s, found, rule
}

// inReceiver finds a name in the class of which the function around is a method
// that is written elsewhere, and in the namespaces around that class.
func (e *Evaluator) inReceiver(n intern.Name, types bool) (pointsto.Set, edge.Rule, bool) {
	g := e.Family
	fn := e.Func
	for range program.MaxNesting {
		if fn == 0 || e.File.IR.Funcs[fn].Recv != 0 {
			break
		}
		fn = e.File.IR.Funcs[fn].Outer
	}
	if fn == 0 {
		return 0, 0, false
	}
	for _, v := range g.Elems(e.File.Recv[fn]) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Module {
			if s := e.Entries(e.inSpace(edge.ID(i.ID), n), 0); s != 0 {
				return s, edge.ByScope, true
			}
		}
		k := g.ClassOf(v)
		if k == nil {
			continue
		}
		if s, ok := e.memberOrType(k, n, types); ok {
			return s, edge.BySelf, true
		}
		if !e.File.Lang.SpacesAroundReceiver {
			return 0, 0, false
		}
		return e.aroundReceiver(k, n, types)
	}
	return 0, 0, false
}

// aroundReceiver finds a name in the classes and namespaces around a class.
func (e *Evaluator) aroundReceiver(k *program.Class, n intern.Name, types bool) (pointsto.Set, edge.Rule, bool) {
	g, f := e.Family, k.File
	for c := f.IR.Classes[g.Entities[k.ID].Ref].Outer; c != 0; c = f.IR.Classes[c].Outer {
		if f.IR.Classes[c].Kind != ir.Namespace {
			if o := g.Classes[g.Canonical(f, c)]; o != nil {
				if s, ok := e.memberOrType(o, n, types); ok {
					return s, edge.BySelf, true
				}
			}
		} else if s := e.Entries(e.inSpace(g.SpaceOf(f, c), n), 0); s != 0 {
			return s, edge.ByScope, true
		} else if sub := g.Lookspace(g.SpaceOf(f, c), n); sub != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), edge.ByScope, true
		}
	}
	return 0, 0, false
}

// memberOrType is a member of a class that a name means in its methods, or a class in
// it where a type is meant; the name of the class is in scope, too.
func (e *Evaluator) memberOrType(k *program.Class, n intern.Name, types bool) (pointsto.Set, bool) {
	if types {
		if s := e.nestedType(k, n); s != 0 {
			return s, true
		}
	} else if s, ok := e.memberByName(k, n); ok {
		return s, true
	}
	if n == e.Family.Entities[k.ID].Name {
		return e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(k.ID)}), true
	}
	return 0, false
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

// memberByName is a member that is in scope in the methods of its class.
func (e *Evaluator) memberByName(k *program.Class, n intern.Name) (pointsto.Set, bool) {
	if recv, ok := e.ownReceiver(k, n); ok {
		return e.AttrAt(recv, n, e.readAt), true
	}
	return 0, false
}

// ownReceiver is the receiver that a name without one has in the methods of a
// class, if it is a member there. Constructors go by other names.
func (e *Evaluator) ownReceiver(k *program.Class, n intern.Name) (pointsto.Set, bool) {
	list, at := e.Family.Member(k, n)
	if at < 0 {
		return 0, false
	}
	if fn := e.Family.Func(list[0].ID); fn != nil && fn.Flags&ir.Constructor != 0 && !e.File.Lang.NamedConstructors {
		return 0, false
	}
	if this := e.Self(e.Func); this != 0 {
		for _, v := range e.Family.Elems(this) {
			if c := e.Family.ClassOf(v); c != nil && c == k {
				return this, true
			}
		}
	}
	return e.Family.Values.Single(e.Family.Self(k, pointsto.Decl)), true
}

// implicitReceiver is the receiver of a call without one, of a method that the
// classes around have; 0 where none has it.
func (e *Evaluator) implicitReceiver(n intern.Name, args []Argument) pointsto.Set {
	if !e.File.Lang.ImplicitThis || e.File.Lang.Dynamic {
		return 0
	}
	if _, ok := e.typeParam(n); ok {
		return 0
	}
	g := e.Family
	recv := pointsto.Set(0)
	e.Enclosing(func(c ir.Class) bool {
		k := g.Classes[g.Canonical(e.File, c)]
		if k == nil || k.Info.Kind == ir.Namespace || !e.HasFunction(k, n, args) {
			return true
		}
		recv = g.Values.Single(SelfValue(g, k))
		return false
	})
	if recv == 0 {
		if k := e.RecvClass(e.Func); k != nil && e.HasFunction(k, n, args) {
			recv = e.Self(e.Func)
		} else if k == nil {
			recv = e.Lang.BoundReceiver(e, n, args)
		}
	}
	return recv
}

// HasFunction reports whether a class has or inherits a function of the name that a
// call means.
func (e *Evaluator) HasFunction(k *program.Class, n intern.Name, args []Argument) bool {
	for _, s := range e.Family.MRO(k) {
		for _, m := range e.Family.Declared(s.Class, n) {
			if m.Kind == ir.FuncMember && e.Lang.Applies(e, m, args) {
				return true
			}
		}
	}
	return false
}

func (e *Evaluator) typeParam(n intern.Name) (pointsto.Set, bool) {
	f := e.File.IR
	for fn := e.Func; fn != 0; fn = f.Funcs[fn].Outer {
		for i, p := range f.Funcs[fn].TypeParams() {
			if e.File.Names[p.Name] == n {
				return e.Single(pointsto.Info{Kind: pointsto.Param, ID: uint32(e.File.Funcs[fn]), Base: pointsto.Value(i)}), true
			}
		}
		if s := e.Lang.ReceiverParam(e, fn, n); s != 0 {
			return s, true
		}
	}
	var s pointsto.Set
	e.Enclosing(func(c ir.Class) bool {
		for i, p := range f.Classes[c].TypeParams {
			if e.File.Names[p.Name] == n {
				s = e.Single(pointsto.Info{Kind: pointsto.Param, ID: uint32(e.Family.Canonical(e.File, c)), Base: pointsto.Value(i)})
				return false
			}
		}
		return true
	})
	return s, s != 0
}

// atTop finds a name at the top of a file: in the file, its package, and what it
// imports whole.
func (e *Evaluator) atTop(f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	g := e.Family
	if s, found, rule, ok := e.Lang.Top(e, f, n); ok {
		return s, found, rule
	}
	own := g.Find(g.Bag(f.ID), n)
	if len(own) > 0 {
		rule = edge.ByScope
		if own[0].Kind == ir.ImportMember {
			rule = edge.ByImport
		}
		all := slices.Clip(own) // the bag's own
		if f.Lang.Pack == program.ByFolder || f.Lang.Merges {
			for _, x := range g.Find(g.Bag(f.Pkg), n) {
				if x.Kind != ir.ImportMember && g.Entities[x.ID].File != f {
					all = append(all, x)
				}
			}
		}
		s = e.Entries(all, 0)
		if f.Lang.Dynamic {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}))
		}
		return s, true, rule
	}
	if i, ok := f.Imports[n]; ok {
		return e.imported(f, i, 0), true, edge.ByImport
	}
	if f.Pkg != 0 {
		for pkg := f.Pkg; pkg != 0; pkg = g.Entities[pkg].Outer {
			if list := g.Find(g.Bag(pkg), n); len(list) > 0 {
				return e.Entries(e.Lang.NearestClasses(e, list), 0), true, edge.ByScope
			}
			if sub := g.Lookspace(pkg, n); sub != 0 {
				return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true, edge.ByScope
			}
			if f.Lang.FlatPackages {
				break
			}
		}
	}
	outside := intern.Name(0) // something outside the index, all names of which are in scope
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		if f.IR.String(info.Name) != "*" || f.IR.String(info.Alias) != "" {
			continue
		}
		for _, in := range f.Targets[i].In {
			if !f.Lang.StarBrings(g, in, n) {
				continue
			}
			if s, ok := e.Within(in, n, 0); ok {
				return s, true, edge.ByImport
			}
		}
		if outside == 0 {
			outside = f.Targets[i].External
		}
	}
	if f.Lang.Pack == program.ByName {
		for _, in := range f.Lang.GlobalImports(g) {
			if s, ok := e.Within(in, n, 0); ok {
				return s, true, edge.ByImport
			}
		}
	}
	if s := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}); s != 0 && f.Lang.Dynamic {
		return s, true, edge.ByScope
	}
	if s, found, rule, ok := e.Lang.Beyond(e, f, n); ok {
		return s, found, rule
	}
	if f.Lang.UnknownFree && !f.Lang.Predeclared[g.Names.Text[n]] {
		if outside != 0 && f.Lang.Predeclared != nil {
			return e.External(g.Names.Intern(g.Names.Text[outside] + "." + g.Names.Text[n])), true, edge.ByImport
		}
		return 0, false, 0
	}
	if f.Lang.Builtin != nil && !f.Lang.Builtin[g.Names.Text[n]] {
		return e.StarExternal(f, n), false, 0
	}
	return e.External(n), false, 0
}

// StarExternal is a name that only a module outside the index can have brought, by
// an import of all its names.
func (e *Evaluator) StarExternal(f *program.File, n intern.Name) pointsto.Set {
	for i := 1; i < len(f.IR.Imports); i++ {
		if t := &f.Targets[i]; t.External != 0 && len(t.In) == 0 && f.IR.String(f.IR.Imports[i].Name) == "*" {
			return e.External(e.Family.Names.Intern(e.Family.Names.Text[t.External] + "." + e.Family.Names.Text[n]))
		}
	}
	return 0
}

// Entries are the values of members of one name.
func (e *Evaluator) Entries(list []program.Entry, chain int) pointsto.Set {
	s := pointsto.Set(0)
	for _, m := range list[:min(len(list), program.MaxSame)] {
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
				e.edge(edge.Edge{From: e.from(), To: m.ID, Kind: edge.References, Rule: edge.ByValue, Pos: e.At})
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
		if init := f.IR.Vars[m.Ref].Init; e.UnitNumber == 0 && init != 0 && f.Lang.AliasVars {
			return g.Union(f.VarTypes[m.Ref], e.otherName(f, init))
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

// imported is what an import of a file brings.
func (e *Evaluator) imported(f *program.File, i ir.Import, chain int) pointsto.Set {
	g := e.Family
	if chain > program.MaxChain || int(i) >= len(f.Targets) {
		return 0
	}
	info := &f.IR.Imports[i]
	t := &f.Targets[i]
	n := f.IR.String(info.Name)
	if len(t.In) == 0 {
		if t.External == 0 {
			if f.Lang.Pack == program.ByName && info.Module == 0 && n != "" && n != "*" {
				return e.External(f.Names[info.Name]) // a class of the global namespace
			}
			return 0
		}
		if n == "" || n == "*" || n == "=" || n == "default" && f.Lang.DefaultExports {
			return e.External(t.External)
		}
		return e.External(g.Names.Intern(g.Names.Text[t.External] + "." + n))
	}
	s := pointsto.Set(0)
	if t.Whole {
		n = ""
	}
	switch n {
	case "", "*":
		for _, in := range t.In {
			s = g.Union(s, e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(in)}))
		}
		return s
	case "=":
		for _, in := range t.In {
			whole := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: in, Sub: uint32(g.Names.Intern("export:="))})
			s = g.Union(s, g.Union(whole, e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(in)})))
		}
		return s
	}
	for _, in := range t.In {
		if s, ok := e.Within(in, f.Names[info.Name], chain+1); ok {
			return s
		}
	}
	return 0
}

// Within finds a name in a file, package or namespace from outside.
func (e *Evaluator) Within(in edge.ID, n intern.Name, chain int) (pointsto.Set, bool) {
	g := e.Family
	if chain > program.MaxChain {
		return 0, false
	}
	at := &g.Entities[in]
	if at.Kind == edge.ClassNode {
		if c := g.Classes[g.CanonicalID(in)]; c != nil {
			return e.AttrFound(g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Class, ID: uint32(c.ID)})), n)
		}
		return 0, false
	}
	if s, found, ok := e.Lang.Within(e, in, n, chain); ok {
		return s, found
	}
	list := g.Find(g.Bag(in), n)
	if at.Kind == edge.NamespaceNode && e.File.Lang.Pack == program.ByName {
		list = withoutImports((*program.File)(nil), list)
	}
	if at.Kind == edge.NamespaceNode {
		list = e.inSpace(in, n)
	}
	if f := at.File; f != nil && at.Kind == edge.FileNode && f.Lang.HidesUnexported {
		list = exportedOnly(list)
	}
	s, found := pointsto.Set(0), len(list) > 0
	if found {
		s = e.Entries(e.Lang.NearestClasses(e, list), chain)
	}
	if f := at.File; f != nil && at.Kind == edge.FileNode {
		text := g.Names.Text[n]
		for _, x := range f.IR.Exports {
			switch exported := f.IR.String(x.Name); {
			case exported == text:
				s = g.Union(s, e.exported(f, x, chain))
				found = true
			case text == "default" && exported == "=":
				s = g.Union(s, e.exported(f, x, chain))
				found = true
			case exported == "=":
				if v, ok := e.AttrFound(e.exported(f, x, chain), n); ok {
					s, found = g.Union(s, v), true
				}
			}
		}
		if f.Lang.Dynamic && found {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(n)}))
			found = true
		}
		if !found {
			for i := 1; i < len(f.IR.Imports); i++ {
				info := &f.IR.Imports[i]
				name := f.IR.String(info.Name)
				if info.Flags&ir.Reexport != 0 && name != "*" {
					as := info.Alias
					if as == 0 {
						as = info.Name
					}
					if f.Names[as] == n {
						return e.imported(f, ir.Import(i), chain+1), true
					}
					continue
				}
				star := name == "*" && info.Alias == 0 && (info.Flags&(ir.Reexport|ir.Include) != 0 || f.Lang.StarsReexport)
				if !star {
					continue
				}
				for _, next := range f.Targets[i].In {
					if !f.Lang.StarBrings(g, next, n) {
						continue
					}
					if s, ok := e.Within(next, n, chain+1); ok {
						return s, true
					}
				}
			}
		}
	}
	if !found {
		if sub := g.Lookspace(in, n); sub != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true
		}
		if f := e.File.Lang.Submodule(g, in, n); f != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(f)}), true
		}
	}
	return s, found
}

// exportedOnly leaves out what a module keeps to itself.
func exportedOnly(list []program.Entry) []program.Entry {
	var out []program.Entry
	for _, m := range list {
		if m.Open {
			out = append(out, m)
		}
	}
	return out
}

// exported evaluates an export without the edges of its file.
func (e *Evaluator) exported(f *program.File, x ir.Export, chain int) pointsto.Set {
	if e.UnitNumber == 0 {
		// A declaration that goes through a name: follow the name alone.
		in := Static(e.Family, f, 1, 0)
		defer Done(e.Family, in)
		return in.Eval(x.X)
	}
	return e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: f.ID, Sub: uint32(e.Family.Names.Intern("export:" + f.IR.String(x.Name)))})
}

// classAround returns the class that a function is a method of, directly or by the
// functions around it, or 0.
func classAround(f *ir.File, fn ir.Func) ir.Class {
	for range program.MaxNesting {
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
func (e *Evaluator) otherName(f *program.File, x ir.Expr) pointsto.Set {
	if e.Family.Depth > program.MaxNesting {
		return 0
	}
	in := Static(e.Family, f, 1, 0)
	defer Done(e.Family, in)
	return in.Eval(x)
}

// inNamespace finds a name in a namespace that is written out in the file, and in
// those that its path leads through: namespace A.B is in A.
func (e *Evaluator) inNamespace(c ir.Class, n intern.Name) (pointsto.Set, bool) {
	g := e.Family
	stop := e.File.Pkg
	if outer := e.File.IR.Classes[c].Outer; outer != 0 {
		stop = g.SpaceOf(e.File, outer)
	}
	first := g.SpaceOf(e.File, c)
	for ns := first; ns != 0 && (ns != stop || ns == first); ns = g.Entities[ns].Outer {
		if list := withoutImports(e.File, g.Find(g.Bag(ns), n)); len(list) > 0 {
			return e.Entries(list, 0), true
		}
		if sub := g.Lookspace(ns, n); sub != 0 {
			return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true
		}
		if !e.File.Lang.NestedSpaces {
			break
		}
	}
	return 0, false
}

// withoutImports leaves out what other files import: that is theirs alone.
func withoutImports(f *program.File, list []program.Entry) []program.Entry {
	out := list[:0:0]
	for _, m := range list {
		if m.Kind != ir.ImportMember || f != nil && m.ID == f.ID {
			out = append(out, m)
		}
	}
	return out
}

// noMethods leaves the methods of the name out of what a name can mean that is not
// called.
func (e *Evaluator) noMethods(s pointsto.Set, n intern.Name) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; (i.Kind == pointsto.Func || i.Kind == pointsto.Bound) && g.Entities[i.ID].Name == n {
			continue
		}
		out = g.Union(out, g.Values.Single(v))
	}
	return out
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
		s = e.noMethods(s, nm)
	}
	return s, rule
}

// inSpace finds a name in a namespace.
func (e *Evaluator) inSpace(ns edge.ID, n intern.Name) []program.Entry {
	list := e.Family.Find(e.Family.Bag(ns), n)
	if more := e.Family.Apart[program.SpaceKey{Space: ns, Name: n}]; len(more) > 0 {
		list = append(slices.Clone(list), more...)
	}
	return e.Lang.Linked(e, list)
}
