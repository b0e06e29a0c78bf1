package flow

import (
	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
)

// reached notes that a value has come to a sink.
func (t *tracer) reached(fr *frame, s *sink, tr *trail) {
	t.emit(fr, out{outKey{sink: placeKey{s.f.File, s.at}}, tr.then(trail{f: s.f, at: s.at, reason: "sink", name: s.name}), s})
}

// emit has a value leave a function: to all that brought it there.
func (t *tracer) emit(fr *frame, o out) {
	if fr.has[o.outKey] {
		return
	}
	fr.has[o.outKey] = true
	if fr.around != nil {
		if o.sink != nil || o.field != (field{}) {
			t.emit(fr.around, o)
		}
		if fr.key.source < 0 {
			return
		}
	}
	if fr.key.source >= 0 {
		if o.field != (field{}) {
			t.read(fr, o)
		} else if o.sink == nil {
			t.returned(fr, o)
		} else if fr.around == nil {
			t.path(t.sources[fr.key.source], o)
		}
		return
	}
	fr.outs = append(fr.outs, o)
	for i := range fr.callers {
		t.apply(&fr.callers[i], fr, o)
	}
}

// apply has a value that leaves a function go on where that was called.
func (t *tracer) apply(c *caller, from *frame, o out) {
	call := &c.fr.f.graph.Steps[c.step].Calls[c.call]
	step := trail{into: o.trail, f: c.fr.f, at: call.At, reason: "result", name: c.fr.f.callee(call), confidence: c.edge}
	whole := walk.Span{Start: call.Start, End: call.End}
	switch {
	case o.sink != nil, o.field != (field{}):
		step.reason = ""
		t.emit(c.fr, out{o.outKey, c.trail.then(step), o.sink})
	case o.result:
		t.value(c.fr, c.step, whole, o.sub, c.trail.then(step))
	default:
		step.reason = "carried"
		if pos, made := c.fr.f.argument(call, from.f, o.param); made {
			t.value(c.fr, c.step, whole, o.sub, c.trail.then(step))
		} else {
			t.into(c.fr, c.step, call, pos, o.sub, c.trail.then(step))
		}
	}
}

// argument returns the position of what a call gives for a parameter of a function. made is true
// where that is the object that the call makes.
func (f *function) argument(c *walk.Call, of *function, param int) (pos int, made bool) {
	slot := of.graph.Slots[param]
	shift := f.shift(c, of)
	if slot == walk.Receives || shift == 1 && slot == 0 {
		return taint.Receiver, c.Receiver == (walk.Span{})
	}
	name := of.graph.Vars[of.graph.Params[param]].Name
	for i, a := range c.Args {
		if m := keyword.FindSubmatch(f.text.src[a.Start:a.End]); m != nil && string(m[1]) == name {
			return i, false
		}
	}
	return slot - shift, false
}

// returned goes from a function in which a value began to where that is called.
func (t *tracer) returned(fr *frame, o out) {
	id := t.node(fr.f)
	if id == 0 {
		return
	}
	t.walk.G.In(id, func(e graph.Edge) bool {
		if e.Kind != graph.Calls {
			return true
		}
		r := t.index.Record(t.walk.Node(e.From).Path)
		if r == nil || t.rules.of(r.Lang) == nil {
			return true
		}
		at := min(t.text(r).offset(e.Pos), r.Text.Size-1)
		f, err := t.at(r, at, nil)
		if err != nil {
			lacks(&t.gaps, "%s:%d: %v", r.Path, e.Pos.Line(), err)
			return true
		}
		up, _ := t.frame(f, frameKey{graph: f.graph, source: fr.key.source}, fr.depth+1)
		if up == nil {
			return true
		}
		for i := range f.graph.Steps {
			for ci := range f.graph.Steps[i].Calls {
				if f.graph.Steps[i].Calls[ci].At == at {
					t.apply(&caller{fr: up, step: i, call: ci, edge: e.Confidence}, fr, o)
				}
			}
		}
		return true
	})
}

// path notes a path, unless a shorter one is known.
func (t *tracer) path(from *source, o out) {
	key := [2]placeKey{{from.f.File, from.at}, {o.sink.f.File, o.sink.at}}
	if p := t.found[key]; p != nil {
		if o.trail.length < p.trail.length {
			p.trail = o.trail
		}
		return
	}
	p := &found{from, o.sink, o.trail}
	t.found[key] = p
	t.order = append(t.order, p)
}
