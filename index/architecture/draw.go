package architecture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/drawing"
)

// draw makes the drawing of the modules that have the most dependencies.
func (a *Answer) draw(s *system, q *Query) (err error) {
	limit := cmp.Or(q.Limit, sectionLimit)
	if q.Draw == SVG {
		limit = min(limit, drawing.MaxNodes)
	}
	order := make([]int32, len(s.names))
	weight := make([]int, len(s.names))
	for i := range s.names {
		order[i] = int32(i)
		in, _ := degree(s.back[i])
		out, _ := degree(s.edges[i])
		weight[i] = in + out
	}
	slices.SortStableFunc(order, func(a, b int32) int { return weight[b] - weight[a] })
	first := min(max(q.Offset, 0), len(order))
	end := min(first+limit, len(order))
	a.Page.Total = len(order)
	if end < len(order) {
		a.Cut("limit")
		a.Next = end
	}
	drawn := slices.Sorted(slices.Values(order[first:end]))
	switch q.Draw {
	case Mermaid:
		a.Drawing = s.mermaid(drawn)
	case SVG:
		a.Drawing, err = s.svg(drawn)
	default:
		a.Drawing = s.dot(drawn)
	}
	return err
}

// svg draws modules as a picture. With too many dependencies it is a drawing.SizeError.
func (s *system) svg(drawn []int32) (string, error) {
	g := drawing.Graph{Title: fmt.Sprintf("%d modules and what they depend on", len(drawn))}
	number := map[int32]int{}
	for _, n := range drawn {
		number[n] = len(g.Nodes)
		one := drawing.Node{Lines: []string{s.names[n]}}
		switch {
		case len(s.parts[s.part[n]]) > 1:
			one.Style = drawing.Alert
		case s.position(n) == Entry:
			one.Style = drawing.Strong
		}
		g.Nodes = append(g.Nodes, one)
	}
	s.drawnEdges(drawn, func(e *edge, cyclic bool) {
		g.Edges = append(g.Edges, drawing.Edge{From: number[e.from], To: number[e.to], Label: fmt.Sprint(e.depends), Alert: cyclic})
	})
	return drawing.Draw(SVG, &g)
}

// drawnEdges calls yield for the dependencies between some modules.
func (s *system) drawnEdges(drawn []int32, yield func(e *edge, cyclic bool)) {
	for _, n := range drawn {
		for _, e := range s.edges[n] {
			if _, found := slices.BinarySearch(drawn, e.to); found && e.depends > 0 {
				yield(e, s.part[e.from] == s.part[e.to])
			}
		}
	}
}

// dot draws modules in the language of Graphviz, those of one rank in one row.
func (s *system) dot(drawn []int32) string {
	var b strings.Builder
	b.WriteString("digraph architecture {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	ranks := map[int][]int32{}
	for _, n := range drawn {
		r := s.rank[s.part[n]]
		ranks[r] = append(ranks[r], n)
		style := ""
		switch {
		case len(s.parts[s.part[n]]) > 1:
			style = ", color=red"
		case s.position(n) == Entry:
			style = ", style=bold"
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", n, quoted(s.names[n]), style)
	}
	for r := len(s.names); r >= 0; r-- {
		if row := ranks[r]; len(row) > 1 {
			b.WriteString("  { rank=same;")
			for _, n := range row {
				fmt.Fprintf(&b, " n%d;", n)
			}
			b.WriteString(" }\n")
		}
	}
	s.drawnEdges(drawn, func(e *edge, cyclic bool) {
		color := ""
		if cyclic {
			color = ", color=red"
		}
		fmt.Fprintf(&b, "  n%d -> n%d [label=%d%s];\n", e.from, e.to, e.depends, color)
	})
	b.WriteString("}\n")
	return b.String()
}

// quoted is a string of DOT.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(text) + `"`
}

// mermaid draws modules as a flowchart of Mermaid.
func (s *system) mermaid(drawn []int32) string {
	var b strings.Builder
	b.WriteString("flowchart TB\n")
	// The texts of labels are Markdown and HTML there.
	escape := strings.NewReplacer("&", "#38;", "#", "#35;", `"`, "#34;", "<", "#60;", ">", "#62;", "`", "#96;", "\n", " ", "\r", " ")
	for _, n := range drawn {
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", n, escape.Replace(s.names[n]))
	}
	var red []string
	i := 0
	s.drawnEdges(drawn, func(e *edge, cyclic bool) {
		fmt.Fprintf(&b, "  n%d -->|%d| n%d\n", e.from, e.depends, e.to)
		if cyclic {
			red = append(red, fmt.Sprint(i))
		}
		i++
	})
	if len(red) > 0 {
		fmt.Fprintf(&b, "  linkStyle %s stroke:red\n", strings.Join(red, ","))
	}
	return b.String()
}
