package search

import (
	"math"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Why says in short what a result has of the question.
type Why struct {
	// Words of the question, folded and in its order, that are in the result's chunk, in its
	// path or in the name around its symbol, in any form of the same stem. Never nil.
	Words   []string `json:"words"`
	Symbol  string   `json:"symbol,omitempty"`  // the result's, where its name is the one asked for or has some of the words
	Meaning *float64 `json:"meaning,omitempty"` // cosine of the vectors of question and chunk, in hundredths; nil: they were not compared
}

// reasons are the words of a question, which results are looked through for.
type reasons struct{ words, stems []string }

// reasons returns nil where the query does not ask for them.
func (q *Query) reasons() *reasons {
	if !q.Why {
		return nil
	}
	return wordsOf(q.Text)
}

// wordsOf returns the words of a question.
func wordsOf(text string) *reasons {
	w := &reasons{}
	for _, stopWords := range []bool{false, true} {
		for _, field := range strings.Fields(text) {
			for _, word := range store.NameWords(field) {
				if rank.StopWord(word) == stopWords && word != "" && !slices.Contains(w.words, word) {
					w.words, w.stems = append(w.words, word), append(w.stems, lexical.Stem(word))
				}
			}
		}
		if len(w.words) > 0 {
			break // they count only where there are no others
		}
	}
	return w
}

// of says why a hit is a result; nil where nobody asked.
func (w *reasons) of(h *hit, r *Result) *Why {
	if w == nil {
		return nil
	}
	found := make([]bool, len(w.words))
	look := func(text []byte) (some bool) {
		lexical.Split(text, func(term []byte) {
			for i, stem := range w.stems {
				// The whole of an identifier comes before its parts.
				if stem != "" && len(term) > 0 && term[0] == stem[0] && lexical.Stem(string(term)) == stem {
					found[i], some = true, true
				}
			}
		})
		return some
	}
	look(h.text())
	look([]byte(h.record.Path))
	why := &Why{Words: []string{}}
	asked := false
	if h.symbol >= 0 {
		sym := &h.record.Symbols[h.symbol]
		look([]byte(sym.Parent))
		asked = sym.Name == r.Symbol && (h.score.Definition > 0 || h.score.Identifier > 0)
	}
	if look([]byte(r.Symbol)) || asked {
		why.Symbol = r.Symbol
	}
	for i, word := range w.words {
		if found[i] {
			why.Words = append(why.Words, word)
		}
	}
	if h.score.Meaning != 0 {
		cosine := math.Round(h.score.Meaning*100) / 100
		why.Meaning = &cosine
	}
	return why
}
