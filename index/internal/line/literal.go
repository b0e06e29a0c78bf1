package line

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literals are texts one of which every match holds; none: nothing is known.
type literals struct {
	any  []string
	fold bool // they are folded, and are to be looked for in folded text
}

// maxLiterals bounds how many texts are looked for at once.
const maxLiterals = 8

// required returns the texts of which every match of an expression holds one.
func required(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best literals
		for _, sub := range re.Sub {
			if l := required(sub); l.shortest() > best.shortest() {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		var all literals
		for _, sub := range re.Sub {
			l := required(sub)
			if len(l.any) == 0 || len(all.any)+len(l.any) > maxLiterals {
				return literals{}
			}
			all.any, all.fold = append(all.any, l.any...), all.fold || l.fold
		}
		if all.fold { // one way of looking for all of them
			for i, text := range all.any {
				all.any[i] = strings.Map(foldASCII, text)
			}
		}
		return all
	}
	return literals{}
}

func (l literals) shortest() int {
	if len(l.any) == 0 {
		return 0
	}
	n := len(l.any[0])
	for _, text := range l.any {
		n = min(n, len(text))
	}
	return n
}

func foldASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + ('a' - 'A')
	}
	return r
}

// literalOf returns a literal, or, where its case does not matter, its longest
// part of ASCII whose letters have two forms: k and s have a third one beyond.
func literalOf(re *syntax.Regexp) literals {
	for _, r := range re.Rune {
		if r == utf8.RuneError {
			return literals{} // it stands for any invalid byte too
		}
	}
	if re.Flags&syntax.FoldCase == 0 {
		return literals{any: []string{string(re.Rune)}}
	}
	best, from := "", 0
	for i := 0; i <= len(re.Rune); i++ {
		if i < len(re.Rune) && re.Rune[i] < utf8.RuneSelf && !strings.ContainsRune("KkSs", re.Rune[i]) {
			continue
		}
		if part := string(re.Rune[from:i]); len(part) > len(best) {
			best = part
		}
		from = i + 1
	}
	if best == "" {
		return literals{}
	}
	return literals{any: []string{strings.Map(foldASCII, best)}, fold: true}
}

// finder returns a function that finds the end of the first literal from an
// offset on, -1 for none; offsets must not fall. nil: there are no literals.
func (l literals) finder(hay []byte) func(at int) int {
	if len(l.any) == 0 {
		return nil
	}
	ahead := make([]int, len(l.any)) // where each is next: past the end, nowhere
	for i := range ahead {
		ahead[i] = -1
	}
	return func(at int) int {
		first, end := len(hay)+1, -1
		for i, text := range l.any {
			if ahead[i] < at {
				ahead[i] = len(hay) + 1
				if n := bytes.Index(hay[at:], []byte(text)); n >= 0 {
					ahead[i] = at + n
				}
			}
			if ahead[i] < first {
				first, end = ahead[i], ahead[i]+len(text)
			}
		}
		return end
	}
}

// fold returns src with the capital letters of ASCII made small.
func fold(buffer *[]byte, src []byte) []byte {
	out := append((*buffer)[:0], src...)
	*buffer = out
	for ; len(out) >= 8; out = out[8:] {
		binary.LittleEndian.PutUint64(out, foldEight(binary.LittleEndian.Uint64(out)))
	}
	for i, c := range out {
		out[i] = small(c)
	}
	return *buffer
}

// foldEight folds eight bytes at once, which takes a fifth of the time: bit 7 of each
// byte is set in a sum where the lower seven bits come to more than a letter.
func foldEight(x uint64) uint64 {
	const each = 0x0101010101010101
	low := x & (0x7F * each)
	fromA, beyondZ := low+(0x80-'A')*each, low+(0x7F-'Z')*each
	return x | (fromA&^beyondZ&^x&(0x80*each))>>2
}
