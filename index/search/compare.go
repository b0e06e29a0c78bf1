package search

import (
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// lookAt is how many chunks are read for their words to be compared with the question's.
const lookAt = 40

// mostRare bounds how much a word counts because it is rare.
const mostRare = 6

// comparing returns what compares the words of the question with those of a chunk, nil where
// there are no vectors or the model does not know words, and what must be called in the end.
func (s *inquiry) comparing(x *store.View, meaning []float32) (look func(*rank.Evidence), done func()) {
	words, ok := x.Opt.Embedder.(embed.Comparer)
	if len(meaning) == 0 || !ok || s.asked.Symbol != "" {
		return nil, func() {}
	}
	c := words.Compare(s.asked.Text, func(word string) float64 {
		if rank.StopWord(word) {
			return 0
		}
		return min(s.table.Words.IDF(lexical.Stem(word)), mostRare)
	})
	return func(e *rank.Evidence) {
		r := s.records[e.File]
		p := &r.Chunks[e.Piece]
		e.Alike = c.With(string(r.Text.Slice(int(p.Start), int(p.End))))
		name, _ := rank.PathParts(r.Path)
		for _, sym := range r.Begun(p) {
			name += " " + sym.Qualified()
		}
		if len(name) > 0 && p.Symbol >= 0 && !p.Holds(&r.Symbols[p.Symbol]) {
			name += " " + r.Symbols[p.Symbol].Qualified()
		}
		e.NamesAlike = c.With(name)
	}, c.Close
}
