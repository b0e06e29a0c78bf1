package coach

import (
	"hash/maphash"
	"slices"
	"unicode"
)

// alike is the share of the words of two queries that both must have to be similar.
const alike = 0.6

// words returns the hashes of the different words of a query, at most so many: the parts
// of its identifiers in lower case, in no order. A query without any is one word itself.
func words(seed maphash.Seed, query string, most int) []uint64 {
	var all []uint64
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, maphash.String(seed, string(word)))
		}
		word = word[:0]
	}
	var last rune
	for _, r := range query {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, unicode.ToLower(r))
		} else {
			end()
		}
		last = r
	}
	end()
	if len(all) == 0 {
		return []uint64{maphash.String(seed, query)}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), most)]
}

// similar compares two sets by Jaccard: what they share, of what there is in either.
func similar(a, b []uint64) bool {
	in := make(map[uint64]bool, len(a))
	for _, v := range a {
		in[v] = true
	}
	both := 0
	for _, v := range b {
		if in[v] {
			both++
		}
	}
	return float64(both) >= alike*float64(len(a)+len(b)-both)
}

// hash returns the hash of a text that is never 0, and 0 for "".
func hash(seed maphash.Seed, text string) uint64 {
	if text == "" {
		return 0
	}
	return max(1, maphash.String(seed, text))
}
