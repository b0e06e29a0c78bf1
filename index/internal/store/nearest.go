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

// nearestNames returns the names that are most like one that is not among them:
// few letters apart, or with words in common.
func nearestNames(name string, names []string) []string {
	type near struct {
		name  string
		score float64
	}
	want := strings.ToLower(name)
	if len(want) == 0 || len(want) > 100 {
		return nil
	}
	words, mask := NameWords(name), lettersOf(want)
	var best []near
	rows := make([]int, 3*(len(want)+1))
	for _, n := range names {
		have := strings.ToLower(n)
		score := 0.0
		most := max(len(want), len(have))
		limit := max(1, most/3)
		letters := lettersOf(have)
		// An edit changes one letter into another: two bits at most.
		if abs(len(want)-len(have)) <= limit && bits.OnesCount64(mask^letters) <= 2*limit {
			if d := edit.Distance(want, have, limit, rows); d <= limit {
				score = 1 - float64(d)/float64(most)
			}
		}
		if mask&letters != 0 && len(words) > 0 {
			score = max(score, 0.9*Likeness(words, NameWords(n)))
		}
		if len(want) >= 3 && len(have) > len(want) && strings.Contains(have, want) {
			score = max(score, 0.5+0.4*float64(len(want))/float64(len(have)))
		}
		if score < 0.5 {
			continue
		}
		c := near{n, score}
		i, _ := slices.BinarySearchFunc(best, c, func(a, b near) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
		})
		if i < maxNearest {
			best = slices.Insert(best[:min(len(best), maxNearest-1)], i, c)
		}
	}
	out := []string{}
	for _, n := range best {
		out = append(out, n.name)
	}
	return out
}

func abs(n int) int { return max(n, -n) }

// lettersOf returns which letters and digits a name has, one bit for each.
func lettersOf(name string) (mask uint64) {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z':
			mask |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			mask |= 1 << (26 + c - '0')
		}
	}
	return mask
}

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
