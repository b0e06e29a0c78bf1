package index

import (
	"context"
	"slices"
	"strings"
)

// findByWords takes the best result of a search for a target, of those that are in
// the call graph. The others are those that are left; a best one in no definition is among
// them, because its file says less than it.
func (x *View) findByWords(ctx context.Context, text string, none error) (at target, others []Result, state State, err error) {
	found, err := x.search(ctx, Query{Text: text, Limit: defaultLimit})
	if err != nil {
		return at, nil, state, err
	}
	if len(found.Results) == 0 {
		return at, nil, state, none
	}
	best := 0
	x.walkGraph(ctx, func(w *walk) {
		best = max(slices.IndexFunc(found.Results, func(r Result) bool { return w.g.Has(r.File) }), 0)
	})
	r := found.Results[best]
	x.mu.RLock()
	defer x.mu.RUnlock()
	file := x.table.files[r.File]
	if file == nil {
		return at, nil, state, none
	}
	at = target{record: file, symbol: file.symbolAt(r.Line)}
	for i := range file.symbols {
		// The result may begin with the comment before its symbol.
		if s := &file.symbols[i]; s.name == r.Symbol && int(s.last) >= r.Line && int(s.line) <= r.EndLine {
			at.symbol = int32(i)
			break
		}
	}
	others = found.Results
	if at.symbol >= 0 {
		others = slices.Delete(others, best, best+1)
	}
	return at, others, found.State, nil
}

// has reports whether a result is shown otherwise: it is in the definition, or one of the
// symbols around that.
func (a *Context) has(r Result) bool {
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
