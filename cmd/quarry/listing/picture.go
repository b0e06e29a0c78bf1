package listing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/treemap"
)

// Graph writes a line for each node, with its id where that is needed to expand it, and below it one
// for each node that it calls.
func Graph(w io.Writer, shown func(string) string, a *subgraph.Answer) {
	names := map[string]string{}
	for i := range a.Nodes {
		names[a.Nodes[i].ID] = nodeName(shown, &a.Nodes[i])
	}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		how := n.Side
		if n.Depth > 1 {
			how = fmt.Sprintf("%s, %d steps", how, n.Depth)
		}
		if n.Test {
			how += ", test"
		}
		fmt.Fprintf(w, "%s (%s)\n", names[n.ID], how)
		for k := range a.Edges {
			e := &a.Edges[k]
			if e.From != n.ID {
				continue
			}
			sure := ""
			if e.Confidence != "exact" {
				sure = ", " + e.Confidence
			}
			if e.Ambiguous {
				sure += ", ambiguous"
			}
			fmt.Fprintf(w, "  -> %s (%s%s)\n", names[e.To], e.Kind, sure)
			for _, s := range e.Sites {
				if s.Text != "" {
					fmt.Fprintf(w, "       %s:%d %s\n", terminal.Visible(shown(s.File)), s.Line, terminal.Visible(s.Text))
				}
			}
		}
	}
}

func nodeName(shown func(string) string, n *subgraph.Node) string {
	text := ""
	switch n.Kind {
	case subgraph.KindGroup:
		text = fmt.Sprintf("%d more [%s]", n.Count, n.ID)
	case subgraph.KindFolder, subgraph.KindFile:
		text = fmt.Sprintf("%d symbols [%s]", n.Count, n.ID)
	case subgraph.KindTopLevel:
		text = shown(n.File) + " (top level)"
	default:
		text = fmt.Sprintf("%s:%d %s", shown(n.File), n.Line, n.Symbol)
	}
	return terminal.Visible(text)
}

// Map writes a line for each folder and file, further in for what it is in.
func Map(w io.Writer, shown func(string) string, a *treemap.Answer) {
	depth := map[string]int{}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		name := n.Path
		if i == 0 {
			name = shown(n.Path)
		} else {
			depth[n.Path] = depth[n.Parent] + 1
			name = name[strings.LastIndexByte(name, '/')+1:]
		}
		switch n.Kind {
		case treemap.KindFolder:
			name += "/"
		case treemap.KindGroup:
			name = fmt.Sprintf("%d more", n.Inside)
		}
		fmt.Fprintf(w, "%8d %s%s", n.Lines, strings.Repeat("  ", depth[n.Path]), terminal.Visible(name))
		var notes []string
		if n.Kind != treemap.KindFile && n.Files > 0 {
			notes = append(notes, fmt.Sprintf("%d files", n.Files))
		}
		if n.Lang != "" {
			notes = append(notes, n.Lang)
		}
		if n.FanIn != nil && *n.FanIn > 0 {
			notes = append(notes, fmt.Sprintf("used by %d", *n.FanIn))
		}
		if n.Churn != nil && *n.Churn > 0 {
			notes = append(notes, fmt.Sprintf("%d commits", *n.Churn))
		}
		for _, reason := range slices.Sorted(maps.Keys(n.LeftOut)) {
			notes = append(notes, fmt.Sprintf("left out as %s: %d", reason, n.LeftOut[reason]))
		}
		if len(notes) > 0 {
			fmt.Fprintf(w, "  (%s)", strings.Join(notes, ", "))
		}
		fmt.Fprintln(w)
	}
}
