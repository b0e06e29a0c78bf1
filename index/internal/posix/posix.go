// Package posix translates patterns of POSIX, basic and extended, as GNU grep reads them,
// into RE2's syntax, and finds the longest matches of what RE2 has no words for: \< and \>,
// and the boundaries of words in all scripts.
//
// The grammar is that of POSIX.1-2017, XBD 9, with GNU's extensions: \+ \? \| in basic
// patterns, \w \W \s \S \b \B \< \> \` \' in both. Where POSIX leaves open what a pattern
// means, it means what GNU grep 3.8 takes it for. Letters are those of Unicode.
package posix

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Dialect is how a pattern is written.
type Dialect int

// The dialects.
const (
	Basic    Dialect = iota // \( \) \{ \} group and repeat
	Extended                // ( ) { } do, and + ? |
)

// An Expression is a pattern in RE2's syntax, in which ^ and $ are the ends of a line.
type Expression struct {
	Loose string // matches wherever the pattern does; without Words nowhere else
	Exact string // \A stands for \<, \z for \>, and \b and \B are of all scripts: for a Matcher
	Words bool   // the pattern asks where words begin or end, which Loose does not
}

// An Error says why a pattern is not translated.
type Error struct {
	Reason      string // a phrase
	Unsupported bool   // grep would take it
}

func (e *Error) Error() string { return e.Reason }

func invalid(reason string) error { return &Error{Reason: reason} }

// Translate translates a list of patterns, one a line: a text matches where one of them does.
// The error is an Error. With fold, letters are going to match in either case, and so are
// the classes of capitals and small letters all letters.
func Translate(patterns string, d Dialect, fold bool) (Expression, error) {
	var e Expression
	var loose, exact []string
	for one := range strings.SplitSeq(patterns, "\n") {
		for _, strict := range []bool{true, false} {
			p := parser{text: one, extended: d == Extended, strict: strict, fold: fold}
			expr, err := p.alternatives(0)
			if err != nil {
				return Expression{}, err
			}
			if e.Words = e.Words || p.words; strict {
				exact = append(exact, expr)
			} else {
				loose = append(loose, expr)
			}
		}
	}
	e.Loose, e.Exact = either(loose), either(exact)
	if _, err := syntax.Parse(e.Exact, flags); err != nil {
		return Expression{}, &Error{Reason: "it cannot be searched for: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), Unsupported: true}
	}
	return e, nil
}

// either joins expressions of which one is to match.
func either(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "(?:" + strings.Join(list, ")|(?:") + ")"
}

const (
	maxDepth  = 200   // of groups in one another
	maxRepeat = 1000  // RE2's
	dupMax    = 32767 // RE_DUP_MAX of GNU
)

// A parser reads one pattern.
type parser struct {
	text     string
	at       int
	extended bool
	strict   bool // the result is Exact
	fold     bool
	words    bool
}

func (p *parser) rest() string { return p.text[p.at:] }

// special reports whether an operator comes next, which a backslash precedes in basic
// patterns, and passes over it.
func (p *parser) special(c byte) bool {
	written := string(c)
	if !p.extended {
		written = `\` + written
	}
	if !strings.HasPrefix(p.rest(), written) {
		return false
	}
	p.at += len(written)
	return true
}

// peek is special without passing over.
func (p *parser) peek(c byte) bool {
	at := p.at
	defer func() { p.at = at }()
	return p.special(c)
}

// alternatives reads branches up to the end of the group that they are in.
func (p *parser) alternatives(depth int) (string, error) {
	if depth > maxDepth {
		return "", &Error{Reason: fmt.Sprintf("its groups are nested more than %d deep", maxDepth), Unsupported: true}
	}
	var all []string
	for {
		one, err := p.branch(depth)
		if err != nil {
			return "", err
		}
		all = append(all, one)
		if !p.special('|') {
			return strings.Join(all, "|"), nil
		}
	}
}

// branch reads what stands between two bars.
func (p *parser) branch(depth int) (string, error) {
	var out strings.Builder
	last, repeatable := "", false // the last atom, and whether an operator can follow it
	begin := p.at
	for p.at < len(p.text) && !p.peek('|') && (depth == 0 || !p.peek(')')) {
		if op, ok, err := p.operator(repeatable); err != nil {
			return "", err
		} else if ok {
			if last != "" {
				last = "(?:" + last + op + ")"
			}
			continue
		}
		atom, anchor, err := p.atom(depth, p.at == begin)
		if err != nil {
			return "", err
		}
		out.WriteString(last)
		last, repeatable = atom, !anchor
	}
	return out.String() + last, nil
}

// operator reads what repeats. At the beginning of an expression a basic pattern has none,
// and that of an extended one repeats nothing.
func (p *parser) operator(repeatable bool) (op string, ok bool, err error) {
	if !p.extended && !repeatable {
		return "", false, nil
	}
	switch {
	case p.text[p.at] == '*':
		p.at++
		return "*", true, nil
	case p.special('+'):
		return "+", true, nil
	case p.special('?'):
		return "?", true, nil
	}
	at := p.at
	if !p.special('{') {
		return "", false, nil
	}
	if op, ok, err = p.interval(); !ok {
		p.at = at
	}
	return op, ok, err
}

// interval reads what follows the brace of an interval. In an extended pattern a brace that
// begins none is a character.
func (p *parser) interval() (op string, ok bool, err error) {
	low, comma, high := p.digits(), false, ""
	if comma = strings.HasPrefix(p.rest(), ","); comma {
		p.at++
		high = p.digits()
	}
	empty := low == "" && !comma
	if !p.special('}') {
		switch {
		case p.extended:
			return "", false, nil
		case p.at == len(p.text):
			return "", false, invalid(`Unmatched \{`)
		}
		return "", false, invalid(`Invalid content of \{\}`)
	}
	if low == "" {
		low = "0"
	}
	from, _ := strconv.Atoi(low)
	to := from
	if high != "" {
		to, _ = strconv.Atoi(high)
	}
	switch {
	case empty || to < from:
		return "", false, invalid(`Invalid content of \{\}`)
	case max(from, to) > dupMax:
		return "", false, invalid("Regular expression too big")
	case max(from, to) > maxRepeat:
		return "", false, &Error{Reason: fmt.Sprintf("an interval of more than %d is not supported", maxRepeat), Unsupported: true}
	case !comma:
		return fmt.Sprintf("{%d}", from), true, nil
	case high == "":
		return fmt.Sprintf("{%d,}", from), true, nil
	}
	return fmt.Sprintf("{%d,%d}", from, to), true, nil
}

func (p *parser) digits() string {
	at := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' && p.at-at < 9 {
		p.at++
	}
	return p.text[at:p.at]
}

// atom reads a character, a bracket expression, a group or an assertion. anchor says that a
// star after it is a character in a basic pattern.
func (p *parser) atom(depth int, begins bool) (expr string, anchor bool, err error) {
	switch {
	case p.special('('):
		return p.group(depth)
	case !p.extended && p.peek(')'): // with no group open
		return "", false, invalid(`Unmatched ) or \)`)
	}
	r, n := utf8.DecodeRuneInString(p.rest())
	if r == utf8.RuneError && n == 1 {
		return "", false, invalid("it is not UTF-8")
	}
	p.at += n
	switch r {
	case '\\':
		expr, err = p.escape()
		return expr, false, err
	case '[':
		expr, err = p.bracket()
		return expr, false, err
	case '.':
		return ".", false, nil
	case '^':
		if p.extended || begins {
			return "^", !p.extended, nil
		}
	case '$':
		if p.extended || p.at == len(p.text) || p.peek('|') || depth > 0 && p.peek(')') {
			return "$", false, nil
		}
	}
	return regexp.QuoteMeta(string(r)), false, nil
}

func (p *parser) group(depth int) (expr string, anchor bool, err error) {
	if expr, err = p.alternatives(depth + 1); err != nil {
		return "", false, err
	}
	if !p.special(')') {
		return "", false, invalid(`Unmatched ( or \(`)
	}
	return "(?:" + expr + ")", false, nil
}

// Characters of words, as glibc classes them but for some marks.
const (
	letters = `\pL\p{Nl}\p{Mc}\x{24B6}-\x{24E9}`
	inWord  = letters + `\p{Nd}_`
	spaces  = `\t-\r \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}`
)

// escape reads what follows a backslash.
func (p *parser) escape() (string, error) {
	if p.at == len(p.text) {
		return "", invalid("Trailing backslash")
	}
	r, n := utf8.DecodeRuneInString(p.rest())
	p.at += n
	switch r {
	case 'w':
		return "[" + inWord + "]", nil
	case 'W':
		return "[^" + inWord + "]", nil
	case 's':
		return "[" + spaces + "]", nil
	case 'S':
		return "[^" + spaces + "]", nil
	case 'b':
		return p.word(`\b`), nil
	case 'B':
		return p.word(`\B`), nil
	case '<':
		return p.word(`\A`), nil
	case '>':
		return p.word(`\z`), nil
	case '`':
		return "^", nil
	case '\'':
		return "$", nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "", &Error{Reason: fmt.Sprintf(`back references such as \%c are not supported`, r), Unsupported: true}
	}
	return regexp.QuoteMeta(string(r)), nil
}

// word returns an assertion about words.
func (p *parser) word(assertion string) string {
	p.words = true
	if p.strict {
		return assertion
	}
	return "(?:)"
}
