package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// takers counts the functions of Kotlin of one name that take functions: with a
// receiver, and without one.
type takers struct{ with, without int }

// A kotlinFile is what is found out about a file.
type kotlinFile struct {
	takers map[name]takers
	passed map[ir.Func]passed // to what lambdas are passed
}

func kotlinFacts(f *file) *kotlinFile {
	facts, _ := f.facts.(*kotlinFile)
	return facts
}

// Entered counts the functions of a file that take functions.
func (l *kotlin) Entered(g *family, f *file) {
	facts := &kotlinFile{takers: takersOf(f), passed: passedOf(f)}
	f.facts = facts
	l.count(facts, 1)
}

// Left takes them out.
func (l *kotlin) Left(g *family, f *file) { l.count(kotlinFacts(f), -1) }

func (l *kotlin) count(facts *kotlinFile, n int) {
	if l.takers == nil {
		l.takers = map[name]takers{}
	}
	for of, k := range facts.takers {
		t := l.takers[of]
		l.takers[of] = takers{t.with + n*k.with, t.without + n*k.without}
	}
}

// takersOf finds the functions of a file that take functions.
func takersOf(f *file) map[name]takers {
	all := map[name]takers{}
	for i := 2; i < len(f.ir.Funcs); i++ {
		info := &f.ir.Funcs[i]
		if info.Name == 0 {
			continue
		}
		with, without := 0, 0
		for _, p := range info.Params {
			if t := &f.ir.Exprs[p.Type]; t.Op != ir.Apply || t.A != 0 {
				continue
			} else if text := f.ir.String(t.Name); text == extensionForm {
				with = 1
			} else if text == "func" {
				without = 1
			}
		}
		if with|without != 0 {
			t := all[f.names[info.Name]]
			all[f.names[info.Name]] = takers{t.with + with, t.without + without}
		}
	}
	return all
}

// passedOf finds to which function each lambda of a file is passed.
func passedOf(f *file) map[ir.Func]passed {
	all := map[ir.Func]passed{}
	for i := range f.ir.Exprs {
		n := &f.ir.Exprs[i]
		if n.Op != ir.Call {
			continue
		}
		for _, a := range f.ir.Args[n.Lo:n.Hi] {
			if x := &f.ir.Exprs[a.X]; x.Op == ir.Lambda {
				fn := &f.ir.Exprs[n.A]
				if fn.Op == ir.Apply {
					fn = &f.ir.Exprs[fn.A]
				}
				if fn.Op == ir.Name || fn.Op == ir.Attr || fn.Op == ir.Local {
					all[ir.Func(x.Ref)] = passed{f.names[fn.Name], fn.Op == ir.Attr}
				}
			}
		}
	}
	return all
}

// passed is the function that a lambda is passed to.
type passed struct {
	to     name
	member bool // called on something
}

// HasReceiver reports whether a lambda is one with a receiver. It goes by the name
// of the function that it is passed to, which does not depend on what flows where.
func (l *kotlin) HasReceiver(g *family, f *file, fn ir.Func) bool {
	p, ok := kotlinFacts(f).passed[fn]
	if !ok {
		return false
	}
	if t := l.takers[p.to]; t != (takers{}) {
		return t.with > 0
	}
	switch g.names.text[p.to] {
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
func (e *eval) lambdaReceiver(n name) (recv set, pending bool) {
	if len(kotlinFacts(e.f).passed) == 0 || e.fields {
		return 0, false
	}
	g, f := e.g, e.f.ir
	if c := g.names.text[n]; c == "" || c[0] >= 'A' && c[0] <= 'Z' {
		return 0, false
	}
	for fn := e.fn; fn > 1; fn = f.Funcs[fn].Outer {
		info := &f.Funcs[fn]
		if info.Name != 0 || info.Class != 0 && !e.hasReceiver(e.f, fn) {
			return 0, false
		}
		if !e.hasReceiver(e.f, fn) {
			continue
		}
		s := e.cell(cellKey{cSelf, e.f.funcs[fn], 0})
		if s == 0 {
			return 0, true
		}
		for _, v := range g.elems(s) {
			if e.hasMember(v, n) {
				recv = g.union(recv, g.values.single(v))
			}
		}
		if recv != 0 {
			return recv, false
		}
	}
	return 0, false
}

// hasMember reports whether the files of the index give a value a member.
func (e *eval) hasMember(v value, n name) bool {
	g := e.g
	i := g.values.info[v]
	switch i.kind {
	case vInst, vDecl:
		k := g.classes[ID(i.id)]
		if k == nil {
			return false
		}
		_, at := g.member(k, n)
		return at >= 0
	case vExternal, vGeneric:
		return len(e.kotlinExtensions(name(i.id), n)) > 0
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
func (e *eval) callScope(c *calling, v value) (set, bool) {
	if len(c.args) == 0 {
		return 0, false
	}
	g := e.g
	what, ok := scopeFunctions[g.names.text[c.name]]
	lambda := c.args[len(c.args)-1]
	if !ok || !e.hasFunc(lambda.value) {
		return 0, false
	}
	recv := g.values.single(v)
	out := set(0)
	if what.same {
		out = recv
	}
	for _, w := range g.elems(lambda.value) {
		i := g.values.info[w]
		if i.kind != vFunc && i.kind != vBound {
			continue
		}
		if what.receiver && g.entities[i.id].name == 0 {
			e.write(cellKey{cSelf, ID(i.id), 0}, recv)
		} else {
			e.pass(ID(i.id), 0, recv)
		}
		if !what.same {
			out = g.union(out, e.returned(ID(i.id), i.base, nil))
		}
	}
	c.external = c.name
	return out, true
}
