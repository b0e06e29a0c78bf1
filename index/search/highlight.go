package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Highlighter finds the words of a question in texts, in any form of the same stem, as Why
// does.
type Highlighter struct{ words *reasons }

// NewHighlighter returns one for a question.
func NewHighlighter(question string) Highlighter { return Highlighter{wordsOf(question)} }

// A Highlight is where a text has a word of the question.
type Highlight struct {
	From, To int // bytes of the text
	Word     int // which word, from 0
}

// Find returns where a line has words of the question: whole identifiers, and parts of them
// at underscores and camelCase boundaries. They are in order and do not overlap.
func (h Highlighter) Find(line string) []Highlight {
	var found []Highlight
	for from := 0; from < len(line); {
		r, size := utf8.DecodeRuneInString(line[from:])
		if !store.WordRune(r) && r != '_' {
			from += size
			continue
		}
		to := from
		for to < len(line) {
			r, size := utf8.DecodeRuneInString(line[to:])
			if !store.WordRune(r) && r != '_' {
				break
			}
			to += size
		}
		found = h.identifier(found, line[from:to], from)
		from = to
	}
	return found
}

// identifier appends where an identifier, which begins at a byte of its text, has words.
func (h Highlighter) identifier(found []Highlight, name string, at int) []Highlight {
	if word := h.word(name); word >= 0 {
		return append(found, Highlight{at, at + len(name), word})
	}
	runes := []rune(name)
	starts := store.Humps(nil, runes, false)
	for i, start := range starts {
		end := len(runes)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		part := strings.TrimRight(string(runes[start:end]), "_")
		if word := h.word(part); word >= 0 {
			from := at + len(string(runes[:start]))
			found = append(found, Highlight{from, from + len(part), word})
		}
	}
	return found
}

// word returns which word of the question a text is a form of, -1 for none.
func (h Highlighter) word(text string) int {
	return slices.Index(h.words.stems, lexical.Stem(strings.ToLower(text)))
}
