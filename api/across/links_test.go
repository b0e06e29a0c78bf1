package across

import (
	"testing"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/index/links"
)

func TestLinkCacheBound(t *testing.T) {
	var c linkCache
	half := links.LinksAnswer{Calls: make([]links.Link, maxLinks/2)}
	p := []project.Info{{Root: "/a", Loaded: true}, {Root: "/b", Loaded: true}, {Root: "/c", Loaded: true}}
	c.put(&p[0], &p[1], half)
	c.put(&p[0], &p[2], half)
	c.put(&p[1], &p[2], half)
	if _, ok := c.get(&p[0], &p[1]); ok || len(c.kept) != 2 || c.size != maxLinks {
		t.Errorf("%d pairs, %d links", len(c.kept), c.size)
	}
	c.put(&p[1], &p[2], links.LinksAnswer{Calls: make([]links.Link, maxLinks+1)})
	if len(c.kept) != 1 || c.size != maxLinks/2 {
		t.Errorf("%d pairs, %d links", len(c.kept), c.size)
	}
	c.keep(p[:2])
	if len(c.kept) != 0 || c.size != 0 {
		t.Errorf("%d pairs, %d links", len(c.kept), c.size)
	}
}
