package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index"
)

// An acrossPlace is a place in the project of an answer, or in one that it names.
type acrossPlace struct {
	Project string `json:"project,omitempty"`
	index.Place
}

// An acrossCall is a call between the project of an answer and another one.
type acrossCall struct {
	From       acrossPlace `json:"from"`
	To         acrossPlace `json:"to"`
	Line       int         `json:"line"`
	Column     int         `json:"column"`
	Kind       string      `json:"kind"`
	Confidence string      `json:"confidence"`
	Depth      int         `json:"depth,omitempty"`
}

// acrossCalls are what an answer of /calls has from other projects.
type acrossCalls struct {
	Calls []acrossCall `json:"calls"`
	acrossMeta
}

// depths are how far away places are.
func depths(steps []index.Step) map[index.Place]int {
	at := make(map[index.Place]int, len(steps))
	for _, s := range steps {
		if d, ok := at[s.Place]; !ok || s.Depth < d {
			at[s.Place] = s.Depth
		}
	}
	return at
}

// callsAcross finds the calls from what an answer went out from into other projects,
// and from them to it. It returns nil where there are no others.
func (s *Server) callsAcross(ctx context.Context, x Index, q *index.CallsQuery, own *index.Calls) (*acrossCalls, error) {
	a := s.ask(x)
	if a == nil {
		return nil, nil
	}
	out := &acrossCalls{Calls: []acrossCall{}}
	take := func(other int, steps []index.Step, backward bool) error {
		from, to := a.own, other
		if backward {
			from, to = other, a.own
		}
		links, err := a.links(ctx, from, to)
		if err != nil {
			return err
		}
		at := depths(steps)
		for _, l := range links {
			e := acrossCall{
				From: acrossPlace{Place: l.From}, To: acrossPlace{Place: l.To},
				Line: l.Line, Column: l.Column, Kind: l.Kind, Confidence: l.Confidence,
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
		if own.Direction != index.Callers {
			if err := take(i, own.Calling, false); err != nil {
				return nil, err
			}
		}
		if own.Direction != index.Callees {
			if err := take(i, own.Called, true); err != nil {
				return nil, err
			}
		}
	}
	// The rest of the order is that of the projects, the files and their text.
	slices.SortStableFunc(out.Calls, func(b, c acrossCall) int { return cmp.Compare(b.Depth, c.Depth) })
	a.about.Total = len(out.Calls)
	out.Calls = out.Calls[:min(len(out.Calls), q.Limit)]
	out.acrossMeta = a.about
	out.cut(len(out.Calls))
	return out, nil
}

func (c *acrossCalls) trim(share float64) bool {
	return c != nil && shortenAcross(&c.Calls, &c.acrossMeta, share)
}

// shortenAcross leaves out the last entries, all of them if need be.
func shortenAcross[T any](list *[]T, m *acrossMeta, share float64) bool {
	n := len(*list)
	if n == 0 {
		return false
	}
	*list = (*list)[:min(int(share*float64(n)), n-1)]
	m.cut(len(*list))
	return true
}

// An acrossCaller depends on what an answer of /impact is about, from a project, in
// most cases another one.
type acrossCaller struct {
	Project    string      `json:"project"`
	Symbol     string      `json:"symbol"`
	File       string      `json:"file"`
	Line       int         `json:"line"`
	Depth      int         `json:"depth"`
	Via        acrossPlace `json:"via"`
	CallSites  []int       `json:"call_sites"`
	Kind       string      `json:"kind"`
	Confidence string      `json:"confidence"`
	Test       bool        `json:"test,omitempty"`
}

func (c *acrossCaller) place() index.Place {
	return index.Place{Symbol: c.Symbol, File: c.File, Line: c.Line}
}

// An acrossProject is what is affected in a project.
type acrossProject struct {
	Project string   `json:"project"`
	Callers int      `json:"callers"`
	Tests   []string `json:"tests"`
	Files   []string `json:"files"`
}

// acrossImpact is what an answer of /impact has from other projects.
type acrossImpact struct {
	Callers  []acrossCaller  `json:"callers"`
	Projects []acrossProject `json:"projects"`
	acrossMeta
}

func (c *acrossImpact) trim(share float64) bool {
	return c != nil && shortenAcross(&c.Callers, &c.acrossMeta, share)
}

// weaker returns the less sure of two confidences.
func weaker(a, b string) string {
	order := []string{"exact", "scoped", "name"}
	return order[max(slices.Index(order, a), slices.Index(order, b), 0)]
}

// A spread follows an impact through the projects.
type spread struct {
	*asking
	q       *index.ImpactQuery
	reached []map[index.Place]index.Step // by project
	found   []acrossCaller
}

// impactAcross finds what in other projects depends on what an answer came to, and
// what depends on that there, and so on from project to project. It returns nil where
// there are no others.
func (s *Server) impactAcross(ctx context.Context, x Index, q *index.ImpactQuery, own *index.Impact) (*acrossImpact, error) {
	a := s.ask(x)
	if a == nil {
		return nil, nil
	}
	p := &spread{asking: a, q: q, reached: make([]map[index.Place]index.Step, len(a.all))}
	for i := range p.reached {
		p.reached[i] = map[index.Place]index.Step{}
	}
	for _, step := range own.Steps {
		if have, ok := p.reached[a.own][step.Place]; !ok || step.Depth < have.Depth {
			p.reached[a.own][step.Place] = step
		}
	}
	fresh := make([]map[index.Place]index.Step, len(a.all))
	fresh[a.own] = p.reached[a.own]
	for range q.Depth { // each round goes into another project, which is one step
		next := make([]map[index.Place]index.Step, len(a.all))
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
func (p *spread) enter(ctx context.Context, project int, fresh []map[index.Place]index.Step) ([]acrossCaller, error) {
	var entries []acrossCaller
	at := map[index.Place]int{}
	for other, steps := range fresh {
		if other == project || len(steps) == 0 {
			continue
		}
		links, err := p.links(ctx, project, other)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			step, ok := steps[l.To]
			depth := step.Depth + 1
			if !ok || depth > p.q.Depth {
				continue
			}
			if have, seen := p.reached[project][l.From]; seen && have.Depth <= depth {
				continue
			}
			e := acrossCaller{
				Project: p.all[project].Name, Symbol: l.From.Symbol, File: l.From.File, Line: l.From.Line, Depth: depth,
				Via: acrossPlace{p.all[other].Name, l.To}, CallSites: []int{l.Line},
				Kind: l.Kind, Confidence: weaker(step.Confidence, l.Confidence), Test: l.Test,
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
	slices.SortStableFunc(entries, func(b, c acrossCaller) int { return cmp.Compare(b.Depth, c.Depth) })
	return entries, nil
}

// within follows entries through their project, and returns all that is reached again.
func (p *spread) within(ctx context.Context, project int, entries []acrossCaller) (map[index.Place]index.Step, error) {
	fresh := map[index.Place]index.Step{}
	take := func(c acrossCaller) {
		place := c.place()
		if have, seen := p.reached[project][place]; seen {
			if have.Depth <= c.Depth {
				return
			}
			p.found = slices.DeleteFunc(p.found, func(o acrossCaller) bool { return o.Project == c.Project && o.place() == place })
		}
		p.found = append(p.found, c)
		step := index.Step{Place: place, Depth: c.Depth, Confidence: c.Confidence}
		p.reached[project][place], fresh[place] = step, step
	}
	for _, e := range entries {
		take(e)
	}
	x, done, err := p.acquire(ctx, &p.all[project])
	if x == nil {
		return fresh, err
	}
	defer done()
	for len(entries) > 0 {
		depth := entries[0].Depth
		var from []index.Place
		for len(entries) > 0 && entries[0].Depth == depth {
			from = append(from, entries[0].place())
			entries = entries[1:]
		}
		if depth >= p.q.Depth {
			break
		}
		a, err := x.Impact(ctx, index.ImpactQuery{From: from, Depth: p.q.Depth - depth, Limit: maxAffected})
		if err != nil {
			return nil, err
		}
		for _, why := range a.Because {
			p.because("%s: %s", p.all[project].Name, why)
		}
		for _, c := range a.Callers {
			take(acrossCaller{
				Project: p.all[project].Name, Symbol: c.Symbol, File: c.File, Line: c.Line, Depth: depth + c.Depth,
				Via: acrossPlace{p.all[project].Name, c.Via}, CallSites: c.CallSites,
				Kind: c.Kind, Confidence: weaker(c.Confidence, p.reached[project][c.Via].Confidence), Test: c.Test,
			})
		}
	}
	return fresh, nil
}

// maxAffected is more than an index says of one question.
const maxAffected = 1 << 20

// answer puts together what was found.
func (p *spread) answer() *acrossImpact {
	out := &acrossImpact{Callers: []acrossCaller{}, Projects: []acrossProject{}}
	order := map[string]int{}
	for i := range p.all {
		order[p.all[i].Name] = i
	}
	slices.SortStableFunc(p.found, func(b, c acrossCaller) int {
		return cmp.Or(cmp.Compare(b.Depth, c.Depth), cmp.Compare(order[b.Project], order[c.Project]),
			strings.Compare(b.File, c.File), cmp.Compare(b.Line, c.Line), strings.Compare(b.Symbol, c.Symbol))
	})
	for i := range p.all {
		of := acrossProject{Project: p.all[i].Name, Tests: []string{}, Files: []string{}}
		some := false
		for _, c := range p.found {
			if c.Project != of.Project {
				continue
			}
			some = true
			if c.Test && !slices.Contains(of.Tests, c.File) {
				of.Tests = append(of.Tests, c.File)
			}
			if c.Test && p.q.NoTests {
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
		if !c.Test || !p.q.NoTests {
			slices.Sort(c.CallSites)
			out.Callers = append(out.Callers, c)
		}
	}
	p.about.Total = len(out.Callers)
	out.Callers = out.Callers[:min(len(out.Callers), p.q.Limit)]
	out.acrossMeta = p.about
	out.cut(len(out.Callers))
	return out
}
