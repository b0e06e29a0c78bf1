package references

import (
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/references/typing"
)

func (p *place) name(v ir.Var) string { return p.ir.String(p.ir.Vars[v].Name) }

// each calls visit for the places of a name in the text of the file, up to an offset.
func (p *place) each(name string, end int, visit func(mention.Mention) bool) {
	mention.Of([]string{name}).Each(p.src[:end], func(m mention.Mention) bool {
		apart(&m, p.r.Lang, p.src, p.all.dots)
		return visit(m)
	})
}

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
	p.variable = v
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

// usesOf returns the places of the text that name a variable. Those of the cases of a type switch of Go are one.
func (p *place) usesOf(v ir.Var) []Use {
	if p.all.places == nil {
		defer p.parse()()
	}
	out := []Use{}
	pos, fn := p.ir.Vars[v].Pos, &p.ir.Funcs[p.ir.Vars[v].Func]
	start, end := int(fn.Start), int(fn.End)
	if at, ok := source.LineAt(p.src, pos.Line()-1); ok { // a parameter may stand before
		start = min(start, at)
	}
	p.each(p.name(v), len(p.src), func(m mention.Mention) bool {
		if m.Offset < start || m.Offset >= end {
			return m.Offset < end
		}
		declared := ir.At(m.Line, m.Column) == pos
		kind := p.kindOf(&m)
		switch at := p.variableAt(m.Line, m.Column); {
		case at != 0 && p.ir.Vars[at].Pos == pos:
		case at != 0, m.Member, kind == mention.Comment, kind == mention.String, kind == mention.Key, p.declaresField(&m, kind):
			return true
		case len(p.all.exprs[ir.At(m.Line, m.Column)]) > 0, p.ir.Vars[p.around(m)].Pos != pos:
			return true
		}
		out = append(out, Use{Line: m.Line, Column: m.Column, Write: declared || kind == mention.Write || kind == mention.Declaration})
		return true
	})
	return out
}

// module returns the import that brings a whole module under a name, or nil.
func (p *place) module(name string) *ir.ImportInfo {
	if info := (&typing.File{IR: p.ir, Lang: p.r.Lang}).ImportOf(name); info != nil && info.Name == 0 {
		return info
	}
	return nil
}

// importedModule describes the name of a module, which is one of the file, and is declared by its
// import.
func (p *place) importedModule(info *ir.ImportInfo) *Local {
	l := &Local{Line: info.Pos.Line(), Column: info.Pos.Column(), Uses: []Use{}}
	if info.Alias != 0 { // it stands before what is imported, or after it
		p.each(p.m.Name, len(p.src), func(m mention.Mention) bool {
			if m.Line == l.Line && p.kindOf(&m) != mention.String {
				l.Column = m.Column
			}
			return m.Line < l.Line
		})
	}
	if !p.uses {
		return l
	}
	l.Uses = append(l.Uses, Use{Line: l.Line, Column: l.Column, Write: true})
	p.each(p.m.Name, len(p.src), func(m mention.Mention) bool {
		switch p.kindOf(&m) {
		case mention.Comment, mention.String, mention.Key, mention.Declaration, mention.Import:
		default:
			if !m.Member && m.Line > l.Line && p.variableAt(m.Line, m.Column) == 0 && p.around(m) == 0 {
				l.Uses = append(l.Uses, Use{Line: m.Line, Column: m.Column})
			}
		}
		return true
	})
	return l
}

// declaresField reports whether a place declares a field of a struct.
func (p *place) declaresField(m *mention.Mention, kind mention.Kind) bool {
	return kind == mention.Declaration && p.all.places.InStruct(m.Offset)
}

// fieldAround describes the field of a type without a name, as those of the cases of a test of Go:
// it is no symbol, and what names it is in the same function.
func (p *place) fieldAround() *Local {
	top := p.r.SymbolAt(p.m.Line)
	for top >= 0 && p.r.Around(top) >= 0 {
		top = p.r.Around(top)
	}
	if top < 0 || p.r.Lang != "go" || !p.m.Member && p.kindOf(&p.m) == mention.Read {
		return nil
	}
	s := &p.r.Symbols[top]
	named := func(e graph.Edge) bool { return calls.PlainName(p.Node(e.To)) == p.m.Name }
	var l *Local
	var uses []Use
	p.each(p.m.Name, int(s.End), func(m mention.Mention) bool {
		if m.Offset < int(s.Start) {
			return true
		}
		kind := p.kindOf(&m)
		declared := p.variableAt(m.Line, m.Column) == 0 && p.declaresField(&m, kind)
		if declared && l == nil {
			l = &Local{Line: m.Line, Column: m.Column, Symbol: s.Qualified(), Uses: []Use{}}
		}
		switch {
		case kind == mention.Comment, kind == mention.String:
		case declared, m.Member && !slices.ContainsFunc(p.all.edges[ir.At(m.Line, m.Column)], named), kind == mention.Key, kind == mention.Write && p.variableAt(m.Line, m.Column) == 0:
			uses = append(uses, Use{Line: m.Line, Column: m.Column, Write: declared || kind == mention.Write || kind == mention.Key})
		}
		return true
	})
	if l != nil && p.uses {
		l.Uses = uses
	}
	return l
}
