package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/graph"
)

func refOf(n node) control.Ref { return control.Ref{Step: n.step, Access: n.access} }

// callee is the name that a call has in its text.
func (f *function) callee(c *walk.Call) string {
	end := c.At + len(f.called(c.At))
	return taint.Name(f.text.src[min(c.Start, c.At):end])
}

// arguments are the texts of those of a call.
func (f *function) arguments(c *walk.Call) []string {
	list := make([]string, 0, len(c.Args))
	for _, a := range c.Args {
		list = append(list, oneLine(f.text.src[a.Start:a.End]))
	}
	return list
}

// fits returns whether a call and its file have what a pattern asks for beyond its name.
func (t *tracer) fits(f *function, c *walk.Call) func(p *taint.Pattern) bool {
	needed := t.needed(f.record)
	return func(p *taint.Pattern) bool {
		return needed(p) && (!p.Conditional() || p.Fits(f.arguments(c)))
	}
}

// called follows a value that a call is given.
func (t *tracer) called(fr *frame, n node, ci int, tr *trail) {
	f := fr.f
	c := &f.graph.Steps[n.step].Calls[ci]
	pos := position(c, n.span)
	written := f.callee(c)
	names := t.names(f.record, f.text, c.At, written)
	l := t.rules.of(f.Lang)
	if l == nil {
		return
	}
	fits := t.fits(f, c)
	at := func(p *taint.Pattern) bool { return p.At(pos) && fits(p) }
	if first(l.sanitizers, names, func(p *taint.Pattern) bool { return (!p.Positions() || p.At(pos)) && fits(p) }) != nil {
		return
	}
	if p := first(l.sinks, names, at); p != nil {
		t.reached(fr, &sink{f, c.At, written, p}, tr)
		return
	}
	to, all := t.targets(f, c.At)
	given := false
	for _, e := range to {
		given = t.given(fr, n, ci, pos, e, tr) || given
	}
	if !all {
		name := fmt.Sprintf("%s (%s:%d)", cmp.Or(written, "an expression"), f.File, f.text.line(c.At))
		if !slices.Contains(t.open, name) && len(t.open) < 1000 {
			t.open = append(t.open, name)
		}
	}
	if given && all {
		return
	}
	confidence := graph.Exact
	if !all {
		confidence = graph.Possible
	}
	if key := f.keyOf(c, noPosition); pos == taint.Receiver && strings.HasPrefix(n.sub, keyMark) && key != "" && key != n.sub {
		return // of another key
	}
	t.carried(fr, n, c, pos, l, names, written, confidence, tr)
	if pos == taint.Receiver {
		t.handed(fr, c, tr)
	}
	t.value(fr, n.step, walk.Span{Start: c.Start, End: c.End}, "", tr.then(trail{f: f, at: c.At, reason: "passed", name: written, confidence: confidence}))
}

// carried follows what a call that is not in the index puts into what it is given.
func (t *tracer) carried(fr *frame, n node, c *walk.Call, pos int, l *langRules, names [3]string, written string, confidence graph.Confidence, tr *trail) {
	if first(l.carriers, names, func(p *taint.Pattern) bool {
		return slices.ContainsFunc(positions(c), func(to int) bool { return p.Carries(pos, to) })
	}) == nil {
		return
	}
	for _, to := range positions(c) {
		if first(l.carriers, names, func(p *taint.Pattern) bool { return p.Carries(pos, to) }) == nil {
			continue
		}
		t.into(fr, n.step, c, to, fr.f.keyOf(c, pos), tr.then(trail{f: fr.f, at: c.At, reason: "carried", name: written, confidence: confidence}))
	}
}

// keyMark begins the part of an object that a call puts a value into under a key: m.put("key", value).
const keyMark = ".<"

// keyOf returns the part that is meant by the first argument of a call where that is a text, and not
// the one at a position; "" for none.
func (f *function) keyOf(c *walk.Call, pos int) string {
	if len(c.Args) == 0 || pos == 0 || pos == noPosition && len(c.Args) > 2 {
		return ""
	}
	key := f.text.src[c.Args[0].Start:c.Args[0].End]
	if len(key) < 2 || key[0] != '"' && key[0] != '\'' || closingQuote(key) != len(key)-1 {
		return ""
	}
	return keyMark + strings.Map(func(r rune) rune {
		if r == '.' || r == '[' {
			return '_'
		}
		return r
	}, string(key[1:len(key)-1])) + ">"
}

// closingQuote returns where the text ends that an argument begins with.
func closingQuote(arg []byte) int { return bytes.IndexByte(arg[1:], arg[0]) + 1 }

func positions(c *walk.Call) []int {
	list := []int{taint.Receiver}
	for i := range c.Args {
		list = append(list, i)
	}
	return list
}

// into follows a value that is in what a call is given, after the call.
func (t *tracer) into(fr *frame, step int, c *walk.Call, pos int, sub string, tr *trail) {
	s := c.Receiver
	if pos != taint.Receiver {
		if pos >= len(c.Args) {
			return
		}
		s = c.Args[pos]
	}
	if s == (walk.Span{}) {
		return
	}
	for j, a := range fr.f.graph.Steps[step].Access {
		if a.Kind == walk.Def && a.ByCall && inSpan(walk.Span{Start: a.Start, End: a.End}, s) {
			t.add(fr, node{def: true, step: step, access: j, sub: sub}, tr)
			return
		}
	}
}

// handed follows the elements of a value into a function that a method of it is given: map, each.
func (t *tracer) handed(fr *frame, c *walk.Call, tr *trail) {
	for _, g := range fr.f.graph.Nested {
		if !slices.ContainsFunc(c.Args, func(s walk.Span) bool { return s.Start <= g.Start && g.End <= s.End }) && !(c.Start < g.Start && g.End <= c.End && g.Start >= c.At) {
			continue
		}
		in := t.within(fr, g)
		if in == nil {
			return
		}
		for k, v := range g.Params {
			if g.Slots[k] == walk.Receives || g.Slots[k] > 0 {
				continue
			}
			t.enter(in, v, "", tr.then(trail{f: in.f, at: g.Vars[v].At, reason: "parameter", variable: g.Vars[v].Name, confidence: graph.Possible}))
		}
	}
}

// enter begins with a parameter.
func (t *tracer) enter(fr *frame, v walk.Var, sub string, tr *trail) {
	for j, a := range fr.f.graph.Steps[walk.Entry].Access {
		if a.Kind == walk.Def && a.Var == v && a.Path == "" {
			t.add(fr, node{def: true, step: walk.Entry, access: j, sub: sub}, tr)
		}
	}
}

// given follows a value into a function that a call may run. It reports whether that has a
// parameter for it.
func (t *tracer) given(fr *frame, n node, ci, pos int, e graph.Edge, tr *trail) bool {
	f := t.byNode[e.To]
	if f == nil {
		if f = t.functionOf(e.To); f == nil {
			lacks(&t.gaps, "%s: no control flow of %s", t.walk.Node(e.To).Path, t.walk.Node(e.To).Name)
			return false
		}
		t.byNode[e.To] = f
	}
	c := &fr.f.graph.Steps[n.step].Calls[ci]
	given := false
	for _, k := range fr.f.parameters(c, pos, f) {
		given = true
		v := f.graph.Params[k]
		in, fresh := t.frame(f, frameKey{f.graph, -1, k, short(n.sub)}, fr.depth+1)
		if in == nil {
			continue
		}
		by := caller{fr: fr, step: n.step, call: ci, trail: tr.then(trail{f: fr.f, at: c.At, reason: "argument", name: fr.f.callee(c), confidence: e.Confidence}), edge: e.Confidence}
		if slices.ContainsFunc(in.callers, func(o caller) bool { return o.fr == fr && o.step == by.step && o.call == ci }) {
			continue
		}
		in.callers = append(in.callers, by)
		if fresh {
			t.enter(in, v, short(n.sub), (*trail)(nil).then(trail{f: in.f, at: f.graph.Vars[v].At, reason: "parameter", variable: f.graph.Vars[v].Name}))
		}
		for _, o := range slices.Clone(in.outs) {
			t.apply(&by, in, o)
		}
	}
	return given
}

var keyword = regexp.MustCompile(`^([\w$]+)\s*(?:=|:)[^=:]`)

// parameters returns the numbers of those of a called function that an argument is for.
func (f *function) parameters(c *walk.Call, pos int, of *function) (list []int) {
	g := of.graph
	shift := f.shift(c, of)
	slot := pos + shift
	if pos == taint.Receiver {
		slot = walk.Receives
		if shift == 1 {
			slot = 0
		}
	} else {
		if m := keyword.FindSubmatch(f.text.src[c.Args[pos].Start:c.Args[pos].End]); m != nil {
			for k, v := range g.Params {
				if bytes.Equal([]byte(g.Vars[v].Name), m[1]) {
					return []int{k}
				}
			}
		}
		last := 0
		for _, s := range g.Slots {
			last = max(last, s)
		}
		slot = min(slot, last)
	}
	for k, s := range g.Slots {
		if s == slot && k < len(g.Params) {
			list = append(list, k)
		}
	}
	return list
}

// shift returns how many parameters of a called function come before that of the first argument: 1
// for a receiver that they name, which the call does not have among its arguments.
func (f *function) shift(c *walk.Call, of *function) int {
	if of.namesSelf() && (c.Receiver == (walk.Span{}) || !f.passesSelf(c)) {
		return 1
	}
	return 0
}

// namesSelf reports whether the receiver of a function is the first of its parameters, by the name
// that it has.
func (f *function) namesSelf() bool {
	g := f.graph
	for k, v := range g.Params {
		if g.Slots[k] == 0 {
			name := g.Vars[v].Name
			return name == "self" || name == "cls"
		}
	}
	return false
}

// passesSelf reports whether a call has the receiver among its arguments: Base.f(self, x).
func (f *function) passesSelf(c *walk.Call) bool {
	if len(c.Args) == 0 {
		return false
	}
	first := f.text.src[c.Args[0].Start:c.Args[0].End]
	return string(first) == "self" || string(first) == "cls"
}
