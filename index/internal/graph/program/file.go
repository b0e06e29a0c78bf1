package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A File is one lowered file in the graph.
type File struct {
	ID      edge.ID
	Path    string
	Dir     string
	Lang    *Lang
	IR      *ir.File
	Names   []intern.Name // by ir.Str
	known   *intern.Names // that these are of
	Funcs   []edge.ID     // by ir.Func
	Classes []edge.ID     // by ir.Class
	Vars    []edge.ID     // by ir.Var; 0 for locals
	Units   []*Unit
	Shared  []bool                    // by ir.Func: other units use its variables, too
	UnitOf  []uint32                  // by ir.Func: index in units
	Next    []ir.Func                 // by ir.Func: the next one of the same unit, 0: none
	Targets []Target                  // by ir.Import
	Imports map[intern.Name]ir.Import // the names of imports that the language finds out, see Language.ImportName
	Facts   any                       // what its language has found out about it
	Within  []ir.Func                 // by ir.Class: the function that it is written in, directly or in a class there
	Inner   map[ir.Func][]ir.Class    // the classes that are written in functions
	Pkg     edge.ID                   // the package or namespace its top level belongs to, or 0

	Pointers map[ir.Var]bool          // fields that hold no object themselves; true: an address, no reference
	VarTypes []pointsto.Set           // declared types, by ir.Var
	Recv     map[ir.Func]pointsto.Set // the types of the receivers of methods written outside of them
	Results  ResultTypes              // declared results
	Attached []Attachment
	outer    []intern.Name // by ir.Func: the type before the name of a method that is written outside of it; nil: there are none
	extends  []intern.Name // by ir.Class: what an extension extends

	Fluent map[ir.Func]bool // the functions that are declared to return their receiver

	Order uint32 // the place of the file in a round; see replay
	Again bool   // its units are being evaluated again

	Slim        bool // the expressions and bodies are not at hand
	Exprs, Args int  // how many there are

	TextHashes    Hashes // what the text says of each name that others can use
	MeaningHashes Hashes // what that means
	OldHashes     Hashes // what it meant in the version before, until it is declared
}

// A Site is a Site as a family holds it: there are millions, which the collector need not
// look into.
type Site struct {
	From   edge.ID
	Name   intern.Name
	Pos    ir.Pos
	Reason edge.Reason
}

// Text returns a string of the file.
func (f *File) Text(s ir.Str) string { return f.known.Text[f.Names[s]] }

// An Attachment is where a method or extension of a file has been put.
type Attachment struct {
	To      edge.ID
	Foreign intern.Name
	Space   SpaceKey
}

// SpaceKey is a name in a namespace.
type SpaceKey struct {
	Space edge.ID
	Name  intern.Name
}

// A Target is what an import leads to.
type Target struct {
	In       []edge.ID   // files, packages and namespaces, in order of preference
	External intern.Name // the path of something outside the index, when in is empty
	Whole    bool        // the import brings what is in, not a name of it
	Loads    []edge.ID   // files that the import runs besides
}

// Equal compares two targets.
func (t Target) Equal(o Target) bool {
	return slices.Equal(t.In, o.In) && slices.Equal(t.Loads, o.Loads) && t.External == o.External
}

// ResultTypes are the types of the declared results of a file's functions.
type ResultTypes struct {
	ends []uint32 // by ir.Func: where those of a function end in sets; 0: it has not been declared yet
	sets []pointsto.Set
}

// Room makes room for the results of the function after the last one.
func (r *ResultTypes) Room(fn ir.Func, n int) []pointsto.Set {
	at := len(r.sets)
	r.sets = append(r.sets, make([]pointsto.Set, n)...)
	r.ends[fn] = uint32(len(r.sets))
	return r.sets[at:]
}

// Of returns the results of a function.
func (r *ResultTypes) Of(fn ir.Func) []pointsto.Set {
	if fn == 0 || int(fn) >= len(r.ends) || r.ends[fn] <= r.ends[fn-1] {
		return nil
	}
	return r.sets[r.ends[fn-1]:r.ends[fn]]
}

// NewResults makes room for the results of a file.
func NewResults(f *ir.File) ResultTypes {
	n := 0
	for i := range f.Funcs {
		n += len(f.Funcs[i].Results)
	}
	return ResultTypes{make([]uint32, len(f.Funcs)), make([]pointsto.Set, 0, n)}
}

// Aliases are what aliases stand for, kept while declarations do not change: types
// that name each other in turn take time that grows exponentially otherwise.
type Aliases struct {
	Known map[edge.ID]pointsto.Set
	Open  map[edge.ID]bool // being evaluated
	Cut   bool             // one of those was met again
}

// Within returns what a node stands for, which find finds. Within itself it adds nothing.
func (a *Aliases) Within(id edge.ID, find func() pointsto.Set) pointsto.Set {
	if s, ok := a.Known[id]; ok {
		return s
	}
	if a.Open[id] {
		a.Cut = true
		return 0
	}
	a.Open[id] = true
	before := a.Cut
	a.Cut = false
	s := find()
	delete(a.Open, id)
	// What was found while another one was open may lack what that one adds.
	if !a.Cut || len(a.Open) == 0 {
		a.Known[id] = s
	}
	a.Cut = (a.Cut || before) && len(a.Open) > 0
	return s
}

// ForgetAliases is called where what aliases stand for may have changed.
func (g *Family) ForgetAliases() {
	g.Aliases = Aliases{Known: map[edge.ID]pointsto.Set{}, Open: map[edge.ID]bool{}}
}

// RootOf returns the function that a unit begins with.
func (f *File) RootOf(fn ir.Func) ir.Func {
	for range MaxNesting {
		outer := f.IR.Funcs[fn].Outer
		if outer == 0 {
			break
		}
		fn = outer
	}
	return max(fn, 1)
}

// Around returns the function that a function or its class is written in: 1 for those
// at the top, 0 for 1 itself.
func (f *File) Around(i ir.Func) ir.Func {
	if i == 1 {
		return 0
	}
	info := &f.IR.Funcs[i]
	if info.Outer != 0 {
		return info.Outer
	}
	for c := info.Class; c != 0; c = f.IR.Classes[c].Outer {
		if outer := f.IR.Classes[c].Func; outer != 0 {
			return outer
		}
	}
	return 1
}

// Apart reports whether a function within others is a unit of its own.
func (f *File) Apart(i ir.Func) bool {
	info := &f.IR.Funcs[i]
	return i > 1 && f.Lang.SplitsFuncs && info.End >= info.Start+apartSize
}

// apartSize is the length in bytes from which a function within others is a unit of
// its own, where the language has it so: the suites of tests are functions of thousands of lines
// with the tests inside, each of which would be evaluated again for every other.
const apartSize = 600

// OwnerOf is the node that code belongs to: the innermost function or class around
// it that has a name, or the file.
func (f *File) OwnerOf(c ir.Class, fn ir.Func) edge.ID {
	for range MaxNesting {
		switch {
		case c != 0:
			info := &f.IR.Classes[c]
			if info.Name != 0 && info.Kind != ir.Namespace && f.Lang.ClassCode {
				return f.Classes[c]
			}
			c, fn = info.Outer, info.Func
		case fn > 1:
			info := &f.IR.Funcs[fn]
			if info.Name != 0 {
				return f.Funcs[fn]
			}
			fn = info.Outer
			if fn == 0 {
				c = info.Class
			}
		default:
			return f.ID
		}
	}
	return f.ID
}

// Own calls yield for the nodes of a file in order.
func (f *File) Own(yield func(id edge.ID)) {
	for _, ids := range [][]edge.ID{f.Funcs, f.Classes, f.Vars} {
		for _, id := range ids {
			if id != 0 {
				yield(id)
			}
		}
	}
}
