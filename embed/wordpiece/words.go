package wordpiece

import "iter"

// Words yields the words of a text, in order: runs of letters a to z, cut at the boundaries
// of camelCase, and runs of at most four digits.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			n := wordEnd(text[i:])
			if n == 0 {
				i++
				continue
			}
			if !yield(text[i : i+n]) {
				return
			}
			i += n
		}
	}
}

// maxDigits bounds a word of digits: the rest is another.
const maxDigits = 4

// wordEnd returns the length of the word that a text begins with, 0 for none.
func wordEnd(s string) int {
	count := func(from int, is func(byte) bool) int {
		for from < len(s) && is(s[from]) {
			from++
		}
		return from
	}
	switch c := s[0]; {
	case isLower(c):
		return count(0, isLower)
	case isUpper(c):
		n := count(0, isUpper)
		switch {
		case n < len(s) && isLower(s[n]) && n > 1:
			return n - 1 // the last capital begins the next word
		case n < len(s) && isLower(s[n]):
			return count(n, isLower)
		}
		return n
	case isDigit(c):
		return min(count(0, isDigit), maxDigits)
	}
	return 0
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
