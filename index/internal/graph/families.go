package graph

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/graph/lang"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
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
	families []*program.Family // by number, in the order in which they came to be
	settings *program.Settings

	fixed bool   // it comes from Restore, Frozen or With, and cannot change
	facts *facts // see With
}

// New returns an empty Graph.
func New() *Graph { return &Graph{settings: &program.Settings{}} }

// family returns the family of a name, made at its first use.
func (g *Graph) family(name string) *program.Family {
	for _, p := range g.families {
		if p.Name == name {
			return p
		}
	}
	p := program.NewFamily(name, lang.Maker(name), g.settings)
	g.families = append(g.families, p)
	return p
}

// byName returns the families that have files, in the order of their names.
func (g *Graph) byName() []*program.Family {
	var all []*program.Family
	for _, p := range g.families {
		if solver.Size(p) > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *program.Family) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Halt makes a Resolve that runs, or will run, return early. The Graph is of no use
// then. It may be called at any time.
func (g *Graph) Halt() { g.settings.Halted.Store(true) }

// Between sets what every goroutine of a Resolve calls once when it begins, nil for
// nothing: it returns what the goroutine calls between two of its many small steps. It
// must not be called while one runs.
func (g *Graph) Between(begin func() (between func())) { g.settings.Begin = begin }

// Put enters a file, or another version of it. It counts from the next Resolve on. f is
// the Graph's from here on: of many files that wait it lets go of parts, see Reload.
func (g *Graph) Put(path string, f *ir.File) {
	g.mustChange()
	p := g.family(lang.FamilyName(f.Language))
	g.removeFrom(path, p)
	if p.Failed {
		return
	}
	p.Wait(path, f)
	if g.settings.Reload != nil && g.waiting() > g.settings.Room() {
		p.Thin(path)
	}
}

// Remove takes a file out, from the next Resolve on.
func (g *Graph) Remove(path string) {
	g.mustChange()
	g.removeFrom(path, nil)
}

// removeFrom takes a file out of all families but one.
func (g *Graph) removeFrom(path string, but *program.Family) {
	for _, p := range g.families {
		if p != but && solver.Knows(p, path) {
			p.Wait(path, nil)
		}
	}
}

// waiting is how many expressions are at hand of files that wait for a Resolve.
func (g *Graph) waiting() (n int) {
	for _, p := range g.families {
		n += p.Waiting
	}
	return n
}

// Configured enters the files for which IsConfig holds that a graph from Restore was
// resolved with.
func (g *Graph) Configured(texts map[string][]byte) {
	for p, text := range texts {
		g.family(lang.ConfigFamily(p)).Configs[p] = slices.Clone(text)
	}
}

// Config enters a file for which IsConfig holds, or takes it out when text is nil.
func (g *Graph) Config(p string, text []byte) {
	g.mustChange()
	if f := g.family(lang.ConfigFamily(p)); !f.Failed {
		f.Configure(p, text)
	}
}

// Move takes over another version of a file that is the old one but for its places, as
// comments and blank lines make it: nothing is resolved again. It reports false, and
// changes nothing, where more has changed, or it cannot be told; then the file is to be
// Put. old is the version that was put in last and resolved.
func (g *Graph) Move(path string, old, now *ir.File) bool {
	p, _ := g.familyAt(path)
	return solver.Move(p, path, old, now)
}

// Bytes returns about how much memory the graph takes.
func (g *Graph) Bytes() (n int64) {
	for _, f := range g.families {
		n += f.Weight + int64(f.Nodes)*int64(unsafe.Sizeof(ir.Node{}))
	}
	return n
}

// Reload tells the graph where to get a file from that was put in before: what load
// returns must be equal to that, or nil. Without it the graph keeps every file whole;
// with it, about keep expressions of all files together, or a quarter of a million for 0;
// and of files that wait for a Resolve, and while one runs, 32 times as many. It is asked
// for a file from the next Resolve on, not before, and by several goroutines at once. With
// spare, which may be nil, all but the expressions, the arguments and the bodies of what
// load returns is of use only until load is called with it again.
//
// A graph from Restore can change from then on; see Configured.
func (g *Graph) Reload(load func(path string, spare *ir.Spare) *ir.File, keep int) {
	g.settings.Reload, g.settings.Keep, g.fixed = load, cmp.Or(keep, program.KeepNodes), false
}
