package impact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// guesses are symbols that have the name of something affected, when no more is known.
type guesses struct {
	all   map[guess]*Caller
	nodes []graph.ID
}

type guess struct{ by, of answer.Place }

// of returns the guess that what is around a line uses something.
func (g *guesses) of(s *search, path string, r *store.Record, test bool, line int, used answer.Place) *Caller {
	id, place := s.userAt(path, r, line)
	c := g.all[guess{place, used}]
	if c == nil {
		c = &Caller{Place: place, Depth: 1, Via: used, Kind: graph.References.String(), Confidence: calls.ByName, Test: test || id != 0 && s.IsTest(id)}
		if id != 0 {
			g.nodes = append(g.nodes, id)
		}
		if g.all == nil {
			g.all = map[guess]*Caller{}
		}
		g.all[guess{place, used}] = c
	}
	return c
}

// guess answers with guesses, and with what depends on them in turn, and returns the nodes of all.
func (s *search) guess(ctx context.Context, g *guesses) []graph.ID {
	var callers []Caller
	for _, c := range g.all {
		callers = append(callers, *c)
	}
	slices.Sort(g.nodes)
	nodes := slices.Compact(g.nodes)
	further, cut := s.Search(ctx, nodes, s.query.Depth-1, true, s.Dependency)
	if cut != "" {
		s.answer.Cut(cut)
	}
	for _, r := range further {
		c := s.caller(r)
		c.Depth, c.Confidence = c.Depth+1, calls.ByName
		callers, nodes = append(callers, c), append(nodes, r.ID)
	}
	for _, id := range nodes {
		s.testOf(id)
	}
	slices.SortFunc(callers, byPlace)
	for i := range callers {
		c := &callers[i]
		if c.Test {
			s.test(c.File)
		}
		if s.wanted(c.File, c.Test) {
			s.answer.Ambiguous = append(s.answer.Ambiguous, *c)
		}
	}
	return nodes
}

// userAt returns the node and the place of the function or class that a line is in, of the file
// outside of these; no node where the file is not indexed.
func (s *search) userAt(path string, r *store.Record, line int) (graph.ID, answer.Place) {
	if r == nil {
		return 0, answer.Place{File: path, Line: line}
	}
	in := store.Enclosing{Record: r}
	for i := in.Line(line); i >= 0; i = r.Around(i) {
		if id := s.user(r, i); id != 0 {
			return id, r.Place(i)
		}
	}
	return s.G.File(r.Path), answer.Place{File: r.Path, Line: 1}
}

// user returns the node of a symbol that others depend on as a whole, or 0.
func (s *search) user(r *store.Record, i int32) graph.ID {
	sym := &r.Symbols[i]
	for _, id := range s.G.Named(r.Path, sym.Name, int(sym.NameLine)) {
		if n := s.Node(id); store.Runs(sym.Kind()) || n.Kind == graph.ClassNode {
			return id
		}
	}
	return 0
}

// byPlace orders callers that only a name speaks for.
func byPlace(b, c Caller) int {
	return cmp.Or(cmp.Compare(b.Depth, c.Depth), strings.Compare(b.File, c.File), cmp.Compare(b.Line, c.Line), strings.Compare(b.Symbol, c.Symbol),
		strings.Compare(b.Via.Symbol, c.Via.Symbol), strings.Compare(b.Via.File, c.Via.File), cmp.Compare(b.Via.Line, c.Via.Line))
}
