package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

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
		recv = g.Values.Single(program.SelfValue(g, k))
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

// memberByName is a member that is in scope in the methods of its class.
func (e *Evaluator) memberByName(k *program.Class, n intern.Name) (pointsto.Set, bool) {
	if recv, ok := e.OwnReceiver(k, n); ok {
		return e.AttrAt(recv, n, e.readAt), true
	}
	return 0, false
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
