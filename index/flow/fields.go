package flow

import (
	"bytes"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A value that is written to a field is followed to where the functions of the same class, in the
// same file, read a field of that name: of whatever object, and in whatever order, so that such a
// path is possible and no more. The same goes for the variables of a file that no function has.

// stored has a value leave by a field: of the object that a function is called of, or of a variable
// that is declared elsewhere.
func (t *tracer) stored(fr *frame, name, full string, tr *trail) {
	t.emit(fr, out{outKey{field: field{fr.f.File, fr.f.class(), name}, sub: short(full)}, tr, nil})
}

// symbol returns the one that a function is, or is written in; nil for none.
func (f *function) symbol() *store.Symbol {
	var in *store.Symbol
	for i := range f.record.Symbols {
		if s := &f.record.Symbols[i]; runs(s) && int(s.Start) < f.graph.End && f.graph.Start < int(s.End) && int(s.Start) <= f.graph.Start+1 && int(s.End) >= f.graph.End-1 && s.Parent != "" {
			in = s
		}
	}
	return in
}

// class returns the name of the class that a function belongs to, "" for none.
func (f *function) class() string {
	if s := f.symbol(); s != nil {
		return s.Parent
	}
	return ""
}

// read follows a value from a field to where it is read.
func (t *tracer) read(fr *frame, o out) {
	r := fr.f.record
	if o.field.file != r.Path {
		if r = t.index.Record(o.field.file); r == nil {
			return
		}
	}
	word := []byte(strings.Trim(lastPart(o.field.name+o.sub), ".[]*"))
	x := t.text(r)
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if !runs(s) || s.Parent != o.field.class || !bytes.Contains(x.src[s.Start:min(int(s.End), len(x.src))], word) {
			continue
		}
		if f := t.functionAt(r, s); f != nil {
			t.readIn(fr, f, o)
		}
	}
}

func lastPart(path string) string {
	return path[strings.LastIndexAny(path[:max(len(path)-1, 0)], ".[")+1:]
}

// readIn begins with what a function reads of a field.
func (t *tracer) readIn(fr *frame, f *function, o out) {
	var in *frame
	for i := range f.graph.Steps {
		for j, a := range f.graph.Steps[i].Access {
			if a.Kind != walk.Use || !f.holds(a.Var, o.field.name) {
				continue
			}
			sub, ok := rest(o.sub, a.Path)
			if !ok || o.sub != "" && a.Path == "" { // the object as a whole
				continue
			}
			if in == nil {
				if in, _ = t.frame(f, frameKey{graph: f.graph, source: fr.key.source}, fr.depth+1); in == nil {
					return
				}
			}
			if in == fr || in.info.defs[refOf(node{step: i, access: j})] {
				continue
			}
			tr := o.trail.then(trail{f: f, at: a.Start, reason: "field", variable: f.placeText(&a), confidence: graph.Possible})
			if a.Inner || a.ByCall {
				t.inside(in, a.Var, a.Start, o.sub, tr)
			} else {
				t.value(in, i, walk.Span{Start: a.Start, End: a.End}, sub, tr)
			}
		}
	}
}

// holds reports whether a variable is the one that a field is of.
func (f *function) holds(v walk.Var, name string) bool {
	info := &f.graph.Vars[v]
	if name != "" {
		return info.Name == name && (info.Free || info.Outer != 0)
	}
	for k, p := range f.graph.Params {
		if p == v {
			return f.graph.Slots[k] == walk.Receives || f.graph.Slots[k] == 0 && f.namesSelf()
		}
	}
	return false
}
