package flow

import (
	"bytes"
	"slices"
	"strings"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
)

// defined follows what a step writes to where it is read.
func (t *tracer) defined(fr *frame, n node, tr *trail) {
	g := fr.f.graph
	a := &g.Steps[n.step].Access[n.access]
	full := a.Path + n.sub
	if a.ByCall {
		full = strings.TrimSuffix(a.Path, ".*") + n.sub
	}
	if n.step != walk.Entry {
		t.leaves(fr, a, full, tr)
	}
	for _, u := range fr.info.uses[refOf(n)] {
		use := &g.Steps[u.Step].Access[u.Access]
		sub, ok := rest(full, use.Path)
		if !ok {
			continue
		}
		if use.Inner || use.ByCall {
			t.inside(fr, a.Var, use.Start, sub, tr)
			continue
		}
		t.value(fr, u.Step, walk.Span{Start: use.Start, End: use.End}, sub, tr)
	}
}

// leaves follows what is written to a variable that others see.
func (t *tracer) leaves(fr *frame, a *walk.Access, full string, tr *trail) {
	g := fr.f.graph
	v := &g.Vars[a.Var]
	param := slices.Index(g.Params, a.Var)
	switch {
	case param >= 0 && full != "":
		t.emit(fr, out{outKey{param: param, sub: short(full)}, tr, nil})
		if g.Slots[param] == walk.Receives || g.Slots[param] == 0 && fr.f.namesSelf() {
			t.stored(fr, "", full, tr)
		}
	case v.Outer != 0 && fr.f.outer != nil && fr.key.source >= 0:
		around, _ := t.frame(fr.f.outer, frameKey{graph: fr.f.outer.graph, source: fr.key.source}, fr.depth)
		if around == nil {
			return
		}
		for i := range around.f.graph.Steps {
			for j, d := range around.f.graph.Steps[i].Access {
				if d.Kind == walk.Def && d.Inner && d.Var == v.Outer && g.Start <= d.Start && d.End <= g.End {
					t.add(around, node{def: true, step: i, access: j, sub: strings.TrimPrefix(full, d.Path)}, tr)
				}
			}
		}
	case v.Free || v.Outer != 0:
		t.stored(fr, v.Name, full, tr)
	}
}

// inside follows a variable into the function that is written at an offset and reads it.
func (t *tracer) inside(fr *frame, v walk.Var, at int, sub string, tr *trail) {
	for _, g := range fr.f.graph.Nested {
		if at < g.Start || at >= g.End {
			continue
		}
		in := t.within(fr, g)
		if in == nil {
			return
		}
		for i := range g.Steps {
			for j, a := range g.Steps[i].Access {
				if a.Kind != walk.Use || g.Vars[a.Var].Outer != v || in.info.defs[refOf(node{step: i, access: j})] {
					continue
				}
				rest, ok := rest(sub, a.Path)
				if !ok {
					continue
				}
				next := tr.then(trail{f: in.f, at: a.Start, reason: "captured", variable: g.Vars[a.Var].Name})
				if a.Inner || a.ByCall {
					t.inside(in, a.Var, a.Start, sub, next)
				} else {
					t.value(in, i, walk.Span{Start: a.Start, End: a.End}, rest, next)
				}
			}
		}
	}
}

// within returns the frame of a function that is written in another one.
func (t *tracer) within(fr *frame, g *walk.Graph) *frame {
	key := fr.key
	key.graph = g
	in, fresh := t.frame(fr.f.nested(g), key, fr.depth)
	if fresh {
		in.around = fr
	}
	return in
}

// valued follows a value of a part of the text to what is made of it.
func (t *tracer) valued(fr *frame, n node, tr *trail) {
	f := fr.f
	step := &f.graph.Steps[n.step]
	call := around(step, n.span)
	if f.onlyChosenBy(step, n.span, call) {
		return
	}
	if l := t.rules.of(f.Lang); l != nil {
		for i := range l.sinks {
			if p := &l.sinks[i]; (p.Kind == taint.Keyed || p.Kind == taint.Backquoted) && f.marked(step, n.span, p) {
				t.reached(fr, &sink{f, n.span.Start, p.Mark(), p}, tr)
				return
			}
		}
	}
	if call >= 0 {
		t.called(fr, n, call, tr)
		return
	}
	if t.word(fr, n, tr) {
		return
	}
	if t.target(fr, n, tr) {
		return
	}
	for j := range step.Access {
		a := &step.Access[j]
		if a.Kind != walk.Def || a.ByCall || a.Inner || a.Value != (walk.Span{}) && !inSpan(n.span, a.Value) {
			continue
		}
		if stop := t.assigned(fr, n.step, a, tr); stop {
			continue
		}
		t.add(fr, node{def: true, step: n.step, access: j, sub: n.sub}, tr.then(trail{f: f, at: a.Start, reason: "data", variable: f.placeText(a)}))
	}
	if step.Kind == walk.Return || step.Kind == walk.Yields || ends(step) && len(step.Calls)+len(step.Access) > 0 {
		t.emit(fr, out{outKey{result: true, sub: n.sub}, tr.then(trail{f: f, at: step.Start, reason: "returned"}), nil})
	}
	for _, whole := range fr.info.parts[n.step] {
		t.value(fr, whole, walk.Span{Start: step.Start, End: step.End}, n.sub, tr)
	}
}

// word reports whether a step begins with a word that is a sink.
func (t *tracer) word(fr *frame, n node, tr *trail) bool {
	l := t.rules.of(fr.f.Lang)
	if l == nil {
		return false
	}
	step := &fr.f.graph.Steps[n.step]
	for i := range l.sinks {
		p := &l.sinks[i]
		if p.Kind != taint.Word {
			continue
		}
		src, mark := fr.f.text.src, []byte(p.Mark())
		before := bytes.TrimRight(src[max(0, step.Start-20):step.Start], " \t\n")
		if bytes.HasPrefix(src[step.Start:step.End], mark) && (step.Start+len(mark) >= len(src) || !isName(src[step.Start+len(mark)])) || !isName(mark[0]) && bytes.HasSuffix(before, mark) {
			t.reached(fr, &sink{fr.f, step.Start, p.Mark(), p}, tr)
			return true
		}
	}
	return false
}

// target reports whether a step assigns to a sink that is a part of no variable: f(x).part = value.
func (t *tracer) target(fr *frame, n node, tr *trail) bool {
	l := t.rules.of(fr.f.Lang)
	step := &fr.f.graph.Steps[n.step]
	if l == nil || !slices.ContainsFunc(l.sinks, func(p taint.Pattern) bool { return p.Kind == taint.Assigned }) {
		return false
	}
	left, _, ok := bytes.Cut(fr.f.text.src[min(step.Start, n.span.Start):n.span.Start], []byte("="))
	left = bytes.TrimRight(left, " +.") // += and .= add
	if !ok || !bytes.HasSuffix(left, []byte(lastWord(taint.Name(left)))) {
		return false
	}
	for i := range l.sinks {
		if p := &l.sinks[i]; p.Kind == taint.Assigned && p.Matches(taint.Name(left)) && !slices.ContainsFunc(step.Access, func(a walk.Access) bool { return a.Kind == walk.Def && !a.ByCall && a.Start == step.Start }) {
			t.reached(fr, &sink{fr.f, step.Start, taint.Name(left), p}, tr)
			return true
		}
	}
	return false
}

// assigned reports whether an assignment is a sink, or to what is known to hold nothing of interest.
func (t *tracer) assigned(fr *frame, step int, a *walk.Access, tr *trail) bool {
	l := t.rules.of(fr.f.Lang)
	if l == nil {
		return false
	}
	name := fr.f.placeText(a)
	for i := range l.sinks {
		if p := &l.sinks[i]; p.Kind == taint.Assigned && p.Matches(name) {
			t.reached(fr, &sink{fr.f, a.Start, name, p}, tr)
			return true
		}
	}
	return slices.ContainsFunc(l.sanitizers, func(p taint.Pattern) bool { return p.Kind == taint.Assigned && p.Matches(name) })
}

// placeText is the name of a place that is read or written.
func (f *function) placeText(a *walk.Access) string { return taint.Name(f.text.src[a.Start:a.End]) }

// marked reports whether a part of a step is the value of a key, or between backquotes.
func (f *function) marked(step *walk.Step, s walk.Span, p *taint.Pattern) bool {
	before := f.text.src[min(step.Start, s.Start):s.Start]
	if p.Kind == taint.Backquoted {
		return bytes.Count(before, []byte{'`'})%2 == 1
	}
	at := bytes.LastIndex(before, []byte(p.Mark()))
	return at >= 0 && (at == 0 || !isName(before[at-1])) && !endsValue(before[at+len(p.Mark()):])
}

// endsValue reports whether the value that a text begins with ends in it.
func endsValue(src []byte) bool {
	depth, quote := 0, byte(0)
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return true
			}
		case (c == ',' || c == ';') && depth == 0:
			return true
		}
	}
	return false
}

// around returns the innermost call of a step that is given what is in a part of the text, -1 for
// none.
func around(step *walk.Step, s walk.Span) int {
	best := -1
	for i := range step.Calls {
		c := &step.Calls[i]
		if c.Start == s.Start && c.End == s.End || !inSpan(s, walk.Span{Start: c.Start, End: c.End}) || position(c, s) == noPosition {
			continue
		}
		if best < 0 || c.End-c.Start < step.Calls[best].End-step.Calls[best].Start {
			best = i
		}
	}
	return best
}

const noPosition = -2

// position returns the argument that a part of a call is in, or taint.Receiver.
func position(c *walk.Call, s walk.Span) int {
	for i, a := range c.Args {
		if inSpan(s, a) {
			return i
		}
	}
	if c.Receiver != (walk.Span{}) && inSpan(s, c.Receiver) {
		return taint.Receiver
	}
	return noPosition
}

func inSpan(s, in walk.Span) bool { return in.Start <= s.Start && s.End <= in.End }

// onlyChosenBy reports whether a value decides which other one comes next, and is no part of it: an
// index, an operand of a comparison, a condition.
func (f *function) onlyChosenBy(step *walk.Step, s walk.Span, call int) bool {
	for i := range step.Access {
		a := &step.Access[i]
		in := walk.Span{Start: a.Start, End: a.End}
		if !strings.Contains(a.Path, "[") || a.Start == s.Start || !inSpan(s, in) || in == s || a.ByCall {
			continue
		}
		if call < 0 || a.End-a.Start < step.Calls[call].End-step.Calls[call].Start {
			return true
		}
	}
	src := f.text.src
	after := bytes.TrimLeft(src[s.End:max(s.End, min(step.End, s.End+40))], " \t")
	before := bytes.TrimRight(src[min(s.Start, max(step.Start, s.Start-40)):s.Start], " \t")
	for _, op := range []string{"==", "!=", "<=", ">="} {
		if bytes.HasPrefix(after, []byte(op)) || bytes.HasSuffix(before, []byte(op)) || bytes.HasSuffix(before, []byte(op+"=")) {
			return true
		}
	}
	if len(after) > 1 && after[0] == '?' && bytes.IndexByte([]byte(".?:[-)"), after[1]) < 0 && bytes.IndexByte(after, ':') > 0 {
		return true
	}
	return bytes.HasSuffix(before, []byte{'!'}) && !bytes.HasPrefix(after, []byte("="))
}

// rest returns what is left of the part of a variable that holds a value where another part of it is
// read. ok is false where these have nothing in common.
func rest(full, read string) (sub string, ok bool) {
	for full != "" && read != "" {
		var one, other string
		one, full = firstPart(full)
		other, read = firstPart(read)
		switch {
		case one == ".*" || other == ".*":
			return "", true
		case control.Apart(one, other):
			return "", false
		}
	}
	return full, true
}

// firstPart splits the path of a part.
func firstPart(path string) (first, rest string) {
	end := strings.IndexAny(path[1:], ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end+1], path[end+1:]
}

// short bounds the path of a part: functions that call themselves make it longer each time.
func short(path string) string {
	for at, n := 0, 0; at < len(path); n++ {
		_, after := firstPart(path[at:])
		if n == 3 {
			return path[:at]
		}
		at = len(path) - len(after)
	}
	return path
}
