package fitting

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/fit"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// derived are signals that are no evidence. They get no weight: "share" is made of the
// ranking itself and explains the score only, "sentence" says how much the question is one.
var derived = []string{"share", sentence}

// sentence is the signal that all weights depend on: each has one for a topic, where it is 0,
// and one for a sentence, where it is 1, with this and a point before its name.
const sentence = "sentence"

// agreeing are signals that never count against a result. The plain questions are written
// without the names in what answers them, so a fit would learn that names are wrong.
var agreeing = []string{"file_name", "path", "named_file", "symbol_names", "chunk.names"}

type rankOptions struct {
	fittingOptions
	candidates int // of a question; those beyond have a share in the loss near 0
	fixed      []string
}

func newRankCommand(e *engine) *cobra.Command {
	o := rankOptions{fittingOptions: fittingOptions{l2: 0.001, folds: 5, engine: e}}
	cmd := &cobra.Command{
		Use:   "rank --suite FILE --corpus DIR --out FILE",
		Short: "Fit the weights of the ranking's signals",
		Long: `Rank indexes each repository of the suites with the built-in model, or that
of --model, asks the suites' questions, and finds the weights of the signals under
which the right files come first: it minimises the mean over the questions of -log
of the right chunk's softmax share among its candidates (ListNet; Cao et al., ICML
2007) plus a penalty on the squared weights, by L-BFGS from zero. Of a question that
files answer, the best chunk of each file is a candidate, by the weights of the
round before, in three rounds. Each signal has two weights, for a topic and for a
question that is a sentence ("sentence."); those of names are never below 0. Nothing
is drawn: the same repositories, suites, model and flags give the same bytes.

It prints NDCG@10 as "quarry eval" tells it, of the ranking as it is and of the
fitted weights by cross-validation: the repositories are put into folds by a hash
of their names, and each question is ranked with weights that were fitted without
its repository's fold. "all" is the fit on everything, on what it was fitted on.
"best" is what no order of the candidates can exceed.

Suites are those in the folder suites of this command's source, or what
"quarry eval --repository DIR --write FILE" made. Repositories of the benchmark
are refused. The corpus has a folder for each repository, made by "quarry-lab train
checkout" or by hand. The weights are in the program after the next build; fit
the score again then ("quarry-lab train score").

The vectors of a model that was trained on a suite's repositories are better there
than on code that it has not seen, and a ranking fitted with them trusts them too
much: fit with a model that was not ("quarry-lab train model --leave-out SUITE").`,
		Example: `  quarry-lab train rank --suite suites/questions-1.json --suite suites/questions-2.json \
      --corpus ~/corpus --model unseen-model --out index/internal/rank/weights.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.addFlags(cmd)
	cmd.Flags().IntVar(&o.candidates, "candidates", 400, "files that each question is answered with")
	cmd.Flags().StringArrayVar(&o.fixed, "fix", nil, "keep a `signal=weight` as it is and fit the others around it; may be repeated")
	return cmd
}

// keep returns the weights that are not fitted, by column.
func (o *rankOptions) keep(g *gathering) (map[int]float64, error) {
	fixed := map[int]float64{}
	for _, f := range o.fixed {
		name, value, _ := strings.Cut(f, "=")
		weight, err := strconv.ParseFloat(value, 64)
		c, known := g.column[name]
		if err != nil || !known || c < 0 {
			return nil, fmt.Errorf("--fix %s: it takes the name of a signal and a number, as definition=8", f)
		}
		fixed[c] = weight
	}
	return fixed, nil
}

// A listed is a question with the list that answers it.
type listed struct {
	fit.Question
	repository suite.Repository
	query      suite.Query
	hits       []measure.Hit
}

func (l listed) outcome(hits []measure.Hit) measure.Outcome {
	return measure.Outcome{Repository: l.repository.Name, Language: l.repository.Language, Category: l.query.Category,
		Row: measure.Row{Figures: measure.Measure(l.query.Targets, hits)}}
}

// in returns the hits in another order, the first of each file, as a search gives them.
func (l listed) in(order []int) []measure.Hit {
	var hits []measure.Hit
	seen := map[string]bool{}
	for _, at := range order {
		if h := l.hits[at]; !seen[h.File] {
			seen[h.File] = true
			hits = append(hits, h)
		}
	}
	return hits
}

func (o *rankOptions) run(cmd *cobra.Command) error {
	list, sources, err := o.load()
	if err != nil {
		return err
	}
	if o.candidates < measure.Depth {
		return fmt.Errorf("--candidates must be at least %d, not %d", measure.Depth, o.candidates)
	}
	g := gathering{limit: o.candidates, column: map[string]int{}, present: map[string]float64{}}
	for _, name := range o.engine.signals {
		g.know(name)
	}
	if err := o.visit(cmd, list, g.repository); err != nil {
		return err
	}
	if len(g.signals) == 0 {
		return fmt.Errorf("no result explains itself by signals: there is nothing to fit")
	}
	questions := g.questions()
	ctx, n := cmd.Context(), len(g.signals)
	fixed, err := o.keep(&g)
	if err != nil {
		return err
	}
	learn := func(some []listed) (w []float64, err error) {
		kept := maps.Clone(fixed)
		for round := 0; round < rounds; round++ {
			if w, err = fit.Rank(ctx, plain(some, w), n, o.l2, kept); err != nil {
				return nil, err
			}
			for name, c := range g.column {
				if c >= 0 && w[c] < 0 && slices.Contains(agreeing, strings.TrimPrefix(name, sentence+".")) {
					w[c], kept[c], round = 0, 0, min(round, rounds-2) // once more without it
				}
			}
		}
		return w, nil
	}
	weights, err := learn(questions)
	if err != nil {
		return err
	}
	held, err := fit.CrossValidate(questions, o.folds, func(l listed) string { return l.Repository }, learn)
	if err != nil {
		return err
	}
	// What is measured is what the file will say.
	for _, w := range append(held, weights) {
		for i := range w {
			w[i] = fit.Round(w[i])
		}
	}
	r := g.report(questions, weights, held)
	if err := r.print(cmd.OutOrStdout()); err != nil {
		return err
	}
	comment := append([]string{"The weights of the ranking's signals, fitted by \"quarry-lab train rank\" on"}, o.describe(sources)...)
	comment = append(comment,
		fmt.Sprintf("with l2 %g and %d candidates: %d questions about %d repositories. NDCG@10 by", o.l2, o.candidates, len(questions), len(list)),
		fmt.Sprintf("cross-validation over the repositories in %d folds: %.4f.", o.folds, r.all.held))
	return o.change(func(w *fit.Weights) {
		w.Ranking = fit.Block{Comment: comment, Weights: map[string]float64{}}
		for i, name := range g.signals {
			w.Ranking.Weights[name] = weights[i]
		}
	})
}

// rounds is how often the weights are fitted: which chunk is a file's best depends on them.
const rounds = 3

// plain returns the questions. Of those that files answer, each file has the chunk that is
// its best by some weights, as a search gives it; nil: by those of the search.
func plain(list []listed, w []float64) []fit.Question {
	out := make([]fit.Question, len(list))
	for i, l := range list {
		if out[i] = l.Question; measure.OfLines(l.query.Targets) {
			continue
		}
		order := make([]int, len(l.hits))
		for at := range order {
			order[at] = at
		}
		if w != nil {
			order = l.Order(w)
		}
		width := len(l.Values) / max(len(l.hits), 1)
		q := fit.Question{Repository: l.Repository, Weight: l.Weight}
		seen := map[string]bool{}
		for _, at := range order {
			if file := l.hits[at].File; !seen[file] {
				seen[file] = true
				if slices.Contains(l.Right, at) {
					q.Right = append(q.Right, len(seen)-1)
				}
				q.Values = append(q.Values, l.Values[at*width:][:width]...)
			}
		}
		out[i] = q
	}
	return out
}

// A gathering collects questions with the signals of their candidates.
type gathering struct {
	limit   int                // candidates of a question
	signals []string           // in the order of columns
	column  map[string]int     // of each signal; -1: none
	present map[string]float64 // weights that explanations told
	lists   []listed           // Values as wide as the signals known at that time
	widths  []int
}

// know returns the column of a signal.
func (g *gathering) know(name string) int {
	c, ok := g.column[name]
	if !ok {
		c = len(g.signals)
		if slices.Contains(derived, name) {
			c = -1
		} else {
			g.signals = append(g.signals, name, sentence+"."+name)
			g.column[sentence+"."+name] = c + 1
		}
		g.column[name] = c
	}
	return c
}

// chunksOfFile is how many chunks of a file are told apart.
const chunksOfFile = 12

// repository asks one repository its questions.
func (g *gathering) repository(ctx context.Context, s searcher, r asked) error {
	for i, q := range r.Queries {
		answer, err := s.Search(ctx, search.Query{Text: q.Text, Limit: g.limit, PerFile: chunksOfFile, Explain: true})
		if err != nil {
			return fmt.Errorf("%q: %w", q.Text, err)
		}
		for _, found := range answer.Results {
			for _, signal := range found.Explain {
				if g.know(signal.Name) >= 0 {
					g.present[signal.Name] = signal.Weight
				}
			}
		}
		l := listed{repository: r.Repository, query: q, hits: toHits(r.Repository, answer.Results)}
		l.Repository, l.Weight = r.Name, r.weights[i]
		width := len(g.signals)
		l.Values = make([]float32, len(answer.Results)*width)
		for at, found := range answer.Results {
			much := 0.0
			if i := slices.IndexFunc(found.Explain, func(s search.Signal) bool { return s.Name == sentence }); i >= 0 {
				much = found.Explain[i].Value
			}
			for _, signal := range found.Explain {
				if c := g.column[signal.Name]; c >= 0 {
					l.Values[at*width+c] = float32((1 - much) * signal.Value)
					l.Values[at*width+c+1] = float32(much * signal.Value)
				}
			}
			if measure.Right(q.Targets, l.hits[at]) {
				l.Right = append(l.Right, at)
			}
		}
		g.lists, g.widths = append(g.lists, l), append(g.widths, width)
	}
	return nil
}

// questions returns the lists, all as wide as there are signals.
func (g *gathering) questions() []listed {
	n := len(g.signals)
	for i := range g.lists {
		l, width := &g.lists[i], g.widths[i]
		if width == n {
			continue
		}
		wide := make([]float32, len(l.hits)*n)
		for at := range l.hits {
			copy(wide[at*n:], l.Values[at*width:][:width])
		}
		l.Values, g.widths[i] = wide, n
	}
	return g.lists
}

// A rankRow has the NDCG@10 of some questions.
type rankRow struct {
	questions                int
	present, held, all, best float64
}

type rankReport struct {
	all     rankRow
	names   []string // of the categories
	rows    map[string]rankRow
	weights [][]string // name, present, fitted, least and most of the folds
}

func (g *gathering) report(questions []listed, weights []float64, held [][]float64) rankReport {
	var present, crossed, all, best []measure.Outcome
	for _, l := range questions {
		w := held[fit.Fold(l.Repository, len(held))]
		first := slices.Clone(l.Right)
		for at := range l.hits {
			if !slices.Contains(l.Right, at) {
				first = append(first, at)
			}
		}
		present = append(present, l.outcome(l.hits))
		crossed = append(crossed, l.outcome(l.in(l.Order(w))))
		all = append(all, l.outcome(l.in(l.Order(weights))))
		best = append(best, l.outcome(l.in(first)))
	}
	r := rankReport{rows: map[string]rankRow{}}
	sums := [...]measure.Summary{measure.Summarize(present), measure.Summarize(crossed), measure.Summarize(all), measure.Summarize(best)}
	row := func(of func(measure.Summary) measure.Row) rankRow {
		return rankRow{of(sums[0]).Questions, of(sums[0]).NDCG, of(sums[1]).NDCG, of(sums[2]).NDCG, of(sums[3]).NDCG}
	}
	r.all = row(func(s measure.Summary) measure.Row { return s.All })
	r.names = slices.Sorted(maps.Keys(sums[0].Categories))
	for _, name := range r.names {
		r.rows[name] = row(func(s measure.Summary) measure.Row { return s.Categories[name] })
	}
	for _, name := range slices.Sorted(slices.Values(g.signals)) {
		c := g.column[name]
		var folds []float64
		for _, w := range held {
			if w != nil {
				folds = append(folds, w[c])
			}
		}
		r.weights = append(r.weights, []string{name, fit.FormatWeight(g.present[name]), fit.FormatWeight(weights[c]),
			fit.FormatWeight(slices.Min(folds)), fit.FormatWeight(slices.Max(folds))})
	}
	return r
}

func (r rankReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "NDCG@10\tquestions\tpresent\tcross-validated\tall\tbest\t")
	line := func(name string, row rankRow) {
		fmt.Fprintf(table, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t\n", name, row.questions, row.present, row.held, row.all, row.best)
	}
	line("all", r.all)
	for _, name := range r.names {
		line(name, r.rows[name])
	}
	fmt.Fprintln(table, "\t\t\t\t\t\t")
	fmt.Fprintln(table, "signal\tpresent\tfitted\tleast of the folds\tmost\t\t")
	for _, row := range r.weights {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\t\n", row[0], row[1], row[2], row[3], row[4])
	}
	return table.Flush()
}
