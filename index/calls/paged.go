package calls

import "github.com/quarry-search/quarry/index/internal/graph"

// pageSize is how many nodes a page has, and how many pages a group: little for a question about
// few, and quick for one about most.
const pageSize = 256

// A paged has something of nodes, the zero value of most.
type paged[T any] struct {
	groups []*[pageSize]*[pageSize]T
}

// at returns where that of a node is.
func (p *paged[T]) at(id graph.ID) *T {
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
