package program

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/intern"
)

// Hashes are hashes by name, in order. Of two versions they are compared, and kept no
// longer than 32 bits for it: one change in four thousand million is not seen.
type Hashes []nameHash

// Of returns the hash of a name, or 0.
func (h Hashes) Of(n intern.Name) uint32 {
	at, ok := slices.BinarySearchFunc(h, n, func(e nameHash, n intern.Name) int { return cmp.Compare(e.Name, n) })
	if !ok {
		return 0
	}
	return h[at].hash
}

type nameHash struct {
	Name intern.Name
	hash uint32
}

// NewHashes puts hashes in order.
func NewHashes(by map[intern.Name]uint64) Hashes {
	out := make(Hashes, 0, len(by))
	for n, h := range by {
		out = append(out, nameHash{n, uint32(h^h>>32) | 1})
	}
	slices.SortFunc(out, func(a, b nameHash) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Differing makes the names dirty whose hashes differ.
func Differing(dirty map[intern.Name]bool, a, b Hashes) {
	for _, e := range a {
		if b.Of(e.Name) != e.hash {
			dirty[e.Name] = true
		}
	}
	for _, e := range b {
		if a.Of(e.Name) == 0 {
			dirty[e.Name] = true
		}
	}
}
