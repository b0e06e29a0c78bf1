package command

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/tokens"
)

// An evaluation asks the questions of a suite. Its fields do not change while
// repositories are measured.
type evaluation struct {
	o        evalOptions
	settings config.Settings
	suite    suite.Suite
	corpus   string
	counter  tokens.Counter
}

// measured is what became of the questions of one repository.
type measured struct {
	outcomes []measure.Outcome
	latency  []time.Duration
	judged   [][]measure.Judged // of each question, its first results
	foreign  []foreignTop
	variants map[string][]measure.Outcome // by the name of the variant, in the order of outcomes
	misses   []string                     // one line each

	reordered int // questions whose first ten results are others when more are asked for
}

// open indexes a repository of the suite.
func (e *evaluation) open(ctx context.Context, r suite.Repository) (asker, func() error, error) {
	return openAsker(ctx, e.settings, filepath.Join(e.corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root)), e.o.http)
}

// repository measures one repository, whose first question has a number.
func (e *evaluation) repository(ctx context.Context, r suite.Repository, number int) (m measured, err error) {
	a, stop, err := e.open(ctx, r)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for i, q := range r.Queries {
		// The time is that of the usual ten results. Those that are
		// measured are a longer list of the same question, for the tokens.
		began := time.Now()
		usual, err := a.ask(ctx, index.Query{Text: q.Text, Limit: measure.Depth})
		if err != nil {
			return m, err
		}
		m.latency = append(m.latency, time.Since(began))
		results, err := a.ask(ctx, index.Query{Text: q.Text, Limit: measure.TokenDepth})
		if err != nil {
			return m, err
		}
		hits := toHits(r, results)
		if !slices.Equal(places(hits[:min(len(hits), measure.Depth)]), places(toHits(r, usual))) {
			m.reordered++
		}
		cost := measure.Spend(q.Targets, hits, func(i int) int { return e.counter.Count(results[i].Content) })
		o := outcome(r, q, measure.Measure(q.Targets, hits), cost)
		m.outcomes = append(m.outcomes, o)
		m.judged = append(m.judged, measure.Judge(q.Targets, hits))
		if e.o.misses && o.First == 0 {
			m.misses = append(m.misses, miss(number+i, r, q, o, hits))
		}
	}
	if e.o.ablate {
		if m.variants, err = e.variants(ctx, a, r); err != nil {
			return m, err
		}
	}
	if e.o.foreign > 0 {
		m.foreign, err = e.foreign(ctx, a, r)
	}
	return m, err
}

func outcome(r suite.Repository, q suite.Query, f measure.Figures, c measure.Cost) measure.Outcome {
	return measure.Outcome{Repository: r.Name, Language: r.Language, Category: q.Category, Row: measure.Row{Figures: f, Cost: c}}
}

// toHits makes the files relative to the repository instead of its root.
func toHits(r suite.Repository, results []index.Result) []measure.Hit {
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
		b.WriteString(" " + targetText(t))
	}
	b.WriteString("\tgot")
	for _, h := range hits[:min(3, len(hits))] {
		fmt.Fprintf(&b, " %s:%d", h.File, h.Line)
	}
	return visible(b.String())
}

func targetText(t suite.Target) string {
	if t.Start == 0 {
		return t.Path
	}
	return fmt.Sprintf("%s:%d", t.Path, t.Start)
}
