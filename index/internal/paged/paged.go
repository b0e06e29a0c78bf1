// Package paged has arrays by the numbers of nodes of the call graph, of which few are used.
package paged

import "github.com/quarry-search/quarry/index/internal/graph/edge"

// pageSize is how many nodes a page has, and how many pages a group: little for a question about
// few, and quick for one about most.
const pageSize = 256

// An Array has something of nodes, the zero value of most.
type Array[T any] struct {
	groups []*[pageSize]*[pageSize]T
}

// At returns where that of a node is.
func (p *Array[T]) At(id edge.ID) *T {
	group, page := int(id/(pageSize*pageSize)), id/pageSize%pageSize
	if group >= len(p.groups) {
		p.groups = append(p.groups, make([]*[pageSize]*[pageSize]T, group+1-len(p.groups))...)
	}
	pages := p.groups[group]
	if pages == nil {
		pages = new([pageSize]*[pageSize]T)
		p.groups[group] = pages
	}
	if pages[page] == nil {
		pages[page] = new([pageSize]T)
	}
	return &pages[page][id%pageSize]
}

// Get returns what a node has. It is safe for concurrent use where nobody calls At.
func (p *Array[T]) Get(id edge.ID) (have T) {
	group, page := int(id/(pageSize*pageSize)), id/pageSize%pageSize
	if group >= len(p.groups) || p.groups[group] == nil || p.groups[group][page] == nil {
		return have
	}
	return p.groups[group][page][id%pageSize]
}
