package dead

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// An item is a symbol that may be dead.
type item struct {
	record   *store.Record
	symbol   int32
	in       int32 // the item that it is written in; -1: none
	up       int32 // the same, or the type of a method that is written elsewhere
	name     int32
	node     graph.ID // of a function or a type; 0: the graph has none
	kind     kind
	flags    ir.FuncFlag
	hidden   bool // only its own file can name it
	test     bool // it is test code
	public   bool // its language lets code of other modules name it
	assigned bool // it is assigned to a property of an object
}

// A kind is what an item is.
type kind uint8

const (
	function kind = iota
	method
	makes // a constructor: as alive as its class, and not reported by itself
	class // any type
	constant
	variable
)

// kindNames are what answers call the kinds.
var kindNames = [...]string{"function", "method", "constructor", "type", "constant", "variable", KindImport, KindParameter} // the last two are of no item

// code reports whether an item is one that the call graph has edges to.
func (i *item) code() bool { return i.kind <= makes }

func (i *item) sym() *store.Symbol { return &i.record.Symbols[i.symbol] }

// A program is all that may be dead, and what names it.
//
// Its nodes are the items, the files and, for what only a name tells, one for each name that
// items have in a scope, twice: for what the call graph has edges to, and for the rest.
type program struct {
	view      *store.View
	walk      *calls.Walk
	items     []item
	files     []file
	names     []name
	byName    dictionary // numbers of names
	spots     []spot     // name nodes, two for each: code, and the rest
	byNode    map[graph.ID]int32
	above     map[int32][]int32 // the types above a type
	below     map[int32][]int32 // those right below one
	doubts    map[int32]doubt
	members   map[int32][]int32 // what is written in a type, or belongs to one
	links     []link
	from      []int32 // where a node's links begin, in order of From; one more at the end
	dirs      map[string]int32
	packages  *packages
	contracts *contracts
	keepers   map[int32]string // what keeps items alive that nothing names, as far as it was asked
	last      *store.Record
	text      []byte            // of last
	modules   []goModuleAt      // of Go, that the index has
	clauses   map[int32]string  // the names of packages of Go, by folder
	given     map[int32]bool    // types of Go that something outside of the index may have
	twins     map[int32][]int32 // definitions of which a build has one
	joined    map[int32][]int32 // folders of Go that have files of each other by symbolic links
	begun     map[string]string // words that names may begin with which are put together, with a place
	ended     map[string]string // words that they may end with
	outs      map[string]string // what exports functions of Go whose heads have a name, by folder and name
	looked    map[int32]bool    // names of types whose members are looked at while the program runs
	pastes    string            // a place in C where two words become one name
}

// A file is one that may name something.
type file struct {
	path        string
	record      *store.Record // nil: the index has it not
	lang        string
	family      string
	first, last int32 // its items
	dir         int32
	number      int32 // among the sources
	scope       int64 // of its family
	test        bool
	settings    bool    // it has settings, and no code
	blocks      []block // if it is generated
}

// A name is one that items have.
type name struct{ scopes []scoped }

// scoped is where a name has a spot: a scope is a family of languages (from 0), a folder of Go
// or a file that keeps it to itself.
type scoped struct {
	scope int64
	spot  int32
}

// A spot is what has a name in a scope.
type spot struct {
	code, rest []int32
	generated  bool // a block has it
}

// familyOf is the name of the languages that see each other's definitions; "" for one whose dead
// code is not looked for.
func familyOf(lang string) string {
	switch lang {
	case "c", "cpp":
		return "c"
	case "ruby":
		return lang
	}
	return store.CrossFamily(lang)
}

// Languages are those whose dead code is looked for.
func Languages() []string {
	return []string{"c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust", "svelte", "tsx", "typescript", "vue"}
}

// kindOf returns what a symbol is, and whether it may be dead at all.
func kindOf(r *store.Record, i int32, up int32) (kind, bool) {
	s := &r.Symbols[i]
	switch s.Kind() {
	case syntax.Function, syntax.Method:
		if calls.MakesInstances(r.Lang, s.Name) && s.Parent != "" || strings.HasPrefix(s.Name, "~") {
			return makes, true
		}
		if s.Kind() == syntax.Method || s.Parent != "" && up >= 0 {
			return method, true
		}
		return function, true
	case syntax.Constructor:
		return makes, true
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
		return class, true
	case syntax.Constant:
		return constant, s.Parent == "" || r.Lang != "rust" && r.Lang != "python"
	case syntax.Variable:
		return variable, s.Parent == ""
	}
	return 0, false
}

// Scopes of names.
const (
	folderScope = int64(1) << 32
	fileScope   = int64(1) << 33
)

var families = []string{"c", "csharp", "go", "javascript", "jvm", "php", "python", "ruby", "rust"}

var goFamily = int64(slices.Index(families, "go"))

// collect takes the items of all files.
func (p *program) collect(sources []texts.Source, search *texts.Search) {
	p.byNode = map[graph.ID]int32{}
	p.members = map[int32][]int32{}
	p.dirs, p.clauses = map[string]int32{}, map[int32]string{}
	for n, one := range sources {
		f := file{path: one.Path, record: one.Record, test: one.Traits.Test, settings: one.Traits.Config, number: int32(n), first: int32(len(p.items))}
		if f.record != nil {
			f.lang = one.Record.Lang
		} else {
			f.lang = source.Language(one.Path, nil)
		}
		if f.family = familyOf(f.lang); f.family == "" && !sourceOf(one.Path, one.Traits) && !entryFiles[path.Base(one.Path)] {
			continue
		}
		family, _ := slices.BinarySearch(families, f.family)
		f.scope = int64(family)
		dir := path.Dir(one.Path)
		if _, ok := p.dirs[dir]; !ok {
			p.dirs[dir] = int32(len(p.dirs))
		}
		f.dir = p.dirs[dir]
		p.module(&f)
		p.clause(&f)
		if f.family == "go" && f.record == nil {
			f.blocks = p.blocksOf(&f, search)
		}
		if f.record != nil && f.family != "" && p.walk.G.Has(one.Path) {
			p.take(f.record, &f)
		}
		f.last = int32(len(p.items))
		p.files = append(p.files, f)
	}
	p.join()
	p.pair()
	for n := range p.files {
		p.belong(&p.files[n])
	}
	for n := range p.files {
		for i := p.files[n].first; i < p.files[n].last; i++ {
			p.call(i, n)
		}
	}
}

// take takes the items of a file.
func (p *program) take(r *store.Record, f *file) {
	nodes := p.walk.G.NamedIn(r.Path)
	var src []byte
	var open []int32
	for i := range r.Symbols {
		s := &r.Symbols[i]
		for len(open) > 0 && r.Symbols[p.items[open[len(open)-1]].symbol].End < s.End {
			open = open[:len(open)-1]
		}
		up := int32(-1)
		if len(open) > 0 {
			up = open[len(open)-1]
		}
		k, ok := kindOf(r, int32(i), up)
		if !ok || s.Name == "" || s.Name == "_" {
			continue
		}
		one := item{record: r, symbol: int32(i), in: up, up: up, kind: k, test: r.Traits.Test, public: s.Exported}
		for _, id := range nodes[graph.Spot{Name: strings.TrimPrefix(s.Name, "r#"), Line: int(s.NameLine)}] {
			switch n := p.walk.G.Node(id); {
			case one.code() && n.Kind == graph.FuncNode:
				one.flags |= n.Flags
			case one.code() || k == class && n.Kind != graph.ClassNode:
				continue
			}
			one.node = id
			p.byNode[id] = int32(len(p.items))
		}
		if one.flags&ir.Constructor != 0 {
			one.kind = makes
		}
		if family := familyOf(r.Lang); family == "javascript" && one.code() {
			if src == nil {
				src = r.Text.All()
			}
			one.assigned = property(src, s)
		}
		one.hidden = !one.assigned && hidden(r, s, &one, up >= 0)
		p.items = append(p.items, one)
		open = append(open, int32(len(p.items)-1))
	}
}

// belong finds the types of methods that are written outside of them, and the types above types.
func (p *program) belong(f *file) {
	if f.first == f.last {
		return
	}
	types := map[string]int32{}
	if f.family == "go" || f.family == "rust" || f.family == "c" {
		for i := f.first; i < f.last; i++ {
			name := p.items[i].sym().Name
			if old, ok := types[name]; p.items[i].kind == class && (!ok || p.items[old].in >= 0) { // none that is local to a function
				types[name] = i
			}
		}
	}
	for i := f.first; i < f.last; i++ {
		one := &p.items[i]
		if s := one.sym(); one.up < 0 && s.Parent != "" && one.code() {
			_, last, _ := calls.LastPart(s.Parent)
			at, ok := types[last]
			if !ok {
				at, ok = p.elsewhere(f, last)
			}
			if ok && !p.within(at, i) {
				one.up = at
			}
		}
		if one.up >= 0 {
			p.members[one.up] = append(p.members[one.up], i)
		}
	}
}

// elsewhere finds a type by its name in other files: of its folder in Go, of any else if there is
// one only.
func (p *program) elsewhere(f *file, name string) (int32, bool) {
	found, n := int32(-1), 0
	for _, d := range p.walk.Types(name, f.lang) {
		if f.family == "go" && path.Dir(d.Record.Path) != path.Dir(f.path) {
			continue
		}
		if i, ok := p.itemOf(d.Record, int32(d.Symbol)); ok {
			found = i
			n++
		}
	}
	return found, n == 1
}

// itemOf returns the item of a symbol.
func (p *program) itemOf(r *store.Record, symbol int32) (int32, bool) {
	n, ok := slices.BinarySearchFunc(p.files, r.Path, func(f file, path string) int { return strings.Compare(f.path, path) })
	if !ok {
		return 0, false
	}
	f := &p.files[n]
	at, ok := slices.BinarySearchFunc(p.items[f.first:f.last], symbol, func(i item, symbol int32) int { return int(i.symbol - symbol) })
	return f.first + int32(at), ok
}

// call enters an item under its name.
func (p *program) call(i int32, n int) {
	one, f := &p.items[i], &p.files[n]
	s := one.sym()
	id := p.nameOf(strings.TrimPrefix(strings.TrimLeft(s.Name, "#"), "r#")) // as the text has it
	one.name = id
	family, _ := slices.BinarySearch(families, f.family)
	switch {
	case one.hidden:
		p.enter(i, id, fileScope+int64(n))
	case f.family == "go" && one.kind != method:
		p.enter(i, id, folderScope+int64(f.dir))
	default:
		p.enter(i, id, int64(family))
	}
}

// nameOf returns the number of a name.
func (p *program) nameOf(word string) int32 {
	id, ok := p.byName.get(word)
	if !ok {
		id = p.byName.add(word)
		p.names = append(p.names, name{})
	}
	return id
}

func (p *program) enter(i, id int32, scope int64) {
	to := &p.spots[p.spotOf(id, scope)]
	if p.items[i].code() {
		to.code = append(to.code, i)
	} else {
		to.rest = append(to.rest, i)
	}
}

// spotOf returns the spot of a name in a scope.
func (p *program) spotOf(id int32, scope int64) int32 {
	of := &p.names[id]
	at, ok := slices.BinarySearchFunc(of.scopes, scope, func(s scoped, scope int64) int { return int(s.scope - scope) })
	if !ok {
		of.scopes = slices.Insert(of.scopes, at, scoped{scope, int32(len(p.spots))})
		p.spots = append(p.spots, spot{})
	}
	return of.scopes[at].spot
}

// Numbers of nodes: items, files, and spots twice.
func (p *program) fileNode(n int) int32 { return int32(len(p.items) + n) }

func (p *program) codeNode(spot int32) int32 { return int32(len(p.items)+len(p.files)) + 2*spot }

func (p *program) restNode(spot int32) int32 { return p.codeNode(spot) + 1 }

func (p *program) nodes() int { return len(p.items) + len(p.files) + 2*len(p.spots) }

// testCode reports whether an item is test code: of a test's file, or run by a runner of tests.
func (p *program) testCode(i int32) bool {
	for ; i >= 0; i = p.items[i].up {
		if one := &p.items[i]; one.test || one.flags&ir.TestFunc != 0 {
			return true
		}
	}
	return false
}

// sourceOf reports whether a file that is no code of a program may name something in one.
func sourceOf(f string, t source.Traits) bool {
	switch path.Ext(f) {
	case ".html", ".htm", ".mdx", ".ejs", ".njk":
		return true
	case "":
		return !t.Doc
	case ".md", ".rst", ".adoc", ".txt", ".csv", ".tsv", ".svg", ".diff", ".patch", ".snap", ".map", ".stderr", ".stdout", ".log", ".lock", ".css", ".scss", ".less", ".sass", ".po", ".pot", ".golden":
		return false
	}
	return true
}
