package across

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
)

// placeAcross is a place in a project, by its name; "" is that of the answer.
func placeAcross(project string, p answer.Place) wire.AcrossPlace {
	return wire.AcrossPlace{Project: project, Symbol: p.Symbol, File: p.File, Line: p.Line}
}

// placeOf is where a caller is in its project.
func placeOf(c *wire.AcrossCaller) answer.Place {
	return answer.Place{Symbol: c.Symbol, File: c.File, Line: c.Line}
}

// testsWanted reports whether a scope admits code that is test code or not.
func testsWanted(s *calls.Scope, test bool) bool {
	return !(s.Tests == answer.WithoutTests && test || s.Tests == answer.OnlyTests && !test)
}

// depths are how far away places are.
func depths(steps []calls.Step) map[answer.Place]int {
	at := make(map[answer.Place]int, len(steps))
	for _, s := range steps {
		if d, ok := at[s.Place]; !ok || s.Depth < d {
			at[s.Place] = s.Depth
		}
	}
	return at
}

// Calls finds the calls from what an answer went out from into other projects,
// and from them to it. It returns nil where there are no others.
func (f *Finder) Calls(ctx context.Context, x project.Index, q *calls.CallsQuery, own *calls.CallsAnswer) (*wire.AcrossCalls, error) {
	a := f.ask(ctx, x)
	if a == nil {
		return nil, nil
	}
	out := &wire.AcrossCalls{Calls: []wire.AcrossCall{}}
	take := func(other int, steps []calls.Step, backward bool) error {
		from, to := a.own, other
		if backward {
			from, to = other, a.own
		}
		links, err := a.between(ctx, from, to)
		if err != nil {
			return err
		}
		at := depths(steps)
		for _, l := range links {
			e := wire.AcrossCall{
				From: placeAcross("", l.From), To: placeAcross("", l.To),
				Line: l.Line, Column: l.Column, Kind: l.Kind, Confidence: wire.Confidence(l.Confidence),
			}
			near := l.From
			if e.To.Project = a.all[other].Name; backward {
				near = l.To
				e.From.Project, e.To.Project = e.To.Project, ""
			}
			if depth, ok := at[near]; ok {
				e.Depth = depth + 1
			} else if q.Target != "" {
				continue
			}
			out.Calls = append(out.Calls, e)
		}
		return nil
	}
	for i := range a.all {
		if i == a.own {
			continue
		}
		if own.Direction != calls.Callers {
			if err := take(i, own.Calling, false); err != nil {
				return nil, err
			}
		}
		if own.Direction != calls.Callees {
			if err := take(i, own.Called, true); err != nil {
				return nil, err
			}
		}
	}
	// The rest of the order is that of the projects, the files and their text.
	slices.SortStableFunc(out.Calls, func(b, c wire.AcrossCall) int { return cmp.Compare(b.Depth, c.Depth) })
	a.about.Total = len(out.Calls)
	out.Calls = out.Calls[:min(len(out.Calls), q.Limit)]
	out.AcrossMeta = a.about
	cutAcross(&out.AcrossMeta, len(out.Calls))
	return out, nil
}

// Shorten leaves out the last entries, all of them if need be.
func Shorten[T any](list *[]T, m *wire.AcrossMeta, share float64) bool {
	n := len(*list)
	if n == 0 {
		return false
	}
	*list = (*list)[:min(int(share*float64(n)), n-1)]
	cutAcross(m, len(*list))
	return true
}

// weaker returns the less sure of two confidences.
func weaker[T ~string](a, b T) T {
	order := []T{"exact", "scoped", "name"}
	return order[max(slices.Index(order, a), slices.Index(order, b), 0)]
}

// A spread follows an impact through the projects.
type spread struct {
	*asking
	q       *impact.Query
	reached []map[answer.Place]calls.Step // by project
	found   []wire.AcrossCaller
}

// Impact finds what in other projects depends on what an answer came to, and
// what depends on that there, and so on from project to project. It returns nil where
// there are no others.
func (f *Finder) Impact(ctx context.Context, x project.Index, q *impact.Query, own *impact.Answer) (*wire.AcrossImpact, error) {
	a := f.ask(ctx, x)
	if a == nil {
		return nil, nil
	}
	p := &spread{asking: a, q: q, reached: make([]map[answer.Place]calls.Step, len(a.all))}
	for i := range p.reached {
		p.reached[i] = map[answer.Place]calls.Step{}
	}
	for _, step := range own.Steps {
		if have, ok := p.reached[a.own][step.Place]; !ok || step.Depth < have.Depth {
			p.reached[a.own][step.Place] = step
		}
	}
	fresh := make([]map[answer.Place]calls.Step, len(a.all))
	fresh[a.own] = p.reached[a.own]
	for range q.Depth { // each round goes into another project, which is one step
		next := make([]map[answer.Place]calls.Step, len(a.all))
		any := false
		for i := range a.all {
			entries, err := p.enter(ctx, i, fresh)
			if err != nil {
				return nil, err
			}
			if len(entries) == 0 {
				continue
			}
			if next[i], err = p.within(ctx, i, entries); err != nil {
				return nil, err
			}
			any = true
		}
		if fresh = next; !any {
			break
		}
	}
	return p.answer(), nil
}

// enter returns what in a project calls something that was reached in others just now.
func (p *spread) enter(ctx context.Context, here int, fresh []map[answer.Place]calls.Step) ([]wire.AcrossCaller, error) {
	var entries []wire.AcrossCaller
	at := map[answer.Place]int{}
	for other, steps := range fresh {
		if other == here || len(steps) == 0 {
			continue
		}
		links, err := p.between(ctx, here, other)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			step, ok := steps[l.To]
			depth := step.Depth + 1
			if !ok || depth > p.q.Depth {
				continue
			}
			if have, seen := p.reached[here][l.From]; seen && have.Depth <= depth {
				continue
			}
			e := wire.AcrossCaller{
				Project: p.all[here].Name, Symbol: l.From.Symbol, File: l.From.File, Line: l.From.Line, Depth: depth,
				Via: placeAcross(p.all[other].Name, l.To), CallSites: []int{l.Line},
				Kind: l.Kind, Confidence: wire.Confidence(weaker(step.Confidence, l.Confidence)), Test: l.Test,
			}
			n, seen := at[l.From]
			switch {
			case !seen:
				at[l.From] = len(entries)
				entries = append(entries, e)
			case entries[n].Via == e.Via:
				if !slices.Contains(entries[n].CallSites, l.Line) {
					entries[n].CallSites = append(entries[n].CallSites, l.Line)
				}
			case depth < entries[n].Depth || depth == entries[n].Depth && weaker(e.Confidence, entries[n].Confidence) != e.Confidence:
				entries[n] = e
			}
		}
	}
	slices.SortStableFunc(entries, func(b, c wire.AcrossCaller) int { return cmp.Compare(b.Depth, c.Depth) })
	return entries, nil
}

// within follows entries through their project, and returns all that is reached again.
func (p *spread) within(ctx context.Context, here int, entries []wire.AcrossCaller) (map[answer.Place]calls.Step, error) {
	fresh := map[answer.Place]calls.Step{}
	take := func(c wire.AcrossCaller) {
		place := placeOf(&c)
		if have, seen := p.reached[here][place]; seen {
			if have.Depth <= c.Depth {
				return
			}
			p.found = slices.DeleteFunc(p.found, func(o wire.AcrossCaller) bool { return o.Project == c.Project && placeOf(&o) == place })
		}
		p.found = append(p.found, c)
		step := calls.Step{Place: place, Depth: c.Depth, Confidence: string(c.Confidence)}
		p.reached[here][place], fresh[place] = step, step
	}
	for _, e := range entries {
		take(e)
	}
	x, done, err := p.acquire(ctx, &p.all[here])
	if x == nil {
		return fresh, err
	}
	defer done()
	for len(entries) > 0 {
		depth := entries[0].Depth
		var from []answer.Place
		for len(entries) > 0 && entries[0].Depth == depth {
			from = append(from, placeOf(&entries[0]))
			entries = entries[1:]
		}
		if depth >= p.q.Depth {
			break
		}
		a, err := x.Impact(ctx, impact.Query{From: from, Depth: p.q.Depth - depth, Limit: maxAffected})
		if err != nil {
			return nil, err
		}
		for _, why := range a.Because {
			p.because("%s: %s", p.all[here].Name, why)
		}
		for _, c := range a.Callers {
			take(wire.AcrossCaller{
				Project: p.all[here].Name, Symbol: c.Symbol, File: c.File, Line: c.Line, Depth: depth + c.Depth,
				Via: placeAcross(p.all[here].Name, c.Via), CallSites: c.CallSites,
				Kind: c.Kind, Confidence: wire.Confidence(weaker(c.Confidence, p.reached[here][c.Via].Confidence)), Test: c.Test,
			})
		}
	}
	return fresh, nil
}

// maxAffected is more than an index says of one question.
const maxAffected = 1 << 20

// answer puts together what was found.
func (p *spread) answer() *wire.AcrossImpact {
	out := &wire.AcrossImpact{Callers: []wire.AcrossCaller{}, Projects: []wire.AcrossProject{}}
	order := map[string]int{}
	for i := range p.all {
		order[p.all[i].Name] = i
	}
	slices.SortStableFunc(p.found, func(b, c wire.AcrossCaller) int {
		return cmp.Or(cmp.Compare(b.Depth, c.Depth), cmp.Compare(order[b.Project], order[c.Project]),
			strings.Compare(b.File, c.File), cmp.Compare(b.Line, c.Line), strings.Compare(b.Symbol, c.Symbol))
	})
	for i := range p.all {
		of := wire.AcrossProject{Project: p.all[i].Name, Tests: []string{}, Files: []string{}}
		some := false
		for _, c := range p.found {
			if c.Project != of.Project {
				continue
			}
			some = true
			if c.Test && !slices.Contains(of.Tests, c.File) {
				of.Tests = append(of.Tests, c.File)
			}
			if !testsWanted(&p.q.Scope, c.Test) {
				continue
			}
			of.Callers++
			of.Files = append(of.Files, c.File)
		}
		slices.Sort(of.Files)
		of.Files = slices.Compact(of.Files)
		if some {
			out.Projects = append(out.Projects, of)
		}
	}
	for _, c := range p.found {
		if testsWanted(&p.q.Scope, c.Test) {
			slices.Sort(c.CallSites)
			out.Callers = append(out.Callers, c)
		}
	}
	p.about.Total = len(out.Callers)
	out.Callers = out.Callers[:min(len(out.Callers), p.q.Limit)]
	out.AcrossMeta = p.about
	cutAcross(&out.AcrossMeta, len(out.Callers))
	return out
}
