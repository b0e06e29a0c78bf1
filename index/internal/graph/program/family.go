// Package program holds what is solved: the files of a family of languages with their
// nodes, names, classes, units and cells, and the traits of the languages. It evaluates
// nothing.
package program

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Family is the part of a Graph that has the files of one family of languages, or what
// is frozen of it.
type Family struct {
	Name string
	*Settings

	Names     intern.Names
	Values    *pointsto.Values
	Entities  []Entity
	ByKey     intern.Table
	populated map[edge.ID]int         // files in a namespace, and in those below it
	Languages func() map[string]*Lang // makes those that are listed
	Langs     map[string]*Lang

	Files   map[string]*File
	Dirs    map[string]int // files below a folder
	Configs map[string][]byte
	Aliases Aliases

	Bags      map[edge.ID]*Bag // of files, packages and namespaces
	Classes   map[edge.ID]*Class
	Satisfied map[edge.ID][]edge.ID // the interfaces that a type has the methods of, where that is all it takes
	Inner     map[edge.ID][]Entry   // classes that are written by their paths, by the class that they are in
	Kept      map[edge.ID][]Entry   // what was attached to classes that are being declared again
	Foreign   map[intern.Name]*Bag  // methods that the files add to types outside the index

	Loaded []*File  // whose expressions are at hand, those longest ago first
	Nodes  int      // expressions at hand
	Most   int      // how many to have while it is solved
	spare  ir.Spare // while it is solved
	Evals  any      // what package eval keeps of evaluations that have ended

	Between func() // while it is solved

	Pending map[string]*ir.File // nil: to be removed
	Waiting int                 // expressions in pending
	Slimmed map[string]Slimmed  // of pending: those whose expressions are not at hand
	Stale   bool                // the configuration has changed
	Failed  bool                // there was a fault: it has no files, and takes none

	Suffixes map[string][]string     // paths by their last segment, made at the first use
	Apart    map[SpaceKey][]Entry    // functions that are defined outside of their namespace: a::f() {}
	Admitted map[uint64]pointsto.Set // what admit has found, since classes changed
	State

	Frozen *frozen.Family // of one that has only what queries need
	Weight int64          // bytes, about
	Whole  int64          // what that was when it was made
}

// NewFamily returns a family without files; languages makes its languages.
func NewFamily(of string, languages func() map[string]*Lang, s *Settings) *Family {
	g := &Family{
		Name: of, Settings: s,
		Names: intern.NewNames(), Entities: make([]Entity, 1),
		populated: map[edge.ID]int{}, Languages: languages, Langs: languages(),
		Files: map[string]*File{}, Dirs: map[string]int{}, Configs: map[string][]byte{},
		Bags: map[edge.ID]*Bag{}, Classes: map[edge.ID]*Class{}, Foreign: map[intern.Name]*Bag{}, Kept: map[edge.ID][]Entry{},
		Pending: map[string]*ir.File{},
	}
	g.Values = pointsto.NewValues(g.stable)
	g.State.Init()
	g.ForgetAliases()
	for _, l := range g.Langs {
		l.finish(g)
	}
	return g
}

// State computes the least fixed point: the smallest sets that satisfy every
// assignment, call and return. Nothing is ever taken out of a cell while it runs; see
// run for the order of work.
type State struct {
	Cells   intern.Blocks[pointsto.Cell]
	ByCell  intern.Table
	Units   []*Unit  // the first is none
	Free    []uint32 // numbers of units that may be given again
	Queue   []uint32
	Queued  []bool                    // by unit: it is in the queue
	Methods map[intern.Name][]edge.ID // types of structural languages, by the names of their methods

	Depth int // of what is being evaluated, in whatever file
	Steps int // since that began

	Retired  []*Unit           // units that are gone, while cells may still name them
	Entering func(cell uint32) // while an update runs: called for each cell that is read
	Round    uint32            // of the solver; what is declared is there before the first
	Peak     int               // numbers of memos in the last run
	Dropped  bool              // there was no room for all of them
	Solved   bool

	Overriding map[Dispatch][]Entry // what runs in place of a method, as far as it was asked
	Overridden map[edge.ID][]Dispatch
	Dispatches []Dispatch // by number; 0 is none
	DispatchAt map[Dispatch]uint32

	Bounds    map[pointsto.Info]pointsto.Set // of type parameters
	PartOf    map[edge.ID]edge.ID            // parts of classes: see CanonicalID
	Into      *Inverse
	OpenSites map[intern.Name][]uint32

	Elsewhere map[edge.ID][]uint32 // units that hold edges and sites of a node besides its own
}

// Init starts from nothing.
func (s *State) Init() {
	s.Cells = intern.Blocks[pointsto.Cell]{}
	s.Cells.Extend(1)
	s.ByCell = intern.Table{}
	s.Units, s.Queued = make([]*Unit, 1), make([]bool, 1)
	if s.Methods == nil {
		s.Overriding = map[Dispatch][]Entry{}
		s.Dispatches, s.DispatchAt = make([]Dispatch, 1), map[Dispatch]uint32{}
		s.Bounds = map[pointsto.Info]pointsto.Set{}
		s.Methods, s.PartOf = map[intern.Name][]edge.ID{}, map[edge.ID]edge.ID{}
	}
	s.Queue, s.Free, s.Retired = nil, nil, nil
	s.Into, s.OpenSites = nil, nil
	s.Round, s.Dropped = 0, false
}

// Cell finds or makes a cell.
func (g *Family) Cell(key pointsto.CellKey) uint32 {
	if n := g.ByCell.Find(key.Hash(), func(n uint32) bool { return g.Cells.At(n).Key == key }); n != 0 {
		return n
	}
	n := uint32(g.Cells.Len())
	g.Cells.Extend(g.Cells.Len() + 1)
	g.Cells.At(n).Key = key
	g.ByCell.Add(n, func(n uint32) uint64 { return g.Cells.At(n).Key.Hash() })
	return n
}

// Elems returns the values of a set.
func (g *Family) Elems(s pointsto.Set) []pointsto.Value { return g.Values.Elems(s) }

// Args returns the sets of a list.
func (g *Family) Args(l pointsto.List) []pointsto.Set { return g.Values.Args(l) }

// Union returns the union of two sets.
func (g *Family) Union(a, b pointsto.Set) pointsto.Set { return g.Values.Union(a, b) }

// Func returns the function of a node, or nil.
func (g *Family) Func(id edge.ID) *ir.FuncInfo {
	e := &g.Entities[id]
	if e.Kind != edge.FuncNode || e.File == nil {
		return nil
	}
	return &e.File.IR.Funcs[e.Ref]
}

// OrDeclared is what is known of a variable: what reaches it and what it is declared
// as; the latter alone where too much reaches it.
func (g *Family) OrDeclared(reaches, declared pointsto.Set) pointsto.Set {
	if reaches == g.Values.Many && declared != 0 {
		return declared
	}
	return g.Union(reaches, declared)
}

// Owner is the file that an entry is of.
func (g *Family) Owner(e Entry) *File { return g.Entities[e.ID].File }

// OnlyExternal reports whether all values are outside the index.
func (g *Family) OnlyExternal(s pointsto.Set) bool {
	for _, v := range g.Elems(s) {
		if k := g.Values.Info[v].Kind; k != pointsto.External && k != pointsto.Generic {
			return false
		}
	}
	return true
}
