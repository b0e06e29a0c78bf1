package resolve

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// companion is the companion object of a class of Kotlin, 0 for none. One that has a name of
// its own is not known to be one.
func companion(e *eval.Evaluator, k *program.Class) pointsto.Set {
	g := e.Family
	n, ok := g.Names.Lookup("Companion")
	if !ok {
		return 0
	}
	for _, m := range g.Declared(k, n) {
		if m.Kind == ir.ClassMember {
			return g.Values.Single(g.Self(g.Classes[m.ID], pointsto.Inst))
		}
	}
	return 0
}

// fromCompanion is a member that the companion of a class has or inherits; 0 where it could only
// have it from outside of the index: it may as well be the class's, or a function of the library.
func fromCompanion(e *eval.Evaluator, k *program.Class, n intern.Name) pointsto.Set {
	if s := e.AttrAt(companion(e, k), n, 0); !e.Family.OnlyExternal(s) {
		return s
	}
	return 0
}

// ClassMember is C::new, or what the companion of a class inherits.
func (l *kotlin) ClassMember(e *eval.Evaluator, v pointsto.Value, k *program.Class, n intern.Name) (pointsto.Set, bool) {
	if s, ok := l.jvm.ClassMember(e, v, k, n); ok || len(e.Family.Declared(k, n)) > 0 {
		return s, ok
	}
	s := fromCompanion(e, k, n)
	return s, s != 0
}

// ofCompanion is what the companion of a class around has from its bases.
func ofCompanion(e *eval.Evaluator, n intern.Name) (found pointsto.Set) {
	g := e.Family
	e.Enclosing(func(c ir.Class) bool {
		if k := g.Classes[g.Canonical(e.File, c)]; k != nil {
			found = fromCompanion(e, k, n)
		}
		return found == 0
	})
	return found
}

// Construct makes an instance of a class that is written where it is made, or calls the operator
// invoke of the companion where that takes the arguments better than the constructors.
func (l *kotlin) Construct(e *eval.Evaluator, c *eval.Call, k *program.Class, made pointsto.Value) bool {
	return l.jvm.Construct(e, c, k, made) || invokeCompanion(e, c, k)
}

func invokeCompanion(e *eval.Evaluator, c *eval.Call, k *program.Class) bool {
	g := e.Family
	n, ok := g.Names.Lookup("invoke")
	recv := companion(e, k)
	if !ok || recv == 0 || c.ForNew {
		return false
	}
	var invokes []program.Entry
	for _, v := range g.Elems(fromCompanion(e, k, n)) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Bound {
			invokes = append(invokes, program.Entry{Kind: ir.FuncMember, ID: edge.ID(i.ID)})
		}
	}
	if len(invokes) == 0 {
		return false
	}
	makes := g.ConstructorsIn(k)
	if len(makes) == 0 && len(c.Args) == 0 {
		return false
	}
	chosen, possible := e.Overload(c, slices.Concat(makes, invokes))
	if slices.ContainsFunc(chosen, func(m program.Entry) bool { return slices.Contains(makes, m) }) {
		return false // a constructor wins where both fit
	}
	for _, m := range chosen {
		c.Add(m.ID, edge.ByType, possible)
		for _, v := range g.Elems(recv) {
			e.PassSelf(m.ID, v)
			e.PassArgs(c, m.ID, v, nil)
		}
	}
	return len(chosen) > 0
}
