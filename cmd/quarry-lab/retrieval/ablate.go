package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// ablated is what ablate prints.
type ablated struct {
	measure.Summary
	Variants []variant `json:"ablation"`
}

// A variant is the evaluation with one thing changed.
type variant struct {
	Name       string             `json:"name"` // "without SIGNAL" or "mode MODE"
	All        float64            `json:"ndcg@10"`
	Change     float64            `json:"change"` // against all signals; below 0: worse
	Categories map[string]float64 `json:"categories"`
	Changes    map[string]float64 `json:"changes"`
}

// wholeName is the variant with nothing changed.
const wholeName = "all signals"

func newAblateCommand() *cobra.Command {
	var o options
	return o.command("ablate", "Show what each signal of the ranking is worth",
		`Ablate asks everything again without each signal, and in the modes lexical and
semantic. A change below 0 is what NDCG@10 loses.`,
		func(ctx context.Context, e *evaluation.Evaluation) (report, error) {
			all := make([]asked, len(e.Suite))
			err := e.Each(ctx, func(ctx context.Context, i int, r suite.Repository, x *index.Index) error {
				var err error
				all[i], err = askVariants(ctx, x, r)
				return err
			})
			if err != nil {
				return nil, err
			}
			var whole []measure.Outcome
			for _, a := range all {
				whole = append(whole, a.whole...)
			}
			return ablated{measure.Summarize(whole), compareVariants(all)}, nil
		})
}

// asked is what became of the questions of one repository.
type asked struct {
	whole    []measure.Outcome
	variants map[string][]measure.Outcome // by the name of the variant, in the order of whole
}

// askVariants asks everything with all signals, in each mode and without each signal.
func askVariants(ctx context.Context, x *index.Index, r suite.Repository) (a asked, err error) {
	changed := map[string]search.Query{
		"mode lexical":  {Mode: search.Lexical},
		"mode semantic": {Mode: search.Semantic},
	}
	for _, name := range search.Signals() {
		changed["without "+name] = search.Query{Without: []string{name}}
	}
	if a.whole, err = askAll(ctx, x, r, search.Query{}); err != nil {
		return a, err
	}
	a.variants = map[string][]measure.Outcome{}
	for name, query := range changed {
		if a.variants[name], err = askAll(ctx, x, r, query); err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
	}
	return a, nil
}

func askAll(ctx context.Context, x *index.Index, r suite.Repository, query search.Query) (all []measure.Outcome, err error) {
	query.Limit = measure.TokenDepth // as quarry eval
	for _, q := range r.Queries {
		query.Text = q.Text
		answer, err := x.Search(ctx, query)
		if err != nil {
			return nil, err
		}
		f := measure.Measure(q.Targets, evaluation.Hits(r, answer.Results))
		all = append(all, evaluation.Outcome(r, q, f, measure.Cost{}))
	}
	return all, nil
}

// compareVariants returns the variants with the whole first, then those that
// lose most. Where a signal never occurs in a repository, leaving it out
// changes nothing there.
func compareVariants(all []asked) []variant {
	names := map[string]bool{}
	for _, m := range all {
		for name := range m.variants {
			names[name] = true
		}
	}
	summarize := func(name string) measure.Summary {
		var outcomes []measure.Outcome
		for _, m := range all {
			if changed, ok := m.variants[name]; ok {
				outcomes = append(outcomes, changed...)
			} else {
				outcomes = append(outcomes, m.whole...)
			}
		}
		return measure.Summarize(outcomes)
	}
	whole := summarize(wholeName)
	list := []variant{compare(wholeName, whole, whole)}
	for name := range names {
		list = append(list, compare(name, whole, summarize(name)))
	}
	slices.SortFunc(list[1:], func(a, b variant) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func compare(name string, whole, changed measure.Summary) variant {
	v := variant{Name: name, All: changed.All.NDCG, Change: changed.All.NDCG - whole.All.NDCG,
		Categories: map[string]float64{}, Changes: map[string]float64{}}
	for category, row := range changed.Categories {
		v.Categories[category] = row.NDCG
		v.Changes[category] = row.NDCG - whole.Categories[category].NDCG
	}
	return v
}

func (r ablated) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	categories := slices.Sorted(maps.Keys(r.Variants[0].Categories))
	fmt.Fprint(table, "NDCG@10\tall\t")
	for _, c := range categories {
		fmt.Fprintf(table, "\t%s\t", c)
	}
	fmt.Fprintln(table)
	for i, v := range r.Variants {
		difference := func(d float64) string {
			if i == 0 {
				return ""
			}
			return fmt.Sprintf("%+.4f", d)
		}
		fmt.Fprintf(table, "%s\t%.4f\t%s", v.Name, v.All, difference(v.Change))
		for _, c := range categories {
			fmt.Fprintf(table, "\t%.4f\t%s", v.Categories[c], difference(v.Changes[c]))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
