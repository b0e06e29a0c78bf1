package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// functionText names a function whose flow was asked for.
func functionText(f *wire.FlowFunction) string {
	return fmt.Sprintf("%s  %s:%d-%d%s", cmp.Or(f.Name, "code"), f.File, f.Line, f.EndLine, since(f.Changed))
}

// control writes the control flow of a function: a paragraph for each block.
func control(b *builder, a *wire.ControlResponse) {
	if a.Drawing != "" {
		b.linef("%s", strings.TrimRight(a.Drawing, "\n"))
		noteMeta(b, &a.Meta, len(a.Blocks), "blocks")
		sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
		return
	}
	b.linef("Control flow of %s: %d blocks, complexity %d, %d loops", functionText(&a.Function), a.Total, a.Complexity, a.Loops)
	next := map[int][]string{}
	for _, e := range a.Edges {
		text := fmt.Sprintf("%s %d", e.Kind, e.To)
		if e.Maybe {
			text = fmt.Sprintf("perhaps %s", text)
		}
		next[e.From] = append(next[e.From], text)
	}
	for i := range a.Blocks {
		block := &a.Blocks[i]
		head := fmt.Sprintf("%d %s, line %d", block.ID, block.Type, block.Line)
		if block.EndLine > block.Line {
			head += fmt.Sprintf("-%d", block.EndLine)
		}
		if block.Unreachable {
			head += ", unreachable"
		}
		if len(next[block.ID]) > 0 {
			head += " -> " + strings.Join(next[block.ID], ", ")
		}
		b.linef("%s", head)
		for _, s := range block.Text {
			b.linef("    %s", s)
		}
	}
	if len(a.Unreachable) > 0 {
		b.linef("Nothing leads to line %s", numbers(a.Unreachable))
	}
	noteMeta(b, &a.Meta, len(a.Blocks), "blocks")
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// data writes the data flow of a function: a line for each place that reads a variable, with
// where its value comes from.
func data(b *builder, a *wire.DataResponse) {
	b.linef("Data flow of %s", functionText(&a.Function))
	type use struct {
		name         string
		line, column int
	}
	var order []use
	from := map[use][]string{}
	for i := range a.Edges {
		e := &a.Edges[i]
		u := use{e.Use.Name + e.Use.Part, e.Use.Line, e.Use.Column}
		if from[u] == nil {
			order = append(order, u)
		}
		text := fmt.Sprint(e.Def.Line)
		if e.Maybe {
			text += " perhaps"
		}
		from[u] = append(from[u], text)
	}
	for _, u := range order {
		b.linef("%d: %s <- %s", u.line, u.name, strings.Join(from[u], ", "))
	}
	noteMeta(b, &a.Meta, len(a.Edges), "pairs")
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}

// slice writes the lines of a slice, each with why it is there.
func slice(b *builder, a *wire.SliceResponse) {
	if a.Drawing != "" {
		b.linef("%s", strings.TrimRight(a.Drawing, "\n"))
		noteMeta(b, &a.Meta, len(a.Lines), "lines")
		sure{a.Complete, a.Incomplete, nil}.note(b)
		return
	}
	of := a.Target
	if a.Variable != "" {
		of = a.Variable + " at " + of
	}
	what := map[string]string{"backward": "What %s depends on", "forward": "What depends on %s"}[a.Direction]
	b.linef(what+": %d lines of %d functions", of, a.Total, a.Functions)
	file, function := "", "\x00"
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.File != file || l.Function != function {
			b.linef("%s %s%s", l.File, l.Function, since(l.Changed))
			file, function = l.File, l.Function
		}
		if l.Reason == "syntax" {
			b.linef("%6d %s", l.Line, l.Text)
			continue
		}
		b.linef("%6d %s  <%s>", l.Line, l.Text, why(l))
	}
	noteMeta(b, &a.Meta, len(a.Lines), "lines")
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}

// why says why a line is in a slice.
func why(l *wire.SliceLine) string {
	text := l.Reason
	if l.Variable != "" {
		text += " " + l.Variable
	}
	switch {
	case l.Reason == "asked":
		return text
	case l.OfFile != "" && l.OfFile != l.File:
		return fmt.Sprintf("%s of %s:%d", text, l.OfFile, l.Of)
	}
	return fmt.Sprintf("%s of %d", text, l.Of)
}

// flows writes paths, each with its ends first and a line for each step.
func flows(b *builder, a *wire.FlowsResponse) {
	b.linef("%d flows from %d sources to %d sinks", a.Total, a.Sources, a.Sinks)
	for i := range a.Flows {
		f := &a.Flows[i]
		b.linef("%s:%d %s -> %s:%d %s <%s>%s", f.Source.File, f.Source.Line, f.Source.Name, f.Sink.File, f.Sink.Line, f.Sink.Name, strings.TrimSpace(f.Preset+" "+f.Confidence), since(f.Sink.Changed))
		file := f.Source.File
		for j := range f.Steps {
			s := &f.Steps[j]
			if s.File != file {
				b.linef("  %s", s.File)
				file = s.File
			}
			b.linef("%6d %s  <%s>", s.Line, s.Text, stepText(s))
		}
	}
	noteMeta(b, &a.Meta, len(a.Flows), "flows")
	if len(a.NotLooked) > 0 {
		b.note("not looked at: %s", strings.Join(a.NotLooked, ", "))
	}
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}

// stepText says what happens at a step.
func stepText(s *wire.FlowStep) string {
	text := s.Reason
	for _, name := range []string{s.Name, s.Variable} {
		if name != "" {
			text += " " + name
		}
	}
	return text
}
