package flow

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Frame returns the lines that some lines of the function between two offsets need around them to
// be read by a parser: its head, and the words and brackets of the statements that these lines are
// in. kept are the lines that are there; line returns that of an offset.
func Frame(lang string, t *syntax.Tree, start, end int, line func(at int) int, kept map[int]bool) (list []int) {
	f := framer{Tree: t, rules: grammars[lang](), start: start, end: end, line: line, first: line(start)}
	f.kept = make([]bool, line(max(start, end-1))-f.first+1)
	for i := range f.kept {
		f.kept[i] = kept[f.first+i]
	}
	before := slices.Clone(f.kept)
	for f.more = true; f.more; {
		f.more = false
		f.visit(t.Root(), 0)
	}
	for i, is := range f.kept {
		if is && !before[i] {
			list = append(list, f.first+i)
		}
	}
	return list
}

type framer struct {
	*syntax.Tree
	rules      *walk.Grammar
	start, end int
	line       func(at int) int
	first      int    // the line of start
	kept       []bool // by line, from first
	more       bool   // a line was added
}

// touched reports whether one of some lines is kept.
func (f *framer) touched(from, to int) bool {
	from, to = max(from-f.first, 0), min(to-f.first+1, len(f.kept))
	return from < to && slices.Contains(f.kept[from:to], true)
}

// last returns the line in which a node ends.
func (f *framer) last(n syntax.Node) int { return f.line(max(f.Start(n), f.End(n)-1)) }

func (f *framer) keep(from, to int) {
	for l := max(from-f.first, 0); l <= min(to-f.first, len(f.kept)-1); l++ {
		f.more = f.more || !f.kept[l]
		f.kept[l] = true
	}
}

// visit keeps what a node needs of itself where a line of it is kept.
func (f *framer) visit(n syntax.Node, depth int) {
	if depth > maxNesting || f.End(n) <= f.start || f.Start(n) >= f.end {
		return
	}
	first, last := f.line(f.Start(n)), f.last(n)
	if first == last || !f.touched(first, last) {
		return
	}
	if f.start <= f.Start(n) && f.End(n) <= f.end && !f.Comment(n) {
		f.own(n, first)
	}
	for c := range f.Children(n) {
		f.visit(c, depth+1)
	}
}

// own keeps the words and brackets of a node, the head of a function, and the clauses that a
// statement cannot do without.
func (f *framer) own(n syntax.Node, first int) {
	if form, is := f.rules.Functions[f.Kind(n)]; is {
		if body := form.BodyOf(f.Tree, n); body != 0 && body != n {
			f.keep(first, f.line(max(f.Start(n), f.Start(body)-1)))
		}
	}
	word, rest := syntax.Node(0), false
	for c := range f.Children(n) {
		if k := f.Kind(c); k == "\n" || k == ";" { // between statements
			continue
		}
		// A word like "else" is not needed where nothing of what it stands before is kept.
		if word != 0 && (!f.Named(c) || f.touched(f.line(f.Start(c)), f.last(c))) {
			f.keep(f.line(f.Start(word)), f.last(word))
		}
		if word = 0; !f.Named(c) && !rest {
			f.keep(f.line(f.Start(c)), f.last(c))
		} else if !f.Named(c) {
			word = c
		}
		rest = true
	}
	if word != 0 {
		f.keep(f.line(f.Start(word)), f.last(word))
	}
	for _, kind := range f.rules.Clauses[f.Kind(n)] {
		found := false
		for c := range f.NamedChildren(n) {
			if f.Kind(c) == kind {
				found = true
				f.keep(f.line(f.Start(c)), f.line(f.Start(c)))
			}
		}
		if found {
			return
		}
	}
}
