package lexical

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// A Term is a hashed term and how often it occurs.
type Term struct {
	Hash  uint64
	Count int
}

// A Doc is a document as the index sees it: its distinct terms.
type Doc struct {
	Terms []Term // each once, by first occurrence
	Words int    // terms in all, repeats counted
}

func (d Doc) words() uint16 {
	// 0 marks an absent document, so that an empty one has length 1.
	return uint16(min(max(d.Words, 1), math.MaxUint16))
}

// Limits of a term, in bytes.
const (
	maxWord   = 64 // of a whole identifier
	maxNumber = 5  // digits of a number: 404 is worth finding, a table of constants is not
)

// Split calls yield for every term of text, in order:
//
//   - a run of letters, digits and underscores that does not begin with a digit
//     gives itself, folded to lower case, and, if there is more than one, its
//     parts at underscores and at camelCase boundaries, without digits:
//     getHTTPResponse2 gives gethttpresponse2, get, http, response;
//   - a number of two to five decimal digits gives itself.
//
// Letters beyond ASCII are letters. The slice is valid during the call only.
func Split(text []byte, yield func(term []byte)) {
	var folded [maxWord * 2]byte
	for i := 0; i < len(text); {
		c := text[i]
		if !word[c] {
			i++
			continue
		}
		j := i + 1
		for j < len(text) && word[text[j]] {
			j++
		}
		run := text[i:j]
		i = j
		if c >= '0' && c <= '9' {
			number(run, yield)
			continue
		}
		identifier(run, folded[:0], yield)
	}
}

// word tells the bytes that make up identifiers and numbers; the bytes of
// UTF-8 sequences beyond ASCII count as letters.
var word = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
	}
	return t
}()

func number(run []byte, yield func([]byte)) {
	digits := 0
	for digits < len(run) && run[digits] >= '0' && run[digits] <= '9' {
		digits++
	}
	switch {
	case digits == len(run) && digits >= 2 && digits <= maxNumber:
		yield(run)
	case digits < len(run) && digits <= 2 && !(digits == 1 && run[0] == '0'):
		// 2to3, 3d: a word that happens to begin with a digit; 0x1f is not.
		identifier(run[digits:], make([]byte, 0, maxWord), yield)
	}
}

func identifier(run, folded []byte, yield func([]byte)) {
	run = bytes.Trim(run, "_")
	if len(run) == 0 {
		return
	}
	ascii := true
	for _, c := range run {
		ascii = ascii && c < utf8.RuneSelf
	}
	if !ascii {
		unicodeWords(run, yield)
		return
	}
	whole := append(folded, run...)
	simple := true // lower case throughout: the word is its own only part
	for k, c := range whole {
		if c >= 'A' && c <= 'Z' {
			whole[k] = c + 'a' - 'A'
			simple = simple && k == 0
		} else if c < 'a' || c > 'z' {
			simple = false
		}
	}
	if len(whole) <= maxWord {
		yield(whole)
	}
	if simple {
		return
	}
	for k := 0; k < len(run); {
		e := partEnd(run, k)
		// A part that is the whole has been given already.
		if letter(run[k]) && e-k >= 2 && e-k < len(run) {
			yield(whole[k:e])
		}
		k = e
	}
}

func upper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool  { return c >= 'a' && c <= 'z' }
func letter(c byte) bool { return upper(c) || lower(c) }

// partEnd returns the end of the part that begins at k: a run of digits or
// underscores, a run of lower case, or upper case followed by lower case; the
// last of several capitals before a small letter begins the next part.
func partEnd(s []byte, k int) int {
	e := k + 1
	switch {
	case !letter(s[k]):
		for e < len(s) && !letter(s[e]) {
			e++
		}
		return e
	case lower(s[k]):
	default:
		for e < len(s) && upper(s[e]) {
			e++
		}
		if e-k > 1 {
			if e < len(s) && lower(s[e]) {
				e--
			}
			return e
		}
	}
	for e < len(s) && lower(s[e]) {
		e++
	}
	return e
}

// unicodeWords is the slow path for runs with letters beyond ASCII, and for
// punctuation beyond ASCII that a byte table cannot tell from letters.
func unicodeWords(run []byte, yield func([]byte)) {
	for _, w := range bytes.FieldsFunc(run, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if isASCII(w) {
			if w[0] < '0' || w[0] > '9' {
				identifier(w, make([]byte, 0, len(w)), yield)
			}
			continue
		}
		for _, part := range bytes.FieldsFunc(w, func(r rune) bool { return r == '_' }) {
			if len(part) <= maxWord {
				yield(bytes.ToLower(part))
			}
		}
	}
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// A Builder makes Docs. Its zero value is ready; it is not safe for concurrent
// use, and reuses its memory from one Doc to the next.
type Builder struct {
	slots []slot // open addressing, a power of two long
	round uint32
	terms []Term
	words int
	runs  runs
	stems stems
}

// maxRuns bounds how many identifiers a runs remembers: some megabytes.
const maxRuns = 1 << 17

// runs remembers the terms of identifiers, by their hashes, as the index knows terms.
// Code repeats them: of a hundred in the Go distribution ninety-five were there before,
// and to look one up takes less than a third of splitting and folding it and looking up
// its parts; half of that again in a table of hashes in place of a map of strings.
type runs struct {
	spans  []span // open addressing, a power of two long, at most half full
	count  int
	hashes []uint64
}

// A span is where the terms of a run are in hashes.
type span struct {
	run      uint64 // its hash; 0: the place is free
	from, to uint32
}

// find returns the place of a run, which is free where it is not known.
func (r *runs) find(run uint64) *span {
	mask := uint64(len(r.spans) - 1)
	for i := run & mask; ; i = (i + 1) & mask {
		if s := &r.spans[i]; s.run == run || s.run == 0 {
			return s
		}
	}
}

// grow makes room for another run, and forgets all of them when they are too many.
func (r *runs) grow() {
	if r.count >= maxRuns {
		clear(r.spans)
		r.count, r.hashes = 0, r.hashes[:0]
		return
	}
	old := r.spans
	r.spans = make([]span, max(1024, 2*len(old)))
	for _, s := range old {
		if s.run != 0 {
			*r.find(s.run) = s
		}
	}
}

type slot struct {
	hash  uint64
	round uint32
	term  uint32
}

// Add counts the terms of text, as Split gives them, each occurrence times times.
func (d *Builder) Add(text []byte, times int) {
	for i := 0; i < len(text); {
		c := text[i]
		if !word[c] {
			i++
			continue
		}
		j := i + 1
		for j < len(text) && word[text[j]] {
			j++
		}
		for _, hash := range d.hashes(text[i:j]) {
			d.count(hash, times)
		}
		i = j
	}
}

// hashes returns the terms of a run of letters, digits and underscores. The slice is
// good until the next call.
func (d *Builder) hashes(run []byte) []uint64 {
	r := &d.runs
	hash := max(xxhash.Sum64(run), 1)
	if len(r.spans) > 0 {
		if s := r.find(hash); s.run != 0 {
			return r.hashes[s.from:s.to]
		}
	}
	if 2*r.count >= len(r.spans) {
		r.grow()
	}
	from := len(r.hashes)
	Split(run, func(term []byte) { r.hashes = append(r.hashes, d.stems.hash(term)) })
	found := r.hashes[from:]
	if len(run) > 2*maxWord { // longer ones are data, and do not come again
		r.hashes = r.hashes[:from]
		return found
	}
	*r.find(hash) = span{hash, uint32(from), uint32(len(r.hashes))}
	r.count++
	return found
}

func (d *Builder) count(hash uint64, times int) {
	if len(d.terms)*2 >= len(d.slots) {
		d.grow()
	}
	d.words += times
	mask := uint64(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if s.round != d.round {
			*s = slot{hash, d.round, uint32(len(d.terms))}
			d.terms = append(d.terms, Term{hash, times})
			return
		}
		if s.hash == hash {
			d.terms[s.term].Count += times
			return
		}
	}
}

func (d *Builder) grow() {
	d.slots = make([]slot, max(1024, 2*len(d.slots)))
	d.round = 1
	mask := uint64(len(d.slots) - 1)
	for n, t := range d.terms {
		i := t.Hash & mask
		for d.slots[i].round == d.round {
			i = (i + 1) & mask
		}
		d.slots[i] = slot{t.Hash, d.round, uint32(n)}
	}
}

// Doc returns what has been counted and begins anew.
func (d *Builder) Doc() Doc {
	doc := Doc{Terms: append([]Term(nil), d.terms...), Words: d.words}
	d.terms, d.words = d.terms[:0], 0
	d.round++
	if d.round == 0 { // after 4 billion documents the stamps would repeat
		clear(d.slots)
		d.round = 1
	}
	return doc
}

// Query returns the terms of a question that keep admits, each once. It is for
// short texts: its time is the square of their length.
func Query(text []byte, keep func(term []byte) bool) []Term {
	var terms []Term
	Split(text, func(term []byte) {
		if !keep(term) {
			return
		}
		hash := xxhash.Sum64String(Stem(string(term)))
		for i := range terms {
			if terms[i].Hash == hash {
				return
			}
		}
		terms = append(terms, Term{hash, 1})
	})
	return terms
}

// Hash returns the term that a stem stands for.
func Hash(stem string) uint64 { return xxhash.Sum64String(stem) }
