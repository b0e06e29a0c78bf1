package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
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
func (x *View) detailFacts(r *record) code.FileFacts {
	called := map[int32]int{}
	var reads, readers []string
	x.readGraph(func(w *walk) {
		if !w.g.Has(r.path) {
			return
		}
		at := target{record: r, symbol: -1}
		reads, readers = w.around(w.seeds(&at), r.path)
		named := w.g.NamedIn(r.path)
		for i := range r.symbols {
			if s := &r.symbols[i]; runs(s.kind()) {
				for _, id := range named[graph.Spot{Name: s.name, Line: int(s.nameLine)}] {
					w.g.In(id, func(e graph.Edge) bool {
						if isCall(&e, true) && w.node(e.From).Path != r.path {
							called[int32(i)]++
						}
						return called[int32(i)] < 10
					})
				}
			}
		}
	})
	f := x.fileFacts(r, called)
	f.Reads, f.Readers, f.Notes = reads, readers, x.notesOf(r, r.text.all())
	return f
}

// around returns what some nodes call in other files, as NAME (FILE), and the files that
// call them: the more often, the earlier.
func (w *walk) around(seeds []graph.ID, here string) (reads, readers []string) {
	out, in := map[string]int{}, map[string]int{}
	for _, id := range seeds {
		w.g.Out(id, func(e graph.Edge) bool {
			if n := w.node(w.home(e.To)); isCall(&e, false) && n.Path != here && n.Path != "" && n.Name != "" && !strings.Contains(n.Name, "__") {
				out[fmt.Sprintf("%s (%s)", n.Name, path.Base(n.Path))]++
			}
			return true
		})
		w.g.In(id, func(e graph.Edge) bool {
			if n := w.node(e.From); isCall(&e, true) && n.Path != here && n.Path != "" {
				in[n.Path]++
			}
			return true
		})
	}
	return byCount(out), byCount(in)
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
func (x *View) notesOf(r *record, src []byte) []string {
	p := x.parsers.get()
	p.Parse(r.lang, src)
	comments := p.Comments(src)
	x.parsers.put(p)
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
func (s *summing) definition(at *target, content string) {
	r, sym := at.record, at.sym()
	place := fmt.Sprintf("%s:%d", r.path, sym.nameLine)
	if s.out.Level == summary.L0 {
		s.fill([]string{"Files: " + place}, "places")
		return
	}
	if s.out.Level == summary.L3 {
		s.text(content)
		return
	}
	var calls, callers []string
	s.readGraph(func(w *walk) {
		if w.g.Has(r.path) {
			calls, callers = w.adjacent(w.seeds(at), r.path)
		}
	})
	var names []string
	for _, c := range calls {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name[strings.LastIndexByte(name, '.')+1:])
	}
	p := s.parsers.get()
	file := p.Parse(r.lang, r.text.all())
	s.parsers.put(p)
	facts := r.factsOf(at.symbol, s.membersOf(r), r.inherited(&file), names)
	line := fmt.Sprintf("- %s %s: %s", place, sym.qualified(), code.Line(facts))
	if s.out.Level == summary.L1 {
		s.fill([]string{line}, "places")
		return
	}
	src := r.text.slice(int(min(sym.start, orEnd(sym.docAt, sym))), int(sym.end))
	s.out.Text = code.SymbolDetail(line, facts, calls, callers, s.notesOf(r, src), 4*s.limit)
	if s.count(s.out.Text) > s.limit { // another way to count
		s.fill([]string{line}, "places")
	}
}

// orEnd is where a symbol's doc begins, if it has one.
func orEnd(docAt uint32, s *symbol) uint32 {
	if s.docTo > s.docAt {
		return docAt
	}
	return s.end
}

// adjacent returns what some nodes call, and what calls them: names, with the file
// where it is another one.
func (w *walk) adjacent(seeds []graph.ID, here string) (calls, callers []string) {
	named := func(n *graph.Node) string {
		switch {
		case n.Name == "":
			return path.Base(n.Path)
		case n.Path == here || n.Path == "":
			return n.Name
		}
		return fmt.Sprintf("%s (%s)", n.Name, path.Base(n.Path))
	}
	for _, id := range seeds {
		w.g.Out(id, func(e graph.Edge) bool {
			if n := w.node(w.home(e.To)); isCall(&e, false) && !slices.Contains(seeds, n.ID) && !slices.Contains(calls, named(n)) {
				calls = append(calls, named(n))
			}
			return true
		})
		w.g.In(id, func(e graph.Edge) bool {
			if n := w.node(w.home(e.From)); isCall(&e, true) && !slices.Contains(seeds, n.ID) && !slices.Contains(callers, named(n)) {
				callers = append(callers, named(n))
			}
			return true
		})
	}
	slices.Sort(callers)
	return calls, callers
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
func (s *summing) whole(ctx context.Context, files []*record) error {
	if len(files) == 0 {
		return nil
	}
	head := func(r *record, text string) string {
		if len(files) == 1 {
			return text
		}
		return r.path + "\n" + strings.TrimRight(text, "\n") + "\n"
	}
	if s.out.TokensIn <= s.limit+s.limit/8 {
		var all []string
		for _, r := range files {
			all = append(all, head(r, strings.ToValidUTF8(string(r.text.all()), "\uFFFD")))
		}
		if text := strings.Join(all, "\n"); s.count(text) <= s.limit {
			s.out.Text = text
			return nil
		}
	}
	order := slices.Clone(files)
	slices.SortStableFunc(order, func(a, b *record) int { return cmp.Compare(b.value(), a.value()) })
	texts := map[*record]string{}
	used, misses := 8, 0 // for what is said of those left out
	for i, r := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if misses > maxMisses {
			break
		}
		text := ""
		if bones, err := s.skeletonOf(r, nil, &SkeletonQuery{}); err == nil && !isText(r.lang) {
			if i == 0 && bones.Tokens > s.limit {
				s.out.Truncated = bones.shorten(s.limit - s.limit/10)
			}
			text = head(r, bones.Skeleton)
		} else {
			text = head(r, strings.ToValidUTF8(string(r.text.all()), "\uFFFD"))
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
