package treemap

import (
	"cmp"
	"container/heap"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// An entry is a folder or a file.
type entry struct {
	path    string // "" is the root
	up      *entry
	kind    string
	files   int
	lines   int
	bytes   int64
	langs   map[string]int // lines by language
	leftOut map[string]int // by reason
	inside  []*entry
	all     int // of what is below it, itself included

	fanIn, churn int
	known        bool // there is a figure of what depends on it
	code         int  // files that are no tests
	last         int  // the commit that was counted last
}

// A tree is all that a query is about.
type tree struct {
	root    *entry
	at      map[string]*entry // by path
	churned bool
}

// newTree makes the tree of the files that a query admits.
func newTree(x *store.View, q *Query) *tree {
	filter := store.NewFilter(store.Scope{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Tests: q.Tests})
	t := &tree{at: map[string]*entry{}}
	t.root = &entry{path: filter.Path, kind: KindFolder}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Table.Files[filter.Path] == nil {
		t.at[filter.Path] = t.root
	}
	for p, r := range x.Table.Files {
		if !filter.Admits(r) || !filter.Holds(p) {
			continue
		}
		e := t.file(p, KindFile)
		e.files, e.bytes, e.langs = 1, r.Size, map[string]int{}
		if n := len(r.Chunks); n > 0 {
			e.lines = int(r.Chunks[n-1].Last)
		}
		e.langs[r.Lang] = e.lines
		if !r.Traits.Test {
			e.code = 1
		}
	}
	for p, skip := range x.Table.Skips {
		if !filter.Holds(p) || len(filter.Langs) > 0 && !slices.Contains(filter.Langs, source.Language(p, nil)) {
			continue
		}
		e := t.file(p, KindLeftOut)
		e.leftOut = map[string]int{string(skip.Reason): 1}
		if source.RoleOf(p) != source.Test {
			e.code = 1
		}
	}
	return t
}

// file enters a file, and the folders that it is in.
func (t *tree) file(p, kind string) *entry {
	e := &entry{path: p, kind: kind}
	t.at[p] = e
	if p == t.root.path { // it is what was asked for
		t.root = e
		return e
	}
	t.folder(source.Dir(p)).take(e)
	return e
}

func (t *tree) folder(p string) *entry {
	if e := t.at[p]; e != nil {
		return e
	}
	e := &entry{path: p, kind: KindFolder}
	t.at[p] = e
	t.folder(source.Dir(p)).take(e)
	return e
}

func (e *entry) take(child *entry) {
	child.up = e
	e.inside = append(e.inside, child)
}

// sum adds up what is below each folder, and puts that in order.
func (t *tree) sum(languages map[string]int) {
	var add func(e *entry)
	add = func(e *entry) {
		e.all = 1
		for _, c := range e.inside {
			add(c)
			e.all, e.files, e.lines, e.bytes, e.code = e.all+c.all, e.files+c.files, e.lines+c.lines, e.bytes+c.bytes, e.code+c.code
			e.langs, e.leftOut = plus(e.langs, c.langs), plus(e.leftOut, c.leftOut)
			e.known = e.known || c.known
		}
		slices.SortFunc(e.inside, func(a, b *entry) int {
			return cmp.Or(b.lines-a.lines, cmp.Compare(b.bytes, a.bytes), strings.Compare(a.path, b.path))
		})
	}
	add(t.root)
	for lang, lines := range t.root.langs {
		languages[cmp.Or(lang, "text")] += lines
	}
}

func plus(sum, more map[string]int) map[string]int {
	if sum == nil && len(more) > 0 {
		sum = map[string]int{}
	}
	for key, n := range more {
		sum[key] += n
	}
	return sum
}

// dependents counts the files that depend on each file and, from outside of it, on each folder.
func (t *tree) dependents(links []architecture.FileLink, known map[string]bool, tests string) {
	for p := range known {
		if e := t.at[p]; e != nil {
			e.known = true
		}
	}
	counted := map[*entry]bool{} // by the present file
	for i := range links {
		l := &links[i]
		if i > 0 && links[i-1].From != l.From {
			clear(counted)
		}
		if tests == answer.WithoutTests && l.Test || tests == answer.OnlyTests && !l.Test {
			continue
		}
		for e := t.at[l.To]; e != nil && !source.Within(l.From, e.path); e = e.up {
			if counted[e] {
				break // and so are those around it
			}
			counted[e] = true
			e.fanIn++
		}
	}
}

// changes counts the commits that changed each.
func (t *tree) changes(commits [][]string) {
	t.churned = true
	for i, files := range commits {
		for _, p := range files {
			for e := t.at[p]; e != nil && e.last != i+1; e = e.up {
				e.last = i + 1
				e.churn++
			}
		}
	}
}

// largest are folders that are not open, the largest first.
type largest []*entry

func (l largest) Len() int { return len(l) }
func (l largest) Less(i, j int) bool {
	return cmp.Or(l[j].lines-l[i].lines, l[j].all-l[i].all, strings.Compare(l[i].path, l[j].path)) < 0
}
func (l largest) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *largest) Push(e any)   { *l = append(*l, e.(*entry)) }
func (l *largest) Pop() any {
	n := len(*l) - 1
	e := (*l)[n]
	*l = (*l)[:n]
	return e
}

// show fills in the answer with at most so many nodes. The largest folders are opened first. A folder
// gets a quarter of the nodes at most, unless it is the one that was asked for; what else is in it is a group.
func (a *Answer) show(limit int) {
	t := a.tree
	a.Total = t.root.all
	shown := map[*entry]int{} // how many of what is in a folder have a node
	used := 1
	level := func(e *entry) (n int) {
		for ; e != t.root; e = e.up {
			n++
		}
		return n
	}
	open := largest{t.root}
	for open.Len() > 0 {
		e := heap.Pop(&open).(*entry)
		if len(e.inside) == 0 || level(e) >= a.query.Depth {
			continue
		}
		room := limit - used
		if e != t.root {
			room = min(room, max(limit/maxChildren, 2))
		}
		n := len(e.inside)
		if n > room {
			n = room - 1 // and a group
			a.Cut(answer.CutLimit)
		}
		if n < 1 {
			continue
		}
		used += n
		if n < len(e.inside) {
			used++
		}
		shown[e] = n
		for _, c := range e.inside[:n] {
			if c.kind == KindFolder {
				heap.Push(&open, c)
			}
		}
	}
	a.Nodes = a.Nodes[:0]
	var write func(e *entry, parent string)
	write = func(e *entry, parent string) {
		n := t.node(e, parent)
		n.Open = shown[e] > 0
		a.Nodes = append(a.Nodes, n)
		for _, c := range e.inside[:shown[e]] {
			write(c, n.Path)
		}
		if rest := e.inside[shown[e]:]; n.Open && len(rest) > 0 {
			g := &entry{path: path.Join(e.path, "*"), kind: KindGroup, inside: rest}
			for _, c := range rest {
				g.files, g.lines, g.bytes, g.code = g.files+c.files, g.lines+c.lines, g.bytes+c.bytes, g.code+c.code
				g.langs, g.leftOut = plus(g.langs, c.langs), plus(g.leftOut, c.leftOut)
			}
			a.Nodes = append(a.Nodes, t.node(g, n.Path))
		}
	}
	write(t.root, "")
}

// node writes out an entry. There is no saying of a group how many files depend on it, or how
// often it changed.
func (t *tree) node(e *entry, parent string) Node {
	n := Node{
		Path: cmp.Or(e.path, "."), Parent: parent, Kind: e.kind, Files: e.files, Lines: e.lines, Bytes: e.bytes, LeftOut: maps.Clone(e.leftOut),
		Test: e.code == 0 && e.files+len(e.leftOut) > 0, Inside: len(e.inside),
	}
	most := -1
	for _, lang := range slices.Sorted(maps.Keys(e.langs)) {
		if lines := e.langs[lang]; lines > most {
			n.Lang, most = lang, lines
		}
	}
	if e.known && e.kind != KindGroup {
		n.FanIn = &e.fanIn
	}
	if t.churned && e.kind != KindGroup {
		n.Churn = &e.churn
	}
	return n
}
