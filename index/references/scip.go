package references

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/scip"
)

// identified finds which symbols of SCIP indexes the target is: those that its name defines where
// it stands.
func (s *search) identified() {
	s.symbols, s.others = map[uint32]bool{}, map[uint32]bool{}
	sym, known := s.at.Sym(), s.common.known
	if s.makes || !known.Has(s.at.Record.Path) {
		return // the making of an instance names the class
	}
	for i := range s.at.Record.Symbols { // an indexer may have the first of several definitions only
		other := &s.at.Record.Symbols[i]
		if other.Name != sym.Name || other.Parent != sym.Parent {
			continue
		}
		known.In(s.at.Record.Path, int(other.NameLine), func(o scip.Occurrence) {
			if name, _ := known.Name(o.Symbol); (o.Defines || o.Declares) && name == s.name {
				s.symbols[o.Symbol] = true
			}
		})
	}
}

// bySCIP says what SCIP indexes know of a place. known is false where they have nothing, or where
// what is named there may lead to the target by way of what implements it.
func (f *file) bySCIP(m *mention.Mention) (confidence string, known bool) {
	s := f.s
	f.settled = false
	if s.makes || m.Name != s.name {
		return "", false
	}
	for _, o := range s.common.known.At(f.Path, ir.At(m.Line, m.Column), len(mention.Word(m.Name))) {
		if s.symbols[o.Symbol] {
			f.settled = true
			return exact, true
		}
		other, ok := s.others[o.Symbol]
		if !ok {
			other = s.isOther(o.Symbol)
			s.others[o.Symbol] = other
		}
		if !other {
			return "", false
		}
		known = true
	}
	for _, e := range f.edges[ir.At(m.Line, m.Column)] {
		if s.seeds[e.To] {
			return "", false // what is named there is another method, and this one may run
		}
	}
	return "", known
}

// isOther reports whether a symbol that is not the target is known to have nothing to do with it.
// Of a target that the SCIP indexes do not have, that is not so: it may be another variant of
// what is named, for another system.
func (s *search) isOther(symbol uint32) bool {
	where, _ := s.common.known.Where(symbol)
	return where != scip.Unknown && len(s.symbols) > 0 && !s.kinOf(symbol)
}

// kinOf reports whether a symbol implements the target, or the target it.
func (s *search) kinOf(symbol uint32) bool {
	now := s.common.known
	for own := range s.symbols {
		if now.Implements(own, symbol) || now.Implements(symbol, own) {
			return true
		}
	}
	return false
}
