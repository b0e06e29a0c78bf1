package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed/model"
)

// Run: go test -run '^$' -bench Part ./embed/tokenizer
//
// The unit is a text of 1,000 bytes: Go code, or words with as many tokens as fit. Of code
// there are hundreds: a processor learns by heart where the words of a few texts end, which
// no text of a build comes often enough for.
func BenchmarkPart(b *testing.B) {
	code := benchTexts(b)
	ids, table := words(b, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	dense := strings.Repeat("go to if of in is as at by or ", 40)[:1000]
	part := func(split func(t *Identifiers, bag *Bag, s string), texts ...string) func(b *testing.B) {
		return func(b *testing.B) {
			var bag Bag
			for b.Loop() {
				for _, text := range texts {
					bag.reset(ids.Size(), TextLimit)
					split(ids, &bag, text)
					ids.weigh(&bag)
				}
			}
			report(b, len(texts))
		}
	}
	b.Run("code", part((*Identifiers).split, code...))
	b.Run("dense", part((*Identifiers).split, dense))
	b.Run("subwords", part(func(t *Identifiers, bag *Bag, s string) {
		for i := 0; i < len(s) && bag.total < bag.limit; {
			i += t.subword(bag, s, i)
		}
	}, code...))
	b.Run("map", func(b *testing.B) {
		for b.Loop() {
			for _, text := range code {
				countWords(ids, table, text)
			}
		}
		report(b, len(code))
	})
}

func report(b *testing.B, texts int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*texts), "ns/text")
}

// benchTexts cuts Go code of the repository into parts.
func benchTexts(tb testing.TB) (texts []string) {
	names, err := filepath.Glob("../../index/*.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range names {
		code, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for ; len(code) >= 1000; code = code[1000:] {
			texts = append(texts, string(code[:1000]))
		}
	}
	return texts
}

// countWords looks words up in a map from strings.
func countWords(ids *Identifiers, table map[string]int32, text string) {
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
