// Package treemap answers with the tree of folders and files of an index and the size of each, as it
// is drawn as nested boxes: how many lines and bytes, in which language, how many files depend on
// it, how often it changed, and what of it the index leaves out. It has at most so many nodes: of a
// folder that would have more, the rest are in one that counts them.
package treemap

import (
	"cmp"
	"context"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of an answer.
const (
	DefaultNodes = 500
	MaxNodes     = 2000
	DefaultDepth = 3
	MaxDepth     = 20

	maxChildren = 4 // a folder's share of the nodes is one of so many at most
)

// Kinds of a Node.
const (
	KindFolder  = "folder"
	KindFile    = "file"
	KindLeftOut = "left out" // a file that the index leaves out: its size is not known
	KindGroup   = "group"    // what else is in a folder
)

// A Query asks for a part of the tree.
type Query struct {
	Path  string   // the folder to begin with; "": the root
	Glob  []string // only files that one of these globs matches, and none of those that begin with "!"
	Lang  []string // only files of one of these languages
	Tests string   // answer.WithTests, WithoutTests or OnlyTests; "": WithTests
	Depth int      // levels below the folder, 0: DefaultDepth
	Limit int      // nodes at most, 0: DefaultNodes
}

// An Answer is a part of the tree: the folder that was asked for first, and each folder before what
// is in it. What is in a folder comes by size, the largest first.
type Answer struct {
	Nodes       []Node         `json:"nodes"`                   // never nil
	Languages   map[string]int `json:"languages"`               // lines by language, of all files below the folder
	NotLookedAt []string       `json:"not_looked_at,omitempty"` // figures that there are none of, and why
	answer.Completeness
	answer.Page              // Total counts the folder and all that is below it
	State       answer.State `json:"-"`

	tree  *tree
	query *Query
}

// A Node is a folder, a file, or what stands for several. Figures of a folder are those of all that
// is below it.
type Node struct {
	Path    string         `json:"path"` // "." is the root; of a group that of its folder with /*
	Parent  string         `json:"parent"`
	Kind    string         `json:"kind"`
	Files   int            `json:"files"` // that are indexed
	Lines   int            `json:"lines"` // up to the last one of each file that is not blank
	Bytes   int64          `json:"bytes"`
	Lang    string         `json:"lang"`               // of a folder that with the most lines; "" where none is known
	FanIn   *int           `json:"fan_in"`             // files, of a folder those outside of it, that depend on it; nil: not looked at
	Churn   *int           `json:"churn"`              // of the last 2,000 commits those that changed it; nil: not looked at
	LeftOut map[string]int `json:"left_out,omitempty"` // files that are not indexed, by reason
	Test    bool           `json:"test,omitempty"`     // all of it is test code
	Inside  int            `json:"inside"`             // files and folders directly in a folder; in a group how many it stands for
	Open    bool           `json:"open,omitempty"`     // a folder whose nodes are in the answer
	Changed bool           `json:"changed,omitempty"`  // as in Place
}

// Treemap answers a Query. A folder that the index knows nothing of has one node, without files. It
// returns a PatternError for a glob.
func Treemap(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Nodes: []Node{}, Languages: map[string]int{}, query: &q}
	if err := store.CheckGlobs(q.Glob); err != nil {
		return a, err
	}
	var err error
	if a.State, err = x.OpenState(); err != nil {
		return a, err
	}
	q.Limit, q.Depth = min(cmp.Or(q.Limit, DefaultNodes), MaxNodes), min(cmp.Or(q.Depth, DefaultDepth), MaxDepth)
	t := newTree(x, &q)
	links, known, err := architecture.FileLinks(ctx, x)
	if err != nil {
		return a, err
	}
	t.dependents(links, known, q.Tests)
	commits, why, err := architecture.Commits(ctx, x)
	if err != nil {
		return a, err
	}
	if why == "" {
		t.changes(commits)
	} else {
		a.NotLookedAt = append(a.NotLookedAt, "churn: "+why)
	}
	if t.root.files == 0 && len(t.root.leftOut) == 0 && !x.Knows(q.Path) {
		a.NotLookedAt = append(a.NotLookedAt, "the index knows no file at or below the path")
	}
	t.sum(a.Languages)
	a.tree = t
	var l calls.Gaps
	calls.Current(x, &l, a.State)
	a.Completeness = l.Completeness("")
	a.show(q.Limit)
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, ctx.Err()
}

// Given returns how many nodes the answer has.
func (a *Answer) Given() int { return len(a.Nodes) }

// Keep leaves out all but n nodes: the rest are counted by those that stay.
func (a *Answer) Keep(n int) { a.show(n) }

// Places visits the files.
func (a *Answer) Places(visit func(string, *bool)) {
	for i := range a.Nodes {
		if n := &a.Nodes[i]; n.Kind == KindFile {
			visit(n.Path, &n.Changed)
		}
	}
}
