package program

import (
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/graph/intern"
)

// Bytes returns about how much memory the family takes, without the expressions that are
// at hand.
func (g *Family) Bytes() int64 {
	if f := g.Frozen; f != nil {
		return f.Bytes()
	}
	const indexed = 8 // of a site, in the index of them
	n := g.Names.Bytes() + g.Into.bytes() + intern.SizeOf(g.Entities) + g.ByKey.Bytes() + g.Cells.Bytes() + g.ByCell.Bytes() + g.Values.Bytes()
	for i := range g.Cells.Len() {
		n += intern.SizeOf(g.Cells.At(uint32(i)).Readers)
	}
	for _, u := range g.Units {
		if u != nil {
			n += int64(unsafe.Sizeof(*u)) + intern.SizeOf(u.Constraints) + intern.SizeOf(u.Edges) + intern.SizeOf(u.Sites) + int64(len(u.Sites))*indexed
		}
	}
	for _, f := range g.Files {
		n += int64(unsafe.Sizeof(*f)) + intern.SizeOf(f.Names) + intern.SizeOf(f.VarTypes) + intern.SizeOf(f.Results.ends) + intern.SizeOf(f.Results.sets) + intern.SizeOf(f.TextHashes) + intern.SizeOf(f.MeaningHashes) +
			intern.SizeOf(f.IR.Funcs) + intern.SizeOf(f.IR.Vars) + intern.SizeOf(f.IR.Classes) + intern.SizeOf(f.IR.Imports)
		for i := range f.IR.Funcs {
			n += intern.SizeOf(f.IR.Funcs[i].Params) + intern.SizeOf(f.IR.Funcs[i].Results)
		}
	}
	return n
}
