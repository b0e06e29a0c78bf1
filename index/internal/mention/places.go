package mention

import "github.com/quarry-search/quarry/index/internal/syntax"

// Places says of the places of one text how they use their names. They are asked in the order
// of the text: then a place costs no more than what lies between it and the one before,
// however wide the tree is.
type Places struct {
	tree *syntax.Tree
	way  []step // the nodes around the last place, the root first
	last int    // its offset
}

// PlacesIn returns the places of a tree.
func PlacesIn(t *syntax.Tree) *Places { return &Places{tree: t} }

// KindAt is Places.KindAt for one place.
func KindAt(t *syntax.Tree, offset int) Kind { return PlacesIn(t).KindAt(offset) }

// A step is a node on the way to a place, with what it is in the one around it.
type step struct {
	kind, field string
	node        syntax.Node
	first, last bool // among the named children
}

// wayTo returns the nodes around a place, the root first.
func (p *Places) wayTo(offset int) []step {
	t := p.tree
	if offset < p.last || len(p.way) == 0 {
		p.way = p.way[:0]
		if root := t.Root(); root != 0 {
			p.way = append(p.way, step{kind: t.Kind(root), field: t.Field(root), node: root})
		}
	}
	p.last = offset
	var passed syntax.Node // the child that the place comes after
	for len(p.way) > 1 && offset >= t.End(p.way[len(p.way)-1].node) {
		passed = p.way[len(p.way)-1].node
		p.way = p.way[:len(p.way)-1]
	}
	for len(p.way) > 0 {
		n := p.way[len(p.way)-1].node
		c := t.First(n)
		if passed != 0 {
			c, passed = t.Next(n, passed), 0
		}
		for c != 0 && offset >= t.End(c) {
			c = t.Next(n, c)
		}
		if c == 0 || offset < t.Start(c) {
			break
		}
		s := step{kind: t.Kind(c), field: t.Field(c), node: c}
		s.first, s.last = ends(t, n, c)
		p.way = append(p.way, s)
	}
	return p.way
}

// ends reports whether a node is the first and the last of the named children of another.
func ends(t *syntax.Tree, in, node syntax.Node) (first, last bool) {
	n := 0
	for c := range t.NamedChildren(in) {
		last = c == node
		if n++; n == 1 {
			first = c == node
		}
		if n > maxChildren {
			return first, false
		}
	}
	return first, last
}

// maxChildren bounds how many children of a node are gone through: a list of a generated
// file has a million, and none of them is a member of something.
const maxChildren = 64

// InStruct reports whether a place is in the declaration of a field of Go.
func (p *Places) InStruct(offset int) bool {
	for _, s := range p.wayTo(offset) {
		if s.kind == "field_declaration" {
			return true
		}
	}
	return false
}
