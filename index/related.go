package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/rank"
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
func (x *View) Related(ctx context.Context, file string, line int, q Query) (Answer, error) {
	if err := checkGlobs(q.Glob); err != nil {
		return Answer{}, err
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	at, meaning, err := x.chunkAt(ctx, file, line)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Results: []Result{}}
	chosen, err := x.chooseRelated(at, meaning, q, &a)
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
	a.Checked = x.check(&a, a.State.Generation)
	return a, nil
}

// chooseRelated chooses under the lock.
func (x *View) chooseRelated(at chunkOf, meaning []float32, q Query, a *Answer) ([]hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, ErrClosed
	}
	a.State = x.State()
	return x.table.related(at, meaning, q, a), nil
}

// chunkOf is one chunk of a record.
type chunkOf struct {
	record *record
	piece  *piece
}

// name returns the name of the symbol that the chunk is about.
func (c chunkOf) name() string {
	if c.piece.symbol < 0 {
		return ""
	}
	return c.record.symbols[c.piece.symbol].name
}

// chunkAt returns the chunk at a line and its vector, which is computed here when
// the index does not have it yet.
func (x *View) chunkAt(ctx context.Context, file string, line int) (at chunkOf, meaning []float32, err error) {
	x.mu.RLock()
	r, skip, closed := x.table.files[file], x.table.skips[file], x.closed
	x.mu.RUnlock()
	if closed {
		return at, nil, ErrClosed
	}
	if r == nil {
		return at, nil, &PlaceError{File: file, Line: line, Reason: string(skip.Reason)}
	}
	p, lines := r.pieceAtLine(line)
	if p == nil {
		return at, nil, &PlaceError{File: file, Line: line, Lines: lines}
	}
	at = chunkOf{r, p}
	if x.dim == 0 {
		return at, nil, ErrNoVectors
	}
	x.mu.RLock()
	if x.table.files[file] == r && x.table.vectors != nil {
		meaning = x.table.vectors.Vector(p.id)
	}
	x.mu.RUnlock()
	if meaning == nil {
		meaning = make([]float32, x.dim)
		doc := r.describe(p, string(r.text.slice(int(p.start), int(p.end))))
		if err := x.opt.Embedder.Documents(ctx, []embed.Document{doc}, meaning); err != nil {
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
func (r *record) pieceAtLine(line int) (p *piece, lines int) {
	src := r.text.all()
	start, ok := lineAt(src, line-1)
	if line < 1 || !ok || len(r.pieces) == 0 {
		return nil, countLines(src)
	}
	// A line that two pieces share belongs to the one that has its first text.
	start += len(src[start:]) - len(bytes.TrimLeft(src[start:], " \t\r\n"))
	n, _ := slices.BinarySearchFunc(r.pieces, uint32(start)+1, func(p piece, at uint32) int { return cmp.Compare(p.start, at) })
	return &r.pieces[max(n-1, 0)], 0
}

// related chooses the chunks to show, the most like the given one first.
func (t *table) related(at chunkOf, meaning []float32, q Query, a *Answer) []hit {
	f := newFilter(q.scope())
	admitted := f.chunks(t)
	keep := func(id uint32) bool {
		r := t.chunks[id].record
		if r == nil || admitted != nil && !admitted(id) {
			return false
		}
		p := r.piece(t.chunks[id].piece)
		if p.head && !at.piece.head {
			return false // licences and imports are like each other everywhere
		}
		// The file may have been indexed again since: places say what is the same.
		return r.path != at.record.path || p.start >= at.piece.end || p.end <= at.piece.start
	}
	scores := map[uint32]float64{}
	for _, h := range t.nearest(meaning, max(candidates, 3*q.Limit), keep) {
		scores[h.ID] = float64(h.Score)
	}
	if places := t.define(at.name()); len(places) <= manyDefinitions {
		for _, d := range places {
			n := d.record.pieceOf(&d.record.symbols[d.symbol])
			if n < 0 {
				continue
			}
			if id := d.record.pieces[n].id; keep(id) {
				if cosine, ok := t.vectors.Score(meaning, id); ok {
					scores[id] = float64(cosine)
				}
			}
		}
	}
	words := nameWords(at.name())
	ids := make([]uint32, 0, len(scores))
	for id, cosine := range scores {
		c := t.chunks[id]
		names := likeness(words, nameWords(chunkOf{c.record, c.record.piece(c.piece)}.name()))
		if scores[id] = meaningShare*cosine + namesShare*names; scores[id] > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(m, n uint32) int { return cmp.Or(cmp.Compare(scores[n], scores[m]), t.order(m, n)) })

	var chosen []hit
	taken := map[*record]int{}
	for _, id := range ids {
		c := t.chunks[id]
		taken[c.record]++
		if taken[c.record] == 1 {
			a.Matches++
		}
		switch {
		case taken[c.record] > max(q.PerFile, 1):
		case len(chosen) == q.Limit:
			a.cut(CutLimit)
		default:
			chosen = append(chosen, hit{
				record: c.record, piece: c.record.piece(c.piece), symbol: -1,
				score: rank.Scored{Score: scores[id]}, kinds: q.Kind,
			})
		}
	}
	return chosen
}
