// Package listing writes answers about control flow, data flow, flows, graphs and maps for people to read.
package listing

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/flow"
)

// FunctionLine names the function that was asked about. shown turns the path of a file into the one
// to show.
func FunctionLine(shown func(string) string, f *flow.Function) string {
	return fmt.Sprintf("%s:%d %s", terminal.Visible(shown(f.File)), f.Line, terminal.Visible(cmp.Or(f.Name, "(code)")))
}

// Control writes a line for each block, with where it leads to, and below it its statements.
func Control(w io.Writer, shown func(string) string, a *flow.ControlAnswer) {
	fmt.Fprintf(w, "%s: %d blocks, complexity %d, %d loops\n", FunctionLine(shown, &a.Function), a.Total, a.Complexity, a.Loops)
	for i := range a.Blocks {
		b := &a.Blocks[i]
		fmt.Fprintf(w, "%d %s", b.ID, b.Type)
		if b.Unreachable {
			fmt.Fprint(w, " (unreachable)")
		}
		for _, e := range a.Edges {
			if e.From == b.ID {
				fmt.Fprintf(w, "  %s->%d", e.Kind, e.To)
			}
		}
		fmt.Fprintln(w)
		for j, text := range b.Text {
			line := ""
			if j == 0 {
				line = fmt.Sprint(b.Line)
			}
			fmt.Fprintf(w, "%7s  %s\n", line, terminal.Visible(text))
		}
	}
}

// Slice writes the lines below the name of their function.
func Slice(w io.Writer, shown func(string) string, a *flow.SliceAnswer) {
	file, function := "", ""
	for i := range a.Lines {
		l := &a.Lines[i]
		if i == 0 || l.File != file || l.Function != function {
			file, function = l.File, l.Function
			fmt.Fprintf(w, "%s %s\n", terminal.Visible(shown(file)), terminal.Visible(cmp.Or(function, "(code)")))
		}
		why := l.Reason
		if l.Variable != "" {
			why += " " + l.Variable
		}
		if l.Reason != "asked" {
			of := ""
			if l.OfFile != "" && l.OfFile != l.File {
				of = shown(l.OfFile) + ":"
			}
			why += fmt.Sprintf(", %s%d", of, l.Of)
		}
		if l.Reason == "syntax" {
			fmt.Fprintf(w, "%7d  %s\n", l.Line, terminal.Visible(l.Text))
			continue
		}
		fmt.Fprintf(w, "%7d  %s  (%s)\n", l.Line, terminal.Visible(l.Text), terminal.Visible(why))
	}
}

// Flows writes a line for each path, and below it one for each step.
func Flows(w io.Writer, shown func(string) string, list []flow.Flow) {
	for i := range list {
		f := &list[i]
		fmt.Fprintf(w, "%s:%d %s -> %s:%d %s (%s)\n", terminal.Visible(shown(f.Source.File)), f.Source.Line, terminal.Visible(f.Source.Name),
			terminal.Visible(shown(f.Sink.File)), f.Sink.Line, terminal.Visible(f.Sink.Name), strings.TrimSpace(f.Preset+" "+f.Confidence))
		file := f.Source.File
		for j := range f.Steps {
			s := &f.Steps[j]
			if s.File != file {
				file = s.File
				fmt.Fprintf(w, "  %s\n", terminal.Visible(shown(file)))
			}
			why := s.Reason
			for _, name := range []string{s.Name, s.Variable} {
				if name != "" {
					why += " " + name
				}
			}
			fmt.Fprintf(w, "%7d  %s  (%s)\n", s.Line, terminal.Visible(s.Text), terminal.Visible(why))
		}
	}
}
