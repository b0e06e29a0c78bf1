package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/edit"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Names that are only like the one asked for: it is misspelt, or half remembered.
const (
	leastLike = 4   // letters of a name that others can be like
	mostLike  = 100 // as above: the time of a distance is the square of them
	leastWord = 2   // letters of each word that may stand in another place
)

// edits returns how many letters of a name may be wrong.
func edits(letters int) int {
	switch {
	case letters < leastLike || letters > mostLike:
		return 0
	case letters < 6:
		return 1
	case letters < 12:
		return 2
	}
	return 3
}

// likeness is what a name must have to be like the one asked for.
type likeness struct {
	flat    string   // its letters and digits, folded
	edits   int      // of them that may be wrong; 0: none
	shuffle [][]rune // its words, folded, the longest first; nil: there are no two
	longest string   // the first of them
}

func newLikeness(r *reading) likeness {
	l := likeness{flat: string(r.letters), edits: edits(len(r.letters))}
	if l.edits == 0 || len(r.words) < 2 {
		return l
	}
	words := slices.Clone(r.words)
	slices.SortStableFunc(words, func(a, b []rune) int { return cmp.Compare(len(b), len(a)) })
	if len(words[len(words)-1]) >= leastWord {
		l.shuffle, l.longest = words, string(words[0])
	}
	return l
}

// near reports whether a name with these letters may be a few letters off.
func (r *reading) near(have store.LetterSet) bool { return r.set.Near(have, r.edits) }

// moved says how well a name matches that has the words in another order.
func (q *nameQuery) moved(want *reading, name string) float64 {
	if !containsFolded(name, want.longest) {
		return 0
	}
	if q.split(name); !q.inAnyOrder(want.shuffle) {
		return 0
	}
	return anyOrderScore + likeSpan*min(float64(len(want.folded))/float64(len(q.humps)), 1)
}

// misspelt says how well a name matches that is a few letters off.
func (q *nameQuery) misspelt(want *reading, name string) float64 {
	q.flat = flatten(q.flat[:0], name)
	if n := len(q.flat) - len(want.flat); n > want.edits || -n > want.edits {
		return 0
	}
	if q.rows == nil {
		q.rows = make([]int, 3*(len(want.flat)+1))
	}
	d := edit.Distance(want.flat, q.flat, want.edits, q.rows)
	if d > want.edits {
		return 0
	}
	return nearScore + likeSpan*(1-float64(d)/float64(want.edits+1))
}

// What a name puts forward that nothing defines: the definitions whose names are nearest,
// and what they count, of the definition of a name that is asked for. A name of which this is
// a part is found by its words as well, and counts as one of the Identifiers.
const (
	mostNearest  = 10
	partStrength = 0.4
	likeStrength = 0.3
)

// nearest adds the chunks that define the names nearest to the one that the question is,
// where nothing defines that: it is misspelt, half remembered or from elsewhere.
func (s *inquiry) nearest(keep func(uint32) bool) {
	if s.asked.Symbol == "" || len(s.table.Define(s.asked.Symbol)) > 0 {
		return
	}
	text := s.asked.Symbol
	if s.asked.Qualifier != "" {
		text = s.asked.Qualifier + "::" + text
	}
	want, f := NewNameQuery(text), store.NewFilter(s.query.scope())
	var best shortlist
	var own, like []named
	all := s.table.Lettered()
	for i, n := want.Next(all.Letters, 0), 0; i < len(all.Letters); i = want.Next(all.Letters, all.Ends[n]) {
		for all.Ends[n] <= i {
			n++
		}
		own, like = want.among(own[:0], like[:0], all.Records[n], &f)
		for _, found := range [][]named{own, like} {
			best.add(slices.DeleteFunc(found, func(n named) bool {
				return n.score == initialsScore || keep != nil && !keep(n.chunk().ID)
			}), -1, mostNearest)
		}
	}
	for _, n := range best.best {
		sym := n.sym()
		m := s.propose(n.chunk().ID)
		if m.definition > 0 || m.identifier > 0 {
			continue // of a nearer name
		}
		m.symbol = n.symbol
		strength := rank.DefinitionStrength(string(sym.Kind()), false, sym.Exported, s.asked.Qualifier, sym.Parent)
		if n.score <= likeBelow {
			m.definition = likeStrength * strength
		} else {
			m.identifier = partStrength * strength
		}
	}
}

// inAnyOrder reports whether each word begins where a word of the name does, each in a
// place of its own.
func (q *nameQuery) inAnyOrder(words [][]rune) bool {
	if len(q.starts) > 64 {
		return false
	}
	taken := uint64(0)
	for _, word := range words {
		found := false
		for i, start := range q.starts {
			end := -1
			if taken>>i&1 == 0 {
				end = runsOn(q.humps, start, word)
			}
			if end < 0 {
				continue
			}
			for j := i; j < len(q.starts) && q.starts[j] < end; j++ {
				taken |= 1 << j
			}
			found = true
			break
		}
		if !found {
			return false
		}
	}
	return true
}

// flatten returns the letters and digits of a name, folded, in the memory of dst, which is
// empty.
func flatten(dst []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= utf8.RuneSelf:
			dst = dst[:0]
			for _, r := range strings.ToLower(name) {
				if store.WordRune(r) {
					dst = utf8.AppendRune(dst, r)
				}
			}
			return dst
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			dst = append(dst, c)
		}
	}
	return dst
}

// containsFolded reports whether a name may have a folded word in it, whatever its case.
func containsFolded(name, word string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return true // not worth the trouble
		}
		if name[i]|0x20 == word[0] && len(name)-i >= len(word) && strings.EqualFold(name[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
