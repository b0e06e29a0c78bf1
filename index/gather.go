package index

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
)

// inquiry gathers the evidence for one query. It is used under the read lock.
type inquiry struct {
	asked rank.Query
	query Query
	table *table
	k     int

	evidence   []rank.Evidence
	symbols    []int32 // by evidence: the symbol that was asked for by name, -1: none
	byID       map[uint32]int
	files      []rank.File
	byFile     map[*record]int
	ordered    []rank.Scored
	confidence float64
}

// reset makes s ready for a query. Its memory is used again; what it points at
// is let go.
func (s *inquiry) reset(asked rank.Query, q Query, k int) {
	clear(s.files)
	clear(s.byID)
	clear(s.byFile)
	*s = inquiry{
		asked: asked, query: q, k: k,
		evidence: s.evidence[:0], symbols: s.symbols[:0], byID: s.byID, files: s.files[:0], byFile: s.byFile, ordered: s.ordered[:0],
	}
}

func (s *inquiry) gather(mode Mode, meaning []float32) {
	t := s.table
	keep := s.filter()
	var words *lexical.Result
	total := 0.0
	named := false
	if mode != Semantic {
		words = t.words.Search(queryTerms(s.asked.Text))
		defer words.Release()
		total = words.IDF()
		for i, h := range words.Top(s.k, keep, t.order) {
			s.chunk(h.ID).LexicalRank = i + 1
		}
		named = s.definitions(keep)
	}
	semantic := mode != Lexical && t.vectors != nil && len(meaning) > 0
	switch {
	case semantic && named:
		s.compare(meaning)
	case semantic:
		for i, h := range t.nearest(meaning, s.k, keep) {
			e := s.chunk(h.ID)
			e.SemanticRank, e.Semantic = i+1, float64(h.Score)
		}
		if mode != Semantic {
			s.definitions(keep) // of what has come in
		}
	}
	for i := range s.evidence {
		e := &s.evidence[i]
		if words != nil {
			e.Lexical = float64(words.Score(e.ID))
		}
		if semantic && e.SemanticRank == 0 {
			cosine, _ := t.vectors.Score(meaning, e.ID)
			e.Semantic = float64(cosine)
		}
	}
	s.judge(total)
}

// judge sets the confidence from the strongest evidence there is. total is the
// sum of the query's idf, which a document with each term once and of average
// length has as its score; 0: no words were looked for. The score's share of it
// estimates, 0..1, how much of the query a document holds; a term that is nowhere
// in the index counts with the largest idf.
func (s *inquiry) judge(total float64) {
	for i := range s.evidence {
		e := &s.evidence[i]
		covered := 0.0
		if total > 0 {
			covered = min(e.Lexical/(1.4*total), 1)
		}
		s.confidence = max(s.confidence, rank.Confidence(*e, covered))
	}
}

// queryTerms are the words of a question without those that say nothing, unless
// there are no others.
func queryTerms(text string) []lexical.Term {
	terms := lexical.Query([]byte(text), func(term []byte) bool { return !rank.StopWord(string(term)) })
	if len(terms) == 0 {
		terms = lexical.Query([]byte(text), func([]byte) bool { return true })
	}
	return terms
}

// holds reports whether a symbol begins in the piece.
func (p *piece) holds(s *symbol) bool { return s.start >= p.start && s.start < p.end }

// roleOf returns a piece's role: what the path says, else whether it defines.
func (r *record) roleOf(p *piece) string {
	switch {
	case r.role != "":
		return string(r.role)
	case p.defines:
		return RoleDefinition
	}
	return ""
}

// chunk returns the evidence of a chunk, made when it is first asked for. The
// pointer is good until the next call.
func (s *inquiry) chunk(id uint32) *rank.Evidence {
	if i, ok := s.byID[id]; ok {
		return &s.evidence[i]
	}
	at := s.table.chunks[id]
	p := at.record.piece(at.piece)
	f, ok := s.byFile[at.record]
	if !ok {
		f = len(s.files)
		s.byFile[at.record] = f
		t := at.record.traits
		s.files = append(s.files, rank.File{
			Path: at.record.path, Words: at.record.words, Test: t.Test, Example: t.Example, Doc: t.Doc, Barrel: t.Barrel,
			Declaration: t.Declaration || s.table.declares(at.record), Legacy: t.Legacy,
		})
	}
	s.byID[id] = len(s.evidence)
	s.evidence = append(s.evidence, rank.Evidence{ID: id, File: f, Line: int(p.line), Head: p.head})
	s.symbols = append(s.symbols, -1)
	return &s.evidence[len(s.evidence)-1]
}

// compare ranks the chunks that words and symbols have put forward by their
// vectors. A name that is defined needs no others: it saves the search among all
// vectors, half the time of a query on a large index.
func (s *inquiry) compare(meaning []float32) {
	order := make([]int, len(s.evidence))
	for i := range s.evidence {
		e := &s.evidence[i]
		cosine, _ := s.table.vectors.Score(meaning, e.ID)
		e.Semantic = float64(cosine)
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &s.evidence[i], &s.evidence[j]
		return cmp.Or(cmp.Compare(b.Semantic, a.Semantic), s.table.order(a.ID, b.ID))
	})
	for rank, i := range order {
		s.evidence[i].SemanticRank = rank + 1
	}
}

// definitions adds the chunks that define the names in the question, and reports
// whether the question is one name and that name, in this case, is defined.
func (s *inquiry) definitions(keep func(uint32) bool) (named bool) {
	if s.query.Symbol != "" {
		s.define(s.query.Symbol, keep, func(e *rank.Evidence, strength float64) bool { return true })
	}
	if s.asked.Symbol != "" {
		named = s.define(s.asked.Symbol, keep, func(e *rank.Evidence, strength float64) bool {
			better := strength > e.Definition
			e.Definition = max(e.Definition, strength)
			return better
		})
	}
	for _, name := range s.asked.Identifiers {
		s.define(name, keep, func(e *rank.Evidence, strength float64) bool {
			better := strength > e.Identifier && e.Definition == 0
			e.Identifier = max(e.Identifier, strength)
			return better
		})
	}
	return named
}

// manyDefinitions bounds the work for names like "new" that are defined
// everywhere: beyond it only chunks that words or vectors put forward count.
const manyDefinitions = 200

func (s *inquiry) define(name string, keep func(uint32) bool, note func(*rank.Evidence, float64) bool) (exact bool) {
	places := s.table.define(name)
	for _, d := range places {
		sym := &d.record.symbols[d.symbol]
		n := d.record.pieceOf(sym)
		if n < 0 {
			continue
		}
		id := d.record.pieces[n].id
		if keep != nil && !keep(id) {
			continue
		}
		if _, known := s.byID[id]; !known && len(places) > manyDefinitions {
			continue
		}
		strength := rank.DefinitionStrength(string(sym.kind), sym.name == name, sym.exported, s.asked.Qualifier, sym.parent)
		if note(s.chunk(id), strength) {
			s.symbols[s.byID[id]] = int32(d.symbol)
		}
		exact = exact || sym.name == name
	}
	return exact
}

// pieceOf returns the position of the piece in which a symbol begins, or -1.
func (r *record) pieceOf(s *symbol) int {
	n, found := slices.BinarySearchFunc(r.pieces, s.start, func(p piece, at uint32) int { return cmp.Compare(p.start, at) })
	if !found {
		n--
	}
	if n < 0 || !r.pieces[n].holds(s) {
		return -1
	}
	return n
}
