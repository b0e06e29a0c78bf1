package calls

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

const maxHead = 2000 // bytes of a class or a method before its body

// calledBack returns what is outside of the index and may call a method: an interface that
// its class implements, a class that it inherits from, or what all objects are passed to.
// It is "" for a function that only code which names it can call.
func (w *Walk) calledBack(r *store.Record, i int32) string {
	s := &r.Symbols[i]
	up := r.Around(i)
	if !store.Runs(s.Kind()) || s.Kind() == syntax.Constructor || MakesInstances(s.Name) {
		return ""
	}
	if by := protocol.Member(r.Lang, s.Name); by != "" && (s.Parent != "" || protocol.Anywhere(r.Lang)) {
		return by
	}
	if s.Parent == "" {
		return ""
	}
	head, _, _ := strings.Cut(string(headOf(r, s.Start, s.End)), "{")
	switch {
	case r.Lang == "go":
		if by := protocol.GoInterface(s.Name); by != "" {
			return by + outsideIndex
		}
		return ""
	case r.Lang == "rust":
		return w.outsideTrait(r, s)
	case r.Lang == "elixir":
		return w.outsideBehaviour(r, s)
	case up < 0 || !protocol.Watched(r.Lang) || protocol.Hidden(r.Lang, s.Name, head):
		return ""
	}
	if by := w.outsideBase(r, up, head); by != "" {
		return by + outsideIndex
	}
	return ""
}

// outsideIndex is said of what calls a method back.
const outsideIndex = ", which is not in the index"

// headOf is the text of a symbol as far as it can be its head.
func headOf(r *store.Record, start, end uint32) []byte {
	return r.Text.Slice(int(start), min(int(end), int(start)+maxHead))
}

// outsideBase returns a class or an interface outside of the index above a class that may call
// a method with a head, or "". A name is looked up once, however many classes have it: 500 of
// class Meta(Base.Meta) are above each other.
func (w *Walk) outsideBase(r *store.Record, class int32, head string) string {
	inside := map[string]bool{} // by the names that were looked up
	level := []store.SymbolRef{{Record: r, Symbol: uint32(class)}}
	for len(level) > 0 {
		var above []store.SymbolRef
		for _, c := range level {
			s := &c.Record.Symbols[c.Symbol]
			for _, b := range protocol.Bases(r.Lang, s.Name, headOf(c.Record, s.Start, s.End)) {
				if protocol.Harmless(r.Lang, b.Name) {
					continue
				}
				known, asked := inside[b.Name]
				if !asked {
					defined := w.types(b.Name, r.Lang)
					known = len(defined) > 0
					inside[b.Name] = known
					above = append(above, defined...)
				}
				if !known && protocol.MayOverride(r.Lang, head, b) {
					return b.Name
				}
			}
		}
		level = above
	}
	return ""
}

// types returns the definitions of a name that are no functions, in languages that see those
// of one.
func (w *Walk) types(name, language string) []store.SymbolRef {
	return slices.DeleteFunc(Definitions(w.index, name), func(d store.SymbolRef) bool {
		return !graph.SameFamily(d.Record.Lang, language) || store.Runs(d.Record.Symbols[d.Symbol].Kind())
	})
}

// outsideTrait returns the trait outside of the index that a method of Rust is written for, or
// "".
func (w *Walk) outsideTrait(r *store.Record, s *store.Symbol) string {
	name := protocol.Trait(r.Text.Slice(0, int(s.Start)))
	if name == "" || len(w.types(name, r.Lang)) > 0 {
		return ""
	}
	return name + outsideIndex
}

// outsideBehaviour returns what may call a function of Elixir as that of a protocol or of a
// behaviour outside of the index, or "".
func (w *Walk) outsideBehaviour(r *store.Record, s *store.Symbol) string {
	p, behaviours := protocol.Behaviours(r.Text.All(), int(s.Start), s.Name)
	if p != "" {
		return "the protocol " + p
	}
	for _, name := range behaviours {
		if len(Definitions(w.index, name)) == 0 {
			return name + outsideIndex
		}
	}
	return ""
}
