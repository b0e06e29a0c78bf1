package references

import (
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/references/typing"
)

// maxWritten bounds the types that one is written with.
const maxWritten = 10

// typed finds the types of what is named: of the value of a variable or a field, or of the results of a
// function. A type is its own.
func (p *place) typed(ctx context.Context, a *Meaning) {
	a.TypeOf = []Defined{}
	s := &search{Walk: p.Walk, index: p.common.index, query: &Query{}, at: &store.Target{Record: p.r, Symbol: -1}, gaps: &calls.Gaps{}, common: p.common, lang: p.r.Lang, types: typing.New(p.common.index, p.r.Lang, p.common.lower, p.common.modules)}
	f := s.types.Lowered(p.r)
	if f == nil {
		return
	}
	if l := a.Local; l != nil {
		v := p.variable
		for i := 1; v == 0 && i < len(f.IR.Vars); i++ { // a field of a type without a name
			if f.IR.Vars[i].Pos == ir.At(l.Line, l.Column) {
				v = ir.Var(i)
			}
		}
		if v != 0 {
			p.addTypes(ctx, a, s, s.types.TypeOfVar(f, v, 0), 0)
		}
		return
	}
	for _, d := range a.Definitions {
		r := p.common.index.Record(d.File)
		if typing.IsType(d.Kind) {
			a.TypeOf = append(a.TypeOf, d)
		} else if i := r.NamedAt(typing.LastPart(d.Symbol), d.NameLine); i >= 0 {
			for n := range s.results(r, i) {
				p.addTypes(ctx, a, s, s.types.DeclaredAt(store.SymbolRef{Record: r, Symbol: uint32(i)}, n, 0), 0)
			}
		}
	}
}

// results returns how many results a function declares; 1 for what is none.
func (s *search) results(r *store.Record, i int32) int {
	t, g := &r.Symbols[i], s.types.Lowered(r)
	for n := 1; g != nil && store.Runs(t.Kind()) && n < len(g.IR.Funcs); n++ {
		if fn := &g.IR.Funcs[n]; fn.Pos.Line() == int(t.NameLine) && g.IR.String(fn.Name) == t.Name {
			return len(fn.Results)
		}
	}
	return 1
}

// addTypes adds the types that a type is written with: what a pointer points to, and what a list has.
// Those that a map has are none of its own.
func (p *place) addTypes(ctx context.Context, a *Meaning, s *search, d typing.Declared, depth int) {
	if d.X == 0 || depth > maxWritten {
		return
	}
	inner := func(x ir.Expr) { p.addTypes(ctx, a, s, typing.Declared{File: d.File, X: x}, depth+1) }
	switch e := &d.File.IR.Exprs[d.X]; e.Op {
	case ir.Deref:
		inner(e.A)
	case ir.Apply:
		switch args := d.File.IR.Args[e.Lo:e.Hi]; d.File.IR.String(e.Name) {
		case "list", "chan", "func":
			if e.A == 0 && len(args) > 0 {
				inner(args[len(args)-1].X)
			}
		case "tuple":
			for _, one := range args {
				inner(one.X)
			}
		default:
			inner(e.A)
		}
	case ir.Union:
		for _, one := range d.File.IR.Args[e.Lo:e.Hi] {
			inner(one.X)
		}
	case ir.Elem:
		p.addTypes(ctx, a, s, s.types.ElementOf(typing.Declared{File: d.File, X: e.A}, depth), depth+1)
	case ir.ClassX:
		a.addClass(&typing.GoType{File: d.File, Class: &d.File.IR.Classes[e.Ref]})
	case ir.Local:
		if t := d.File.GoTypeIn(ir.Var(e.Ref)); t != nil {
			a.addClass(t)
		}
	case ir.Name, ir.Attr, ir.Imported:
		if list := s.types.GoMeant(d.File, d.X); len(list) > 0 && d.File.Lang == "go" {
			a.addType(list[0].Record, int32(list[0].Symbol), scoped)
			return
		}
		for _, t := range p.at(ctx, d.File.Record, e.Pos).Definitions {
			if typing.IsType(t.Kind) && !slices.ContainsFunc(a.TypeOf, t.is) {
				a.TypeOf = append(a.TypeOf, t)
			}
		}
	}
}

// addClass adds a type that has a name.
func (a *Meaning) addClass(t *typing.GoType) {
	if name := t.File.IR.String(t.Class.Name); name != "" {
		a.addType(t.File.Record, t.File.Record.NamedAt(typing.LastPart(name), t.Class.Pos.Line()), exact)
	}
}

// addType adds a symbol that is a type.
func (a *Meaning) addType(r *store.Record, i int32, confidence string) {
	if i < 0 || !typing.IsType(string(r.Symbols[i].Kind())) {
		return
	}
	if d := definedAs(r, i, confidence); !slices.ContainsFunc(a.TypeOf, d.is) {
		a.TypeOf = append(a.TypeOf, d)
	}
}

// is reports whether two are one symbol.
func (d Defined) is(other Defined) bool {
	return d.File == other.File && d.NameLine == other.NameLine && d.Symbol == other.Symbol
}

// at returns what is named at another place.
func (p *place) at(ctx context.Context, r *store.Record, pos ir.Pos) (a Meaning) {
	src := r.Text.All()
	line, ok := source.LineAt(src, pos.Line()-1)
	if !ok {
		return a
	}
	if m, ok := wordAround(r.Lang, src, line, pos.Column()); ok {
		other := &place{pass: p.pass, r: r, src: src, m: m, gaps: p.gaps}
		other.mean(ctx, &a)
	}
	return a
}

// declared returns the method of an interface of Go that the place names, where its value is declared as that: what may
// run there may have the method from other ones, too.
func (p *place) declared() (out []Defined) {
	out = []Defined{}
	if p.r.Lang != "go" || !p.m.Member {
		return out
	}
	r, f := p.types()
	for _, x := range p.all.exprs[ir.At(p.m.Line, p.m.Column)] {
		e := &p.ir.Exprs[x]
		if e.Op != ir.Attr || p.ir.String(e.Name) != p.m.Name {
			continue
		}
		t := r.GoTypeOf(r.TypeOf(f, e.A, 0), 0)
		if t == nil || t.Class.Kind != ir.Interface {
			continue
		}
		found, _ := r.Members(t, p.m.Name)
		for _, d := range found {
			out = append(out, definedAs(d.Record, int32(d.Symbol), exact))
		}
	}
	return out
}

// types returns what reads the types of the file.
func (p *place) types() (*typing.Reader, *typing.File) {
	r := typing.New(p.common.index, p.r.Lang, p.common.lower, p.common.modules)
	return r, &typing.File{Path: p.r.Path, Lang: p.r.Lang, Record: p.r, IR: p.ir}
}

// outside reports whether the place names a method of a type of Go that is not in the index.
func (p *place) outside() bool {
	r, f := p.types()
	return p.m.Member && outside(r, f, p.all.exprs[ir.At(p.m.Line, p.m.Column)], p.m.Name)
}
