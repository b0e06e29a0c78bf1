package index

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
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
