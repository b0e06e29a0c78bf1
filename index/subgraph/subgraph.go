// Package subgraph answers with the part of the call graph around a symbol, or between two, as
// nodes and edges to draw: never more than a reader can take in. What is beyond the bound is in
// nodes that stand for many and say how many, and can be asked for. It follows no edge itself:
// calls does, and trace.
package subgraph

import (
	"cmp"
	"context"
	"fmt"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/drawing"
	"github.com/quarry-search/quarry/index/internal/store"
)

// What nodes are collapsed to.
const (
	ByFile   = "file"
	ByFolder = "folder"
	ByClass  = "class" // what is in no class stays as it is
)

// Bounds of an answer.
const (
	DefaultNodes = 100
	MaxNodes     = drawing.MaxNodes
	MaxDepth     = 10
	MaxExpanded  = 32 // entries of Query.Expand

	maxEdges  = drawing.MaxEdges
	maxFound  = 20_000 // edges that are looked at, in each direction
	shownWays = 5      // paths between two targets
	shownSite = 5      // call sites of an edge
	maxText   = 200    // bytes of a call site's line
)

// Sides of a Node: how it is related to the target.
const (
	SideTarget = "target"
	SideCaller = "caller" // leads to it
	SideCallee = "callee" // it leads there
	SideBoth   = "both"
	SidePath   = "path" // lies between the two
)

// Kinds of a Node that is no symbol.
const (
	KindFile     = "file"
	KindFolder   = "folder"
	KindGroup    = "group"     // those of a folder that the bound left out
	KindTopLevel = "top level" // code of a file outside of definitions
)

// A Query asks for a part of the call graph.
type Query struct {
	Target    string   // as Extract reads it
	To        string   // another target: what lies between the two; "": what is around the one
	Direction string   // calls.Callees, Callers or Both; "": Both. Not with To
	Depth     int      // steps from the target; 0: 1. Not with To
	Collapse  string   // ByFile, ByFolder or ByClass; "": a node is a symbol
	Expand    []string // IDs of nodes: what these stand for is shown or, of a symbol, what is one step from it, too
	Snippets  bool     // fill in the text of call sites
	Limit     int      // nodes at most, 0: DefaultNodes

	// Scope narrows the nodes, by what is not the target. Those on the way to an admitted one stay,
	// unless tests are left out: what only they lead to is left out with them.
	calls.Scope
}

// An Answer is a part of the call graph.
type Answer struct {
	Target     string             `json:"target"`
	Definition *answer.Definition `json:"definition,omitempty"`
	To         *answer.Definition `json:"to,omitempty"`
	Direction  string             `json:"direction,omitempty"` // "" with To
	Backward   bool               `json:"backward,omitempty"`  // the paths lead from To to the target
	Nodes      []Node             `json:"nodes"`               // never nil; the target first, the nearest first, groups last
	Edges      []Edge             `json:"edges"`               // never nil; in the order of the nodes
	TotalEdges int                `json:"total_edges"`         // between all nodes, before limits
	answer.Completeness
	Others      []answer.Place `json:"alternatives,omitempty"`
	answer.Page                // Total counts the nodes before the limit, without groups
	State       answer.State   `json:"-"`

	whole *whole
}

// A Node is a symbol, or what stands for several.
type Node struct {
	ID        string `json:"id"`   // for Edge and Query.Expand; of a symbol, mostly a target: file:line
	Kind      string `json:"kind"` // of the symbol, or one of the above
	Symbol    string `json:"symbol,omitempty"`
	File      string `json:"file,omitempty"` // "" of folders and groups
	Line      int    `json:"line,omitempty"`
	Folder    string `json:"folder"` // "" is the root
	Signature string `json:"signature,omitempty"`
	Depth     int    `json:"depth"` // steps from the target
	Side      string `json:"side"`
	Count     int    `json:"count"` // symbols that it stands for
	Test      bool   `json:"test,omitempty"`
	Changed   bool   `json:"changed,omitempty"` // as in Place
}

// An Edge says that one node calls, or names, another.
type Edge struct {
	From       string `json:"from"`
	To         string `json:"to"`
	Kind       string `json:"kind"`                // as of calls.CallEdge; of several edges the first of calls, references
	Confidence string `json:"confidence"`          // of several edges the surest
	Ambiguous  bool   `json:"ambiguous,omitempty"` // it may be another that is called: one of several, or by its name alone
	Count      int    `json:"count"`               // lines of call sites
	Sites      []Site `json:"sites"`               // the first 5
	Path       bool   `json:"path,omitempty"`
}

// A Site is a place of a call.
type Site struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text,omitempty"` // of the line, without the white space around it
}

// A QueryError says what does not go together in a Query.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return e.Reason }

func (q *Query) check() error {
	switch {
	case q.To != "" && q.Direction != "":
		return &QueryError{"direction is of what is around a target, not of what lies between two"}
	case q.To != "" && q.Depth != 0:
		return &QueryError{"depth is of what is around a target, not of what lies between two"}
	case len(q.Expand) > MaxExpanded:
		return &QueryError{fmt.Sprintf("expand has at most %d entries", MaxExpanded)}
	}
	return nil
}

// Subgraph answers a Query. It returns a QueryError for one that contradicts itself, and the errors
// of calls.Calls and trace.Trace.
func Subgraph(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Target: q.Target, Nodes: []Node{}, Edges: []Edge{}}
	if err := q.check(); err != nil {
		return a, err
	}
	admits, err := q.admits()
	if err != nil {
		return a, err
	}
	if q.To == "" {
		q.Direction = cmp.Or(q.Direction, calls.Both)
		a.Direction = q.Direction
	}
	q.Limit = min(cmp.Or(q.Limit, DefaultNodes), MaxNodes)
	f := found{View: x, query: &q, answer: &a, links: map[pair]*link{}, tests: map[answer.Place]bool{}, seeds: map[answer.Place]bool{}}
	if err := f.collect(ctx); err != nil {
		return a, err
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	f.relate()
	f.narrow(admits)
	a.whole = f.collapse()
	a.show(q.Limit)
	if a.Truncated {
		a.Lacks(a.Cuts)
	}
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// admits reads the scope but for WithoutTests, of which relate takes care.
func (q *Query) admits() (func(path string, test bool) bool, error) {
	scope := q.Scope
	if scope.Tests == answer.WithoutTests {
		scope.Tests = ""
	}
	narrowed, err := scope.Narrow()
	if err != nil {
		return nil, err
	}
	if scope.Path == "" && len(scope.Glob) == 0 && scope.Tests != answer.OnlyTests {
		return nil, nil
	}
	return narrowed.Admits, nil
}

// Given returns how many nodes the answer has.
func (a *Answer) Given() int { return len(a.Nodes) }

// Keep leaves out all but n nodes: the rest are in groups, which count among them.
func (a *Answer) Keep(n int) { a.show(n) }

// Places visits the definitions and the nodes.
func (a *Answer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	a.To.Visit(visit)
	for i := range a.Nodes {
		if n := &a.Nodes[i]; n.File != "" {
			visit(n.File, &n.Changed)
		}
	}
	for i := range a.Others {
		a.Others[i].Visit(visit)
	}
}

// Draw returns a drawing of the graph in a form of drawing.
func (a *Answer) Draw(form string) (string, error) {
	g := drawing.Graph{Title: "the call graph around " + a.Target}
	if a.To != nil {
		g.Title = fmt.Sprintf("calls from %s to %s", a.Target, a.To.Symbol)
	}
	number := map[string]int{}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		number[n.ID] = len(g.Nodes)
		one := drawing.Node{Lines: n.title()}
		switch {
		case n.Side == SideTarget:
			one.Style = drawing.Strong
		case n.Test || n.Kind == KindGroup:
			one.Style = drawing.Faded
		}
		g.Nodes = append(g.Nodes, one)
	}
	for i := range a.Edges {
		e := &a.Edges[i]
		label := ""
		if e.Count > 1 {
			label = fmt.Sprint(e.Count)
		}
		g.Edges = append(g.Edges, drawing.Edge{From: number[e.From], To: number[e.To], Label: label, Dashed: e.Ambiguous})
	}
	return drawing.Draw(form, &g)
}

// title is what a box of the node says.
func (n *Node) title() []string {
	switch n.Kind {
	case KindGroup:
		return []string{fmt.Sprintf("%d more", n.Count), cmp.Or(n.Folder, ".") + "/"}
	case KindFolder:
		return []string{cmp.Or(n.Folder, ".") + "/", fmt.Sprintf("%d symbols", n.Count)}
	case KindFile:
		return []string{n.File, fmt.Sprintf("%d symbols", n.Count)}
	case KindTopLevel:
		return []string{"top level", n.File}
	}
	return []string{n.Symbol, fmt.Sprintf("%s:%d", n.File, n.Line)}
}
