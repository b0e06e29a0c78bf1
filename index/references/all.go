package references

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/facts"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Bounds of what All holds at once.
const (
	maxSearches = 4096    // symbols that are looked for in one pass over the files
	maxReach    = 1 << 20 // importing files that these have together, about
	maxForms    = 8 << 20 // bytes of the texts of files whose lowered forms are kept
)

// common is what several searches of one index have in common.
type common struct {
	index   *store.View
	modules func() *modules.Set
	records func() map[string]*store.Record
	known   *scip.Current // what SCIP indexes say
	forms   map[*store.Record]*ir.File
	bytes   int                       // of the texts of these
	globals map[*store.Record]globals // of files that were asked for
}

func newCommon(x *store.View) *common {
	c := &common{index: x, known: facts.Now(x), forms: map[*store.Record]*ir.File{}, globals: map[*store.Record]globals{}}
	c.records = sync.OnceValue(x.Records)
	c.modules = sync.OnceValue(func() *modules.Set { return modules.Current(x) })
	return c
}

// lower returns what a file was lowered to, or nil.
func (c *common) lower(r *store.Record) *ir.File {
	f, ok := c.forms[r]
	if !ok {
		if c.bytes += r.Text.Size; c.bytes > maxForms {
			clear(c.forms)
			c.bytes = r.Text.Size
		}
		f = c.index.LowerOf(r)
		c.forms[r] = f
	}
	return f
}

// A Named is a place that names a symbol.
type Named struct {
	Of     store.SymbolRef
	In     *store.Record
	Offset int // in bytes
	Length int // of the name there
	Kind   string
	Test   bool

	Ambiguous bool // it has the name, and no more is known, or it may mean another symbol, too
	Declared  bool // it is certain to name the symbol, whatever a call there runs: a method without a body, or what a SCIP index says
}

// A Tally is what All has left out.
type Tally struct {
	Strings int // places in strings
	Unnamed int // symbols whose name is not one word, so that it cannot be looked for in the text
}

// All calls visit for the places that name the symbols of some files in these files, in no
// order: those that References has, in the files that the call graph has. A place in a string is
// left out and counted.
func All(ctx context.Context, x *store.View, files []*store.Record, visit func(Named)) (t Tally, err error) {
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		a := pass{Walk: w, common: newCommon(x), files: files, visit: visit, tally: &t}
		for _, r := range files {
			for i := range r.Symbols {
				if a.add(ctx, r, int32(i)); len(a.searches) >= maxSearches || a.reach >= maxReach {
					a.run(ctx)
				}
				if ctx.Err() != nil {
					return
				}
			}
		}
		a.run(ctx)
	})
	return t, ctx.Err()
}

// A pass looks for the names of many symbols in all files.
type pass struct {
	*calls.Walk
	common   *common
	files    []*store.Record
	visit    func(Named)
	tally    *Tally
	searches []*search
	byWord   map[string][]*search
	reach    int
}

// add prepares the search for a symbol.
func (a *pass) add(ctx context.Context, r *store.Record, symbol int32) {
	at := store.Target{Record: r, Symbol: symbol}
	s := &search{Walk: a.Walk, index: a.common.index, query: &Query{}, at: &at, gaps: &calls.Gaps{}, common: a.common}
	s.begin()
	if s.names.Len() == 0 {
		a.tally.Unnamed++
		return
	}
	s.reach = s.reached(ctx)
	s.importedAsDefault()
	a.reach += len(s.reach)
	a.searches = append(a.searches, s)
	if a.byWord == nil {
		a.byWord = map[string][]*search{}
	}
	words := []string{mention.Word(s.name)}
	if s.own != "" {
		words = append(words, mention.Word(s.own))
	}
	for _, alias := range s.defaults {
		words = append(words, mention.Word(alias))
	}
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		a.byWord[word] = append(a.byWord[word], s)
	}
}

// run goes through the files for what was prepared.
func (a *pass) run(ctx context.Context) {
	for _, r := range a.files {
		if ctx.Err() != nil {
			break
		}
		a.look(r)
	}
	a.searches, a.byWord, a.reach = nil, nil, 0
}

// look visits the places of a file.
func (a *pass) look(r *store.Record) {
	src := r.Text.All()
	seen := map[string]bool{}
	var wanted []*search
	mention.Words(src, func(m mention.Mention) bool {
		if list := a.byWord[m.Name]; len(list) > 0 && !seen[m.Name] {
			seen[m.Name] = true
			wanted = append(wanted, list...)
		}
		return true
	})
	if len(wanted) == 0 {
		return
	}
	all := a.whole(r)
	p := a.common.index.Parsers.Get()
	defer a.common.index.Parsers.Put(p)
	if tree := p.Tree(r.Lang, src); tree != nil && tree.Root() != 0 {
		all.places, all.dots = mention.PlacesIn(tree), mention.PlacesIn(tree)
	}
	source := texts.Source{Path: r.Path, Record: r, Traits: r.Traits}
	done := map[*search]bool{}
	for _, s := range wanted {
		if !done[s] && s.concerns(&source) {
			done[s] = true
			a.places(s, &source, src, all)
		}
	}
}

// places visits the places of a file that name one symbol.
func (a *pass) places(s *search, source *texts.Source, src []byte, all *whole) {
	r := source.Record
	f := fileOf(s, source, src, r.Lang)
	f.whole, f.places, f.dots = all, all.places, all.dots
	f.aliases()
	names := strings.Join(f.named, " ")
	list, ok := all.lists[names]
	if !ok {
		f.names.Each(src, func(m mention.Mention) bool {
			if !mention.InComment(r.Lang, src, m.Offset) {
				f.apart(&m)
				list = append(list, m)
			}
			return true
		})
		all.lists[names] = list
	}
	list = slices.Clone(list)
	f.known(list)
	n := Named{Of: store.SymbolRef{Record: s.at.Record, Symbol: uint32(s.at.Symbol)}, In: r}
	visit := func(m *mention.Mention, kind mention.Kind) {
		n.Offset, n.Length, n.Kind, n.Test = m.Offset, len(mention.Word(m.Name)), kind.String(), f.test(m.Line)
		a.visit(n)
	}
	list = slices.DeleteFunc(list, func(m mention.Mention) bool {
		if n.Declared = f.declared(&m); n.Declared {
			visit(&m, mention.Call)
		}
		return n.Declared
	})
	list = f.left(list)
	for i := range list {
		m := &list[i]
		switch kind, confidence := f.judge(m); {
		case confidence == "":
		case kind == mention.String && !f.settled:
			a.tally.Strings++
		default:
			n.Ambiguous, n.Declared = confidence == byName || f.possible, f.settled
			visit(m, kind)
		}
	}
}

// declared reports whether a place is a call by way of the target, which is a method without a
// body. The graph has the edges of such a place to what may run, and one from the function to
// the method, for all of its places.
func (f *file) declared(m *mention.Mention) bool {
	if _, known := f.bySCIP(m); known {
		return false
	}
	for _, e := range f.edges[ir.At(m.Line, m.Column)] {
		if e.Kind != graph.Calls || e.Rule != graph.ByHierarchy || calls.PlainName(f.s.Node(e.To)) != m.Name {
			continue
		}
		if all := f.whole.abstract[e.From][m.Name]; len(all) == 1 && f.s.seeds[all[0]] {
			return true
		}
	}
	return false
}

// A whole is what all searches of one file have in common.
type whole struct {
	reading
	places *mention.Places
	dots   *mention.Places
	kinds  map[int]mention.Kind         // of the places, as far as they were asked for, by offset
	lists  map[string][]mention.Mention // the places of some names that are in no comment
	own    map[string]bool              // see ownNames; nil: not made

	abstract map[graph.ID]map[string][]graph.ID // the methods without bodies that a function calls, by name
}

func (a *pass) whole(r *store.Record) *whole {
	w := &whole{kinds: map[int]mention.Kind{}, lists: map[string][]mention.Mention{}, abstract: map[graph.ID]map[string][]graph.ID{}}
	w.reading = readingOf(a.G, r.Path, a.common.lower(r), nil, nil)
	for _, edges := range w.edges {
		for _, e := range edges {
			if e.Kind != graph.References || e.Rule != graph.ByHierarchy {
				continue
			}
			if w.abstract[e.From] == nil {
				w.abstract[e.From] = map[string][]graph.ID{}
			}
			name := calls.PlainName(a.Node(e.To))
			w.abstract[e.From][name] = append(w.abstract[e.From][name], e.To)
		}
	}
	return w
}
