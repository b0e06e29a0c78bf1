package impact

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/patch"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// How a symbol was changed.
const (
	Modified = "modified"
	Added    = "added"
	Deleted  = "deleted"
)

// A Change is a symbol that a diff changes.
type Change struct {
	answer.Place
	Kind   string `json:"kind"`   // "" for code outside of definitions
	Change string `json:"change"` // modified, added or deleted
}

// A change is what a diff does to one symbol of the index, or of the old text.
type change struct {
	record *store.Record
	symbol int32 // -1: code outside of definitions
	how    string
	loads  bool // without a symbol: it runs when the file is loaded, or that fails
	whole  bool // without a symbol: it is all of the file

	// Of a deleted symbol, which has no record:
	name string
	kind syntax.Kind
	was  answer.Place
	lang string
}

// changes finds what a query that has no target says is changed.
func (q *Query) changes(x *store.View, a *Answer, l *calls.Gaps) ([]change, error) {
	if len(q.Files) == 0 && !q.Edited {
		return changesOf(x, q.Diff, a, l)
	}
	files := q.Files
	if q.Edited {
		edited, more := x.Edited()
		if more {
			l.Because("more than %d files were edited, and the others are not known any more", len(edited))
		}
		files = append(slices.Clone(files), edited...)
	}
	slices.Sort(files)
	var all []change
	for _, path := range slices.Compact(files) {
		r, reason := recordOf(x, path)
		if r == nil {
			if codeName(path) {
				a.lost(Change{Place: answer.Place{File: path, Line: 1}}, ReasonNotIndexed, 0)
				l.Because("%s is not in the index, and what depends on it is not known", path)
			}
			a.LeftOut = append(a.LeftOut, answer.LeftOut{File: path, Reason: cmp.Or(reason, "it is not in the index")})
			continue
		}
		for i := range r.Symbols {
			a.Changed = append(a.Changed, Change{r.Place(int32(i)), string(r.Symbols[i].Kind()), Modified})
		}
		all = append(all, change{record: r, symbol: -1, how: Modified, whole: true})
	}
	return all, nil
}

// changesOf finds the symbols that a diff changes. The index may have the files as
// they are after the diff, or before it.
func changesOf(x *store.View, text string, a *Answer, l *calls.Gaps) ([]change, error) {
	files, err := patch.Parse(text)
	if err != nil {
		return nil, err
	}
	var all []change
	for i := range files {
		d := &files[i]
		if d.Leaves() && pathNamed(d.Old) {
			a.lost(Change{Place: answer.Place{File: d.Old, Line: 1}}, ReasonDeleted, 0)
			l.Because("%s is gone from its place, and what names it by its path is not looked for", d.Old)
			if r, _ := recordOf(x, d.New, d.Old); r != nil {
				all = append(all, change{record: r, symbol: -1, how: Deleted, loads: true})
			}
		}
		if len(d.Hunks) == 0 { // another path, another mode, or no text
			if name := cmp.Or(d.New, d.Old); d.Binary {
				a.LeftOut = append(a.LeftOut, answer.LeftOut{File: name, Reason: "its text is not in the diff"})
				if codeName(name) {
					a.lost(Change{Place: answer.Place{File: name, Line: 1}}, ReasonOtherText, 0)
				}
			}
			continue
		}
		r, reason := recordOf(x, d.New, d.Old)
		if r == nil {
			if d.New == "" && reason == "" && d.Matches(nil, '+') {
				all = append(all, deletions(x, d, nil, []byte(strings.Join(d.OldText(nil, '+'), "\n")), a)...)
				continue
			}
			if name := cmp.Or(d.New, d.Old); codeName(name) {
				a.lost(Change{Place: answer.Place{File: name, Line: 1}}, ReasonNotIndexed, 0)
			}
			a.LeftOut = append(a.LeftOut, answer.LeftOut{File: cmp.Or(d.New, d.Old), Reason: cmp.Or(reason, "it is not in the index")})
			continue
		}
		src := r.Text.All()
		lines := strings.Split(string(src), "\n")
		mark := byte('+')
		switch {
		case d.New != "" && d.Matches(lines, '+'):
		case d.Matches(lines, '-'):
			mark = '-'
		default:
			a.lost(Change{Place: answer.Place{File: r.Path, Line: 1}}, ReasonOtherText, 0)
			l.Because("%s in the index is neither the old nor the new one of the diff", r.Path)
		}
		all = append(all, touched(x, r, d, mark, a)...)
		old := []byte(strings.Join(d.OldText(lines, mark), "\n"))
		gone, _ := d.Touched('-')
		if _, imports := atTop(x, r.Lang, old, gone); imports {
			l.Because("%s imports something else than before, and who has it from there is not followed", r.Path)
		}
		if mark == '+' && d.Matches(lines, '+') {
			all = append(all, deletions(x, d, r, old, a)...)
		}
	}
	return all, nil
}

// recordOf returns the file of the first of the paths that is indexed, or else why
// it is not.
func recordOf(x *store.View, paths ...string) (r *store.Record, reason string) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for _, p := range paths {
		if r := x.Table.Files[p]; r != nil {
			return r, ""
		}
		if skip, ok := x.Table.Skips[p]; ok {
			reason = string(skip.Reason)
		}
	}
	return nil, reason
}

// touched returns the symbols of a file that are touched on a side of a diff.
func touched(x *store.View, r *store.Record, d *patch.File, mark byte, a *Answer) []change {
	lines, between := d.Touched(mark)
	count := map[int32]int{} // lines of each symbol that are touched
	var order []int32
	note := func(symbol int32) {
		if count[symbol]++; count[symbol] == 1 {
			order = append(order, symbol)
		}
	}
	src := bytes.Split(r.Text.All(), []byte("\n"))
	for _, line := range lines {
		symbol := r.SymbolAt(line)
		if symbol < 0 && line <= len(src) && len(bytes.TrimSpace(src[line-1])) == 0 {
			continue
		}
		note(symbol)
	}
	for _, line := range between {
		if symbol := symbolOver(r, line-1, line); symbol >= 0 && !slices.Contains(lines, line) && !slices.Contains(lines, line-1) {
			note(symbol)
		}
	}
	var all []change
	for _, symbol := range order {
		c := change{record: r, symbol: symbol, how: Modified}
		if symbol < 0 {
			c.loads, _ = atTop(x, r.Lang, r.Text.All(), lines)
		}
		out := Change{Place: answer.Place{File: r.Path, Line: lineNear(lines)}, Change: Modified}
		if symbol >= 0 {
			s := &r.Symbols[symbol]
			out.Place, out.Kind = r.Place(symbol), string(s.Kind())
			if allOf(s, lines) && !slices.ContainsFunc(between, func(at int) bool { return at >= int(s.Line) && at <= int(s.Last)+1 }) {
				c.how = Added
				if mark == '-' {
					c.how = Deleted
				}
				out.Change = c.how
			}
		}
		all = append(all, c)
		a.Changed = append(a.Changed, out)
	}
	return all
}

// lineNear returns the first of some lines.
func lineNear(lines []int) int {
	if len(lines) == 0 {
		return 1
	}
	return max(lines[0], 1)
}

// symbolOver returns the innermost symbol that two lines are in, -1 for none.
func symbolOver(r *store.Record, first, last int) int32 {
	best := int32(-1)
	for i := range r.Symbols {
		if s := &r.Symbols[i]; int(s.Line) <= first && int(s.Last) >= last && (best < 0 || s.End <= r.Symbols[best].End) {
			best = int32(i)
		}
	}
	return best
}

// allOf reports whether all lines of a symbol are among those given, which rise.
func allOf(s *store.Symbol, lines []int) bool {
	from, _ := slices.BinarySearch(lines, int(s.Line))
	to, found := slices.BinarySearch(lines, int(s.Last))
	return found && to-from == int(s.Last-s.Line)
}

// deletions returns the symbols that only the old text has. r is nil for a file that is gone.
func deletions(x *store.View, d *patch.File, r *store.Record, old []byte, a *Answer) []change {
	gone, _ := d.Touched('-')
	if len(gone) == 0 || d.Old == "" {
		return nil
	}
	lang := source.Language(d.Old, old)
	p := x.Parsers.Get()
	file := p.Parse(lang, old)
	x.Parsers.Put(p)
	var all []change
	for i := range file.Symbols {
		s := &file.Symbols[i]
		if _, found := slices.BinarySearch(gone, s.NameLine); !found {
			continue
		}
		if left := definitions(r, s); len(left) > 0 {
			before := 0
			for j := range file.Symbols {
				if o := &file.Symbols[j]; o.Name == s.Name && o.Parent == s.Parent {
					before++
				}
			}
			if len(left) >= before {
				continue
			}
			// A signature or an overload that is left is called in its place.
			all = append(all, change{record: r, symbol: left[0], how: Modified})
		}
		name := s.Name
		if s.Parent != "" {
			name = s.Parent + "." + name
			up := *s
			up.Parent, up.Name, _ = calls.LastPart(s.Parent)
			if list := definitions(r, &up); len(list) > 0 && store.Runs(r.Symbols[list[0]].Kind()) {
				// What uses it is in the function that it was written in, or has it from there.
				all = append(all, change{record: r, symbol: list[0], how: Modified})
			}
		}
		was := answer.Place{Symbol: name, File: d.Old, Line: s.NameLine}
		all = append(all, change{symbol: -1, name: s.Name, kind: s.Kind, was: was, lang: lang, how: Deleted})
		a.Changed = append(a.Changed, Change{was, string(s.Kind), Deleted})
	}
	return all
}

// definitions returns the symbols of a file with the name and the place of one; r may be nil.
func definitions(r *store.Record, s *syntax.Symbol) (all []int32) {
	if r == nil {
		return nil
	}
	for i := range r.Symbols {
		if t := &r.Symbols[i]; t.Name == s.Name && t.Parent == s.Parent {
			all = append(all, int32(i))
		}
	}
	return all
}

// changed returns the nodes that are changed. What there is of symbols that are
// gone is the calls of their names.
func (s *search) changed(ctx context.Context, changes []change) []graph.ID {
	a := s.answer
	var seeds []graph.ID
	left := map[string]bool{}
	var gone []sought
	var used []store.Target
	for _, c := range changes {
		switch {
		case c.record == nil:
			if c.moved(changes) {
				continue
			}
			one := sought{c.was, c.name, c.kind, c.lang}
			if class, _, in := calls.LastPart(c.was.Symbol); in && store.MakesInstances(c.lang, c.name) {
				_, one.name, _ = calls.LastPart(class) // who uses it names the class
			}
			gone = append(gone, one)
			continue
		case !s.G.Has(c.record.Path):
			if !left[c.record.Path] {
				left[c.record.Path] = true
				a.Changed = slices.DeleteFunc(a.Changed, func(o Change) bool { return o.File == c.record.Path })
				if c.record.Traits.Doc || c.record.Traits.Config {
					// nothing calls it
				} else if c.whole || c.symbol >= 0 && store.Runs(c.record.Symbols[c.symbol].Kind()) {
					a.lost(Change{Place: answer.Place{File: c.record.Path, Line: 1}}, ReasonNoGraph, 0)
				}
				a.LeftOut = append(a.LeftOut, answer.LeftOut{File: c.record.Path, Reason: "there is no call graph for " + cmp.Or(c.record.Lang, "plain text")})
			}
			continue
		}
		at := store.Target{Record: c.record, Symbol: c.symbol}
		if c.symbol < 0 {
			if c.whole {
				seeds = append(seeds, s.Seeds(&at)...)
				for i := range c.record.Symbols {
					if named(c.record.Symbols[i].Kind()) {
						used = append(used, store.Target{Record: c.record, Symbol: int32(i)})
					}
				}
			}
			if c.loads { // nobody calls it, but for those that load the file
				seeds = append(seeds, s.G.File(c.record.Path))
			}
			continue
		}
		sym := at.Sym()
		of := s.Seeds(&at)
		if !store.Runs(sym.Kind()) && len(of) > 0 && s.Node(of[0]).Kind == graph.ClassNode && sym.Last > sym.Line {
			// Lines of a type that are not its methods: those who make and name it.
			of = of[:1]
		}
		if named(sym.Kind()) {
			used = append(used, at)
		}
		if up := c.record.Around(c.symbol); sym.Kind() == syntax.Field && up >= 0 {
			at.Symbol = up
			if of = s.Seeds(&at); len(of) > 0 {
				of = of[:1]
			}
		}
		for _, id := range of {
			if !slices.Contains(seeds, id) {
				seeds = append(seeds, id)
			}
		}
	}
	s.usesOf(ctx, used)
	s.usesOfGone(ctx, gone)
	return seeds
}

// nodesAt returns the nodes at places that an answer named; those that are gone since
// are left out.
func (s *search) nodesAt(places []answer.Place) (ids []graph.ID) {
	for _, p := range places {
		if p.Symbol == "" {
			if id := s.G.File(p.File); id != 0 {
				ids = append(ids, id)
			}
			continue
		}
		_, name, _ := calls.LastPart(p.Symbol)
		for _, id := range s.G.Named(p.File, name, p.Line) {
			if s.Place(id) == p {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
