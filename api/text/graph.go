package text

import (
	"cmp"
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

// noteAcross says what of an answer comes from other projects, and what does not.
func noteAcross(b *builder, m *wire.AcrossMeta, shown int) {
	if m.Total > shown {
		b.note("%d of %d from other projects shown", shown, m.Total)
	}
	for _, why := range m.Incomplete {
		b.note("not complete: %s", why)
	}
	if len(m.Unasked) > 0 {
		b.note("projects that were not asked: %s", strings.Join(m.Unasked, ", "))
	}
}

// caller writes a line: where, what, and in brackets how it is known.
func caller(b *builder, c *wire.Caller, project string) {
	how := []string{string(c.Confidence)}
	if c.Kind != "calls" {
		how = append(how, c.Kind)
	}
	if len(c.CallSites) > 0 {
		how = append(how, at(c.CallSites))
	}
	if c.Depth > 1 {
		how = append(how, fmt.Sprintf("depth %d through %s", c.Depth, cmp.Or(c.Via.Symbol, c.Via.File)))
	}
	if c.Test {
		how = append(how, "test")
	}
	b.linef("%s  (%s)%s", placeText(c.File, c.Line, c.Symbol, project), strings.Join(how, ", "), since(c.Changed))
}

func callers(b *builder, list []wire.Caller) {
	for i := range list {
		caller(b, &list[i], "")
	}
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

func noteUnfollowed(b *builder, u *wire.Unfollowed) {
	place := placeText(u.File, u.Line, u.Symbol, "")
	switch u.Reason {
	case "deleted":
		if u.Symbol == "" {
			b.note("gone from its place: %s; what names it by its path is not looked for", u.File)
			return
		}
		b.note("gone: %s; places that still name it: %d", place, u.Mentions)
	case "no_edges":
		b.note("a %s, of which not all uses may be known: %s; places that may mean it: %d", u.Kind, place, u.Mentions)
	default:
		b.note("changed, and not followed (%s): %s", strings.ReplaceAll(u.Reason, "_", " "), u.File)
	}
}

func impact(b *builder, a *wire.ImpactResponse) {
	what := title(a.Definition, a.Target)
	if a.Target == "" {
		what = "the diff"
	}
	for _, c := range a.Changed {
		b.linef("%s: %s", c.Change, placeText(c.File, c.Line, c.Symbol, ""))
	}
	if len(a.Callers) > 0 {
		b.linef("What depends on %s:", what)
	} else if a.Counts.Callers == 0 {
		b.linef("Nothing in the project is known to depend on %s.", what)
	}
	callers(b, a.Callers)
	if len(a.Ambiguous) > 0 {
		b.linef("Perhaps, by the name alone:")
	}
	callers(b, a.Ambiguous)
	if a.Across != nil {
		if len(a.Across.Callers) > 0 {
			b.linef("From other projects:")
		}
		for _, c := range a.Across.Callers {
			caller(b, &wire.Caller{
				Symbol: c.Symbol, File: c.File, Line: c.Line, Depth: c.Depth, Via: wire.Place{Symbol: c.Via.Symbol}, CallSites: c.CallSites, Kind: c.Kind,
				Confidence: c.Confidence, Test: c.Test,
			}, c.Project)
		}
		noteAcross(b, &a.Across.AcrossMeta, len(a.Across.Callers))
	}
	if len(a.Tests) > 0 {
		b.linef("Tests: %s", strings.Join(a.Tests, ", "))
	}
	for _, r := range a.Runs {
		if r.Unknown == "" {
			b.linef("Run: %s", r.Command)
		} else {
			b.note("how to run %s is not known: %s", strings.Join(r.Files, ", "), r.Unknown)
		}
	}
	for i := range a.Unfollowed {
		noteUnfollowed(b, &a.Unfollowed[i])
	}
	for _, l := range a.LeftOut {
		b.note("left out: %s: %s", l.File, l.Reason)
	}
	noteMeta(b, &a.Meta, len(a.Callers)+len(a.Ambiguous))
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}

// An edge is a call as a line shows it.
type edge struct {
	from, to   string
	kind       string
	confidence wire.Confidence
	depth      int
	sites      []int // of all calls, where there are several of one entry
	test       bool
	changed    bool
}

func (e *edge) write(b *builder) {
	how := string(e.confidence)
	if e.kind != "calls" {
		how += ", " + e.kind
	}
	if e.depth > 1 {
		how += fmt.Sprintf(", depth %d", e.depth)
	}
	if len(e.sites) > 1 {
		how += ", " + at(e.sites)
	}
	if e.test {
		how += ", test"
	}
	b.linef("%s -> %s  (%s)%s", e.from, e.to, how, since(e.changed))
}

// edges writes calls: the place of each call itself, who calls there, and what.
func edges(b *builder, title string, list []wire.CallEdge) {
	if len(list) > 0 && title != "" {
		b.linef("%s", title)
	}
	for i := range list {
		e := &list[i]
		to := e.To.Symbol + " (outside of the index)"
		if !e.To.External {
			to = placeText(e.To.File, e.To.Line, e.To.Symbol, "")
		}
		one := edge{placeText(e.From.File, e.Line, e.From.Symbol, ""), to, e.Kind, e.Confidence, e.Depth, e.CallSites, e.Test, e.From.Changed || e.To.Changed}
		one.write(b)
	}
}

func calls(b *builder, a *wire.CallsResponse) {
	what := "Calls:"
	if a.Target != "" {
		d := string(a.Direction)
		what = fmt.Sprintf("%s of %s:", strings.ToUpper(d[:min(1, len(d))])+d[min(1, len(d)):], title(a.Definition, a.Target))
		if a.Direction == wire.Both {
			what = fmt.Sprintf("Callers and callees of %s:", title(a.Definition, a.Target))
		}
	}
	shown := len(a.Edges) + len(a.Ambiguous) + len(a.Unresolved) + len(a.External)
	b.linef("%s", what)
	if shown == 0 {
		b.linef("none is known")
	}
	edges(b, "", a.Edges)
	edges(b, "Perhaps, one of several or by the name alone:", a.Ambiguous)
	if len(a.Unresolved) > 0 {
		b.linef("Not resolved:")
	}
	for _, u := range a.Unresolved {
		name := u.Name
		if name == "" {
			name = "an expression"
		}
		how := u.Reason
		if len(u.CallSites) > 1 {
			how += ", " + at(u.CallSites)
		}
		b.linef("%s -> %s  (%s)", placeText(u.From.File, u.Line, u.From.Symbol, ""), name, how)
	}
	edges(b, "Outside of the index:", a.External)
	if a.Across != nil {
		if len(a.Across.Calls) > 0 {
			b.linef("From and to other projects:")
		}
		for _, c := range a.Across.Calls {
			one := edge{
				placeText(c.From.File, c.Line, c.From.Symbol, c.From.Project), placeText(c.To.File, c.To.Line, c.To.Symbol, c.To.Project), c.Kind, c.Confidence, c.Depth, nil, false, false,
			}
			one.write(b)
		}
		noteAcross(b, &a.Across.AcrossMeta, len(a.Across.Calls))
	}
	noteMeta(b, &a.Meta, shown)
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}
