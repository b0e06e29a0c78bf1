package contextual

import (
	"strings"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/wordpiece"
)

// What is read; the model was trained with these. Tokens are sub-words, those of a whole row
// with [CLS] and without [SEP].
const (
	questionTokens = 25
	documentTokens = 95
	namesTokens    = 14
	namesWords     = 16
	textTokens     = 88
	textWords      = 100
	partBytes      = 2000 // of names or text
)

// question returns what the model reads of a question, [CLS] words [SEP], nil if it has no word.
func question(v *wordpiece.Vocabulary, text string) []int64 {
	row := v.Append([]int64{v.CLS}, text, questionTokens-1)
	return finish(v, row, questionTokens)
}

// document returns what the model reads of a document, [CLS] names text [SEP], nil if it has no
// word. The names are those of the file and of the symbols. A word counts once in each part:
// code says most of its words often.
func document(v *wordpiece.Vocabulary, d embed.Document) []int64 {
	_, stem := model.SplitPath(d.Path)
	row := append(make([]int64, 0, documentTokens+1), v.CLS)
	row = appendOnce(v, row, stem+" "+d.Names, namesTokens, namesWords)
	row = appendOnce(v, row, d.Text, textTokens, textWords)
	return finish(v, row, documentTokens)
}

// finish cuts a row and ends it.
func finish(v *wordpiece.Vocabulary, row []int64, most int) []int64 {
	for _, id := range row[1:] {
		if id != v.Unknown {
			return append(row[:min(len(row), most)], v.SEP)
		}
	}
	return nil
}

// appendOnce appends the sub-words of a text, each word once: at most so many sub-words, of at
// most so many words.
func appendOnce(v *wordpiece.Vocabulary, dst []int64, text string, tokens, words int) []int64 {
	limit := len(dst) + tokens
	seen := make(map[string]bool, words)
	for word := range wordpiece.Words(text[:min(len(text), partBytes)]) {
		if len(dst) >= limit || len(seen) == words {
			break
		}
		if word = strings.ToLower(word); !seen[word] {
			seen[word] = true
			dst = v.Cut(dst, word)
		}
	}
	return dst[:min(len(dst), limit)]
}
