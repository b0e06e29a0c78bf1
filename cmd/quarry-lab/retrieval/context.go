package retrieval

import (
	"context"
	"fmt"
	"io"
	"path"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/suite"
)

// contextBudgets are the budgets that a context is asked for with.
var contextBudgets = [...]int{500, 1000, 2000, 4000}

// A contextReport says what of what one must see contexts of questions show.
type contextReport struct {
	Questions int          `json:"queries"`
	Targets   int          `json:"targets"`
	Rows      []contextRow `json:"contexts"`
	Missed    []string     `json:"missed"` // with missedAt tokens
}

// A contextRow is one budget.
type contextRow struct {
	MaxTokens int     `json:"max_tokens"`
	Tokens    float64 `json:"tokens"` // mean, by the estimate
	Seen      float64 `json:"seen"`   // share of the targets with a line in the text: the first, or of a whole file any
	Whole     float64 `json:"whole"`  // share of those whose lines are all in the text, but for docstrings
	seen      int
	whole     int
	tokens    int
}

// missedAt is the budget whose misses are listed.
const missedAt = 2000

func newContextCommand() *cobra.Command {
	var o options
	return o.command("context", "Measure whether contexts of questions show what one must see",
		`Context asks /context with the words of each question, and counts the targets whose
first line is in the text, as a signature or with a body, and those that are in it as a
whole; of a target that is a file any line counts. What 2,000 tokens miss is listed.`,
		func(ctx context.Context, e *evaluation.Evaluation) (report, error) {
			e.Jobs = 1
			r := contextReport{Rows: make([]contextRow, len(contextBudgets)), Missed: []string{}}
			err := e.Each(ctx, func(ctx context.Context, _ int, one suite.Repository, x *index.Index) error {
				return r.ask(ctx, x, one)
			})
			for i := range r.Rows {
				row := &r.Rows[i]
				row.Seen, row.Whole = float64(row.seen)/float64(max(r.Targets, 1)), float64(row.whole)/float64(max(r.Targets, 1))
				row.Tokens = float64(row.tokens) / float64(max(r.Questions, 1))
			}
			return r, err
		})
}

// ask asks the questions of a repository.
func (r *contextReport) ask(ctx context.Context, x *index.Index, one suite.Repository) error {
	for _, q := range one.Queries {
		r.Questions++
		r.Targets += len(q.Targets)
		for i, budget := range contextBudgets {
			r.Rows[i].MaxTokens = budget
			a, err := x.Context(ctx, brief.ContextQuery{Target: q.Text, MaxTokens: budget})
			if err != nil {
				return fmt.Errorf("%q: %w", q.Text, err)
			}
			r.Rows[i].tokens += a.Tokens
			for _, t := range q.Targets {
				seen, whole := shown(one.Root, t, &a)
				if seen {
					r.Rows[i].seen++
				} else if budget == missedAt {
					r.Missed = append(r.Missed, fmt.Sprintf("%s: %q: %s", one.Name, q.Text, t))
				}
				if whole {
					r.Rows[i].whole++
				}
			}
		}
	}
	return nil
}

// shown reports whether the first line of a target is in a context, and whether its last one
// is, too: with a body all lines between them are, but for a docstring.
func shown(root string, t suite.Target, a *brief.ContextAnswer) (seen, whole bool) {
	first, last := false, false
	for _, l := range a.Given {
		if path.Join(root, l.File) != t.Path {
			continue
		}
		first = first || t.Start == 0 || l.From <= t.Start && t.Start <= l.To
		end := max(t.End, t.Start)
		last = last || t.Start == 0 || l.From <= end && end <= l.To
	}
	return first, first && last
}

func (r contextReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "context with max_tokens\ttokens\tseen\twhole")
	for _, row := range r.Rows {
		fmt.Fprintf(table, "%d\t%.0f\t%.3f\t%.3f\n", row.MaxTokens, row.Tokens, row.Seen, row.Whole)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d targets of %d questions\n", r.Targets, r.Questions)
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
	return nil
}
