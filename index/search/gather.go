package search

import (
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// inquiry gathers the evidence for one query. It is used under the read lock.
type inquiry struct {
	asked rank.Query
	query Query
	table *store.Table
	k     int

	marks   []mark
	byID    map[uint32]int  // chunks that were put forward, and their marks
	marked  []uint64        // a bit for each chunk that is in byID, which is asked for many that are not
	records []*store.Record // their files
	byFile  map[*store.Record]int
	files   []rank.File

	evidence []rank.Evidence
	ids      []uint32  // of the chunks that they are of
	cosines  []float32 // as above
	compared bool      // the vectors were gone through

	cosine func(*rank.Evidence) // fills in the cosine of a chunk in place of what is near to it
	within float64              // how near that is
	let    func()               // gives the memory of cosine back

	matcher rank.Matcher
	ranker  rank.Ranker

	texts    []byte // of the chunks that were read
	unpacked []unpacked
	symbols  []int // of a chunk, those that are compared by themselves
}

// mark is what is known of a chunk that was put forward by name.
type mark struct {
	definition, identifier float64
	symbol                 int32 // the symbol that was asked for by name, -1: none
}

// inquiries are those that are not in use.
type inquiries struct{ sync.Pool }

func newInquiry() *inquiry {
	return &inquiry{byID: make(map[uint32]int, 2*Candidates), byFile: make(map[*store.Record]int, 2*Candidates)}
}

// reset makes s ready for a query. Its memory is used again; what it points at
// is let go.
func (s *inquiry) reset(asked rank.Query, q Query, k int) {
	clear(s.files)
	clear(s.records)
	clear(s.byID)
	clear(s.byFile)
	s.asked, s.query, s.k, s.table = asked, q, k, nil
	s.marks, s.records, s.files, s.evidence = s.marks[:0], s.records[:0], s.files[:0], s.evidence[:0]
	s.compared, s.cosine, s.within, s.let = false, nil, 0, func() {}
	s.texts, s.unpacked = s.texts[:0], s.unpacked[:0]
}

// gather collects the files that words, vectors and symbols put forward, and the
// evidence for their chunks.
func (s *inquiry) gather(mode Mode, meaning []float32) {
	t := s.table
	s.marked = slices.Grow(s.marked[:0], len(t.Chunks)/64+1)[:len(t.Chunks)/64+1]
	clear(s.marked)
	keep := s.filter()
	var words *lexical.Result
	named := false
	if mode != Semantic {
		words = t.Words.Search(QueryTerms(s.asked.Text))
		defer words.Release()
		for _, h := range words.Top(s.k, keep, t.Order) {
			s.propose(h.ID)
		}
		named = s.definitions(keep)
		s.nearest(keep)
	}
	if mode == Lexical || t.Vectors == nil {
		meaning = nil
	}
	// A name that is defined needs no other candidates: it saves the search among
	// all vectors, half the time of a query on a large index.
	if len(meaning) > 0 && !named {
		s.compared = true
		for _, h := range t.Nearest(meaning, s.k, keep) {
			s.propose(h.ID)
		}
		if mode != Semantic {
			s.definitions(keep) // of what has come in
		}
	}
	for f := range s.records {
		s.look(f, words, meaning, keep)
	}
	if len(meaning) > 0 {
		s.mean(meaning)
	}
	s.matcher.Reset(t.Lexicon, s.keywords())
}

// propose puts a chunk forward and returns its mark. The pointer is good until
// the next call.
func (s *inquiry) propose(id uint32) *mark {
	if i, ok := s.byID[id]; ok {
		return &s.marks[i]
	}
	r := s.table.Chunks[id].Record
	if _, ok := s.byFile[r]; !ok {
		s.byFile[r] = len(s.records)
		s.records = append(s.records, r)
		t := r.Traits
		s.files = append(s.files, rank.File{
			Path: r.Path, Words: r.Words, Code: r.Code, Abstract: r.Abstract, Test: t.Test, Example: t.Example, Doc: t.Doc, Barrel: t.Barrel, Config: t.Config,
			Declaration: t.Declaration || s.table.Declares(r), Legacy: t.Legacy,
		})
	}
	s.byID[id] = len(s.marks)
	s.marked[id/64] |= 1 << (id % 64)
	s.marks = append(s.marks, mark{symbol: -1})
	return &s.marks[len(s.marks)-1]
}

// wholeFile is the number of chunks up to which all chunks of a candidate file
// are looked at, and not only those that were put forward.
const wholeFile = 128

// look gathers the evidence for the chunks of a file. words and meaning may be
// nil.
func (s *inquiry) look(f int, words *lexical.Result, meaning []float32, keep func(uint32) bool) {
	r := s.records[f]
	if len(meaning) > 0 {
		s.files[f].Meaning = r.Meaning.Cosine(meaning)
	}
	for i := range r.Chunks {
		p := &r.Chunks[i]
		n, proposed := 0, s.marked[p.ID/64]>>(p.ID%64)&1 == 1
		if proposed {
			n = s.byID[p.ID]
		}
		if !proposed && (len(r.Chunks) > wholeFile || keep != nil && !keep(p.ID)) {
			continue
		}
		e := rank.Evidence{ID: p.ID, File: f, Nth: i, Line: int(p.Line), Head: p.Head, Proposed: proposed, Size: int(p.End - p.Start), Function: p.Function}
		if proposed {
			e.Definition, e.Identifier = s.marks[n].definition, s.marks[n].identifier
		}
		if words != nil {
			if e.Words = float64(words.Score(p.ID)); e.Words > 0 {
				e.Coverage = words.Coverage(p.ID)
			}
		}
		s.evidence = append(s.evidence, e)
	}
}

// mean fills in what is near to the cosines of the chunks' vectors and the question's.
func (s *inquiry) mean(meaning []float32) {
	gauge := s.table.Vectors.Gauge(meaning)
	if gauge == nil {
		return
	}
	s.ids = s.ids[:0]
	for i := range s.evidence {
		s.ids = append(s.ids, s.evidence[i].ID)
	}
	s.cosines = gauge.Near(s.cosines[:0], s.ids)
	s.within = float64(gauge.Within())
	for i, c := range s.cosines {
		s.evidence[i].Meaning, s.evidence[i].Near = float64(c), s.within > 0 && c != 0
	}
	s.cosine = func(e *rank.Evidence) { e.Meaning = float64(gauge.Score(e.ID)) }
	s.let = gauge.Close
}

// keywords are the words of the question that names are compared with.
func (s *inquiry) keywords() []rank.Keyword {
	keywords := make([]rank.Keyword, 0, len(s.asked.Keywords))
	for _, k := range s.asked.Keywords {
		stem := lexical.Stem(k)
		keywords = append(keywords, rank.Keyword{Word: k, Stem: stem, Rarity: s.table.Words.IDF(stem)})
	}
	return keywords
}

// QueryTerms are the words of a question without those that say nothing, unless
// there are no others.
func QueryTerms(text string) []lexical.Term {
	terms := lexical.Query([]byte(text), func(term []byte) bool { return !rank.StopWord(string(term)) })
	if len(terms) == 0 {
		terms = lexical.Query([]byte(text), func([]byte) bool { return true })
	}
	return terms
}

// definitions adds the chunks that define the names in the question, and reports
// whether the question is one name and that name, in this case, is defined.
func (s *inquiry) definitions(keep func(uint32) bool) (named bool) {
	if s.query.Symbol != "" {
		s.define(s.query.Symbol, keep, func(m *mark, strength float64) bool { return true })
	}
	if s.asked.Symbol != "" {
		named = s.define(s.asked.Symbol, keep, func(m *mark, strength float64) bool {
			better := strength > m.definition
			m.definition = max(m.definition, strength)
			return better
		})
	}
	for _, name := range s.asked.Identifiers {
		s.define(name, keep, func(m *mark, strength float64) bool {
			better := strength > m.identifier && m.definition == 0
			m.identifier = max(m.identifier, strength)
			return better
		})
	}
	return named
}

// manyDefinitions bounds the work for names like "new" that are defined
// everywhere: beyond it only chunks that words or vectors put forward count.
const manyDefinitions = 200

func (s *inquiry) define(name string, keep func(uint32) bool, note func(*mark, float64) bool) (exact bool) {
	places := s.table.Define(name)
	for _, d := range places {
		sym := &d.Record.Symbols[d.Symbol]
		n := d.Record.PieceOf(sym)
		if n < 0 {
			continue
		}
		id := d.Record.Chunks[n].ID
		if keep != nil && !keep(id) {
			continue
		}
		if _, known := s.byID[id]; !known && len(places) > manyDefinitions {
			continue
		}
		strength := rank.DefinitionStrength(string(sym.Kind()), sym.Name == name, sym.Exported, s.asked.Qualifier, sym.Parent)
		if m := s.propose(id); note(m, strength) {
			m.symbol = int32(d.Symbol)
		}
		exact = exact || sym.Name == name
	}
	return exact
}

// filter returns which chunks the query's filters admit, nil for all.
func (s *inquiry) filter() func(uint32) bool {
	f := store.NewFilter(s.query.scope())
	return f.Chunks(s.table)
}

// scope is what the query's filters say.
func (q *Query) scope() store.Scope {
	return store.Scope{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, Role: q.Role, Tests: q.Tests, Symbol: q.Symbol}
}
