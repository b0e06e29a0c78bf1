package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
)

// confident is the score above which a result claims to be right.
const confident = 0.5

type calibration struct {
	Top   measure.Reliability `json:"top"`   // of the first result of each question
	First measure.Reliability `json:"first"` // of the first ten
}

func calibrate(judged [][]measure.Judged) *calibration {
	var top, first []measure.Judged
	for _, results := range judged {
		first = append(first, results...)
		top = append(top, results[:min(1, len(results))]...)
	}
	return &calibration{measure.Calibrate(top), measure.Calibrate(first)}
}

// A foreignTop is the best score that a repository gives to a question of
// another one.
type foreignTop struct {
	category string
	score    float64 // 0 without a result
}

// foreign asks a repository questions of the others, drawn by hashes.
func (e *evaluation) foreign(ctx context.Context, a asker, r suite.Repository) ([]foreignTop, error) {
	type drawn struct {
		hash uint64
		suite.Query
	}
	var all []drawn
	for _, other := range e.suite {
		if other.Name == r.Name {
			continue
		}
		for _, q := range other.Queries {
			key := fmt.Sprintf("%d\x00%s\x00%s\x00%s", e.o.seed, r.Name, other.Name, q.Text)
			all = append(all, drawn{xxhash.Sum64String(key), q})
		}
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.Text, b.Text)) })
	var tops []foreignTop
	for _, q := range all[:min(e.o.foreign, len(all))] {
		results, err := a.ask(ctx, index.Query{Text: q.Text, Limit: measure.Depth})
		if err != nil {
			return nil, err
		}
		top := foreignTop{category: q.Category}
		if len(results) > 0 {
			top.score = results[0].Score
		}
		tops = append(tops, top)
	}
	return tops, nil
}

type foreignReport struct {
	All        foreignCount            `json:"all"`
	Categories map[string]foreignCount `json:"categories"`
}

type foreignCount struct {
	Questions int     `json:"queries"`
	Confident int     `json:"confident"` // with a top score above 0.5
	Score     float64 `json:"score"`     // mean of the top scores
}

func summarizeForeign(tops []foreignTop) *foreignReport {
	add := func(c foreignCount, score float64) foreignCount {
		c.Score = (c.Score*float64(c.Questions) + score) / float64(c.Questions+1)
		c.Questions++
		if score > confident {
			c.Confident++
		}
		return c
	}
	r := foreignReport{Categories: map[string]foreignCount{}}
	for _, t := range tops {
		r.All = add(r.All, t.score)
		r.Categories[t.category] = add(r.Categories[t.category], t.score)
	}
	return &r
}

func (c *calibration) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "score\ttop results\tmean score\tright\tfirst ten\tmean score\tright\t")
	side := func(count int, score, right float64) string {
		if count == 0 {
			return "0\t\t"
		}
		return fmt.Sprintf("%d\t%.3f\t%.3f", count, score, right)
	}
	for i := range c.Top.Bins {
		t, f := c.Top.Bins[i], c.First.Bins[i]
		fmt.Fprintf(table, "%.1f to %.1f\t%s\t%s\t\n", t.From, t.To, side(t.Count, t.Score, t.Right), side(f.Count, f.Score, f.Right))
	}
	fmt.Fprintf(table, "all\t%s\t%s\t\n", side(c.Top.Count, c.Top.Score, c.Top.Right), side(c.First.Count, c.First.Score, c.First.Right))
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "expected calibration error: %.3f of the top results, %.3f of the first ten\n", c.Top.Error, c.First.Error)
	return err
}

func (r *foreignReport) print(w io.Writer) error {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
		c := r.Categories[name]
		parts = append(parts, fmt.Sprintf("%s %d of %d", visible(name), c.Confident, c.Questions))
	}
	_, err := fmt.Fprintf(w, "questions of other repositories: %d of %d top scores are above %.1f (%s), their mean is %.3f\n",
		r.All.Confident, r.All.Questions, confident, strings.Join(parts, ", "), r.All.Score)
	return err
}
