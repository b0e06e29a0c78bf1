// Package taint reads what values are followed from and to: patterns of names for sources, sinks,
// sanitizers and carriers, and the tables of them that the languages have
// (index/internal/lang/NAME/control/flows.txt). It knows names and texts, and no program.
//
// A name is compared as it is written, without spaces, arguments and indices, and with "." for
// every mark between its parts: r.URL.Query().Get, request.args[], std.env.args. In a pattern "*" is
// any text:
//
//	*.FormValue        a call, or what is read of a variable, of that name
//	exec.Command(1-)   of a call, these arguments alone, from 0; "." is what it is called of
//	*.where(0){0:!*=>*}  only where the argument 0 is written like that, or, with "!", is not;
//	                   "*:" for any of the arguments, "|" between several texts
//	exec(0)?child_process  only in a file that has this word
//	@RequestParam      the parameters that are annotated so, or those of a function that is
//	func:handle*(0)    the parameters of functions of that name
//	*.innerHTML=       what is assigned to it
//	__html:            the value of such a key
//	type:int           a parameter of such a type
//	word:echo          what is in a statement that begins with the word
//	`                  what is between backquotes
package taint

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Kind says what a pattern matches.
type Kind uint8

// The kinds of patterns.
const (
	Named Kind = iota // a call or a read
	Annotation
	Function
	Assigned
	Keyed
	Word
	Typed
	Backquoted
)

// Receiver is the position of what a call is of.
const Receiver = -1

// A Pattern matches places in a program.
type Pattern struct {
	Text  string // as it was written
	Kind  Kind
	Needs string // the file has this word; "": any

	glob  string
	last  string // what every match ends with
	at    []span
	to    []span // of a carrier
	where []condition
}

// A span is a range of positions.
type span struct{ from, to int }

// A condition says how an argument is written.
type condition struct {
	at    int // -2: any
	globs []string
}

const anyArgument = -2

var conditionEnd = regexp.MustCompile(`\{(\*|\d{1,3}):([^}]*(?:\{[^}]*)?)\}$`)

// Parse reads a pattern.
func Parse(text string) (Pattern, error) {
	p := Pattern{Text: text}
	rest := text
	if i := strings.LastIndexByte(rest, '?'); i > 0 && isWord(rest[i+1:]) {
		rest, p.Needs = rest[:i], rest[i+1:]
	}
	for strings.HasSuffix(rest, "}") {
		m := conditionEnd.FindStringSubmatchIndex(rest)
		if m == nil {
			return p, errors.New("a condition is {ARGUMENT:TEXT|TEXT}")
		}
		c := condition{at: anyArgument, globs: strings.Split(rest[m[4]:m[5]], "|")}
		if at := rest[m[2]:m[3]]; at != "*" {
			c.at, _ = strconv.Atoi(at)
		}
		p.where = append(p.where, c)
		rest = rest[:m[0]]
	}
	if strings.HasSuffix(rest, ")") {
		if i := strings.LastIndexByte(rest, '('); i >= 0 {
			at, to, carries := strings.Cut(rest[i+1:len(rest)-1], ">")
			var err error
			if p.at, err = spans(at); err == nil && carries {
				p.to, err = spans(to)
			}
			if err != nil {
				return p, err
			}
			rest = rest[:i]
		}
	}
	switch {
	case strings.HasPrefix(rest, "@"):
		p.Kind, rest = Annotation, rest[1:]
	case strings.HasPrefix(rest, "func:"):
		p.Kind, rest = Function, rest[len("func:"):]
	case strings.HasPrefix(rest, "word:"):
		p.Kind, rest = Word, rest[len("word:"):]
	case strings.HasPrefix(rest, "type:"):
		p.Kind, rest = Typed, rest[len("type:"):]
	case rest == "`":
		p.Kind = Backquoted
	case strings.HasSuffix(rest, "="):
		p.Kind, rest = Assigned, rest[:len(rest)-1]
	case strings.HasSuffix(rest, ":"):
		p.Kind = Keyed
	}
	if p.Kind != Function && strings.Trim(rest, "*.") == "" || rest == "" {
		return p, errors.New("it names nothing")
	}
	p.glob = Name([]byte(rest))
	if p.Kind == Keyed || p.Kind == Backquoted {
		p.glob = rest
	}
	p.last = p.glob[strings.LastIndexByte(p.glob, '*')+1:]
	return p, nil
}

func spans(text string) (list []span, err error) {
	if text == "" {
		return nil, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		s := span{Receiver, Receiver}
		if one == "*" {
			s = span{0, maxArgument}
		} else if one != "." {
			from, to, open := strings.Cut(one, "-")
			if s.from, err = strconv.Atoi(from); err != nil || s.from < 0 {
				return nil, fmt.Errorf("%q is no position of an argument: these are 0, 1-, 2-3, \".\" and \"*\"", one)
			}
			s.to = s.from
			if open {
				if s.to = maxArgument; to != "" {
					if s.to, err = strconv.Atoi(to); err != nil || s.to < s.from {
						return nil, fmt.Errorf("%q is no range of arguments", one)
					}
				}
			}
		}
		list = append(list, s)
	}
	return list, nil
}

const maxArgument = 1 << 20

// Matches reports whether a pattern is of a name.
func (p *Pattern) Matches(name string) bool {
	return strings.HasSuffix(name, p.last) && Glob(p.glob, name)
}

// MatchesPart is Matches for a name, or for one that it begins with.
func (p *Pattern) MatchesPart(name string) bool {
	for end := len(name); end > 0; end = strings.LastIndexAny(name[:end], ".[") {
		if p.Matches(name[:end]) {
			return true
		}
	}
	return false
}

// Positions reports whether a pattern says which arguments are meant.
func (p *Pattern) Positions() bool { return len(p.at) > 0 }

// At reports whether a pattern is about an argument: without positions about all but the receiver.
func (p *Pattern) At(position int) bool {
	if len(p.at) == 0 {
		return position != Receiver
	}
	return within(p.at, position)
}

// Carries reports whether what is given at one position is found in another one after the call.
func (p *Pattern) Carries(from, to int) bool {
	return within(p.at, from) && within(p.to, to) && from != to
}

func within(list []span, at int) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s.from <= at && at <= s.to })
}

// Fits reports whether the arguments of a call are written as a pattern asks.
func (p *Pattern) Fits(args []string) bool {
	for _, c := range p.where {
		at := args
		if c.at != anyArgument {
			at = args[min(c.at, len(args)):min(c.at+1, len(args))]
		}
		wanted, found := false, false
		for _, glob := range c.globs {
			text, not := strings.CutPrefix(glob, "!")
			has := slices.ContainsFunc(at, func(a string) bool { return Glob(text, a) })
			if not && has {
				return false
			}
			wanted, found = wanted || !not, found || !not && has
		}
		if wanted && !found {
			return false
		}
	}
	return true
}

// Conditional reports whether Fits ever says no.
func (p *Pattern) Conditional() bool { return len(p.where) > 0 }

// Words returns the whole names in a pattern, the last one last: a text without one of them has no
// match, but for a name that an import gives to another one.
func (p *Pattern) Words() (list []string) {
	for i := 0; i < len(p.glob); {
		if !isLetter(p.glob[i]) {
			i++
			continue
		}
		from := i
		for i < len(p.glob) && isLetter(p.glob[i]) {
			i++
		}
		if (from == 0 || p.glob[from-1] != '*') && (i == len(p.glob) || p.glob[i] != '*') {
			list = append(list, p.glob[from:i])
		}
	}
	return list
}

// Last returns the word that a match ends with, "" where that may be several.
func (p *Pattern) Last() string {
	glob := strings.TrimRight(p.glob, "[]():")
	from := len(glob)
	for from > 0 && isLetter(glob[from-1]) {
		from--
	}
	if from > 0 && glob[from-1] == '*' {
		return ""
	}
	return glob[from:]
}

// Glob reports whether a text is as a pattern in which "*" is any text.
func Glob(pattern, text string) bool {
	first, rest, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], after
	}
}

// Name returns a name as patterns have it.
func Name(src []byte) string {
	src = bytes.TrimPrefix(src, []byte("new "))
	out := make([]byte, 0, len(src))
	depth := 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '"' || c == '\'':
			if end := closing(src, i); end > 0 {
				if depth == 0 {
					out = append(out, c, c)
				}
				i = end
				continue
			}
		case c == ')' || c == ']':
			depth = max(depth-1, 0)
		}
		if depth == 0 && c > ' ' {
			switch {
			case c == '-' && i+1 < len(src) && src[i+1] == '>', c == '?' && i+1 < len(src) && src[i+1] == '.', c == ':' && i+1 < len(src) && src[i+1] == ':',
				c == '!' && i+1 < len(src) && src[i+1] == '.':
				out = append(out, '.')
				i++
				if c == '?' && i+1 < len(src) && src[i+1] == '-' { // ?-> of PHP is two marks
					i++
				}
			case c == '?' && i+2 < len(src) && src[i+1] == '-' && src[i+2] == '>':
				out = append(out, '.')
				i += 2
			default:
				out = append(out, c)
			}
		}
		if c == '(' || c == '[' {
			depth++
		}
	}
	name := strings.ReplaceAll(string(out), ".[", "[")
	return strings.ReplaceAll(name, "..", ".")
}

// closing returns the end of a literal of a text, 0 for none.
func closing(src []byte, at int) int {
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case src[at]:
			return i
		}
	}
	return 0
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isWord(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && s[i] != '-' && s[i] != '/' && s[i] != '.' {
			return false
		}
	}
	return s != ""
}

// EndsWith reports whether a match may end with a word.
func (p *Pattern) EndsWith(word string) bool {
	glob := strings.TrimRight(p.glob, "[]():")
	return Glob(glob[strings.LastIndexAny(glob, ".>")+1:], word)
}

// Possible reports whether a text with some words may have a match, if Needed.
func (p *Pattern) Possible(words map[string]bool) bool {
	return !slices.ContainsFunc(p.Words(), func(w string) bool { return !words[w] })
}

// Needed reports whether a text has what the pattern needs.
func (p *Pattern) Needed(src []byte) bool {
	return p.Needs == "" || bytes.Contains(src, []byte(p.Needs))
}

// Mark is the text that a place of a kind that is no name has.
func (p *Pattern) Mark() string { return p.glob }

// Marks reports whether a place of a text is one of the pattern. name is what is written there.
func (p *Pattern) Marks(src []byte, at int, name string) bool {
	switch p.Kind {
	case Word:
		return bytes.HasPrefix(src[at:], []byte(p.glob))
	case Backquoted:
		return src[at] == '`'
	case Keyed:
		return bytes.HasPrefix(src[at:], []byte(p.glob))
	case Assigned:
		rest := bytes.TrimLeft(src[at:], "_$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
		rest = bytes.TrimLeft(rest, " \t")
		return p.Matches(name) && len(rest) > 1 && (rest[0] == '=' && rest[1] != '=' || rest[1] == '=' && rest[0] != '=' && rest[0] != '!')
	}
	return false
}
