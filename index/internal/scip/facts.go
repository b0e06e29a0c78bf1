// Package scip reads SCIP indexes, which other programs have made of the files of a root, and
// keeps what they say of files that are still as they were. What it reads it never believes
// before it has compared it with the text.
//
// The format is that of https://github.com/scip-code/scip (scip.proto). docs/scip.md says which
// documents are taken.
package scip

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Facts are what SCIP indexes say of files. They do not change. The zero value has none.
type Facts struct {
	files   []file         // by path
	byPath  map[string]int // numbers of files
	symbols []symbol
}

// A file is one whose document was taken.
type file struct {
	path        string
	hash        uint64       // XXH64 of the text that was compared
	occurrences []Occurrence // by Pos
}

// An Occurrence is a name in a file.
type Occurrence struct {
	Pos      ir.Pos
	Length   uint32 // in bytes
	Symbol   uint32
	Defines  bool
	Declares bool // what another occurrence defines: a prototype
}

// A symbol is what an occurrence names.
type symbol struct {
	name      string // as it is spelled
	path      string // with what it is in, as external calls are named: net/http.Handler.ServeHTTP
	local     bool   // to its file
	elsewhere bool   // a document that was not taken defines it, or none though others define its package
	places    []Place
	by        []uint32 // the symbols that implement it
}

// A Place is where a symbol is defined.
type Place struct {
	Path string
	Pos  ir.Pos
}

// Files returns how many files they have.
func (f *Facts) Files() int { return len(f.files) }

// index fills in what the occurrences tell.
func (f *Facts) index() {
	f.byPath = make(map[string]int, len(f.files))
	for n := range f.files {
		one := &f.files[n]
		f.byPath[one.path] = n
		for _, o := range one.occurrences {
			if o.Defines {
				s := &f.symbols[o.Symbol]
				s.places = append(s.places, Place{one.path, o.Pos})
			}
		}
	}
}

// A Current is what facts say now: of the files that are as they were. It does not change.
type Current struct {
	facts *Facts
	live  []bool // by the number of the file
	count int
}

// Now returns what facts say of files with some hashes; ok is false for a file that there is
// not. No facts give nil, which says nothing.
func (f *Facts) Now(hash func(path string) (sum uint64, ok bool)) *Current {
	if f == nil || len(f.files) == 0 {
		return nil
	}
	c := &Current{facts: f, live: make([]bool, len(f.files))}
	for n := range f.files {
		if sum, ok := hash(f.files[n].path); ok && sum == f.files[n].hash {
			c.live[n] = true
			c.count++
		}
	}
	return c
}

// Files returns of how many files it says something.
func (c *Current) Files() int {
	if c == nil {
		return 0
	}
	return c.count
}

// Has reports whether it says something of a file: then it knows all that the file defines.
func (c *Current) Has(path string) bool {
	if c == nil {
		return false
	}
	n, ok := c.facts.byPath[path]
	return ok && c.live[n]
}

// Each calls yield for the files of which it says something, by path.
func (c *Current) Each(yield func(path string, occurrences []Occurrence)) {
	if c == nil {
		return
	}
	for n := range c.facts.files {
		if c.live[n] {
			yield(c.facts.files[n].path, c.facts.files[n].occurrences)
		}
	}
}

// At returns the occurrences that begin at a place of a file and are so long.
func (c *Current) At(path string, pos ir.Pos, length int) []Occurrence {
	if !c.Has(path) {
		return nil
	}
	var found []Occurrence
	for _, o := range c.facts.files[c.facts.byPath[path]].from(pos) {
		if o.Pos > pos {
			break
		}
		if int(o.Length) == length {
			found = append(found, o)
		}
	}
	return found
}

// In calls yield for the occurrences that begin in a line of a file.
func (c *Current) In(path string, line int, yield func(Occurrence)) {
	if !c.Has(path) {
		return
	}
	for _, o := range c.facts.files[c.facts.byPath[path]].from(ir.At(line, 0)) {
		if o.Pos.Line() > line {
			return
		}
		yield(o)
	}
}

// from returns the occurrences from a place on.
func (f *file) from(pos ir.Pos) []Occurrence {
	i, _ := slices.BinarySearchFunc(f.occurrences, pos, func(o Occurrence, pos ir.Pos) int { return cmp.Compare(o.Pos, pos) })
	return f.occurrences[i:]
}

// A Where says where a symbol is defined.
type Where uint8

// Where symbols are defined.
const (
	Unknown Where = iota // in a file of which nothing is said, or that has changed
	Here                 // in files of the root, all of which are as they were
	Local                // in the file that names it, and nothing else can name it
	Outside              // in no document of the SCIP indexes
)

// Where returns where a symbol is defined; the places are those of Here.
func (c *Current) Where(number uint32) (Where, []Place) {
	s := &c.facts.symbols[number]
	for _, p := range s.places {
		if !c.Has(p.Path) {
			return Unknown, nil
		}
	}
	switch {
	case s.elsewhere:
		return Unknown, nil
	case s.local:
		return Local, s.places
	case len(s.places) == 0:
		return Outside, nil
	}
	return Here, s.places
}

// Name returns how a symbol is spelled, and its name with what it is in.
func (c *Current) Name(number uint32) (name, path string) {
	s := &c.facts.symbols[number]
	return s.name, s.path
}

// maxImplementing bounds the symbols that implement one, those that implement these included.
const maxImplementing = 4096

// Implementing returns the places of what implements a symbol, itself or by way of others.
// known is false where some of them are not known, or they are too many.
func (c *Current) Implementing(number uint32) (places []Place, known bool) {
	seen := map[uint32]bool{number: true}
	next := []uint32{number}
	for len(next) > 0 {
		n := next[0]
		next = next[1:]
		for _, by := range c.facts.symbols[n].by {
			if seen[by] {
				continue
			}
			seen[by] = true
			next = append(next, by)
			switch where, at := c.Where(by); {
			case where == Unknown, len(seen) > maxImplementing:
				return nil, false
			case where == Here:
				places = append(places, at...)
			}
		}
	}
	return places, true
}

// Implements reports whether one symbol implements another, itself or by way of others.
func (c *Current) Implements(one, other uint32) bool {
	seen := map[uint32]bool{other: true}
	next := []uint32{other}
	for len(next) > 0 && len(seen) < maxImplementing {
		n := next[0]
		next = next[1:]
		for _, by := range c.facts.symbols[n].by {
			if by == one {
				return true
			}
			if !seen[by] {
				seen[by] = true
				next = append(next, by)
			}
		}
	}
	return false
}
