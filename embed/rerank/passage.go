// Package rerank has what a reranker reads and how it reads it: the built-in model, and the
// rows of tokens that a question and a passage make together. Package embed/onnx runs it.
//
// The model is a cross-encoder: it reads the question and one passage at a time and gives
// one number, higher for passages that answer. Numbers of one question are comparable.
package rerank

import "github.com/quarry-search/quarry/embed/wordpiece"

// A Passage is what is read of a result, in its parts.
type Passage struct {
	Names string // of the file and of the symbol, with what that stands in
	Doc   string // of the symbol, as prose
	Text  string
}

// Tokens of the parts that are read, and of a row as a whole. The model was trained with
// these.
const (
	questionTokens = 24
	namesTokens    = 14
	docTokens      = 32
	textTokens     = 160
	rowTokens      = 144
)

// A Row is a question and a passage as tokens; Types is 0 for the question and 1 for the
// passage.
type Row struct{ Tokens, Types []int64 }

// Rows returns the rows of a question and each passage.
func Rows(v *wordpiece.Vocabulary, question string, passages []Passage) []Row {
	asked := v.Append(nil, question, questionTokens)
	rows := make([]Row, len(passages))
	for i, p := range passages {
		tokens := make([]int64, 0, rowTokens)
		tokens = append(append(append(tokens, v.CLS), asked...), v.SEP)
		first := len(tokens)
		tokens = v.Append(tokens, p.Names, namesTokens)
		tokens = v.Append(tokens, p.Doc, docTokens)
		tokens = v.Append(tokens, p.Text, textTokens)
		tokens = append(tokens[:min(len(tokens), rowTokens-1)], v.SEP)
		types := make([]int64, len(tokens))
		for n := first; n < len(types); n++ {
			types[n] = 1
		}
		rows[i] = Row{tokens, types}
	}
	return rows
}
