package lexical

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/cespare/xxhash/v2"
)

// maxStem is the length, in bytes, of the longest word that is cut to its stem.
const maxStem = 32

// Stem returns what a folded word has in common with its other forms, by the
// English stemmer of Snowball (Porter2, snowballstem.org): pooling, pooled and
// pools are pool. What is not a word of a to z comes back as it is, so that
// identifiers keep their underscores and digits.
func Stem(word string) string {
	if len(word) < 3 || len(word) > maxStem {
		return word
	}
	for i := range len(word) {
		if !lower(word[i]) {
			return word
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// maxStems bounds how many words a stems remembers: a few megabytes.
const maxStems = 1 << 16

// stems remembers the terms that words stand for: a stem takes microseconds, and
// a few thousand words make up most of any code.
type stems map[string]uint64

func (s *stems) hash(word []byte) uint64 {
	if hash, ok := (*s)[string(word)]; ok {
		return hash
	}
	text := string(word)
	hash := xxhash.Sum64String(Stem(text))
	if *s == nil || len(*s) >= maxStems {
		*s = make(stems)
	}
	(*s)[text] = hash
	return hash
}
