package diagnostics

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// shadowing are the languages whose shadowed errors are looked for.
var shadowing = map[string]bool{"go": true, "python": true}

// shadowed returns the errors of a file that are lost because their variable hides another one.
func (s *text) shadowed(root *walk.Graph) (found []Finding) {
	if s.record.Lang == "python" {
		return s.shadowedHandlers()
	}
	for g := range root.All() {
		if len(g.Gaps) == 0 {
			found = append(found, s.shadowedIn(g)...)
		}
	}
	return found
}

var (
	errorName = regexp.MustCompile(`^(err|\w+Err|err[A-Z0-9]\w*)$`)
	notNil    = regexp.MustCompile(`^(?:if\s+)?(\w+)\s*!=\s*nil$`)
)

// shadowedIn looks at a function of Go. It reports an error that := declares in a block where the
// function has one of that name already, if it is compared with nil and nothing else is done with it,
// and the function goes on from there to read the other one, which was not assigned.
func (s *text) shadowedIn(g *walk.Graph) (found []Finding) {
	type accessed struct{ defs, uses []int }
	of := map[walk.Var]*accessed{}
	for i := range g.Steps {
		for _, a := range g.Steps[i].Access {
			v := &g.Vars[a.Var]
			if v.Free || !errorName.MatchString(v.Name) {
				continue
			}
			if of[a.Var] == nil {
				of[a.Var] = &accessed{}
			}
			if a.Kind == walk.Def {
				of[a.Var].defs = append(of[a.Var].defs, i)
			} else {
				of[a.Var].uses = append(of[a.Var].uses, i)
			}
		}
	}
	vars := slices.Sorted(maps.Keys(of))
	for _, inner := range vars {
		in, v := of[inner], &g.Vars[inner]
		if v.Outer != 0 || v.Captured || len(in.defs) != 1 || len(in.uses) == 0 {
			continue
		}
		def := &g.Steps[in.defs[0]]
		if def.Kind != walk.Plain || !bytes.Contains(s.src[v.At:def.End], []byte(":=")) || s.ofHead(def.Start) {
			continue
		}
		compared := []int{}
		for _, u := range in.uses {
			step := &g.Steps[u]
			if m := notNil.FindSubmatch(bytes.TrimSpace(s.src[step.Start:step.End])); step.Kind == walk.Cond && m != nil && string(m[1]) == v.Name {
				compared = append(compared, u)
			}
		}
		if len(compared) != len(in.uses) {
			continue
		}
		for _, outer := range vars {
			out, o := of[outer], &g.Vars[outer]
			if outer == inner || o.Name != v.Name || o.At >= v.At || o.Captured {
				continue
			}
			if at, ok := s.lost(g, compared, out.defs, out.uses, v.At); ok {
				before, _ := s.place(o.At)
				line, _ := s.place(at)
				found = append(found, s.finding(ShadowedError, Warning, Likely, v.At, v.At+len(v.Name), "%s is another one than that of line %d, which line %d reads: the error is lost", v.Name, before, line))
				break
			}
		}
	}
	return found
}

// ofHead reports whether a statement is the first part of an if, for or switch.
func (s *text) ofHead(at int) bool {
	line := s.line(at)
	trimmed := strings.TrimSpace(string(line))
	for _, word := range []string{"if ", "for ", "switch ", "} else if ", "case "} {
		if strings.HasPrefix(trimmed, word) {
			return true
		}
	}
	return false
}

// lost reports whether a way leads from where an error was found to a place that reads a variable, past
// all that writes it, and which place that is. The variable must be one that is there before, too.
func (s *text) lost(g *walk.Graph, from, defs, uses []int, declared int) (at int, ok bool) {
	writes, reads := map[int]bool{}, map[int]bool{}
	before := false
	for _, d := range defs {
		writes[d] = true
		before = before || g.Steps[d].Start < declared
	}
	for _, u := range uses {
		if !writes[u] {
			reads[u] = true
		}
	}
	if !before {
		return 0, false
	}
	seen := map[int]bool{}
	var todo []int
	for _, c := range from {
		for _, e := range g.Steps[c].Next {
			if e.Kind == walk.True {
				todo = append(todo, e.To)
			}
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		step := &g.Steps[i]
		if reads[i] && step.Start > declared {
			return step.Start, true
		}
		if writes[i] {
			continue
		}
		for _, e := range step.Next {
			if e.Kind != walk.Raised {
				todo = append(todo, e.To)
			}
		}
	}
	return 0, false
}

// shadowedHandlers looks at handlers of Python within others that give their errors the same name: at
// the end of the inner one the name is deleted, and what the outer one reads after it is no longer there.
func (s *text) shadowedHandlers() (found []Finding) {
	t := s.tree
	type handler struct {
		n, name syntax.Node
	}
	var open []handler
	for n := syntax.Node(1); int(n) <= t.Len(); n++ {
		for len(open) > 0 && t.End(open[len(open)-1].n) <= t.Start(n) {
			open = open[:len(open)-1]
		}
		switch t.Kind(n) {
		case "function_definition", "lambda", "class_definition":
			open = append(open, handler{n, 0})
		case "except_clause":
			name := syntax.Node(0)
			if as := t.ChildOf(n, "as_pattern"); as != 0 {
				name = t.NamedChild(t.ChildOf(as, "as_pattern_target"), 0)
			}
			for i := len(open) - 1; i >= 0 && name != 0; i-- {
				outer := open[i]
				if k := t.Kind(outer.n); k != "except_clause" {
					break
				}
				if outer.name == 0 || t.Text(outer.name) != t.Text(name) {
					continue
				}
				if at := s.readAfter(outer.n, t.End(n), t.Text(name)); at != 0 {
					before, _ := s.place(t.Start(outer.name))
					line, _ := s.place(t.Start(at))
					found = append(found, s.finding(ShadowedError, Warning, Likely, t.Start(name), t.End(name), "%s hides that of line %d, and is deleted when this handler ends: line %d does not find it", t.Text(name), before, line))
				}
				break
			}
			open = append(open, handler{n, name})
		}
	}
	return found
}

// readAfter returns the first place in a handler that has a name after an offset, if it reads it.
func (s *text) readAfter(n syntax.Node, after int, name string) syntax.Node {
	t := s.tree
	for c := n; int(c) <= t.Len() && t.Start(c) < t.End(n); c++ {
		if t.Start(c) < after || t.Kind(c) != "identifier" || t.Text(c) != name || t.Field(c) == "attribute" || t.Field(c) == "name" {
			continue
		}
		if t.Field(c) == "left" {
			return 0
		}
		for _, up := range s.above(t.Start(c)) { // another handler, or a target, has a name of its own
			if k := t.Kind(up); t.Start(up) >= after && (k == "except_clause" || k == "as_pattern_target" || k == "lambda" || k == "function_definition" || k == "assignment") {
				return 0
			}
		}
		return c
	}
	return 0
}
