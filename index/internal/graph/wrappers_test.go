package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
)

// Wrappers that hold each other through an interface are called once each, and not once
// by every way through them: with twice as many there is four times as much to do at most.
func TestWrappers(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	steps := func(wrappers int) int {
		var b strings.Builder
		b.WriteString("package store\n\ntype Store interface{ Get() }\n\ntype Disk struct{}\n\nfunc (d *Disk) Get() {}\n\n")
		for n := range wrappers {
			fmt.Fprintf(&b, "type Wrapper%d struct{ Store }\n\n", n)
		}
		b.WriteString("func Open() {\n\tvar s Store = &Disk{}\n")
		for n := range wrappers {
			fmt.Fprintf(&b, "\tif s != nil {\n\t\ts = &Wrapper%d{s}\n\t}\n", n)
		}
		b.WriteString("\ts.Get()\n}\n")
		f, tree := p.ParseTree("go", []byte(b.String()))
		g := New()
		g.Put("store.go", lower.File(&f, tree))
		g.Resolve()
		if n := g.Stats().Edges; n == 0 {
			t.Fatal("no edges")
		}
		return g.families[0].Steps // of the unit that was evaluated last, which is the only function with a call
	}
	few, many := steps(6), steps(12)
	if few < 6 || many > 5*few {
		t.Errorf("6 wrappers take %d steps, 12 take %d", few, many)
	}
}

// A call in a function that is too much to follow is not wholly resolved, whatever was
// found: who asks for callers of that name is told.
func TestTooManySteps(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	open := func(bound int) (sites int) {
		f, tree := p.ParseTree("go", []byte(`package store

type Store interface{ Get() }

type Disk struct{}

func (Disk) Get() {}

type Memory struct{}

func (Memory) Get() {}

func Open(fast bool) {
	var s Store = Disk{}
	if fast {
		s = Memory{}
	}
	s.Get()
}
`))
		g := New()
		g.settings.StepBound = bound
		g.Put("store.go", lower.File(&f, tree))
		g.Resolve()
		g.EachSite(func(s edge.Site) bool {
			if s.Name == "Get" && s.Reason == edge.TooMany {
				sites++
			}
			return true
		})
		return sites
	}
	if n := open(0); n != 0 {
		t.Errorf("%d calls are not wholly resolved", n)
	}
	if n := open(2); n != 1 {
		t.Errorf("bounded, %d calls are not wholly resolved, not 1", n)
	}
}
