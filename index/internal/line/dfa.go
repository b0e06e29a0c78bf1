package line

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// classes are the runes that a program tells apart: all of one class lead from every
// state to the same.
type classes struct {
	bounds  []rune // where a range of one class begins, sorted, from 0
	class   []uint8
	ascii   [utf8.RuneSelf]uint8
	sample  []rune // a rune of each class
	newline uint8  // which has one rune
	words   bool   // the program asks for word boundaries
	begins  bool   // or for the beginning of a line
}

// maxClasses is how many kinds of runes a program may tell apart, maxClassWork how much
// is compared to find them.
const (
	maxClasses   = 255
	maxClassWork = 1 << 20
)

// classify returns nil for a program that tells too many runes apart.
func classify(prog *syntax.Prog) *classes {
	c := &classes{bounds: []rune{0, '\n', '\n' + 1}}
	var asks []*syntax.Inst // that look at a rune
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			c.split(in)
			asks = append(asks, in)
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(in.Arg)
			c.words = c.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
			c.begins = c.begins || op&(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0
		}
	}
	if c.words {
		c.bounds = append(c.bounds, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
	}
	slices.Sort(c.bounds)
	c.bounds = slices.Compact(c.bounds)
	if len(c.bounds)*(len(asks)+1) > maxClassWork {
		return nil
	}
	known := map[string]uint8{}
	signature := make([]byte, 0, len(asks)+2)
	for _, r := range c.bounds {
		signature = append(signature[:0], flag(r == '\n'), flag(c.words && syntax.IsWordChar(r)))
		for _, in := range asks {
			signature = append(signature, flag(in.MatchRune(r)))
		}
		n, ok := known[string(signature)]
		if !ok {
			if len(c.sample) == maxClasses {
				return nil
			}
			n = uint8(len(c.sample))
			known[string(signature)] = n
			c.sample = append(c.sample, r)
		}
		c.class = append(c.class, n)
	}
	for r := range rune(utf8.RuneSelf) {
		c.ascii[r] = c.of(r)
	}
	c.newline = c.ascii['\n']
	return c
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// split enters the bounds of the runes that an instruction admits.
func (c *classes) split(in *syntax.Inst) {
	if len(in.Rune) == 1 {
		r := in.Rune[0]
		c.bounds = append(c.bounds, r, r+1)
		if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				c.bounds = append(c.bounds, f, f+1)
			}
		}
		return
	}
	for i := 0; i+1 < len(in.Rune); i += 2 {
		c.bounds = append(c.bounds, in.Rune[i], in.Rune[i+1]+1)
	}
}

// of returns the class of a rune.
func (c *classes) of(r rune) uint8 {
	i, found := slices.BinarySearch(c.bounds, r)
	if !found {
		i--
	}
	return c.class[i]
}

// A dfa finds whether a line matches, with states that are made when they are reached
// first. A state is what the program may stand at before it has looked at the next rune,
// and what of the rune before it must know.
//
// On 65 MB of Go that no literal narrows down it takes a fifteenth of the time of
// package regexp, 2 ns a byte.
type dfa struct {
	prog    *syntax.Prog
	classes *classes
	next    []int32 // by state and class: the state after it, or one of the below
	sets    [][]uint32
	before  []uint8
	stays   []*[256]bool // by state: the bytes of ASCII after which it is the same; nil: not known
	known   map[string]int32
	work    int // instructions that were followed

	seen  []uint32 // by instruction: the round in which it was last seen
	round uint32
	stack []uint32
	key   []byte
}

// Entries of next that are no state.
const (
	unknown int32 = -1 - iota
	accepts       // the line matches, whatever follows
)

// What a state knows of the rune before.
const (
	lineBegins = 1 << iota // there is none in this line
	afterWord
)

const (
	maxTransitions = 1 << 18 // of an automaton: 1 MB; then it starts over
	maxWork        = 1 << 21 // instructions that it follows, 20 ns each, before it gives up
	someStays      = 8       // after so many bytes that change nothing, the next ones are looked at in a table
)

func newDFA(prog *syntax.Prog, c *classes) *dfa {
	d := &dfa{prog: prog, classes: c, seen: make([]uint32, len(prog.Inst))}
	d.reset()
	return d
}

// reset forgets all states but that at the beginning of a line, which is 0.
func (d *dfa) reset() {
	d.known = map[string]int32{}
	d.next, d.sets, d.before, d.stays = d.next[:0], d.sets[:0], d.before[:0], d.stays[:0]
	d.state(nil, lineBegins)
}

// state returns the state of a sorted set of instructions.
func (d *dfa) state(set []uint32, before uint8) int32 {
	if !d.classes.begins {
		before &^= lineBegins
	}
	d.key = append(d.key[:0], before)
	for _, pc := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	n, ok := d.known[string(d.key)]
	if !ok {
		n = int32(len(d.sets))
		d.known[string(d.key)] = n
		d.sets = append(d.sets, slices.Clone(set))
		d.before = append(d.before, before)
		d.stays = append(d.stays, nil)
		for range d.classes.sample {
			d.next = append(d.next, unknown)
		}
	}
	return n
}

// first returns an offset in the first line of a text that matches, or at its end; -1:
// none does. It gives up, not known, when there are too many states.
func (d *dfa) first(text []byte) (hit int, known bool) {
	n := len(d.classes.sample)
	at, same := int32(0), 0
	for i := 0; i < len(text); {
		class, width := d.classes.ascii[text[i]&(utf8.RuneSelf-1)], 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			r, width = utf8.DecodeRune(text[i:])
			class = d.classes.of(r)
		}
		to := d.next[int(at)*n+int(class)]
		if to < 0 {
			if to == unknown {
				if to = d.step(&at, class); d.work > maxWork {
					return 0, false
				}
			}
			if to == accepts {
				return i, true
			}
		}
		i += width
		if to != at {
			at, same = to, 0
		} else if same++; same > someStays {
			same = 0
			stays := d.table(at)
			for i < len(text) && stays[text[i]] {
				i++
			}
		}
	}
	to := d.next[int(at)*n+int(d.classes.newline)]
	if to == unknown {
		to = d.step(&at, d.classes.newline)
	}
	if to == accepts {
		return len(text), true
	}
	return -1, d.work <= maxWork
}

// table returns which bytes leave a state as it is, as far as that is known.
func (d *dfa) table(at int32) *[256]bool {
	t := d.stays[at]
	if t == nil {
		t = new([256]bool)
		for b, class := range d.classes.ascii {
			to := &d.next[int(at)*len(d.classes.sample)+int(class)]
			if *to == unknown && len(d.next) <= maxTransitions {
				d.step(&at, class)
				to = &d.next[int(at)*len(d.classes.sample)+int(class)] // it may have moved
			}
			t[b] = *to == at
		}
		d.stays[at] = t
	}
	return t
}

// step makes a transition. It may forget all states; at is then the same one, again.
func (d *dfa) step(at *int32, class uint8) int32 {
	if len(d.next) > maxTransitions {
		set, before := d.sets[*at], d.before[*at]
		d.reset()
		*at = d.state(set, before)
	}
	r := d.classes.sample[class]
	var now syntax.EmptyOp
	before := d.before[*at]
	// A state of a program that does not ask for the beginning does not know it.
	if before&lineBegins != 0 {
		now |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if r == '\n' {
		now |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	word := d.classes.words && syntax.IsWordChar(r)
	if word != (before&afterWord != 0) {
		now |= syntax.EmptyWordBoundary
	} else {
		now |= syntax.EmptyNoWordBoundary
	}
	to, matched := d.follow(d.sets[*at], now, r)
	result := accepts
	switch {
	case matched:
	case r == '\n':
		result = 0
	case word:
		result = d.state(to, afterWord)
	default:
		result = d.state(to, 0)
	}
	d.next[int(*at)*len(d.classes.sample)+int(class)] = result
	return result
}

// follow goes from a set, and from the program's start, over what needs no rune, and then
// over a rune. It reports whether a match was on the way.
func (d *dfa) follow(set []uint32, now syntax.EmptyOp, r rune) (to []uint32, matched bool) {
	d.round++
	d.stack = append(append(d.stack[:0], set...), uint32(d.prog.Start))
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.round {
			continue
		}
		d.seen[pc] = d.round
		d.work++
		switch in := &d.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^now == 0 {
				d.stack = append(d.stack, in.Out)
			}
		case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r != '\n' {
				to = append(to, in.Out)
			}
		case syntax.InstRune, syntax.InstRune1:
			if r != '\n' && in.MatchRune(r) {
				to = append(to, in.Out)
			}
		}
	}
	slices.Sort(to)
	return slices.Compact(to), false
}
