package pattern

import (
	"bytes"
	"regexp"
	"regexp/syntax"
)

// An Expression is a regular expression that looks first whether a line has one of the
// words without which it cannot match: most lines have none, and asking the expression
// takes twenty times as long.
type Expression struct {
	*regexp.Regexp
	Words [][]byte // of which a match has one; none: it is not known
}

func newExpression(text string) *Expression {
	e := &Expression{Regexp: regexp.MustCompile(text)}
	re, _ := syntax.Parse(text, syntax.Perl) // it has just been compiled
	for _, w := range wordsOf(re) {
		e.Words = append(e.Words, []byte(w))
	}
	return e
}

// Find is FindSubmatchIndex.
func (e *Expression) Find(line []byte) []int {
	if !e.Possible(line) {
		return nil
	}
	return e.FindSubmatchIndex(line)
}

// Possible reports whether a line has one of the words.
func (e *Expression) Possible(line []byte) bool {
	for _, w := range e.Words {
		if bytes.Contains(line, w) {
			return true
		}
	}
	return len(e.Words) == 0
}

// wordsOf returns words of which every match of re has one, or none if there are no such
// words.
func wordsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := wordsOf(sub)
			if len(words) == 0 {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := wordsOf(sub); shortest(words) > shortest(best) {
				best = words
			}
		}
		return best
	}
	return nil
}

func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	least := len(words[0])
	for _, w := range words {
		least = min(least, len(w))
	}
	return least
}
