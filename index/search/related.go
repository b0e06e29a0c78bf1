package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// ErrNoVectors is returned for a question that only vectors can answer, where
// there are none.
var ErrNoVectors = errors.New("there are no vectors to compare: the index has no model")

// What decides how related two chunks are.
const (
	meaningShare = 0.85 // of the cosine of their vectors
	namesShare   = 0.15 // of the words that the names of their symbols have in common
)

// Related answers with the chunks that are most like the one at a line (1-based)
// of a file (relative to the root, with slashes), without that one: their vectors
// are near, and so are the names of their symbols. Of the query, Text and Mode do
// not count. Scores are those of likeness, not of relevance to a question. It
// returns a PlaceError for a line that is not indexed, and ErrNoVectors.
func Related(ctx context.Context, x *store.View, file string, line int, q Query) (Answer, error) {
	if err := store.CheckGlobs(q.Glob); err != nil {
		return Answer{}, err
	}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	at, meaning, err := chunkAt(ctx, x, file, line)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Results: []Result{}}
	chosen, err := chooseRelated(x, at, meaning, q, &a)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return Answer{}, err
	}

	asked := rank.Parse(at.name())
	for _, h := range chosen {
		r := h.result(asked)
		if r.Score = math.Round(min(max(h.score.Score, 1e-4), 1)*1e4) / 1e4; r.Score < q.MinScore {
			a.Truncated, a.Cuts = false, nil
			break
		}
		a.Results = append(a.Results, r)
	}
	a.pack(q)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// chooseRelated chooses under the lock.
func chooseRelated(x *store.View, at chunkOf, meaning []float32, q Query, a *Answer) ([]hit, error) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return nil, answer.ErrClosed
	}
	a.State = x.State()
	return related(x.Table, at, meaning, q, a), nil
}

// chunkOf is one chunk of a record.
type chunkOf struct {
	record *store.Record
	piece  *store.Chunk
	around *store.Symbol // the function of the line that was asked for; nil: none
}

// name returns the name of the symbol that the chunk is about.
func (c chunkOf) name() string {
	if c.piece.Symbol < 0 {
		return ""
	}
	return c.record.Symbols[c.piece.Symbol].Name
}

// shares reports whether another chunk of a file at the same path has some of the same text, or
// of the same function: what a long one is most like is its own other half.
func (c chunkOf) shares(r *store.Record, p *store.Chunk) bool {
	if p.Start < c.piece.End && p.End > c.piece.Start {
		return true
	}
	return c.around != nil && r == c.record && p.Start < c.around.End && p.End > c.around.Start
}

// functionAt returns the innermost function that has a line; nil: none does.
func functionAt(r *store.Record, line int) (best *store.Symbol) {
	for i := range r.Symbols {
		s := &r.Symbols[i]
		switch s.Kind() {
		case syntax.Function, syntax.Method, syntax.Constructor:
			if int(s.Line) <= line && line <= int(s.Last) && (best == nil || s.End-s.Start < best.End-best.Start) {
				best = s
			}
		}
	}
	return best
}

// chunkAt returns the chunk at a line and its vector, which is computed here when
// the index does not have it yet.
func chunkAt(ctx context.Context, x *store.View, file string, line int) (at chunkOf, meaning []float32, err error) {
	x.Mu.RLock()
	r, skip, closed := x.Table.Files[file], x.Table.Skips[file], x.Closed
	x.Mu.RUnlock()
	if closed {
		return at, nil, answer.ErrClosed
	}
	if r == nil {
		return at, nil, &answer.PlaceError{File: file, Line: line, Reason: string(skip.Reason)}
	}
	p, lines := pieceAtLine(r, line)
	if p == nil {
		return at, nil, &answer.PlaceError{File: file, Line: line, Lines: lines}
	}
	at = chunkOf{record: r, piece: p, around: functionAt(r, line)}
	if x.Dim == 0 {
		return at, nil, ErrNoVectors
	}
	x.Mu.RLock()
	if x.Table.Files[file] == r && x.Table.Vectors != nil {
		meaning = x.Table.Vectors.Vector(p.ID)
	}
	x.Mu.RUnlock()
	if meaning == nil {
		meaning = make([]float32, x.Dim)
		doc := r.Describe(p, string(r.Text.Slice(int(p.Start), int(p.End))))
		if err := x.Opt.Embedder.Documents(ctx, []embed.Document{doc}, meaning); err != nil {
			return at, nil, fmt.Errorf("index: vector of %s:%d: %w", file, line, err)
		}
	}
	if !slices.ContainsFunc(meaning, func(v float32) bool { return v != 0 }) {
		return at, nil, fmt.Errorf("%w: %s:%d has no word that the model knows", ErrNoVectors, file, line)
	}
	return at, meaning, nil
}

// pieceAtLine returns the piece that holds a line, or the one before a line
// between two pieces. It returns nil and the number of lines, at least 1, when
// there is no such line.
func pieceAtLine(r *store.Record, line int) (p *store.Chunk, lines int) {
	src := r.Text.All()
	start, ok := source.LineAt(src, line-1)
	if line < 1 || !ok || len(r.Chunks) == 0 {
		return nil, source.CountLines(src)
	}
	// A line that two pieces share belongs to the one that has its first text.
	start += len(src[start:]) - len(bytes.TrimLeft(src[start:], " \t\r\n"))
	n, _ := slices.BinarySearchFunc(r.Chunks, uint32(start)+1, func(p store.Chunk, at uint32) int { return cmp.Compare(p.Start, at) })
	return &r.Chunks[max(n-1, 0)], 0
}

// related chooses the chunks to show, the most like the given one first.
func related(t *store.Table, at chunkOf, meaning []float32, q Query, a *Answer) []hit {
	f := store.NewFilter(q.scope())
	admitted := f.Chunks(t)
	keep := func(id uint32) bool {
		r := t.Chunks[id].Record
		if r == nil || admitted != nil && !admitted(id) {
			return false
		}
		p := r.Chunk(t.Chunks[id].Chunk)
		if p.Head && !at.piece.Head {
			return false // licences and imports are like each other everywhere
		}
		// The file may have been indexed again since: places say what is the same.
		return r.Path != at.record.Path || !at.shares(r, p)
	}
	scores := map[uint32]float64{}
	for _, h := range t.Nearest(meaning, max(Candidates, 3*q.Limit), keep) {
		scores[h.ID] = float64(h.Score)
	}
	if places := t.Define(at.name()); len(places) <= manyDefinitions {
		for _, d := range places {
			n := d.Record.PieceOf(&d.Record.Symbols[d.Symbol])
			if n < 0 {
				continue
			}
			if id := d.Record.Chunks[n].ID; keep(id) {
				if cosine, ok := t.Vectors.Score(meaning, id); ok {
					scores[id] = float64(cosine)
				}
			}
		}
	}
	words := store.NameWords(at.name())
	ids := make([]uint32, 0, len(scores))
	for id, cosine := range scores {
		c := t.Chunks[id]
		names := store.Likeness(words, store.NameWords(chunkOf{record: c.Record, piece: c.Record.Chunk(c.Chunk)}.name()))
		if scores[id] = meaningShare*cosine + namesShare*names; scores[id] > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(m, n uint32) int { return cmp.Or(cmp.Compare(scores[n], scores[m]), t.Order(m, n)) })

	var chosen []hit
	taken := map[*store.Record]int{}
	for _, id := range ids {
		c := t.Chunks[id]
		taken[c.Record]++
		if taken[c.Record] == 1 {
			a.Matches++
		}
		switch {
		case taken[c.Record] > max(q.PerFile, 1):
		case len(chosen) == q.Limit:
			a.cut(answer.CutLimit)
		default:
			chosen = append(chosen, hit{
				record: c.Record, piece: c.Record.Chunk(c.Chunk), symbol: -1,
				score: rank.Scored{Score: scores[id]}, kinds: q.Kind,
			})
		}
	}
	return chosen
}
