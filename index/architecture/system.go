package architecture

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A system is the part of a program that a query is about, as modules and what they depend on.
type system struct {
	*program
	level    string
	tests    string
	counts   [kindCount]bool // the kinds that make a dependency
	usual    bool            // Query.Kinds is empty: see depends
	files    []int32         // that are looked at, in order
	unread   int
	skipped  int
	because  map[string][]string // why dependencies may be missing, and of which languages
	inferred bool                // types or calls make dependencies

	names []string  // of the modules, in order
	of    []int32   // the module of each file of the program, -1: it is not looked at
	to    []int32   // the module of each target of a link, as above
	edges [][]*edge // of each module, by what they lead to
	back  [][]*edge // to each module, by where they come from
	count int       // dependencies between modules
	parts [][]int32 // the strongly connected components, those first that nothing leads out of
	part  []int32   // of each module
	lie   []string  // of each part, see positions
	rank  []int     // of each part: the longest way to one that depends on nothing

	mu    sync.Mutex // of what follows, which is made when it is asked for
	lists *lists
	run   []Function
}

// lists are the sections that are made of a system alone. Nobody changes them.
type lists struct {
	layers   []Layer
	modules  []Module
	matrix   []Cell
	cycles   []Cycle
	hubs     []Hub
	godFiles []GodFile
}

// listsOnce makes the lists, which are kept.
func (s *system) listsOnce() *lists {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil {
		s.lists = &lists{s.layers(), s.modules(), s.matrix(), s.cycles(), s.hubs(), s.godFiles()}
	}
	return s.lists
}

// functionsOnce is functions, which is kept.
func (s *system) functionsOnce(ctx context.Context, x *store.View) (list []Function, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		if list, err = functionsIn(ctx, x, s); err != nil {
			return nil, err
		}
		s.run = list
	}
	return s.run, nil
}

// An edge is all that one module does with another.
type edge struct {
	from, to int32
	count    [kindCount]int
	depends  int   // how many of these make a dependency; 0: none does
	runs     int   // as above, without type imports and types
	plain    int   // as above, without those in test code
	first    *link // of those that make a dependency, or else of all
}

func newSystem(p *program, q *Query, admits func(path string, test bool) bool) *system {
	s := &system{program: p, level: q.Level, tests: q.Tests, usual: len(q.Kinds) == 0, because: map[string][]string{}, of: make([]int32, len(p.files))}
	for k, name := range kindNames {
		s.counts[k] = slices.Contains(q.Kinds, name)
	}
	number := map[string]int32{}
	names := make([]string, len(p.files))
	for i := range p.files {
		f := &p.files[i]
		s.of[i] = -1
		if len(q.Lang) > 0 && !slices.Contains(q.Lang, f.language) {
			continue
		}
		if admits(f.path, f.test) || q.Tests == answer.OnlyTests && admits(f.path, true) {
			s.files = append(s.files, int32(i))
			names[i] = moduleOf(f, q)
			number[names[i]] = 0
		}
	}
	for name := range number {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	for i, name := range s.names {
		number[name] = int32(i)
	}
	folders := map[string]int32{} // to modules
	for _, i := range s.files {
		f := &p.files[i]
		s.of[i] = number[names[i]]
		if !f.apart {
			if _, ok := folders[f.dir]; !ok || !f.test {
				folders[f.dir] = s.of[i]
			}
		}
		s.note(f)
	}
	s.to = slices.Clone(s.of)
	for _, dir := range p.folders {
		n, ok := folders[dir]
		if !ok || q.Level == ByFile {
			n = -1
		}
		s.to = append(s.to, n)
	}
	for _, path := range p.unread {
		if admits(path, source.RoleOf(path) == source.Test) {
			s.unread++
		}
	}
	for _, path := range p.skipped {
		if admits(path, source.RoleOf(path) == source.Test) {
			s.skipped++
		}
	}
	s.connect()
	s.order()
	return s
}

// moduleOf names the module of a file.
func moduleOf(f *file, q *Query) string {
	switch {
	case q.Level == ByPackage:
		return folderName(f.pack)
	case q.Level == ByFile || f.apart:
		return f.path
	}
	dir := f.dir
	if q.Depth > 0 {
		if parts := strings.SplitN(dir, "/", q.Depth+1); len(parts) > q.Depth {
			dir = strings.Join(parts[:q.Depth], "/")
		}
	}
	return folderName(dir)
}

// folderName is a folder's path, "." for the root.
func folderName(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// note remembers what the language of a file leaves unknown.
func (s *system) note(f *file) {
	if s.usual || s.counts[imports] {
		switch f.lang {
		case "go": // each import is one of a package, and nothing is seen without
		case "python", "javascript":
			s.open(computed, f.lang)
		case "c", "cpp":
			s.open(unfound, f.lang)
		default:
			s.open(unnamed, f.lang)
		}
	}
	s.inferred = s.inferred || s.counts[types] || s.counts[callings] || s.usual && !named(f.lang, s.level)
}

// Why dependencies of files of some languages may be missing.
const (
	computed = "imports of names that are computed while a program runs are not followed"
	unfound  = "includes that lead to no file of the index are not followed"
	unnamed  = "what is named without an import is known as far as the call graph has it"
	inferred = "types and calls are those that the call graph is sure of"
)

// open notes once of a language why something may be missing.
func (s *system) open(why, lang string) {
	if !slices.Contains(s.because[why], lang) {
		s.because[why] = append(s.because[why], lang)
	}
}

// reasons are why dependencies may be missing.
func (s *system) reasons() (all []string) {
	for _, why := range slices.Sorted(maps.Keys(s.because)) {
		all = append(all, fmt.Sprintf("%s (%s)", why, strings.Join(slices.Sorted(slices.Values(s.because[why])), ", ")))
	}
	if s.inferred {
		all = append(all, inferred)
	}
	return all
}

// named reports whether the imports of a language say what a file depends on at a level. Elsewhere
// names are seen without an import.
func named(lang, level string) bool {
	switch lang {
	case "python", "javascript", "c", "cpp", "bash", "css", "scss":
		return true
	case "go":
		return level != ByFile
	}
	return false
}

// depends reports whether a link makes a dependency.
func (s *system) depends(l *link) bool {
	if !s.usual {
		return s.counts[l.kind]
	}
	return l.kind == imports || l.kind == typeImports || !named(s.program.files[l.from].lang, s.level)
}

// wants reports whether a link is asked for: one of test code, of code that is none, or any.
func (s *system) wants(l *link) bool {
	return s.tests == answer.WithTests || l.test == (s.tests == answer.OnlyTests)
}

// connect gathers the links between modules.
func (s *system) connect() {
	s.edges, s.back = make([][]*edge, len(s.names)), make([][]*edge, len(s.names))
	found := map[[2]int32]*edge{}
	for i := range s.program.links {
		l := &s.program.links[i]
		from, to := s.of[l.from], s.to[l.to]
		if from < 0 || to < 0 || from == to || !s.wants(l) {
			continue
		}
		e := found[[2]int32{from, to}]
		if e == nil {
			e = &edge{from: from, to: to}
			found[[2]int32{from, to}] = e
			s.edges[from], s.back[to] = append(s.edges[from], e), append(s.back[to], e)
		}
		e.count[l.kind] += l.count
		if s.depends(l) {
			if e.depends == 0 {
				e.first = l
				s.count++
			}
			e.depends += l.count
			if l.kind == imports || l.kind == callings {
				e.runs += l.count
			}
			if !l.test {
				e.plain += l.count
			}
		} else if e.first == nil {
			e.first = l
		}
	}
	for i := range s.edges {
		slices.SortFunc(s.edges[i], func(a, b *edge) int { return int(a.to) - int(b.to) })
		slices.SortFunc(s.back[i], func(a, b *edge) int { return int(a.from) - int(b.from) })
	}
}

// order finds the parts and their ranks.
func (s *system) order() {
	s.parts = components(len(s.names), func(n int32, yield func(int32)) {
		for _, e := range s.edges[n] {
			if e.depends > 0 {
				yield(e.to)
			}
		}
	})
	s.part, s.rank = make([]int32, len(s.names)), make([]int, len(s.parts))
	for i, list := range s.parts {
		for _, n := range list {
			s.part[n] = int32(i)
		}
	}
	for i, list := range s.parts { // what a part depends on comes before it
		for _, n := range list {
			for _, e := range s.edges[n] {
				if to := s.part[e.to]; e.depends > 0 && to != int32(i) {
					s.rank[i] = max(s.rank[i], s.rank[to]+1)
				}
			}
		}
	}
	s.lie = s.positions()
}

// components returns the strongly connected components of a graph, each sorted, what they lead to
// before them (R. Tarjan, "Depth-first search and linear graph algorithms", 1972).
func components(n int, next func(n int32, yield func(int32))) (all [][]int32) {
	type frame struct {
		node int32
		next []int32
	}
	number, low := make([]int32, n), make([]int32, n)
	open := make([]bool, n)
	var stack []int32
	var frames []frame
	counter := int32(0)
	enter := func(v int32) {
		counter++
		number[v], low[v], open[v] = counter, counter, true
		stack = append(stack, v)
		var list []int32
		next(v, func(to int32) { list = append(list, to) })
		frames = append(frames, frame{v, list})
	}
	for root := range int32(n) {
		if number[root] != 0 {
			continue
		}
		enter(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if len(f.next) > 0 {
				to := f.next[0]
				f.next = f.next[1:]
				if number[to] == 0 {
					enter(to)
				} else if open[to] {
					low[f.node] = min(low[f.node], number[to])
				}
				continue
			}
			v := f.node
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].node
				low[up] = min(low[up], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			at := slices.Index(stack, v)
			part := slices.Clone(stack[at:])
			stack = stack[:at]
			for _, u := range part {
				open[u] = false
			}
			slices.Sort(part)
			all = append(all, part)
		}
	}
	return all
}
