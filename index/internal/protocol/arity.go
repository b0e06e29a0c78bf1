package protocol

import (
	"bytes"
	"math"
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

// ArityOf reads the parameters of a function from the text that begins with its head. It gives
// up at what is not plain: texts in defaults, and lists that do not close.
func ArityOf(language, name string, src []byte) Arity {
	switch language {
	case "java", "kotlin", "csharp", "swift":
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
