package lexical

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// maxStem is the length, in bytes, of the longest word that is cut to its stem.
const maxStem = 32

// Stem returns the stem of a folded word, by the English stemmer of Snowball (Porter2,
// snowballstem.org): pooling, pooled and pools are pool. A word with other characters than
// a to z is returned unchanged, so that identifiers keep their underscores and digits.
func Stem(word string) string {
	if !inflected(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// inflected reports whether a word may be another than its stem. Of the words in the Go
// distribution 46 of a hundred have none of the stemmer's endings, which their last two
// letters tell at once and the stemmer after a microsecond.
func inflected[T string | []byte](word T) bool {
	if len(word) < 3 || len(word) > maxStem || !ending(word[len(word)-2], word[len(word)-1]) {
		return false
	}
	for i := range len(word) {
		if !lower(word[i]) {
			return false
		}
	}
	return true
}

// ending reports whether any suffix of Porter2 ends in these letters.
func ending(a, b byte) bool {
	switch b {
	case 'e', 's', 'y':
		return true
	case 'c': // ic
		return a == 'i'
	case 'd': // ed
		return a == 'e'
	case 'g': // ing
		return a == 'n'
	case 'i': // li, ogi, iti, anci and enci
		return a == 'l' || a == 'g' || a == 't' || a == 'c'
	case 'l': // al, ful, ll
		return a == 'a' || a == 'u' || a == 'l'
	case 'm': // ism
		return a == 's'
	case 'n': // ion
		return a == 'o'
	case 'r': // er, ator
		return a == 'e' || a == 'o'
	case 't': // ant, ent
		return a == 'n'
	}
	return false
}
