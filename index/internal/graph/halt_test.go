package graph

import (
	"fmt"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
)

// A Resolve ends soon after it is halted, wherever it is, and leaves no mess that it
// would stumble over.
func TestHalt(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	file := func(n int) *ir.File {
		text := fmt.Appendf(nil, `package shop

type T%[1]d struct{ T%[2]d }

func (t T%[1]d) Sell() { t.Buy%[2]d(); F%[2]d() }

func (t T%[1]d) Buy%[1]d() { F%[1]d() }

func F%[1]d() { T%[2]d{}.Sell() }
`, n, n+1)
		f, tree := p.ParseTree("go", text)
		return lower.File(&f, tree)
	}
	fill := func() *Graph {
		g := New()
		for n := range 200 {
			g.Put(fmt.Sprintf("f%d.go", n), file(n))
		}
		return g
	}
	whole := fill()
	began := time.Now()
	whole.Resolve()
	took := time.Since(began)
	edges := whole.Stats().Edges
	if edges < 200 {
		t.Fatalf("%d edges", edges)
	}

	g := fill()
	g.Halt()
	g.Resolve()
	if n := g.Stats().Edges; n != 0 {
		t.Errorf("halted before it began: %d edges", n)
	}
	moments := 30
	if testing.Short() {
		moments = 10
	}
	for i := range moments {
		g := fill()
		timer := time.AfterFunc(took*time.Duration(i)/time.Duration(moments), g.Halt)
		g.Resolve()
		timer.Stop()
		// The same of an update.
		h := fill()
		h.Resolve()
		h.Put("f7.go", file(1000))
		h.Put("f8.go", file(7))
		timer = time.AfterFunc(took*time.Duration(i)/time.Duration(2*moments), h.Halt)
		h.Resolve()
		timer.Stop()
	}
}
