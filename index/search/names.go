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

// searchNames answers a query by Symbol. It compares the name with that of every
// symbol of the admitted files, which needs no second list of names to keep up to
// date: 200,000 symbols (the Go distribution) take 12 to 23 ms of one core.
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
	var best, own []named
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		own = want.among(own[:0], r, &f, q.MinScore)
		a.Matches += len(own)
		if q.PerFile > 0 && len(own) > q.PerFile {
			slices.SortFunc(own, func(m, n named) int { return m.order(&n) })
			own = own[:q.PerFile]
			a.cut(answer.CutPerFile)
		}
		for _, n := range own {
			at, _ := slices.BinarySearchFunc(best, n, func(m, n named) int { return m.order(&n) })
			if len(best) == q.Limit {
				a.cut(answer.CutLimit)
				if at == q.Limit {
					continue
				}
				best = best[:q.Limit-1]
			}
			best = slices.Insert(best, at, n)
		}
	}
	for _, n := range best {
		h := hit{record: n.record, piece: n.record.Chunk(uint32(n.record.PieceOf(n.sym()))), symbol: n.symbol}
		r := h.result(asked)
		r.Score = n.score
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

// among appends the symbols of a file whose names match.
func (q *nameQuery) among(dst []named, r *store.Record, f *store.Filter, minScore float64) []named {
	for i := range r.Symbols {
		if i < len(r.Letters) && !q.May(r.Letters[i]) {
			continue
		}
		s := &r.Symbols[i]
		score := q.Score(r, s)
		if score <= 0 || score < minScore || !f.Kind(s) || f.Symbol != "" && !strings.EqualFold(s.Name, f.Symbol) {
			continue
		}
		if f.Role != "" && cmp.Or(string(r.Role), answer.RoleDefinition) != f.Role || r.PieceOf(s) < 0 {
			continue
		}
		dst = append(dst, named{r, int32(i), score, rank.DefinitionStrength(string(s.Kind()), true, s.Exported, "", "")})
	}
	return dst
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
