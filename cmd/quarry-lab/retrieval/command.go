// Package retrieval has the commands that ask the questions of a suite as `quarry eval` does,
// to see what a part of Quarry is worth: each signal of the ranking, the scores, packs and
// summaries.
package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/tokens"
)

// Command returns the command eval.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "eval",
		Short: "Measure what a part of Quarry is worth, by the questions of a suite",
		Long: `Eval asks the questions of a suite as "quarry eval" does, whose help says what a
suite is and what the figures mean.`,
		Args: cobra.NoArgs,
	}
	root.AddCommand(newAblateCommand(), newCalibrateCommand(), newPacksCommand(), newSummariesCommand(), newContextCommand())
	return root
}

// encoding is that in which tokens are counted.
const encoding = "cl100k_base"

// options are the flags that all commands have.
type options struct {
	suites []string
	corpus string
	model  string // a folder; "": the built-in one
	jobs   int
	json   bool
}

// command returns a command with these flags that calls run and prints its report.
func (o *options) command(use, short, long string, run func(context.Context, *evaluation.Evaluation) (report, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " --suite FILE --corpus DIR", Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := o.evaluation()
			if err != nil {
				return err
			}
			r, err := run(cmd.Context(), e)
			if err != nil {
				return err
			}
			if !o.json {
				return r.print(cmd.OutOrStdout())
			}
			w := json.NewEncoder(cmd.OutOrStdout())
			w.SetEscapeHTML(false)
			w.SetIndent("", "  ")
			return w.Encode(r)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&o.corpus, "corpus", "", "the `folder` that holds the suite's repositories")
	f.StringVar(&o.model, "model", "", "the `folder` of the model to index with, as \"quarry-lab train model\" writes it (default: the built-in one)")
	f.IntVar(&o.jobs, "jobs", 1, "repositories measured at once")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	for _, name := range []string{"suite", "corpus"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was defined above
		}
	}
	return cmd
}

// A report can be read by people, or as JSON.
type report interface{ print(w io.Writer) error }

func (o *options) evaluation() (*evaluation.Evaluation, error) {
	if o.jobs < 1 {
		return nil, fmt.Errorf("jobs must be at least 1, not %d", o.jobs)
	}
	asked, err := suite.Read(o.suites...)
	if err != nil {
		return nil, err
	}
	model, err := static.New()
	if o.model != "" {
		model, err = static.Open(o.model)
	}
	if err != nil {
		return nil, err
	}
	counter, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		return nil, err
	}
	return &evaluation.Evaluation{
		Suite: asked, Corpus: o.corpus, Jobs: o.jobs, Count: counter.Count,
		Open: func(root string) (*index.Index, func() error, error) {
			x, err := index.Open(root, index.Options{Embedder: model, Refine: true})
			if err != nil {
				return nil, nil, err
			}
			return x, x.Close, nil
		},
	}, nil
}
