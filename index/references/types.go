package references

import (
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Bounds of how the types of receivers are found.
const (
	maxSteps   = 10  // from an expression to what declares its type
	maxLowered = 256 // files that are looked at for what they declare
)

// A declared is a type as a file writes it. The zero value is none that is known.
type declared struct {
	file *file
	x    ir.Expr
}

// typeOf returns the type that the value of an expression is declared to have, or is made of.
func (s *search) typeOf(f *file, x ir.Expr, depth int) (none declared) {
	if x == 0 || depth > maxSteps {
		return none
	}
	depth++
	switch e := &f.ir.Exprs[x]; e.Op {
	case ir.Local:
		return s.typeOfVar(f, ir.Var(e.Ref), depth)
	case ir.New:
		return declared{f, e.A}
	case ir.Cast:
		return declared{f, e.B}
	case ir.Deref, ir.Await:
		return s.typeOf(f, e.A, depth)
	case ir.Result:
		return s.resultOf(f, e.A, int(e.Ref), depth)
	case ir.Call:
		return s.resultOf(f, x, 0, depth)
	case ir.Elem, ir.Index:
		of := s.typeOf(f, e.A, depth)
		if f.ir.String(e.Name) == "key" && e.Op == ir.Elem {
			return s.keyOf(of, depth)
		}
		if a := &f.ir.Exprs[e.A]; f.lang == "go" && a.Op == ir.Local && f.ir.Variadic(ir.Var(a.Ref)) {
			return of
		}
		return s.elementOf(of, depth)
	case ir.Name: // a field without a receiver
		if f.lang == "go" {
			if list := s.goMeant(f, x); len(list) > 0 {
				return s.declaredAt(list[0], 0, depth)
			}
		}
		if of := f.classAt(e.Pos.Line()); of != "" {
			return s.typeOfMember(of, f.ir.String(e.Name), depth)
		}
	case ir.Attr:
		of := ""
		if f.lang == "go" {
			if list := s.goMeant(f, x); len(list) > 0 {
				return s.declaredAt(list[0], 0, depth)
			}
			return s.goMember(s.typeOf(f, e.A, depth), f.ir.String(e.Name), 0, depth)
		}
		if f.ir.Exprs[e.A].Op == ir.This {
			of = f.classAt(e.Pos.Line())
		} else {
			of, _ = s.nameOf(s.typeOf(f, e.A, depth), depth)
		}
		if of != "" {
			return s.typeOfMember(of, f.ir.String(e.Name), depth)
		}
	}
	return none
}

// typeOfVar returns the type of a variable: the declared one, or that of the value that its
// function first assigns to it.
func (s *search) typeOfVar(f *file, n ir.Var, depth int) (none declared) {
	v := &f.ir.Vars[n]
	if v.Type != 0 {
		return declared{f, v.Type}
	}
	if v.Init != 0 {
		return s.typeOf(f, v.Init, depth)
	}
	fn := max(v.Func, 1)
	if f.ir.Bodies == nil || int(fn) >= len(f.ir.Bodies) {
		return none
	}
	for _, st := range f.ir.Body(fn) {
		a := &f.ir.Exprs[st.A]
		if st.Op == ir.Bind && (a.Op == ir.Local && ir.Var(a.Ref) == n || a.Op == ir.Name && v.Func == 0 && a.Pos == v.Pos) {
			return s.typeOf(f, st.B, depth)
		}
	}
	return none
}

// elementOf returns the type of what a list or a map of a type has.
func (s *search) elementOf(d declared, depth int) (none declared) {
	for ; d.x != 0 && depth <= maxSteps; depth++ {
		switch e := &d.file.ir.Exprs[d.x]; e.Op {
		case ir.Deref:
			d.x = e.A
		case ir.Apply:
			if e.Lo == e.Hi {
				return none
			}
			return declared{d.file, d.file.ir.Args[e.Hi-1].X}
		case ir.Name, ir.ClassX, ir.Attr:
			if t := s.goTypeOf(d, depth); t != nil {
				d = declared{t.file, t.class.Target}
				continue
			}
			name, _ := s.nameOf(d, depth)
			d = s.behind(name)
		default:
			return none
		}
	}
	return none
}

// keyOf returns the type of what a loop with one variable yields of a type: the keys of a map, and
// what a channel or an iterator of Go gives.
func (s *search) keyOf(d declared, depth int) (none declared) {
	if t := s.goTypeOf(d, depth); t != nil && t.class.Target != 0 {
		d = declared{t.file, t.class.Target}
	}
	if d.x == 0 {
		return none
	}
	e := &d.file.ir.Exprs[d.x]
	if e.Op != ir.Apply || e.Lo == e.Hi || e.A == 0 && d.file.ir.String(e.Name) == "list" {
		return none
	}
	return declared{d.file, d.file.ir.Args[e.Lo].X}
}

// behind returns what a type stands for that is named after another one.
func (s *search) behind(name string) (none declared) {
	for _, d := range calls.Definitions(s.index, name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, s.lang) || !types[string(t.Kind())] {
			continue
		}
		g := s.lowered(d.Record)
		if g == nil || none.x != 0 {
			return declared{}
		}
		for i := 1; i < len(g.ir.Classes); i++ {
			if c := &g.ir.Classes[i]; c.Pos.Line() == int(t.NameLine) && (c.Kind == ir.Named || c.Kind == ir.Alias) {
				none = declared{g, c.Target}
			}
		}
	}
	return none
}

// nameOf returns the last name of a type, and how sure it is that this is the target's class
// if it has that name.
func (s *search) nameOf(d declared, depth int) (name, confidence string) {
	f := d.file
	if d.x == 0 || depth > maxSteps {
		return "", ""
	}
	switch e := &f.ir.Exprs[d.x]; e.Op {
	case ir.Name:
		name = f.ir.String(e.Name)
		if info := f.importOf(name); info != nil && info.Name != 0 {
			return f.ir.String(info.Name), f.leads(info)
		}
		if name == s.parent {
			confidence = f.bind(name)
		}
		return name, confidence
	case ir.Attr:
		name = f.ir.String(e.Name)
		of := &f.ir.Exprs[e.A]
		switch info := f.importOf(f.ir.String(of.Name)); {
		case name != s.parent:
		case of.Op == ir.Imported:
			confidence = f.leads(&f.ir.Imports[of.Ref])
		case info != nil:
			confidence = f.leads(info)
		default:
			confidence = byName
		}
		return name, confidence
	case ir.Apply, ir.Deref:
		return s.nameOf(declared{f, e.A}, depth+1)
	case ir.ClassX:
		if f.path == s.at.Record.Path {
			confidence = exact
		}
		return lastPart(f.ir.String(f.ir.Classes[e.Ref].Name)), confidence
	case ir.Imported:
		info := &f.ir.Imports[e.Ref]
		return f.ir.String(info.Name), f.leads(info)
	case ir.Union:
		for _, a := range f.ir.Args[e.Lo:e.Hi] {
			one, c := s.nameOf(declared{f, a.X}, depth+1)
			switch {
			case one == "" || one == "None" || one == "null" || one == "undefined":
			case name != "":
				return "", ""
			default:
				name, confidence = one, c
			}
		}
		return name, confidence
	}
	return "", ""
}

// resultOf returns the type of a result of a call.
func (s *search) resultOf(f *file, call ir.Expr, n, depth int) (none declared) {
	e := &f.ir.Exprs[call]
	if e.Op != ir.Call || e.A == 0 || depth > maxSteps {
		return none
	}
	if f.lang == "go" {
		if d := s.goResult(f, e.A, n, depth); d.x != 0 {
			return d
		}
	}
	callee := &f.ir.Exprs[e.A]
	name, of := "", ""
	switch callee.Op {
	case ir.ClassX:
		return declared{f, e.A}
	case ir.Name:
		name = f.ir.String(callee.Name)
	case ir.Imported:
		name = f.ir.String(f.ir.Imports[callee.Ref].Name)
	case ir.Lambda:
		name = f.ir.String(f.ir.Funcs[callee.Ref].Name)
	case ir.Attr:
		name = f.ir.String(callee.Name)
		of, _ = s.nameOf(s.typeOf(f, callee.A, depth+1), depth+1)
		if r := &f.ir.Exprs[callee.A]; of == "" && r.Op != ir.Name && r.Op != ir.Imported {
			return none // a method of something
		}
	}
	if name == "" {
		return none
	}
	var found declared
	for _, d := range calls.Definitions(s.index, name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, s.lang) || lastPart(t.Parent) != of || !store.Runs(t.Kind()) && !types[string(t.Kind())] {
			continue
		}
		if !store.Runs(t.Kind()) {
			return declared{f, e.A} // the making of an instance
		}
		if found.x != 0 || s.lowered(d.Record) == nil {
			return none
		}
		found = s.declaredAt(d, n, depth)
	}
	return found
}

// declaredAt returns the type of a variable or a field, or of a result of a function.
func (s *search) declaredAt(d store.SymbolRef, n, depth int) (none declared) {
	g, t := s.lowered(d.Record), &d.Record.Symbols[d.Symbol]
	if g == nil || depth > maxSteps {
		return none
	}
	for i := 1; store.Runs(t.Kind()) && i < len(g.ir.Funcs); i++ {
		if fn := &g.ir.Funcs[i]; fn.Pos.Line() == int(t.NameLine) && g.ir.String(fn.Name) == t.Name && n < len(fn.Results) {
			return declared{g, fn.Results[n]}
		}
	}
	for i := 1; !store.Runs(t.Kind()) && i < len(g.ir.Vars); i++ {
		if v := &g.ir.Vars[i]; v.Func == 0 && v.Pos.Line() == int(t.NameLine) && g.ir.String(v.Name) == t.Name {
			return s.typeOfVar(g, ir.Var(i), depth+1)
		}
	}
	return none
}

// typeOfMember returns the declared type of a field.
func (s *search) typeOfMember(of, name string, depth int) (none declared) {
	var found declared
	for _, d := range calls.Definitions(s.index, name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, s.lang) || lastPart(t.Parent) != of || store.Runs(t.Kind()) {
			continue
		}
		if found.x != 0 || s.lowered(d.Record) == nil {
			return none
		}
		found = s.declaredAt(d, 0, depth)
	}
	return found
}

// lowered returns a file with what it was lowered to, nil where too many were looked at.
func (s *search) lowered(r *store.Record) *file {
	f, ok := s.files[r]
	if !ok && len(s.files) < maxLowered && len(r.Lowered) > 0 {
		f = fileOf(s, &texts.Source{Path: r.Path, Record: r, Traits: r.Traits}, nil, r.Lang)
		if f.ir = s.common.lower(r); f.ir == nil {
			f = nil
		}
		s.files[r] = f
	}
	return f
}

// has reports whether a type has a member of the target's name itself.
func (s *search) has(of string) bool {
	for _, d := range calls.Definitions(s.index, s.name) {
		if parent := d.Record.Symbols[d.Symbol].Parent; lastPart(parent) == of && graph.SameFamily(d.Record.Lang, s.lang) {
			return true
		}
	}
	return false
}

// lastPart is the last part of a name with those around it.
func lastPart(name string) string {
	_, last, _ := calls.LastPart(strings.ReplaceAll(name, "::", "."))
	return last
}
