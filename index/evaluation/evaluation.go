// Package evaluation asks the questions of a suite of an index of each of its repositories,
// and says what became of them.
package evaluation

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// An Evaluation has a suite, and where its repositories are. Its fields do not change while
// repositories are asked.
type Evaluation struct {
	Suite  suite.Suite
	Corpus string // the folder that holds the repositories
	Jobs   int    // repositories at once
	Rerank bool   // ask for a second look, see search.Query
	Open   func(root string) (x *index.Index, stop func() error, err error)
	Count  func(text string) int // the tokens of a text
}

// Index indexes a repository of the suite. stop must be called if err is nil.
func (e *Evaluation) Index(ctx context.Context, r suite.Repository) (x *index.Index, stop func() error, err error) {
	x, stop, err = e.Open(filepath.Join(e.Corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root)))
	if err != nil {
		return nil, nil, err
	}
	if _, err := x.Build(ctx, nil); err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return x, stop, nil
}

// Each indexes the repositories and calls visit with each and its place in the suite: one
// after the other in that order, or several at once.
func (e *Evaluation) Each(ctx context.Context, visit func(ctx context.Context, i int, r suite.Repository, x *index.Index) error) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(e.Jobs)
	for i, r := range e.Suite {
		work.Go(func() (err error) {
			defer func() {
				if err != nil {
					err = fmt.Errorf("%s: %w", r.Name, err)
				}
			}()
			x, stop, err := e.Index(ctx, r)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stop()) }()
			return visit(ctx, i, r, x)
		})
	}
	return work.Wait()
}

// Asked is what became of questions.
type Asked struct {
	Outcomes  []measure.Outcome
	Files     []measure.Outcome  // of questions whose targets name lines, where any of the file's would do
	Judged    [][]measure.Judged // of each question, its first results
	Latency   []time.Duration    // of searches for ten results
	Misses    []string           // a line for each question whose first result is not right
	Reordered int                // questions whose first ten results are others when more are asked for
}

// Run asks all questions. The same figures come out, however many repositories are asked at
// once.
func (e *Evaluation) Run(ctx context.Context) (total Asked, err error) {
	all := make([]Asked, len(e.Suite))
	err = e.Each(ctx, func(ctx context.Context, i int, r suite.Repository, x *index.Index) error {
		number := 1
		for _, before := range e.Suite[:i] {
			number += len(before.Queries)
		}
		var err error
		all[i], err = e.ask(ctx, x, r, number)
		return err
	})
	for _, a := range all {
		total.Outcomes = append(total.Outcomes, a.Outcomes...)
		total.Files = append(total.Files, a.Files...)
		total.Judged = append(total.Judged, a.Judged...)
		total.Latency = append(total.Latency, a.Latency...)
		total.Misses = append(total.Misses, a.Misses...)
		total.Reordered += a.Reordered
	}
	return total, err
}

// ask asks the questions of one repository, of which the first has a number.
func (e *Evaluation) ask(ctx context.Context, x *index.Index, r suite.Repository, number int) (a Asked, err error) {
	for i, q := range r.Queries {
		// The time is that of the usual ten results. Those that are
		// measured are a longer list of the same question, for the tokens.
		began := time.Now()
		usual, err := x.Search(ctx, search.Query{Text: q.Text, Limit: measure.Depth, Rerank: e.Rerank})
		if err != nil {
			return a, err
		}
		a.Latency = append(a.Latency, time.Since(began))
		results, err := x.Search(ctx, search.Query{Text: q.Text, Limit: measure.TokenDepth, Rerank: e.Rerank})
		if err != nil {
			return a, err
		}
		hits := Hits(r, results.Results)
		if !slices.Equal(places(hits[:min(len(hits), measure.Depth)]), places(Hits(r, usual.Results))) {
			a.Reordered++
		}
		price := func(i int) int { return e.Count(results.Results[i].Content) }
		cost := measure.Spend(q.Targets, hits, price)
		o := Outcome(r, q, measure.Measure(q.Targets, hits), cost)
		a.Outcomes = append(a.Outcomes, o)
		if measure.OfLines(q.Targets) {
			files := measure.Files(q.Targets)
			a.Files = append(a.Files, Outcome(r, q, measure.Measure(files, hits), measure.Spend(files, hits, price)))
		}
		a.Judged = append(a.Judged, measure.Judge(q.Targets, hits))
		if o.First == 0 {
			a.Misses = append(a.Misses, miss(number+i, r, q, o, hits))
		}
	}
	return a, nil
}

// Outcome says which question figures are of.
func Outcome(r suite.Repository, q suite.Query, f measure.Figures, c measure.Cost) measure.Outcome {
	return measure.Outcome{Repository: r.Name, Language: r.Language, Category: q.Category, Row: measure.Row{Figures: f, Cost: c}}
}

// Hits makes the files relative to the repository instead of its root.
func Hits(r suite.Repository, results []search.Result) []measure.Hit {
	hits := make([]measure.Hit, len(results))
	for i, found := range results {
		hits[i] = measure.Hit{File: path.Join(r.Root, found.File), Line: found.Line, End: found.EndLine, Score: found.Score}
	}
	return hits
}

// places are hits without their scores, in which a longer list may differ.
func places(hits []measure.Hit) []measure.Hit {
	hits = slices.Clone(hits)
	for i := range hits {
		hits[i].Score = 0
	}
	return hits
}

// miss describes a question whose first result is not right.
func miss(number int, r suite.Repository, q suite.Query, o measure.Outcome, hits []measure.Hit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\t%s\t%s\t%.2f\t%q\twant", number, r.Name, q.Category, o.NDCG, q.Text)
	for _, t := range q.Targets {
		b.WriteString(" " + t.String())
	}
	b.WriteString("\tgot")
	for _, h := range hits[:min(3, len(hits))] {
		fmt.Fprintf(&b, " %s:%d", h.File, h.Line)
	}
	return b.String()
}
