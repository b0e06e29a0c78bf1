package fitting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/fit"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// scored are the signals that the score is made of, besides a bias. "share", the
// logarithm of a result's softmax share of all candidates, says how much it
// stands out; the others, whether anything here is about the question at all.
var scored = []string{"share", "coverage", "definition", "file_meaning", "file_name", "identifier", "meaning", "named_file", "path", "symbol_names"}

const (
	biasName  = "bias"
	confident = 0.5 // above it a result claims to be right
)

type scoreOptions struct {
	fittingOptions
	signals     []string
	foreign     int
	foreignPart float64
}

func newScoreCommand(e *engine) *cobra.Command {
	o := scoreOptions{fittingOptions: fittingOptions{l2: 0.0001, folds: 5, engine: e}}
	cmd := &cobra.Command{
		Use:   "score --suite FILE --corpus DIR --out FILE",
		Short: "Fit the score, the probability that a result is right",
		Long: `Score indexes each repository of the suites with the built-in model, or that
of --model, asks the suites' questions and finds the weights under which the score
of a result is the probability that it is right: logistic regression on a few
signals. Examples are the first ten results of each question, right or wrong. So
that the score is low where nothing is right, each repository is also asked
questions of the others, all of whose results count as wrong. Questions for a name
are left out where the repository defines that name.

The weights of the ranking must be in the program already, since what a result's
signals are depends on its rivals ("quarry-lab train rank", then build). Give --model
as "quarry-lab train rank" was given it.

It prints the expected calibration error (ten bins) of the top result and of the
first ten, and how many questions of other repositories have a top score above
0.5: of the scores as they are, and by cross-validation over the repositories
asked. Nothing is drawn at random: the same input gives the same bytes.`,
		Example: `  quarry-lab train score --suite suites/questions-1.json --suite suites/questions-2.json \
      --corpus ~/corpus --model unseen-model --out index/internal/rank/weights.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.signals, "signals", scored, "what the score is made of, besides a bias")
	f.IntVar(&o.foreign, "foreign", 100, "questions of other repositories that each is asked")
	f.Float64Var(&o.foreignPart, "foreign-weight", 0.2, "what their results count together, as a part of what the others count together")
	return cmd
}

// A scoredAnswer is the first results of one question.
type scoredAnswer struct {
	repository, category string
	foreign              bool
	weight               float64 // of the question
	results              []scoredResult
}

type scoredResult struct {
	values  []float64
	right   bool
	present float64 // the score as it is
}

func (o *scoreOptions) run(cmd *cobra.Command) error {
	list, sources, err := o.load()
	switch {
	case err != nil:
		return err
	case o.foreign < 0 || !(o.foreignPart >= 0):
		return errors.New("--foreign and --foreign-weight must not be negative")
	case len(o.signals) == 0 || slices.Contains(o.signals, biasName):
		return fmt.Errorf("--signals must name signals, and none is called %s", biasName)
	}
	var answers []scoredAnswer
	seen := map[string]bool{}
	for _, name := range o.engine.signals {
		seen[name] = true
	}
	err = o.visit(cmd, list, func(ctx context.Context, s searcher, r asked) error {
		questions := ownQuestions(r)
		drawn, err := o.drawForeign(ctx, s, r, list)
		if err != nil {
			return err
		}
		for _, q := range append(questions, drawn...) {
			// As many as people see by default: what is asked for decides
			// which rivals a result has.
			answer, err := s.Search(ctx, search.Query{Text: q.Text, Limit: measure.Depth, PerFile: 1, Explain: true})
			if err != nil {
				return fmt.Errorf("%q: %w", q.Text, err)
			}
			answers = append(answers, o.judge(r.Repository, q, answer.Results, seen))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range o.signals {
		if !seen[name] {
			return fmt.Errorf("no result has a signal %s", name)
		}
	}
	balance(answers, o.foreignPart)
	train := func(some []scoredAnswer) ([]float64, error) {
		bias, weights, err := fit.Score(cmd.Context(), examples(some), o.l2)
		return roundAll(append([]float64{bias}, weights...)), err
	}
	weights, err := train(answers)
	if err != nil {
		return err
	}
	held, err := fit.CrossValidate(answers, o.folds, func(a scoredAnswer) string { return a.repository }, train)
	if err != nil {
		return err
	}
	present := summarizeScores(answers, func(_ scoredAnswer, r scoredResult) float64 { return r.present })
	crossed := summarizeScores(answers, func(a scoredAnswer, r scoredResult) float64 {
		w := held[fit.Fold(a.repository, o.folds)]
		return fit.Probability(w[0], w[1:], r.values)
	})
	if err := printScores(cmd.OutOrStdout(), present, crossed, append([]string{biasName}, o.signals...), weights); err != nil {
		return err
	}
	comment := append([]string{"The score is 1/(1+exp(-(sum of weight times value))), fitted by \"quarry-lab train score\" on"}, o.describe(sources)...)
	comment = append(comment,
		fmt.Sprintf("with l2 %g and %d questions of other repositories to each, their results counting %g.", o.l2, o.foreign, o.foreignPart),
		fmt.Sprintf("By cross-validation over the repositories in %d folds: expected calibration error %.3f of", o.folds, crossed.top.Error),
		fmt.Sprintf("the top result, %.3f of the first ten; %d of %d other repositories' questions above %.1f.", crossed.first.Error, crossed.confident, crossed.foreign, confident))
	return o.change(func(w *fit.Weights) {
		w.Score = fit.Block{Comment: comment, Weights: map[string]float64{biasName: weights[0]}}
		for i, name := range o.signals {
			w.Score.Weights[name] = weights[1+i]
		}
	})
}

// An inquiry is a question to one repository, its own or another's.
type inquiry struct {
	suite.Query
	weight  float64
	foreign bool
}

func ownQuestions(r asked) []inquiry {
	var own []inquiry
	for i, q := range r.Queries {
		own = append(own, inquiry{Query: q, weight: r.weights[i]})
	}
	return own
}

// drawForeign returns questions of the other repositories, drawn by hashes,
// without names that this one defines.
func (o *scoreOptions) drawForeign(ctx context.Context, s searcher, r asked, list []asked) ([]inquiry, error) {
	type candidate struct {
		hash uint64
		inquiry
	}
	var all []candidate
	for _, other := range list {
		if other.Name == r.Name {
			continue
		}
		for i, q := range other.Queries {
			key := r.Name + "\x00" + other.Name + "\x00" + q.Text
			all = append(all, candidate{xxhash.Sum64String(key), inquiry{q, other.weights[i], true}})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.Text, b.Text)) })
	var drawn []inquiry
	for _, q := range all {
		if len(drawn) == o.foreign {
			break
		}
		if q.weight == 0 {
			continue
		}
		if q.Category == suite.FromSymbol {
			known, err := defines(ctx, s, q.Text)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", q.Text, err)
			}
			if known {
				continue
			}
		}
		drawn = append(drawn, q.inquiry)
	}
	return drawn, nil
}

// defines reports whether a repository defines a name, or what is left of it
// without the names that qualify it.
func defines(ctx context.Context, s searcher, name string) (bool, error) {
	name = name[strings.LastIndexAny(name, ".:#/\\")+1:]
	answer, err := s.Search(ctx, search.Query{Text: name, Mode: search.Symbol, Limit: measure.Depth})
	return slices.ContainsFunc(answer.Results, func(r search.Result) bool {
		return strings.EqualFold(r.Symbol[strings.LastIndexAny(r.Symbol, ".:#/\\")+1:], name)
	}), err
}

// judge keeps of an answer what the fit needs.
func (o *scoreOptions) judge(r suite.Repository, q inquiry, results []search.Result, seen map[string]bool) scoredAnswer {
	a := scoredAnswer{repository: r.Name, category: q.Category, foreign: q.foreign, weight: q.weight}
	for i, hit := range toHits(r, results) {
		values := map[string]float64{}
		for _, s := range results[i].Explain {
			values[s.Name] = s.Value
			seen[s.Name] = true
		}
		one := scoredResult{right: !q.foreign && measure.Right(q.Targets, hit), present: hit.Score}
		for _, name := range o.signals {
			one.values = append(one.values, values[name])
		}
		a.results = append(a.results, one)
	}
	return a
}

// balance scales the weights of foreign questions so that their results count
// together the given part of what the others count.
func balance(answers []scoredAnswer, part float64) {
	own, foreign := 0.0, 0.0
	for _, a := range answers {
		if n := a.weight * float64(len(a.results)); a.foreign {
			foreign += n
		} else {
			own += n
		}
	}
	for i := range answers {
		if answers[i].foreign && foreign > 0 {
			answers[i].weight *= part * own / foreign
		}
	}
}

func examples(answers []scoredAnswer) []fit.Example {
	var all []fit.Example
	for _, a := range answers {
		for _, r := range a.results {
			all = append(all, fit.Example{Repository: a.repository, Weight: a.weight, Values: r.values, Right: r.right})
		}
	}
	return all
}

func roundAll(w []float64) []float64 {
	for i := range w {
		w[i] = fit.Round(w[i])
	}
	return w
}
