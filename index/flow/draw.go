package flow

import (
	"cmp"
	"fmt"

	"github.com/quarry-search/quarry/index/internal/drawing"
)

// The forms of a drawing.
const (
	DOT     = drawing.DOT
	Mermaid = drawing.Mermaid
	SVG     = drawing.SVG
)

// A SizeError says that an answer has more than can be drawn.
type SizeError = drawing.SizeError

// Draw draws the blocks of the answer, in a form. It returns a SizeError for more than 300.
func (a *ControlAnswer) Draw(form string) (string, error) {
	g := drawing.Graph{Title: "Control flow of " + a.Function.title()}
	number, leads := map[int]int{}, map[int]bool{}
	for _, e := range a.Edges {
		leads[e.From], leads[e.To] = true, true
	}
	for i := range a.Blocks {
		b := &a.Blocks[i]
		if !leads[b.ID] && len(b.Text) == 0 && b.ID != a.Entry {
			continue // such as where errors go, in a function that raises none
		}
		number[b.ID] = len(g.Nodes)
		n := drawing.Node{Lines: []string{b.Type}}
		if len(b.Text) > 0 {
			n.Lines = append([]string{fmt.Sprintf("%d  %s", b.Line, b.Text[0])}, b.Text[1:]...)
		}
		switch {
		case b.Unreachable:
			n.Style = drawing.Faded
		case b.ID == a.Entry || b.Type == "exit" || b.Type == "raise":
			n.Style = drawing.Strong
		}
		g.Nodes = append(g.Nodes, n)
	}
	for _, e := range a.Edges {
		one := drawing.Edge{From: number[e.From], To: number[e.To], Label: e.Kind, Dashed: e.Maybe, Alert: e.Kind == "raise"}
		if e.Kind == "next" {
			one.Label = ""
		}
		g.Edges = append(g.Edges, one)
	}
	return drawing.Draw(form, &g)
}

// Draw draws the lines of the answer and why each is there, in a form: an arrow leads to what
// depends on where it comes from. It returns a SizeError for more than 300.
func (a *SliceAnswer) Draw(form string) (string, error) {
	what := "What " + a.Target + " depends on"
	if a.Direction == Forward {
		what = "What depends on " + a.Target
	}
	g := drawing.Graph{Title: what}
	type at struct {
		file string
		line int
	}
	number := map[at]int{}
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.Reason == "syntax" {
			continue // nothing depends on it
		}
		number[at{l.File, l.Line}] = len(g.Nodes)
		n := drawing.Node{Lines: []string{fmt.Sprintf("%d  %s", l.Line, l.Text)}}
		if a.Functions > 1 {
			n.Lines = append([]string{fmt.Sprintf("%s %s", l.File, l.Function)}, n.Lines...)
		}
		if l.Reason == "asked" {
			n.Style = drawing.Strong
		}
		g.Nodes = append(g.Nodes, n)
	}
	for i := range a.Lines {
		l := &a.Lines[i]
		from, ok := number[at{l.File, l.Line}]
		to, found := number[at{cmp.Or(l.OfFile, l.File), l.Of}]
		if !ok || !found || l.Reason == "asked" || l.Reason == "syntax" {
			continue
		}
		if a.Direction == Forward {
			from, to = to, from
		}
		e := drawing.Edge{From: from, To: to, Label: l.Reason, Dashed: l.Reason == "control" || l.Reason == "jump"}
		if l.Variable != "" && l.Reason == "data" {
			e.Label = l.Variable
		}
		g.Edges = append(g.Edges, e)
	}
	return drawing.Draw(form, &g)
}

// title names a function for people.
func (f *Function) title() string {
	return fmt.Sprintf("%s (%s:%d)", cmp.Or(f.Name, "the code outside of functions"), f.File, f.Line)
}
