package references

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// maxHierarchy bounds the types above or below one, with those that are not direct.
const maxHierarchy = 1000

// A Relative is a type above or below another one, or a method of such a type under the same name.
type Relative struct {
	Defined
	Depth int `json:"depth"` // steps between the two types
}

// relatives finds the types above and below what is named, or the methods there that it overrides
// or implements, and that override or implement it.
func (p *place) relatives(a *Meaning) {
	a.Above, a.Below = []Relative{}, []Relative{}
	for _, d := range a.Definitions {
		name := d.Symbol[strings.LastIndexByte(d.Symbol, '.')+1:]
		for _, id := range p.G.Named(d.File, name, d.NameLine) {
			n := p.Node(id)
			class, member := id, ""
			if n.Kind == graph.FuncNode && n.Flags&(ir.Constructor|ir.Static) == 0 && !store.MakesInstances(n.Language, name) {
				class, member = p.classOf(id, calls.ClassName(n)), name
			} else if n.Kind != graph.ClassNode {
				continue
			}
			if class == 0 {
				continue
			}
			a.Above = p.alongTypes(a.Above, class, member, p.supertypes)
			a.Below = p.alongTypes(a.Below, class, member, p.subtypes)
		}
	}
}

// supertypes are the types right above one, and of an interface of Go those that some type implements with it
// and that it has all methods of: the graph has no edges between interfaces that do not embed each other.
func (p *place) supertypes(id graph.ID) []graph.ID {
	return append(p.Supertypes(id), p.interfaces(id, func(up graph.ID) bool { return p.Has(id, up) && !p.Has(up, id) })...)
}

// subtypes is the other way. Interfaces that have the same methods are below each other.
func (p *place) subtypes(id graph.ID) []graph.ID {
	return append(p.Subtypes(id), p.interfaces(id, func(down graph.ID) bool { return p.Has(down, id) })...)
}

// interfaces are the other ones of Go that types which implement one implement, and that take says.
func (p *place) interfaces(id graph.ID, take func(graph.ID) bool) (list []graph.ID) {
	if n := p.Node(id); n.Language != "go" || n.ClassKind != ir.Interface {
		return nil
	}
	for _, class := range p.Subtypes(id) {
		for _, other := range p.Supertypes(class) {
			if other != id && p.Node(other).ClassKind == ir.Interface && !slices.Contains(list, other) && take(other) {
				list = append(list, other)
			}
		}
	}
	return list
}

// classOf returns the class of a name that a method is a member of, which may be in another file; 0
// for none.
func (p *place) classOf(method graph.ID, name string) graph.ID {
	if out := p.Node(method).Outer; out != 0 && p.Node(out).Kind == graph.ClassNode {
		return out
	}
	for _, d := range p.common.index.Definitions(name) {
		for _, id := range p.G.Named(d.Record.Path, name, int(d.Record.Symbols[d.Symbol].NameLine)) {
			if slices.Contains(p.G.Members(id), method) {
				return id
			}
		}
	}
	return 0
}

// alongTypes adds the types that next leads to from one, or their members of a name, the nearest
// first.
func (p *place) alongTypes(out []Relative, class graph.ID, member string, next func(graph.ID) []graph.ID) []Relative {
	seen := map[graph.ID]bool{class: true}
	level := []graph.ID{class}
	for depth := 1; len(level) > 0; depth++ {
		var further []graph.ID
		for _, id := range level {
			for _, to := range next(id) {
				if !seen[to] {
					if len(seen) > maxHierarchy {
						p.gaps.Because("more than %d types are above or below it", maxHierarchy)
						return out
					}
					seen[to] = true
					further = append(further, to)
				}
			}
		}
		from := len(out)
		for _, id := range further {
			if member == "" {
				out = p.relative(out, id, depth)
				continue
			}
			for _, m := range p.G.Members(id) {
				if calls.PlainName(p.Node(m)) == member {
					out = p.relative(out, m, depth)
				}
			}
		}
		slices.SortFunc(out[from:], func(a, b Relative) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.NameLine, b.NameLine))
		})
		level = further
	}
	return out
}

func (p *place) relative(out []Relative, id graph.ID, depth int) []Relative {
	n := p.Node(id)
	r := p.common.index.Record(n.Path)
	if r == nil {
		return out
	}
	if i := r.NamedAt(calls.PlainName(n), n.Pos.Line()); i >= 0 {
		out = append(out, Relative{definedAs(r, i, exact), depth})
	}
	return out
}
