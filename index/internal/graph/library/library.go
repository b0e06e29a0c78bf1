// Package library reads and applies models of libraries: what a method does with the
// functions that it gets, and what it returns, as text in place of code.
//
// There is a rule a line below the names of the types that it is for; # begins a comment:
//
//	[list, set]
//	map mapNotNull: args(elem) -> List<ret>
//	forEach:        arg0(elem, index)
//	fold:           args(arg0, elem) -> arg0 | ret
//	*:              args(elem) -> elem | self
//
// That is: the names of the methods, what is called with what, and what is returned. Of
// several calls each is separated by a semicolon, and each adds to ret what the functions
// return. A term is a union of parts: one that the language gives a meaning (elem), one of
// it with arguments (same(elem)), a type of the library with arguments (List<elem>), another
// word for one without, or _ for nothing. The method * stands for all others.
package library

import (
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
)

// A Model says what the methods of a type of a library do.
type Model struct{ rules map[string]*rule }

// A rule is what a method does.
type rule struct {
	calls  []part // of functions among the arguments
	result []part // a union; nil: nothing that is known
}

// A part is a part of a term, or a call with its parameters.
type part struct {
	name    string
	args    [][]part
	generic bool // a type of the library: args in angle brackets
}

// A Meaning is what a language says of the words of a model at a call.
type Meaning interface {
	// Call calls the functions that the word of an argument stands for, and returns what
	// they return.
	Call(word string, params []pointsto.Set) pointsto.Set
	// Word is the values that a word stands for; ok is false where it is none of the
	// language's.
	Word(word string, args []pointsto.Set) (s pointsto.Set, ok bool)
}

// Apply applies the rule of a method. ok is false where there is none;
// m may be nil.
func (m *Model) Apply(e *eval.Evaluator, method string, with Meaning) (s pointsto.Set, ok bool) {
	if m == nil {
		return 0, false
	}
	r := m.rules[method]
	if r == nil {
		r = m.rules["*"]
	}
	if r == nil {
		return 0, false
	}
	a := applied{e: e, with: with}
	for _, c := range r.calls {
		a.ret = e.Family.Union(a.ret, with.Call(c.name, a.each(c.args)))
	}
	return a.term(r.result), true
}

// applied is a rule that is being applied.
type applied struct {
	e    *eval.Evaluator
	with Meaning
	ret  pointsto.Set
}

func (a *applied) each(terms [][]part) []pointsto.Set {
	sets := make([]pointsto.Set, len(terms))
	for i, t := range terms {
		sets[i] = a.term(t)
	}
	return sets
}

// term is the union of some parts.
func (a *applied) term(parts []part) pointsto.Set {
	if len(parts) == 0 {
		return 0
	}
	p, s := parts[0], pointsto.Set(0)
	switch {
	case p.generic:
		s = a.e.Generic(p.name, a.each(p.args)...)
	case p.name == "ret":
		s = a.ret
	case p.name != "_":
		var ok bool
		if s, ok = a.with.Word(p.name, a.each(p.args)); !ok {
			s = a.e.External(a.e.Family.Names.Intern(p.name))
		}
	}
	return a.e.Family.Union(s, a.term(parts[1:]))
}

// MustParse reads models, by the name of the type. It panics on what makes no sense, which
// is part of the program.
func MustParse(text string) map[string]*Model {
	models := map[string]*Model{}
	var m *Model
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			m = &Model{map[string]*rule{}}
			for _, typ := range strings.Split(strings.TrimSuffix(name, "]"), ", ") {
				models[typ] = m
			}
			continue
		}
		names, what, ok := strings.Cut(line, ":")
		p := parser{text: what}
		r := p.rule()
		if p.skip(); !ok || p.text != "" {
			panic(fmt.Sprintf("library: a rule that makes no sense at %q: %s", p.text, line))
		}
		for _, name := range strings.Fields(names) {
			if m.rules[name] != nil {
				panic("library: two rules for " + name)
			}
			m.rules[name] = r
		}
	}
	return models
}

// parser reads what is left of a line.
type parser struct{ text string }

func (p *parser) skip() { p.text = strings.TrimLeft(p.text, " \t") }

// next takes a sign off the text, if that begins with it.
func (p *parser) next(sign string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.text, sign)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *parser) rule() *rule {
	r := &rule{}
	if !p.next("->") {
		for more := p.text != ""; more; more = p.next(";") {
			r.calls = append(r.calls, p.part())
		}
		if !p.next("->") {
			return r
		}
	}
	r.result = p.term()
	return r
}

func (p *parser) term() []part {
	parts := []part{p.part()}
	for p.next("|") {
		parts = append(parts, p.part())
	}
	return parts
}

func (p *parser) part() part {
	p.skip()
	n := strings.IndexAny(p.text+" ", " \t()<>,;|")
	out := part{name: p.text[:n]}
	p.text = p.text[n:]
	end := ")"
	switch {
	case p.next("<"):
		out.generic, end = true, ">"
	case !p.next("("):
		return out
	}
	for !p.next(end) && p.text != "" {
		out.args = append(out.args, p.term())
		p.next(",")
	}
	return out
}
