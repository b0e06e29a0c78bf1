package flow

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// begin begins with the sources of a file.
func (t *tracer) begin(c *candidate) {
	r := c.record
	l, x := t.rules.of(r.Lang), t.text(r)
	begun := map[*walk.Graph]bool{}
	for _, i := range c.functions {
		if f := t.functionAt(r, &r.Symbols[i]); f != nil {
			t.all(f, functionPattern(l, &r.Symbols[i]))
		}
	}
	for _, at := range c.sources {
		name, from := written(x.src, at)
		read, annotated := false, (*taint.Pattern)(nil)
		names := t.names(r, x, at, name)
		for i := range l.sources {
			p := &l.sources[i]
			switch {
			case p.Kind == taint.Annotation && from > 0 && (x.src[from-1] == '@' || x.src[from-1] == '[') && p.Matches(name):
				annotated = p
			case p.Kind == taint.Named:
				read = read || matchesAny(p, names)
			}
		}
		if annotated != nil {
			t.annotated(r, at, annotated)
		}
		if !read {
			continue
		}
		f, err := t.at(r, at, nil)
		if err != nil {
			lacks(&t.gaps, "%s: %v", r.Path, err)
			continue
		}
		if !begun[f.graph] {
			begun[f.graph] = true
			t.sourcesIn(f, l)
		}
	}
}

func lastWord(name string) string { return name[strings.LastIndexAny(name, ".])")+1:] }

func matchesAny(p *taint.Pattern, names [3]string) bool {
	for _, n := range names {
		if n != "" && p.Matches(n) {
			return true
		}
	}
	return false
}

// source notes a source, and returns the frame that its values are in, nil where it is known.
func (t *tracer) source(f *function, at int, name string, p *taint.Pattern) (*frame, *trail) {
	key := placeKey{f.File, at}
	if t.bySource[key] != nil {
		return nil, nil
	}
	s := &source{len(t.sources), f, at, name, p}
	fr, _ := t.frame(f, frameKey{graph: f.graph, source: s.n}, 0)
	if fr == nil {
		return nil, nil
	}
	t.bySource[key] = s
	t.sources = append(t.sources, s)
	return fr, (*trail)(nil).then(trail{f: f, at: at, reason: "source", name: name})
}

// sourcesIn begins with what a function reads and calls.
func (t *tracer) sourcesIn(f *function, l *langRules) {
	for i := range f.graph.Steps {
		step := &f.graph.Steps[i]
		for j := range step.Access {
			a := &step.Access[j]
			if a.Kind != walk.Use || a.Inner || a.ByCall || i <= walk.Leave {
				continue
			}
			name := f.placeText(a)
			for k := range l.sources {
				p := &l.sources[k]
				if p.Kind != taint.Named || p.Positions() || !p.MatchesPart(name) {
					continue
				}
				if fr, tr := t.source(f, a.Start, name, p); fr != nil {
					t.value(fr, i, walk.Span{Start: a.Start, End: a.End}, "", tr)
				}
				break
			}
		}
		for ci := range step.Calls {
			t.sourceCall(f, l, i, &step.Calls[ci])
		}
	}
}

// sourceCall begins with a call: with its result, or what it writes to its arguments.
func (t *tracer) sourceCall(f *function, l *langRules, step int, c *walk.Call) {
	name := f.callee(c)
	p := first(l.sources, t.names(f.record, f.text, c.At, name), t.fits(f, c))
	if p == nil {
		return
	}
	fr, tr := t.source(f, c.At, name, p)
	switch {
	case fr == nil:
	case !p.Positions():
		t.value(fr, step, walk.Span{Start: c.Start, End: c.End}, "", tr)
	default:
		for _, pos := range positions(c) {
			if p.At(pos) {
				t.into(fr, step, c, pos, "", tr)
			}
		}
	}
}

// annotated begins with the parameters that an annotation is for: the one that it is before, or all
// of the function that it is before.
func (t *tracer) annotated(r *store.Record, at int, p *taint.Pattern) {
	x := t.text(r)
	f, err := t.at(r, at, nil)
	if err != nil {
		return
	}
	if v := f.paramAfter(at); v != 0 {
		t.parameter(f, v, p)
		return
	}
	line := uint32(x.line(at))
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if s.NameLine < line || !runs(s) || int(s.End) < at {
			continue
		}
		if f := t.functionAt(r, s); f != nil {
			t.all(f, p)
		}
		return
	}
}

// paramAfter returns the parameter that comes after an offset, where that is in the list of them; 0
// for none.
func (f *function) paramAfter(at int) walk.Var {
	g := f.graph
	for k, v := range g.Params {
		if g.Slots[k] == walk.Receives || g.Vars[v].At < at || at < g.Start {
			continue
		}
		depth := 0
		for _, c := range f.text.src[at:g.Vars[v].At] {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			case '{', ';':
				return 0
			}
		}
		if depth == 0 {
			return v
		}
		return 0
	}
	return 0
}

// all begins with the parameters of a function.
func (t *tracer) all(f *function, p *taint.Pattern) {
	g := f.graph
	shift := 0
	if f.namesSelf() {
		shift = 1
	}
	for k, v := range g.Params {
		if slot := g.Slots[k]; slot != walk.Receives && slot >= shift && (!p.Positions() || p.At(slot-shift)) {
			t.parameter(f, v, p)
		}
	}
}

func (t *tracer) parameter(f *function, v walk.Var, p *taint.Pattern) {
	info := &f.graph.Vars[v]
	if t.plain(f, info.At) {
		return
	}
	if fr, tr := t.source(f, info.At, info.Name, p); fr != nil {
		t.enter(fr, v, "", tr)
	}
}

// plain reports whether the type of a parameter is one whose values are harmless.
func (t *tracer) plain(f *function, at int) bool {
	l, src := t.rules.of(f.Lang), f.text.src
	from, to := at, at
	for from > f.graph.Start && bytes.IndexByte([]byte(",(;{"), src[from-1]) < 0 {
		from--
	}
	for to < f.graph.End && bytes.IndexByte([]byte(",)=;{"), src[to]) < 0 {
		to++
	}
	return slices.ContainsFunc(strings.FieldsFunc(string(src[from:to]), func(r rune) bool { return r >= 0x80 || !isName(byte(r)) }), func(word string) bool {
		return slices.ContainsFunc(l.sanitizers, func(p taint.Pattern) bool { return p.Kind == taint.Typed && p.Matches(word) })
	})
}

// functionAt returns the function of a symbol, nil where it has none.
func (t *tracer) functionAt(r *store.Record, s *store.Symbol) *function {
	at := t.text(r).start(int(s.NameLine))
	f, err := t.at(r, at, nil)
	if err == nil && int(s.Start) <= f.graph.Start+1 && f.graph.End <= int(s.End)+1 && f.graph.Name == s.Name {
		return f
	}
	key := symbolKey{r, s.Start}
	if f, ok := t.bySymbol[key]; ok {
		return f
	}
	f, err = t.at(r, at, s)
	if err != nil {
		f = nil
	}
	t.bySymbol[key] = f
	return f
}

// flows returns the paths.
func (t *tracer) flows() []Flow {
	list := make([]Flow, 0, len(t.order))
	for _, p := range t.order {
		f := Flow{
			Source: p.from.f.end(p.from.at, p.from.name, p.from.pattern), Sink: p.to.f.end(p.to.at, p.to.name, p.to.pattern),
			Preset: t.rules.preset, Confidence: confidences[p.trail.confidence], Steps: []FlowStep{},
			Test: t.isTest(p.from.f, p.from.at) || t.isTest(p.to.f, p.to.at),
		}
		f.Steps = p.trail.steps(f.Steps)
		list = append(list, f)
	}
	return list
}

var confidences = [...]string{graph.Exact: "exact", graph.Scoped: "scoped", graph.Possible: "possible", graph.ByName: "name"}

func (t *tracer) isTest(f *function, at int) bool {
	return t.walk.IsTest(t.nodeAt(f.record, at))
}

func (f *function) end(at int, name string, p *taint.Pattern) FlowPlace {
	return FlowPlace{File: f.File, Line: f.text.line(at), Column: f.text.column(at), Name: name, Pattern: p.Text}
}

// steps appends the steps of a trail in the order in which they happen. What happens twice in a line
// is said once.
func (t *trail) steps(list []FlowStep) []FlowStep {
	if t == nil {
		return list
	}
	list = t.into.steps(t.prev.steps(list))
	if t.reason == "" {
		return list
	}
	line := t.f.text.line(t.at)
	s := FlowStep{File: t.f.File, Line: line, Function: t.f.Name, Text: oneLine(bytes.TrimSpace([]byte(t.f.text.of(line)))), Reason: t.reason, Name: t.name, Variable: t.variable}
	if n := len(list); n > 0 && list[n-1] == s {
		return list
	}
	return append(list, s)
}

func (f *function) title() string { return cmp.Or(f.Name, f.File) }
