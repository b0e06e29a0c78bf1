// Package drawing draws directed graphs: in the languages of Graphviz and Mermaid, for other
// programs to lay out, and as SVG, laid out here. It promises the same bytes for the same graph,
// that no text of a graph is taken for anything but text, and that an SVG has neither script nor
// reference to anything outside. It knows nothing of what graphs are about.
package drawing

import (
	"fmt"
	"strings"
)

// The forms of a drawing.
const (
	DOT     = "dot"
	Mermaid = "mermaid"
	SVG     = "svg"
)

// Bounds of a graph that is drawn: more nobody reads.
const (
	MaxNodes = 300
	MaxEdges = 2000
)

// A Graph is what is drawn, from top to bottom.
type Graph struct {
	Title string // one line: what it is of
	Nodes []Node
	Edges []Edge
}

// A Node is a box with lines of text.
type Node struct {
	Lines []string
	Style Style
}

// An Edge leads from one node to another, which are numbers of Graph.Nodes.
type Edge struct {
	From, To int
	Label    string
	Dashed   bool // it need not be so
	Alert    bool // it stands out
}

// A Style says how a node stands out.
type Style int

// The styles.
const (
	Plain Style = iota
	Strong
	Faded
	Alert
)

// A SizeError says that a graph is too large to be drawn.
type SizeError struct{ Nodes, Edges int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("a drawing would have %d boxes and %d arrows, and has at most %d and %d: draw a part of it", e.Nodes, e.Edges, MaxNodes, MaxEdges)
}

// Draw returns the drawing of a graph in a form, which is one of the above. It returns a
// SizeError for a graph that is too large.
func Draw(form string, g *Graph) (string, error) {
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges {
		return "", &SizeError{len(g.Nodes), len(g.Edges)}
	}
	switch form {
	case DOT:
		return g.dot(), nil
	case Mermaid:
		return g.mermaid(), nil
	case SVG:
		return g.svg(), nil
	}
	return "", fmt.Errorf("there is no drawing of the form %q", form)
}

// dot draws in the language of Graphviz.
func (g *Graph) dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n\tnode [shape=box, fontname=monospace];\n", quoted([]string{g.Title}))
	for i := range g.Nodes {
		style := [...]string{Plain: "", Strong: ", style=bold", Faded: ", style=dotted", Alert: ", color=red"}[g.Nodes[i].Style]
		fmt.Fprintf(&b, "\tn%d [label=%s%s];\n", i, quoted(g.Nodes[i].Lines), style)
	}
	for _, e := range g.Edges {
		var say []string
		if e.Label != "" {
			say = append(say, "label="+quoted([]string{e.Label}))
		}
		if e.Dashed {
			say = append(say, "style=dashed")
		}
		if e.Alert {
			say = append(say, "color=red")
		}
		fmt.Fprintf(&b, "\tn%d -> n%d [%s];\n", e.From, e.To, strings.Join(say, ", "))
	}
	b.WriteString("}\n")
	return b.String()
}

// quoted is a string of Graphviz; of several lines, each is to the left.
func quoted(lines []string) string {
	end := ""
	if len(lines) > 1 {
		end = `\l`
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, line := range lines {
		b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible(line)) + end)
	}
	b.WriteByte('"')
	return b.String()
}

// mermaid draws a flowchart of Mermaid.
func (g *Graph) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TB\n")
	var red []string
	for i := range g.Nodes {
		lines := make([]string, len(g.Nodes[i].Lines))
		for j, line := range g.Nodes[i].Lines {
			lines[j] = unmarked(line)
		}
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, strings.Join(lines, "<br>"))
		if css := [...]string{Plain: "", Strong: "stroke-width:3px", Faded: "stroke-dasharray:3", Alert: "stroke:red"}[g.Nodes[i].Style]; css != "" {
			fmt.Fprintf(&b, "  style n%d %s\n", i, css)
		}
	}
	for i, e := range g.Edges {
		arrow := "-->"
		if e.Dashed {
			arrow = "-.->"
		}
		if e.Label != "" {
			arrow += `|"` + unmarked(e.Label) + `"|`
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", e.From, arrow, e.To)
		if e.Alert {
			red = append(red, fmt.Sprint(i))
		}
	}
	if len(red) > 0 {
		fmt.Fprintf(&b, "  linkStyle %s stroke:red\n", strings.Join(red, ","))
	}
	return b.String()
}

// unmarked is a text of Mermaid, whose labels are Markdown and HTML.
func unmarked(text string) string {
	return strings.NewReplacer("&", "#38;", "#", "#35;", `"`, "#34;", "<", "#60;", ">", "#62;", "`", "#96;", "*", "#42;", "_", "#95;", "[", "#91;", "]", "#93;", `\`, "#92;").
		Replace(visible(text))
}

// visible replaces what could act on whoever shows a text, or is in no XML: controls, what turns
// the direction of writing, and broken bytes. Tabs become spaces.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ', 0x7f <= r && r < 0xa0, 0x200e <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0x61c, r == 0xfeff, r >= 0xfffe && r&0xfffe == 0xfffe:
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
