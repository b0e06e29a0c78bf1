package search

import (
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// lookAt is how many chunks are read for their words to be compared with the question's.
const lookAt = 40

// fitLookAt times as many chunks as results are read for an explained answer.
const fitLookAt = 8

// mostRare bounds how much a word counts because it is rare.
const mostRare = 6

// comparing returns what compares the words of the question with those of a chunk, and its tokens
// with those of the chunk, nil where there are no vectors or the model does not know words, and
// what must be called in the end.
func (s *inquiry) comparing(x *store.View, meaning, tokens []float32) (look func(*rank.Evidence), done func()) {
	words, ok := x.Opt.Embedder.(embed.Comparer)
	if len(meaning) == 0 || !ok || s.asked.Symbol != "" {
		return nil, func() {}
	}
	c := words.Compare(s.asked.Text, func(word string) float64 {
		if rank.StopWord(word) {
			return 0
		}
		return min(s.table.Words.IDF(lexical.Stem(word)), mostRare)
	})
	late := s.table.Vectors.Late(tokens)
	return func(e *rank.Evidence) {
		s.read(c, e)
		e.Late = late.With(e.ID)
	}, c.Close
}

// severalLines is how many lines a symbol spans that is compared by itself where its chunk
// holds several.
const severalLines = 3

// typeFurther is how much nearer than each of its functions a type must be to be what is
// shown of their chunk: a question asks what is done, more often than what there is.
const typeFurther = 0.1

// read compares a chunk's words with the question's. Where the chunk holds several
// functions, the nearest of them counts and is what is shown.
func (s *inquiry) read(c embed.Comparison, e *rank.Evidence) {
	r := s.records[e.File]
	p := &r.Chunks[e.Nth]
	text := s.text(r, p)
	file, _ := rank.PathParts(r.Path)
	s.symbols = s.symbols[:0]
	for i, sym := range r.Begun(p) {
		if sym.Last-sym.Line+1 >= severalLines && (store.Runs(sym.Kind()) || int32(i) == p.Symbol) {
			s.symbols = append(s.symbols, i)
		}
	}
	in := s.symbols
	if len(in) < 2 {
		names := file
		if p.Symbol >= 0 {
			names += " " + r.Symbols[p.Symbol].Qualified()
		}
		e.NamesAlike, e.Alike = c.With(names, text)
		return
	}
	best := -1.0
	from := p.Start // what stands between two symbols is the second one's comment
	for n, i := range in {
		sym := &r.Symbols[i]
		end := min(sym.End, p.End)
		if n+1 < len(in) && r.Symbols[in[n+1]].Start < end { // a type ends for this where its first function begins
			end = r.Symbols[in[n+1]].Start
		}
		named, alike := c.With(file+" "+sym.Qualified(), text[max(min(from, sym.Start), p.Start)-p.Start:end-p.Start])
		near := alike
		if !store.Runs(sym.Kind()) {
			near -= typeFurther
		}
		if near > best {
			best = near
			e.Alike, e.NamesAlike, e.Symbol = alike, named, i+1
		}
		from = max(from, end)
	}
}

// unpacked is where a chunk's text is among those that were unpacked.
type unpacked struct {
	id       uint32
	from, to int
}

// text unpacks the text of a chunk, which is good until the next query.
func (s *inquiry) text(r *store.Record, p *store.Chunk) []byte {
	from := len(s.texts)
	s.texts = r.Text.AppendSlice(s.texts, int(p.Start), int(p.End))
	s.unpacked = append(s.unpacked, unpacked{p.ID, from, len(s.texts)})
	return s.texts[from:]
}
