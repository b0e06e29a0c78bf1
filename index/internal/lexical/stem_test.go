package lexical

import (
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// TestInflected holds words of every ending that are left alone to what the stemmer
// makes of them.
func TestInflected(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alone := 0
	for a := byte('a'); a <= 'z'; a++ {
		for b := byte('a'); b <= 'z'; b++ {
			for range 40 {
				word := make([]byte, 1+r.IntN(10), 12)
				for i := range word {
					word[i] = "aeioulnrstyzgmbc"[r.IntN(16)]
				}
				word = append(word, a, b)
				if inflected(word) {
					continue
				}
				alone++
				env := snowballstem.NewEnv(string(word))
				if english.Stem(env); env.Current() != string(word) {
					t.Errorf("%s is left alone, its stem is %s", word, env.Current())
				}
			}
		}
	}
	if alone < 10000 {
		t.Errorf("only %d words are left alone", alone)
	}
}
