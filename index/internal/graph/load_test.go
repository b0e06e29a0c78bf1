package graph

import (
	"fmt"
	"testing"

	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
)

// A graph that is brought up to date all day holds no version of a file but the last one.
func TestVersionsAreLetGo(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	version := func(n int) *ir.File {
		text := fmt.Appendf(nil, "package shop\n\nfunc version%d() { other() }\n\nfunc other() {}\n", n)
		f, tree := p.ParseTree("go", text)
		return lower.File(&f, tree)
	}
	g := New()
	g.Reload(func(string, *ir.Spare) *ir.File { return nil }, 0)
	for n := range 50 {
		g.Put("a.go", version(n))
		if n%10 == 9 {
			g.Remove("a.go")
		}
		g.Resolve()
	}
	if f := g.families[0]; len(f.Loaded) != 0 || f.Nodes != 0 {
		t.Errorf("%d versions with %d expressions are held of a file that is gone", len(f.Loaded), f.Nodes)
	}
	g.Put("a.go", version(0))
	g.Resolve()
	if f := g.families[0]; len(f.Loaded) != 1 {
		t.Errorf("%d versions are held of one file", len(f.Loaded))
	}
}
