package calls

import (
	"context"

	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A Gone is a symbol that the index has no longer.
type Gone struct {
	Name     string
	Language string
	Member   bool // of a class: another method of the name may serve for it now
	Named    bool // mentions count that neither are calls nor follow a dot
}

// Mentions calls took for the places of the text that may mean symbols that are gone: those that
// the graph has nothing else for.
func (w *Walk) Mentions(ctx context.Context, list []Gone, l *Gaps, took func(*texts.Source, mention.Mention)) {
	t := witness{Walk: w, l: l, asked: map[string]*askedName{}, took: took}
	var names []string
	for _, g := range list {
		names = append(names, g.Name)
		t.asked[g.Name] = &askedName{language: g.Language, member: g.Member, inherits: true, named: g.Named}
	}
	t.search(ctx, mention.Of(names))
}
