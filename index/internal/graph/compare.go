package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// A Difference is a node, an edge or a site that only one of two graphs has.
type Difference struct {
	What string // "node", "edge" or "site"; "graph" where it is none of them
	Path string // of its file; "" for what is in none
	Text string
	Lack bool // got does not have it, and want does
}

// Compare calls yield for all that two graphs differ in, by family and path; nothing where
// they answer the same, whatever edits led to them. They must be resolved, and may be
// asked meanwhile.
func Compare(ctx context.Context, got, want *Graph, yield func(Difference)) error {
	all := map[string][2]*frozen{}
	for i, g := range [2]*Graph{got, want} {
		for _, p := range g.byName() {
			pair := all[p.name]
			pair[i] = p.freeze()
			all[p.name] = pair
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	none := newFamily("", &settings{}).freeze()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := comparison{cmp.Or(all[name][0], none), cmp.Or(all[name][1], none), yield}
		if err := c.compare(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A comparison is of the frozen forms of one family.
type comparison struct {
	got, want *frozen
	yield     func(Difference)
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
	compare := func(path string, x, y *frozenFile) {
		for _, what := range [...]string{"node", "edge", "site"} {
			found = unequal(a.describe(what, x), b.describe(what, y), func(text string, lack bool) {
				c.yield(Difference{what, path, text, lack})
			}) || found
		}
	}
	for i, j := 0, 0; i < len(a.files) || j < len(b.files); {
		if err := ctx.Err(); err != nil {
			return err
		}
		order := 0
		switch {
		case i == len(a.files):
			order = 1
		case j == len(b.files):
			order = -1
		default:
			order = strings.Compare(a.names[a.files[i].name], b.names[b.files[j].name])
		}
		switch {
		case order < 0:
			compare(a.names[a.files[i].name], &a.files[i], nil)
			i++
		case order > 0:
			compare(b.names[b.files[j].name], nil, &b.files[j])
			j++
		default:
			compare(a.names[a.files[i].name], &a.files[i], &b.files[j])
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
func (f *frozen) describe(what string, in *frozenFile) []string {
	if in == nil {
		return nil
	}
	var out []string
	for id := in.first; id < in.end(); id++ {
		switch what {
		case "node":
			out = append(out, f.describeNode(id))
		case "edge":
			f.out(id, func(e Edge) bool {
				out = append(out, fmt.Sprintf("%s at %d:%d %s %s, %s by %s",
					f.label(id), e.Pos.Line(), e.Pos.Column(), e.Kind, f.label(e.To), e.Confidence, e.Rule))
				return true
			})
		case "site":
			lo, hi := f.sitesOf.bounds(uint32(id))
			f.eachSite(lo, hi, func(s Site) bool {
				out = append(out, fmt.Sprintf("%s at %d:%d calls %s: %s", f.label(id), s.Pos.Line(), s.Pos.Column(), s.Name, s.Reason))
				return true
			})
		}
	}
	slices.Sort(out)
	return out
}

func (f *frozen) describeNode(id ID) string {
	e := &f.nodes[id]
	text := fmt.Sprintf("%s, %s, column %d, bytes %d to %d, flags %#x", f.label(id), f.languages[f.files[e.file-1].language],
		e.pos.Column(), e.start, e.end, e.flags)
	if e.outer != 0 {
		text += ", in " + f.label(e.outer)
	}
	if e.kind == ClassNode {
		var members []string
		for _, m := range f.membersOf(id) {
			members = append(members, f.label(m))
		}
		slices.Sort(members)
		text += ", with " + strings.Join(members, ", ")
	}
	return text
}

// outside returns a line for each node of no file, sorted.
func (f *frozen) outside() []string {
	var out []string
	for id := 1; id < len(f.nodes); id++ {
		if f.nodes[id].file == 0 {
			out = append(out, f.label(ID(id)))
		}
	}
	slices.Sort(out)
	return out
}

// label names a node with its place.
func (f *frozen) label(id ID) string {
	n := f.node(id)
	text := kinds[n.Kind]
	name := n.Name
	if name == "" && n.Kind != FileNode {
		name = f.names[f.nodes[id].name]
	}
	if name != "" {
		text += " " + name
	}
	if n.Path != "" {
		text += " of " + n.Path
		if n.Kind != FileNode {
			text += fmt.Sprintf(":%d", n.Pos.Line())
		}
	}
	return text
}
