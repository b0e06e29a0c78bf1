package flow

import (
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A tracer follows values from sources to sinks: by the definitions that reach uses within a
// function, and across calls by what a function does with one argument, found once for all of its
// callers (Reps, Horwitz and Sagiv, "Precise Interprocedural Dataflow Analysis via Graph
// Reachability", 1995). A value that a source gives goes back to all callers of the function that
// returns it; one that an argument gave only to where that argument is from.
type tracer struct {
	linker
	rules     *rules
	depth     int
	max       int // functions
	sources   []*source
	bySource  map[placeKey]*source
	sinks     int
	frames    map[frameKey]*frame
	functions map[*walk.Graph]*info
	byNode    map[graph.ID]*function
	bySymbol  map[symbolKey]*function
	needs     map[needKey]bool
	todo      []item
	done      int // items
	found     map[[2]placeKey]*found
	order     []*found
	cuts      []answer.Cut
	gaps      answer.Completeness
	open      []string // calls that are not resolved, and were given a value
}

// maxItems bounds the values that are gone through.
const maxItems = 1 << 17

// A symbolKey is a symbol of a file, by where it begins.
type symbolKey struct {
	record *store.Record
	at     uint32
}

type placeKey struct {
	file string
	at   int
}

// A source is a place where values come from.
type source struct {
	n       int
	f       *function
	at      int
	name    string
	pattern *taint.Pattern
}

// A sink is a place where they must not come to.
type sink struct {
	f       *function
	at      int
	name    string
	pattern *taint.Pattern
}

// A found is a path.
type found struct {
	from  *source
	to    *sink
	trail *trail
}

// An info is what is known of a function.
type info struct {
	f     *function
	uses  map[control.Ref][]control.Ref // by definition
	defs  map[control.Ref]bool          // uses that a whole definition of the function reaches
	parts map[int][]int                 // steps that take the value of a step
}

// A frameKey is a function with what brought a value into it: a source, or a part of a parameter.
type frameKey struct {
	graph  *walk.Graph
	source int // -1: a parameter
	param  int
	sub    string
}

// A frame is a function that a value is in.
type frame struct {
	key     frameKey
	f       *function
	info    *info
	depth   int
	seen    map[node]bool
	callers []caller
	outs    []out
	has     map[outKey]bool
	around  *frame // of a function that is written in another one, and sees its variables
}

// A node is a value in a function: of a part of the text, or of what a step writes.
type node struct {
	def    bool
	step   int
	access int       // of def
	span   walk.Span // of a value
	sub    string    // the part of it that is meant, as in walk.Access; "": all
}

// An item is a value that is to be followed.
type item struct {
	fr    *frame
	node  node
	trail *trail
}

// A caller is a call that brought a value into a frame.
type caller struct {
	fr         *frame
	step, call int
	trail      *trail
	edge       graph.Confidence
}

// An out is how a value leaves a function.
type out struct {
	outKey
	trail *trail
	sink  *sink
}

type outKey struct {
	sink   placeKey // the zero one: none
	result bool     // it is returned
	field  field    // it is in this field; the zero one: none
	param  int      // otherwise it is in this parameter
	sub    string
}

// A field is one of the objects of a class, or a variable that the functions of a file see.
type field struct {
	file, class string
	name        string // of the variable; "": the object itself has the field
}

// A trail is how a value came to a place, from the last step back.
type trail struct {
	prev           *trail
	into           *trail // what happened in a function that was called
	f              *function
	at             int
	reason         string
	name, variable string
	confidence     graph.Confidence // of the weakest
	length         int
}

func (t *trail) then(next trail) *trail {
	next.prev = t
	next.length++
	for _, before := range []*trail{t, next.into} {
		if before != nil {
			next.length += before.length
			next.confidence = max(next.confidence, before.confidence)
		}
	}
	return &next
}

func newTracer(l linker, r *rules, q *FlowsQuery) *tracer {
	t := &tracer{
		linker: l, rules: r, depth: q.Depth, max: q.Functions, bySource: map[placeKey]*source{}, frames: map[frameKey]*frame{},
		functions: map[*walk.Graph]*info{}, byNode: map[graph.ID]*function{}, bySymbol: map[symbolKey]*function{}, needs: map[needKey]bool{}, found: map[[2]placeKey]*found{},
	}
	if t.depth <= 0 {
		t.depth = DefaultFlowDepth
	}
	if t.max <= 0 {
		t.max = DefaultFunctions
	}
	t.gaps.Complete = true
	return t
}

// trace finds the paths through some files.
func (t *tracer) trace(ctx context.Context, files []*store.Record) {
	list, err := t.candidates(ctx, files)
	if err != nil {
		return
	}
	in := t.sinkSites(list)
	if t.sinks == 0 {
		return
	}
	list = slices.DeleteFunc(list, func(c candidate) bool { return len(c.sources)+len(c.functions) == 0 })
	t.near(list, in)
	for i := range list {
		if ctx.Err() != nil {
			return
		}
		t.begin(&list[i])
		t.run(ctx)
	}
}

// run follows values until there are no more.
func (t *tracer) run(ctx context.Context) {
	for len(t.todo) > 0 && ctx.Err() == nil {
		if t.done++; t.done > maxItems {
			t.cut(CutSteps)
			t.todo = nil
			return
		}
		next := t.todo[0]
		t.todo = t.todo[1:]
		if next.node.def {
			t.defined(next.fr, next.node, next.trail)
		} else {
			t.valued(next.fr, next.node, next.trail)
		}
	}
}

func (t *tracer) cut(c answer.Cut) {
	if !slices.Contains(t.cuts, c) {
		t.cuts = append(t.cuts, c)
	}
}

// add has a value followed, once.
func (t *tracer) add(fr *frame, n node, trail *trail) {
	if !fr.seen[n] {
		fr.seen[n] = true
		t.todo = append(t.todo, item{fr, n, trail})
	}
}

// value is add for a part of the text.
func (t *tracer) value(fr *frame, step int, span walk.Span, sub string, trail *trail) {
	t.add(fr, node{step: step, span: span, sub: sub}, trail)
}

// of returns what is known of a function, nil where there are too many.
func (t *tracer) of(f *function) *info {
	if in := t.functions[f.graph]; in != nil {
		return in
	}
	if len(t.functions) >= t.max {
		t.cut(CutFunctions)
		return nil
	}
	in := &info{f: f, uses: map[control.Ref][]control.Ref{}, defs: map[control.Ref]bool{}, parts: map[int][]int{}}
	pairs, known := control.Reach(f.graph)
	if !known {
		lacks(&t.gaps, "%s is too large for all of its definitions to be followed", f.title())
	}
	for _, p := range pairs {
		in.uses[p.Def] = append(in.uses[p.Def], p.Use)
		if a := &f.graph.Steps[p.Def.Step].Access[p.Def.Access]; a.Path == "" && !a.Weak && !a.Inner {
			in.defs[p.Use] = true
		}
	}
	for i := range f.graph.Steps {
		for _, part := range f.graph.Steps[i].Parts {
			in.parts[part] = append(in.parts[part], i)
		}
	}
	t.functions[f.graph] = in
	return in
}

// frame returns the one of a key, which it makes, and whether it is new; nil beyond a bound.
func (t *tracer) frame(f *function, key frameKey, depth int) (fr *frame, fresh bool) {
	if fr := t.frames[key]; fr != nil {
		fr.depth = min(fr.depth, depth)
		return fr, false
	}
	if depth > t.depth {
		t.cut(calls.CutDepth)
		return nil, false
	}
	in := t.of(f)
	if in == nil {
		return nil, false
	}
	f = in.f
	fr = &frame{key: key, f: f, info: in, depth: depth, seen: map[node]bool{}, has: map[outKey]bool{}}
	t.frames[key] = fr
	f.noted(&t.gaps)
	return fr, true
}
