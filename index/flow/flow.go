// Package flow answers how control and data move through a function: its blocks, what its
// variables hold where, and slices, inside a function and across calls. The graph of a
// function is made when it is asked for (index/internal/flow) and not kept.
package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/quarry-search/quarry/index/answer"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Languages returns the languages whose functions can be asked about, sorted.
func Languages() []string { return control.Languages() }

// A Function is what was asked about: a function, or the code of a file outside of all.
type Function struct {
	Name    string `json:"name"` // with its containers where the index has them; "" for a function without a name, and for a file
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Lang    string `json:"lang"`
	Changed bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed
}

// A function is one at work: its graph, and the text that it was made of.
type function struct {
	Function
	record *store.Record
	text   *text
	graph  *walk.Graph
	outer  *function // the one that it is written in
	whole  bool      // it is the code of a file outside of functions
	deps   []control.Dependence
	by     [][]control.Dependence // by the step that they are followed from; nil: not made
	known  bool                   // deps are all there are
	sliced bool                   // deps were made
	tree   *syntax.Tree           // that it was made of, where that is its own; nil: the one of the file
}

// A text finds lines in a text.
type text struct {
	src   []byte
	lines []int // the offsets at which they begin
}

func newText(src []byte) *text {
	t := &text{src: src, lines: []int{0}}
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			return t
		}
		i += n + 1
		t.lines = append(t.lines, i)
	}
}

// line returns the number of the line of an offset, from 1.
func (t *text) line(at int) int { return sort.SearchInts(t.lines, at+1) }

// column returns the column of an offset, from 1, in bytes.
func (t *text) column(at int) int { return at - t.lines[t.line(at)-1] + 1 }

// start returns the offset of the first byte of a line that is no space.
func (t *text) start(line int) int {
	at := t.lines[min(line, len(t.lines))-1]
	for at < len(t.src) && (t.src[at] == ' ' || t.src[at] == '\t') {
		at++
	}
	return at
}

// of returns a line without what is around it.
func (t *text) of(line int) string {
	from := t.lines[line-1]
	to := len(t.src)
	if line < len(t.lines) {
		to = t.lines[line]
	}
	return string(bytes.TrimRight(t.src[from:to], "\r\n"))
}

// A maker makes the graphs of functions, each once for a question.
type maker struct {
	index *store.View
	texts map[*store.Record]*text
	made  map[*store.Record][]*function // the outermost functions of a file that were made
	trees map[*store.Record]*syntax.Tree
	nodes int // of the trees
}

// text returns the text of a file.
func (m *maker) text(r *store.Record) *text {
	t := m.texts[r]
	if t == nil {
		t = newText(r.Text.All())
		m.texts[r] = t
	}
	return t
}

// maxNodes bounds the nodes of the trees that are kept for a question: some 80 MB.
const maxNodes = 4 << 20

// tree returns the syntax tree of a file, nil where it has none.
func (m *maker) tree(r *store.Record) *syntax.Tree {
	if t, ok := m.trees[r]; ok {
		return t
	}
	p := m.index.Parsers.Get()
	defer m.index.Parsers.Put(p)
	t := p.Tree(r.Lang, m.text(r).src)
	if t == nil || t.Root() == 0 {
		return nil
	}
	if m.nodes += t.Len(); m.nodes > maxNodes {
		clear(m.trees)
		m.nodes = t.Len()
	}
	m.trees[r] = t.Clone()
	return m.trees[r]
}

func newMaker(x *store.View) *maker {
	return &maker{index: x, texts: map[*store.Record]*text{}, made: map[*store.Record][]*function{}, trees: map[*store.Record]*syntax.Tree{}}
}

// at returns the function around an offset of a file. within, unless it is nil, are the bounds of
// the definition that is meant: of a name that is given a function.
func (m *maker) at(r *store.Record, offset int, within *store.Symbol) (*function, error) {
	var whole *function // of the file: functions within classes are not nested in that
	for _, f := range m.made[r] {
		if f.graph.Start <= offset && offset < f.graph.End && within == nil {
			if in := f.innermost(offset); in != f || !f.whole {
				return in, nil
			}
			whole = f
		}
	}
	if !control.Has(r.Lang) {
		return nil, unsupported(r, "")
	}
	if f := m.alone(r, offset); f != nil {
		m.made[r] = append(m.made[r], f)
		return f.innermost(offset), nil
	}
	tree := m.tree(r)
	if tree == nil {
		return nil, unsupported(r, "its syntax could not be read")
	}
	top, ok := control.Outermost(r.Lang, tree, offset)
	if within != nil && (!ok || top.Start > offset || control.IsRoot(tree, top)) {
		if top, ok = control.First(r.Lang, tree, int(within.Start), int(within.End)); !ok {
			return nil, &answer.TargetError{Target: within.Name, Nearest: []string{}, Reason: fmt.Sprintf("%s is a %s without a function: name a function, or a line", within.Qualified(), within.Kind())}
		}
		offset = top.Start
	}
	if !ok {
		return nil, unsupported(r, "its syntax could not be read")
	}
	if whole != nil && control.IsRoot(tree, top) {
		return whole, nil
	}
	f := newFunction(r, m.text(r), control.Graph(r.Lang, tree, top), nil)
	f.whole = control.IsRoot(tree, top)
	m.made[r] = append(m.made[r], f)
	return f.innermost(offset), nil
}

// alone makes a function at the top of a file without the rest of that, in a language where it
// means the same: what is before the first definition, and its own text. It returns nil where that
// cannot be told.
func (m *maker) alone(r *store.Record, offset int) *function {
	if m.trees[r] != nil || !control.Alone(r.Lang) || len(r.Symbols) == 0 {
		return nil
	}
	i := slices.IndexFunc(r.Symbols, func(s store.Symbol) bool { return int(s.Start) <= offset && offset < int(s.End) && runs(&s) })
	first := slices.MinFunc(r.Symbols, func(a, b store.Symbol) int { return cmp.Compare(a.Start, b.Start) })
	if i < 0 {
		return nil
	}
	text := m.text(r)
	start, end, head := int(r.Symbols[i].Start), int(r.Symbols[i].End), int(min(first.Start, first.DocAt))
	if first.DocTo == 0 {
		head = int(first.Start)
	}
	src := append(bytes.Repeat([]byte{' '}, start), text.src[start:end]...)
	copy(src, text.src[:head])
	if head < start {
		src[head] = '\n'
	}
	p := m.index.Parsers.Get()
	defer m.index.Parsers.Put(p)
	t := p.Tree(r.Lang, src)
	if t == nil || t.Root() == 0 {
		return nil
	}
	top, ok := control.Outermost(r.Lang, t, offset)
	if !ok || top.Start != start || top.End != end {
		return nil
	}
	f := newFunction(r, text, control.Graph(r.Lang, t, top), nil)
	if len(f.graph.Gaps) > 0 {
		return nil
	}
	f.tree = t.Clone()
	return f
}

func unsupported(r *store.Record, reason string) error {
	if reason == "" && r.Lang != "" {
		reason = fmt.Sprintf("%s has no control flow here; these have: %s", r.Lang, join(control.Languages()))
	}
	return &answer.UnsupportedError{File: r.Path, Language: r.Lang, Analysis: "control flow", Reason: reason}
}

func join(list []string) string {
	var b bytes.Buffer
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	return b.String()
}

// newFunction says what a graph is of.
func newFunction(r *store.Record, t *text, g *walk.Graph, outer *function) *function {
	f := &function{record: r, text: t, graph: g, outer: outer}
	f.Function = Function{Name: g.Name, File: r.Path, Line: t.line(g.Start), EndLine: t.line(max(g.Start, g.End-1)), Lang: r.Lang}
	f.qualify()
	return f
}

// qualify gives a function its name with those around it, where the index has it.
func (f *function) qualify() {
	for i := range f.record.Symbols {
		if s := &f.record.Symbols[i]; f.Name != "" && s.Name == f.Name && int(s.Start) < f.graph.End && f.graph.Start < int(s.End) && int(s.NameLine) >= f.Line && int(s.NameLine) <= f.EndLine {
			f.Name = s.Qualified()
			return
		}
	}
}

// innermost returns the function inside of one that an offset is in. The body of a class is none.
func (f *function) innermost(offset int) *function {
	for _, g := range f.graph.Nested {
		if g.Start > offset || offset >= g.End {
			continue
		}
		in := f.nested(g)
		if found := in.innermost(offset); found != in || !g.Class {
			return found
		}
	}
	return f
}

// nested returns the function of a graph inside.
func (f *function) nested(g *walk.Graph) *function {
	in := newFunction(f.record, f.text, g, f)
	in.tree = f.tree
	return in
}

// find returns the function that a target means, and the line that it names, 0 for none.
func (m *maker) find(target string) (f *function, line int, others []answer.Place, state answer.State, err error) {
	at, state, err := m.index.FindTarget(target)
	if err != nil {
		return nil, 0, nil, state, err
	}
	r := at.Record
	if at.Line > 0 {
		f, err = m.at(r, m.text(r).start(at.Line), nil)
		return f, at.Line, nil, state, err
	}
	if at.Symbol < 0 {
		f, err = m.module(r)
		return f, 0, nil, state, err
	}
	s := at.Sym()
	if !runs(s) {
		return nil, 0, nil, state, &answer.TargetError{Target: target, Nearest: []string{}, Reason: fmt.Sprintf("%s is a %s, and has no code that runs by itself: name a function, or a line", s.Qualified(), s.Kind())}
	}
	f, err = m.at(r, m.text(r).start(int(s.NameLine)), s)
	return f, 0, at.Alternatives(), state, err
}

// runs reports whether a symbol may be code that runs: not a type.
func runs(s *store.Symbol) bool {
	switch s.Kind() {
	case "class", "struct", "interface", "trait", "enum", "type", "module", "namespace", "package", "field", "property":
		return false
	}
	return true
}

// module returns the code of a file outside of its functions.
func (m *maker) module(r *store.Record) (*function, error) {
	if !control.Has(r.Lang) {
		return nil, unsupported(r, "")
	}
	tree := m.tree(r)
	if tree == nil {
		return nil, unsupported(r, "its syntax could not be read")
	}
	return newFunction(r, m.text(r), control.Graph(r.Lang, tree, control.Root(tree)), nil), nil
}

// gaps says what of a function is not known.
func (f *function) gaps(a *answer.Completeness) {
	a.Complete = true
	f.noted(a)
}

// noted is gaps for an answer about several functions.
func (f *function) noted(a *answer.Completeness) {
	for _, g := range f.graph.Gaps {
		lacks(a, "line %d: %s", f.text.line(g.Start), g.Why)
	}
}

// lacks notes why an answer is not complete.
func lacks(a *answer.Completeness, format string, args ...any) {
	a.Complete = false
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.Because, text) && len(a.Because) < 20 {
		a.Because = append(a.Because, text)
	}
}
