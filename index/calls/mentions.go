package calls

import (
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
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

// MayLead returns a function that reports whether a call of something outside of the index, with
// its path, may lead to a target all the same: an object of the target's class, or of one below
// it, may be known there as one of a class that is not in the index. ids are the target's nodes.
func (w *Walk) MayLead(at *store.Target, ids []graph.ID) func(src []byte, m *mention.Mention, path string) bool {
	t := witness{Walk: w, l: &Gaps{}, asked: map[string]*askedName{}}
	t.ask(nil, ids)
	trait := ""
	if at.Record.Lang == "rust" {
		trait, _, _ = strings.Cut(w.outsideTrait(at.Record, at.Sym()), ",")
	}
	return func(src []byte, m *mention.Mention, path string) bool {
		if prefix, _, qualified := LastPart(path); trait != "" && qualified {
			_, last, _ := LastPart(prefix)
			return last == trait
		}
		a := t.asked[m.Name]
		if a == nil { // an operator, or a method that the language calls
			return m.Member
		}
		return !t.outside(src, m, a, calledHere{path: path})
	}
}

// unsearched leaves out the names that an earlier search of this walk has found no doubt of.
func (t *witness) unsearched(names *mention.Names) *mention.Names {
	var left []string
	for name, a := range t.asked {
		nodes, known := t.undoubted[a.key(name)]
		if !known || !slices.Equal(nodes, a.nodes) {
			left = append(left, name)
		}
	}
	if len(left) == len(t.asked) {
		return names
	}
	return mention.Of(left)
}

// key is a name, or the part of one.
func (a *askedName) key(name string) string {
	if a.part() {
		return name + "+"
	}
	return name
}

// remember notes the names that a search of all texts has found no doubt of.
func (t *witness) remember() {
	for name, a := range t.asked {
		if !a.doubted && len(a.told) == 0 {
			t.undoubted[a.key(name)] = a.nodes
		}
	}
}
