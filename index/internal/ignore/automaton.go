package ignore

import (
	"math/bits"
	"slices"
)

// An automaton is several patterns with wildcards, which are tried at once: a bit for
// each place in a pattern says whether the pattern can have come there, and a byte of the
// path moves all bits by a few operations on whole words. This is the Shift-And algorithm
// with the extensions for classes and gaps (G. Navarro, M. Raffinot, Flexible Pattern
// Matching in Strings, 2002, section 4). It takes time in proportion to the length of the
// path times that of all patterns, divided by 64, whatever they are.
//
// It may come to the end of a pattern that does not match: match has the last word.
type automaton struct {
	patterns []ranked
	ends     []place // of the patterns, in their order
	start    []uint64
	step     [256][]uint64 // the places that a byte leads to, from the one before
	gap      []uint64      // the places that a byte which is no slash leaves as they are
	deep     []uint64      // and those that any does: in a "**"
	before   []uint64      // the places before a "**", which may also stand for nothing
	final    []uint64
	hasDeep  bool
}

// ranked is a pattern and what it says.
type ranked struct {
	pattern
	rank int
}

// A place is where in the patterns, one behind the other, a match has come to.
type place = int

// cost returns how many places a pattern has, or more.
func (p *pattern) cost() int {
	n := len(p.name) + len(p.prefix) + 2
	for _, s := range p.segments {
		n += len(s) + 2
	}
	return n
}

// A builder numbers the places of patterns.
type builder struct {
	a  *automaton
	at place // the last one
}

// compile returns the automaton of patterns that are all with a slash, or all without;
// nil for none.
func compile(patterns []ranked) *automaton {
	if len(patterns) == 0 {
		return nil
	}
	places := 0
	for i := range patterns {
		places += patterns[i].cost()
	}
	words := (places + 63) / 64
	set := func() []uint64 { return make([]uint64, words) }
	a := &automaton{start: set(), gap: set(), deep: set(), before: set(), final: set()}
	all := make([]uint64, len(a.step)*words)
	for c := range a.step {
		a.step[c] = all[c*words:][:words:words]
	}
	b := &builder{a: a, at: -1}
	for _, p := range patterns {
		b.at++
		from := b.at
		if !b.pattern(&p.pattern) { // it matches nothing
			b.wipe(from)
			continue
		}
		mark(a.start, from)
		mark(a.final, b.at)
		a.patterns, a.ends = append(a.patterns, p), append(a.ends, b.at)
	}
	if b.at < 0 || len(a.patterns) == 0 {
		return nil
	}
	a.enter(a.start)
	a.share()
	return a
}

func mark(set []uint64, i place) { set[i>>6] |= 1 << (i & 63) }

// wipe gives back the places from one on.
func (b *builder) wipe(from place) {
	for _, set := range append(b.a.step[:], b.a.gap, b.a.deep, b.a.before) {
		for i := from; i <= b.at+2 && i>>6 < len(set); i++ {
			set[i>>6] &^= 1 << (i & 63)
		}
	}
	b.at = from - 1
}

// pattern adds the places of a pattern behind the one that it begins with. false: it
// cannot match.
func (b *builder) pattern(p *pattern) bool {
	if p.segments == nil {
		return b.segment(p.name)
	}
	b.text(p.prefix)
	last := len(p.segments) - 1
	for i := 0; i <= last; i++ {
		s := p.segments[i]
		if s != "**" {
			if !b.segment(s) {
				return false
			}
			if i < last {
				b.text("/")
			}
			continue
		}
		for i < last && p.segments[i+1] == "**" {
			i++
		}
		mark(b.a.before, b.at)
		b.a.hasDeep = true
		b.at++ // in the "**", without a byte
		mark(b.a.deep, b.at)
		if i < last {
			b.text("/")
		} else {
			b.at++ // the "**" may stand for nothing, which leads one place further
			mark(b.a.deep, b.at)
		}
	}
	return true
}

func (b *builder) text(s string) {
	for i := range len(s) {
		b.at++
		mark(b.a.step[s[i]], b.at)
	}
}

// segment adds an element of a path, or a part of one.
func (b *builder) segment(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*':
			mark(b.a.gap, b.at)
		case '?':
			b.class(func(byte) bool { return true })
		case '\\':
			if i++; i == len(s) {
				return false
			}
			b.text(s[i : i+1])
		case '[':
			_, width := matchClass(s[i:], 0)
			if width == 0 {
				return false
			}
			in := s[i : i+width]
			b.class(func(c byte) bool { is, _ := matchClass(in, c); return is })
			i += width - 1
		default:
			b.text(s[i : i+1])
		}
	}
	return true
}

// class adds a place that the bytes of a class lead to, of which a slash is none.
func (b *builder) class(in func(c byte) bool) {
	b.at++
	for c := range 256 {
		if c != '/' && in(byte(c)) {
			mark(b.a.step[c], b.at)
		}
	}
}

// share keeps one of the sets that are equal: of most bytes they are.
func (a *automaton) share() {
	var distinct [][]uint64
	for c, set := range a.step {
		i := slices.IndexFunc(distinct, func(d []uint64) bool { return slices.Equal(d, set) })
		if i < 0 {
			i, distinct = len(distinct), append(distinct, slices.Clone(set))
		}
		a.step[c] = distinct[i]
	}
}

// enter adds to places those that a "**" behind them can be left at without a byte: in
// it, and behind the slash that follows it.
func (a *automaton) enter(at []uint64) {
	var over uint64
	for i := range at {
		into := at[i] & a.before[i]
		at[i] |= into<<1 | into<<2 | over
		over = beyond(into)
	}
}

// beyond returns what the places in a word enter of the next one.
func beyond(into uint64) uint64 { return into>>62&1 | into>>63*3 }

// wordsAside is how many words of places are kept on the stack.
const wordsAside = 16

// last returns the rank of the last pattern that matches a text, which is the path or
// its last element, or best where that is higher.
func (a *automaton) last(text, path, base string, folder bool, best int) int {
	if a == nil {
		return best
	}
	var aside [wordsAside]uint64
	at := aside[:]
	if len(a.start) > wordsAside {
		at = make([]uint64, len(a.start))
	}
	at = at[:len(a.start)]
	copy(at, a.start)
	for i := range len(text) {
		if !a.move(at, text[i]) {
			return best
		}
	}
	n := len(a.ends)
	for w := len(at) - 1; w >= 0; w-- {
		for hit := at[w] & a.final[w]; hit != 0; {
			bit := 63 - bits.LeadingZeros64(hit)
			hit &^= 1 << bit
			for end := w<<6 | bit; a.ends[n-1] > end; {
				n--
			}
			p := &a.patterns[n-1]
			if p.rank <= best {
				return best
			}
			if p.match(path, base, folder) {
				return p.rank
			}
		}
	}
	return best
}

// move moves all places by a byte of the path. false: none is left.
func (a *automaton) move(at []uint64, c byte) bool {
	step, stay := a.step[c][:len(at)], a.gap[:len(at)]
	if c == '/' {
		stay = a.deep[:len(at)]
	}
	var carry, some uint64
	if !a.hasDeep {
		for i, x := range at {
			y := (x<<1|carry)&step[i] | x&stay[i]
			carry = x >> 63
			at[i] = y
			some |= y
		}
		return some != 0
	}
	deep, before := a.deep[:len(at)], a.before[:len(at)]
	var over uint64
	for i, x := range at {
		y := (x<<1 | carry) & step[i]
		carry = x >> 63
		y |= x & (stay[i] | deep[i])
		into := y & before[i]
		at[i] = y | into<<1 | into<<2 | over
		over = beyond(into)
		some |= at[i]
	}
	return some|over != 0
}
