package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A named symbol is one whose name matches.
type named struct {
	record *store.Record
	symbol int32
	score  float64
	weight float64 // decides between equal scores: types and functions first
}

func (n *named) sym() *store.Symbol { return &n.record.Symbols[n.symbol] }

// chunk returns the chunk that defines the symbol; there is one.
func (n *named) chunk() *store.Chunk { return n.record.Chunk(uint32(n.record.PieceOf(n.sym()))) }

// order puts the best first: by score, tests last, the weightier kind, the
// shorter name, then by path and line.
func (n *named) order(o *named) int {
	later := func(r *store.Record) int {
		if r.Role == source.Role(answer.RoleTest) {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(o.score, n.score), cmp.Compare(later(n.record), later(o.record)), cmp.Compare(o.weight, n.weight),
		cmp.Compare(len(n.sym().Name), len(o.sym().Name)), strings.Compare(n.record.Path, o.record.Path), cmp.Compare(n.symbol, o.symbol),
	)
}

// A shortlist collects the best symbols of a kind of match.
type shortlist struct {
	best    []named // in order, Limit of them at most
	matches int
	cuts    []answer.Cut
}

func (l *shortlist) cut(c answer.Cut) {
	if !slices.Contains(l.cuts, c) {
		l.cuts = append(l.cuts, c)
	}
}

// add takes in the symbols of one file, most of them at most; below 0: all. It returns how
// many more the file may have.
func (l *shortlist) add(own []named, most, limit int) (left int) {
	l.matches += len(own)
	if most >= 0 && len(own) > most {
		slices.SortFunc(own, func(m, n named) int { return m.order(&n) })
		own = own[:most]
		l.cut(answer.CutPerFile)
	}
	for _, n := range own {
		at, _ := slices.BinarySearchFunc(l.best, n, func(m, n named) int { return m.order(&n) })
		if len(l.best) == limit {
			l.cut(answer.CutLimit)
			if at == limit {
				continue
			}
			l.best = l.best[:limit-1]
		}
		l.best = slices.Insert(l.best, at, n)
	}
	if most < 0 {
		return most
	}
	return most - len(own)
}

// join adds what comes after all of l.
func (l *shortlist) join(o *shortlist, limit int) {
	l.matches += o.matches
	for _, c := range o.cuts {
		l.cut(c)
	}
	if l.best = append(l.best, o.best...); len(l.best) > limit {
		l.best = l.best[:limit]
		l.cut(answer.CutLimit)
	}
}

// searchNames answers a query by Symbol. It compares the name with that of every
// symbol of the admitted files, which needs no second list of names to keep up to
// date: 200,000 symbols (the Go distribution) take 1 to 6 ms of one core.
//
// Where a symbol bears the name, those that are only like it do not count: nobody has
// misspelt it.
func searchNames(ctx context.Context, x *store.View, q Query) (Answer, error) {
	f := store.NewFilter(q.scope())
	asked := rank.Parse(q.Text)
	want := NewNameQuery(q.Text)
	a := Answer{Results: []Result{}}
	files, state, err := x.FilesOf(&f)
	if err != nil {
		return Answer{}, err
	}
	a.State = state
	perFile := cmp.Or(q.PerFile, -1)
	var found, like shortlist
	var own, alike []named
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		own, alike = want.among(own[:0], alike[:0], r, &f)
		left := found.add(own, perFile, q.Limit)
		like.add(alike, left, q.Limit)
	}
	if !want.known {
		found.join(&like, q.Limit)
	}
	a.Matches, a.Cuts, a.Truncated = found.matches, found.cuts, len(found.cuts) > 0
	why := q.reasons()
	for _, n := range found.best {
		if n.score < q.MinScore {
			a.belowScore()
			break
		}
		h := hit{record: n.record, piece: n.chunk(), symbol: n.symbol, score: rank.Scored{Evidence: rank.Evidence{Definition: n.score}}}
		r := h.result(asked)
		r.Score, r.Why = n.score, why.of(&h, &r)
		a.Results = append(a.Results, r)
	}
	answer.Note(ctx, func(p *answer.Plan) {
		p.Mode = string(Symbol)
		p.Searches++
		p.Bytes += len(q.Text)
		p.Matches += a.Matches
	})
	a.pack(q)
	return a, nil
}

// among appends the symbols of a file whose names match, and those whose names are only
// like the one asked for.
func (q *nameQuery) among(dst, like []named, r *store.Record, f *store.Filter) (_, _ []named) {
	for i := q.Next(r.Letters, 0); i < len(r.Letters); i = q.Next(r.Letters, i+1) {
		s := &r.Symbols[i]
		score := q.Score(r, s, r.Letters[i])
		if score <= 0 || !f.Kind(s) || f.Symbol != "" && !strings.EqualFold(s.Name, f.Symbol) {
			continue
		}
		if f.Role != "" && cmp.Or(string(r.Role), answer.RoleDefinition) != f.Role || !f.Line(r, s.Line) || r.PieceOf(s) < 0 {
			continue
		}
		n := named{r, int32(i), score, rank.DefinitionStrength(string(s.Kind()), true, s.Exported, "", "")}
		if score <= likeBelow {
			like = append(like, n)
			continue
		}
		dst = append(dst, n)
		if score >= ownScore {
			q.known, q.edits = true, 0
		}
	}
	return dst, like
}

// Kinds returns the values that Result.Kind can have.
func Kinds() []string {
	var all []string
	for _, k := range []syntax.Kind{
		syntax.Function, syntax.Method, syntax.Constructor, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type,
		syntax.Module, syntax.Namespace, syntax.Constant, syntax.Variable, syntax.Field, syntax.Macro, syntax.Heading, syntax.Rule, syntax.Key,
	} {
		all = append(all, string(k))
	}
	return all
}

// Languages returns the languages that a file can have, as a Query's Lang has them, sorted.
func Languages() []string { return source.Languages() }
