package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/store"
)

// The scores of a name, by how it matches. Between two of them lies how much of
// the name was asked for. A qualifier that is not the symbol's parent but its
// file or folder costs lessQualified. The last two are for names that are only like
// the one asked for: even so they are below all others.
const (
	sameScore     = 1.0
	foldedScore   = 0.9
	prefixScore   = 0.6  // to 0.8: the name begins so
	wordsScore    = 0.3  // to 0.5: words of the name begin so, in this order
	initialsScore = 0.2  // the name's words begin with these letters
	anyOrderScore = 0.1  // to 0.14: words of the name begin so, in another order
	nearScore     = 0.06 // to 0.1: the name is a few letters off
	lessQualified = 0.05

	likeSpan  = 0.04                        // of each of the two above
	likeBelow = anyOrderScore + likeSpan    // the most that a name has that is only like it
	ownScore  = foldedScore - lessQualified // the least that a symbol has which bears the name
)

// A nameQuery is a name that is looked for. It is used by one goroutine.
type nameQuery struct {
	readings    []reading
	first, last store.LetterSet // what a name must have for the first or the last of them
	edits       int             // of the letters of the last; 0: none
	known       bool            // a symbol bears the name: what is only like it does not count

	humps  []rune // memory for score
	starts []int
	flat   []byte
	rows   []int
}

// reading is one way to read the question.
type reading struct {
	name      string // as written
	folded    []rune
	letters   []rune // of folded, those of words
	set       store.LetterSet
	qualifier string   // "": none
	words     [][]rune // folded, in order
	capitals  [][]rune // as above, where every capital begins one; nil: the same as words
	initials  []rune   // nil: it cannot be initials
	likeness           // none but of the last reading
}

// NewNameQuery reads a name as it is and, if it has a qualifier, as one within
// another: Foo.bar, Sinatra::Base, Stack#push.
func NewNameQuery(text string) *nameQuery {
	text = strings.TrimSuffix(strings.TrimSpace(text), "()")
	q := &nameQuery{readings: []reading{newReading(text, "")}}
	cut, qualifier := 0, ""
	for _, separator := range []string{"::", "->", "\\", ".", "#", "/"} {
		if i := strings.LastIndex(text, separator); i > 0 && i+len(separator) > cut {
			cut, qualifier = i+len(separator), text[:i]
		}
	}
	if cut > 0 && cut < len(text) {
		q.readings = append(q.readings, newReading(text[cut:], qualifier))
	}
	last := &q.readings[len(q.readings)-1]
	last.likeness = newLikeness(last)
	q.first, q.last, q.edits = q.readings[0].set, last.set, last.likeness.edits
	return q
}

func newReading(name, qualifier string) reading {
	r := reading{name: name, qualifier: qualifier}
	for _, c := range name {
		c = unicode.ToLower(c)
		if r.folded = append(r.folded, c); store.WordRune(c) {
			r.letters = append(r.letters, c)
		}
	}
	runes := []rune(name)
	cutAt := func(starts []int) (words [][]rune) {
		for i, from := range starts {
			to := len(runes)
			if i+1 < len(starts) {
				to = starts[i+1]
			}
			word := r.folded[from:to]
			for len(word) > 0 && !store.WordRune(word[len(word)-1]) {
				word = word[:len(word)-1]
			}
			words = append(words, word)
		}
		return words
	}
	r.set = lettersOfWords(r.letters)
	starts := store.Humps(nil, runes, false)
	r.words = cutAt(starts)
	if every := store.Humps(nil, runes, true); len(every) > len(starts) {
		r.capitals = cutAt(every)
	}
	if len(r.words) == 1 && len(r.words[0]) == len(runes) && len(runes) >= 2 {
		r.initials = r.folded
	}
	return r
}

// Score says how well a symbol's name, which has these letters, matches; 0 for not at all.
func (q *nameQuery) Score(r *store.Record, s *store.Symbol, have store.LetterSet) float64 {
	best := 0.0
	for i := range q.readings {
		want := &q.readings[i]
		score := q.compare(want, s.Name, have)
		if score <= best {
			continue
		}
		if want.qualifier != "" {
			switch {
			case sameTail(s.Parent, want.qualifier):
			case sameTail(r.Path[:max(strings.LastIndexByte(r.Path, '/'), 0)], want.qualifier), sameTail(stemOf(r.Path), want.qualifier):
				score -= lessQualified
			default:
				continue
			}
		}
		best = max(best, score)
	}
	return math.Round(best*1e4) / 1e4
}

// sameTail reports whether two qualified names end in the same name; case is
// ignored.
func sameTail(parent, qualifier string) bool {
	last := func(s string) string { return s[strings.LastIndexAny(s, `.:\>#/`)+1:] }
	return parent != "" && strings.EqualFold(last(parent), last(qualifier))
}

// stemOf returns a file's name up to its first dot.
func stemOf(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	stem, _, _ := strings.Cut(path, ".")
	return stem
}

func (q *nameQuery) compare(want *reading, name string, have store.LetterSet) float64 {
	whole := want.set&^have == 0
	if whole {
		if score := q.match(want, name); score > 0 {
			return score
		}
	}
	if q.known || want.edits == 0 {
		return 0
	}
	if whole && want.shuffle != nil {
		if score := q.moved(want, name); score > 0 {
			return score
		}
	}
	if want.near(have) {
		return q.misspelt(want, name)
	}
	return 0
}

// match says how well a name matches that has all that was asked for, in its order.
func (q *nameQuery) match(want *reading, name string) float64 {
	if len(want.letters) > 0 && !holds(name, want.letters) || len(want.folded) == 0 {
		return 0
	}
	if name == want.name {
		return sameScore
	}
	q.split(name)
	have := q.humps
	share := float64(len(want.folded)) / float64(len(have))
	switch {
	case slices.Equal(have, want.folded):
		return foldedScore
	case len(have) > len(want.folded) && slices.Equal(have[:len(want.folded)], want.folded):
		return prefixScore + 0.2*share
	case q.inOrder(want.words), want.capitals != nil && q.inOrder(want.capitals):
		return wordsScore + 0.2*min(share, 1)
	case want.initials != nil && q.begins(want.initials):
		return initialsScore
	}
	return 0
}

// split notes the letters of a name, folded, and where its words begin.
func (q *nameQuery) split(name string) {
	q.humps = append(q.humps[:0], []rune(name)...)
	q.starts = store.Humps(q.starts[:0], q.humps, false)
	for i, c := range q.humps {
		q.humps[i] = unicode.ToLower(c)
	}
}

// lettersOfWords returns what a name must have at least to match.
func lettersOfWords(letters []rune) (s store.LetterSet) {
	for _, c := range letters {
		if c < utf8.RuneSelf {
			s = s.With(byte(c))
		}
	}
	return s
}

// Next returns the first of some names, by their letters and not before from, that may match
// in any way or be like what is asked for; len(names) if there is none.
func (q *nameQuery) Next(names []store.LetterSet, from int) int {
	first, last, edits := q.first, q.last, q.edits
	for i := from; i < len(names); i++ {
		have := names[i]
		// Nearly all names lack more letters of either than edits can bring.
		if bits.OnesCount64(uint64(last&^have)) > edits && first&^have != 0 {
			continue
		}
		if last&^have == 0 || first&^have == 0 || edits > 0 && last.Near(have, edits) {
			return i
		}
	}
	return len(names)
}

// holds reports whether a name may have these letters in this order, as every
// name has that matches in any way. It spares nearly all names what follows.
func holds(name string, letters []rune) bool {
	n := 0
	for i := 0; i < len(name) && len(name)-i >= len(letters)-n; i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		} else if c >= utf8.RuneSelf {
			return true // not worth the trouble
		}
		if rune(c) == letters[n] {
			if n++; n == len(letters) {
				return true
			}
		}
	}
	return false
}

// inOrder reports whether each word begins where a word of the name does, one
// after the other. A word may run on into the name's next one.
func (q *nameQuery) inOrder(words [][]rune) bool {
	at := 0
	for _, word := range words {
		found := -1
		for _, start := range q.starts {
			if start < at {
				continue
			}
			if found = runsOn(q.humps, start, word); found >= 0 {
				break
			}
		}
		if found < 0 {
			return false
		}
		at = found
	}
	return len(words) > 0
}

// runsOn returns where a word that begins at an offset of a name ends, if it does;
// what is between the name's words does not count.
func runsOn(name []rune, at int, word []rune) int {
	for _, c := range word {
		for at < len(name) && !store.WordRune(name[at]) && store.WordRune(c) {
			at++
		}
		if at == len(name) || name[at] != c {
			return -1
		}
		at++
	}
	return at
}

// begins reports whether the name's first words begin with these letters.
func (q *nameQuery) begins(letters []rune) bool {
	if len(letters) > len(q.starts) {
		return false
	}
	for i, c := range letters {
		if q.humps[q.starts[i]] != c {
			return false
		}
	}
	return true
}
