package graph

// What tests must know of the numbers of nodes.
const (
	MaxFamilies = maxFamilies
	MaxNodes    = maxNodes
)

// FamilyName is the family that a language belongs to.
func FamilyName(language string) string { return familyName(language) }

// Bound has families that are kept whole take no more than some bytes together.
func (g *Graph) Bound(bytes int64) { g.bound = bytes }

// Memos has a family keep no more than some numbers of memos while it is solved.
func (g *Graph) Memos(numbers int) { g.memos = numbers }

// Whole are the families that are kept whole, with the bytes that they take.
func (g *Graph) Whole() map[string]int64 {
	all := map[string]int64{}
	for _, f := range g.families {
		if f.frozen == nil {
			all[f.name] = f.weight
		}
	}
	return all
}
