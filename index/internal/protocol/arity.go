package protocol

import (
	"bytes"
	"math"
	"regexp"
	"slices"
)

// An Arity is how many arguments a function takes, if that is known.
type Arity struct {
	least, most int
	known       bool
}

// Apart reports whether no number of arguments suits both.
func (a Arity) Apart(b Arity) bool {
	return a.known && b.known && (a.most < b.least || b.most < a.least)
}

// Needs reports whether a call with a number of arguments has too few of them.
func (a Arity) Needs(arguments int) bool { return a.known && arguments < a.least }

// ArityOf reads the parameters of a function from the text that begins with its head. It gives
// up at what is not plain: texts in defaults, and lists that do not close.
func ArityOf(language, name string, src []byte) Arity {
	switch language {
	case "java", "kotlin", "csharp", "swift", "go":
	case "c":
		list, ok := listOfC(src, name)
		if !ok || slices.ContainsFunc(list, func(p []byte) bool { return !declaresOfC.Match(p) }) {
			return Arity{}
		}
		return Arity{least: len(list), most: len(list), known: true}
	default:
		return Arity{}
	}
	_, list, found := bytes.Cut(src, []byte(name+"("))
	if !found {
		return Arity{}
	}
	var a Arity
	depth, param := 0, 0
	take := func(p []byte) {
		p = bytes.TrimSpace(p)
		switch {
		case len(p) == 0:
		case bytes.Contains(p, []byte("...")) || bytes.HasPrefix(p, []byte("vararg ")) || bytes.HasPrefix(p, []byte("params ")):
			a.most = math.MaxInt32
		case bytes.ContainsRune(p, '=') || bytes.HasPrefix(p, []byte("this ")): // it may be left out, or stand before the dot
			a.most = min(a.most, math.MaxInt32-1) + 1
		default:
			a.least, a.most = a.least+1, min(a.most, math.MaxInt32-1)+1
		}
	}
	for n, c := range list {
		switch c {
		case '"', '\'', '/', '#':
			return Arity{}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if c == '>' && n > 0 && (list[n-1] == '-' || list[n-1] == '=') {
				continue // an arrow
			}
			if depth--; depth < 0 {
				take(list[param:n])
				a.known = c == ')'
				return a
			}
		case ',':
			if depth == 0 {
				take(list[param:n])
				param = n + 1
			}
		}
	}
	return Arity{}
}

// declaresOfC is a parameter with its type. Of one word nobody knows whether a macro makes several of it.
var declaresOfC = regexp.MustCompile(`^\w+[\s*]+\w|\(`)

// ArgumentsOfC reads the arguments of a call of C from the text that begins with what is called: a name, a
// field or an element of an array. known is false where the text does not tell how many these are.
func ArgumentsOfC(src []byte) (list [][]byte, known bool) {
	return listOfC(src, "")
}

// calleeOfC is what may stand between the name that is called and its arguments.
var calleeOfC = regexp.MustCompile(`^(\w+|->|\.|\[[\w\s+-]*\]|\s)*[\s)]*\(`)

// listOfC reads the list in parentheses behind a name, or behind what is called.
func listOfC(src []byte, name string) (list [][]byte, known bool) {
	if name != "" {
		_, after, found := bytes.Cut(src, []byte(name))
		after = bytes.TrimLeft(after, " \t\n")
		if !found || !bytes.HasPrefix(after, []byte("(")) {
			return nil, false
		}
		src = after[1:]
	} else {
		callee := calleeOfC.Find(src)
		if callee == nil {
			return nil, false
		}
		src = src[len(callee):]
	}
	depth, begin := 0, 0
	for n, c := range src {
		switch c {
		case '"', '\'', '/', '#', ';', '{', '}':
			return nil, false
		case '(', '[':
			depth++
		case ',':
			if depth == 0 {
				list, begin = append(list, bytes.TrimSpace(src[begin:n])), n+1
			}
		case ')', ']':
			if depth--; depth >= 0 {
				continue
			}
			last := bytes.TrimSpace(src[begin:n])
			switch {
			case len(list) == 0 && string(last) == "void":
				return nil, true
			case len(list) == 0 && len(last) == 0:
				return nil, name == "" // a function without a list may take any
			}
			next := bytes.TrimSpace(src[n+1:])
			return append(list, last), name != "" || len(next) == 0 || !bytes.ContainsRune([]byte("([.-"), rune(next[0])) // of what is given back more is called
		}
	}
	return nil, false
}
