package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/measure"
)

// An Report is what the command prints.
type Report struct {
	measure.Summary
	Files     *measure.Summary `json:"files,omitempty"` // where targets name lines: of their files alone
	Budgets   []int            `json:"token_budgets"`   // those of recall_at_tokens, in its order
	Encoding  string           `json:"token_encoding"`
	P50       float64          `json:"p50_ms"` // of a search for ten results
	P95       float64          `json:"p95_ms"`
	Reordered int              `json:"reordered"` // questions whose first ten results are others when more are asked for
}

func (r Report) print(w io.Writer) error {
	if err := printFigures(w, r.Summary, true); err != nil {
		return err
	}
	if r.Files != nil {
		fmt.Fprintln(w, "\nthe files alone:")
		if err := printFigures(w, *r.Files, false); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if err := r.printTokens(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\na search takes %.2f ms (median), %.2f ms (95th percentile)\n", r.P50, r.P95); err != nil {
		return err
	}
	if r.Reordered > 0 {
		fmt.Fprintf(w, "the first ten results of %d questions are others when %d are asked for; the figures are those of the longer list\n", r.Reordered, measure.TokenDepth)
	}
	return nil
}

// printFigures prints the rows by category and, in full, by language and repository, the
// best first, and the one of all last.
func printFigures(w io.Writer, r measure.Summary, full bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tqueries\tNDCG@10\tfirst\trecall@1\trecall@3\trecall@5\trecall@10\tMRR\ttokens")
	row := func(name string, f measure.Row) {
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.0f\n",
			terminal.Visible(name), f.Questions, f.NDCG, f.First, f.Recall1, f.Recall3, f.Recall5, f.Recall10, f.MRR, f.Tokens)
	}
	groups := []map[string]measure.Row{r.Categories, r.Languages, r.Repositories}
	if !full {
		groups = groups[:1]
	}
	for _, group := range groups {
		names := slices.SortedFunc(maps.Keys(group), func(a, b string) int {
			return cmp.Or(cmp.Compare(group[b].NDCG, group[a].NDCG), cmp.Compare(a, b))
		})
		for _, name := range names {
			row(name, group[name])
		}
		fmt.Fprintln(table, "\t\t\t\t\t\t\t\t\t")
	}
	row("all", r.All)
	return table.Flush()
}

func (r Report) printTokens(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "recall at tokens")
	for _, b := range r.Budgets {
		fmt.Fprintf(table, "\t%d", b)
	}
	fmt.Fprintln(table)
	row := func(name string, c measure.Cost) {
		fmt.Fprint(table, terminal.Visible(name))
		for _, share := range c.Recall {
			fmt.Fprintf(table, "\t%.3f", share)
		}
		fmt.Fprintln(table)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
		row(name, r.Categories[name].Cost)
	}
	row("all", r.All.Cost)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%.0f tokens (%s) to the first right result, %d for a question without one; %.0f are spent\n",
		r.All.Tokens, r.Encoding, measure.MissTokens, r.All.Spent)
	return err
}
