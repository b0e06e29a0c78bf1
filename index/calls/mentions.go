package calls

import (
	"context"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A Sought is a name that is looked for in the text: of a symbol that is gone, or of one whose
// uses the graph does not know.
type Sought struct {
	Name     string
	Language string
	Member   bool // of a class: another method of the name may serve for it now
	Named    bool // mentions count that neither are calls nor follow a dot
}

// Mentions calls took for the places of the text that may mean what is sought: those that the graph
// has nothing else for, or every one.
func (w *Walk) Mentions(ctx context.Context, list []Sought, every bool, l *Gaps, took func(*texts.Source, mention.Mention)) {
	t := witness{Walk: w, l: l, asked: map[string]*askedName{}, took: took, every: every}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
		t.asked[s.Name] = &askedName{language: s.Language, member: s.Member, inherits: true, named: s.Named}
	}
	t.search(ctx, mention.Of(names))
}

// A doubter takes a place, and reports whether it wants more of the name.
type doubter func(*texts.Source, mention.Mention) bool

// Doubted calls took for the places of the text that may call some nodes, at most MaxDoubted of them,
// for all that the graph knows, until took has had enough of their names.
func (w *Walk) Doubted(ctx context.Context, ids []graph.ID, took doubter) {
	t := witness{Walk: w, l: &Gaps{}, asked: map[string]*askedName{}, doubts: took}
	names, _ := t.ask(nil, ids)
	t.search(ctx, names)
}

// MaxDoubted bounds the nodes whose names are looked for in the text.
const MaxDoubted = maxWitnessed
