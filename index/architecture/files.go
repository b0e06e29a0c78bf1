package architecture

import (
	"context"

	"github.com/quarry-search/quarry/index/internal/store"
)

// A FileLink says that a file depends on another one in some way, or on a folder as a whole, as an
// import of a package of Go does.
type FileLink struct {
	From   string
	To     string // a file or, if Folder, a folder
	Folder bool
	Test   bool // test code does
}

// FileLinks returns how the files of an index depend on each other, each link once, and the files that
// this is known of: those with a part in the call graph. Both are as of the present state.
func FileLinks(ctx context.Context, x *store.View) (links []FileLink, of map[string]bool, err error) {
	k := store.Kept[known](x)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(ctx, x); err != nil {
		return nil, nil, err
	}
	p := k.program
	of = make(map[string]bool, len(p.files))
	for i := range p.files {
		of[p.files[i].path] = true
	}
	for i := range p.links {
		l := &p.links[i]
		if i > 0 && p.links[i-1].from == l.from && p.links[i-1].to == l.to && (p.links[i-1].test == l.test || l.test) {
			continue
		}
		one := FileLink{From: p.files[l.from].path, Test: l.test}
		if n := int(l.to) - len(p.files); n >= 0 {
			one.To, one.Folder = p.folders[n], true
		} else {
			one.To = p.files[l.to].path
		}
		links = append(links, one)
	}
	return links, of, nil
}
