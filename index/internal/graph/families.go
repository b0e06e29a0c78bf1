package graph

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Graph holds who calls, reads, makes and inherits what, over the files that
// were put in. Put, Remove, Config and Resolve need exclusive access; everything
// else may run concurrently between them.
//
// It is one of each family of languages: those see each other's definitions, and nothing
// leads from one family to another. So a change of a file is one of its family alone. An
// ID has the number of its family in its highest bits.
type Graph struct {
	families []*family // by number, in the order in which they came to be
	*settings

	fixed bool // it comes from Restore or Frozen, and cannot change
}

// settings are what all families of a graph have in common.
type settings struct {
	reload func(path string, spare *ir.Spare) *ir.File
	keep   int // how many expressions of all families to keep at hand
	halted atomic.Bool
	begin  func() (between func()) // see Between; nil: nothing
	bound  int64                   // in a test: in place of mostWhole
	memos  int                     // in a test: in place of solveNodes
}

// numberBits is how many bits of an ID are the number of its family: there are fewer
// families than 32, and no tree has the 134 million nodes that are left to each.
const numberBits = 5

const (
	maxFamilies = 1 << numberBits
	maxNodes    = 1 << (32 - numberBits)
)

// unlisted is the family of all languages that are not listed. What they define is apart
// by their names; there may be any number of them, and little code is written in them.
const unlisted = "other"

// familyName returns the name of the family that a language belongs to.
func familyName(language string) string {
	return cmp.Or(familyOf(language), unlisted)
}

// knownFamily reports whether there may be a family of a name.
func knownFamily(name string) bool {
	return name == unlisted || slices.ContainsFunc(langFamilies, func(f langFamily) bool { return f.name == name })
}

// New returns an empty Graph.
func New() *Graph { return &Graph{settings: &settings{}} }

// family returns the family of a name, made at its first use.
func (g *Graph) family(name string) *family {
	for _, p := range g.families {
		if p.name == name {
			return p
		}
	}
	p := newFamily(name, g.settings)
	g.families = append(g.families, p)
	return p
}

// byName returns the families that have files, in the order of their names.
func (g *Graph) byName() []*family {
	var all []*family
	for _, p := range g.families {
		if p.size() > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *family) int { return strings.Compare(a.name, b.name) })
	return all
}

// Halt makes a Resolve that runs, or will run, return early. The Graph is of no use
// then. It may be called at any time.
func (g *Graph) Halt() { g.halted.Store(true) }

// Between sets what every goroutine of a Resolve calls once when it begins, nil for
// nothing: it returns what the goroutine calls between two of its many small steps. It
// must not be called while one runs.
func (g *Graph) Between(begin func() (between func())) { g.begin = begin }

// Put enters a file, or another version of it. It counts from the next Resolve on. f is
// the Graph's from here on: of many files that wait it lets go of parts, see Reload.
func (g *Graph) Put(path string, f *ir.File) {
	g.mustChange()
	p := g.family(familyName(f.Language))
	g.removeFrom(path, p)
	p.wait(path, f)
	if g.reload != nil && g.waiting() > g.room() {
		p.thin(path)
	}
}

// Remove takes a file out, from the next Resolve on.
func (g *Graph) Remove(path string) {
	g.mustChange()
	g.removeFrom(path, nil)
}

// removeFrom takes a file out of all families but one.
func (g *Graph) removeFrom(path string, but *family) {
	for _, p := range g.families {
		if p != but && p.knows(path) {
			p.wait(path, nil)
		}
	}
}

// waiting is how many expressions are at hand of files that wait for a Resolve.
func (g *Graph) waiting() (n int) {
	for _, p := range g.families {
		n += p.waiting
	}
	return n
}

// Configured enters the files for which IsConfig holds that a graph from Restore was
// resolved with.
func (g *Graph) Configured(texts map[string][]byte) {
	for p, text := range texts {
		g.family(configures(p)).configs[p] = slices.Clone(text)
	}
}

// Config enters a file for which IsConfig holds, or takes it out when text is nil.
func (g *Graph) Config(p string, text []byte) {
	g.mustChange()
	g.family(configures(p)).configure(p, text)
}

// Move takes over another version of a file that is the old one but for its places, as
// comments and blank lines make it: nothing is resolved again. It reports false, and
// changes nothing, where more has changed, or it cannot be told; then the file is to be
// Put. old is the version that was put in last and resolved.
func (g *Graph) Move(path string, old, now *ir.File) bool {
	p, _ := g.familyAt(path)
	return p.move(path, old, now)
}
