package calls

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls/dependents"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/facts"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/paged"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Bounds of a Search.
const (
	maxReached = 20_000 // nodes, beyond which it ends
	AllSteps   = maxReached
)

// CutReached is the cut of a search that came to more symbols than it may look at:
// Total is a lower bound.
const CutReached answer.Cut = "reached"

// CutDepth is the cut of an answer about the call graph that ends before what it follows
// does: there are more steps than the query's Depth. One step is no cut of Calls and Trace,
// for then they are asked about direct calls alone.
const CutDepth answer.Cut = "depth"

// ByName is the confidence of an edge that only a name speaks for.
const ByName = "name"

// A Walk is the work of one query on the call graph, whose lock it holds.
type Walk struct {
	index *store.View
	G     *graph.Graph
	calls *callgraph.Graph
	nodes paged.Array[*graph.Node]
	seen  int                   // nodes
	homes paged.Array[graph.ID] // 0: not looked for
	tests map[string]bool       // what is known of paths: whether they are of tests
	// untested are the files of Python that have nothing of what would run a test.
	untested map[string]bool
	names    map[string]*called // the open calls of a name
	// loaded are the files of a language and a folder that run what another file of it does when
	// it is loaded.
	loaded  map[loading][]graph.ID
	outside map[graph.ID]string // what Callback has found
	// anyMember are the places where methods of a class call a member of this by a computed name;
	// nil: they were not looked for.
	anyMember map[graph.ID]string
	parsed    int                    // bytes of files in which values were followed
	code      map[syntaxOf]bool      // what the syntax was asked of
	undoubted map[string][]graph.ID  // names that there is no doubt of in the text, with their nodes
	within    map[graph.ID]bool      // what confined has found
	back      *dependents.Dependents // nil: the edges are not turned round
	own       *modules.Set           // nil: not asked for
	looked    *texts.Search          // the last one, for what it knows of the files on disk; nil: there was none
	values    map[graph.Site]int     // open calls of function values in C's languages, with their arguments; nil: not read
}

// modules returns what the index has of modules itself.
func (w *Walk) modules() *modules.Set {
	if w.own == nil {
		w.own = modules.Current(w.index)
	}
	return w.own
}

// ReadGraph lets a query read the graph.
func ReadGraph(x *store.View, use func(w *Walk)) {
	if x.Over != nil {
		x.Over.Solve()
	}
	x.Graph.Mu.RLock()
	defer x.Graph.Mu.RUnlock()
	use(&Walk{index: x, G: facts.Graph(x), calls: &x.Graph, tests: map[string]bool{}, untested: map[string]bool{}, names: map[string]*called{}, loaded: map[loading][]graph.ID{}, outside: map[graph.ID]string{}, within: map[graph.ID]bool{}, code: map[syntaxOf]bool{}, undoubted: map[string][]graph.ID{}})
}

// WalkGraph is readGraph, and notes how much of the graph was looked at.
func WalkGraph(ctx context.Context, x *store.View, use func(w *Walk)) {
	ReadGraph(x, func(w *Walk) {
		defer func() { answer.Note(ctx, func(p *answer.Plan) { p.Nodes += w.seen }) }()
		use(w)
	})
}

func (w *Walk) Node(id graph.ID) *graph.Node {
	n := w.nodes.At(id)
	if *n == nil {
		found := w.G.Node(id)
		*n = &found
		w.seen++
	}
	return *n
}

// Home returns the named node that a node is a part of: literals belong to the
// function that they are written in.
func (w *Walk) Home(id graph.ID) graph.ID {
	home := w.homes.At(id)
	if *home != 0 {
		return *home
	}
	to := id
	for range 64 {
		n := w.Node(to)
		if n.Kind != graph.FuncNode || n.Outer == 0 {
			break
		}
		up := w.Node(n.Outer)
		if n.Name != "" && !strings.HasSuffix(n.Name, ".") && (up.Kind == graph.FileNode || up.Name != n.Name) {
			break
		}
		to = n.Outer
	}
	*home = to
	return to
}

func (w *Walk) Place(id graph.ID) answer.Place {
	n := w.Node(id)
	return answer.Place{Symbol: n.Name, File: n.Path, Line: max(n.Pos.Line(), 1)}
}

// fits reports whether the graph has a file as a record has it. One of the two may be
// newer: the record was looked up before the graph was locked.
func (w *Walk) fits(r *store.Record) bool {
	if w.calls.Lacks(r.Path) {
		return false
	}
	return w.index.Record(r.Path) == r
}

// PlainName is the last part of a node's name, as it is called.
func PlainName(n *graph.Node) string { return n.Name[strings.LastIndexByte(n.Name, '.')+1:] }

// IsTest reports whether a node is code that a test runner runs.
func (w *Walk) IsTest(id graph.ID) bool {
	if f, _, ok := w.back.Flags(id); ok {
		return f.Test
	}
	n := w.Node(id)
	if n.Flags&ir.TestFunc != 0 && !w.onlyNamed(n) {
		return true
	}
	test, known := w.tests[n.Path]
	if !known {
		test = source.RoleOf(n.Path) == source.Test
		w.tests[n.Path] = test
	}
	return test
}

// onlyNamed reports whether a method of Python has no more of a test than the name: what test_client
// of an application makes is a client. Its class is not named like a test, and its file has nothing
// of the libraries that would run it.
func (w *Walk) onlyNamed(n *graph.Node) bool {
	dot := strings.LastIndexByte(n.Name, '.')
	if n.Language != "python" || dot < 0 || strings.Contains(strings.ToLower(n.Name[:dot]), "test") {
		return false
	}
	only, known := w.untested[n.Path]
	if !known {
		r := w.index.Record(n.Path)
		only = r != nil && !unit.Match(r.Text.All())
		w.untested[n.Path] = only
	}
	return only
}

// unit matches the names of what runs tests of Python.
var unit = regexp.MustCompile(`(?i)testcase|unittest|pytest|\bnose`)

// Seeds returns the nodes that a target stands for: those of its name and line,
// and with a class its methods; of a file all that is in it.
func (w *Walk) Seeds(at *store.Target) []graph.ID {
	var ids []graph.ID
	seen := map[graph.ID]bool{}
	add := func(id graph.ID) {
		if id != 0 && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if at.Symbol < 0 {
		add(w.G.File(at.Record.Path))
		named := w.G.NamedIn(at.Record.Path)
		for i := range at.Record.Symbols {
			if s := &at.Record.Symbols[i]; store.Runs(s.Kind()) {
				for _, id := range named[graph.Spot{Name: s.Name, Line: int(s.NameLine)}] {
					add(id)
				}
			}
		}
		return ids
	}
	s := at.Sym()
	for _, id := range w.G.Named(at.Record.Path, s.Name, int(s.NameLine)) {
		add(id)
	}
	w.relatives(at, add)
	if len(ids) == 0 && w.fits(at.Record) {
		// Names that the graph reads in another way: operators, quoted keys. In a graph of
		// another state of the file, the line is that of any symbol.
		add(w.G.At(at.Record.Path, int(s.NameLine)))
	}
	for _, id := range ids {
		if w.Node(id).Kind == graph.ClassNode {
			members := w.G.Members(id) // as the graph was made, or as a snapshot has them
			slices.SortFunc(members, w.Compare)
			for _, m := range members {
				add(m)
			}
		}
	}
	return ids
}

// Find returns what a text from outside names: a symbol or a file. It returns the errors of
// View.FindTarget, and one for a line of a file that has no symbol.
func Find(x *store.View, text string) (store.Target, answer.State, error) {
	at, state, err := x.FindTarget(text)
	if err == nil && at.Symbol < 0 && at.Line > 0 {
		err = at.Nothing()
	}
	return at, state, err
}

// Current notes whether the graph is one of all files as they are.
func Current(x *store.View, l *Gaps, state answer.State) {
	switch {
	case state.State == answer.Indexing:
		l.Because("the index is still being built")
	case x.Graph.Broken.Load():
		l.Because("a part of the call graph could not be made; the log says why")
	case x.Counters.Restored.Load(), x.Over != nil && x.Over.Base.Counters.Restored.Load():
		l.Because("the files have not been compared with the snapshot yet")
	case x.Graph.Absent():
		l.Because(answer.GraphBuilding)
	case x.Graph.Behind():
		l.Because("the latest changes are not in the call graph yet")
	}
}

// InGraph checks that a target is in a language with a call graph.
func InGraph(x *store.View, w *Walk, at *store.Target, state answer.State) error {
	if w.G.Has(at.Record.Path) || x.Graph.Behind() || !w.fits(at.Record) || x.Graph.Broken.Load() || state.State == answer.Indexing {
		return nil
	}
	return &answer.UnsupportedError{File: at.Record.Path, Language: at.Record.Lang, Analysis: "call graph"}
}

// IsCall reports whether an edge is a call, or says from where one may come: going
// through an interface, and, of what is called, the use as a value.
func IsCall(e *graph.Edge, values bool) bool {
	return e.Kind == graph.Calls || e.Kind == graph.References && (e.Rule == graph.ByHierarchy || values && e.Rule == graph.ByValue)
}

// Dependency reports whether a change of what an edge leads to may matter where it comes
// from. An import is followed from a file whose code outside of definitions is affected,
// where importing runs that.
func (w *Walk) Dependency(e *graph.Edge) bool {
	return e.Kind != graph.Imports || RunsImports(w.Node(e.To).Language)
}

func (w *Walk) Compare(a, b graph.ID) int {
	m, n := w.Node(a), w.Node(b)
	return cmp.Or(strings.Compare(m.Path, n.Path), cmp.Compare(m.Pos, n.Pos), strings.Compare(m.Name, n.Name))
}

// Follows reports whether the graph has the uses of what some nodes are: of functions and types.
func (w *Walk) Follows(seeds []graph.ID) bool {
	return slices.ContainsFunc(seeds, func(id graph.ID) bool {
		kind := w.Node(id).Kind
		return kind == graph.FuncNode || kind == graph.ClassNode || kind == graph.FileNode
	})
}

// Followed notes that the graph does not follow the uses of a target.
func (w *Walk) Followed(seeds []graph.ID, at *store.Target, l *Gaps) {
	if !w.Follows(seeds) && len(l.reasons) == 0 {
		l.Because("the call graph does not follow the uses of a %s such as %s", kindOf(at), nameOf(at))
	}
}
