package graph

// What tests must know of the numbers of nodes.
const (
	MaxFamilies = maxFamilies
	MaxNodes    = maxNodes
)

// FamilyName is the family that a language belongs to.
func FamilyName(language string) string { return familyName(language) }

// Large has a graph keep only the frozen form of families that take more than some bytes.
func (g *Graph) Large(bytes int64) { g.large = bytes }
