package question

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// What a server with several projects says besides an answer about one of them.

// noteAcross says on the error output what of other projects is not shown.
func noteAcross(w io.Writer, m *wire.AcrossMeta, shown int, what string) {
	if m.Truncated {
		fmt.Fprintf(w, "quarry: %d of %d %s of other projects are shown\n", shown, m.Total, what)
	}
	if len(m.Incomplete) > 0 {
		fmt.Fprintf(w, "quarry: what is shown of other projects may not be complete: %s\n", terminal.Visible(strings.Join(m.Incomplete, "; ")))
	}
	if len(m.Unasked) > 0 {
		fmt.Fprintf(w, "quarry: these projects were not asked: %s\n", terminal.Visible(strings.Join(m.Unasked, ", ")))
	}
}

// acrossProject names a place's project; "" is that of the answer.
func acrossProject(p *wire.AcrossPlace) string {
	if p.Project == "" {
		return ""
	}
	return " [" + terminal.Visible(p.Project) + "]"
}

// acrossFile returns a path as it is shown: of another project as it is there.
func acrossFile(p *wire.AcrossPlace, shown func(string) string) string {
	if p.Project == "" {
		return terminal.Visible(shown(p.File))
	}
	return terminal.Visible(p.File)
}

// printAcrossCalls writes a line for each call.
func printAcrossCalls(w io.Writer, a *wire.AcrossCalls, shown func(string) string) {
	for _, e := range a.Calls {
		fmt.Fprintf(w, "%s:%d:%d %s%s => %s %s:%d%s", acrossFile(&e.From, shown), e.Line, e.Column, topLevel(e.From.Symbol), acrossProject(&e.From),
			topLevel(e.To.Symbol), acrossFile(&e.To, shown), e.To.Line, acrossProject(&e.To))
		if e.Confidence != "exact" {
			fmt.Fprintf(w, " (%s)", e.Confidence)
		}
		fmt.Fprintln(w)
	}
}

// printAcrossImpact writes a line for each caller, deeper ones further to the right.
func printAcrossImpact(w io.Writer, a *wire.AcrossImpact) {
	for _, c := range a.Callers {
		fmt.Fprintf(w, "%s%s:%d %s [%s] => %s%s", strings.Repeat("  ", c.Depth-1), terminal.Visible(c.File), c.Line, terminal.Visible(cmp.Or(c.Symbol, "(top level)")),
			terminal.Visible(c.Project), topLevel(c.Via.Symbol), acrossProject(&c.Via))
		writeSites(w, c.CallSites, c.Kind, string(c.Confidence))
	}
}

// acrossTests are the test files to run in other projects.
func acrossTests(a *wire.AcrossImpact) (list []string) {
	for _, p := range a.Projects {
		for _, file := range p.Tests {
			list = append(list, fmt.Sprintf("%s [%s]", terminal.Visible(file), terminal.Visible(p.Project)))
		}
	}
	return list
}
