package references

import (
	"context"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Finder looks for the places that name symbols, for a question that has the call graph.
type Finder struct {
	walk   *calls.Walk
	index  *store.View
	common *common
}

// NewFinder returns one of an index.
func NewFinder(x *store.View, w *calls.Walk) *Finder { return &Finder{w, x, newCommon(x)} }

// Of returns the places that name a symbol, by path and place: those that mean it, and those that
// have the name when no more is known. What was not looked at is noted in l.
func (f *Finder) Of(ctx context.Context, at *store.Target, l *calls.Gaps) (sure, named []Reference) {
	s := f.search(ctx, at, &Query{}, l)
	if s.cut {
		l.Because("more than %d places have the name %s", maxPlaces, s.name)
	}
	return s.sure, s.guessed
}

func (f *Finder) search(ctx context.Context, at *store.Target, q *Query, l *calls.Gaps) *search {
	s := &search{Walk: f.walk, index: f.index, query: q, at: at, gaps: l, common: f.common}
	s.run(ctx)
	return s
}
