// Package convention says by what something outside of an index may use a symbol that no code of the
// index names: a mark at it, its name or its place, which runners of tests, frameworks, compilers and
// tools look for, and what descriptions of packages offer to others or have run. It looks at a symbol
// and the text of its file alone, and not at what uses it.
package convention

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Symbol is one that something may use without naming it.
type Symbol struct {
	Record   *store.Record
	Number   int32 // among the symbols of the record
	Kind     Kind
	Flags    ir.FuncFlag
	Test     bool // it is test code
	Public   bool // its language lets code of other modules name it
	Assigned bool // it is assigned to a property of an object
	Shown    bool // it is an example of Go that is not run, for it does not say what it prints
}

// A Kind is what a symbol is.
type Kind uint8

const (
	Function Kind = iota
	Method
	Makes // a constructor: as alive as its class, and not reported by itself
	Class // any type
	Constant
	Variable
)

// Code reports whether the call graph has edges to it.
func (one *Symbol) Code() bool { return one.Kind <= Makes }

// Sym is what its record has of it.
func (one *Symbol) Sym() *store.Symbol { return &one.Record.Symbols[one.Number] }

// Family is the name of the languages that see each other's definitions; "" for one whose dead
// code is not looked for.
func Family(lang string) string {
	switch lang {
	case "c", "cpp":
		return "c"
	case "ruby":
		return lang
	}
	return store.CrossFamily(lang)
}

// Head is the text of a symbol as far as it can be its head.
func Head(src []byte, s *store.Symbol) []byte {
	head, _, _ := bytes.Cut(src[s.Start:min(s.End, s.Start+1000)], []byte("{"))
	return head
}

// Parted cuts the head of a function of Go behind the parenthesis of its parameters into these and its results.
func Parted(head []byte) (takes, gives []byte) {
	depth := 1
	for i, c := range head {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return head[:i], head[i+1:]
			}
		}
	}
	return head, nil
}
