package rank

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// A Lexicon numbers the words that file and symbol names are made of, so that each is
// compared with a question once. The number of a word that no name has any more is reused.
// Intern and Release need exclusive access.
type Lexicon struct {
	ids    map[string]uint32
	words  []word
	shapes []shape  // of the words
	free   []uint32 // numbers of no word
}

type word struct {
	text, stem string
	uses       int // how often Intern has returned it
}

// last marks the last word of a name in a list of words.
const last = 1 << 31

// Words are the words of a file's names as a Lexicon numbers them.
type Words struct {
	Stem    []uint32 // of the file's name without its extension
	Folders []uint32 // of its folders
	Symbols []uint32 // of its symbols' names, one after the other
	Chunks  []uint16 // of each of these names, the chunk of the file that its symbol begins in
}

// NewLexicon returns an empty Lexicon.
func NewLexicon() *Lexicon { return &Lexicon{ids: map[string]uint32{}} }

// Clone returns an independent copy of the Lexicon, with the same numbers. It needs the
// same access as a Matcher.
func (l *Lexicon) Clone() *Lexicon {
	return &Lexicon{ids: maps.Clone(l.ids), words: slices.Clone(l.words), shapes: slices.Clone(l.shapes), free: slices.Clone(l.free)}
}

// Intern returns the words of a name, appended to dst. stem cuts a folded word to
// its stem.
func (l *Lexicon) Intern(dst []uint32, name string, stem func(string) string) []uint32 {
	n := len(dst)
	for _, w := range nameWords(name) {
		id, ok := l.ids[w]
		if !ok {
			id = l.number()
			w = strings.Clone(w)
			l.ids[w] = id
			l.words[id] = word{text: w, stem: stem(w)}
			l.shapes[id] = shapeOf(w, l.words[id].stem)
		}
		l.words[id].uses++
		dst = append(dst, id)
	}
	if len(dst) > n {
		dst[len(dst)-1] |= last
	}
	return dst
}

// number returns one that no word has.
func (l *Lexicon) number() uint32 {
	if n := len(l.free); n > 0 {
		id := l.free[n-1]
		l.free = l.free[:n-1]
		return id
	}
	l.words, l.shapes = append(l.words, word{}), append(l.shapes, shape{})
	return uint32(len(l.words) - 1)
}

// Release gives the words of a file back, each as often as Intern returned it.
func (l *Lexicon) Release(w *Words) {
	for _, list := range [][]uint32{w.Stem, w.Folders, w.Symbols} {
		for _, id := range list {
			id &^= last
			if l.words[id].uses--; l.words[id].uses == 0 {
				delete(l.ids, l.words[id].text)
				l.words[id] = word{}
				l.free = append(l.free, id)
			}
		}
	}
}

// Equal reports whether the words numbered by two Lexicons are the same.
func (l *Lexicon) Equal(words []uint32, other *Lexicon, others []uint32) bool {
	return slices.EqualFunc(words, others, func(a, b uint32) bool {
		x, y := a&^last, b&^last
		return a&last == b&last && int(x) < len(l.words) && int(y) < len(other.words) && l.words[x].text == other.words[y].text
	})
}

// A Keyword is a word of the question.
type Keyword struct {
	Word   string // folded
	Stem   string
	Rarity float64 // its inverse document frequency
}

// maxKeywords bounds how many words of a question are compared with names.
const maxKeywords = 8

// A Matcher compares names with one question after the other. It is not safe for
// concurrent use.
type Matcher struct {
	lexicon  *Lexicon
	keywords []Keyword
	shapes   []shape // of the keywords
	total    float64
	round    uint8      // an even number, of which a word is in seen when it is like no keyword, and one more when it is like one
	seen     []uint8    // by word; other numbers: it has not been looked at
	places   []uint32   // by word that is like a keyword: its place in alike
	alike    []likeness // of the words that are like a keyword
}

// likeness is how alike one word and each keyword are, 0..1.
type likeness struct {
	most float32
	with [maxKeywords]float32
}

// Reset makes m ready for a question.
func (m *Matcher) Reset(l *Lexicon, keywords []Keyword) {
	m.lexicon = l
	m.keywords = append(m.keywords[:0], keywords[:min(len(keywords), maxKeywords)]...)
	m.shapes, m.alike = m.shapes[:0], m.alike[:0]
	m.total = 0
	for _, k := range m.keywords {
		m.shapes = append(m.shapes, shapeOf(k.Word, k.Stem).sought(k.Stem))
		m.total += k.Rarity
	}
	if n := len(l.words) - len(m.seen); n > 0 {
		m.seen = append(m.seen, make([]uint8, n+n/4)...)
		m.places = append(m.places, make([]uint32, n+n/4)...)
	}
	m.round += 2
	if m.round == 0 {
		clear(m.seen)
		m.round = 2
	}
}

// compare returns how much a file's names have in common with the question, each
// 0..1: its stem, both ways; its path, as the share of the question that it
// repeats; and the best of its symbols' names, both ways. It calls named with
// each name that has something in common, and the chunk that its symbol begins in.
func (m *Matcher) compare(w *Words, named func(chunk int, likeness float64)) (stem, path, symbol float64) {
	if m.total == 0 {
		return 0, 0, 0
	}
	var found [maxKeywords]float32
	letters := m.look(w.Stem, &found)
	stem = math.Sqrt(letters * m.found(&found))
	m.look(w.Folders, &found)
	path = m.found(&found)
	nth := 0
	for i := 0; i < len(w.Symbols); i++ {
		id := w.Symbols[i]
		seen := m.seen[id&^last]
		if seen != m.round { // of most names no word is like a keyword
			if seen != m.round+1 {
				seen = m.fill(id &^ last)
			}
			if seen != m.round {
				from, to := nameAround(w.Symbols, i)
				found = [maxKeywords]float32{}
				letters := m.look(w.Symbols[from:to], &found)
				likeness := letters * m.found(&found)
				symbol = max(symbol, likeness)
				if nth < len(w.Chunks) {
					named(int(w.Chunks[nth]), math.Sqrt(likeness))
				}
				i, id = to-1, last
			}
		}
		nth += int(id >> 31)
	}
	return stem, path, math.Sqrt(symbol)
}

// nameAround returns where the name begins and ends that has the i-th of some words.
func nameAround(words []uint32, i int) (from, to int) {
	for from = i; from > 0 && words[from-1]&last == 0; {
		from--
	}
	for to = i + 1; to < len(words) && words[to-1]&last == 0; {
		to++
	}
	return from, to
}

// look returns the share of the letters of the words that the question repeats,
// and raises found to how surely each keyword was met.
func (m *Matcher) look(words []uint32, found *[maxKeywords]float32) (letters float64) {
	met, all := float32(0), 0
	for _, id := range words {
		id &^= last
		n := len(m.lexicon.words[id].text)
		all += n
		seen := m.seen[id]
		if seen&^1 != m.round {
			seen = m.fill(id)
		}
		if seen&1 == 0 {
			continue
		}
		l := &m.alike[m.places[id]]
		met += l.most * float32(n)
		for i := range m.keywords {
			found[i] = max(found[i], l.with[i])
		}
	}
	if all == 0 {
		return 0
	}
	return float64(met) / float64(all)
}

// found is the share of the question that was met, rare words counting more.
func (m *Matcher) found(found *[maxKeywords]float32) float64 {
	s := 0.0
	for i, k := range m.keywords {
		s += k.Rarity * float64(found[i])
	}
	return s / m.total
}

// fill notes how alike a word and the keywords are, and returns what is in seen of it.
func (m *Matcher) fill(id uint32) (seen uint8) {
	shape := &m.lexicon.shapes[id]
	var l likeness
	for i := range m.shapes {
		if shape.may(&m.shapes[i]) {
			l.with[i] = float32(likenessOf(&m.lexicon.words[id], &m.keywords[i]))
			l.most = max(l.most, l.with[i])
		}
	}
	seen = m.round
	if l.most > 0 {
		m.places[id] = uint32(len(m.alike))
		m.alike = append(m.alike, l)
		seen++
	}
	m.seen[id] = seen
	return seen
}

// Lengths, in letters, from which parts of words say something.
const (
	alikePrefix = 3 // config and configuration
	longPrefix  = 5 // serializer and serialization
	alikePart   = 3 // url in urlapi
)

// likenessOf returns how alike two words are: 1 for the same stem; the share of
// the word's letters that the two have in common where one begins the other, both
// begin alike, or the keyword's stem stands inside the word.
func likenessOf(w *word, k *Keyword) float64 {
	if w.stem == k.Stem || w.text == k.Word {
		return 1
	}
	c := 0
	for c < len(k.Word) && c < len(w.text) && k.Word[c] == w.text[c] {
		c++
	}
	switch {
	case c >= alikePrefix && (c == len(w.text) || c == len(k.Word) || c >= longPrefix):
		return float64(c) / float64(max(len(w.text), min(len(k.Word), c+3)))
	case len(k.Stem) >= alikePart && len(w.text) > len(k.Stem)+1 && strings.Contains(w.text, k.Stem):
		return float64(len(k.Stem)) / float64(len(w.text))
	}
	return 0
}

// A shape is what of a word rules out most words that are not like it at all.
type shape struct {
	pairs uint64 // a bit for each two letters that stand side by side; of a keyword, those of its stem
	stem  uint32 // hash of the stem
	first uint32 // the first letters, alikePrefix at most
}

func shapeOf(text, stem string) shape {
	s := shape{pairs: pairsOf(text), stem: 2166136261}
	for i := range len(stem) {
		s.stem = (s.stem ^ uint32(stem[i])) * 16777619 // FNV-1a
	}
	for i := range min(len(text), alikePrefix) {
		s.first |= uint32(text[i]) << (8 * i)
	}
	return s
}

// sought returns the shape of a keyword with that stem.
func (s shape) sought(stem string) shape {
	s.pairs = math.MaxUint64 // no word has all
	if len(stem) >= alikePart {
		s.pairs = pairsOf(stem)
	}
	return s
}

func pairsOf(text string) (pairs uint64) {
	for i := 1; i < len(text); i++ {
		pairs |= 1 << ((text[i-1]*37 + text[i]*11) % 64)
	}
	return pairs
}

// may reports whether a word can be like a keyword, see likenessOf.
func (s *shape) may(k *shape) bool {
	return s.first == k.first || s.stem == k.stem || s.pairs&k.pairs == k.pairs
}
