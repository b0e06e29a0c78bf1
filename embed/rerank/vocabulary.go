package rerank

import (
	"bytes"
	"fmt"
)

// A Vocabulary cuts words into the sub-words that the model knows, WordPiece as of BERT: the
// longest sub-word first, those within a word with "##" before them. It does not change and is
// safe for concurrent use.
type Vocabulary struct {
	ids           map[string]int64
	cls, sep, unk int64
}

// NewVocabulary reads a list of sub-words, a line each; the number of a sub-word is its line's,
// from 0. [PAD] must be the first.
func NewVocabulary(list []byte) (*Vocabulary, error) {
	v := &Vocabulary{ids: map[string]int64{}}
	for n, line := range bytes.Split(bytes.TrimSuffix(list, []byte("\n")), []byte("\n")) {
		v.ids[string(line)] = int64(n)
	}
	for _, special := range []struct {
		name string
		id   *int64
	}{{"[CLS]", &v.cls}, {"[SEP]", &v.sep}, {"[UNK]", &v.unk}} {
		id, ok := v.ids[special.name]
		if !ok {
			return nil, fmt.Errorf("rerank: the vocabulary has no %s", special.name)
		}
		*special.id = id
	}
	if pad, ok := v.ids["[PAD]"]; !ok || pad != 0 {
		return nil, fmt.Errorf("rerank: [PAD] is not the first of the vocabulary")
	}
	return v, nil
}

// longestWord is the length from which a word is not looked up, as in BERT.
const longestWord = 100

// cut appends the sub-words of a folded word, or the unknown one.
func (v *Vocabulary) cut(dst []int64, word string) []int64 {
	n := len(dst)
	if len(word) > longestWord {
		return append(dst, v.unk)
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
			return append(dst[:n], v.unk)
		}
		from = to
	}
	return dst
}
