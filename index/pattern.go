package index

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A linePattern finds the lines of a text that match a regular expression. A
// line is searched as if it were alone: ^ and $ are its ends, and nothing matches
// a line feed. It is safe for concurrent use.
type linePattern struct {
	re      *regexp.Regexp
	literal literals
	stride  int // bytes that are searched between two looks at the clock
}

const (
	// maxProgram bounds a compiled expression, in instructions. The time for a
	// text is at most proportional to its length times this.
	maxProgram = 10_000
	// strideWork is how many steps of a matcher, about 10 ns each, may pass
	// between two looks at the clock.
	strideWork = 4 << 20
)

// compileLines returns a PatternError, with the parser's sentence, for what is
// not an expression of RE2's syntax.
func compileLines(pattern string) (*linePattern, error) {
	bad := func(err error) error {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return &PatternError{Pattern: pattern, Reason: reason}
	}
	tree, err := syntax.Parse(pattern, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, bad(err)
	}
	if err := withinLine(tree); err != nil {
		return nil, bad(err)
	}
	literal := required(tree)
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, bad(err)
	}
	if n := len(prog.Inst); n > maxProgram {
		return nil, bad(fmt.Errorf("it compiles to %d instructions, more than %d", n, maxProgram))
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, bad(err)
	}
	return &linePattern{re: re, literal: literal, stride: strideWork / len(prog.Inst)}, nil
}

var errLineFeed = errors.New("it asks for a line feed, and lines are searched one by one")

// withinLine changes an expression so that no match of it holds a line feed.
func withinLine(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return errLineFeed
			}
		}
	case syntax.OpCharClass:
		var kept []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				kept = append(kept, lo, hi)
				continue
			}
			if lo < '\n' {
				kept = append(kept, lo, '\n'-1)
			}
			if hi > '\n' {
				kept = append(kept, '\n'+1, hi)
			}
		}
		if len(kept) == 0 && len(re.Rune) > 0 {
			return errLineFeed
		}
		re.Rune = kept
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	}
	for _, sub := range re.Sub {
		if err := withinLine(sub); err != nil {
			return err
		}
	}
	return nil
}

// each calls yield with the number, from 1, and the bounds of every matching line
// that is not blank, until it returns false. stop is asked now and then whether
// to give up, and each reports whether it did not. folded is memory to use.
func (m *linePattern) each(src []byte, folded *[]byte, stop func() bool, yield func(line, start, end int) bool) (complete bool) {
	hay := src
	if m.literal.fold {
		hay = fold(folded, src)
	}
	next := m.literal.finder(hay)
	line, counted := 1, 0 // the number of the line at offset counted
	searched := 0
	for at := 0; at < len(src); {
		if searched >= m.stride {
			if searched = 0; stop() {
				return false
			}
		}
		start, end := m.candidate(src, at, next)
		if start < 0 {
			return true
		}
		searched += end - at
		at = end + 1
		text := src[start:end]
		loc := m.re.FindIndex(text)
		if loc == nil {
			continue
		}
		start += bytes.LastIndexByte(text[:loc[0]], '\n') + 1
		if i := bytes.IndexByte(src[start:], '\n'); i >= 0 {
			end = start + i
		} else {
			end = len(src)
		}
		at = end + 1
		if len(bytes.TrimSpace(src[start:end])) == 0 {
			continue
		}
		line += bytes.Count(src[counted:start], []byte{'\n'})
		counted = start
		if !yield(line, start, end) {
			return true
		}
	}
	return true
}

// unixLines takes the carriage returns out of a text's line ends, in its memory.
func unixLines(src []byte) []byte {
	out := src[:0]
	for {
		i := bytes.Index(src, []byte("\r\n"))
		if i < 0 {
			return append(out, src...)
		}
		out = append(out, src[:i]...)
		src = src[i+1:]
	}
}

// candidate returns the whole lines from at to search next: the first one with a
// literal that a match must hold, or else as many as one stride has.
func (m *linePattern) candidate(src []byte, at int, next func(int) int) (start, end int) {
	reach := min(at+m.stride, len(src))
	start = at
	if next != nil {
		hit := next(at)
		if hit < 0 {
			return -1, -1
		}
		start = at + bytes.LastIndexByte(src[at:hit], '\n') + 1
		reach = hit
	}
	if i := bytes.IndexByte(src[reach:], '\n'); i >= 0 {
		return start, reach + i
	}
	return start, len(src)
}

// fold returns src with the capital letters of ASCII made small.
func fold(buffer *[]byte, src []byte) []byte {
	out := append((*buffer)[:0], src...)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + ('a' - 'A')
		}
	}
	*buffer = out
	return out
}

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
