package frozen

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// A Difference is a node, an edge or a site that only one of two graphs has.
type Difference struct {
	What string // "node", "edge" or "site"; "graph" where it is none of them
	Path string // of its file; "" for what is in none
	Text string
	Lack bool // got does not have it, and want does
}

// A comparison is of the frozen forms of one family.
type comparison struct {
	got, want *Family
	yield     func(Difference)
}

// Compare is Compare of one family.
func Compare(ctx context.Context, got, want *Family, yield func(Difference)) error {
	return (&comparison{got, want, yield}).compare(ctx)
}

func (c *comparison) compare(ctx context.Context) error {
	var g, w snapshot.Encoder
	(&saver{Encoder: &g, f: c.got}).save()
	(&saver{Encoder: &w, f: c.want}).save()
	if bytes.Equal(g.Bytes(), w.Bytes()) {
		return nil
	}
	a, b := c.got, c.want
	found := false
	compare := func(path string, x, y *File) {
		for _, what := range [...]string{"node", "edge", "site"} {
			found = unequal(a.describe(what, x), b.describe(what, y), func(text string, lack bool) {
				c.yield(Difference{what, path, text, lack})
			}) || found
		}
	}
	for i, j := 0, 0; i < len(a.Files) || j < len(b.Files); {
		if err := ctx.Err(); err != nil {
			return err
		}
		order := 0
		switch {
		case i == len(a.Files):
			order = 1
		case j == len(b.Files):
			order = -1
		default:
			order = strings.Compare(a.Names[a.Files[i].Name], b.Names[b.Files[j].Name])
		}
		switch {
		case order < 0:
			compare(a.Names[a.Files[i].Name], &a.Files[i], nil)
			i++
		case order > 0:
			compare(b.Names[b.Files[j].Name], nil, &b.Files[j])
			j++
		default:
			compare(a.Names[a.Files[i].Name], &a.Files[i], &b.Files[j])
			i++
			j++
		}
	}
	found = unequal(a.outside(), b.outside(), func(text string, lack bool) {
		c.yield(Difference{"node", "", text, lack})
	}) || found
	if !found {
		c.yield(Difference{What: "graph", Text: "their saved forms differ, and nothing that they answer does"})
	}
	return nil
}

// unequal calls yield for the lines that only one of two sorted lists has.
func unequal(got, want []string, yield func(text string, lack bool)) (any bool) {
	for i, j := 0, 0; i < len(got) || j < len(want); {
		switch {
		case j == len(want) || i < len(got) && got[i] < want[j]:
			yield(got[i], false)
			any = true
			i++
		case i == len(got) || want[j] < got[i]:
			yield(want[j], true)
			any = true
			j++
		default:
			i++
			j++
		}
	}
	return any
}

var kinds = [...]string{"", "file", "function", "class", "variable", "namespace", "literal"}

// describe returns a line for each node of a file, or for each edge or site from one,
// sorted.
func (f *Family) describe(what string, in *File) []string {
	if in == nil {
		return nil
	}
	var out []string
	for id := in.First; id < in.end(); id++ {
		switch what {
		case "node":
			out = append(out, f.describeNode(id))
		case "edge":
			f.Out(id, func(e edge.Edge) bool {
				out = append(out, fmt.Sprintf("%s at %d:%d %s %s, %s by %s",
					f.label(id), e.Pos.Line(), e.Pos.Column(), e.Kind, f.label(e.To), e.Confidence, e.Rule))
				return true
			})
		case "site":
			lo, hi := f.SitesOf.Bounds(uint32(id))
			f.EachSite(lo, hi, func(s edge.Site) bool {
				out = append(out, fmt.Sprintf("%s at %d:%d calls %s: %s", f.label(id), s.Pos.Line(), s.Pos.Column(), s.Name, s.Reason))
				return true
			})
		}
	}
	slices.Sort(out)
	return out
}

func (f *Family) describeNode(id edge.ID) string {
	e := &f.Nodes[id]
	text := fmt.Sprintf("%s, %s, column %d, bytes %d to %d, flags %#x", f.label(id), f.Languages[f.Files[e.File-1].Language],
		e.Pos.Column(), e.Start, e.End, e.Flags)
	if e.Outer != 0 {
		text += ", in " + f.label(e.Outer)
	}
	if e.Kind == edge.ClassNode {
		var members []string
		for _, m := range f.MembersOf(id) {
			members = append(members, f.label(m))
		}
		slices.Sort(members)
		text += ", with " + strings.Join(members, ", ")
	}
	return text
}

// outside returns a line for each node of no file, sorted.
func (f *Family) outside() []string {
	var out []string
	for id := 1; id < len(f.Nodes); id++ {
		if f.Nodes[id].File == 0 {
			out = append(out, f.label(edge.ID(id)))
		}
	}
	slices.Sort(out)
	return out
}

// label names a node with its place.
func (f *Family) label(id edge.ID) string {
	n := f.Node(id)
	text := kinds[n.Kind]
	name := n.Name
	if name == "" && n.Kind != edge.FileNode {
		name = f.Names[f.Nodes[id].Name]
	}
	if name != "" {
		text += " " + name
	}
	if n.Path != "" {
		text += " of " + n.Path
		if n.Kind != edge.FileNode {
			text += fmt.Sprintf(":%d", n.Pos.Line())
		}
	}
	return text
}
