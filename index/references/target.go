package references

import (
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/references/typing"
)

// begin finds what of the graph the target is.
func (s *search) begin() {
	sym := s.at.Sym()
	s.name, s.lang = sym.Name, s.at.Record.Lang
	s.qualified = sym.Qualified()
	s.types = typing.New(s.index, s.lang, s.common.lower, s.common.modules)
	s.seeds, s.kin = map[graph.ID]bool{}, map[graph.ID]bool{}
	up := s.at.Record.Around(s.at.Symbol)
	if s.parent = typing.LastPart(sym.Parent); up >= 0 && !owns(s.lang, s.at.Record.Symbols[up].Kind()) {
		s.parent = ""
	}
	s.mixin = s.lang == "ruby" && up >= 0 && s.at.Record.Symbols[up].Kind() == syntax.Module
	var members []graph.ID
	for _, id := range s.Seeds(s.at) {
		n := s.Node(id)
		switch {
		case s.lang == "go" && n.Kind == graph.FuncNode && typing.IsType(string(sym.Kind())): // a method, which may have the name of its type
		case calls.PlainName(n) == s.name:
			s.seeds[id] = true
		case n.Kind == graph.FuncNode && calls.ClassName(n) == s.name && (store.MakesInstances(n.Language, calls.PlainName(n)) || n.Flags&ir.Constructor != 0):
			members = append(members, id)
		}
	}
	if s.makes = store.MakesInstances(s.lang, s.name) || sym.Kind() == syntax.Constructor; s.makes {
		s.name = s.parent
		if s.name == "" {
			s.name = sym.Name
		} else if sym.Name != s.name && sym.Name != "constructor" {
			s.own = sym.Name
		}
		s.parent = ""
	}
	switch s.lang {
	case "c", "cpp":
		s.tagged()
	case "typescript", "tsx":
		s.merged()
		if sym.Parent == "" {
			s.declaredByAll()
		}
	}
	for _, id := range members { // to make an instance names the class
		s.seeds[id] = true
	}
	if s.parent != "" && up >= 0 {
		t := &s.at.Record.Symbols[up]
		for _, id := range s.G.Named(s.at.Record.Path, t.Name, int(t.NameLine)) {
			s.class = id
		}
	}
	for i := up; i >= 0; i = s.at.Record.Around(i) {
		if t := &s.at.Record.Symbols[i]; store.Runs(t.Kind()) {
			s.inner = span{int(t.Start), int(t.End)}
			break
		}
	}
	s.holds = !store.Runs(sym.Kind()) && !typing.IsType(string(sym.Kind())) ||
		store.CrossFamily(s.lang) == "javascript" && up >= 0 && typing.IsType(string(s.at.Record.Symbols[up].Kind())) && s.at.Record.Symbols[up].Kind() != syntax.Class // a signature
	s.field = slices.ContainsFunc(s.index.Definitions(s.name), func(d store.SymbolRef) bool {
		return d.Record.Symbols[d.Symbol].Kind() == syntax.Field && d.Record.Lang == s.lang
	})
	s.related()
	s.identified()
	s.names = mention.Of(s.named())
}

// named are the names that the target has in any file.
func (s *search) named() []string {
	if s.own == "" {
		return []string{s.name}
	}
	return []string{s.name, s.own}
}

// tagged adds to a struct of C the type that its file names after it, and to that the struct.
func (s *search) tagged() {
	if r := s.at.Record; typing.IsType(string(s.at.Sym().Kind())) {
		for i := range r.Symbols {
			if t := &r.Symbols[i]; t.Name == s.name && typing.IsType(string(t.Kind())) {
				for _, id := range s.G.Named(r.Path, t.Name, int(t.NameLine)) {
					s.seeds[id] = true
				}
			}
		}
	}
}

// merged adds to a symbol of TypeScript what its file declares of its name as another thing: a class
// or a type and a value may be one.
func (s *search) merged() {
	r, sym := s.at.Record, s.at.Sym()
	for i := range r.Symbols {
		if t := &r.Symbols[i]; t.Name == s.name && t.Parent == sym.Parent && typing.IsType(string(t.Kind())) != typing.IsType(string(sym.Kind())) {
			for _, id := range s.G.Named(r.Path, t.Name, int(t.NameLine)) {
				s.seeds[id] = true
			}
		}
	}
}

// owns reports whether what is in a symbol is named by way of it.
func owns(lang string, kind syntax.Kind) bool {
	if kind == syntax.Enum && (lang == "c" || lang == "cpp") {
		return false
	}
	return kind != syntax.Module && kind != syntax.Namespace && !store.Runs(kind)
}

// related finds the methods that the target overrides, or that override it.
func (s *search) related() {
	var next []graph.ID
	for id := range s.seeds {
		if s.Node(id).Kind == graph.FuncNode {
			next = append(next, id)
		}
	}
	slices.Sort(next)
	take := func(id graph.ID) bool {
		if !s.kin[id] && !s.seeds[id] && calls.PlainName(s.Node(id)) == s.name {
			s.kin[id] = true
			next = append(next, id)
		}
		return len(s.kin) < maxKin
	}
	// Where no types are declared, a call of a method below may be written for the target.
	if s.class != 0 && len(next) > 0 && store.Dynamic(s.lang) {
		for class := range s.Below([]graph.ID{s.class}, maxKin, true) {
			for _, id := range s.G.Members(class) {
				take(id)
			}
		}
	}
	for len(next) > 0 && len(s.kin) < maxKin {
		id := next[0]
		next = next[1:]
		s.G.In(id, func(e graph.Edge) bool {
			return e.Rule != graph.ByHierarchy || e.Kind == graph.Calls || take(e.From)
		})
	}
}
