package dead

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An item is a symbol that may be dead.
type item struct {
	convention.Symbol
	in     int32 // the item that it is written in; -1: none
	up     int32 // the same, or the type of a method that is written elsewhere
	name   int32
	node   graph.ID // of a function or a type; 0: the graph has none
	hidden bool     // only its own file can name it
}

// kindNames are what answers call the kinds.
var kindNames = [...]string{"function", "method", "constructor", "type", "constant", "variable", KindImport, KindParameter} // the last two are of no item

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
	byName    dictionary          // numbers of names
	spots     []spot              // name nodes, two for each: code, and the rest
	inFolder  map[int32][]ownName // of Go, by folder
	byNode    map[graph.ID]int32
	above     map[int32][]int32 // the types above a type
	below     map[int32][]int32 // those right below one
	doubts    memo[doubt]
	members   map[int32][]int32 // what is written in a type, or belongs to one
	links     []link
	from      []int32 // where a node's links begin, in order of From; one more at the end
	dirs      map[string]int32
	packages  *convention.Packages
	contracts *contracts
	places    map[string]place // by file
	offered   string           // what the question takes exported items for
	keepers   memo[string]     // what keeps items alive that nothing names
	owns      memo[bool]       // whether a method of Go takes or gives a type of the index
	mu        sync.Mutex       // of what asks walk, last, text and places
	last      *store.Record
	text      []byte             // of last, see textOf
	modules   []goModuleAt       // of Go, that the index has
	clauses   map[int32]string   // the names of packages of Go, by folder
	given     map[int32]bool     // types of Go that something outside of the index may have
	twins     map[int32][]int32  // definitions of which a build has one
	joined    map[int32][]int32  // folders of Go that have files of each other by symbolic links
	begun     map[string]string  // words that names may begin with which are put together, with a place
	ended     map[string]string  // words that they may end with
	outs      map[[2]int32]int32 // the last exported item of Go that has a name in its head or its text, by folder and name
	included  map[string]bool    // names of files of C with code that others include
	looked    map[int32]bool     // names of types whose members are looked at while the program runs
	makes     map[string]string  // by family, a file of code that makes code
	langs     []uint16           // by name, the families of languages whose code has it, as a scanner has them
	pastes    string             // a place in C where two words become one name
	finds     bool               // code of Go looks for methods by their names
	unread    []string           // files that could not be read and may name something
	mute      map[string]string  // by family of languages, the first of them; "": of none
	undecoded map[string]string  // words of files that are in no search for their bytes, after the family, with the file
}

// A file is one that may name something.
type file struct {
	path        string
	clause      string        // of Go, the name of its package
	record      *store.Record // nil: the index has it not
	lang        string
	family      string
	first, last int32 // its items
	dir         int32
	number      int32 // among the sources
	scope       int64 // of its family
	test        bool
	settings    bool    // it has settings, and no code
	assembly    bool    // it is code of a machine
	template    bool    // it is one by which Go makes text, or code
	blocks      []block // if it is generated
	unread      bool    // it could not be read
}

// A name is one that items have.
type name struct{ scopes []scoped }

// find returns where a scope is among those of a name, or where it would be.
func (n *name) find(scope int64) (at int, ok bool) {
	return slices.BinarySearchFunc(n.scopes, scope, func(s scoped, scope int64) int { return cmp.Compare(s.scope, scope) })
}

// in returns the spot of a name in a scope.
func (n *name) in(scope int64) (spot int32, ok bool) {
	at, ok := n.find(scope)
	if !ok {
		return 0, false
	}
	return n.scopes[at].spot, true
}

// scoped is where a name has a spot: a scope is a family of languages (from 0), a folder of Go, the
// methods that such a folder keeps to itself, or a file that keeps it to itself.
type scoped struct {
	scope int64
	spot  int32
}

// ownName is a name that a folder of Go has, and its spot there.
type ownName struct{ name, spot int32 }

// A spot is what has a name in a scope.
type spot struct {
	code, rest []int32
	generated  bool // a block has it
}

// Languages are those whose dead code is looked for.
func Languages() []string {
	return []string{"c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust", "svelte", "tsx", "typescript", "vue"}
}

// kindOf returns what a symbol is, and whether it may be dead at all.
func kindOf(r *store.Record, i int32, up int32) (convention.Kind, bool) {
	s := &r.Symbols[i]
	switch s.Kind() {
	case syntax.Function, syntax.Method:
		if store.MakesInstances(r.Lang, s.Name) && s.Parent != "" || strings.HasPrefix(s.Name, "~") {
			return convention.Makes, true
		}
		if s.Kind() == syntax.Method || s.Parent != "" && up >= 0 {
			return convention.Method, true
		}
		return convention.Function, true
	case syntax.Constructor:
		return convention.Makes, true
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
		return convention.Class, true
	case syntax.Constant:
		return convention.Constant, s.Parent == "" || r.Lang != "rust" && r.Lang != "python"
	case syntax.Variable:
		return convention.Variable, s.Parent == ""
	}
	return 0, false
}

// Scopes of names.
const (
	folderScope = int64(1) << 32
	ownScope    = folderScope + 1<<31 // a folder's methods of Go that are not exported
	fileScope   = int64(1) << 33
)

var families = []string{"c", "csharp", "go", "javascript", "jvm", "php", "python", "ruby", "rust"}

var goFamily = int64(slices.Index(families, "go"))

// Numbers of nodes: items, files, and spots twice.
func (p *program) fileNode(n int) int32 { return int32(len(p.items) + n) }

func (p *program) codeNode(spot int32) int32 { return int32(len(p.items)+len(p.files)) + 2*spot }

func (p *program) restNode(spot int32) int32 { return p.codeNode(spot) + 1 }

func (p *program) nodes() int { return len(p.items) + len(p.files) + 2*len(p.spots) }

// testCode reports whether an item is test code: of a test's file, or run by a runner of tests.
func (p *program) testCode(i int32) bool {
	for ; i >= 0; i = p.items[i].up {
		if one := &p.items[i]; one.Test || one.Flags&ir.TestFunc != 0 {
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
