package line

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// wholeWord returns the Pattern of a text between what is no part of a word, nil where the
// expression is more than a text. It is what most searches for words are, and to compile
// the classes of Unicode around it takes 2 ms, as long as to search 5,000 files.
func wholeWord(tree *syntax.Regexp) *Pattern {
	if tree.Op != syntax.OpLiteral || tree.Flags&syntax.FoldCase != 0 || slices.Contains(tree.Rune, '\n') {
		return nil
	}
	literal := literalOf(tree)
	if len(literal.any) == 0 {
		return nil
	}
	return &Pattern{literal: literal, trigrams: literal.triples(), wide: wide(tree), word: []byte(literal.any[0])}
}

// wordFrom returns where a text has the word of p as a whole word, from an offset on, -1 for
// nowhere.
func (p *Pattern) wordFrom(text []byte, from int) int {
	for {
		i := bytes.Index(text[from:], p.word)
		if i < 0 {
			return -1
		}
		at := from + i
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[at+len(p.word):])
		if !inWord(before) && !inWord(after) { // past an end there is utf8.RuneError
			return at
		}
		from = at + 1
	}
}

// inWord is the contrary of outside.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc)
}
