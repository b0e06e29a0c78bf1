// Package rerank has what a reranker reads and how it reads it: the built-in model's files,
// its words, and the rows of tokens that a question and a passage make together. Package
// embed/onnx runs it.
//
// The model is a cross-encoder: it reads the question and one passage at a time and gives
// one number, higher for passages that answer. Numbers of one question are comparable.
package rerank

import (
	"strings"
)

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

// bytesPerToken bounds what is looked at of a part.
const bytesPerToken = 12

// A Row is a question and a passage as tokens; Types is 0 for the question and 1 for the
// passage.
type Row struct{ Tokens, Types []int64 }

// Rows returns the rows of a question and each passage.
func (v *Vocabulary) Rows(question string, passages []Passage) []Row {
	asked := v.append(nil, question, questionTokens)
	rows := make([]Row, len(passages))
	for i, p := range passages {
		tokens := make([]int64, 0, rowTokens)
		tokens = append(append(append(tokens, v.cls), asked...), v.sep)
		first := len(tokens)
		tokens = v.append(tokens, p.Names, namesTokens)
		tokens = v.append(tokens, p.Doc, docTokens)
		tokens = v.append(tokens, p.Text, textTokens)
		tokens = append(tokens[:min(len(tokens), rowTokens-1)], v.sep)
		types := make([]int64, len(tokens))
		for n := first; n < len(types); n++ {
			types[n] = 1
		}
		rows[i] = Row{tokens, types}
	}
	return rows
}

// append appends the tokens of a text, at most most.
func (v *Vocabulary) append(dst []int64, text string, most int) []int64 {
	limit, looked := len(dst)+most, 0
	for word := range words(text) {
		if len(dst) >= limit || looked > most*bytesPerToken {
			break
		}
		looked += len(word) + 1
		dst = v.cut(dst, strings.ToLower(word))
	}
	return dst[:min(len(dst), limit)]
}

// words calls yield for the words of a text: runs of letters a to z, cut at the boundaries of
// camelCase, and runs of at most four digits.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			n := wordEnd(text[i:])
			if n == 0 {
				i++
				continue
			}
			if !yield(text[i : i+n]) {
				return
			}
			i += n
		}
	}
}

// maxDigits bounds a word of digits: the rest is another.
const maxDigits = 4

// wordEnd returns the length of the word that a text begins with, 0 for none.
func wordEnd(s string) int {
	count := func(from int, is func(byte) bool) int {
		for from < len(s) && is(s[from]) {
			from++
		}
		return from
	}
	switch c := s[0]; {
	case isLower(c):
		return count(0, isLower)
	case isUpper(c):
		n := count(0, isUpper)
		switch {
		case n < len(s) && isLower(s[n]) && n > 1:
			return n - 1 // the last capital begins the next word
		case n < len(s) && isLower(s[n]):
			return count(n, isLower)
		}
		return n
	case isDigit(c):
		return min(count(0, isDigit), maxDigits)
	}
	return 0
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
