package line

import (
	"bytes"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/posix"
)

// A Searcher searches texts by a Pattern, one at a time: it keeps the part of the automaton
// that it has built. It is not safe for concurrent use.
type Searcher struct {
	pattern *Pattern
	dfa     *dfa           // nil: package regexp does all
	folded  []byte         // memory to use
	stride  int            // bytes that are searched between two looks at the clock
	exact   *posix.Matcher // nil: the pattern has none
}

// Searcher returns a new one.
func (p *Pattern) Searcher() *Searcher {
	s := &Searcher{pattern: p, stride: strideWork}
	if p.exact != nil {
		s.exact = p.exact.Matcher()
	}
	if p.word != nil {
		return s
	}
	s.stride /= len(p.prog.Inst)
	if p.classes != nil {
		s.dfa = newDFA(p.prog, p.classes)
		s.stride = strideWork
	}
	return s
}

// Each calls yield with the number, from 1, and the bounds of every line that matches,
// until it returns false. stop is asked from time to time whether to give up, and Each
// reports whether it did not. A line feed at the end of a text begins no line.
func (s *Searcher) Each(src []byte, stop func() bool, yield func(line, start, end int) bool) (complete bool) {
	if s.pattern.word != nil {
		return s.eachWord(src, stop, yield)
	}
	literal := &s.pattern.literal
	hay := src
	if literal.fold {
		hay = fold(&s.folded, src)
	}
	next := literal.finder(hay)
	line, counted := 1, 0 // the number of the line at offset counted
	searched := 0
	for at := 0; at < len(src); {
		if searched >= s.stride {
			if searched = 0; stop() {
				return false
			}
		}
		start, end := s.candidate(src, at, next)
		if start < 0 {
			return true
		}
		searched += end - at
		at = end + 1 // unless there is a match before
		text := src[start:end]
		hit := 0
		if next == nil || !s.pattern.whole {
			known := false
			if hit, known = s.first(text); !known {
				at = start // again, in smaller pieces
				continue
			}
			if hit < 0 {
				continue
			}
		}
		hit += start
		start = max(start, bytes.LastIndexByte(src[:hit], '\n')+1)
		if end = len(src); hit < end {
			if i := bytes.IndexByte(src[hit:], '\n'); i >= 0 {
				end = hit + i
			}
		}
		at = end + 1
		if s.pattern.loose {
			if _, _, ok := s.exact.Next(src[start:end], 0, stop); !ok {
				continue
			}
		}
		line += bytes.Count(src[counted:start], []byte{'\n'})
		counted = start
		if !yield(line, start, end) {
			return true
		}
	}
	return true
}

// Matches calls yield with the bounds of every match in a line that is not empty, from left
// to right: each begins where the one before it ends, or after. Of patterns of POSIX the
// longest counts. complete says that stop did not.
func (s *Searcher) Matches(text []byte, stop func() bool, yield func(start, end int)) (complete bool) {
	if s.exact == nil {
		for n, loc := range s.pattern.re.FindAllIndex(text, -1) {
			if n%someMatches == 0 && stop() {
				return false
			}
			if loc[0] < loc[1] {
				yield(loc[0], loc[1])
			}
		}
		return true
	}
	for from := 0; from < len(text); {
		start, end, ok := s.exact.Next(text, from, stop)
		switch {
		case !ok:
			return !stop()
		case start == end:
			_, n := utf8.DecodeRune(text[end:])
			from = end + max(n, 1)
		default:
			yield(start, end)
			from = end
		}
	}
	return true
}

// someMatches are given between two looks at the clock.
const someMatches = 1 << 12

// eachWord is Each for a whole word, without a look at each line that has the text of it.
func (s *Searcher) eachWord(src []byte, stop func() bool, yield func(line, start, end int) bool) (complete bool) {
	line, counted := 1, 0 // the number of the line at offset counted
	searched := 0
	for at := 0; at < len(src); {
		if at-searched >= s.stride {
			if searched = at; stop() {
				return false
			}
		}
		hit := s.pattern.wordFrom(src, at)
		if hit < 0 {
			return true
		}
		start, end := at+bytes.LastIndexByte(src[at:hit], '\n')+1, len(src)
		if i := bytes.IndexByte(src[hit:], '\n'); i >= 0 {
			end = hit + i
		}
		at = end + 1
		line += bytes.Count(src[counted:start], []byte{'\n'})
		counted = start
		if !yield(line, start, end) {
			return true
		}
	}
	return true
}

// first returns an offset in the first line that matches, or at its end; -1: none does.
// It is not known when the automaton has just been given up.
func (s *Searcher) first(text []byte) (hit int, known bool) {
	if s.dfa != nil {
		if hit, known = s.dfa.first(text); !known {
			s.dfa, s.stride = nil, strideWork/len(s.pattern.prog.Inst)
		}
		return hit, known
	}
	if loc := s.pattern.re.FindIndex(text); loc != nil {
		return loc[0], true
	}
	return -1, true
}

// candidate returns the whole lines from at to search next: the first one with a
// literal that a match must hold, or else as many as one stride has.
func (s *Searcher) candidate(src []byte, at int, next func(int) int) (start, end int) {
	reach := min(at+s.stride, len(src))
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
	if end = len(src); src[end-1] == '\n' {
		end--
	}
	return start, end
}
