package fitting

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// A Candidate is a result that a question was answered with, as a reranker sees it.
type Candidate struct {
	Passage int                `json:"passage"` // position among the passages of the repository
	Right   bool               `json:"right,omitempty"`
	Ranking float64            `json:"ranking"` // the sum of the file's signals by their weights
	Values  map[string]float64 `json:"values,omitempty"`
}

// candidatesOf is a line of what the command writes: a repository with its passages and
// questions.
type candidatesOf struct {
	Repository string           `json:"repository"`
	Language   string           `json:"language"`
	Passages   []rerank.Passage `json:"passages"`
	Places     []string         `json:"places"`
	Questions  []candidateList  `json:"questions"`
}

type candidateList struct {
	Query      string      `json:"query"`
	Category   string      `json:"category"`
	Candidates []Candidate `json:"candidates"`
}

func newCandidatesCommand() *cobra.Command {
	var suites []string
	var corpus, model, out string
	var limit, perFile int
	var values bool
	cmd := &cobra.Command{
		Use:   "candidates --suite FILE --corpus DIR --out FILE",
		Short: "Write what questions are answered with, for a reranker to learn from",
		Long: `Candidates indexes each repository of the suites, asks its questions, and writes a
JSON object a line for each repository: the passages that were among the first
results of any question, and for each question its results in order, those that are
right, and, with --values, the signals that ranked them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			all, err := suite.Read(suites...)
			if err != nil {
				return err
			}
			e, err := builtinEngine(model, "")
			if err != nil {
				return err
			}
			file, err := os.Create(out)
			if err != nil {
				return fmt.Errorf("cannot write the candidates: %w", err)
			}
			w := bufio.NewWriter(file)
			defer func() { err = errors.Join(err, w.Flush(), file.Close()) }()
			lines := json.NewEncoder(w)
			lines.SetEscapeHTML(false)
			for _, r := range all {
				list, err := candidates(cmd.Context(), e, r, filepath.Join(corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root)), search.Query{Limit: limit, PerFile: perFile, Explain: true}, values)
				if err != nil {
					return fmt.Errorf("%s: %w", r.Name, err)
				}
				if err := lines.Encode(list); err != nil {
					return fmt.Errorf("cannot write the candidates: %w", err)
				}
				cmd.PrintErrf("quarry-lab: %s: %d questions, %d passages\n", r.Name, len(list.Questions), len(list.Passages))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&corpus, "corpus", "", "the `folder` that holds the suites' repositories")
	f.StringVar(&model, "model", "", "the `folder` of the model to index with (default: the built-in one)")
	f.StringVar(&out, "out", "", "the `file` for the candidates")
	f.IntVar(&limit, "limit", 30, "candidates of a question")
	f.IntVar(&perFile, "per-file", 3, "candidates of one file")
	f.BoolVar(&values, "values", false, "write the signals, too")
	require(cmd, "suite", "corpus", "out")
	return cmd
}

func candidates(ctx context.Context, e *engine, r suite.Repository, folder string, how search.Query, values bool) (list candidatesOf, err error) {
	x, stop, err := e.open(ctx, folder)
	if err != nil {
		return list, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	list.Repository, list.Language = r.Origin, r.Language
	known := map[string]int{}
	for _, q := range r.Queries {
		how.Text = q.Text
		answer, err := x.Search(ctx, how)
		if err != nil {
			return list, fmt.Errorf("%q: %w", q.Text, err)
		}
		asked := candidateList{Query: q.Text, Category: q.Category}
		hits := toHits(r, answer.Results)
		for i, found := range answer.Results {
			h := hits[i]
			place := fmt.Sprintf("%s:%d-%d", h.File, h.Line, h.End)
			at, ok := known[place]
			if !ok {
				at = len(list.Passages)
				known[place] = at
				list.Passages, list.Places = append(list.Passages, *found.Passage), append(list.Places, place)
			}
			c := Candidate{Passage: at, Right: measure.Right(q.Targets, h)}
			if values {
				c.Values = map[string]float64{}
			}
			for _, s := range found.Explain {
				c.Ranking += s.Added
				if values && s.Value != 0 {
					c.Values[s.Name] = s.Value
				}
			}
			asked.Candidates = append(asked.Candidates, c)
		}
		list.Questions = append(list.Questions, asked)
	}
	return list, nil
}
