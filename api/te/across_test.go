package te

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// partOf is what a project has, with so many lines in each section; those that options show are there.
func partOf(project string, o Options, sections ...grep.GrepSection) *Part {
	g := &grep.GrepAnswer{Sections: sections, Files: 1, Searched: 2}
	for _, s := range sections {
		g.Matches += s.Matches
	}
	p := NewPart(project, g, wire.Index{})
	for _, span := range o.Spans(g) {
		for i := range span.N {
			p.Lines = append(p.Lines, grep.GrepLine{File: "a.go", Line: span.From + i + 1, Text: "x", Section: among(sections[span.Section].Name)})
		}
	}
	return p
}

func TestAcrossSections(t *testing.T) {
	section := func(name string, n int) grep.GrepSection { return grep.GrepSection{Name: name, Matches: n} }
	for _, c := range []struct {
		about   string
		o       Options
		parts   [][]grep.GrepSection
		unasked int
		want    string // projects and lines of each section
		crumbs  []string
	}{
		{"a small result is whole", Options{Strategy: Strategy{Preview: 10}, Budget: 9000},
			[][]grep.GrepSection{{section(grep.InCode, 2)}, {section(grep.InDefinitions, 1), section(grep.InDocs, 1)}}, 0, "definitions b1; code a1 a2; docs b2", nil},
		{"of a large one each section has lines of all in turn", Options{Strategy: Strategy{Preview: 3}, Budget: 9000},
			[][]grep.GrepSection{{section(grep.InCode, 20)}, {section(grep.InCode, 1), section(grep.InTests, 9)}, {section(grep.InCode, 20)}}, 0, "code a1 b1 c1; tests b2 b3 b4",
			[]string{"38 more in code", "6 more in tests", "what is left out is had of each project alone"}},
		{"a hot zone is code", Options{Strategy: Strategy{Preview: 3}, Budget: 9000},
			[][]grep.GrepSection{{section(grep.InHotZone, 2), section(grep.InCode, 2)}, {section(grep.InCode, 1)}}, 0, "code a1 a2 a3 a4 b1", nil},
		{"a limit is for all together", Options{Strategy: Strategy{Preview: 3}, Budget: 9000, Limit: 4},
			[][]grep.GrepSection{{section(grep.InDefinitions, 1), section(grep.InCode, 9)}, {section(grep.InDefinitions, 2), section(grep.InCode, 9)}}, 0, "definitions a1 b1 b2; code a2",
			[]string{"17 more in code", "what is left out is had of each project alone"}},
		{"who is not asked is said", Options{Strategy: Strategy{Preview: 3}, Budget: 9000}, [][]grep.GrepSection{{}}, 2, "", []string{"2 projects were not asked"}},
	} {
		var parts []*Part
		total := 0
		for i, sections := range c.parts {
			parts = append(parts, partOf(string(rune('a'+i)), c.o, sections...))
			for _, s := range sections {
				total += s.Matches
			}
		}
		r, projects := Across(parts, c.unasked, answer.State{}, c.o)
		got := Response(r, projects, parts)
		var said []string
		for i, m := range got.Matches {
			if i == 0 || m.Section != got.Matches[i-1].Section {
				said = append(said, m.Section)
			}
			said[len(said)-1] += fmt.Sprintf(" %s%d", m.Project, m.Line)
		}
		if strings.Join(said, "; ") != c.want || got.Meta.Matches != total || got.Meta.Truncated != (len(c.crumbs) > 0) {
			t.Errorf("%s: %q of %d, truncated %v, want %q of %d", c.about, said, got.Meta.Matches, got.Meta.Truncated, c.want, total)
		}
		if diff := gocmp.Diff(append([]string{}, c.crumbs...), got.Breadcrumbs); diff != "" {
			t.Errorf("%s: %s", c.about, diff)
		}
		// What another server says is what it has.
		if diff := gocmp.Diff(parts, PartsOf(Response(all(parts))), gocmp.Transformer("", func(p Part) any { return []any{p.GrepProject, p.Lines} })); diff != "" {
			t.Errorf("%s, of another server: %s", c.about, diff)
		}
	}
}

func all(parts []*Part) (*Result, []string, []*Part) {
	r, projects := Across(parts, 0, answer.State{}, Options{Budget: 1 << 30, Limit: 1 << 30})
	return r, projects, parts
}
