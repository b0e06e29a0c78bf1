package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// graph writes a drawing, or a line for each node and below it one for each edge that leads from it.
func graph(b *builder, a *wire.GraphResponse) {
	names := map[string]string{}
	for i := range a.Nodes {
		names[a.Nodes[i].ID] = nodeText(&a.Nodes[i])
	}
	if a.Drawing != "" {
		b.linef("%s", strings.TrimSuffix(a.Drawing, "\n"))
	}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		if a.Drawing != "" {
			break
		}
		how := []string{n.Side}
		if n.Depth > 1 {
			how = append(how, fmt.Sprintf("%d steps", n.Depth))
		}
		if n.Test {
			how = append(how, "test")
		}
		b.linef("%s  (%s)%s", names[n.ID], strings.Join(how, ", "), since(n.Changed))
		for k := range a.Edges {
			if e := &a.Edges[k]; e.From == n.ID {
				edgeText(b, e, names[e.To])
			}
		}
	}
	noteMeta(b, &a.Meta, len(a.Nodes), "nodes")
	if a.Backward {
		b.note("the calls lead from the second to the first")
	}
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}

// edgeText writes an edge to a node, and the lines of its call sites that are given.
func edgeText(b *builder, e *wire.GraphEdge, to string) {
	verb := e.Kind
	if e.Confidence != "exact" {
		verb += ", " + string(e.Confidence)
	}
	if e.Ambiguous {
		verb += ", ambiguous"
	}
	b.linef("  -> %s  (%s)", to, verb)
	for _, s := range e.Sites {
		if s.Text != "" {
			b.linef("       %s:%d %s", s.File, s.Line, s.Text)
		}
	}
}

// nodeText names a node.
func nodeText(n *wire.GraphNode) string {
	folder := n.Folder + "/"
	if n.Folder == "" {
		folder = "./"
	}
	switch n.Kind {
	case "group":
		return fmt.Sprintf("%d more in %s [%s]", n.Count, folder, n.ID)
	case "folder":
		return fmt.Sprintf("%s, %d symbols", folder, n.Count)
	case "file":
		return fmt.Sprintf("%s, %d symbols", n.File, n.Count)
	case "top level":
		return n.File + " (top level)"
	}
	return placeText(n.File, n.Line, n.Symbol, "")
}

// tree writes a line for each folder and file, further in for what it is in.
func tree(b *builder, a *wire.MapResponse) {
	depth := map[string]int{}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		if i > 0 {
			depth[n.Path] = depth[n.Parent] + 1
		}
		name := n.Path
		how := []string{fmt.Sprintf("%d lines", n.Lines)}
		if n.Kind != "file" && n.Kind != "left out" {
			how = append(how, fmt.Sprintf("%d files", n.Files))
		}
		if n.Kind == "group" {
			name = fmt.Sprintf("%d more", n.Inside)
		}
		if n.Kind == "left out" {
			how = nil
		}
		if n.Lang != "" {
			how = append(how, n.Lang)
		}
		if n.FanIn != nil && *n.FanIn > 0 {
			how = append(how, fmt.Sprintf("used by %d", *n.FanIn))
		}
		if n.Churn != nil && *n.Churn > 0 {
			how = append(how, fmt.Sprintf("changed by %d commits", *n.Churn))
		}
		for _, reason := range slices.Sorted(maps.Keys(n.LeftOut)) {
			how = append(how, fmt.Sprintf("left out as %s: %d", reason, n.LeftOut[reason]))
		}
		b.linef("%s%s  (%s)%s", strings.Repeat("  ", depth[n.Path]), name, strings.Join(how, ", "), since(n.Changed))
	}
	noteMeta(b, &a.Meta, len(a.Nodes))
	if len(a.NotLookedAt) > 0 {
		b.note("not looked at: %s", strings.Join(a.NotLookedAt, "; "))
	}
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}
