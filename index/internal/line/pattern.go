// Package line finds the lines of a text that match a regular expression of RE2's
// syntax. A line is searched as if it were alone: ^ and $ are its ends, and nothing
// matches a line feed.
//
// If every match contains a literal, that is searched for first, and a Filter may say that
// a text has none. Lines are matched by a deterministic automaton that is built lazily;
// package regexp is its fallback, and the reference in the tests.
package line

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/quarry-search/quarry/index/internal/posix"
)

// A Pattern is a compiled expression. It is safe for concurrent use.
type Pattern struct {
	re       *regexp.Regexp
	prog     *syntax.Prog
	literal  literals
	trigrams [][]uint32 // of each literal; nil: one has none
	whole    bool       // a literal is the whole expression: where it is, there is a match
	wide     bool       // every match holds a rune beyond ASCII
	classes  *classes
	word     []byte         // the whole expression is this text as a whole word, without re, prog and classes; nil: it is not
	exact    *posix.Program // what the expression stands for
	loose    bool           // the expression also matches where exact does not
}

const (
	// maxProgram bounds a compiled expression, in instructions. The time for a
	// text is at most proportional to its length times this.
	maxProgram = 10_000
	// strideWork is how many steps of a matcher, about 10 ns each, may pass
	// between two looks at the clock.
	strideWork = 4 << 20
)

const flags = syntax.Perl &^ syntax.OneLine

// Compile compiles an expression. The error is the parser's sentence.
func Compile(expr string) (*Pattern, error) {
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if err := withinLine(tree); err != nil {
		return nil, err
	}
	p := &Pattern{literal: required(tree), wide: wide(tree)}
	p.trigrams = p.literal.triples()
	p.whole = tree.Op == syntax.OpLiteral && len(p.literal.any) == 1 && !p.literal.fold
	if p.prog, err = syntax.Compile(tree.Simplify()); err != nil {
		return nil, err
	}
	if n := len(p.prog.Inst); n > maxProgram {
		return nil, fmt.Errorf("it compiles to %d instructions, more than %d", n, maxProgram)
	}
	if p.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, err
	}
	p.classes = classify(p.prog)
	return p, nil
}

// A Syntax is how an expression is written.
type Syntax int

// The syntaxes. The patterns of POSIX are as GNU grep reads them, one a line, and any of
// them matches.
const (
	RE2 Syntax = iota
	Basic
	Extended
)

// Options say what counts as a match besides the expression.
type Options struct {
	Syntax     Syntax
	Literal    bool // the expression is a text; with a syntax of POSIX, one a line
	IgnoreCase bool // letters match in either case
	Word       bool // what comes before and after a match is no part of a word: no letter, digit, mark or underscore
	Line       bool // a match is a whole line, whatever Word says
}

const outside = `[^\pL\pM\pN\p{Pc}]`

// CompileWith is Compile with options. What is wrong with a pattern of POSIX is a
// posix.Error.
func CompileWith(expr string, o Options) (*Pattern, error) {
	e := posix.Expression{Loose: expr, Exact: expr}
	var err error
	switch {
	case o.Literal:
		e.Loose = quoted(expr, o.Syntax != RE2)
		e.Exact = e.Loose
	case o.Syntax == Basic:
		e, err = posix.Translate(expr, posix.Basic, o.IgnoreCase)
	case o.Syntax == Extended:
		e, err = posix.Translate(expr, posix.Extended, o.IgnoreCase)
	}
	if err != nil {
		return nil, err
	}
	o.Word = o.Word && !o.Line
	p, err := compileLoose(e, o)
	if err != nil || !o.Literal && o.Syntax == RE2 {
		return p, err
	}
	if o.Line {
		e.Exact = "^(?:" + e.Exact + ")$"
	}
	if o.IgnoreCase {
		e.Exact = "(?i:" + e.Exact + ")"
	}
	if p.exact, err = posix.Compile(e.Exact, o.Word); err != nil {
		return nil, err
	}
	p.loose = e.Words || o.Word && o.Syntax != RE2 && p.exact.Empty() // grep passes over some that are empty
	return p, nil
}

// quoted returns the expression of a text, or of one a line.
func quoted(text string, several bool) string {
	if !several {
		return regexp.QuoteMeta(text)
	}
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = regexp.QuoteMeta(list[i])
	}
	return strings.Join(list, "|")
}

// compileLoose compiles an expression with options. Where it asks for words, that is left to
// whoever looks at what it has found.
func compileLoose(e posix.Expression, o Options) (*Pattern, error) {
	expr := e.Loose
	word := o.Word && !e.Words
	if word && !o.IgnoreCase {
		if tree, err := syntax.Parse(expr, flags); err == nil {
			if p := wholeWord(tree); p != nil {
				return p, nil
			}
		}
	}
	if !o.Literal && (word || o.Line || o.IgnoreCase) {
		if _, err := Compile(expr); err != nil {
			return nil, err // as it was given
		}
	}
	switch {
	case o.Line:
		expr = "^(?:" + expr + ")$"
	case word:
		expr = "(?:^|" + outside + ")(?:" + expr + ")(?:$|" + outside + ")"
	}
	if o.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	return Compile(expr)
}

var errLineFeed = errors.New("it matches a line feed, but lines are searched one at a time")

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

// Overlaps reports whether a match in a line contains some of the bytes between two
// offsets.
func (p *Pattern) Overlaps(text []byte, from, to int) bool {
	if p.word != nil {
		from = max(from-len(p.word)+1, 0)
		at := -1
		if from < len(text) {
			at = p.wordFrom(text, from)
		}
		return at >= 0 && at < to
	}
	for _, loc := range p.re.FindAllIndex(text, to+2) { // no more begin before it ends
		if loc[0] < to && max(loc[0]+1, from+1) <= loc[1] {
			return true
		}
	}
	return false
}

// First returns where the first match in a line begins, 0 for none.
func (p *Pattern) First(text []byte) int {
	if p.word != nil {
		return max(p.wordFrom(text, 0), 0)
	}
	if loc := p.re.FindIndex(text); loc != nil {
		return loc[0]
	}
	return 0
}

// Covers reports whether the first match in a name is the whole name.
func (p *Pattern) Covers(name string) bool {
	if p.word != nil {
		return name == string(p.word)
	}
	loc := p.re.FindStringIndex(name)
	return loc != nil && loc[0] == 0 && loc[1] == len(name)
}

// Unix removes the carriage returns from a text's line ends, in place.
func Unix(src []byte) []byte {
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
