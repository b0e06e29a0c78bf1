// Package eval has the command eval, which measures how well searches of a user's own
// repository find what they should.
package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/tokens"
)

type options struct {
	suites     []string
	corpus     string
	repository string
	questions  int
	seed       uint64
	write      string

	explain string
	misses  bool
	json    bool
	jobs    int
	rerank  bool
}

// NewCommand returns the command eval.
func NewCommand() *cobra.Command {
	var o options
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
names lines, whose lines overlap them; where targets name lines, such as those
of a function, a second table says how well their files alone are found. NDCG@10 has binary gain, with all targets
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

The time is that of a search for 10 results. With several --jobs the times are
meaningless.

--explain takes a question of the suite, or its number as printed by --misses, or
with one repository any question, and shows the first 30 candidates with their
signals and what each added to the ranking's score; * marks the targets.

Exit codes: 0 measured, 1 an error.`,
		Example: `  quarry eval --suite dev.json --corpus ~/corpus
  quarry eval --suite dev.json --corpus ~/corpus --misses
  quarry eval --suite dev.json --corpus ~/corpus --explain 17
  quarry eval --repository . --questions 90 --write questions.json`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			return invocation.Interrupted(cmd, o.run(cmd, s))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&o.corpus, "corpus", "", "the `folder` that holds the suite's repositories")
	f.StringVar(&o.repository, "repository", "", "make the questions from the repository in this `folder`")
	f.IntVar(&o.questions, "questions", 150, "with --repository: the most questions to make")
	f.Uint64Var(&o.seed, "seed", 0, "another `number` makes other questions of --repository")
	f.StringVar(&o.write, "write", "", "with --repository: keep the questions in a suite `file`")
	f.StringVar(&o.explain, "explain", "", "show how one `question` is answered, given as text or number, and measure nothing")
	f.BoolVar(&o.misses, "misses", false, "name the questions whose first result is not right")
	terminal.AddJSONFlag(f, &o.json)
	f.IntVar(&o.jobs, "jobs", 1, "repositories measured at once")
	f.BoolVar(&o.rerank, "rerank", false, "have the first results reread with the question, as a search with rerank does")
	config.AddFlags(f, config.IndexFlags)
	return cmd
}

// check refuses flags that do not go together.
func (o options) check() error {
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
	}
	return nil
}

// load returns the suite and the folder that holds its repositories.
func (o options) load(cmd *cobra.Command) (suite.Suite, string, error) {
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

func (o options) run(cmd *cobra.Command, s config.Settings) error {
	if err := o.check(); err != nil {
		return err
	}
	asked, corpus, err := o.load(cmd)
	if err != nil {
		return err
	}
	e := &evaluation.Evaluation{Suite: asked, Corpus: corpus, Jobs: o.jobs, Rerank: o.rerank, Open: func(root string) (*index.Index, func() error, error) {
		x, _, stop, err := engine.Open(s, root, true, index.Options{Refine: true})
		return x, stop, err
	}}
	if o.explain != "" {
		return o.explainOne(cmd.Context(), e, cmd.OutOrStdout())
	}
	counter, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		return err
	}
	e.Count = counter.Count
	all, err := e.Run(cmd.Context())
	if err != nil {
		return err
	}
	if o.misses {
		for _, line := range all.Misses {
			cmd.PrintErrln(terminal.Visible(line))
		}
	}
	report := Report{
		Summary: measure.Summarize(all.Outcomes), Budgets: measure.Budgets[:], Encoding: "cl100k_base", Reordered: all.Reordered,
		P50: milliseconds(measure.Percentile(all.Latency, 0.50)),
		P95: milliseconds(measure.Percentile(all.Latency, 0.95)),
	}
	if len(all.Files) > 0 {
		files := measure.Summarize(all.Files)
		report.Files = &files
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
