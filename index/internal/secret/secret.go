// Package secret finds keys and credentials in texts by their shape, and masks them.
//
// A text is masked where it is read, before anything is made of it: what is never in the
// index is in no answer over any transport, in no snapshot and in no vector, and nobody can
// find a key letter by letter with a regular expression. A mask is as long as what it
// hides, of letters only, and on the same lines, so that positions, hashes of lines and the
// syntax around it stay as they are.
//
// What counts as a secret: keys in the format of a known service, private keys in PEM and
// PGP blocks, JSON web tokens, passwords in addresses, connection strings and headers, long
// random values that are assigned to names such as secret, and shorter ones that are
// assigned to a password. It is a net with holes: a key without a known format, a password
// that is a word, and one that a sentence gives away are not found; those belong in files
// whose names mark them as secret. TestRecall measures it.
package secret

import "bytes"

// Version identifies which texts are masked and how. It grows when that changes, because
// what was made of texts before must not be mixed with what is made of them after.
const Version = 2

// Mark begins every mask of at least its length. Those of passwords, and of the last line
// of a PEM block, may be shorter, and are without it.
const Mark = "masked_by_quarry"

// Mask overwrites the secrets in a text, and returns how many stretches it has overwritten:
// a PEM block is one for each line. Assignments are examined if names is set; tests and
// examples assign many random values that are no secrets. A text that has been masked is
// left as it is.
//
// It reads about 400 MB in a second of a processor's time, where parsing reads 6: almost
// all text goes through the filter alone.
func Mask(text []byte, names bool) (masked int) {
	f := literals()
	for at := 0; ; {
		i, rule := f.next(text, at)
		if rule == nil {
			return masked
		}
		at = i + 1
		if rule.assigned && !names {
			continue
		}
		n, end := rule.mask(rule, text, i)
		masked += n
		at = max(at, end)
	}
}

// Count returns how many masks a text has, whatever has put them there.
func Count(text []byte) int { return bytes.Count(text, []byte(Mark)) }

// hide overwrites text[from:to] and returns to.
func hide(text []byte, from, to int) int {
	n := copy(text[from:to], Mark)
	if to-from < len(Mark) {
		n = 0
	}
	for i := from + n; i < to; i++ {
		text[i] = 'x'
	}
	return to
}
