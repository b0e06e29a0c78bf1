package flow

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/internal/flow/taint"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A candidate is a file with words that end the names of sources or sinks.
type candidate struct {
	record  *store.Record
	sources []int // offsets of words
	sinks   []int

	functions []int // symbols that are sources by their name
}

// functionPattern returns the pattern of a source that a function has, nil for none.
func functionPattern(l *langRules, s *store.Symbol) *taint.Pattern {
	for i := range l.sources {
		if p := &l.sources[i]; p.Kind == taint.Function && (p.Matches(s.Name) || p.Matches(s.Qualified())) {
			return p
		}
	}
	return nil
}

// A wordIndex finds the patterns that a word may end.
type wordIndex struct {
	last  map[string][]*taint.Pattern
	globs []*taint.Pattern // whose last word has a "*"
	plain []*taint.Pattern // that are no words
	needs map[string]bool  // all words of the patterns
}

func newWordIndex(lists ...[]taint.Pattern) *wordIndex {
	w := &wordIndex{last: map[string][]*taint.Pattern{}, needs: map[string]bool{}}
	for _, list := range lists {
		for i := range list {
			p := &list[i]
			if p.Kind == taint.Function {
				continue // by its symbol
			}
			for _, word := range p.Words() {
				w.needs[word] = true
			}
			switch last := p.Last(); {
			case p.Kind == taint.Backquoted || p.Kind == taint.Keyed || p.Kind == taint.Word && last == "":
				w.plain = append(w.plain, p)
			case last == "":
				w.globs = append(w.globs, p)
			default:
				w.last[last] = append(w.last[last], p)
			}
		}
	}
	return w
}

// candidates goes through the texts of files by their words.
func (t *tracer) candidates(ctx context.Context, files []*store.Record) (list []candidate, err error) {
	found := make([]candidate, len(files))
	type index struct{ sources, sinks *wordIndex }
	indexes := map[*langRules]index{}
	for _, l := range t.rules.langs {
		indexes[l] = index{newWordIndex(l.sources), newWordIndex(l.sinks)}
	}
	var next atomic.Int64
	var group errgroup.Group
	for range texts.Workers() {
		group.Go(func() error {
			var src []byte
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(files) {
					return nil
				}
				l := t.rules.of(files[n].Lang)
				if l == nil {
					continue
				}
				src = files[n].Text.AppendAll(src[:0])
				at := indexes[l]
				found[n] = candidate{record: files[n], sources: at.sources.find(files[n], src), sinks: at.sinks.find(files[n], src)}
				for i := range files[n].Symbols {
					if s := &files[n].Symbols[i]; runs(s) && functionPattern(l, s) != nil {
						found[n].functions = append(found[n].functions, i)
					}
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, c := range found {
		if len(c.sources)+len(c.sinks)+len(c.functions) > 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// find returns the offsets of the words of a text that may end a match, in order.
func (w *wordIndex) find(r *store.Record, src []byte) (list []int) {
	has := map[string]bool{}
	type hit struct {
		at int
		of []*taint.Pattern
	}
	var hits []hit
	for i := 0; i < len(src); {
		if !isName(src[i]) {
			i++
			continue
		}
		from := i
		for i < len(src) && isName(src[i]) {
			i++
		}
		word := src[from:i]
		if w.needs[string(word)] {
			has[string(word)] = true
		}
		if of := w.last[string(word)]; of != nil {
			hits = append(hits, hit{from, of})
		}
		for _, p := range w.globs {
			if p.EndsWith(string(word)) {
				hits = append(hits, hit{from, []*taint.Pattern{p}})
			}
		}
	}
	for _, h := range hits {
		if slices.ContainsFunc(h.of, func(p *taint.Pattern) bool { return p.Possible(has) && p.Needed(src) }) {
			list = append(list, h.at)
		}
	}
	for _, p := range w.plain {
		mark := []byte(p.Mark())
		for from := 0; ; {
			i := bytes.Index(src[from:], mark)
			if i < 0 || p.Kind == taint.Backquoted && len(list) > 1000 {
				break
			}
			list = append(list, from+i)
			from += i + len(mark)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// written returns the name that ends with the word at an offset, as patterns have it, and where it
// begins.
func written(src []byte, at int) (name string, from int) {
	end := at
	for end < len(src) && isName(src[end]) {
		end++
	}
	from = at
	for from > 0 {
		i := from
		for i > 0 && (src[i-1] == ' ' || src[i-1] == '\t' || src[i-1] == '\n' || src[i-1] == '\r') {
			i--
		}
		switch {
		case i > 0 && src[i-1] == '.':
			i--
		case i > 1 && (src[i-1] == '>' && src[i-2] == '-' || src[i-1] == ':' && src[i-2] == ':'):
			i -= 2
		default:
			return taint.Name(src[from:end]), from
		}
		for i > 0 && (src[i-1] == '?' || src[i-1] == '!' || src[i-1] <= ' ') {
			i--
		}
		was := i
		for i > 0 && (src[i-1] == ')' || src[i-1] == ']') {
			if i = opening(src, i-1); i < 0 {
				return taint.Name(src[from:end]), from
			}
		}
		for i > 0 && isName(src[i-1]) {
			i--
		}
		if i == was {
			return taint.Name(src[from:end]), from
		}
		from = i
	}
	return taint.Name(src[from:end]), from
}

// opening returns the offset of the bracket that one closes, -1 for none near.
func opening(src []byte, at int) int {
	depth := 0
	for i := at; i >= 0 && at-i < 4000; i-- {
		switch src[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// names are the names under which a call is known: as it is written, and as the call graph has it.
func (t *tracer) names(f *store.Record, x *text, at int, written string) (names [3]string) {
	names[0] = written
	if outside := t.callsOf(f).outside[ir.At(x.line(at), x.column(at))]; outside != "" {
		names[1] = taint.Name([]byte(outside))
		names[2] = names[1][strings.LastIndexByte(names[1], '/')+1:]
	}
	return names
}

// needed returns whether a file has what a pattern needs.
func (t *tracer) needed(r *store.Record) func(p *taint.Pattern) bool {
	return func(p *taint.Pattern) bool {
		if p.Needs == "" {
			return true
		}
		key := needKey{r, p.Needs}
		has, known := t.needs[key]
		if !known {
			has = p.Needed(t.text(r).src)
			t.needs[key] = has
		}
		return has
	}
}

// A needKey is a file with what it must have.
type needKey struct {
	record *store.Record
	text   string
}

// first returns the first pattern of a list that a name of a place has, nil for none.
func first(list []taint.Pattern, names [3]string, fits func(*taint.Pattern) bool) *taint.Pattern {
	for i := range list {
		p := &list[i]
		if p.Kind == taint.Named && fits(p) && matchesAny(p, names) {
			return p
		}
	}
	return nil
}

// sinkSites counts the places that sinks match, and returns the nodes of the call graph that they
// are in.
func (t *tracer) sinkSites(list []candidate) (in map[graph.ID]bool) {
	in = map[graph.ID]bool{}
	for _, c := range list {
		if len(c.sinks) == 0 {
			continue
		}
		l, x := t.rules.of(c.record.Lang), t.text(c.record)
		for _, at := range c.sinks {
			name, _ := written(x.src, at)
			names := t.names(c.record, x, at, name)
			if first(l.sinks, names, t.needed(c.record)) == nil && !slices.ContainsFunc(l.sinks, func(p taint.Pattern) bool { return p.Kind != taint.Named && p.Marks(x.src, at, names[0]) }) {
				continue
			}
			t.sinks++
			in[t.nodeAt(c.record, at)] = true
		}
	}
	return in
}

// near orders files by how near to a sink their functions are in the call graph: first those with
// one that leads to it, then those that what leads to it calls.
func (t *tracer) near(list []candidate, sinks map[graph.ID]bool) {
	above := t.closure(sinks, t.walk.G.In, func(e graph.Edge) graph.ID { return e.From })
	below := t.closure(above, t.walk.G.Out, func(e graph.Edge) graph.ID { return e.To })
	rank := map[*store.Record]int{}
	for _, c := range list {
		rank[c.record] = 2
		for _, i := range c.functions {
			c.sources = append(c.sources, int(c.record.Symbols[i].Start))
		}
		for _, at := range c.sources {
			id := t.nodeAt(c.record, at)
			switch {
			case above[id]:
				rank[c.record] = 0
			case below[id]:
				rank[c.record] = min(rank[c.record], 1)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return rank[a.record] - rank[b.record] })
}

// nodeAt returns the node of the innermost function around an offset, or that of the file.
func (t *tracer) nodeAt(r *store.Record, at int) graph.ID {
	for i := len(r.Symbols) - 1; i >= 0; i-- {
		if s := &r.Symbols[i]; runs(s) && int(s.Start) <= at && at < int(s.End) {
			if ids := t.walk.G.Named(r.Path, s.Name, int(s.NameLine)); len(ids) > 0 {
				return ids[0]
			}
		}
	}
	return t.walk.G.File(r.Path)
}

func (t *tracer) closure(from map[graph.ID]bool, next func(graph.ID, func(graph.Edge) bool), end func(graph.Edge) graph.ID) map[graph.ID]bool {
	seen := map[graph.ID]bool{}
	var todo []graph.ID
	add := func(id graph.ID) {
		if id != 0 && !seen[id] {
			seen[id] = true
			todo = append(todo, id)
		}
	}
	for id := range from {
		add(id)
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		next(id, func(e graph.Edge) bool {
			if e.Kind == graph.Calls || e.Kind == graph.References {
				add(end(e))
			}
			return true
		})
	}
	return seen
}
