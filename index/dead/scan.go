package dead

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A link says that one node names or calls another at a line of its file.
type link struct {
	from, to int32
	line     uint32
	how      how
}

// how a node names another.
type how uint8

const (
	known      how = iota // the graph has an edge, or the name means all that have it
	unsure                // code has the name, and the graph does not know what it means there
	quoted                // a string has it
	config                // a file that is no code of a known language has it
	interfaced            // it may be one of an interface that is not in the index
	asked                 // an interface of the index has it, which its type may become
	doubted               // by its kind, its name or its place it may be used: see doubted
)

// What the graph knows of a place.
const (
	leads   uint8 = 1 << iota // to functions alone of which all are known
	outside                   // out of the index
	open                      // something that is called, of which it knows the name alone
)

// A scanner goes through files. It is of one goroutine.
type scanner struct {
	p      *program
	src    []byte
	starts []int32
	at     map[ir.Pos]uint8
	seen   [2][]int32 // by the node that is named, from where it was last: known, and else
	links  []link
	imports
	heads   map[int32]bool
	given   map[int32]bool // types that are named where such a package is
	above   [][2]int32
	begun   map[string]string // what names may begin with that are put together, with a place
	ended   map[string]string // what they may end with
	looked  map[int32]bool    // names of types whose members are looked at
	makes   map[string]string // by family, a file that makes code
	langs   []uint16          // by name, the families of languages whose code has it, a bit for each, and one for the rest
	outs    map[[2]int32]int32
	own     []int32 // by name, one more than its spot in the folder of Go that was entered
	entered int32   // that folder; -1: none
	pastes  string  // a place in C where two words become one
	shared  bool    // the file has blocks
	finds   bool    // code of Go looks for methods by their names
	reader  texts.Reader
}

// scan finds all links, on several processors.
func (p *program) scan(ctx context.Context, search *texts.Search) error {
	workers := make([]*scanner, texts.Workers())
	for n := range workers {
		s := &scanner{p: p, at: map[ir.Pos]uint8{}, begun: map[string]string{}, ended: map[string]string{}, given: map[int32]bool{}, looked: map[int32]bool{}, makes: map[string]string{}, langs: make([]uint16, len(p.names)), outs: map[[2]int32]int32{}, own: make([]int32, len(p.names)), entered: -1}
		for k := range s.seen {
			s.seen[k] = make([]int32, p.nodes())
			for i := range s.seen[k] {
				s.seen[k][i] = -1
			}
		}
		workers[n] = s
	}
	if err := each(ctx, len(p.files), func(worker, n int) { workers[worker].file(n, search) }); err != nil {
		return err
	}
	p.below = map[int32][]int32{}
	p.above, p.begun, p.ended, p.given, p.looked = map[int32][]int32{}, map[string]string{}, map[string]string{}, map[int32]bool{}, map[int32]bool{}
	p.outs, p.makes, p.langs = map[[2]int32]int32{}, map[string]string{}, make([]uint16, len(p.names))
	for _, s := range workers {
		p.pastes, p.finds = first(p.pastes, s.pastes), p.finds || s.finds
		p.takeLooks(s)
		maps.Copy(p.looked, s.looked)
		for at, by := range s.outs {
			p.outs[at] = max(p.outs[at], by)
		}
		p.links = append(p.links, s.links...)
		for _, a := range s.above {
			p.rank(a[0], a[1])
		}
	}
	for _, s := range workers {
		for i := range s.given {
			p.given[i] = true
			for up := range p.typesAbove(i) { // whose methods it has
				p.given[up] = true
			}
		}
	}
	p.parts()
	for _, types := range []map[int32][]int32{p.above, p.below} {
		for _, list := range types {
			slices.Sort(list)
		}
	}
	p.sort()
	return nil
}

// first returns the one of two places that comes first in the order of text, whichever was found first: all
// answers about one tree are the same. "" is none.
func first(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// rank puts a type above another one.
func (p *program) rank(below, above int32) {
	if !slices.Contains(p.above[below], above) {
		p.above[below] = append(p.above[below], above)
		p.below[above] = append(p.below[above], below)
	}
}

// typesAbove yields the types above a type, each once, the nearest first: those of a hundred.
func (p *program) typesAbove(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		seen := []int32{i}
		for n := 0; n < len(seen) && n < maxAbove; n++ {
			for _, up := range p.above[seen[n]] {
				if slices.Contains(seen, up) {
					continue
				}
				if seen = append(seen, up); !yield(up) {
					return
				}
			}
		}
	}
}

// maxAbove bounds the types whose types above are looked at.
const maxAbove = 100

// parts puts each part of a partial type of C# above the others: what one of them inherits or
// declares is so for all, and if one of them is public, all are.
func (p *program) parts() {
	of := map[string][]int32{}
	torn := map[string]bool{} // public ones whose namespace may be lost in errors of syntax
	for i := range p.items {
		if one := &p.items[i]; one.Kind == convention.Class && one.Record.Lang == "csharp" {
			name := one.Sym().Qualified()
			of[name] = append(of[name], int32(i))
			if one.Public && one.Record.Errors {
				torn[one.Sym().Name] = true
			}
		}
	}
	opened := map[int32]bool{}
	for _, list := range of {
		public := torn[p.items[list[0]].Sym().Name] || slices.ContainsFunc(list, func(i int32) bool { return p.items[i].Public })
		for _, a := range list {
			opened[a] = public && !p.items[a].Public
			for _, b := range list[:min(len(list), maxParts)] {
				if a != b {
					p.rank(a, b)
					p.rank(b, a)
				}
			}
		}
	}
	for i := range p.items { // a member comes after its type
		if one := &p.items[i]; opened[int32(i)] || one.up >= 0 && opened[one.up] && offered.Match(convention.Head(p.textOf(one.Record), one.Sym())) {
			one.Public, opened[int32(i)] = true, true
		}
	}
}

// offered finds what says that a member of C# is for others.
var offered = regexp.MustCompile(`\b(?:public|protected)\b`)

// maxParts bounds the parts of a type that all others are compared with.
const maxParts = 50

// sort puts the links in the order of their beginnings, and of their lines.
func (p *program) sort() {
	p.from = make([]int32, p.nodes()+1)
	for i := range p.links {
		p.from[p.links[i].from+1]++
	}
	for i := 1; i < len(p.from); i++ {
		p.from[i] += p.from[i-1]
	}
	at := slices.Clone(p.from)
	sorted := make([]link, len(p.links))
	for _, l := range p.links {
		sorted[at[l.from]] = l
		at[l.from]++
	}
	p.links = sorted
	for n := range p.files {
		for b := range p.files[n].blocks { // several files may have it
			node := p.nodeOf(&p.files[n].blocks[b])
			slices.SortFunc(p.links[p.from[node]:p.from[node+1]], func(a, b link) int {
				return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.to, b.to), cmp.Compare(a.how, b.how))
			})
		}
	}
}

func (s *scanner) emit(from, to int32, line int, h how) {
	if from == to {
		return
	}
	if !s.shared { // what it names is of a node that other files have links of, too, see sort
		seen := s.seen[min(h, 1)]
		if seen[to] == from || h != known && s.seen[0][to] == from {
			return
		}
		seen[to] = from
	}
	s.links = append(s.links, link{from, to, uint32(line), h})
}

// file finds the links from a file.
func (s *scanner) file(n int, search *texts.Search) {
	f := &s.p.files[n]
	if f.record != nil {
		s.src = f.record.Text.AppendAll(s.src[:0])
	} else {
		var found texts.Head
		if !search.Text(&s.reader, int(f.number), &found) {
			f.unread = found.Unread
			return
		}
		s.src = append(s.src[:0], s.reader.Src...)
	}
	s.shared = len(f.blocks) > 0
	if f.family == "c" {
		if at := bytes.Index(s.src, []byte("##")); at >= 0 {
			s.pastes = first(s.pastes, fmt.Sprintf("%s:%d", f.path, bytes.Count(s.src[:at], []byte{'\n'})+1))
		}
	}
	s.looks(f)
	if f.assembly {
		s.src = bytes.ReplaceAll(s.src, []byte("·"), []byte(" ."))
	}
	clear(s.at)
	if f.family != "" && f.record != nil {
		s.edges(n)
		if f.family == "go" {
			s.givesOut(f)
			s.finds = s.finds || convention.FindsMethods(s.src)
		}
	}
	s.words(n)
}

// edges notes what the graph has of a file.
func (s *scanner) edges(n int) {
	p, f := s.p, &s.p.files[n]
	s.starts = append(s.starts[:0], 0)
	for at, c := range s.src {
		if c == '\n' {
			s.starts = append(s.starts, int32(at+1))
		}
	}
	file := p.fileNode(n)
	p.walk.G.CallsIn(f.path, func(e graph.Edge) bool {
		if e.Kind == graph.Imports || e.Hands() {
			return true
		}
		to := p.homeOf(e.To)
		if to >= 0 && p.items[to].Code() && p.items[to].node != e.To && p.walk.G.Node(e.To).Kind == graph.FuncNode {
			if _, own := p.byNode[e.To]; !own {
				s.at[e.Pos] |= leads // what is made in a function is there if that has run
				return true
			}
		}
		if to < 0 {
			s.at[e.Pos] |= leads
			return true
		}
		if e.Kind == graph.Inherits || e.Kind == graph.Implements {
			if from, ok := p.byNode[e.From]; ok {
				s.above = append(s.above, [2]int32{from, to})
			}
		}
		if f.family == "go" && p.items[to].Kind == convention.Class && e.Kind == graph.References && guard(s.lineAt(e.Pos.Line())) {
			return true
		}
		owner := s.ownerAt(f, e.Pos)
		if owner < 0 {
			s.emit(file, to, e.Pos.Line(), known)
		} else {
			s.emit(owner, to, e.Pos.Line(), known)
			if e.Kind == graph.Calls && p.runs(owner) {
				s.emit(file, to, e.Pos.Line(), known)
			}
		}
		if f.family == "go" || p.items[to].Kind == convention.Function && static(f.family) {
			s.at[e.Pos] |= leads
		}
		return true
	}, func(site graph.Site) bool {
		if site.Reason != graph.External {
			s.at[site.Pos] |= open
		}
		return true
	})
}

// lineAt is the text of a line, without its end.
func (s *scanner) lineAt(line int) []byte {
	if line < 1 || line > len(s.starts) {
		return nil
	}
	text, _, _ := bytes.Cut(s.src[s.starts[line-1]:], []byte("\n"))
	return text
}

// static reports whether what the graph says of a call of a function without a receiver is all
// there is to it, in a family of languages.
func static(family string) bool {
	switch family {
	case "go", "jvm", "csharp", "rust", "c":
		return true
	}
	return false
}

// runs reports whether code in an item is run when its file is loaded.
func (p *program) runs(i int32) bool {
	for ; i >= 0; i = p.items[i].in {
		if k := p.items[i].Kind; k != convention.Variable && k != convention.Constant {
			return false
		}
	}
	return true
}

// homeOf returns the item of a node, or of the one around it; -1 for none.
func (p *program) homeOf(id graph.ID) int32 {
	for range 8 {
		if i, ok := p.byNode[id]; ok {
			return i
		}
		if id == 0 {
			break
		}
		id = p.walk.G.Node(id).Outer
	}
	return -1
}

// ownerAt returns the innermost item at a place, -1 for none.
func (s *scanner) ownerAt(f *file, pos ir.Pos) int32 {
	if pos.Line() > len(s.starts) {
		return -1
	}
	offset := s.starts[max(pos.Line(), 1)-1] + int32(max(pos.Column(), 1)) - 1
	items := s.p.items
	lo, hi := f.first, f.last
	for lo < hi {
		if mid := (lo + hi) / 2; int32(items[mid].Sym().Start) <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	i := lo - 1
	if i < f.first {
		return -1
	}
	for i >= 0 && int32(items[i].Sym().End) <= offset {
		i = items[i].in
	}
	return i
}
