package references

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
	"github.com/quarry-search/quarry/index/references/typing"
)

// maxMeanings bounds the symbols of a name that a place is compared with.
const maxMeanings = 256

// A PlaceQuery asks what is named at a place.
type PlaceQuery struct {
	File   string // relative to the root
	Line   int    // from 1
	Column int    // in bytes, from 1; the end of a name is still at it
	Name   string // without a column: the first place of the line that has this name in code
	Uses   bool   // list the uses of a local variable, too
	Types  bool   // list what is above and below what is named, too
	TypeOf bool   // list the types of what is named, too
}

// A Meaning says what a place names: symbols, a variable of the function that it is in, or, where
// there is no name, nothing.
type Meaning struct {
	File        string    `json:"file"`
	Name        string    `json:"name"`             // as it stands there; "" for none
	Line        int       `json:"line"`             // where it begins
	Column      int       `json:"column,omitempty"` // the same, in bytes, from 1; 0: there is no name
	Definitions []Defined `json:"definitions"`      // that it means, the surest first; never nil
	Ambiguous   []Defined `json:"ambiguous"`        // that have the name, and no more is known; never nil
	Local       *Local    `json:"local,omitempty"`  // the variable; nil: none

	// If they are asked for: the types above and below, or the methods there that are overridden
	// or implemented and that override or implement it; the nearest first.
	Above []Relative `json:"above,omitempty"`
	Below []Relative `json:"below,omitempty"`

	// If they are asked for: the types of the value of what is named, or of its results.
	TypeOf []Defined `json:"type_of,omitempty"`
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`
}

// A Defined is a symbol that a place may name.
type Defined struct {
	answer.Definition
	NameLine   int    `json:"name_line"`        // where its name stands
	Column     int    `json:"column,omitempty"` // the same, in bytes, from 1; 0: the name does not stand there as it is
	Confidence string `json:"confidence"`       // exact, scoped or name
}

// A Local is a variable or a parameter of a function.
type Local struct {
	Line   int    `json:"line"`   // where it is declared
	Column int    `json:"column"` // in bytes, from 1
	Symbol string `json:"symbol"` // the innermost symbol that it is in
	Uses   []Use  `json:"uses"`   // if they are asked for, with its declaration, in their order; never nil
}

// A Use is a place that names a local variable.
type Use struct {
	Line   int  `json:"line"`
	Column int  `json:"column"`          // in bytes, from 1
	Write  bool `json:"write,omitempty"` // it is declared or assigned there
}

// Given returns how many entries the answer has.
func (a *Meaning) Given() int { return len(a.Definitions) + len(a.Ambiguous) }

// Keep leaves out all but the first n entries.
func (a *Meaning) Keep(n int) {
	a.Definitions = a.Definitions[:min(n, len(a.Definitions))]
	a.Ambiguous = a.Ambiguous[:min(n-len(a.Definitions), len(a.Ambiguous))]
}

// Places calls visit for each place of the answer.
func (a *Meaning) Places(visit func(string, *bool)) {
	for _, list := range [][]Defined{a.Definitions, a.Ambiguous, a.TypeOf} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
	for _, list := range [][]Relative{a.Above, a.Below} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
}

// NamedAt answers what is named at a place. It returns a TargetError for a file that is not in the
// index, and a PlaceError for one that is left out, for a line that the file does not have and for
// a name that the line does not have.
func NamedAt(ctx context.Context, x *store.View, q PlaceQuery) (Meaning, error) {
	a := Meaning{File: q.File, Line: q.Line, Definitions: []Defined{}, Ambiguous: []Defined{}}
	target, state, err := x.FindTargetOnly(fmt.Sprintf("%s:%d", q.File, q.Line))
	if a.State = state; err != nil {
		return a, err
	}
	r := target.Record
	a.File = r.Path
	src := r.Text.All()
	at, _ := source.LineAt(src, q.Line-1)
	columns := []int{q.Column}
	if q.Name != "" && q.Column == 0 {
		if columns = mention.Columns(q.Name, src[at:]); len(columns) == 0 {
			return a, &answer.PlaceError{File: a.File, Line: q.Line, Name: q.Name}
		}
	}
	var l calls.Gaps
	for i := 0; i < len(columns) && a.Name == ""; i++ {
		m, ok := wordAround(r.Lang, src, at, columns[i])
		if !ok {
			continue
		}
		a.Name, a.Line, a.Column = m.Name, m.Line, m.Column
		calls.WalkGraph(ctx, x, func(w *calls.Walk) {
			calls.Current(x, &l, state)
			p := &place{pass: pass{Walk: w, common: newCommon(x)}, r: r, src: src, m: m, gaps: &l, uses: q.Uses}
			p.mean(ctx, &a)
			if q.Types {
				p.relatives(&a)
			}
			if q.TypeOf {
				p.typed(ctx, &a)
			}
		})
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	a.Total = a.Given()
	a.Completeness = l.Completeness("of this name")
	a.Checked = x.Check(&a, state.Generation)
	return a, nil
}

// wordAround returns the name at a column of a line that begins at an offset, unless it is in a
// comment.
func wordAround(lang string, src []byte, line, column int) (mention.Mention, bool) {
	at := line + max(column, 1) - 1
	if end := bytes.IndexByte(src[line:], '\n'); at > len(src) || end >= 0 && at > line+end {
		return mention.Mention{}, false
	}
	word := mention.Around(src, at)
	if word == "" || word == "_" {
		return mention.Mention{}, false
	}
	var found mention.Mention
	mention.Of([]string{word}).Each(src[:min(at+len(word)+64, len(src))], func(m mention.Mention) bool {
		if m.Offset <= at && at <= m.Offset+len(word) {
			apart(&m, lang, src, nil)
			found = m
		}
		return m.Offset <= at
	})
	return found, found.Name != "" && !mention.InComment(lang, src, found.Offset)
}

// A place is one that is asked what it names.
type place struct {
	pass
	r    *store.Record
	src  []byte
	m    mention.Mention
	gaps *calls.Gaps
	uses bool

	all      *whole
	ir       *ir.File
	variable ir.Var // that the place names
}

// mean finds what is named at the place: what the lowered file has for a variable, what is defined
// there, what the graph leads to, and last what each symbol of the name says of the place.
func (p *place) mean(ctx context.Context, a *Meaning) {
	if p.ir = p.common.lower(p.r); p.ir == nil {
		p.ir = &ir.File{}
	}
	p.all = p.whole(p.r)
	if v := p.variableAt(p.m.Line, p.m.Column); v != 0 && p.name(v) == p.m.Name {
		a.Local = p.local(v)
		return
	}
	i := p.defined()
	if i >= 0 && (p.r.Lang != "go" || p.r.Symbols[i].Kind() != syntax.Field) {
		a.Definitions = append(a.Definitions, definedAs(p.r, i, exact))
		return
	}
	if a.Definitions = p.declared(); len(a.Definitions) > 0 {
		return
	}
	if a.Definitions = p.led(); len(a.Definitions) > 0 { // the type of a field of Go that is embedded, too
		if one := a.Definitions[0]; p.r.Lang == "go" && (p.outside() || slices.ContainsFunc(a.Definitions, func(d Defined) bool { return d.Symbol != one.Symbol || source.Dir(d.File) != source.Dir(one.File) })) {
			a.Definitions, a.Ambiguous = []Defined{}, a.Definitions // a place names one thing, which is not in the index: these may run
		}
		return
	}
	if i >= 0 {
		a.Definitions = append(a.Definitions, definedAs(p.r, i, exact))
		return
	}
	defer p.parse()()
	switch kind := p.kindOf(&p.m); kind {
	case mention.Comment, mention.String:
		a.Name, a.Column = "", 0
		return
	case mention.Key:
	default:
		if v := p.around(p.m); v != 0 && !p.m.Member && !p.declaresField(&p.m, kind) {
			a.Local = p.local(v)
			return
		}
		if info := p.module(p.m.Name); info != nil && !p.m.Member {
			a.Local = p.importedModule(info)
			return
		}
	}
	if p.compare(ctx, a); len(a.Definitions) == 0 {
		if a.Local = p.fieldAround(); a.Local != nil {
			a.Ambiguous = []Defined{}
		}
	}
}

// parse reads the syntax of the file, until what it returns is called.
func (p *place) parse() (end func()) {
	parser := p.common.index.Parsers.Get()
	if tree := parser.Tree(p.r.Lang, p.src); tree != nil && tree.Root() != 0 {
		p.all.places, p.all.dots = mention.PlacesIn(tree), mention.PlacesIn(tree)
	}
	return func() { p.common.index.Parsers.Put(parser) }
}

// kindOf says how a place uses its name; where there is no syntax, that it is read.
func (p *place) kindOf(m *mention.Mention) mention.Kind {
	if p.all.places == nil {
		return mention.Read
	}
	return p.all.places.KindAt(m.Offset)
}

// defined returns the symbol whose name stands at the place, or -1.
func (p *place) defined() int32 {
	i := p.r.NamedAt(p.m.Name, p.m.Line)
	if i >= 0 && p.r.NameColumn(i) == p.m.Column {
		return i
	}
	return -1
}

// definedAs returns a symbol as what is named.
func definedAs(r *store.Record, i int32, confidence string) Defined {
	s := &r.Symbols[i]
	return Defined{Definition: r.Define(i), NameLine: int(s.NameLine), Column: r.NameColumn(i), Confidence: confidence}
}

// led returns what the edges of the graph from the place lead to under its name. A method without
// a body that a call goes by way of is what the call names, and not what may run; of several, that
// of the interface with the fewest methods, by which the value is declared that others are handed on as.
func (p *place) led() []Defined {
	out := []Defined{}
	edges := p.all.edges[ir.At(p.m.Line, p.m.Column)]
	for _, e := range edges {
		if e.Kind == graph.Calls && e.Rule == graph.ByHierarchy {
			if list := p.all.abstract[e.From][p.m.Name]; len(list) == 1 {
				return p.add(out, list[0], graph.Exact)
			}
		}
	}
	bodiless := slices.ContainsFunc(edges, p.bodiless)
	for _, e := range edges {
		if !bodiless || p.bodiless(e) && !slices.ContainsFunc(edges, func(of graph.Edge) bool { return p.bodiless(of) && p.Within(p.Node(of.To).Outer, p.Node(e.To).Outer) }) {
			out = p.add(out, e.To, e.Confidence)
		}
	}
	slices.SortStableFunc(out, func(a, b Defined) int {
		return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.File, b.File), cmp.Compare(a.NameLine, b.NameLine))
	})
	return slices.CompactFunc(out, Defined.is)
}

// bodiless reports whether an edge leads to a method of an interface.
func (p *place) bodiless(e graph.Edge) bool {
	n := p.Node(e.To)
	return n.Kind == graph.FuncNode && n.Outer != 0 && p.Node(n.Outer).Kind == graph.ClassNode && p.Node(n.Outer).ClassKind == ir.Interface
}

// add adds the symbol of a node that has the name of the place, or that an import calls so.
func (p *place) add(out []Defined, id graph.ID, c graph.Confidence) []Defined {
	n := p.Node(id)
	name := calls.PlainName(n)
	if name != p.m.Name && calls.ClassName(n) == p.m.Name && (n.Flags&ir.Constructor != 0 || store.MakesInstances(n.Language, name)) {
		for _, d := range p.common.index.Definitions(p.m.Name) {
			if d.Record.Path == n.Path && typing.IsType(string(d.Record.Symbols[d.Symbol].Kind())) {
				return append(out, definedAs(d.Record, int32(d.Symbol), c.String()))
			}
		}
	}
	if name != p.m.Name && !slices.Contains(p.spelled(), name) {
		return out
	}
	r := p.common.index.Record(n.Path)
	if r == nil {
		return out
	}
	if i := r.NamedAt(name, n.Pos.Line()); i >= 0 {
		out = append(out, definedAs(r, i, c.String()))
	}
	return out
}

// spelled are the names that the place may stand for by an import of the file under another one.
func (p *place) spelled() (names []string) {
	for i := 1; i < len(p.ir.Imports); i++ {
		if info := &p.ir.Imports[i]; info.Alias != 0 && info.Name != 0 && p.ir.String(info.Alias) == p.m.Name {
			names = append(names, p.ir.String(info.Name))
		}
	}
	return names
}

// compare asks each symbol of the name whether the place means it.
func (p *place) compare(ctx context.Context, a *Meaning) {
	var list []store.SymbolRef
	for _, name := range append(p.spelled(), p.m.Name) {
		list = append(list, p.common.index.Definitions(name)...)
	}
	list = slices.DeleteFunc(list, func(d store.SymbolRef) bool { return !store.SameCode(d.Record.Lang, p.r.Lang) })
	slices.SortStableFunc(list, func(x, y store.SymbolRef) int { return cmp.Compare(p.distance(x), p.distance(y)) })
	if len(list) > maxMeanings {
		p.gaps.Because("the name has %d definitions, and the nearest %d were compared", len(list), maxMeanings)
		list = list[:maxMeanings]
	}
	t := &texts.Source{Path: p.r.Path, Record: p.r, Traits: p.r.Traits}
	for _, d := range list {
		if ctx.Err() != nil {
			return
		}
		at := store.Target{Record: d.Record, Symbol: int32(d.Symbol)}
		s := &search{Walk: p.Walk, index: p.common.index, query: &Query{}, at: &at, gaps: &calls.Gaps{}, common: p.common}
		s.begin()
		if s.names.Len() == 0 || s.makes && d.Record.Symbols[d.Symbol].Name != p.m.Name {
			continue
		}
		s.reach = s.reached(ctx)
		s.importedAsDefault()
		f := fileOf(s, t, p.src, p.r.Lang)
		f.whole, f.places, f.dots = p.all, p.all.places, p.all.dots
		f.aliases()
		m := p.m
		f.known(nil)
		if len(f.left([]mention.Mention{m})) == 0 {
			continue
		}
		switch _, confidence := f.judge(&m); {
		case confidence == "":
		case confidence == byName || f.possible:
			a.Ambiguous = append(a.Ambiguous, definedAs(d.Record, int32(d.Symbol), confidence))
		default:
			a.Definitions = append(a.Definitions, definedAs(d.Record, int32(d.Symbol), confidence))
		}
	}
	slices.SortStableFunc(a.Definitions, func(x, y Defined) int { return cmp.Compare(x.Confidence, y.Confidence) })
}

// distance says how far from the place a symbol is: in its file, its folder, or elsewhere.
func (p *place) distance(d store.SymbolRef) int {
	switch {
	case d.Record == p.r:
		return 0
	case source.Dir(d.Record.Path) == source.Dir(p.r.Path):
		return 1
	}
	return 2
}
