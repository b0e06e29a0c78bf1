package te

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// A Part is what one of several projects has for a grep: how much, and of the lines the best, which
// are those that Options.Spans says.
type Part struct {
	wire.GrepProject
	Lines []grep.GrepLine
}

// NewPart returns what a project has. Its hot zone is code among that of others.
func NewPart(project string, g *grep.GrepAnswer, index wire.Index) *Part {
	p := &Part{GrepProject: wire.GrepProject{
		Project: project, Files: g.Files, Sections: []wire.GrepSection{}, Searched: g.Searched, Unread: g.Unread, Binary: g.Out.Binary, Secret: g.Out.Secret, Cut: g.Cut, Index: index,
	}}
	for _, s := range g.Sections {
		name := among(s.Name)
		if n := len(p.Sections); n > 0 && p.Sections[n-1].Name == name {
			p.Sections[n-1].Matches += s.Matches
		} else {
			p.Sections = append(p.Sections, wire.GrepSection{Name: name, Matches: s.Matches})
		}
	}
	return p
}

// among is what a section is called among those of several projects.
func among(section string) string {
	if section == grep.InHotZone {
		return grep.InCode
	}
	return section
}

// Fill takes the lines from the index that has answered.
func (p *Part) Fill(ctx context.Context, x interface {
	Lines(ctx context.Context, g *grep.GrepAnswer, from, n int) (lines []grep.GrepLine, gone int, err error)
}, g *grep.GrepAnswer, o Options) error {
	for _, span := range o.Spans(g) {
		lines, _, err := x.Lines(ctx, g, span.From, span.N)
		if err != nil {
			return err
		}
		for _, l := range lines {
			l.Section = among(l.Section)
			p.Lines = append(p.Lines, l)
		}
	}
	return nil
}

// InOrder puts parts in the order of the names of their projects.
func InOrder(parts []*Part, names []string) []*Part {
	slices.SortStableFunc(parts, func(a, b *Part) int {
		return cmp.Compare(slices.Index(names, a.Project), slices.Index(names, b.Project))
	})
	return parts
}

// inOrder are the sections of an answer about several projects, the best first.
var inOrder = []string{grep.InDefinitions, grep.InCode, grep.InDocs, grep.InTests, grep.InGenerated}

// Across makes one answer of those of several projects, in their order: section by section, of each the first lines
// of all projects in turn. The projects of the lines come with it. So many projects were not asked.
func Across(parts []*Part, unasked int, state answer.State, o Options) (r *Result, projects []string) {
	g := &grep.GrepAnswer{State: state}
	for _, name := range inOrder {
		if n := countIn(parts, name); n > 0 {
			g.Sections = append(g.Sections, grep.GrepSection{Name: name, Matches: n})
			g.Matches += n
		}
	}
	for _, p := range parts {
		g.Files += p.Files
		g.Searched += p.Searched
		g.Unread += p.Unread
		g.Out.Binary += p.Binary
		g.Out.Secret += p.Secret
		g.Cut = g.Cut || p.Cut
	}
	var shown []Shown
	for _, span := range o.Spans(g) {
		s := Shown{Span: span}
		for i, lines := range inTurn(parts, g.Sections[span.Section].Name, span.N) {
			for range lines {
				projects = append(projects, parts[i].Project)
			}
			s.Lines = append(s.Lines, lines...)
		}
		shown = append(shown, s)
	}
	r = NewResult(g, shown, o)
	if r.Meta.Truncated { // a handle is of one project
		r.note("what is left out is had of each project alone")
	}
	if unasked > 0 {
		r.Meta.Truncated = true
		r.note(fmt.Sprintf("%d projects were not asked", unasked))
	}
	return r, projects[:len(r.Lines)] // those that the budget leaves out are the last
}

// Bounded returns the same options with no higher limit than the budget allows.
func (o Options) Bounded() Options {
	const shortest = len("a:1: \n")
	o.Limit = min(o.Limit, max(1, o.Budget/shortest))
	return o
}

func countIn(parts []*Part, section string) (n int) {
	for _, p := range parts {
		for _, s := range p.Sections {
			if s.Name == section {
				n += s.Matches
			}
		}
	}
	return n
}

// inTurn takes at most n lines of a section, one of each project and then the next of each, and returns them by project.
func inTurn(parts []*Part, section string, n int) [][]grep.GrepLine {
	all, took := make([][]grep.GrepLine, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		from := slices.IndexFunc(p.Lines, func(l grep.GrepLine) bool { return l.Section == section })
		if from < 0 {
			continue
		}
		for _, l := range p.Lines[from:] {
			if l.Section != section {
				break
			}
			all[i] = append(all[i], l)
		}
	}
	for left := n; left > 0; {
		before := left
		for i := range all {
			if left > 0 && took[i] < len(all[i]) {
				took[i]++
				left--
			}
		}
		if left == before {
			break
		}
	}
	for i := range all {
		all[i] = all[i][:took[i]]
	}
	return all
}

// TextAcross renders an answer about several projects. A path begins with the name of its project.
func (r *Result) TextAcross(projects []string) string {
	for i := range r.Lines {
		r.Lines[i].File = projects[i] + "/" + r.Lines[i].File
	}
	return r.Text("")
}

// Response is an answer about several projects in JSON.
func Response(r *Result, projects []string, parts []*Part) *wire.GrepResponse {
	b := &wire.GrepResponse{Matches: Matches(r.Lines), Breadcrumbs: Texts(r.Crumbs), Meta: r.Meta.Wire()}
	for i := range b.Matches {
		b.Matches[i].Project, b.Matches[i].Section = projects[i], r.Lines[i].Section
	}
	for _, p := range parts {
		b.Projects = append(b.Projects, p.GrepProject)
		b.Searched, b.Unread = b.Searched+p.Searched, b.Unread+p.Unread
	}
	return b
}

// PartsOf returns what another server has found.
func PartsOf(r *wire.GrepResponse) (parts []*Part) {
	of := map[string]*Part{}
	for _, p := range r.Projects {
		one := &Part{GrepProject: p}
		parts, of[p.Project] = append(parts, one), one
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		if p := of[m.Project]; p != nil {
			p.Lines = append(p.Lines, grep.GrepLine{File: m.File, Line: m.Line, Text: m.Content, Section: m.Section, Symbol: m.Symbol, Role: string(m.Role)})
		}
	}
	return parts
}
