package index

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/source"
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
	Place
	Kind   string `json:"kind"`   // "" for code outside of definitions
	Change string `json:"change"` // modified, added or deleted
}

// A change is what a diff does to one symbol of the index, or of the old text.
type change struct {
	record *record
	symbol int32 // -1: code outside of definitions
	how    string

	// Of a deleted symbol, which has no record:
	name string
	kind syntax.Kind
	was  Place
	lang string
}

// changes finds the symbols that a diff changes. The index may have the files as
// they are after the diff, or before it.
func (x *View) changes(text string, a *Impact, l *gaps) ([]change, error) {
	files, err := parseDiff(text)
	if err != nil {
		return nil, err
	}
	var all []change
	for i := range files {
		d := &files[i]
		if len(d.hunks) == 0 {
			continue // a new name, a new mode, or no text
		}
		r, reason := x.recordOf(d.new, d.old)
		if r == nil {
			if d.new == "" && reason == "" && d.matches(nil, '+') {
				all = append(all, x.deletions(d, nil, nil, a)...)
				continue
			}
			if name := firstOf(d.new, d.old); codeName(name) {
				a.lost(Change{Place: Place{File: name, Line: 1}}, ReasonNotIndexed, 0)
			}
			a.LeftOut = append(a.LeftOut, LeftOut{firstOf(d.new, d.old), firstOf(reason, "it is not in the index")})
			continue
		}
		src := r.text.all()
		lines := strings.Split(string(src), "\n")
		mark := byte('+')
		switch {
		case d.new != "" && d.matches(lines, '+'):
		case d.matches(lines, '-'):
			mark = '-'
		default:
			a.lost(Change{Place: Place{File: r.path, Line: 1}}, ReasonOtherText, 0)
			l.because("%s in the index is neither the old nor the new one of the diff", r.path)
		}
		all = append(all, r.touched(d, mark, a)...)
		if mark == '+' && d.matches(lines, '+') {
			all = append(all, x.deletions(d, r, lines, a)...)
		}
	}
	return all, nil
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// recordOf returns the file of the first of the paths that is indexed, or else why
// it is not.
func (x *View) recordOf(paths ...string) (r *record, reason string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, p := range paths {
		if r := x.table.files[p]; r != nil {
			return r, ""
		}
		if skip, ok := x.table.skips[p]; ok {
			reason = string(skip.Reason)
		}
	}
	return nil, reason
}

// touched returns the symbols of a file that are touched on a side of a diff.
func (r *record) touched(d *fileDiff, mark byte, a *Impact) []change {
	lines, between := d.touched(mark)
	count := map[int32]int{} // lines of each symbol that are touched
	var order []int32
	note := func(symbol int32) {
		if count[symbol]++; count[symbol] == 1 {
			order = append(order, symbol)
		}
	}
	src := bytes.Split(r.text.all(), []byte("\n"))
	for _, line := range lines {
		symbol := r.symbolAt(line)
		if symbol < 0 && line <= len(src) && len(bytes.TrimSpace(src[line-1])) == 0 {
			continue
		}
		note(symbol)
	}
	for _, line := range between {
		if symbol := r.symbolOver(line-1, line); symbol >= 0 && !slices.Contains(lines, line) && !slices.Contains(lines, line-1) {
			note(symbol)
		}
	}
	var all []change
	for _, symbol := range order {
		c := change{record: r, symbol: symbol, how: Modified}
		out := Change{Place: Place{File: r.path, Line: lineNear(lines)}, Change: Modified}
		if symbol >= 0 {
			s := &r.symbols[symbol]
			out.Place, out.Kind = r.place(symbol), string(s.kind())
			if s.allOf(lines) && !slices.ContainsFunc(between, func(at int) bool { return at >= int(s.line) && at <= int(s.last)+1 }) {
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
func (r *record) symbolOver(first, last int) int32 {
	best := int32(-1)
	for i := range r.symbols {
		if s := &r.symbols[i]; int(s.line) <= first && int(s.last) >= last && (best < 0 || s.end <= r.symbols[best].end) {
			best = int32(i)
		}
	}
	return best
}

// allOf reports whether all lines of a symbol are among those given, which rise.
func (s *symbol) allOf(lines []int) bool {
	from, _ := slices.BinarySearch(lines, int(s.line))
	to, found := slices.BinarySearch(lines, int(s.last))
	return found && to-from == int(s.last-s.line)
}

// deletions returns the symbols that only the old text has. r and the new text are
// nil for a file that is gone.
func (x *View) deletions(d *fileDiff, r *record, text []string, a *Impact) []change {
	gone, _ := d.touched('-')
	if len(gone) == 0 || d.old == "" {
		return nil
	}
	old := []byte(strings.Join(d.undo(text), "\n"))
	lang := source.Language(d.old, old)
	p := x.parsers.get()
	file := p.Parse(lang, old)
	x.parsers.put(p)
	var all []change
	for i := range file.Symbols {
		s := &file.Symbols[i]
		if _, found := slices.BinarySearch(gone, s.NameLine); !found || r != nil && r.has(s) {
			continue
		}
		name := s.Name
		if s.Parent != "" {
			name = s.Parent + "." + name
		}
		was := Place{Symbol: name, File: d.old, Line: s.NameLine}
		all = append(all, change{symbol: -1, name: s.Name, kind: s.Kind, was: was, lang: lang, how: Deleted})
		a.Changed = append(a.Changed, Change{was, string(s.Kind), Deleted})
	}
	return all
}

// has reports whether a file defines a symbol of the same name in the same place.
func (r *record) has(s *syntax.Symbol) bool {
	return slices.ContainsFunc(r.symbols, func(t symbol) bool { return t.name == s.Name && t.parent == s.Parent })
}

// changed returns the nodes that are changed. What there is of symbols that are
// gone is the calls of their names.
func (w *walk) changed(ctx context.Context, changes []change, q *ImpactQuery, a *Impact, l *gaps) []graph.ID {
	var seeds []graph.ID
	left := map[string]bool{}
	var gone []sought
	defer func() { w.named(ctx, gone, q, a, l) }()
	for _, c := range changes {
		switch {
		case c.record == nil:
			if !w.moved(&c) {
				gone = append(gone, sought{c.was, c.name, c.kind, c.lang, ReasonDeleted})
			}
			continue
		case !w.g.Has(c.record.path):
			if !left[c.record.path] {
				left[c.record.path] = true
				a.Changed = slices.DeleteFunc(a.Changed, func(o Change) bool { return o.File == c.record.path })
				if c.record.traits.Doc || c.record.traits.Config {
					// nothing calls it
				} else if c.symbol >= 0 && runs(c.record.symbols[c.symbol].kind()) {
					a.lost(Change{Place: Place{File: c.record.path, Line: 1}}, ReasonNoGraph, 0)
				}
				a.LeftOut = append(a.LeftOut, LeftOut{c.record.path, "there is no call graph for " + firstOf(c.record.lang, "plain text")})
			}
			continue
		}
		at := target{record: c.record, symbol: c.symbol}
		if c.symbol < 0 {
			continue // nobody calls it; what it calls is not changed
		}
		s := at.sym()
		of := w.seeds(&at)
		if !runs(s.kind()) && len(of) > 0 && w.node(of[0]).Kind == graph.ClassNode && s.last > s.line {
			// Lines of a type that are not its methods': those who make and name it.
			of = of[:1]
		}
		if l.unfollowed(s.kind(), s.qualified()) {
			gone = append(gone, sought{c.record.place(c.symbol), s.name, s.kind(), c.record.lang, ReasonNoEdges})
		}
		if up := c.record.around(c.symbol); s.kind() == syntax.Field && up >= 0 {
			at.symbol = up
			if of = w.seeds(&at); len(of) > 0 {
				of = of[:1]
			}
		}
		for _, id := range of {
			if !slices.Contains(seeds, id) {
				seeds = append(seeds, id)
			}
		}
	}
	return seeds
}
