// Package wordpiece cuts text into the sub-words that the built-in networks read, the reranker
// (embed/rerank) and the encoder (embed/contextual). Only runs of letters a to z, cut at the
// boundaries of camelCase, and digits are read: punctuation says little about what code is
// for, and costs time.
package wordpiece

import (
	"bytes"
	_ "embed" // for the list
	"fmt"
	"strings"
	"sync"
)

//go:embed vocab.txt
var list []byte

// A Vocabulary cuts words into the sub-words that the model knows, WordPiece as of BERT: the
// longest sub-word first, those within a word with "##" before them. It does not change and is
// safe for concurrent use.
type Vocabulary struct {
	ids map[string]int64

	CLS, SEP int64 // [CLS] and [SEP], which begin and end a row
	Unknown  int64 // [UNK], of a word that cannot be cut
}

// Builtin returns the vocabulary of the built-in networks: 27,511 sub-words, which all share.
func Builtin() (*Vocabulary, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Vocabulary, error) { return New(list) })

// New reads a list of sub-words, a line each; the number of a sub-word is its line's,
// from 0. [PAD] must be the first.
func New(list []byte) (*Vocabulary, error) {
	v := &Vocabulary{ids: map[string]int64{}}
	for n, line := range bytes.Split(bytes.TrimSuffix(list, []byte("\n")), []byte("\n")) {
		v.ids[string(line)] = int64(n)
	}
	for _, special := range []struct {
		name string
		id   *int64
	}{{"[CLS]", &v.CLS}, {"[SEP]", &v.SEP}, {"[UNK]", &v.Unknown}} {
		id, ok := v.ids[special.name]
		if !ok {
			return nil, fmt.Errorf("wordpiece: the vocabulary has no %s", special.name)
		}
		*special.id = id
	}
	if pad, ok := v.ids["[PAD]"]; !ok || pad != 0 {
		return nil, fmt.Errorf("wordpiece: [PAD] is not the first of the vocabulary")
	}
	return v, nil
}

// longestWord is the length from which a word is not looked up, as in BERT.
const longestWord = 100

// Append appends the sub-words of a text's words, at most most of them.
func (v *Vocabulary) Append(dst []int64, text string, most int) []int64 {
	limit, looked := len(dst)+most, 0
	for word := range Words(text) {
		if len(dst) >= limit || looked > most*bytesPerToken {
			break
		}
		looked += len(word) + 1
		dst = v.Cut(dst, strings.ToLower(word))
	}
	return dst[:min(len(dst), limit)]
}

// bytesPerToken bounds what is looked at of a text.
const bytesPerToken = 12

// Cut appends the sub-words of a word in lower case, or the unknown one.
func (v *Vocabulary) Cut(dst []int64, word string) []int64 {
	n := len(dst)
	if len(word) > longestWord {
		return append(dst, v.Unknown)
	}
	buf := make([]byte, 0, longestWord+2)
	for from := 0; from < len(word); {
		to := len(word)
		for ; to > from; to-- {
			buf = buf[:0]
			if from > 0 {
				buf = append(buf, '#', '#')
			}
			buf = append(buf, word[from:to]...)
			if id, ok := v.ids[string(buf)]; ok {
				dst = append(dst, id)
				break
			}
		}
		if to == from {
			return append(dst[:n], v.Unknown)
		}
		from = to
	}
	return dst
}
