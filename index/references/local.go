package references

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
)

func (p *place) name(v ir.Var) string { return p.ir.String(p.ir.Vars[v].Name) }

// variableAt returns the variable of a function that the lowered file has at a place: declared
// there or used; 0 for none.
func (p *place) variableAt(line, column int) ir.Var {
	pos := ir.At(line, column)
	for i := 1; i < len(p.ir.Vars); i++ {
		if v := &p.ir.Vars[i]; v.Pos == pos && v.Func > 1 && v.Name != 0 {
			return ir.Var(i)
		}
	}
	for _, x := range p.all.exprs[pos] {
		if e := &p.ir.Exprs[x]; e.Op == ir.Local && p.ir.Vars[e.Ref].Func > 1 {
			return ir.Var(e.Ref)
		}
	}
	return 0
}

// around returns the variable that a free name means where the lowered file has nothing for its
// place: of the innermost function that has one of the name, the last that is declared before.
func (p *place) around(m mention.Mention) ir.Var {
	best, span := ir.Var(0), 0
	for i := 1; i < len(p.ir.Vars); i++ {
		v := &p.ir.Vars[i]
		if v.Func <= 1 || v.Name == 0 || p.ir.String(v.Name) != m.Name || v.Pos > ir.At(m.Line, m.Column) {
			continue
		}
		fn := &p.ir.Funcs[v.Func]
		size := int(fn.End - fn.Start)
		if m.Offset < int(fn.Start) || m.Offset >= int(fn.End) {
			continue
		}
		if best == 0 || size < span || size == span && v.Pos > p.ir.Vars[best].Pos {
			best, span = ir.Var(i), size
		}
	}
	return best
}

// local describes a variable.
func (p *place) local(v ir.Var) *Local {
	info := &p.ir.Vars[v]
	l := &Local{Line: info.Pos.Line(), Column: info.Pos.Column(), Uses: []Use{}}
	if i := p.r.SymbolAt(l.Line); i >= 0 {
		l.Symbol = p.r.Symbols[i].Qualified()
	}
	if p.uses {
		l.Uses = p.usesOf(v)
	}
	return l
}

// usesOf returns the places of the text that name a variable.
func (p *place) usesOf(v ir.Var) []Use {
	if p.all.places == nil {
		parser := p.common.index.Parsers.Get()
		defer p.common.index.Parsers.Put(parser)
		if _, tree := parser.ParseTree(p.r.Lang, p.src); tree != nil && tree.Root() != 0 {
			p.all.places = mention.PlacesIn(tree)
		}
	}
	out := []Use{}
	fn := &p.ir.Funcs[p.ir.Vars[v].Func]
	start, end := int(fn.Start), int(fn.End)
	if at, ok := source.LineAt(p.src, p.ir.Vars[v].Pos.Line()-1); ok { // a parameter may stand before
		start = min(start, at)
	}
	mention.Of([]string{p.name(v)}).Each(p.src, func(m mention.Mention) bool {
		if m.Offset < start || m.Offset >= end {
			return m.Offset < end
		}
		declared := ir.At(m.Line, m.Column) == p.ir.Vars[v].Pos
		kind := mention.Read
		if p.all.places != nil {
			kind = p.all.places.KindAt(m.Offset)
		}
		switch at := p.variableAt(m.Line, m.Column); {
		case at == v:
		case at != 0, m.Member, kind == mention.Comment, kind == mention.String, kind == mention.Key:
			return true
		case len(p.all.exprs[ir.At(m.Line, m.Column)]) > 0, p.around(m) != v:
			return true
		}
		out = append(out, Use{Line: m.Line, Column: m.Column, Write: declared || kind == mention.Write || kind == mention.Declaration})
		return true
	})
	slices.SortFunc(out, func(a, b Use) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return out
}
