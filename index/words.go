package index

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
)

// A WordCount says how many chunks have a word, whatever its form.
type WordCount struct {
	Word   uint64 `json:"word"` // its hash, as Words gives it
	Chunks int    `json:"chunks"`
}

// Words returns the words of a text that say something, as hashes.
func Words(text string) []uint64 {
	terms := lexical.Query([]byte(text), func(term []byte) bool { return !rank.StopWord(string(term)) })
	words := make([]uint64, len(terms))
	for i, t := range terms {
		words[i] = t.Hash
	}
	return words
}

// WordCounts returns the n words that most chunks have, the most frequent first.
func (x *Index) WordCounts(n int) []WordCount {
	if n == 0 {
		return nil
	}
	x.Mu.RLock()
	var all []WordCount
	for hash, chunks := range x.Table.Words.Counts() {
		all = append(all, WordCount{hash, chunks})
	}
	x.Mu.RUnlock()
	slices.SortFunc(all, func(a, b WordCount) int { return cmp.Or(cmp.Compare(b.Chunks, a.Chunks), cmp.Compare(a.Word, b.Word)) })
	return all[:min(n, len(all))]
}
