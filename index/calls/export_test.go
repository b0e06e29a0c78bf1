package calls

import (
	"context"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// ToRead returns how many files are looked at for calls of a name, and of how many.
func ToRead(ctx context.Context, x *store.View, name string) (n, all int, err error) {
	sources, err := texts.SourcesOf(ctx, x)
	if err != nil {
		return 0, 0, err
	}
	every, err := texts.Compile(".", line.Options{})
	if err != nil {
		return 0, 0, err
	}
	ReadGraph(x, func(w *Walk) {
		t := witness{Walk: w, asked: map[string]*askedName{name: {}}}
		s := &texts.Search{Index: x, Pattern: every, Sources: sources, Files: sources.Files}
		s.Look()
		for range t.toRead(ctx, s, sources.State.Generation) {
			n++
		}
	})
	return n, len(sources.Files), nil
}
