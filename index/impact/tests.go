package impact

import (
	"context"
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// testOf notes the files that run a node, if it is code that a test runner runs, and reports
// whether it is: the tests of a class are run for those below it, too.
func (s *search) testOf(id graph.ID) bool {
	if !s.IsTest(id) {
		return false
	}
	if s.listTest(s.PathOf(id)) && s.query.Runs {
		s.noteCase(id)
	}
	if s.IsMethod(id) {
		own := s.Node(id).Outer
		for class := range s.Below([]graph.ID{own}, calls.AllSteps, false) {
			if class != own && s.IsTest(class) {
				s.test(s.Node(class).Path)
			}
		}
	}
	return true
}

// A calledName is a name that open calls have, in the languages that see each other.
type calledName struct{ family, name string }

// guessTests adds to the tests of an answer those that may run what is in list, where the graph
// cannot say so: through a call of its name whose receiver is not known, or because the language
// calls it by itself, for an instance that somebody has made. What depends on list is in it, and
// what depends on more is not. The callers themselves are no part of the answer: most of them
// mean something else.
func (s *search) guessTests(ctx context.Context, list, more []graph.ID) {
	seen, names := map[graph.ID]bool{}, map[calledName]bool{}
	asked, apart, unmade := 0, 0, map[string]string{}
	for _, id := range list {
		seen[id] = true
	}
	known, most := len(seen), maxTyped
	if len(list) > 0 && store.Dynamic(s.Node(list[0]).Language) {
		most = calls.MaxDoubted
	}
	for first := true; ctx.Err() == nil; first = false {
		var next []graph.ID
		add := func(id graph.ID) {
			if id != 0 && !seen[id] {
				seen[id] = true
				next = append(next, id)
			}
		}
		for _, id := range more {
			add(id)
		}
		for i, id := range list {
			n := s.Node(id)
			if n.Kind != graph.FuncNode {
				continue
			}
			if n.Outer != 0 && s.Node(n.Outer).Kind == graph.FuncNode {
				add(n.Outer) // who has it has it from there
			}
			if by := (calledName{store.CrossFamily(n.Language), calls.PlainName(n)}); !names[by] {
				names[by] = true
				var from []graph.ID
				s.CallersByName(id, &calls.Gaps{}, func(site graph.Site) { from = append(from, site.From) })
				if len(from) <= maxUsers {
					for _, id := range from {
						add(s.Home(id))
					}
				}
			}
			if n.Outer != 0 && s.Node(n.Outer).Kind == graph.FileNode && n.Language == "python" && protocol.Unnamed(n.Language, n.Name) {
				add(n.Outer) // a member of the module, as __getattr__: who has loaded it may run it
			}
			accessor := n.Flags&(ir.Getter|ir.Setter) != 0 && store.Dynamic(n.Language)
			if accessor || n.Flags&ir.Operator != 0 || protocol.Unnamed(n.Language, calls.PlainName(n)) || i < calls.MaxDoubted && s.Callback(id) != "" {
				for _, class := range s.ClassesOf(id) {
					if class != n.Outer { // in Go: its text is searched for the name
						if apart++; apart > maxTyped {
							break
						}
					}
					s.makers(class, unmade, add)
				}
			}
		}
		if n := min(len(list), most-asked); n > 0 {
			asked += n
			s.doubted(ctx, list[:n], add)
		}
		if len(unmade) > 0 {
			s.naming(ctx, unmade, add)
			clear(unmade)
		}
		if !first { // what depends on list was in it
			reached, _ := s.Search(ctx, list, 1, true, s.Dependency)
			for _, r := range reached {
				add(r.ID)
			}
		}
		for _, id := range next {
			s.testOf(id)
		}
		if list, more = next, nil; len(list) == 0 || len(seen)-known > maxGuessed {
			return
		}
	}
}

// maxGuessed bounds what is reached by guesses: of a large tree that is most of it before long, and
// says no more which tests to run.
const maxGuessed = 2000

// maxTyped bounds the names that are looked for in the text in languages with declared types, where
// it seldom knows more than the graph.
const maxTyped = 2

// maxUsers bounds how many places may be a use of a name: of more, most mean something else.
const maxUsers = 50

// doubted gives to add what has the places of the text that may call some nodes, for all that the
// graph knows.
func (s *search) doubted(ctx context.Context, ids []graph.ID, add func(graph.ID)) {
	type use struct {
		id   graph.ID
		file *texts.Source
	}
	uses := map[string][]use{}
	s.Doubted(ctx, ids, func(file *texts.Source, m mention.Mention) bool {
		id, _ := s.userAt(file.Path, file.Record, m.Line)
		uses[m.Name] = append(uses[m.Name], use{id, file})
		return len(uses[m.Name]) <= maxUsers
	})
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if list := uses[name]; len(list) <= maxUsers {
			for _, u := range list {
				if add(u.id); u.file.Traits.Test {
					s.test(u.file.Path)
				}
			}
		}
	}
}

// naming gives to add what names some classes, by their languages.
func (s *search) naming(ctx context.Context, classes map[string]string, add func(graph.ID)) {
	var list []calls.Sought
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		list = append(list, calls.Sought{Name: name, Language: classes[name], Named: true})
	}
	s.Mentions(ctx, list, true, &calls.Gaps{}, func(file *texts.Source, m mention.Mention) {
		if file.Record != nil && store.SameCode(file.Record.Lang, classes[m.Name]) {
			id, _ := s.userAt(file.Path, file.Record, m.Line)
			add(id)
		}
	})
}

// makers gives to add the nodes of a class, of those below it, and of what makes their
// instances: who has an instance has it from someone that depends on these. Where the graph does
// not know what makes them, as in Rust, the class is noted in unmade: who makes one names it.
func (s *search) makers(class graph.ID, unmade map[string]string, add func(graph.ID)) {
	own := func(class graph.ID) (found bool) {
		for _, m := range s.G.Members(class) {
			if s.Node(m).Flags&ir.Constructor != 0 {
				add(m)
				found = true
			}
		}
		return found
	}
	if !s.isClass(class) {
		return
	}
	for class := range s.Below([]graph.ID{class}, calls.AllSteps, false) {
		add(class)
		made := false
		s.G.In(class, func(e graph.Edge) bool {
			made = e.Kind != graph.Inherits && e.Kind != graph.Implements
			return !made
		})
		known := map[graph.ID]bool{}
		for list := []graph.ID{class}; len(list) > 0; list = list[1:] {
			if known[list[0]] {
				continue
			}
			if own(list[0]) {
				made = true
				continue
			}
			known[list[0]] = true
			s.G.Out(list[0], func(e graph.Edge) bool { // a constructor is inherited
				if e.Kind == graph.Inherits {
					list = append(list, e.To)
				}
				return true
			})
		}
		if n := s.Node(class); !made {
			unmade[calls.PlainName(n)] = n.Language
		}
	}
}

func (s *search) isClass(id graph.ID) bool { return id != 0 && s.Node(id).Kind == graph.ClassNode }
