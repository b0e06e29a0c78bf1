// Package eval evaluates expressions: what they give, what names mean, and what calls lead
// to. It asks a Language where languages differ, and knows none.
package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/transfer"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Evaluator evaluates the expressions of one unit. Its buffers serve all units in turn.
type Evaluator struct {
	frame.Frame
	Lang Language // of File

	readAt ir.Pos // of the name that is being read: accessors run
	Types  bool   // a type is meant, not a value
	open   []opened
	calls  call.Pool

	broughtBy edge.ID // the class that an import last found a name in

	transfer transfer.Transfer
	symbols  bool // the operands of the call are evaluated for a summary, too

	forEffect bool // the next call is a statement: nobody uses what it returns
}

// Enter makes a unit what is evaluated.
func (e *Evaluator) Enter(n uint32, u *program.Unit) {
	e.Family.Load(u.File)
	e.Family.Steps = 0
	e.Lang = rulesOf(u.File.Lang)
	e.Frame.Enter(n, u, e.Lang)
}

// Again begins a pass over the unit, see frame.Frame.
func (e *Evaluator) Again() bool {
	e.transfer.Forget()
	return e.Frame.Again()
}

// Effect evaluates an expression whose value nobody uses.
func (e *Evaluator) Effect(x ir.Expr) {
	e.forEffect = e.File.Lang.CallsForEffect
	e.Eval(x)
	e.forEffect = false
}

// Begin is that of the frame. What a call gave before a part that stands is not told here.
func (e *Evaluator) Begin() bool {
	again := e.Frame.Begin()
	if !again {
		e.transfer.Forget()
	}
	return again
}

// local reads a local variable, of this unit or of one around it.
func (e *Evaluator) local(v ir.Var) pointsto.Set {
	if e.UnitNumber == 0 {
		return e.static(e.File, v)
	}
	return e.ReadLocal(v)
}

// SetLocal adds to a local variable.
func (e *Evaluator) SetLocal(v ir.Var, s pointsto.Set) {
	if t := e.File.VarTypes[v]; t != 0 && s != 0 && e.Writes() && e.HasFunc(s) {
		e.Contextual(s, t, nil)
	}
	e.AddLocal(v, s)
}

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
	rules := rulesOf(f.Lang)
	*e = Evaluator{Frame: frame.Declarations(g, f, fn, c, rules), Lang: rules}
	e.transfer = transfer.Of(&e.Frame, e)
	return e
}

// Done gives a static evaluator back for the next one. A caller that keeps it must not call Done.
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
	e := &Evaluator{Frame: frame.Frame{Family: g}}
	e.transfer = transfer.Of(&e.Frame, e)
	return e
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
