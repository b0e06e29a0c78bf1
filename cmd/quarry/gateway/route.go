package gateway

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/index"
)

// routeWithin is how long a search waits for the catalogue to say which repositories have its words.
const routeWithin = time.Second

// route puts repositories in an order: those first that are the likeliest to have something for a search.
// Where the catalogue does not answer, their names alone say so.
func (g *Gateway) route(ctx context.Context, names, questions []string) {
	words := index.Words(strings.Join(questions, "\n"))
	within, cancel := context.WithTimeout(ctx, routeWithin)
	defer cancel()
	have, err := g.opt.Catalogue.Words(within, words, names)
	if err != nil && ctx.Err() == nil {
		g.opt.Log.Warn("which repositories have the words of a search is not known: their names are what counts", "err", err)
	}
	all := make([]routed, len(names))
	g.mu.Lock()
	for i, name := range names {
		all[i].name = name
		if r := g.known[name]; r != nil {
			all[i].chunks, all[i].used = r.row.Chunks, r.row.Used
		}
	}
	g.mu.Unlock()
	rank(all, words, have)
	for i := range all {
		names[i] = all[i].name
	}
}

// A routed is a repository that a search may ask.
type routed struct {
	name   string
	chunks int
	used   int64
	score  float64
}

// What counts besides the words in the chunks of a repository: as much as all of them, and as
// little as one that says next to nothing.
const (
	nameCounts = 1.0
	useCounts  = 0.02
)

// rank orders repositories by CORI (Callan, Lu and Croft, 1995): by how many of their chunks have the words
// of a search, each word the more, the fewer of these repositories have it. Nothing is known here of any other.
func rank(all []routed, words []uint64, have []catalogue.Word) {
	at := map[string]int{}
	mean, most := 1.0, int64(1)
	for i := range all {
		at[all[i].name] = i
		mean += float64(all[i].chunks) / float64(len(all))
		most = max(most, all[i].used)
	}
	among := map[uint64]float64{}
	named := make([]map[uint64]bool, len(all))
	for i := range all {
		named[i] = map[uint64]bool{}
		_, path, _ := strings.Cut(all[i].name, "/") // the host says nothing
		for _, w := range index.Words(path) {
			named[i][w] = true
		}
	}
	for _, h := range have {
		among[h.Word]++
	}
	n := float64(len(all))
	rarity := func(w uint64) float64 { return math.Log((n+0.5)/max(among[w], 0.5)) / math.Log(n+1) }
	for _, h := range have {
		i, ok := at[h.Repository]
		if !ok {
			continue
		}
		df := float64(h.Chunks)
		all[i].score += df / (df + 50 + 150*float64(all[i].chunks)/mean) * rarity(h.Word) / float64(len(words))
	}
	for i := range all {
		for _, w := range words {
			if named[i][w] {
				all[i].score += nameCounts * rarity(w) / float64(len(words))
			}
		}
		all[i].score += useCounts * math.Log1p(float64(all[i].used)) / math.Log1p(float64(most))
	}
	slices.SortStableFunc(all, func(a, b routed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name)) })
}
