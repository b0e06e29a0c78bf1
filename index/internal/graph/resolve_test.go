package graph

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// threeFamilies puts files of Go, Python and Ruby into a graph: the most of Python.
func threeFamilies(p *syntax.Parser, g *Graph) {
	for n := range 20 {
		for language, text := range map[string]string{
			"go":     "package shop\n\nfunc f%[1]d() { f%[2]d() }\n",
			"python": "def f%[1]d():\n    return f%[2]d() + f%[1]d() + f%[2]d()\n\n\ndef g%[1]d():\n    return f%[1]d()\n",
			"ruby":   "def f%[1]d\n  f%[2]d\nend\n",
		} {
			if language != "python" && n >= 10 {
				continue
			}
			f, tree := p.ParseTree(language, fmt.Appendf(nil, text, n, n/2))
			g.Put(fmt.Sprintf("%s/f%d", language, n), lower.File(&f, tree))
		}
	}
}

// Families share what may be at hand, and those come first that have the most to do. Where
// all together have much more, they share a quarter.
func TestShare(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	for keep, part := range map[int]int{64: 1, 1: 4} {
		g := New()
		g.Reload(func(string, *ir.Spare) *ir.File { return nil }, keep)
		threeFamilies(p, g)
		all, sum := g.changed(), 0
		var most []int
		for _, n := range all {
			most = append(most, g.families[n].Most)
			sum += g.families[n].Most
		}
		if g.families[all[0]].Name != "python" || !slices.IsSortedFunc(most, func(a, b int) int { return b - a }) ||
			sum > g.settings.Room()/part || sum < g.settings.Room()/part-len(all) {
			t.Errorf("%s is first; they have %d of %d", g.families[all[0]].Name, most, g.settings.Room())
		}
		g.Resolve()
		g.Put("one", &ir.File{Language: "python", Strings: []string{""}, Funcs: make([]ir.FuncInfo, 2)})
		all = g.changed()
		if most := g.families[all[0]].Most; len(all) != 1 || most != g.settings.Room() && most != g.settings.Room()/part {
			t.Errorf("of %d families the first has %d", len(all), most)
		}
	}
}

// Every goroutine of a Resolve has a function of its own to call between two steps.
func TestBetween(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	g := New()
	threeFamilies(p, g)
	var begun, steps atomic.Int32
	g.Between(func() func() {
		begun.Add(1)
		own := 0 // the race detector sees who shares it
		return func() {
			own++
			steps.Add(1)
		}
	})
	g.Resolve()
	if n := int(begun.Load()); n != min(3, runtime.GOMAXPROCS(0)) || steps.Load() < 40 {
		t.Errorf("%d goroutines make %d steps", n, steps.Load())
	}
}

// A fault in one family costs that its files, and comes when nothing runs any more. The others have theirs.
func TestFault(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	g := New()
	threeFamilies(p, g)
	text := []byte("package shop\n\nfunc more() {}\n")
	f, tree := p.ParseTree("go", text)
	broken := lower.File(&f, tree)
	broken.Funcs = broken.Funcs[:1] // without its top-level code
	g.Put("go/broken", broken)
	faults := g.Resolve()
	if len(faults) != 1 || g.Has("go/f0") || g.Has("go/broken") {
		t.Fatalf("faults %v, and the files are there: %v", faults, g.Has("go/f0"))
	}
	edges := map[string]int{}
	count := func() {
		clear(edges)
		g.Each(func(e edge.Edge) bool {
			edges[g.Node(e.From).Language]++
			return true
		})
	}
	if count(); edges["python"] == 0 || edges["ruby"] == 0 || edges["go"] != 0 {
		t.Errorf("the edges by language are %v", edges)
	}
	was := edges["python"]
	f, tree = p.ParseTree("python", []byte("def last():\n    return last()\n"))
	g.Put("python/last", lower.File(&f, tree))
	f, tree = p.ParseTree("go", text)
	g.Put("go/more", lower.File(&f, tree))
	if faults = g.Resolve(); len(faults) != 0 || g.Has("go/more") {
		t.Errorf("later: faults %v, and a file of the family is there: %v", faults, g.Has("go/more"))
	}
	if count(); edges["python"] <= was {
		t.Errorf("%d edges of Python after a file more, %d before", edges["python"], was)
	}
}

// A project with more functions than names: the number of a class is no name.
func TestMoreEntitiesThanNames(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	g := New()
	put := func(path, text string) {
		f, tree := p.ParseTree("csharp", []byte(text))
		g.Put(path, lower.File(&f, tree))
	}
	put("a.cs", "static class Many {\n"+strings.Repeat("  static void A() {}\n", 5000)+"}\n")
	put("shop.cs", `using System.Collections.Generic;
class Item {}
static class More { static void Add(this List<Item> list, string s) {} }
class Shop { void Fill(List<Item> list, Item item, string s) { list.Add(item); list.Add(s); } }
`)
	g.Resolve()
	calls := 0
	g.Each(func(e edge.Edge) bool {
		if g.Node(e.From).Name == "Shop.Fill" && g.Node(e.To).Name == "More.Add" {
			calls++
		}
		return true
	})
	if calls != 1 {
		t.Errorf("%d calls of the extension, want 1: the other one is of the list", calls)
	}
}
