package ir_test

import (
	"bytes"
	"testing"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// TestSpare restores files of each other's memory, with what is kept of a damaged one,
// too: each is what it is without.
func TestSpare(t *testing.T) {
	var spare ir.Spare
	reused := 0
	mine := map[*ir.Node]bool{}
	lowered(t, func(name string, f *ir.File) {
		data := append(spare.Bytes(), saved(f)...)
		g := ir.Restore(snapshot.NewDecoder(data), &spare)
		spare.Keep(data)
		if again := saved(g); !bytes.Equal(again, saved(f)) {
			t.Errorf("%s: another file comes back", name)
		}
		if mine[&g.Exprs[0]] {
			reused++
		}
		mine[&g.Exprs[0]] = true
		ir.Restore(snapshot.NewDecoder(data[:len(data)*3/4]), &spare)
		for i := range g.Exprs {
			g.Exprs[i] = ir.Node{Op: ir.Call, Flags: 255, Name: 99, A: 99, B: 99, Ref: 99, Lo: 99, Hi: 999, Pos: 99}
		}
		for i := range g.Args {
			g.Args[i] = ir.Arg{Name: 99, X: 99, Kind: 99}
		}
		spare.Add(g.Exprs, g.Args)
	})
	if reused < len(mine) {
		t.Errorf("%d lists are used again, and %d are made", reused, len(mine))
	}
}
