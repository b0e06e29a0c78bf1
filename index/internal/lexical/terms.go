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

// maxFolded is the room for a run in lower case; the rare longer one gets its own.
const maxFolded = 2 * maxWord

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
	folded := make([]byte, 0, maxFolded)
	for from, to := nextRun(text, 0); from < to; from, to = nextRun(text, to) {
		splitRun(text[from:to], folded, yield)
	}
}

// nextRun returns where the next run of letters, digits and underscores is; from is to
// where there is none.
func nextRun(text []byte, at int) (from, to int) {
	for at < len(text) && !word[text[at]] {
		at++
	}
	to = at
	for to < len(text) && word[text[to]] {
		to++
	}
	return at, to
}

// splitRun is Split of a single run; folded is room for it.
func splitRun(run, folded []byte, yield func(term []byte)) {
	if run[0] >= '0' && run[0] <= '9' {
		number(run, yield)
		return
	}
	identifier(run, folded, yield)
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
