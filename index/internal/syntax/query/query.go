package query

import (
	"errors"
	"fmt"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A Query is a set of patterns, compiled for one grammar. It is only read.
type Query struct {
	Captures []string // their names, by number

	steps []step
	roots [][]root // the patterns for a node, by its kind
}

// A root is the first step of a pattern.
type root struct {
	step    int32
	pattern uint16
	loose   bool // its matches may repeat each other, or a part of each other
}

// A step matches one node. Those of a pattern are in pre-order, and what can
// follow each of them is spelled out, so that quantifiers and alternations are
// gone when a query runs.
type step struct {
	kind     uint16
	more     []uint16 // other numbers for the same kind
	wild     wildcard
	field    uint8
	depth    uint8 // below the root of the pattern
	anchored bool  // no named node between the one before and this one
	last     bool  // no named node after this one
	once     bool  // the first node that fits is as good as all others
	done     bool  // the pattern may end here
	absent   []uint8
	captures []uint16
	next     []target
}

// A target is a step that follows another.
type target struct {
	step     int32 // below 0 while compiling: see ended and compiler.repeat
	adjacent bool  // at the very next node: it goes on with a repetition
}

const ended = -1

// maxDepth is how deep patterns may be nested, the root included. A place
// for each level is copied at every step.
const maxDepth = 8

// Compile compiles the text of a query.
func Compile(text string, g *glr.Grammar) (*Query, error) {
	p := newParser(text, g)
	patterns, err := p.patterns()
	if err != nil {
		return nil, err
	}
	c := &compiler{Query: Query{Captures: p.captures, roots: make([][]root, len(g.Kinds))}}
	for number := range patterns {
		c.loose = false
		first := c.item(&patterns[number], 0, []target{{step: ended}})
		if c.err != nil {
			return nil, fmt.Errorf("pattern %d: %w", number, c.err)
		}
		for _, t := range first {
			s := &c.steps[t.step]
			if s.wild != noWildcard {
				return nil, fmt.Errorf("pattern %d: begins with a wildcard", number)
			}
			for _, kind := range append([]uint16{s.kind}, s.more...) {
				c.roots[kind] = append(c.roots[kind], root{t.step, uint16(number), c.loose})
			}
		}
	}
	return &c.Query, nil
}

type compiler struct {
	Query
	loops int32
	loose bool // of the pattern at hand
	err   error
}

// item adds the steps of an item and returns those it can begin with; follow is
// what comes after it.
func (c *compiler) item(i *item, depth int, follow []target) []target {
	switch i.quantifier {
	case '?':
		c.loose = true
		return append(c.one(i, depth, follow), follow...)
	case '+':
		return c.repeat(i, depth, follow)
	case '*':
		// The repetition comes last: the matcher makes no call for the last
		// target, and there may be a thousand comments in a row.
		first := c.repeat(i, depth, follow)
		return append(append([]target(nil), follow...), first...)
	}
	return c.one(i, depth, follow)
}

// repeat adds the steps of an item that is followed by itself as well. The loop
// is closed when it is known where the item begins.
func (c *compiler) repeat(i *item, depth int, follow []target) []target {
	c.loose = true
	c.loops++
	open, begin := ended-c.loops, len(c.steps)
	first := c.one(i, depth, append(append([]target(nil), follow...), target{step: open}))
	for n := begin; n < len(c.steps); n++ {
		s := &c.steps[n]
		var next []target
		for _, t := range s.next {
			if t.step != open {
				next = append(next, t)
				continue
			}
			for _, f := range first {
				next = append(next, target{f.step, true})
			}
		}
		s.next = next
	}
	return first
}

// one adds the steps of an item, its quantifier apart.
func (c *compiler) one(i *item, depth int, follow []target) []target {
	if i.branches != nil {
		c.loose = true
		var first []target
		for n := range i.branches {
			first = append(first, c.one(&i.branches[n], depth, follow)...)
		}
		return first
	}
	if depth >= maxDepth {
		c.err = errors.New("nested too deep")
		return nil
	}
	n := len(c.steps)
	c.steps = append(c.steps, step{
		wild: i.wild, field: i.field, depth: uint8(depth), anchored: i.anchored, last: i.last,
		absent: i.absent, captures: i.captures,
	})
	next := follow
	for k := len(i.children) - 1; k >= 0; k-- {
		next = c.item(&i.children[k], depth+1, next)
	}
	s := &c.steps[n]
	if len(i.kinds) > 0 {
		s.kind, s.more = i.kinds[0], i.kinds[1:]
	}
	for _, t := range next {
		if t.step == ended {
			s.done = true
		} else {
			s.next = append(s.next, t)
		}
	}
	if !i.anyCapture() {
		// Where nothing is captured, nor must the next node be next to this one,
		// a later node can only lead to the same matches.
		s.once = true
		for _, t := range follow {
			if t.step != ended && (t.step < 0 || c.steps[t.step].anchored && int(c.steps[t.step].depth) == depth) {
				s.once, c.loose = false, true
			}
		}
	}
	return []target{{step: int32(n)}}
}

// anyCapture reports whether anything in the item is captured.
func (i *item) anyCapture() bool {
	if len(i.captures) > 0 {
		return true
	}
	for n := range i.children {
		if i.children[n].anyCapture() {
			return true
		}
	}
	for n := range i.branches {
		if i.branches[n].anyCapture() {
			return true
		}
	}
	return false
}
