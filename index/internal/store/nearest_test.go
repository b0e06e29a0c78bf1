package store

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestNearestNames compares with what a look at every name finds.
func TestNearestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"get", "Http", "response", "URL", "v2", "x", "größe", "Token", "token", "7", "1", "é", "validate", "K"}
	name := func() string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(4) == 0 {
				b.WriteByte('_')
			}
		}
		return b.String()
	}
	all := &Lettered{}
	var names []string
	for range 40 {
		record := &Record{}
		for range r.IntN(50) {
			n := name()
			names = append(names, n)
			record.Symbols = append(record.Symbols, Symbol{Name: n})
			all.Letters = append(all.Letters, LettersIn(n))
		}
		all.Records, all.Ends = append(all.Records, record), append(all.Ends, len(all.Letters))
	}
	found := 0
	for range 300 {
		want := []byte(name())
		for range r.IntN(4) {
			i := r.IntN(len(want))
			switch r.IntN(3) {
			case 0:
				want[i] = "aekTt1_"[r.IntN(7)]
			case 1:
				want = slices.Insert(want, i, "aekTt1_"[r.IntN(7)])
			case 2:
				if len(want) > 1 {
					want = slices.Delete(want, i, i+1)
				}
			}
		}
		w := newWantedName(string(want))
		likeness := func(n string) float64 { return w.likeness(n, strings.ToLower(n)) }
		like := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return likeness(n) < leastLikeness })
		slices.SortFunc(like, func(a, b string) int {
			return cmp.Or(cmp.Compare(likeness(b), likeness(a)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
		})
		expected, seen := []string{}, map[string]bool{}
		for _, n := range like {
			if folded := strings.ToLower(n); !seen[folded] && len(expected) < maxNearest {
				seen[folded] = true
				expected = append(expected, n)
			}
		}
		got := nearestNames(string(want), all)
		if !slices.Equal(got, expected) {
			t.Errorf("%q: %q, want %q", want, got, expected)
		}
		found += len(got)
	}
	if found < 300 {
		t.Errorf("%d names are like 300", found)
	}
}
