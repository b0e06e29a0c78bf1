package diagnostics

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typeUses returns the names of types that the flow of a file does not have: in declarations of Go, and
// in annotations of Python. What some place of the file declares is not among them.
func (s *text) typeUses(root *walk.Graph, top map[string]bool) (uses []use) {
	t := s.tree
	bound := map[string]bool{}
	for g := range root.All() {
		for i := range g.Vars {
			if !g.Vars[i].Free {
				bound[g.Vars[i].Name] = true
			}
		}
	}
	switch s.record.Lang {
	case "go":
		own := bound // an index may look like the argument of a type
		var parents []syntax.Node
		skip := map[syntax.Node]bool{}
		for n := syntax.Node(1); int(n) <= t.Len(); n++ {
			switch t.Kind(n) {
			case "method_declaration": // the receiver may declare parameters of its type
				for c := range t.NamedChildren(t.Child(n, "receiver")) {
					s.typeNames(t.Child(c, "type"), func(name string) { own[name] = true })
				}
			case "qualified_type":
				pkg, name := t.NamedChild(n, 0), t.NamedChild(n, 1)
				skip[name] = true
				if pkg != 0 && name != 0 && !top[t.Text(pkg)] && !bound[t.Text(pkg)] {
					uses = append(uses, use{t.Text(pkg), t.Start(pkg), t.End(pkg), "." + t.Text(name), root})
				}
			case "type_identifier":
				parents = append(parents, n)
			}
		}
		for _, n := range parents {
			if name := t.Text(n); !skip[n] && !own[name] && !top[name] && t.Start(n) > 0 && s.src[t.Start(n)-1] != '.' {
				uses = append(uses, use{name, t.Start(n), t.End(n), "", root})
			}
		}
	case "python":
		for n := syntax.Node(1); int(n) <= t.Len(); n++ {
			switch t.Kind(n) {
			case "type_parameter", "type_alias_statement":
				s.identifiers(n, func(c syntax.Node) { bound[t.Text(c)] = true })
			case "class_definition", "function_definition":
				bound[t.Text(t.Child(n, "name"))] = true
			}
		}
		for n := syntax.Node(1); int(n) <= t.Len(); n++ {
			if t.Kind(n) != "type" {
				continue
			}
			s.identifiers(n, func(c syntax.Node) {
				if name := t.Text(c); !bound[name] && !top[name] {
					uses = append(uses, use{name, t.Start(c), t.End(c), "", root})
				}
			})
		}
	}
	return uses
}

// typeNames calls yield with the names in a type.
func (s *text) typeNames(n syntax.Node, yield func(name string)) {
	if s.tree.Kind(n) == "type_identifier" || s.tree.Kind(n) == "identifier" {
		yield(s.tree.Text(n))
	}
	for c := range s.tree.NamedChildren(n) {
		s.typeNames(c, yield)
	}
}

// identifiers calls yield with the names in a part of a tree of Python that stand for themselves.
func (s *text) identifiers(n syntax.Node, yield func(c syntax.Node)) {
	t := s.tree
	switch t.Kind(n) {
	case "identifier":
		yield(n)
		return
	case "string", "lambda", "list_comprehension", "generator_expression", "set_comprehension", "dictionary_comprehension", "named_expression":
		return
	case "attribute":
		s.identifiers(t.Child(n, "object"), yield)
		return
	case "keyword_argument":
		s.identifiers(t.Child(n, "value"), yield)
		return
	}
	for c := range t.NamedChildren(n) {
		s.identifiers(c, yield)
	}
}

// declaredTypes enters the names of types that a file of Go or Python declares, and of parameters of
// types, wherever that is, and those that a function of Python says are the module's.
func (s *text) declaredTypes(names map[string]bool) {
	t := s.tree
	for n := syntax.Node(1); int(n) <= t.Len(); n++ {
		switch t.Kind(n) {
		case "type_parameter", "type_alias_statement":
			if s.record.Lang == "python" {
				s.identifiers(n, func(c syntax.Node) { names[t.Text(c)] = true })
			}
		case "global_statement":
			for c := range t.NamedChildren(n) {
				names[t.Text(c)] = true
			}
		case "type_spec", "type_alias":
			names[t.Text(t.Child(n, "name"))] = true
		case "type_parameter_declaration", "parameter_declaration":
			for c := range t.NamedChildren(n) {
				if t.Field(c) == "name" || t.Kind(c) == "identifier" || t.Kind(c) == "type_identifier" && t.Kind(n) == "type_parameter_declaration" && t.Field(c) != "type" {
					names[t.Text(c)] = true
				}
			}
		}
	}
}
