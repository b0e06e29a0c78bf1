package calls

import (
	"bytes"
	"math"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// mistakable reports whether something that the graph takes for a use of another overload may be
// one of the target, whose nodes are given: a call with as many arguments as both take, or a
// name without arguments.
func (w *Walk) mistakable(at *store.Target, ids []graph.ID) bool {
	r := at.Record
	own := arityOf(r, at.Symbol)
	for _, i := range same(r, at.Symbol) {
		other := arityOf(r, i)
		apart := own.known && other.known && (own.most < other.least || other.most < own.least)
		for _, id := range w.G.Named(r.Path, r.Symbols[i].Name, int(r.Symbols[i].NameLine)) {
			if slices.Contains(ids, id) {
				continue
			}
			found := false
			w.G.In(id, func(e graph.Edge) bool {
				found = !apart || e.Kind != graph.Calls
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// An arity is how many arguments a function takes, if that is known.
type arity struct {
	least, most int
	known       bool
}

// arityOf reads the parameters of a function. It gives up at what is not plain: texts in
// defaults, and lists that do not close.
func arityOf(r *store.Record, i int32) arity {
	s := &r.Symbols[i]
	src := r.Text.All()[s.Start:s.End]
	switch r.Lang {
	case "java", "kotlin", "csharp", "swift":
	default:
		return arity{}
	}
	for range s.NameLine - s.Line { // annotations
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	_, list, found := bytes.Cut(src, []byte(s.Name+"("))
	if !found {
		return arity{}
	}
	var a arity
	depth, param := 0, 0
	take := func(p []byte) {
		p = bytes.TrimSpace(p)
		switch {
		case len(p) == 0:
		case bytes.Contains(p, []byte("...")) || bytes.HasPrefix(p, []byte("vararg ")) || bytes.HasPrefix(p, []byte("params ")):
			a.most = math.MaxInt32
		case bytes.ContainsRune(p, '=') || bytes.HasPrefix(p, []byte("this ")): // it may be left out, or stand before the dot
			a.most = min(a.most, math.MaxInt32-1) + 1
		default:
			a.least, a.most = a.least+1, min(a.most, math.MaxInt32-1)+1
		}
	}
	for n, c := range list {
		switch c {
		case '"', '\'', '/', '#':
			return arity{}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if c == '>' && n > 0 && (list[n-1] == '-' || list[n-1] == '=') {
				continue // an arrow
			}
			if depth--; depth < 0 {
				take(list[param:n])
				a.known = c == ')'
				return a
			}
		case ',':
			if depth == 0 {
				take(list[param:n])
				param = n + 1
			}
		}
	}
	return arity{}
}
