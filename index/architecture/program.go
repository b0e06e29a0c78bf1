package architecture

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A kind is how one file depends on another.
type kind uint8

const (
	imports kind = iota
	typeImports
	types
	callings
	kindCount
)

var kindNames = [kindCount]string{Imports, TypeImports, Types, Calls}

// A file is one that has a part in the call graph.
type file struct {
	path, dir string
	pack      string // the folder of its manifest, see ByPackage
	language  string
	lang      string // of the family: that of what can see each other's definitions
	test      bool
	apart     bool // no part of its folder's package: a program of Go that builds leave out
	lines     int  // up to the last one that is not blank
	symbols   int
	functions int
}

// A link says how often a file depends on another one, or on a folder. Edges of test functions in a
// file of production code are links of their own.
type link struct {
	from, to int32 // files by number; to counts on with the folders
	kind     kind
	test     bool
	line     int // the first
	count    int
}

// A program is what is known of all files, whatever is asked.
type program struct {
	files   []file
	folders []string // that imports lead to as a whole
	links   []link   // in order
	unread  []string // code of languages without a call graph, by path
	skipped []string // code that the index leaves out, by path
}

// known is what a View was asked for last.
type known struct {
	mu         sync.Mutex
	generation uint64
	version    uint64
	program    *program
	systems    []keyed // that were asked for last, the newest first
}

// A keyed is the system of queries that have something in common.
type keyed struct {
	key    string
	system *system
}

// maxSystems is how many systems are kept.
const maxSystems = 4

// Forget lets go of what is no longer so.
func (k *known) Forget() {
	if k.mu.TryLock() { // else one is being made, and the next who asks finds that it is old
		k.program, k.systems = nil, nil
		k.mu.Unlock()
	}
}

// read makes the program of the present state, if it is not that which is known. The lock is held.
func (k *known) read(ctx context.Context, x *store.View) error {
	generation, version := x.Counters.Generation.Load(), x.Graph.Version.Load()
	if k.program != nil && k.generation == generation && k.version == version {
		return nil
	}
	p, err := newProgram(ctx, x)
	if err != nil {
		return err
	}
	k.program, k.generation, k.version, k.systems = p, generation, version, nil
	return nil
}

// systemOf returns the system that a query is about, of the present state.
func systemOf(ctx context.Context, x *store.View, q *Query, admits func(string, bool) bool) (*system, error) {
	k := store.Kept[known](x)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(ctx, x); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q %d %q %q %q %q %q", q.Level, q.Depth, q.Kinds, q.Path, q.Glob, q.Lang, q.Tests)
	for i, one := range k.systems {
		if one.key == key {
			copy(k.systems[1:], k.systems[:i])
			k.systems[0] = one
			return one.system, nil
		}
	}
	s := newSystem(k.program, q, admits)
	k.systems = append([]keyed{{key, s}}, k.systems[:min(len(k.systems), maxSystems-1)]...)
	return s, nil
}

// A reader makes a program.
type reader struct {
	*program
	records []*store.Record // of files
	number  map[string]int32
	folder  map[string]int32
	found   map[linkKey]*link
}

type linkKey struct {
	from, to int32
	kind     kind
	test     bool
}

func newProgram(ctx context.Context, x *store.View) (*program, error) {
	all := x.Records()
	r := reader{program: &program{}, number: map[string]int32{}, folder: map[string]int32{}, found: map[linkKey]*link{}}
	packs := packsOf(all)
	x.Mu.RLock()
	for p := range x.Table.Skips {
		if t := source.TraitsOf(p); source.Language(p, nil) != "" && !t.Doc && !t.Config {
			r.skipped = append(r.skipped, p)
		}
	}
	x.Mu.RUnlock()
	slices.Sort(r.skipped)
	var err error
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		for _, record := range all {
			if t := record.Traits; !w.G.Has(record.Path) {
				if record.Grammar && !t.Doc && !t.Config && code(record) {
					r.unread = append(r.unread, record.Path)
				}
				continue
			}
			r.records = append(r.records, record)
		}
		slices.Sort(r.unread)
		slices.SortFunc(r.records, func(a, b *store.Record) int { return strings.Compare(a.Path, b.Path) })
		for i, record := range r.records {
			r.number[record.Path] = int32(i)
			r.files = append(r.files, fileOf(record, packs))
		}
		if err = r.readImports(ctx, x, w, all); err == nil {
			err = r.readGraph(ctx, w)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, l := range r.found {
		r.links = append(r.links, *l)
	}
	slices.SortFunc(r.links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), order(a.test, b.test))
	})
	return r.program, nil
}

// code reports whether a file defines something that runs or is a type.
func code(r *store.Record) bool {
	return slices.ContainsFunc(r.Symbols, func(s store.Symbol) bool { return store.Runs(s.Kind()) })
}

func fileOf(r *store.Record, packs map[string]bool) file {
	f := file{path: r.Path, dir: source.Dir(r.Path), language: r.Lang, lang: r.Lang, test: r.Traits.Test, symbols: len(r.Symbols)}
	if family := store.CrossFamily(r.Lang); family != "" {
		f.lang = family
	}
	for f.pack = f.dir; f.pack != "" && !packs[f.pack]; {
		f.pack = source.Dir(f.pack)
	}
	if n := len(r.Chunks); n > 0 {
		f.lines = int(r.Chunks[n-1].Last)
	}
	for i := range r.Symbols {
		if store.Runs(r.Symbols[i].Kind()) {
			f.functions++
		}
	}
	return f
}

// packsOf returns the folders that a manifest makes a package or a project.
func packsOf(all map[string]*store.Record) map[string]bool {
	packs := map[string]bool{}
	for p := range all {
		switch base := path.Base(p); base {
		case "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "pom.xml", "build.gradle", "build.gradle.kts",
			"composer.json", "mix.exs", "build.sbt", "Package.swift":
			packs[source.Dir(p)] = true
		default:
			switch path.Ext(base) {
			case ".csproj", ".gemspec", ".cabal", ".fsproj":
				packs[source.Dir(p)] = true
			}
		}
	}
	return packs
}

// add notes a dependency at a line.
func (r *reader) add(key linkKey, line int) {
	if key.from == key.to {
		return
	}
	l := r.found[key]
	if l == nil {
		l = &link{from: key.from, to: key.to, kind: key.kind, test: key.test, line: line}
		r.found[key] = l
	}
	l.count++
	l.line = min(l.line, line)
}

// folderAt returns the number of a folder that an import leads to.
func (r *reader) folderAt(dir string) int32 {
	n, ok := r.folder[dir]
	if !ok {
		n = int32(len(r.files) + len(r.folders))
		r.folder[dir] = n
		r.folders = append(r.folders, dir)
	}
	return n
}

// readGraph reads what the call graph says of dependencies that stand in the text: not which
// overriding method or handed function may run where an interface or a value is called.
func (r *reader) readGraph(ctx context.Context, w *calls.Walk) error {
	at := map[graph.ID]int32{}
	fileAt := func(id graph.ID) int32 {
		n, ok := at[id]
		if !ok {
			n = -1
			if found, ok := r.number[w.Node(id).Path]; ok {
				n = found
			}
			at[id] = n
		}
		return n
	}
	n := 0
	w.G.Each(func(e graph.Edge) bool {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return false
		}
		k, ok := standing(&e)
		if !ok {
			return true
		}
		from, to := fileAt(e.From), fileAt(e.To)
		if from < 0 || to < 0 || from == to {
			return true
		}
		f := &r.files[from]
		r.add(linkKey{from, to, k, f.test || w.Node(e.From).Flags&ir.TestFunc != 0}, e.Pos.Line())
		return true
	})
	return ctx.Err()
}

// standing returns the kind of a dependency that an edge is, unless it only may be one while the
// program runs. Imports are read apart.
func standing(e *graph.Edge) (kind, bool) {
	if e.Confidence >= graph.Possible || e.Rule == graph.ByHierarchy || e.Rule == graph.ByFlow {
		return 0, false
	}
	switch e.Kind {
	case graph.Inherits, graph.Implements:
		return types, true
	case graph.References:
		if e.Rule == graph.ByDecl {
			return types, true
		}
		return callings, true
	case graph.Calls:
		return callings, true
	}
	return 0, false
}

// order puts what is not so before what is.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
