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
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	bash "github.com/quarry-search/quarry/index/internal/lang/bash/control"
	cfamily "github.com/quarry-search/quarry/index/internal/lang/cfamily/control"
	csharp "github.com/quarry-search/quarry/index/internal/lang/csharp/control"
	golang "github.com/quarry-search/quarry/index/internal/lang/golang/control"
	java "github.com/quarry-search/quarry/index/internal/lang/java/control"
	javascript "github.com/quarry-search/quarry/index/internal/lang/javascript/control"
	kotlin "github.com/quarry-search/quarry/index/internal/lang/kotlin/control"
	php "github.com/quarry-search/quarry/index/internal/lang/php/control"
	python "github.com/quarry-search/quarry/index/internal/lang/python/control"
	ruby "github.com/quarry-search/quarry/index/internal/lang/ruby/control"
	rust "github.com/quarry-search/quarry/index/internal/lang/rust/control"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// grammars are the tables by language, each made when it is first asked for.
var grammars = map[string]func() *walk.Grammar{
	"bash":       sync.OnceValue(bash.Grammar),
	"c":          sync.OnceValue(cfamily.C),
	"cpp":        sync.OnceValue(cfamily.Cpp),
	"csharp":     sync.OnceValue(csharp.Grammar),
	"go":         sync.OnceValue(golang.Grammar),
	"java":       sync.OnceValue(java.Grammar),
	"javascript": scripts,
	"kotlin":     sync.OnceValue(kotlin.Grammar),
	"php":        sync.OnceValue(php.Grammar),
	"python":     sync.OnceValue(python.Grammar),
	"ruby":       sync.OnceValue(ruby.Grammar),
	"rust":       sync.OnceValue(rust.Grammar),
	"svelte":     scripts,
	"tsx":        scripts,
	"typescript": scripts,
	"vue":        scripts,
}

// scripts is the one table of JavaScript and what is written in it.
var scripts = sync.OnceValue(javascript.Grammar)

// Languages returns the languages that have a table, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(grammars)) }

// Tables returns what each language has of sources, sinks and sanitizers. They are everybody's:
// nobody may change them.
var Tables = sync.OnceValues(func() (map[string]*taint.Table, error) {
	tables := map[string]*taint.Table{}
	for lang, grammar := range grammars {
		t, err := taint.Read(grammar().Flows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lang, err)
		}
		tables[lang] = t
	}
	return tables, nil
})

// Has reports whether a language has a table.
func Has(lang string) bool { return grammars[lang] != nil }

// Alone reports whether a function at the top of a file means the same without the definitions
// around it.
func Alone(lang string) bool { return Has(lang) && grammars[lang]().Alone }

// A Function is a place in a tree where code is that runs as one.
type Function struct {
	Node       syntax.Node // the root for a module's body
	Name       string      // "" where it has none
	Start, End int
}

// At returns the innermost function around an offset, the module's body where there is none.
// ok is false for a language without a table.
func At(lang string, t *syntax.Tree, offset int) (f Function, ok bool) {
	return find(lang, t, func(start, end int) bool { return start <= offset && offset < end }, false)
}

// find goes down to the first nodes that are wanted, and returns the first or last function among
// them, the module's body where there is none.
func find(lang string, t *syntax.Tree, wanted func(start, end int) bool, first bool) (f Function, ok bool) {
	grammar, ok := grammars[lang]
	if !ok || t == nil || t.Root() == 0 {
		return Function{}, false
	}
	rules := grammar()
	f = Root(t)
	for n := t.Root(); n != 0; {
		var in syntax.Node
		for c := range t.Children(n) {
			if wanted(t.Start(c), t.End(c)) {
				in = c
				break
			}
		}
		if form, is := rules.Functions[t.Kind(in)]; is && !form.Class {
			f = Function{Node: in, Start: t.Start(in), End: t.End(in), Name: t.Text(form.NameNode(t, in))}
			if first {
				return f, true
			}
		}
		n = in
	}
	return f, true
}

// Root returns the module's body.
func Root(t *syntax.Tree) Function {
	return Function{Node: t.Root(), Start: t.Start(t.Root()), End: t.End(t.Root())}
}

// IsRoot reports whether a function is the module's body.
func IsRoot(t *syntax.Tree, f Function) bool { return f.Node == t.Root() }

// Outermost is At for the outermost function: those inside it are Nested in its graph.
func Outermost(lang string, t *syntax.Tree, offset int) (f Function, ok bool) {
	return find(lang, t, func(start, end int) bool { return start <= offset && offset < end }, true)
}

// First returns the first function that is written between two offsets: the one that a
// variable is given.
func First(lang string, t *syntax.Tree, from, to int) (f Function, ok bool) {
	grammar, ok := grammars[lang]
	if !ok || t == nil {
		return Function{}, false
	}
	rules := grammar()
	var visit func(n syntax.Node, depth int)
	visit = func(n syntax.Node, depth int) {
		for c := range t.Children(n) {
			if f.Node != 0 || depth > maxNesting || t.End(c) <= from || t.Start(c) >= to {
				continue
			}
			if form, is := rules.Functions[t.Kind(c)]; is && !form.Class && from <= t.Start(c) && t.End(c) <= to {
				f = Function{Node: c, Start: t.Start(c), End: t.End(c)}
				return
			}
			visit(c, depth+1)
		}
	}
	visit(t.Root(), 0)
	return f, f.Node != 0
}

// maxNesting bounds how deep First looks.
const maxNesting = 1000

// Graph makes the graph of a function.
func Graph(lang string, t *syntax.Tree, f Function) *walk.Graph {
	return walk.Build(t, grammars[lang](), f.Node)
}
