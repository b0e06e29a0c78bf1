package calls

import (
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Scope narrows what an answer lists: code by where it is, and whether it is test code. What the
// answer is about, and how far it is followed, is not narrowed. The zero value admits everything.
type Scope struct {
	Path  string   // only what is below this file or folder; "": everywhere
	Glob  []string // only files that one of these globs matches, and none of those that begin with "!"; none: all
	Tests string   // answer.WithTests, WithoutTests or OnlyTests; "": WithTests
}

// A Narrowed admits what a scope does.
type Narrowed struct {
	filter store.Filter
	tests  string
}

// Narrow reads a scope. It returns a PatternError for a glob that cannot be used.
func (s *Scope) Narrow() (Narrowed, error) {
	if err := store.CheckGlobs(s.Glob); err != nil {
		return Narrowed{}, err
	}
	return Narrowed{store.NewFilter(store.Scope{Path: s.Path, Glob: s.Glob}), s.Tests}, nil
}

// Admits reports whether code of a file is admitted; one of no file, "", only where all are.
func (n *Narrowed) Admits(path string, test bool) bool {
	if n.tests == answer.WithoutTests && test || n.tests == answer.OnlyTests && !test {
		return false
	}
	if path == "" {
		return n.filter.Path == "" && len(n.filter.Globs) == 0
	}
	return n.filter.Holds(path)
}

// far is the end of an entry that the answer is narrowed by: of what calls the target the caller,
// of what it calls the callee, and of a call that leads to no definition the code that it is in,
// which says nothing of where it leads.
func (c *collection) far(e *entry) (path string, test bool) {
	switch {
	case e.back:
		return c.Node(e.from).Path, c.tests.of(c.Walk, e.from)
	case e.to == 0:
		return "", c.tests.of(c.Walk, e.from)
	}
	return c.Node(e.to).Path, c.tests.of(c.Walk, e.to)
}

// testNodes remembers of the node that was asked about last whether it is test code: edges come in
// the order of their callers.
type testNodes struct {
	id graph.ID
	is bool
}

func (t *testNodes) of(w *Walk, id graph.ID) bool {
	if t.id != id {
		t.id, t.is = id, w.IsTest(id)
	}
	return t.is
}

// grouped leaves one entry for each caller and callee of a list in order, at the first call, with
// the lines of all. It is as sure as the least sure of them.
func grouped(list []entry) []entry {
	type pair struct{ entry }
	at := map[pair]int{}
	var out []entry
	for _, e := range list {
		key := pair{entry{from: e.from, to: e.to, kind: e.kind, name: e.name, reason: e.reason, literal: e.literal, back: e.back}}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, e)
		}
		first := &out[i]
		first.confidence = max(first.confidence, e.confidence)
		if line := e.pos.Line(); first.lines == nil || (*first.lines)[len(*first.lines)-1] != line {
			if first.lines == nil {
				first.lines = new([]int)
			}
			*first.lines = append(*first.lines, line)
		}
	}
	return out
}
