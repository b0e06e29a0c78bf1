package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// higherOrder counts the functions of Kotlin of one name that take functions: with a
// receiver, and without one.
type higherOrder struct{ with, without int }

// A kotlinFile is what is found out about a file.
type kotlinFile struct {
	takers map[intern.Name]higherOrder
	passed map[ir.Func]passed // to what lambdas are passed
	its    map[ir.Var]bool    // the parameters it that are used
}

func kotlinFacts(f *program.File) *kotlinFile {
	facts, _ := f.Facts.(*kotlinFile)
	return facts
}

// Entered counts the functions of a file that take functions.
func (l *kotlin) Entered(g *program.Family, f *program.File) {
	facts := &kotlinFile{takers: takersOf(f), passed: passedOf(f), its: itsOf(f)}
	f.Facts = facts
	l.count(facts, 1)
}

// Left takes them out.
func (l *kotlin) Left(g *program.Family, f *program.File) { l.count(kotlinFacts(f), -1) }

func (l *kotlin) count(facts *kotlinFile, n int) {
	for of, k := range facts.takers {
		t := l.takers[of]
		l.takers[of] = higherOrder{t.with + n*k.with, t.without + n*k.without}
	}
}

// takersOf finds the functions of a file that take functions.
func takersOf(f *program.File) map[intern.Name]higherOrder {
	all := map[intern.Name]higherOrder{}
	for i := 2; i < len(f.IR.Funcs); i++ {
		info := &f.IR.Funcs[i]
		if info.Name == 0 {
			continue
		}
		with, without := 0, 0
		for _, p := range info.Params {
			if t := &f.IR.Exprs[p.Type]; t.Op != ir.Apply || t.A != 0 {
				continue
			} else if text := f.IR.String(t.Name); text == program.ExtensionForm {
				with = 1
			} else if text == "func" {
				without = 1
			}
		}
		if with|without != 0 {
			t := all[f.Names[info.Name]]
			all[f.Names[info.Name]] = higherOrder{t.with + with, t.without + without}
		}
	}
	return all
}

// passedOf finds to which function each lambda of a file is passed.
func passedOf(f *program.File) map[ir.Func]passed {
	all := map[ir.Func]passed{}
	for i := range f.IR.Exprs {
		n := &f.IR.Exprs[i]
		if n.Op != ir.Call {
			continue
		}
		for _, a := range f.IR.Args[n.Lo:n.Hi] {
			if x := &f.IR.Exprs[a.X]; x.Op == ir.Lambda {
				fn := &f.IR.Exprs[n.A]
				if fn.Op == ir.Apply {
					fn = &f.IR.Exprs[fn.A]
				}
				if fn.Op == ir.Name || fn.Op == ir.Attr || fn.Op == ir.Local {
					all[ir.Func(x.Ref)] = passed{f.Names[fn.Name], fn.Op == ir.Attr}
				}
			}
		}
	}
	return all
}

// itsOf finds which parameters that no lambda of a file declares are used.
func itsOf(f *program.File) map[ir.Var]bool {
	used := map[ir.Var]bool{}
	for i := range f.IR.Exprs {
		if n := &f.IR.Exprs[i]; n.Op == ir.Local && f.IR.String(f.IR.Vars[n.Ref].Name) == "it" {
			used[ir.Var(n.Ref)] = true
		}
	}
	return used
}

// passed is the function that a lambda is passed to.
type passed struct {
	to     intern.Name
	member bool // called on something
}

// HasReceiver reports whether a lambda is one with a receiver. It goes by the name
// of the function that it is passed to, which does not depend on what flows where.
func (l *jvm) HasReceiver(g *program.Family, f *program.File, fn ir.Func) bool {
	facts := kotlinFacts(f)
	if facts == nil {
		return false
	}
	p, ok := facts.passed[fn]
	if !ok {
		return false
	}
	if t := l.takers[p.to]; t != (higherOrder{}) {
		return t.with > 0
	}
	switch g.Names.Text[p.to] {
	case "apply", "run":
		return p.member
	case "with":
		return !p.member
	}
	return false
}

// lambdaReceiver finds the receiver of a lambda around that has a function or
// property of the name. pending says that the receiver is not known yet: nothing
// further out may be taken for it.
func lambdaReceiver(e *eval.Evaluator, n intern.Name) (recv pointsto.Set, pending bool) {
	if len(kotlinFacts(e.File).passed) == 0 || e.Fields {
		return 0, false
	}
	g, f := e.Family, e.File.IR
	if c := g.Names.Text[n]; c == "" || c[0] >= 'A' && c[0] <= 'Z' {
		return 0, false
	}
	for fn := e.Func; fn > 1; fn = f.Funcs[fn].Outer {
		info := &f.Funcs[fn]
		if info.Name != 0 || info.Class != 0 && !e.Lang.HasReceiver(e.Family, e.File, fn) {
			return 0, false
		}
		if !e.Lang.HasReceiver(e.Family, e.File, fn) {
			continue
		}
		s := e.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: e.File.Funcs[fn], Sub: 0})
		if s == 0 {
			return 0, true
		}
		for _, v := range g.Elems(s) {
			if hasMember(e, v, n) {
				recv = g.Union(recv, g.Values.Single(v))
			}
		}
		if recv != 0 {
			return recv, false
		}
	}
	return 0, false
}

// hasMember reports whether the files of the index give a value a member.
func hasMember(e *eval.Evaluator, v pointsto.Value, n intern.Name) bool {
	g := e.Family
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Inst, pointsto.Decl:
		k := g.Classes[edge.ID(i.ID)]
		if k == nil {
			return false
		}
		_, at := g.Member(k, n)
		return at >= 0
	case pointsto.External, pointsto.Generic:
		return len(kotlinExtensions(e, intern.Name(i.ID), n)) > 0
	}
	return false
}

// scopeFunction is what a function of the library does with what it is called on:
// that is the parameter of the lambda, or its receiver; and it returns what the
// lambda returns, or what it was called on.
type scopeFunction struct{ receiver, same bool }

var scopeFunctions = map[string]scopeFunction{
	"let": {false, false}, "also": {false, true}, "takeIf": {false, true}, "takeUnless": {false, true}, "use": {false, false},
	"run": {true, false}, "apply": {true, true}, "with": {true, false}, "runCatching": {true, false}, "onEach": {false, true},
}

// callScope calls such a function on a value.
func callScope(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	if len(c.Args) == 0 {
		return 0, false
	}
	g := e.Family
	what, ok := scopeFunctions[g.Names.Text[c.Name]]
	lambda := c.Args[len(c.Args)-1]
	if !ok || !e.HasFunc(lambda.Value) {
		return 0, false
	}
	recv := g.Values.Single(v)
	out := pointsto.Set(0)
	if what.same {
		out = recv
	}
	for _, w := range g.Elems(lambda.Value) {
		i := g.Values.Info[w]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			continue
		}
		if what.receiver && g.Entities[i.ID].Name == 0 {
			e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: edge.ID(i.ID), Sub: 0}, recv)
		} else {
			e.Pass(edge.ID(i.ID), 0, recv)
		}
		if !what.same {
			out = g.Union(out, e.Returned(edge.ID(i.ID), i.Base, nil))
		}
	}
	c.External = c.Name
	return out, true
}
