// Package flow says how control and data move through a function, from its syntax tree and
// when it is asked: nothing of it is kept.
//
// A language says in a table what its nodes do (walk.Grammar, in index/internal/lang/NAME/control);
// walk makes the graph of steps from it; this package finds, once for all languages, blocks,
// dominators and loops (Shape), which definitions reach which uses (Reach), and what a step
// depends on (Depend).
//
// What it promises. An edge that a run can take is in the graph, errors within a "try"
// included; what could not be followed is in Graph.Gaps. A definition that reaches a use in
// a run is among those that Reach has, as far as variables go:
//
//   - the assignment of a variable, or of a member of one by name, hides what was there before;
//   - that of an element, of a part that is not known, or of what may not run does not;
//   - a call may change parts of its receiver and of its arguments;
//   - what a function inside writes may be seen at any place after that function is made.
//
// What it does not: two variables that name one object are followed by Depend only, and only
// where one was assigned to the other in the same function.
package flow

import (
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	csharp "github.com/quarry-search/quarry/index/internal/lang/csharp/control"
	golang "github.com/quarry-search/quarry/index/internal/lang/golang/control"
	java "github.com/quarry-search/quarry/index/internal/lang/java/control"
	javascript "github.com/quarry-search/quarry/index/internal/lang/javascript/control"
	kotlin "github.com/quarry-search/quarry/index/internal/lang/kotlin/control"
	python "github.com/quarry-search/quarry/index/internal/lang/python/control"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// grammars are the tables by language.
var grammars = map[string]*walk.Grammar{
	"csharp":     csharp.Grammar(),
	"go":         golang.Grammar(),
	"java":       java.Grammar(),
	"javascript": javascript.Grammar(),
	"kotlin":     kotlin.Grammar(),
	"python":     python.Grammar(),
	"svelte":     javascript.Grammar(),
	"tsx":        javascript.Grammar(),
	"typescript": javascript.Grammar(),
	"vue":        javascript.Grammar(),
}

// Languages returns the languages that have a table, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(grammars)) }

// A Function is a place in a tree where code is that runs as one.
type Function struct {
	Node       syntax.Node // the root for a module's body
	Name       string      // "" where it has none
	Start, End int
}

// At returns the innermost function around an offset, the module's body where there is none.
// ok is false for a language without a table.
func At(lang string, t *syntax.Tree, offset int) (f Function, ok bool) {
	rules, ok := grammars[lang]
	if !ok || t == nil || t.Root() == 0 {
		return Function{}, false
	}
	n := t.Root()
	f = Function{Node: n, Start: t.Start(n), End: t.End(n)}
	for n != 0 {
		var in syntax.Node
		for c := range t.Children(n) {
			if t.Start(c) <= offset && offset < t.End(c) {
				in = c
				break
			}
		}
		if in != 0 {
			if form, is := rules.Functions[t.Kind(in)]; is && !form.Class {
				f = Function{Node: in, Start: t.Start(in), End: t.End(in)}
				if form.Name != "" {
					f.Name = t.Text(walk.Part(t, in, form.Name))
				}
			}
		}
		n = in
	}
	return f, true
}

// Graph makes the graph of a function.
func Graph(lang string, t *syntax.Tree, f Function) *walk.Graph {
	return walk.Build(t, grammars[lang], f.Node)
}
