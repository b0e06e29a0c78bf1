package graph

import (
	"slices"
	"sort"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// frozen is a family that answers and cannot change: what a snapshot holds of it.
//
// Its nodes have numbers of their own, in the order of compare: first those that
// belong to no file, then the files by path, each followed by its functions, classes
// and variables as the lowering has them. Edges and sites are in the order of the nodes
// that they are from, then of the text, so that those of one node are one piece.
type frozen struct {
	names     []string // in order; 0 is ""
	languages []string
	files     []frozenFile // by path
	nodes     []frozenNode // by ID
	edges     []Edge       // To is 0 where there is a dispatch
	sites     []frozenSite
	parts     []partOf // by part

	edgesOf   lists // edges by From: only the ends, the edges are in order
	sitesOf   lists // as above
	members   lists // nodes by their class
	overrides lists // nodes by dispatch

	into       lists // edges by To
	through    lists // edges by dispatch
	overridden lists // dispatches by override
	open       lists // sites by name, from 1; those of what is external are left out
}

// A frozenFile is a file and where its nodes are: first is its own, after which come so
// many of each kind.
type frozenFile struct {
	name, language       uint32
	first                ID
	funcs, classes, vars uint32
}

func (f *frozenFile) end() ID { return f.first + 1 + ID(f.funcs+f.classes+f.vars) }

type frozenNode struct {
	kind       Kind
	file       uint32 // from 1; 0: none
	name       uint32
	before     uint32 // what the label has before the name; of a class in its place
	outer      ID
	flags      uint32 // of a class its kind
	pos        ir.Pos
	start, end uint32
}

type frozenSite struct {
	from   ID
	name   uint32
	pos    ir.Pos
	reason Reason
}

// A partOf says that a class is part of another one, which has the members.
type partOf struct{ part, of ID }

// lists are lists by a number from 1 on.
type lists struct {
	ends []uint32 // where the list of a number ends in data; that of the one before is where it begins
	data []uint32
}

func (l *lists) of(n uint32) []uint32 {
	lo, hi := l.bounds(n)
	return l.data[lo:hi]
}

func (l *lists) bounds(n uint32) (lo, hi uint32) {
	if n == 0 || n >= uint32(len(l.ends)) {
		return 0, 0
	}
	return l.ends[n-1], l.ends[n]
}

// grouped lists the numbers below n by their keys, which are below bound; what has the
// key 0 is left out. A counting sort is much cheaper than a map of slices.
func grouped(bound, n int, key func(i int) uint32) lists {
	l := lists{ends: make([]uint32, bound)}
	for i := range n {
		if k := key(i); k != 0 {
			l.ends[k]++
		}
	}
	l.data = make([]uint32, summed(l.ends))
	for i := range n {
		if k := key(i); k != 0 {
			l.data[l.ends[k]] = uint32(i)
			l.ends[k]++
		}
	}
	return l
}

// invert makes the indexes of what a snapshot does not hold.
func (f *frozen) invert() {
	f.into = grouped(len(f.nodes), len(f.edges), func(i int) uint32 { return uint32(f.edges[i].To) })
	f.through = grouped(len(f.overrides.ends), len(f.edges), func(i int) uint32 { return f.edges[i].via })
	f.open = grouped(len(f.names)+1, len(f.sites), func(i int) uint32 {
		if f.sites[i].reason == External {
			return 0
		}
		return f.sites[i].name + 1
	})
	f.overridden = grouped(len(f.nodes), len(f.overrides.data), func(i int) uint32 { return f.overrides.data[i] })
	// What is listed so far are places among the overrides.
	for i, at := range f.overridden.data {
		d := sort.Search(len(f.overrides.ends), func(d int) bool { return f.overrides.ends[d] > at })
		f.overridden.data[i] = uint32(d)
	}
}

func (f *frozen) node(id ID) Node {
	if id == 0 || int(id) >= len(f.nodes) {
		return Node{}
	}
	e := &f.nodes[id]
	n := Node{ID: id, Kind: e.kind, Name: f.qualified(id), Outer: e.outer}
	if e.file == 0 {
		return n
	}
	in := &f.files[e.file-1]
	n.Path, n.Language = f.names[in.name], f.languages[in.language]
	n.Pos, n.Start, n.End = e.pos, e.start, e.end
	switch e.kind {
	case FuncNode:
		n.Flags = ir.FuncFlag(e.flags)
	case ClassNode:
		n.ClassKind = ir.ClassKind(e.flags)
	}
	return n
}

// qualified is family.qualified.
func (f *frozen) qualified(id ID) string {
	var parts []string
	for id != 0 {
		e := &f.nodes[id]
		if e.kind == FileNode || e.kind == NamespaceNode && e.outer == 0 {
			break
		}
		text := f.names[e.name]
		switch {
		case e.before == 0:
		case e.kind == ClassNode:
			text = f.names[e.before]
		default:
			text = f.names[e.before] + "." + text
		}
		if text != "" {
			parts = append(parts, text)
		}
		id = e.outer
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

func (f *frozen) file(path string) *frozenFile {
	at, ok := slices.BinarySearchFunc(f.files, path, func(x frozenFile, path string) int { return strings.Compare(f.names[x.name], path) })
	if !ok {
		return nil
	}
	return &f.files[at]
}

func (f *frozen) at(path string, line int) ID {
	in := f.file(path)
	if in == nil {
		return 0
	}
	for id := in.first + 1; id <= in.first+ID(in.funcs+in.classes); id++ {
		if f.nodes[id].pos.Line() == line && f.qualified(id) != "" {
			return id
		}
	}
	return 0
}

func (f *frozen) namedIn(path string, yield func(name string, id ID)) {
	in := f.file(path)
	if in == nil {
		return
	}
	for id := in.first; id < in.end(); id++ {
		yield(f.names[f.nodes[id].name], id)
	}
}

func (f *frozen) named(path, name string, line int) []ID {
	in := f.file(path)
	n, ok := slices.BinarySearch(f.names, name)
	if in == nil || !ok {
		return nil
	}
	var out []ID
	for id := in.first; id < in.end(); id++ {
		if e := &f.nodes[id]; e.name == uint32(n) && (line == 0 || e.pos.Line() == line) {
			out = append(out, id)
		}
	}
	return out
}

func (f *frozen) out(id ID, yield func(Edge) bool) {
	lo, hi := f.edgesOf.bounds(uint32(id))
	for _, e := range f.edges[lo:hi] {
		if !f.expand(e, yield) {
			return
		}
	}
}

func (f *frozen) expand(e Edge, yield func(Edge) bool) bool {
	if e.via == 0 {
		return yield(e)
	}
	list := f.overrides.of(e.via)
	e.via = 0
	for _, to := range list {
		e.To = ID(to)
		if !yield(e) {
			return false
		}
	}
	return true
}

func (f *frozen) in(id ID, yield func(Edge) bool) {
	for _, n := range f.into.of(uint32(id)) {
		if !yield(f.edges[n]) {
			return
		}
	}
	for _, d := range f.overridden.of(uint32(id)) {
		for _, n := range f.through.of(d) {
			e := f.edges[n]
			e.To, e.via = id, 0
			if !yield(e) {
				return
			}
		}
	}
}

func (f *frozen) paths() []string {
	all := make([]string, len(f.files))
	for i := range f.files {
		all[i] = f.names[f.files[i].name]
	}
	return all
}

// edgesAt calls yield for the edges of the nth file.
func (f *frozen) edgesAt(n int, yield func(Edge) bool) bool {
	lo, _ := f.edgesOf.bounds(uint32(f.files[n].first))
	_, hi := f.edgesOf.bounds(uint32(f.files[n].end() - 1))
	for _, e := range f.edges[lo:hi] {
		if !f.expand(e, yield) {
			return false
		}
	}
	return true
}

// sitesAt calls yield for the sites of the nth file.
func (f *frozen) sitesAt(n int, yield func(Site) bool) bool {
	lo, _ := f.sitesOf.bounds(uint32(f.files[n].first))
	_, hi := f.sitesOf.bounds(uint32(f.files[n].end() - 1))
	return f.eachSite(lo, hi, yield)
}

func (f *frozen) site(n uint32) Site {
	s := &f.sites[n]
	return Site{s.from, f.names[s.name], s.reason, s.pos}
}

func (f *frozen) eachSite(lo, hi uint32, yield func(Site) bool) bool {
	for n := lo; n < hi; n++ {
		if !yield(f.site(n)) {
			return false
		}
	}
	return true
}

func (f *frozen) openSites(name string, yield func(Site) bool) {
	n, ok := slices.BinarySearch(f.names, name)
	if !ok {
		return
	}
	for _, at := range f.open.of(uint32(n) + 1) {
		if !yield(f.site(at)) {
			return
		}
	}
}

func (f *frozen) pathOf(id ID) string {
	if id == 0 || int(id) >= len(f.nodes) || f.nodes[id].file == 0 {
		return ""
	}
	return f.names[f.files[f.nodes[id].file-1].name]
}

func (f *frozen) membersOf(id ID) []ID {
	if at, ok := slices.BinarySearchFunc(f.parts, id, func(p partOf, id ID) int { return int(p.part) - int(id) }); ok {
		id = f.parts[at].of
	}
	var out []ID
	for _, m := range f.members.of(uint32(id)) {
		out = append(out, ID(m))
	}
	return out
}

func (f *frozen) stats() Stats {
	s := Stats{Files: len(f.files), Edges: len(f.edges), Values: map[string]int{}}
	for i := range f.files {
		s.Nodes += 1 + int(f.files[i].funcs+f.files[i].classes)
	}
	for i := range f.sites {
		x := &f.sites[i]
		if x.reason == External {
			s.External++
		} else {
			s.Sites++
		}
		if x.reason.ofValue() {
			if n := f.nodes[x.from].file; n != 0 {
				s.Values[f.languages[f.files[n-1].language]]++
			}
		}
	}
	return s
}
