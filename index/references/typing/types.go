package typing

import (
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of how types are found.
const (
	maxSteps    = 10  // from an expression to what declares its type
	maxLowered  = 256 // files that are looked at for what they declare
	maxEmbedded = 64  // types that one has members of
)

// A Declared is a type as a file writes it. The zero value is none that is known.
type Declared struct {
	File *File
	X    ir.Expr
}

// TypeOf returns the type that the value of an expression is declared to have, or is made of.
func (r *Reader) TypeOf(f *File, x ir.Expr, depth int) (none Declared) {
	if x == 0 || depth > maxSteps {
		return none
	}
	depth++
	switch e := &f.IR.Exprs[x]; e.Op {
	case ir.Local:
		return r.TypeOfVar(f, ir.Var(e.Ref), depth)
	case ir.New:
		return Declared{f, e.A}
	case ir.Cast:
		return Declared{f, e.B}
	case ir.Deref, ir.Await:
		return r.TypeOf(f, e.A, depth)
	case ir.Result:
		return r.resultOf(f, e.A, int(e.Ref), depth)
	case ir.Call:
		return r.resultOf(f, x, 0, depth)
	case ir.Elem, ir.Index:
		of := r.TypeOf(f, e.A, depth)
		if f.IR.String(e.Name) == "key" && e.Op == ir.Elem {
			return r.keyOf(of, depth)
		}
		if a := &f.IR.Exprs[e.A]; f.Lang == "go" && a.Op == ir.Local && f.IR.Variadic(ir.Var(a.Ref)) {
			return of
		}
		return r.ElementOf(of, depth)
	case ir.Name: // a field without a receiver
		if f.Lang == "go" {
			if list := r.GoMeant(f, x); len(list) > 0 {
				return r.DeclaredAt(list[0], 0, depth)
			}
		}
		if of := f.ClassAt(e.Pos.Line()); of != "" {
			return r.typeOfMember(of, f.IR.String(e.Name), depth)
		}
	case ir.Attr:
		of := ""
		if f.Lang == "go" {
			if list := r.GoMeant(f, x); len(list) > 0 {
				return r.DeclaredAt(list[0], 0, depth)
			}
			return r.goMember(r.TypeOf(f, e.A, depth), f.IR.String(e.Name), 0, depth)
		}
		if f.IR.Exprs[e.A].Op == ir.This {
			of = f.ClassAt(e.Pos.Line())
		} else {
			of, _ = r.NameOf(r.TypeOf(f, e.A, depth), depth)
		}
		if of != "" {
			return r.typeOfMember(of, f.IR.String(e.Name), depth)
		}
	}
	return none
}

// TypeOfVar returns the type of a variable: the declared one, or that of the value that its
// function first assigns to it.
func (r *Reader) TypeOfVar(f *File, n ir.Var, depth int) (none Declared) {
	v := &f.IR.Vars[n]
	if v.Type != 0 {
		return Declared{f, v.Type}
	}
	return r.TypeOf(f, f.first(n), depth)
}

// first returns the value that a variable is declared with, or that its function first assigns to it; 0: there is none.
func (f *File) first(n ir.Var) ir.Expr {
	v := &f.IR.Vars[n]
	if v.Init != 0 {
		return v.Init
	}
	fn := max(v.Func, 1)
	if f.IR.Bodies == nil || int(fn) >= len(f.IR.Bodies) {
		return 0
	}
	for _, st := range f.IR.Body(fn) {
		a := &f.IR.Exprs[st.A]
		if st.Op == ir.Bind && (a.Op == ir.Local && ir.Var(a.Ref) == n || a.Op == ir.Name && v.Func == 0 && a.Pos == v.Pos) {
			return st.B
		}
	}
	return 0
}

// ElementOf returns the type of what a list or a map of a type has.
func (r *Reader) ElementOf(d Declared, depth int) (none Declared) {
	for ; d.X != 0 && depth <= maxSteps; depth++ {
		switch e := &d.File.IR.Exprs[d.X]; e.Op {
		case ir.Deref:
			d.X = e.A
		case ir.Apply:
			if e.Lo == e.Hi {
				return none
			}
			return Declared{d.File, d.File.IR.Args[e.Hi-1].X}
		case ir.Name, ir.ClassX, ir.Attr:
			if t := r.GoTypeOf(d, depth); t != nil {
				d = Declared{t.File, t.Class.Target}
				continue
			}
			name, _ := r.NameOf(d, depth)
			d = r.behind(name)
		default:
			return none
		}
	}
	return none
}

// keyOf returns the type of what a loop with one variable yields of a type: the keys of a map, and
// what a channel or an iterator of Go gives.
func (r *Reader) keyOf(d Declared, depth int) (none Declared) {
	if t := r.GoTypeOf(d, depth); t != nil && t.Class.Target != 0 {
		d = Declared{t.File, t.Class.Target}
	}
	if d.X == 0 {
		return none
	}
	e := &d.File.IR.Exprs[d.X]
	if e.Op != ir.Apply || e.Lo == e.Hi || e.A == 0 && d.File.IR.String(e.Name) == "list" {
		return none
	}
	return Declared{d.File, d.File.IR.Args[e.Lo].X}
}

// behind returns what a type stands for that is named after another one.
func (r *Reader) behind(name string) (none Declared) {
	for _, d := range r.index.Definitions(name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, r.lang) || !IsType(string(t.Kind())) {
			continue
		}
		g := r.Lowered(d.Record)
		if g == nil || none.X != 0 {
			return Declared{}
		}
		for i := 1; i < len(g.IR.Classes); i++ {
			if c := &g.IR.Classes[i]; c.Pos.Line() == int(t.NameLine) && (c.Kind == ir.Named || c.Kind == ir.Alias) {
				none = Declared{g, c.Target}
			}
		}
	}
	return none
}

// NameOf returns the last name of a type, and where that is written: without what a pointer, arguments
// or a choice with nothing add to it.
func (r *Reader) NameOf(d Declared, depth int) (name string, at Declared) {
	if d.X == 0 || depth > maxSteps {
		return "", at
	}
	f := d.File
	switch e := &f.IR.Exprs[d.X]; e.Op {
	case ir.Name:
		name = f.IR.String(e.Name)
		if info := f.ImportOf(name); info != nil && info.Name != 0 {
			name = f.IR.String(info.Name)
		}
		return name, d
	case ir.Attr:
		return f.IR.String(e.Name), d
	case ir.Apply, ir.Deref:
		return r.NameOf(Declared{f, e.A}, depth+1)
	case ir.ClassX:
		return LastPart(f.IR.String(f.IR.Classes[e.Ref].Name)), d
	case ir.Imported:
		return f.IR.String(f.IR.Imports[e.Ref].Name), d
	case ir.Union:
		for _, a := range f.IR.Args[e.Lo:e.Hi] {
			one, of := r.NameOf(Declared{f, a.X}, depth+1)
			switch {
			case one == "" || one == "None" || one == "null" || one == "undefined":
			case name != "":
				return "", Declared{}
			default:
				name, at = one, of
			}
		}
		return name, at
	}
	return "", at
}

// resultOf returns the type of a result of a call.
func (r *Reader) resultOf(f *File, call ir.Expr, n, depth int) (none Declared) {
	e := &f.IR.Exprs[call]
	if e.Op != ir.Call || e.A == 0 || depth > maxSteps {
		return none
	}
	if f.Lang == "go" {
		if d := r.goResult(f, e.A, n, depth); d.X != 0 {
			return d
		}
	}
	callee := &f.IR.Exprs[e.A]
	name, of := "", ""
	switch callee.Op {
	case ir.ClassX:
		return Declared{f, e.A}
	case ir.Name:
		name = f.IR.String(callee.Name)
	case ir.Imported:
		name = f.IR.String(f.IR.Imports[callee.Ref].Name)
	case ir.Lambda:
		name = f.IR.String(f.IR.Funcs[callee.Ref].Name)
	case ir.Attr:
		name = f.IR.String(callee.Name)
		of, _ = r.NameOf(r.TypeOf(f, callee.A, depth+1), depth+1)
		if r := &f.IR.Exprs[callee.A]; of == "" && r.Op != ir.Name && r.Op != ir.Imported {
			return none // a method of something
		}
	}
	if name == "" {
		return none
	}
	var found Declared
	for _, d := range r.index.Definitions(name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, r.lang) || LastPart(t.Parent) != of || !store.Runs(t.Kind()) && !IsType(string(t.Kind())) {
			continue
		}
		if !store.Runs(t.Kind()) {
			return Declared{f, e.A} // the making of an instance
		}
		if found.X != 0 || r.Lowered(d.Record) == nil {
			return none
		}
		found = r.DeclaredAt(d, n, depth)
	}
	return found
}

// DeclaredAt returns the type of a variable or a field, or of a result of a function.
func (r *Reader) DeclaredAt(d store.SymbolRef, n, depth int) (none Declared) {
	g, t := r.Lowered(d.Record), &d.Record.Symbols[d.Symbol]
	if g == nil || depth > maxSteps {
		return none
	}
	for i := 1; store.Runs(t.Kind()) && i < len(g.IR.Funcs); i++ {
		if fn := &g.IR.Funcs[i]; fn.Pos.Line() == int(t.NameLine) && g.IR.String(fn.Name) == t.Name && n < len(fn.Results) {
			return Declared{g, fn.Results[n]}
		}
	}
	if v := g.variable(t); v != 0 {
		return r.TypeOfVar(g, v, depth+1)
	}
	return none
}

// variable returns what of a file is a variable that is no function's, or a field; 0: the symbol is something else.
func (f *File) variable(t *store.Symbol) ir.Var {
	for i := 1; !store.Runs(t.Kind()) && i < len(f.IR.Vars); i++ {
		if v := &f.IR.Vars[i]; v.Func == 0 && v.Pos.Line() == int(t.NameLine) && f.IR.String(v.Name) == t.Name {
			return ir.Var(i)
		}
	}
	return 0
}

// typeOfMember returns the declared type of a field.
func (r *Reader) typeOfMember(of, name string, depth int) (none Declared) {
	var found Declared
	for _, d := range r.index.Definitions(name) {
		t := &d.Record.Symbols[d.Symbol]
		if !graph.SameFamily(d.Record.Lang, r.lang) || LastPart(t.Parent) != of || store.Runs(t.Kind()) {
			continue
		}
		if found.X != 0 || r.Lowered(d.Record) == nil {
			return none
		}
		found = r.DeclaredAt(d, 0, depth)
	}
	return found
}
