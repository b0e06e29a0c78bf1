package store

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/edit"
)

// maxNearest is how many names a TargetError proposes.
const maxNearest = 5

// A wantedName is one that nothing has, and for which names are looked for that are like it: few
// letters apart, or with words in common.
type wantedName struct {
	folded  string
	letters LetterSet // of folded, but for what is beyond ASCII
	holds   LetterSet // what a name has that has all of it
	words   []string
	each    []LetterSet // of the words
	rows    []int
}

func newWantedName(name string) *wantedName {
	w := &wantedName{folded: strings.ToLower(name), words: NameWords(name)}
	for i := range len(w.folded) {
		if w.folded[i] < utf8.RuneSelf {
			w.letters = w.letters.With(w.folded[i])
		}
	}
	w.holds = LettersIn(w.folded)
	for _, word := range w.words {
		w.each = append(w.each, LettersIn(word))
	}
	w.rows = make([]int, 3*(len(w.folded)+1))
	return w
}

// leastLikeness is the least that a name must be like what was wanted, 0 to 1.
const leastLikeness = 0.5

// Words in common count a little less than letters: a name with all of them in another order is
// not the same.
const wordsCount = 0.9

// edits is how many a name of so many bytes may be away.
func (w *wantedName) edits(bytes int) int { return max(1, max(len(w.folded), bytes)/3) }

// may reports whether a name of so many bytes can be like what is wanted, by its letters.
func (w *wantedName) may(bytes int, letters LetterSet) bool {
	if n := w.edits(bytes); abs(len(w.folded)-bytes) <= n && w.letters.Near(letters, n) || w.holds&^letters == 0 {
		return true
	}
	common := 0
	for _, word := range w.each {
		if word&^letters == 0 {
			common++
		}
	}
	return w.enough(common)
}

// enough reports whether so many of the words in common can make a name like what is wanted.
func (w *wantedName) enough(common int) bool {
	return common > 0 && wordsCount*float64(common) >= leastLikeness*float64(len(w.words))
}

// likeness returns how much a name is like what is wanted, 0 to 1; have is the name, folded.
func (w *wantedName) likeness(name, have string) (score float64) {
	limit := w.edits(len(have))
	if abs(len(w.folded)-len(have)) <= limit {
		if d := edit.Distance(w.folded, have, limit, w.rows); d <= limit {
			score = 1 - float64(d)/float64(max(len(w.folded), len(have)))
		}
	}
	common := 0
	for _, word := range w.words {
		if strings.Contains(have, word) {
			common++
		}
	}
	if w.enough(common) {
		score = max(score, wordsCount*Likeness(w.words, NameWords(name)))
	}
	if len(w.folded) >= 3 && len(have) > len(w.folded) && strings.Contains(have, w.folded) {
		score = max(score, 0.5+0.4*float64(len(w.folded))/float64(len(have)))
	}
	return score
}

// nearestNames returns the names that are most like one that is not among them, of those that
// differ in case alone the nearest.
func nearestNames(name string, all *Lettered) []string {
	type near struct {
		name, folded string
		score        float64
	}
	order := func(a, b near) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	}
	w := newWantedName(name)
	if len(w.folded) == 0 || len(w.folded) > 100 {
		return nil
	}
	var best []near
	from := 0
	for n, r := range all.Records {
		for i, letters := range all.Letters[from:all.Ends[n]] {
			name := r.Symbols[i].Name
			if !w.may(len(name), letters) {
				continue
			}
			c := near{name: name, folded: strings.ToLower(name)}
			if c.score = w.likeness(name, c.folded); c.score < leastLikeness {
				continue
			}
			if same := slices.IndexFunc(best, func(b near) bool { return b.folded == c.folded }); same >= 0 {
				if order(best[same], c) <= 0 {
					continue
				}
				best = slices.Delete(best, same, same+1)
			}
			if at, _ := slices.BinarySearchFunc(best, c, order); at < maxNearest {
				best = slices.Insert(best[:min(len(best), maxNearest-1)], at, c)
			}
		}
		from = all.Ends[n]
	}
	out := []string{}
	for _, n := range best {
		out = append(out, n.name)
	}
	return out
}

func abs(n int) int { return max(n, -n) }

const (
	letterBits = 26
	setBits    = 32
	AnyLetters = ^LetterSet(0) // of a name that has others, too
)

// A LetterSet says which letters and digits a name has, case folded: a bit for each letter
// and, of digits, for those with the same rest by 6; and the same again for those that it
// has more than once. The sets of a file's names lie side by side, so that to look at two
// million of them takes some milliseconds, where to look at the names themselves would take
// a hundred. Of 200,000 names some 200 have sets that differ by no more than a few edits
// can, where the bits of the first kind alone leave 7,000.
type LetterSet uint64

// LettersIn returns the set of a symbol's name.
func LettersIn(name string) (s LetterSet) {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return AnyLetters
		}
		s = s.With(name[i])
	}
	return s
}

func (s LetterSet) With(c byte) LetterSet {
	bit := LetterSet(0)
	switch {
	case 'a' <= c && c <= 'z':
		bit = 1 << (c - 'a')
	case 'A' <= c && c <= 'Z':
		bit = 1 << (c - 'A')
	case '0' <= c && c <= '9':
		bit = 1 << (letterBits + (c-'0')%6)
	}
	return s | bit | (s&bit)<<setBits
}

// Near reports whether so many edits may make a name with the letters o of one with the
// letters s: each takes one letter away at most, and brings one.
func (s LetterSet) Near(o LetterSet, edits int) bool {
	return bits.OnesCount64(uint64(s&^o)) <= edits && (bits.OnesCount64(uint64(o&^s)) <= edits || o == AnyLetters)
}

// lettered holds the letters of all names of a table, for those who look at all of them:
// the records are spread over the memory, and to wait for each takes ten times as long. It
// is made when somebody asks, and safe for concurrent use; a change needs exclusive access.
type lettered struct{ last atomic.Pointer[Lettered] }

// Lettered are the letters of the names of some records' symbols.
type Lettered struct {
	Records []*Record
	Ends    []int       // of the letters of each record
	Letters []LetterSet // of the symbols, record by record
}

// Lettered returns the letters of all names. They must not be changed.
func (t *Table) Lettered() *Lettered {
	if l := t.letters.last.Load(); l != nil {
		return l
	}
	l := &Lettered{Records: make([]*Record, 0, len(t.Files)), Ends: make([]int, 0, len(t.Files)), Letters: make([]LetterSet, 0, t.Symbols)}
	for _, r := range t.Files {
		l.Letters = append(l.Letters, r.Letters...)
		l.Records, l.Ends = append(l.Records, r), append(l.Ends, len(l.Letters))
	}
	t.letters.last.Store(l)
	return l
}

// NameWords returns the folded words of a name, each once.
func NameWords(name string) []string {
	runes := []rune(name)
	starts := Humps(nil, runes, false)
	var words []string
	for i, from := range starts {
		to := len(runes)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		word := strings.ToLower(strings.TrimRightFunc(string(runes[from:to]), func(c rune) bool { return !WordRune(c) }))
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// Likeness returns the share of words that two lists have in common, 0..1.
func Likeness(a, b []string) float64 {
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// Humps appends where the words of a name begin: getHTTPResponse_v2 has them at
// get, HTTP, Response, v and 2. With every, each capital begins one.
func Humps(dst []int, name []rune, every bool) []int {
	for i, c := range name {
		if !WordRune(c) {
			continue
		}
		if i > 0 {
			last, up := name[i-1], unicode.IsUpper(c)
			switch {
			case !WordRune(last), unicode.IsDigit(c) != unicode.IsDigit(last), up && (every || !unicode.IsUpper(last)):
			case up && i+1 < len(name) && unicode.IsLower(name[i+1]):
			default:
				continue
			}
		}
		dst = append(dst, i)
	}
	return dst
}

func WordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
