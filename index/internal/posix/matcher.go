package posix

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// flags are how an Expression is parsed.
const flags = syntax.Perl &^ syntax.OneLine

// A Program finds the matches of an expression in a line. It is safe for concurrent use.
type Program struct {
	prog *syntax.Prog
	word bool
}

// Compile compiles the Exact of an Expression. With word, what comes before and after a
// match is no part of a word.
func Compile(exact string, word bool) (*Program, error) {
	tree, err := syntax.Parse(exact, flags)
	if err != nil {
		return nil, invalid(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, invalid(err.Error())
	}
	return &Program{prog, word}, nil
}

// Empty reports whether a match may be empty.
func (p *Program) Empty() bool {
	seen := make([]bool, len(p.prog.Inst))
	for stack := []uint32{uint32(p.prog.Start)}; len(stack) > 0; {
		pc := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &p.prog.Inst[pc]; i.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			stack = append(stack, i.Out)
		}
	}
	return false
}

// A Matcher has the memory for the searches of a Program, one at a time.
type Matcher struct {
	*Program
	now, then threads
	stack     []uint32
}

// Matcher returns a new one.
func (p *Program) Matcher() *Matcher {
	n := len(p.prog.Inst)
	return &Matcher{Program: p, now: newThreads(n), then: newThreads(n)}
}

// A thread is a state that the match which began at an offset has reached.
type thread struct {
	pc    uint32
	start int
}

// threads are those of one offset, the earliest match of each state.
type threads struct {
	list []thread
	at   []int32 // of a state in list
}

func newThreads(n int) threads { return threads{make([]thread, 0, n), make([]int32, n)} }

func (t *threads) has(pc uint32) bool {
	i := int(t.at[pc])
	return i < len(t.list) && t.list[i].pc == pc
}

// someSteps pass between two questions whether to stop.
const someSteps = 1 << 14

// Next returns the first match from an offset on, and of those that begin there the longest;
// ok is false where there is none, or when stop says so. What is before the offset counts as
// the left of what is after it.
func (m *Matcher) Next(text []byte, from int, stop func() bool) (start, end int, ok bool) {
	return m.search(text, from, false, stop)
}

// search is Next, or finds only what begins at the offset.
func (m *Matcher) search(text []byte, from int, there bool, stop func() bool) (start, end int, ok bool) {
	start, end = -1, -1
	m.now.list = m.now.list[:0]
	before, _ := utf8.DecodeLastRune(text[:from])
	if from == 0 {
		before = none
	}
	steps := 0
	for at := from; ; {
		if steps += 1 + len(m.now.list); steps > someSteps {
			if steps = 0; stop() {
				return -1, -1, false
			}
		}
		after, n := none, 1
		if at < len(text) {
			after, n = utf8.DecodeRune(text[at:])
		}
		// Those that began earlier come first, and keep their states.
		m.settle(before, after)
		if start < 0 && (!m.word || !InWord(before)) && (at == from || !there) {
			m.add(&m.now, uint32(m.prog.Start), at, before, after)
		}
		m.then.list = m.then.list[:0]
		for _, t := range m.now.list {
			if start >= 0 && t.start > start {
				continue
			}
			switch i := &m.prog.Inst[t.pc]; i.Op {
			case syntax.InstMatch:
				if (!m.word || !InWord(after) && (t.start < at || !m.longer(text, at))) && (start < 0 || t.start <= start) {
					start, end = t.start, at
				}
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				if after != none && i.MatchRune(after) {
					m.then.push(i.Out, t.start)
				}
			}
		}
		if at += n; at > len(text) || (start >= 0 || there) && len(m.then.list) == 0 {
			return start, end, start >= 0
		}
		m.now, m.then = m.then, m.now
		before = after
	}
}

// longer reports whether a match begins at an offset that is not empty. Where one does, whose
// ends are in words, grep -w does not take the empty one in its place.
func (m *Matcher) longer(text []byte, at int) bool {
	whole := Program{prog: m.prog}
	_, end, ok := whole.Matcher().search(text, at, true, func() bool { return false })
	return ok && end > at
}

// none is what stands before a text and after it.
const none = rune(-1)

func (t *threads) push(pc uint32, start int) {
	if !t.has(pc) {
		t.at[pc] = int32(len(t.list))
		t.list = append(t.list, thread{pc, start})
	}
}

// settle follows the threads that have read a character to where they read the next one.
func (m *Matcher) settle(before, after rune) {
	reached := slices.Clone(m.now.list)
	slices.SortStableFunc(reached, func(a, b thread) int { return a.start - b.start })
	m.now.list = m.now.list[:0]
	for _, t := range reached {
		m.add(&m.now, t.pc, t.start, before, after)
	}
}

// add adds a state, and those that are reached from it without a character.
func (m *Matcher) add(to *threads, pc uint32, start int, before, after rune) {
	m.stack = append(m.stack[:0], pc)
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if to.has(pc) {
			continue
		}
		to.push(pc, start)
		switch i := &m.prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, i.Arg, i.Out)
		case syntax.InstCapture, syntax.InstNop:
			m.stack = append(m.stack, i.Out)
		case syntax.InstEmptyWidth:
			if holds(syntax.EmptyOp(i.Arg), before, after) {
				m.stack = append(m.stack, i.Out)
			}
		}
	}
}

// holds reports whether assertions are true between two characters.
func holds(op syntax.EmptyOp, before, after rune) bool {
	left, right := InWord(before), InWord(after)
	return (op&syntax.EmptyBeginLine == 0 || before == none) &&
		(op&syntax.EmptyEndLine == 0 || after == none) &&
		(op&syntax.EmptyBeginText == 0 || !left && right) && // \<
		(op&syntax.EmptyEndText == 0 || left && !right) && // \>
		(op&syntax.EmptyWordBoundary == 0 || left != right) &&
		(op&syntax.EmptyNoWordBoundary == 0 || left == right)
}

// InWord reports whether \w matches a character.
func InWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Mc, unicode.Nd) || 0x24B6 <= r && r <= 0x24E9
}
