package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/summary/code"
)

// maxMisses is how many files are tried that do not fit what is left, until no smaller one
// is looked for.
const maxMisses = 5

// maxNotes is how many demands of a file's comments are told.
const maxNotes = 5

// detailFacts returns what is known of a file, with what the call graph knows, if the
// language has one, and what its comments demand.
func detailFacts(x *store.View, r *store.Record) code.FileFacts {
	called, reads, readers := uses(x, r)
	f := fileFacts(x, r, called)
	f.Reads, f.Readers, f.Notes = reads, readers, notesOf(x, r, r.Text.All())
	return f
}

// maxCounted is how many calls of a function are counted, beyond which it is called often.
const maxCounted = 200

// uses returns how many calls from other files each function of a file has, up to a bound and
// those of tests left out, and what around does.
func uses(x *store.View, r *store.Record) (called map[int32]int, reads, readers []string) {
	called = map[int32]int{}
	calls.ReadGraph(x, func(w *calls.Walk) {
		if !w.G.Has(r.Path) {
			return
		}
		at := store.Target{Record: r, Symbol: -1}
		reads, readers = around(w, w.Seeds(&at), r.Path)
		named := w.G.NamedIn(r.Path)
		for i := range r.Symbols {
			if s := &r.Symbols[i]; store.Runs(s.Kind()) {
				for _, id := range named[graph.Spot{Name: s.Name, Line: int(s.NameLine)}] {
					w.G.In(id, func(e graph.Edge) bool {
						if calls.IsCall(&e, true) && w.Node(e.From).Path != r.Path && (r.Traits.Test || !w.IsTest(e.From)) {
							called[int32(i)]++
						}
						return called[int32(i)] < maxCounted
					})
				}
			}
		}
	})
	return called, reads, readers
}

// around returns what some nodes call in other files, as NAME (FILE), and the files that
// use them: the more often, the earlier, and tests last. What is in tests is not called by
// what is in none: it stands in for that in them.
func around(w *calls.Walk, seeds []graph.ID, here string) (reads, readers []string) {
	out, in, tests := map[string]int{}, map[string]int{}, map[string]int{}
	test := source.RoleOf(here) == source.Test || double.MatchString(here)
	for _, id := range seeds {
		w.G.Out(id, func(e graph.Edge) bool {
			to := w.Home(e.To)
			if n := w.Node(to); calls.IsCall(&e, false) && n.Path != here && n.Path != "" && n.Name != "" && !strings.Contains(n.Name, "__") && (test || !standsIn(w, to)) {
				out[fmt.Sprintf("%s (%s)", n.Name, path.Base(n.Path))]++
			}
			return true
		})
		w.G.In(id, func(e graph.Edge) bool {
			switch n := w.Node(e.From); {
			case n.Path == here || n.Path == "":
			case w.IsTest(e.From):
				tests[n.Path]++
			default:
				in[n.Path]++
			}
			return true
		})
	}
	for name := range in {
		delete(tests, name)
	}
	return byCount(out), append(byCount(in), byCount(tests)...)
}

// double is how paths and names say that something stands in for the real thing.
var double = regexp.MustCompile(`(?i:(?:^|[/_.-])(?:mock|fake|stub|test-?double)s?(?:[/_.-]|$))|(?:^|[/.])(?:[Mm]ock|[Ff]ake|[Ss]tub)s?[A-Z]|[a-z0-9](?:Mock|Fake|Stub)s?(?:[/._]|$)`)

// standsIn reports whether a node is in a test, or stands in for something in tests.
func standsIn(w *calls.Walk, id graph.ID) bool {
	n := w.Node(id)
	return w.IsTest(id) || double.MatchString(n.Path) || double.MatchString(n.Name)
}

// byCount returns names, those that occur most first.
func byCount(count map[string]int) []string {
	names := make([]string, 0, len(count))
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	return names
}

// notesOf returns what the comments of a text demand.
func notesOf(x *store.View, r *store.Record, src []byte) []string {
	p := x.Parsers.Get()
	p.Parse(r.Lang, src)
	comments := p.Comments(src)
	x.Parsers.Put(p)
	var texts, lines []string // the lines of one text
	last := -1
	for _, c := range comments {
		near := last >= 0 && last <= c.Start && strings.TrimSpace(string(src[last:c.Start])) == "" && strings.Count(string(src[last:c.Start]), "\n") == 1
		if !near && len(lines) > 0 {
			texts, lines = append(texts, strings.Join(lines, "\n")), lines[:0]
		}
		lines = append(lines, c.Text)
		last = c.End
	}
	if len(lines) > 0 {
		texts = append(texts, strings.Join(lines, "\n"))
	}
	return code.Notes(texts, maxNotes)
}

// definition summarises a symbol.
func (s *summing) definition(at *store.Target, content string) {
	r, sym := at.Record, at.Sym()
	place := fmt.Sprintf("%s:%d", r.Path, sym.NameLine)
	if s.out.Level == summary.L0 {
		s.fill([]string{"Files: " + place}, "places")
		return
	}
	if s.out.Level == summary.L3 {
		s.text(fmt.Sprintf("%s %s\n%s", place, sym.Qualified(), content))
		return
	}
	var callees, callers []string
	calls.ReadGraph(s.View, func(w *calls.Walk) {
		if w.G.Has(r.Path) {
			callees, callers = adjacent(w, w.Seeds(at), r.Path)
		}
	})
	var names []string
	for _, c := range callees {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name[strings.LastIndexByte(name, '.')+1:])
	}
	p := s.Parsers.Get()
	file := p.Parse(r.Lang, r.Text.All())
	s.Parsers.Put(p)
	facts := factsOf(r, at.Symbol, membersOf(s.View, r), inherited(r, &file), names)
	line := fmt.Sprintf("- %s %s: %s", place, sym.Qualified(), code.Line(facts))
	if s.out.Level == summary.L1 {
		s.fill([]string{line}, "places")
		return
	}
	src := r.Text.Slice(int(min(sym.Start, orEnd(sym.DocAt, sym))), int(sym.End))
	s.out.Text = code.SymbolDetail(line, facts, callees, callers, notesOf(s.View, r, src), 4*s.limit)
	if s.count(s.out.Text) > s.limit { // another way to count
		s.fill([]string{line}, "places")
	}
}

// orEnd is where a symbol's doc begins, if it has one.
func orEnd(docAt uint32, s *store.Symbol) uint32 {
	if s.DocTo > s.DocAt {
		return docAt
	}
	return s.End
}

// adjacent returns what some nodes call, and what calls them: names, with the file
// where it is another one, those in tests last. Of what they call, those in tests are left
// out unless the nodes are in one.
func adjacent(w *calls.Walk, seeds []graph.ID, here string) (callees, callers []string) {
	named := func(n *graph.Node) string {
		switch {
		case n.Name == "":
			return path.Base(n.Path)
		case n.Path == here || n.Path == "":
			return n.Name
		}
		return fmt.Sprintf("%s (%s)", n.Name, path.Base(n.Path))
	}
	var tests []string
	test := source.RoleOf(here) == source.Test || double.MatchString(here)
	for _, id := range seeds {
		w.G.Out(id, func(e graph.Edge) bool {
			to := w.Home(e.To)
			if n := w.Node(to); calls.IsCall(&e, false) && !slices.Contains(seeds, n.ID) && !slices.Contains(callees, named(n)) && (test || !standsIn(w, to)) {
				callees = append(callees, named(n))
			}
			return true
		})
		w.G.In(id, func(e graph.Edge) bool {
			from := w.Home(e.From)
			if n := w.Node(from); calls.IsCall(&e, true) && !slices.Contains(seeds, n.ID) {
				list := &callers
				if w.IsTest(from) {
					list = &tests
				}
				if !slices.Contains(*list, named(n)) {
					*list = append(*list, named(n))
				}
			}
			return true
		})
	}
	slices.Sort(callers)
	slices.Sort(tests)
	return callees, append(callers, tests...)
}

// text takes as many lines of a text as the budget allows.
func (s *summing) text(content string) {
	if s.count(content) <= s.limit {
		s.out.Text = content
		return
	}
	lines := strings.SplitAfter(content, "\n")
	n := fitting(len(lines), func(n int) bool { return s.count(strings.Join(lines[:n], "")) <= s.limit-5 })
	s.out.Text = strings.TrimRight(strings.Join(lines[:n], ""), "\n") + fmt.Sprintf("\n(+%d more lines)", len(lines)-n)
	s.out.Truncated = true
}

// whole is level 3: the text of what is small enough, and else the code without the
// bodies of its functions.
func (s *summing) whole(ctx context.Context, files []*store.Record) error {
	if len(files) == 0 {
		return nil
	}
	head := func(r *store.Record, text string) string {
		if len(files) == 1 {
			return text
		}
		return r.Path + "\n" + strings.TrimRight(text, "\n") + "\n"
	}
	if s.out.TokensIn <= s.limit+s.limit/8 {
		var all []string
		for _, r := range files {
			all = append(all, head(r, strings.ToValidUTF8(string(r.Text.All()), "\uFFFD")))
		}
		if text := strings.Join(all, "\n"); s.count(text) <= s.limit {
			s.out.Text = text
			return nil
		}
	}
	order := slices.Clone(files)
	if !s.found {
		slices.SortStableFunc(order, func(a, b *store.Record) int { return cmp.Compare(value(b), value(a)) })
	}
	texts := map[*store.Record]string{}
	used, misses := 8, 0 // for what is said of those left out
	for i, r := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if misses > maxMisses {
			break
		}
		text := ""
		if bones, err := outline.SkeletonOf(s.View, r, nil, &outline.SkeletonQuery{}); err == nil && !isText(r.Lang) {
			if i == 0 && bones.Tokens > s.limit {
				s.out.Truncated = bones.Shorten(s.limit - s.limit/10)
			}
			text = head(r, bones.Skeleton)
		} else {
			text = head(r, strings.ToValidUTF8(string(r.Text.All()), "\uFFFD"))
		}
		if n := s.count(text + "\n"); used+n <= s.limit {
			texts[r] = text
			used += n
		} else if misses++; i == 0 { // not even one: its first lines
			s.limit -= 8 * min(len(files)-1, 1)
			if s.text(text); len(files) > 1 {
				s.out.Text += fmt.Sprintf("\n(+%d more files)", len(files)-1)
				s.out.Truncated = true
			}
			return nil
		}
	}
	var all []string
	for _, r := range files {
		if t, ok := texts[r]; ok {
			all = append(all, t)
		}
	}
	if left := len(files) - len(texts); left > 0 {
		all = append(all, fmt.Sprintf("(+%d more files)", left))
		s.out.Truncated = true
	}
	s.out.Text = strings.Join(all, "\n")
	return nil
}
