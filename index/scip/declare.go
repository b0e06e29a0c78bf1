package scip

import (
	"slices"
	"strings"

	pb "github.com/scip-code/scip/bindings/go/scip"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
)

// maxAbove bounds how many types above one are looked at.
const maxAbove = 256

// A relation says that a symbol implements another one.
type relation struct {
	to     string
	method bool
}

// declare takes the places where the symbols of all files are defined, and what they implement.
func (e *exporter) declare(w *calls.Walk) {
	named := map[graph.ID]string{}
	nodes := map[*store.Record]map[int32]graph.ID{}
	for _, r := range e.files {
		d := e.documents[r]
		spots := w.G.NamedIn(r.Path)
		nodes[r] = map[int32]graph.ID{}
		p := placer{index: e.index, record: r, src: r.Text.All()}
		p.lines = linesOf(p.src)
		for i := range r.Symbols {
			s := &r.Symbols[i]
			if d.names[i] == "" {
				continue
			}
			column := 0
			for _, id := range spots[graph.Spot{Name: s.Name, Line: int(s.NameLine)}] {
				if named[id] == "" {
					named[id] = d.names[i]
					nodes[r][int32(i)] = id
				}
				column = w.Node(id).Pos.Column()
			}
			offset, length := p.place(s, column)
			if length == 0 {
				d.names[i] = ""
				e.report.Unplaced++
				continue
			}
			role := pb.SymbolRole_Definition
			if r.Traits.Test {
				role |= pb.SymbolRole_Test
			}
			d.places = append(d.places, place{symbol: d.names[i], offset: offset, length: length, roles: role, start: int(s.Start), end: int(s.End)})
		}
	}
	types := map[graph.ID][]graph.ID{} // of methods: classes of one name may have a method together
	for _, r := range e.files {
		for i, id := range nodes[r] {
			if w.Node(id).Kind == graph.ClassNode {
				for _, up := range w.Supertypes(id) {
					e.documents[r].relate(i, relation{named[up], false})
				}
				for _, m := range w.G.Members(id) {
					types[m] = append(types[m], id)
				}
			}
		}
	}
	for _, r := range e.files {
		for i, id := range nodes[r] {
			if len(types[id]) > 0 {
				e.documents[r].override(w, i, id, types[id], named)
			}
		}
	}
}

// override takes the methods of the types above those of a method which it implements.
func (d *document) override(w *calls.Walk, i int32, id graph.ID, next []graph.ID, named map[graph.ID]string) {
	n := w.Node(id)
	name := calls.PlainName(n)
	if store.MakesInstances(n.Language, name) || n.Flags&(ir.Constructor|ir.Static) != 0 {
		return
	}
	seen := map[graph.ID]bool{}
	for _, class := range next {
		seen[class] = true
	}
	for len(next) > 0 && len(seen) < maxAbove {
		var up []graph.ID
		for _, c := range next {
			for _, id := range w.Supertypes(c) {
				if !seen[id] {
					seen[id] = true
					up = append(up, id)
				}
			}
		}
		for _, c := range up {
			for _, m := range w.G.Members(c) {
				if calls.PlainName(w.Node(m)) == name {
					d.relate(i, relation{named[m], true})
				}
			}
		}
		next = up
	}
}

// relate adds a relation of a symbol, unless what it is to has no name or is itself.
func (d *document) relate(i int32, r relation) {
	if r.to == "" || r.to == d.names[i] || d.names[i] == "" || slices.Contains(d.kin[i], r) {
		return
	}
	d.kin[i] = append(d.kin[i], r)
	slices.SortFunc(d.kin[i], func(a, b relation) int { return strings.Compare(a.to, b.to) })
}

// A placer finds where the names of symbols stand in a file.
type placer struct {
	index  *store.View
	record *store.Record
	src    []byte
	lines  lines
}

// place returns where the name of a symbol stands; no length where it does not. column is that
// of the call graph, 1-based; 0: it has none.
func (p *placer) place(s *store.Symbol, column int) (offset, length int) {
	word := mention.Word(s.Name)
	line := int(s.NameLine) - 1
	if word == "" || line < 0 || line >= len(p.lines) {
		return 0, 0
	}
	at, end := p.lines[line], len(p.src)
	if line+1 < len(p.lines) {
		end = p.lines[line+1]
	}
	var found []int
	mention.Words(p.src[at:end], func(m mention.Mention) bool {
		if m.Name == word {
			found = append(found, at+m.Offset)
		}
		return true
	})
	if i := slices.Index(found, at+column-1); i >= 0 {
		return found[i], len(word)
	}
	if len(found) > 1 { // what stands before the definition is something else of the name
		if inside := slices.DeleteFunc(slices.Clone(found), func(at int) bool { return at < int(s.Start) || at >= int(s.End) }); len(inside) > 0 {
			found = inside
		}
	}
	if len(found) > 1 {
		found = p.declared(found)
	}
	if len(found) == 0 {
		return 0, 0
	}
	return found[0], len(word)
}

// declared returns those of some places at which the syntax has a declaration, or all.
func (p *placer) declared(found []int) []int {
	parser := p.index.Parsers.Get()
	defer p.index.Parsers.Put(parser)
	tree := parser.Tree(p.record.Lang, p.src)
	if tree == nil || tree.Root() == 0 {
		return found
	}
	var some []int
	for _, at := range found {
		if mention.KindAt(tree, at) == mention.Declaration {
			some = append(some, at)
		}
	}
	if len(some) == 0 {
		return found
	}
	return some
}
