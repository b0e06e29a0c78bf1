package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// confident is the score above which a result claims to be right.
const confident = 0.5

// calibrateOptions are the flags of calibrate.
type calibrateOptions struct {
	options
	foreign int // questions of other repositories that each is asked
	seed    uint64
}

func newCalibrateCommand() *cobra.Command {
	var o calibrateOptions
	cmd := o.command("calibrate", "Show how often results of a score are right",
		`Calibrate compares the scores with the share of results that are right. --foreign
also asks each repository questions of the others, which it should answer with low
scores; some of them it may well answer.`, o.run)
	f := cmd.Flags()
	f.IntVar(&o.foreign, "foreign", 0, "ask each repository this `number` of the others' questions")
	f.Lookup("foreign").NoOptDefVal = "100"
	f.Uint64Var(&o.seed, "seed", 0, "another `number` draws other questions of --foreign")
	return cmd
}

func (o *calibrateOptions) run(ctx context.Context, e *evaluation.Evaluation) (report, error) {
	if o.foreign < 0 {
		return nil, fmt.Errorf("foreign must not be negative: %d", o.foreign)
	}
	if o.foreign > 0 && len(e.Suite) < 2 {
		return nil, errors.New("foreign questions need a suite of several repositories")
	}
	all, err := e.Run(ctx)
	if err != nil {
		return nil, err
	}
	c := calibrated{Calibration: calibrate(all.Judged)}
	if o.foreign > 0 {
		tops := make([][]foreignTop, len(e.Suite))
		err := e.Each(ctx, func(ctx context.Context, i int, r suite.Repository, x *index.Index) error {
			var err error
			tops[i], err = o.askForeign(ctx, x, e.Suite, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		c.Foreign = summarizeForeign(slices.Concat(tops...))
	}
	return c, nil
}

// calibrated is what calibrate prints.
type calibrated struct {
	Calibration *calibration   `json:"calibration"`
	Foreign     *foreignReport `json:"foreign,omitempty"`
}

func (c calibrated) print(w io.Writer) error {
	if err := c.Calibration.print(w); err != nil || c.Foreign == nil {
		return err
	}
	return c.Foreign.print(w)
}

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

// askForeign asks a repository questions of the others, drawn by hashes.
func (o *calibrateOptions) askForeign(ctx context.Context, x *index.Index, all suite.Suite, r suite.Repository) ([]foreignTop, error) {
	type drawn struct {
		hash uint64
		suite.Query
	}
	var others []drawn
	for _, other := range all {
		if other.Name == r.Name {
			continue
		}
		for _, q := range other.Queries {
			key := fmt.Sprintf("%d\x00%s\x00%s\x00%s", o.seed, r.Name, other.Name, q.Text)
			others = append(others, drawn{xxhash.Sum64String(key), q})
		}
	}
	slices.SortFunc(others, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.Text, b.Text)) })
	var tops []foreignTop
	for _, q := range others[:min(o.foreign, len(others))] {
		answer, err := x.Search(ctx, search.Query{Text: q.Text, Limit: measure.Depth})
		if err != nil {
			return nil, err
		}
		top := foreignTop{category: q.Category}
		if len(answer.Results) > 0 {
			top.score = answer.Results[0].Score
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
		parts = append(parts, fmt.Sprintf("%s %d of %d", name, c.Confident, c.Questions))
	}
	_, err := fmt.Fprintf(w, "questions of other repositories: %d of %d top scores are above %.1f (%s), their mean is %.3f\n",
		r.All.Confident, r.All.Questions, confident, strings.Join(parts, ", "), r.All.Score)
	return err
}
