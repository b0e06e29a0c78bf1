package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A FlowsQuery asks for the paths of values from sources to sinks.
type FlowsQuery struct {
	Preset      string   // a word of Presets, AllPresets for each of them in turn; "": Source and Sink say it all
	Source      []string // patterns, as package taint has them, or "preset:GROUP"; none: those of requests
	Sink        []string // as above; none: those of Preset
	Sanitizer   []string // patterns, or "preset:default" for those of Preset; none: these, NoSanitizer: none at all
	Depth       int      // calls that are followed between source and sink, into functions and back to callers; 0: 8
	Functions   int      // functions that are looked into, for each preset; 0: 2000
	Limit       int      // paths; 0: 100
	Offset      int
	calls.Scope // paths by the file of their sink, and by whether one of their ends is test code
}

// Words of a FlowsQuery.
const (
	AllPresets  = "all"
	NoSanitizer = "none"
)

// Presets are the presets, and AllPresets.
func Presets() []string { return append(taint.Presets(), AllPresets) }

// Bounds of a FlowsQuery.
const (
	DefaultFlowDepth = 8
	DefaultFunctions = 2000
	MaxFunctions     = 20_000
	defaultFlows     = 100
)

// A FlowsAnswer has paths of values, the shortest first.
type FlowsAnswer struct {
	Flows   []Flow    `json:"flows"`   // one for each source and sink; never nil
	Sources int       `json:"sources"` // places that sources match, in the functions that were looked into
	Sinks   int       `json:"sinks"`   // calls and assignments that sinks match, wherever
	Looked  int       `json:"functions"`
	Counts  []Counted `json:"counts"` // paths by what their sinks do, on all pages; never nil

	// NotLooked says in which languages no flow is looked for, with their files.
	NotLooked []string `json:"not_looked_at"`
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`
}

// A Counted is how many paths a preset has.
type Counted struct {
	Preset string `json:"preset"`
	Count  int    `json:"count"`
}

// A Flow is a path of a value from a source to a sink.
type Flow struct {
	Preset     string     `json:"preset,omitempty"` // whose sink it is; "" for a sink of the query
	Source     FlowPlace  `json:"source"`
	Sink       FlowPlace  `json:"sink"`
	Confidence string     `json:"confidence"` // of the weakest call on it: exact, scoped or possible
	Steps      []FlowStep `json:"steps"`      // from the source to the sink; never nil
	Test       bool       `json:"test,omitempty"`
}

// A FlowPlace is an end of a path.
type FlowPlace struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"` // 1-based, in bytes
	Name    string `json:"name"`   // what is read, called or assigned to there
	Pattern string `json:"pattern"`
	Changed bool   `json:"changed,omitempty"`
}

// A FlowStep is a place on a path.
type FlowStep struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Text     string `json:"text"`
	// source; data: it is assigned to Variable; parameter: Variable gets it as an argument;
	// argument: it is given to Name; result: Name returns it; passed: it is given to Name, which is
	// outside of the index or not known, and taken to return it; carried: as before, and taken to
	// be in Variable; captured: a function inside reads Variable; field: another function of the class
	// reads it; sink
	Reason   string `json:"reason"`
	Name     string `json:"name,omitempty"`
	Variable string `json:"variable,omitempty"`
	Changed  bool   `json:"changed,omitempty"`
}

// maxNamed is how many places a reason names.
const maxNamed = 5

// CutSteps is the cut of a search that goes through too many values.
const CutSteps answer.Cut = "steps"

// Flows answers with the paths of values from sources to sinks. It returns a QueryError where
// the query lacks something, a PatternError for a pattern that cannot be used, and an UnsupportedError for a path that names a file of a language
// without flow.
func Flows(ctx context.Context, x *store.View, q FlowsQuery) (FlowsAnswer, error) {
	a := FlowsAnswer{Flows: []Flow{}, Counts: []Counted{}, NotLooked: []string{}}
	narrowed, err := q.Narrow()
	if err != nil {
		return a, err
	}
	tests := cmp.Or(q.Tests, answer.WithTests)
	presets := []string{q.Preset}
	if q.Preset == AllPresets {
		presets = taint.Presets()
	}
	var rules []*rules
	for _, p := range presets {
		r, err := newRules(&q, p)
		if err != nil {
			return a, err
		}
		rules = append(rules, r)
	}
	files, state, err := x.FilesByPath(store.Scope{})
	if a.State = state; err != nil {
		return a, err
	}
	if err := supported(x, q.Path, rules[0]); err != nil {
		return a, err
	}
	m := newMaker(x)
	var l calls.Gaps
	var flows []Flow
	gaps := answer.Completeness{Complete: true}
	sources, looked := map[placeKey]bool{}, map[*walk.Graph]bool{}
	var open []string
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		calls.Current(x, &l, state)
		for _, r := range rules {
			t := newTracer(linker{maker: m, walk: w}, r, &q)
			t.trace(ctx, files)
			a.Sinks += t.sinks
			for key := range t.bySource {
				sources[key] = true
			}
			for g := range t.functions {
				looked[g] = true
			}
			for _, cut := range t.cuts {
				a.Cut(cut)
			}
			for _, name := range t.open {
				if !slices.Contains(open, name) {
					open = append(open, name)
				}
			}
			for _, why := range t.gaps.Because {
				lacks(&gaps, "%s", why)
			}
			for _, f := range t.flows() {
				if f.Test && tests == answer.WithoutTests || !f.Test && tests == answer.OnlyTests || !narrowed.Admits(f.Sink.File, f.Test) {
					continue
				}
				flows = append(flows, f)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return a, err
	}
	a.Sources, a.Looked = len(sources), len(looked)
	if len(open) > 0 {
		slices.Sort(open)
		more := ""
		if len(open) > maxNamed {
			more = " and " + countOf(len(open)-maxNamed, "other")
		}
		lacks(&gaps, "what these calls run, and do with the values that they are given, is not known: %s%s", join(open[:min(len(open), maxNamed)]), more)
	}
	sortFlows(flows)
	for _, p := range presets {
		n := 0
		for i := range flows {
			if flows[i].Preset == p {
				n++
			}
		}
		if n > 0 {
			a.Counts = append(a.Counts, Counted{p, n})
		}
	}
	a.NotLooked = notLooked(files, rules[0])
	c := l.Completeness("")
	gaps.Complete = gaps.Complete && c.Complete
	gaps.Because = append(c.Because, gaps.Because...)
	a.Completeness = gaps
	a.Flows = append(a.Flows, answer.PageOf(&a.Page, flows, q.Offset, cmp.Or(max(q.Limit, 0), defaultFlows))...)
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, nil
}

// sortFlows puts the shortest paths first.
func sortFlows(list []Flow) {
	place := func(a, b *FlowPlace) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	}
	slices.SortStableFunc(list, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(len(a.Steps), len(b.Steps)), place(&a.Sink, &b.Sink), place(&a.Source, &b.Source))
	})
}

// supported fails for a path that is a file of a language without flow.
func supported(x *store.View, path string, r *rules) error {
	record := x.Record(path)
	if path == "" || record == nil || r.of(record.Lang) != nil {
		return nil
	}
	with := slices.DeleteFunc(control.Languages(), func(l string) bool { return r.of(l) == nil })
	err := &answer.UnsupportedError{File: path, Language: record.Lang, Analysis: "flows"}
	if record.Lang != "" {
		err.Reason = record.Lang + " has none here; these have: " + join(with)
	}
	return err
}

// notLooked says which languages of code are in the index in which no flow is looked for.
func notLooked(files []*store.Record, r *rules) []string {
	count := map[string]int{}
	for _, f := range files {
		if f.Lang != "" && r.of(f.Lang) == nil && len(f.Lowered) > 0 {
			count[f.Lang]++
		}
	}
	list := []string{}
	for _, lang := range sortedKeys(count) {
		list = append(list, lang+": "+countOf(count[lang], "file"))
	}
	return list
}

// Given returns how many entries the answer has.
func (a *FlowsAnswer) Given() int { return len(a.Flows) }

// Keep leaves out all but the first n paths.
func (a *FlowsAnswer) Keep(n int) { a.Flows = a.Flows[:min(n, len(a.Flows))] }

// Places calls visit for each place of the answer.
func (a *FlowsAnswer) Places(visit func(string, *bool)) {
	for i := range a.Flows {
		f := &a.Flows[i]
		visit(f.Source.File, &f.Source.Changed)
		visit(f.Sink.File, &f.Sink.Changed)
		for j := range f.Steps {
			visit(f.Steps[j].File, &f.Steps[j].Changed)
		}
	}
}
