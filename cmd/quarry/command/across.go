package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-search/quarry/index"
)

// What a server with several projects says besides an answer about one of them.

type acrossPlace struct {
	Project string `json:"project,omitempty"` // "": that of the answer
	index.Place
}

type acrossMeta struct {
	Total     int      `json:"total"`
	Truncated bool     `json:"truncated"`
	Complete  bool     `json:"complete"`
	Because   []string `json:"incomplete,omitempty"`
	Unasked   []string `json:"unasked,omitempty"`
}

type acrossCalls struct {
	Calls []struct {
		From       acrossPlace `json:"from"`
		To         acrossPlace `json:"to"`
		Line       int         `json:"line"`
		Column     int         `json:"column"`
		Kind       string      `json:"kind"`
		Confidence string      `json:"confidence"`
		Depth      int         `json:"depth,omitempty"`
	} `json:"calls"`
	acrossMeta
}

type acrossImpact struct {
	Callers []struct {
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
	} `json:"callers"`
	Projects []struct {
		Project string   `json:"project"`
		Callers int      `json:"callers"`
		Tests   []string `json:"tests"`
		Files   []string `json:"files"`
	} `json:"projects"`
	acrossMeta
}

// note says on the error output what of other projects is not shown.
func (m *acrossMeta) note(w io.Writer, shown int, what string) {
	if m.Truncated {
		fmt.Fprintf(w, "quarry: %d of %d %s of other projects are shown\n", shown, m.Total, what)
	}
	if len(m.Because) > 0 {
		fmt.Fprintf(w, "quarry: what is shown of other projects may not be complete: %s\n", visible(strings.Join(m.Because, "; ")))
	}
	if len(m.Unasked) > 0 {
		fmt.Fprintf(w, "quarry: these projects were not asked: %s\n", visible(strings.Join(m.Unasked, ", ")))
	}
}

// project names a place's project; "" is that of the answer.
func (p *acrossPlace) project() string {
	if p.Project == "" {
		return ""
	}
	return " [" + visible(p.Project) + "]"
}

// shownIn returns a path as it is shown: of another project as it is there.
func (p *acrossPlace) shownIn(shown func(string) string) string {
	if p.Project == "" {
		return visible(shown(p.File))
	}
	return visible(p.File)
}

// print writes a line for each call.
func (a *acrossCalls) print(w io.Writer, shown func(string) string) {
	for _, e := range a.Calls {
		fmt.Fprintf(w, "%s:%d:%d %s%s => %s %s:%d%s", e.From.shownIn(shown), e.Line, e.Column, topLevel(e.From.Place), e.From.project(),
			topLevel(e.To.Place), e.To.shownIn(shown), e.To.Line, e.To.project())
		if e.Confidence != "exact" {
			fmt.Fprintf(w, " (%s)", e.Confidence)
		}
		fmt.Fprintln(w)
	}
}

// print writes a line for each caller, deeper ones further to the right.
func (a *acrossImpact) print(w io.Writer) {
	for _, c := range a.Callers {
		fmt.Fprintf(w, "%s%s:%d %s [%s] => %s%s", strings.Repeat("  ", c.Depth-1), visible(c.File), c.Line, visible(cmp.Or(c.Symbol, "(top level)")),
			visible(c.Project), topLevel(c.Via.Place), c.Via.project())
		writeSites(w, c.CallSites, c.Kind, c.Confidence)
	}
}

// tests are the test files to run in other projects.
func (a *acrossImpact) tests() (list []string) {
	for _, p := range a.Projects {
		for _, file := range p.Tests {
			list = append(list, fmt.Sprintf("%s [%s]", visible(file), visible(p.Project)))
		}
	}
	return list
}
