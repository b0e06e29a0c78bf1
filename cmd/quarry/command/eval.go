package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/tokens"
)

type evalOptions struct {
	suites     []string
	corpus     string
	repository string
	questions  int
	seed       uint64
	write      string

	explain     string
	ablate      bool
	calibration bool
	foreign     int // questions of other repositories that each is asked
	misses      bool
	summaries   bool
	symbols     int  // that --summaries draws, and files
	packed      bool // measure what packs save, and nothing else

	json bool
	http bool
	jobs int
}

func newEvalCommand() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval (--suite FILE --corpus DIR | --repository DIR)",
		Short: "Measure how well searches find what they should",
		Long: `Eval indexes each repository of a suite, asks it the suite's questions and
compares the answers with the files that the suite names.

The suite is a JSON array of {name, language, root, queries: [{query, category,
targets: [{path, start_line, end_line}]}]}, or one such object; --suite may be
given several times. The repositories lie in folders of the corpus by their
names, checked out at the commit that the suite was made for.

--repository makes the questions from the repository itself, a third each:
  comment  the first sentence of a doc comment; the answer is the file of what
           it documents. These are easy: their words are in the index.
  commit   the subject of a commit, without prefixes such as "fix(x):" and
           numbers of issues, of 4 to 14 words and not about housekeeping
           (releases, tests, documents); the answer are the source files that
           it changed, at most three. These are noisy.
  symbol   a name that is defined once, except short words in lower case; the
           answer is its definition.
The same tree and history give the same questions. --write keeps them as a
suite file, with the folder's name; its corpus is the folder above.

A target counts at the first result whose file is the target's and, where it
names lines, whose lines overlap them. NDCG@10 has binary gain, with all targets
on top as the ideal; recall@k is the share of the targets in the first k
results; "first" is the share of the questions whose first result is right.
These are means over repositories of the mean over their questions; those for a
category are means over the repositories that have it.

Tokens are what a reader goes through, result by result, up to and including
the first right one: the tokens of the results' contents in the encoding
cl100k_base, among 50 results. A question that none of the 50 answers counts
32,000 ("tokens") as in published figures, or what all of them have ("spent").
Recall at N tokens is the share of the targets among the results that fit into
N as a whole. These are means over all questions.

The time is that of a search for 10 results in this process; --http asks a
server over loopback instead. With several --jobs the times are meaningless.

--explain takes a question of the suite, or its number as printed by --misses, or
with one repository any question, and shows the first 30 candidates with their
signals and what each added to the ranking's score; * marks the targets.
--ablate asks everything again without each signal, and in the modes lexical
and semantic. --calibration compares the scores with the share of results that
are right. --foreign asks each repository questions of the others, which it
should answer with low scores; some of them it may well answer.

--summaries measures summaries instead. It draws --symbols symbols that have a
doc comment of at least four words, outside tests, as evenly as possible from
the repositories, and asks with the comment's first sentence, without the
symbol's name. The right file counts as found if it is among the first five, ranked
by words and vectors together, where a document is one line:
  symbols' lines               "path: symbol: line" of every function, type and
                               the like, as a summary says it. The line of the
                               symbol itself is made of that very sentence.
  symbols' lines without docs  the same, made as if no symbol had a doc comment
                               or docstring: from names, signatures, calls and
                               comments inside bodies. This is the honest,
                               harder figure.
  files' lines                 "path: line" of every file
It also draws the same number of files, and counts what the levels cost for each
alone, and with two others.

--packs compares two readers: one asks in one session for packs of increasing
budget and a context, until the targets are in them; the other reads whole files,
those with the words of the question as grep finds them, until as much is found.

Exit codes: 0 measured, 1 an error.`,
		Example: `  quarry eval --suite dev.json --corpus ~/corpus
  quarry eval --suite dev.json --corpus ~/corpus --misses
  quarry eval --suite dev.json --corpus ~/corpus --explain 17
  quarry eval --repository . --questions 90 --write questions.json
  quarry eval --suite dev.json --corpus ~/corpus --summaries`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			return interrupted(cmd, o.run(cmd, s))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&o.corpus, "corpus", "", "the `folder` that holds the suite's repositories")
	f.StringVar(&o.repository, "repository", "", "make the questions from the repository in this `folder`")
	f.IntVar(&o.questions, "questions", 150, "with --repository: the most questions to make")
	f.Uint64Var(&o.seed, "seed", 0, "another `number` makes other questions of --repository and --foreign")
	f.StringVar(&o.write, "write", "", "with --repository: keep the questions in a suite `file`")
	f.StringVar(&o.explain, "explain", "", "show how one `question` is answered, given as text or number, and measure nothing")
	f.BoolVar(&o.ablate, "ablate", false, "show what each signal is worth")
	f.BoolVar(&o.calibration, "calibration", false, "show how often results of a score are right")
	f.IntVar(&o.foreign, "foreign", 0, "ask each repository this `number` of the others' questions")
	f.Lookup("foreign").NoOptDefVal = "100"
	f.BoolVar(&o.misses, "misses", false, "name the questions whose first result is not right")
	f.BoolVar(&o.summaries, "summaries", false, "measure summaries, not searches")
	f.IntVar(&o.symbols, "symbols", 200, "with --summaries: symbols to ask for, and files to summarise")
	f.BoolVar(&o.packed, "packs", false, "show how many tokens packs save compared with whole files, and measure nothing else")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.http, "http", false, "ask a server over HTTP")
	f.IntVar(&o.jobs, "jobs", 1, "repositories measured at once")
	config.AddFlags(f, config.IndexFlags)
	return cmd
}

// check refuses flags that do not go together.
func (o evalOptions) check() error {
	switch {
	case (len(o.suites) == 0) == (o.repository == ""):
		return errors.New("either a suite or a repository is needed")
	case o.repository != "" && o.corpus != "":
		return errors.New("a corpus goes with a suite, not with a repository")
	case len(o.suites) > 0 && o.corpus == "":
		return errors.New("a suite needs the corpus, the folder that holds its repositories")
	case o.write != "" && o.repository == "":
		return errors.New("only the questions of --repository can be written")
	case o.questions < 1:
		return fmt.Errorf("questions must be at least 1, not %d", o.questions)
	case o.jobs < 1:
		return fmt.Errorf("jobs must be at least 1, not %d", o.jobs)
	case o.symbols < 1:
		return fmt.Errorf("symbols must be at least 1, not %d", o.symbols)
	case o.summaries && (o.explain != "" || o.ablate || o.calibration || o.foreign != 0 || o.misses || o.packed || o.http || o.write != ""):
		return errors.New("summaries are measured alone: without explain, ablate, calibration, foreign, misses, packs, http and write")
	case o.foreign < 0:
		return fmt.Errorf("foreign must not be negative: %d", o.foreign)
	case o.http && (o.explain != "" || o.ablate || o.packed):
		return errors.New("explain, ablate and packs ask the index itself, not a server over HTTP")
	}
	return nil
}

// load returns the suite and the folder that holds its repositories.
func (o evalOptions) load(cmd *cobra.Command) (suite.Suite, string, error) {
	if o.repository == "" {
		s, err := suite.Read(o.suites...)
		return s, o.corpus, err
	}
	folder, err := folder.Real(o.repository)
	if err != nil {
		return nil, "", err
	}
	made, err := suite.Make(cmd.Context(), folder, suite.Options{Questions: o.questions, Seed: o.seed})
	if err != nil {
		return nil, "", err
	}
	count := map[string]int{}
	for _, q := range made.Queries {
		count[q.Category]++
	}
	cmd.PrintErrf("quarry: %d questions from comments, %d from commits, %d from symbols\n",
		count[suite.FromComment], count[suite.FromCommit], count[suite.FromSymbol])
	s := suite.Suite{made}
	if o.write != "" {
		if err := writeSuite(o.write, s); err != nil {
			return nil, "", err
		}
	}
	return s, filepath.Dir(folder), nil
}

func writeSuite(name string, s suite.Suite) error {
	f, err := os.Create(name)
	if err == nil {
		err = errors.Join(s.Write(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write the suite: %w", err)
	}
	return nil
}

func (o evalOptions) run(cmd *cobra.Command, s config.Settings) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.summaries && o.repository != "" {
		folder, err := folder.Real(o.repository)
		if err != nil {
			return err
		}
		one := suite.Suite{{Name: filepath.Base(folder)}}
		e := &evaluation{o: o, settings: s, suite: one, corpus: filepath.Dir(folder)}
		return e.runSummaries(cmd.Context(), cmd.OutOrStdout())
	}
	asked, corpus, err := o.load(cmd)
	if err != nil {
		return err
	}
	if o.summaries {
		e := &evaluation{o: o, settings: s, suite: asked, corpus: corpus}
		return e.runSummaries(cmd.Context(), cmd.OutOrStdout())
	}
	if o.foreign > 0 && len(asked) < 2 {
		return errors.New("foreign questions need a suite of several repositories")
	}
	e := &evaluation{o: o, settings: s, suite: asked, corpus: corpus}
	if o.explain != "" {
		return e.explain(cmd.Context(), cmd.OutOrStdout())
	}
	if e.counter, err = tokens.Encoding(tokens.CL100K); err != nil {
		return err
	}
	if o.packed {
		r, err := e.packs(cmd.Context())
		if err != nil {
			return err
		}
		if o.json {
			return printJSON(cmd.OutOrStdout(), r)
		}
		return r.print(cmd.OutOrStdout())
	}
	// One repository after the other, or some at once, but put together in
	// the order of the suite, so that the same figures come out.
	all := make([]measured, len(asked))
	work, ctx := errgroup.WithContext(cmd.Context())
	work.SetLimit(o.jobs)
	first := 1
	for i, r := range asked {
		number := first
		first += len(r.Queries)
		work.Go(func() error {
			m, err := e.repository(ctx, r, number)
			if err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
			all[i] = m
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	var total measured
	for _, m := range all {
		total.outcomes = append(total.outcomes, m.outcomes...)
		total.latency = append(total.latency, m.latency...)
		total.judged = append(total.judged, m.judged...)
		total.foreign = append(total.foreign, m.foreign...)
		total.reordered += m.reordered
		for _, line := range m.misses {
			cmd.PrintErrln(line)
		}
	}
	report := evalReport{
		Summary: measure.Summarize(total.outcomes), Budgets: measure.Budgets[:], Encoding: "cl100k_base", HTTP: o.http, Reordered: total.reordered,
		P50: milliseconds(measure.Percentile(total.latency, 0.50)),
		P95: milliseconds(measure.Percentile(total.latency, 0.95)),
	}
	if o.calibration || o.foreign > 0 {
		report.Calibration = calibrate(total.judged)
	}
	if o.foreign > 0 {
		report.Foreign = summarizeForeign(total.foreign)
	}
	if o.ablate {
		report.Ablation = compareVariants(all)
	}
	if o.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
