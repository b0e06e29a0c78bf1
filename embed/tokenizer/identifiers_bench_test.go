package tokenizer

import (
	"os"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed/model"
)

// Run: go test -run '^$' -bench Part ./embed/tokenizer
//
// One operation is a text of 1,000 bytes: Go code, or words with as many
// tokens as fit.
func BenchmarkPart(b *testing.B) {
	code, err := os.ReadFile("identifiers.go")
	if err != nil {
		b.Fatal(err)
	}
	ids, table := words(b, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	dense := strings.Repeat("go to if of in is as at by or ", 40)[:1000]
	for _, c := range []struct{ name, text string }{{"code", string(code[5000:6000])}, {"dense", dense}} {
		b.Run(c.name, func(b *testing.B) {
			var bag Bag
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				ids.Part(&bag, c.text, TextLimit)
			}
			b.ReportMetric(float64(bag.total), "tokens")
		})
	}
	b.Run("map", func(b *testing.B) {
		text := string(code[5000:6000])
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			counts := map[int32]int{}
			lower := make([]byte, 0, 32)
			for i := 0; i < len(text); {
				lower = lower[:0]
				for i < len(text) && ids.class[text[i]] != other {
					lower = append(lower, text[i]|0x20)
					i++
				}
				if len(lower) == 0 {
					i++
					continue
				}
				if id, ok := table[string(lower)]; ok {
					counts[id]++
				}
			}
		}
	})
}
