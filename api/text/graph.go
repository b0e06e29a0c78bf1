package text

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// title is a target's name, and where it is defined.
func title(d *wire.Definition, target string) string {
	if d == nil {
		return target
	}
	return fmt.Sprintf("%s (%s:%d %s)", d.Symbol, d.File, d.Line, d.Signature)
}

// others say what of an answer comes from other projects, and what does not.
type others struct {
	Total    int      `json:"total"`
	Because  []string `json:"incomplete"`
	Unasked  []string `json:"unasked"`
	Complete bool     `json:"complete"`
}

func (o *others) note(b *builder, shown int) {
	if o.Total > shown {
		b.note("%d of %d from other projects shown", shown, o.Total)
	}
	for _, why := range o.Because {
		b.note("not complete: %s", why)
	}
	if len(o.Unasked) > 0 {
		b.note("projects that were not asked: %s", strings.Join(o.Unasked, ", "))
	}
}

type caller struct {
	place
	Depth      int    `json:"depth"`
	Via        place  `json:"via"`
	CallSites  []int  `json:"call_sites"`
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Test       bool   `json:"test"`
}

// write writes a line: where, what, and in brackets how it is known.
func (c *caller) write(b *builder) {
	how := []string{c.Confidence}
	if c.Kind != "calls" {
		how = append(how, c.Kind)
	}
	if len(c.CallSites) > 0 {
		how = append(how, at(c.CallSites))
	}
	if c.Depth > 1 {
		how = append(how, fmt.Sprintf("depth %d through %s", c.Depth, c.Via.Symbol))
	}
	if c.Test {
		how = append(how, "test")
	}
	b.linef("%s  (%s)%s", &c.place, strings.Join(how, ", "), since(c.Changed))
}

func since(changed bool) string {
	if changed {
		return " [changed since]"
	}
	return ""
}

// at names lines.
func at(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	texts := make([]string, len(lines))
	for i, n := range lines {
		texts[i] = fmt.Sprint(n)
	}
	return "lines " + strings.Join(texts, ", ")
}

type impactBody struct {
	Target     string           `json:"target"`
	Definition *wire.Definition `json:"definition"`
	Changed    []struct {
		place
		Change string `json:"change"`
	} `json:"changed"`
	LeftOut    []wire.LeftOut `json:"left_out"`
	Unfollowed []unfollowed   `json:"unfollowed"`
	Callers    []caller       `json:"callers"`
	Ambiguous  []caller       `json:"ambiguous"`
	Tests      []string       `json:"tests"`
	Across     *struct {
		others
		Callers []caller `json:"callers"`
	} `json:"across"`
	whole
	Meta  meta       `json:"meta"`
	Index wire.Index `json:"index"`
}

// unfollowed is what has no edges in the call graph.
type unfollowed struct {
	place
	Kind     string `json:"kind"`
	Reason   string `json:"reason"`
	Mentions int    `json:"mentions"`
}

func (u *unfollowed) note(b *builder) {
	switch u.Reason {
	case "deleted":
		b.note("gone: %s; places that still name it: %d", &u.place, u.Mentions)
	case "no_edges":
		b.note("the call graph does not follow a %s: %s; places that name it: %d", u.Kind, &u.place, u.Mentions)
	default:
		b.note("changed, and not followed (%s): %s", strings.ReplaceAll(u.Reason, "_", " "), u.File)
	}
}

func impact(b *builder, body []byte) error {
	var a impactBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	what := title(a.Definition, a.Target)
	if a.Target == "" {
		what = "the diff"
	}
	for i := range a.Changed {
		b.linef("%s: %s", a.Changed[i].Change, &a.Changed[i].place)
	}
	if len(a.Callers) > 0 {
		b.linef("What depends on %s:", what)
	} else {
		b.linef("Nothing in the project is known to depend on %s.", what)
	}
	for i := range a.Callers {
		a.Callers[i].write(b)
	}
	if len(a.Ambiguous) > 0 {
		b.linef("Perhaps, by the name alone:")
	}
	for i := range a.Ambiguous {
		a.Ambiguous[i].write(b)
	}
	if a.Across != nil {
		if len(a.Across.Callers) > 0 {
			b.linef("From other projects:")
		}
		for i := range a.Across.Callers {
			a.Across.Callers[i].write(b)
		}
		a.Across.note(b, len(a.Across.Callers))
	}
	if len(a.Tests) > 0 {
		b.linef("Tests: %s", strings.Join(a.Tests, ", "))
	}
	for i := range a.Unfollowed {
		a.Unfollowed[i].note(b)
	}
	for _, l := range a.LeftOut {
		b.note("left out: %s: %s", l.File, l.Reason)
	}
	a.Meta.note(b, len(a.Callers), "")
	a.whole.note(b)
	noteIndex(b, &a.Index)
	return nil
}

type edge struct {
	From       place  `json:"from"`
	To         target `json:"to"`
	Line       int    `json:"line"`
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Depth      int    `json:"depth"`
}

// A target is what is called, which may be outside of the index.
type target struct {
	Project string  `json:"project"`
	Symbol  string  `json:"symbol"`
	File    *string `json:"file"`
	Line    *int    `json:"line"`
	Changed bool    `json:"changed"`
}

func (t *target) String() string {
	if t.File == nil || t.Line == nil {
		return t.Symbol + " (outside of the index)"
	}
	p := place{Project: t.Project, Symbol: t.Symbol, File: *t.File, Line: *t.Line}
	return p.String()
}

// caller returns the place of the call itself, and who calls there.
func (e *edge) caller() *place {
	p := e.From
	p.Line = e.Line
	return &p
}

func (e *edge) write(b *builder) {
	how := e.Confidence
	if e.Kind != "calls" {
		how += ", " + e.Kind
	}
	if e.Depth > 1 {
		how += fmt.Sprintf(", depth %d", e.Depth)
	}
	b.linef("%s -> %s  (%s)%s", e.caller(), &e.To, how, since(e.From.Changed || e.To.Changed))
}

type callsBody struct {
	Target     string           `json:"target"`
	Direction  string           `json:"direction"`
	Definition *wire.Definition `json:"definition"`
	Edges      []edge           `json:"edges"`
	Ambiguous  []edge           `json:"ambiguous"`
	External   []edge           `json:"external"`
	Unresolved []struct {
		From   place  `json:"from"`
		Name   string `json:"name"`
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	} `json:"unresolved"`
	Across *struct {
		others
		Calls []edge `json:"calls"`
	} `json:"across"`
	whole
	Meta  meta       `json:"meta"`
	Index wire.Index `json:"index"`
}

func calls(b *builder, body []byte) error {
	var a callsBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	what := "Calls:"
	if a.Target != "" {
		what = fmt.Sprintf("%s of %s:", strings.ToUpper(a.Direction[:min(1, len(a.Direction))])+a.Direction[min(1, len(a.Direction)):], title(a.Definition, a.Target))
		if a.Direction == "both" {
			what = fmt.Sprintf("Callers and callees of %s:", title(a.Definition, a.Target))
		}
	}
	shown := len(a.Edges) + len(a.Ambiguous) + len(a.Unresolved) + len(a.External)
	b.linef("%s", what)
	if shown == 0 {
		b.linef("none is known")
	}
	list := func(title string, edges []edge) {
		if len(edges) > 0 && title != "" {
			b.linef("%s", title)
		}
		for i := range edges {
			edges[i].write(b)
		}
	}
	list("", a.Edges)
	list("Perhaps, one of several or by the name alone:", a.Ambiguous)
	if len(a.Unresolved) > 0 {
		b.linef("Not resolved:")
	}
	for i := range a.Unresolved {
		u := &a.Unresolved[i]
		from := u.From
		from.Line = u.Line
		name := u.Name
		if name == "" {
			name = "an expression"
		}
		b.linef("%s -> %s  (%s)", &from, name, u.Reason)
	}
	list("Outside of the index:", a.External)
	if a.Across != nil {
		list("From and to other projects:", a.Across.Calls)
		a.Across.note(b, len(a.Across.Calls))
	}
	a.Meta.note(b, shown, "")
	a.whole.note(b)
	noteIndex(b, &a.Index)
	return nil
}
