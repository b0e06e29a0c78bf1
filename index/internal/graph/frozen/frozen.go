// Package frozen holds the part of a graph that has one family of languages in the form
// that answers, and that a snapshot has; it cannot be solved further.
package frozen

import (
	"slices"
	"sort"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is a family that answers and cannot change: what a snapshot holds of it.
//
// Its nodes have numbers of their own, in the order of compare: first those that
// belong to no file, then the files by path, each followed by its functions, classes
// and variables as the lowering has them. Edges and sites are in the order of the nodes
// that they are from, then of the text, so that those of one node are one piece.
type Family struct {
	Names     []string // in order; 0 is ""
	Languages []string
	Files     []File      // by path
	Nodes     []Node      // by ID
	Edges     []edge.Edge // To is 0 where there is a dispatch
	Sites     []Site
	Parts     []PartOf // by part

	EdgesOf   intern.Lists // edges by From: only the ends, the edges are in order
	SitesOf   intern.Lists // as above
	Members   intern.Lists // nodes by their class
	Overrides intern.Lists // nodes by dispatch

	into       intern.Lists // edges by To
	through    intern.Lists // edges by dispatch
	overridden intern.Lists // dispatches by override
	open       intern.Lists // sites by name, from 1; those of what is external are left out
}

// A File is a file and where its nodes are: first is its own, after which come so
// many of each kind.
type File struct {
	Name, Language       uint32
	First                edge.ID
	Funcs, Classes, Vars uint32
}

func (f *File) end() edge.ID { return f.First + 1 + edge.ID(f.Funcs+f.Classes+f.Vars) }

// A Node is a node.
type Node struct {
	Kind       edge.Kind
	File       uint32 // from 1; 0: none
	Name       uint32
	Before     uint32 // what the label has before the name; of a class in its place
	Outer      edge.ID
	Flags      uint32 // of a class its kind
	Pos        ir.Pos
	Start, End uint32
}

// A Site is a call that leads to no definition.
type Site struct {
	From   edge.ID
	Name   uint32
	Pos    ir.Pos
	Reason edge.Reason
}

// A PartOf says that a class is part of another one, which has the members.
type PartOf struct{ Part, Of edge.ID }

// Invert makes the indexes of what a snapshot does not hold.
func (f *Family) Invert() {
	f.into = intern.Grouped(len(f.Nodes), len(f.Edges), func(i int) uint32 { return uint32(f.Edges[i].To) })
	f.through = intern.Grouped(len(f.Overrides.Ends), len(f.Edges), func(i int) uint32 { return f.Edges[i].Via })
	f.open = intern.Grouped(len(f.Names)+1, len(f.Sites), func(i int) uint32 {
		if f.Sites[i].Reason == edge.External {
			return 0
		}
		return f.Sites[i].Name + 1
	})
	f.overridden = intern.Grouped(len(f.Nodes), len(f.Overrides.Data), func(i int) uint32 { return f.Overrides.Data[i] })
	// What is listed so far are places among the overrides.
	for i, at := range f.overridden.Data {
		d := sort.Search(len(f.Overrides.Ends), func(d int) bool { return f.Overrides.Ends[d] > at })
		f.overridden.Data[i] = uint32(d)
	}
}

// Node is Graph.Node.
func (f *Family) Node(id edge.ID) edge.Node {
	if id == 0 || int(id) >= len(f.Nodes) {
		return edge.Node{}
	}
	e := &f.Nodes[id]
	n := edge.Node{ID: id, Kind: e.Kind, Name: f.qualified(id), Outer: e.Outer}
	if e.File == 0 {
		return n
	}
	in := &f.Files[e.File-1]
	n.Path, n.Language = f.Names[in.Name], f.Languages[in.Language]
	n.Pos, n.Start, n.End = e.Pos, e.Start, e.End
	switch e.Kind {
	case edge.FuncNode:
		n.Flags = ir.FuncFlag(e.Flags)
	case edge.ClassNode:
		n.ClassKind = ir.ClassKind(e.Flags)
	}
	return n
}

// qualified is family.qualified.
func (f *Family) qualified(id edge.ID) string {
	var room [8]string
	parts := room[:0]
	for id != 0 {
		e := &f.Nodes[id]
		if e.Kind == edge.FileNode || e.Kind == edge.NamespaceNode && e.Outer == 0 {
			break
		}
		text := f.Names[e.Name]
		switch {
		case e.Before == 0:
		case e.Kind == edge.ClassNode:
			text = f.Names[e.Before]
		default:
			text = f.Names[e.Before] + "." + text
		}
		if text != "" {
			parts = append(parts, text)
		}
		id = e.Outer
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// File returns the file of a path, or nil.
func (f *Family) File(path string) *File {
	at, ok := f.Number(path)
	if !ok {
		return nil
	}
	return &f.Files[at]
}

// Number returns which of the files a path is, from 0 in their order; ok is false if it is none.
func (f *Family) Number(path string) (n int, ok bool) {
	return slices.BinarySearchFunc(f.Files, path, func(x File, path string) int { return strings.Compare(f.Names[x.Name], path) })
}

// At is Graph.At.
func (f *Family) At(path string, line int) edge.ID {
	in := f.File(path)
	if in == nil {
		return 0
	}
	for id := in.First + 1; id <= in.First+edge.ID(in.Funcs+in.Classes); id++ {
		if f.Nodes[id].Pos.Line() == line && f.qualified(id) != "" {
			return id
		}
	}
	return 0
}

// NamedIn calls yield for the nodes of a file.
func (f *Family) NamedIn(path string, yield func(name string, id edge.ID)) {
	in := f.File(path)
	if in == nil {
		return
	}
	for id := in.First; id < in.end(); id++ {
		yield(f.Names[f.Nodes[id].Name], id)
	}
}

// Named is Graph.Named.
func (f *Family) Named(path, name string, line int) []edge.ID {
	in := f.File(path)
	n, ok := slices.BinarySearch(f.Names, name)
	if in == nil || !ok {
		return nil
	}
	var out []edge.ID
	for id := in.First; id < in.end(); id++ {
		if e := &f.Nodes[id]; e.Name == uint32(n) && (line == 0 || e.Pos.Line() == line) {
			out = append(out, id)
		}
	}
	return out
}

// Out is Graph.Out.
func (f *Family) Out(id edge.ID, yield func(edge.Edge) bool) {
	lo, hi := f.EdgesOf.Bounds(uint32(id))
	for _, e := range f.Edges[lo:hi] {
		if !f.expand(e, yield) {
			return
		}
	}
}

func (f *Family) expand(e edge.Edge, yield func(edge.Edge) bool) bool {
	if e.Via == 0 {
		return yield(e)
	}
	list := f.Overrides.Of(e.Via)
	e.Via = 0
	for _, to := range list {
		e.To = edge.ID(to)
		if !yield(e) {
			return false
		}
	}
	return true
}

// In is Graph.In.
func (f *Family) In(id edge.ID, yield func(edge.Edge) bool) {
	for _, n := range f.into.Of(uint32(id)) {
		if !yield(f.Edges[n]) {
			return
		}
	}
	for _, d := range f.overridden.Of(uint32(id)) {
		for _, n := range f.through.Of(d) {
			e := f.Edges[n]
			e.To, e.Via = id, 0
			if !yield(e) {
				return
			}
		}
	}
}

// Paths returns the paths of the files, sorted.
func (f *Family) Paths() []string {
	all := make([]string, len(f.Files))
	for i := range f.Files {
		all[i] = f.Names[f.Files[i].Name]
	}
	return all
}

// EdgesAt calls yield for the edges of the nth file.
func (f *Family) EdgesAt(n int, yield func(edge.Edge) bool) bool {
	lo, _ := f.EdgesOf.Bounds(uint32(f.Files[n].First))
	_, hi := f.EdgesOf.Bounds(uint32(f.Files[n].end() - 1))
	for _, e := range f.Edges[lo:hi] {
		if !f.expand(e, yield) {
			return false
		}
	}
	return true
}

// SitesAt calls yield for the sites of the nth file.
func (f *Family) SitesAt(n int, yield func(edge.Site) bool) bool {
	lo, _ := f.SitesOf.Bounds(uint32(f.Files[n].First))
	_, hi := f.SitesOf.Bounds(uint32(f.Files[n].end() - 1))
	return f.EachSite(lo, hi, yield)
}

func (f *Family) site(n uint32) edge.Site {
	s := &f.Sites[n]
	return edge.Site{From: s.From, Name: f.Names[s.Name], Reason: s.Reason, Pos: s.Pos}
}

// EachSite calls yield for a range of the sites.
func (f *Family) EachSite(lo, hi uint32, yield func(edge.Site) bool) bool {
	for n := lo; n < hi; n++ {
		if !yield(f.site(n)) {
			return false
		}
	}
	return true
}

// OpenSites is Graph.Open.
func (f *Family) OpenSites(name string, yield func(edge.Site) bool) {
	n, ok := slices.BinarySearch(f.Names, name)
	if !ok {
		return
	}
	for _, at := range f.open.Of(uint32(n) + 1) {
		if !yield(f.site(at)) {
			return
		}
	}
}

// MayBeOpen is Graph.MayBeOpen.
func (f *Family) MayBeOpen(id edge.ID) bool {
	if id == 0 || int(id) >= len(f.Nodes) {
		return true
	}
	name := f.Nodes[id].Name
	return f.Names[name] == "" || strings.Contains(f.Names[name], ".") || len(f.open.Of(name+1)) > 0
}

// PathOf is Graph.PathOf.
func (f *Family) PathOf(id edge.ID) string {
	if id == 0 || int(id) >= len(f.Nodes) || f.Nodes[id].File == 0 {
		return ""
	}
	return f.Names[f.Files[f.Nodes[id].File-1].Name]
}

// MembersOf is Graph.Members.
func (f *Family) MembersOf(id edge.ID) []edge.ID {
	if at, ok := slices.BinarySearchFunc(f.Parts, id, func(p PartOf, id edge.ID) int { return int(p.Part) - int(id) }); ok {
		id = f.Parts[at].Of
	}
	var out []edge.ID
	for _, m := range f.Members.Of(uint32(id)) {
		out = append(out, edge.ID(m))
	}
	return out
}

// Stats is Graph.Stats.
func (f *Family) Stats() edge.Stats {
	s := edge.Stats{Files: len(f.Files), Edges: len(f.Edges), Values: map[string]int{}}
	for i := range f.Files {
		s.Nodes += 1 + int(f.Files[i].Funcs+f.Files[i].Classes)
	}
	for i := range f.Sites {
		x := &f.Sites[i]
		if x.Reason == edge.External {
			s.External++
		} else {
			s.Sites++
		}
		if x.Reason.OfValue() {
			if n := f.Nodes[x.From].File; n != 0 {
				s.Values[f.Languages[f.Files[n-1].Language]]++
			}
		}
	}
	return s
}

// Bytes returns about how much memory it takes.
func (f *Family) Bytes() int64 {
	n := intern.SizeOf(f.Nodes) + intern.SizeOf(f.Edges) + intern.SizeOf(f.Sites) + intern.SizeOf(f.Parts) + intern.SizeOf(f.Files)
	for _, l := range []intern.Lists{f.EdgesOf, f.SitesOf, f.Members, f.Overrides, f.into, f.through, f.overridden, f.open} {
		n += l.Bytes()
	}
	return n + intern.Text(f.Names)
}
