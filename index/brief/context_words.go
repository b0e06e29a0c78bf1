package brief

import (
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// findByWords takes the best result of a search for a target, of those that are in
// the call graph. The others are those that are left; a best one in no definition is among
// them, because its file says less than it.
func findByWords(ctx context.Context, x *store.View, text string, none error) (at store.Target, others []search.Result, state answer.State, err error) {
	found, err := search.SearchUnchecked(ctx, x, search.Query{Text: text, Limit: search.DefaultLimit})
	if err != nil {
		return at, nil, state, err
	}
	if len(found.Results) == 0 {
		return at, nil, state, none
	}
	best := 0
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		best = max(slices.IndexFunc(found.Results, func(r search.Result) bool { return w.G.Has(r.File) }), 0)
	})
	r := found.Results[best]
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	file := x.Table.Files[r.File]
	if file == nil {
		return at, nil, state, none
	}
	at = store.Target{Record: file, Symbol: file.SymbolAt(r.Line)}
	for i := range file.Symbols {
		// The result may begin with the comment before its symbol.
		if s := &file.Symbols[i]; s.Name == r.Symbol && int(s.Last) >= r.Line && int(s.Line) <= r.EndLine {
			at.Symbol = int32(i)
			break
		}
	}
	others = found.Results
	if at.Symbol >= 0 {
		others = slices.Delete(others, best, best+1)
	}
	return at, others, found.State, nil
}

// has reports whether a result is shown otherwise: it is in the definition, or one of the
// symbols around that.
func (a *ContextAnswer) has(r search.Result) bool {
	if d := a.Definition; d != nil && d.File == r.File && d.Line <= r.Line && r.EndLine <= d.EndLine {
		return true
	}
	for _, list := range [][]ContextItem{a.Functions, a.Callers, a.Types, a.Tests} {
		for i := range list {
			n := &list[i]
			name := n.Symbol[strings.LastIndexByte(n.Symbol, '.')+1:]
			if n.File == r.File && name == r.Symbol && r.Line <= n.EndLine && n.Line <= r.EndLine {
				return true
			}
		}
	}
	return false
}
