package graph

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/lang"
)

// What tests must know of the numbers of nodes.
const (
	MaxFamilies = edge.MaxFamilies
	MaxNodes    = edge.MaxNodes
)

// FamilyName is the family that a language belongs to.
func FamilyName(language string) string { return lang.FamilyName(language) }

// Bound has families that are kept whole take no more than some bytes together.
func (g *Graph) Bound(bytes int64) { g.settings.Bound = bytes }

// Memos has a family keep no more than some numbers of memos while it is solved.
func (g *Graph) Memos(numbers int) { g.settings.Memos = numbers }

// Whole are the families that are kept whole, with the bytes that they take.
func (g *Graph) Whole() map[string]int64 {
	all := map[string]int64{}
	for _, f := range g.families {
		if f.Frozen == nil {
			all[f.Name] = f.Weight
		}
	}
	return all
}
