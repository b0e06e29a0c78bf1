package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
)

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

// variants asks everything again in each mode and without each signal, of the
// index that is there.
func (e *evaluation) variants(ctx context.Context, a asker, r suite.Repository) (map[string][]measure.Outcome, error) {
	changed := map[string]index.Query{
		"mode lexical":  {Mode: index.Lexical},
		"mode semantic": {Mode: index.Semantic},
	}
	for _, name := range index.Signals() {
		changed["without "+name] = index.Query{Without: []string{name}}
	}
	all := map[string][]measure.Outcome{}
	for name, query := range changed {
		query.Limit = measure.TokenDepth // as the evaluation itself
		for _, q := range r.Queries {
			query.Text = q.Text
			results, err := a.ask(ctx, query)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			f := measure.Measure(q.Targets, toHits(r, results))
			all[name] = append(all[name], outcome(r, q, f, measure.Cost{}))
		}
	}
	return all, nil
}

// compareVariants returns the variants with the whole first, then those that
// lose most. Where a signal never occurs in a repository, leaving it out
// changes nothing there.
func compareVariants(all []measured) []variant {
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
				outcomes = append(outcomes, m.outcomes...)
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

func printAblation(w io.Writer, variants []variant) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	categories := slices.Sorted(maps.Keys(variants[0].Categories))
	fmt.Fprint(table, "NDCG@10\tall\t")
	for _, c := range categories {
		fmt.Fprintf(table, "\t%s\t", visible(c))
	}
	fmt.Fprintln(table)
	for i, v := range variants {
		difference := func(d float64) string {
			if i == 0 {
				return ""
			}
			return fmt.Sprintf("%+.4f", d)
		}
		fmt.Fprintf(table, "%s\t%.4f\t%s", visible(v.Name), v.All, difference(v.Change))
		for _, c := range categories {
			fmt.Fprintf(table, "\t%.4f\t%s", v.Categories[c], difference(v.Changes[c]))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
