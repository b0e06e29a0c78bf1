package line

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// partsWith returns where a text has a literal, by its parts.
func partsWith(text []byte, literal string) (parts []int) {
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte(literal))
		if i < 0 {
			return slices.Compact(parts)
		}
		at += i
		parts = append(parts, at/PartSize)
	}
}

// Filters that are packed, again and again while texts come and go, admit what those of the
// texts alone admit: every part with a literal, those on the border of two among them, and
// few others.
func TestPackedFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	words := make([]string, 3000)
	for i := range words {
		words[i] = fmt.Sprintf("%c%x%c", 'g'+rune(r.IntN(20)), r.Uint32(), 'G'+rune(r.IntN(20)))
	}
	draw := func() []byte {
		var b bytes.Buffer
		for n := r.IntN(3000) * (1 + 5*(r.IntN(8)/7)); b.Len() < n; {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", "\n", "é ", "(), "}[r.IntN(4)])
		}
		return b.Bytes()
	}
	texts, filters := make([][]byte, 300), make([]*Filter, 300)
	full, wrong, asked := 0, 0, 0
	for range 12 {
		for i := range texts {
			if filters[i] == nil || r.IntN(3) == 0 {
				texts[i] = draw()
				filters[i] = NewFilter(texts[i])
			}
		}
		blocks := map[*Block]int{}
		for i, f := range Pack(filters) {
			if f != nil {
				filters[i] = f
			}
			filters[i].Blocks(func(b *Block, n uint8) { blocks[b]++ })
		}
		loose := map[int]int{}
		for b, live := range blocks {
			switch {
			case b.Columns() == 1:
				loose[b.size()]++
			case live*2 < b.Columns():
				t.Fatalf("a block of %d parts lives on for %d", b.Columns(), live)
			default:
				full++
			}
		}
		for size, n := range loose {
			if n >= maxColumns {
				t.Fatalf("%d parts of size %d are alone", n, size)
			}
		}
		for range 60 {
			word := words[r.IntN(len(words))]
			p, fold := compile(t, word), compile(t, "(?i)"+word)
			for i, text := range texts {
				want := partsWith(text, word)
				got, _ := p.Parts(filters[i], nil)
				folded, _ := fold.Parts(filters[i], nil)
				for _, n := range want {
					if !slices.Contains(got, n) || !slices.Contains(folded, n) {
						t.Fatalf("%s begins in part %d of %d bytes, and is looked for in %d, %d", word, n, len(text), got, folded)
					}
				}
				wrong, asked = wrong+len(got)-len(want), asked+len(filters[i].parts)
			}
		}
	}
	if full < 10 || wrong > asked/50 {
		t.Errorf("%d blocks are packed, %d of %d parts are wrongly admitted", full, wrong, asked)
	}
}
