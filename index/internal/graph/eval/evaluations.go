package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// TypeIn evaluates a declared type where it is written.
func TypeIn(g *program.Family, f *program.File, fn ir.Func, c ir.Class, x ir.Expr) pointsto.Set {
	if x == 0 {
		return 0
	}
	e := Static(g, f, fn, c)
	defer Done(g, e)
	return e.Typ(x)
}

// Static returns an evaluator of declarations: types, bases and what imports bring.
// It reads no cell and makes no edge.
func Static(g *program.Family, f *program.File, fn ir.Func, c ir.Class) *Evaluator {
	g.Load(f)
	if g.Depth == 0 {
		g.Steps = 0
	}
	e := &Evaluator{}
	if idle, ok := g.Evals.(*idleEvals); ok && len(idle.all) > 0 {
		n := len(idle.all)
		e, idle.all = idle.all[n-1], idle.all[:n-1]
	}
	*e = Evaluator{Family: g, File: f, Lang: rulesOf(f.Lang), Func: fn, class: c, Mute: 1}
	return e
}

// Done gives a static evaluator back for the next one. A caller that keeps it must not call done.
func Done(g *program.Family, e *Evaluator) {
	idle, ok := g.Evals.(*idleEvals)
	if !ok {
		idle = &idleEvals{}
		g.Evals = idle
	}
	idle.all = append(idle.all, e)
}

// idleEvals are evaluators of declarations that nobody uses.
type idleEvals struct{ all []*Evaluator }

// NewEval returns an evaluator of the units of a family.
func NewEval(g *program.Family) *Evaluator {
	return &Evaluator{Family: g}
}

// Aliased is what an alias stands for. Within itself it adds nothing.
func Aliased(g *program.Family, c *program.Class) pointsto.Set {
	if c.Target != 0 || c.File == nil {
		return c.Target
	}
	return g.Aliases.Within(c.ID, func() pointsto.Set {
		return TypeIn(g, c.File, 0, ir.Class(g.Entities[c.ID].Ref), c.Info.Target)
	})
}

// declaredType is the declared type of a variable at the top of a file or of a class, whether
// or not the types of that file have been found yet: what another one means by it must not
// depend on which of them comes first. Within itself it adds nothing.
func declaredType(g *program.Family, f *program.File, v ir.Var) pointsto.Set {
	info := &f.IR.Vars[v]
	if s := f.VarTypes[v]; s != 0 || info.Type == 0 || info.Func != 0 {
		return s
	}
	return g.Aliases.Within(f.Vars[v], func() pointsto.Set {
		class := ir.Class(0)
		if outer := &g.Entities[g.Entities[f.Vars[v]].Outer]; outer.Kind == edge.ClassNode && outer.File == f {
			class = ir.Class(outer.Ref)
		}
		return TypeIn(g, f, 0, class, info.Type)
	})
}

// rulesOf returns the Language of a language.
func rulesOf(l *program.Lang) Language { return l.ModuleRules.(Language) }
