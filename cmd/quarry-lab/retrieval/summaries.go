package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/summary"
)

// Bounds of what a symbol's doc comment must say to be a question, and of what a file
// must cost to be worth a summary.
const (
	fewestWords    = 4
	mostRightFiles = 3 // a sentence that more of them say asks for none
	foundAmong     = 5
)

// A summaryReport is what summaries prints.
type summaryReport struct {
	Recall      []recallRow            `json:"recall_at_5"`
	Languages   map[string][3]recalled `json:"languages"` // by language, in the order of Recall
	Compression []compressionRow       `json:"compression"`
	Files       int                    `json:"files"`
	FileLangs   int                    `json:"file_languages"`
	Misses      []missed               `json:"misses,omitempty"` // without docs
	Encoding    string                 `json:"token_encoding"`
}

// A missed question is one whose right file was not found without docs.
type missed struct {
	Question string   `json:"question"`
	Lang     string   `json:"lang"`
	Right    []string `json:"right"` // the lines of the symbols that the question is made of
	Found    []string `json:"found"` // the first files
}

// A recallRow is how often the right file was found by one kind of line.
type recallRow struct {
	Documents string `json:"documents"`
	recalled
}

type recalled struct {
	Questions int     `json:"questions"`
	Found     int     `json:"found"`
	Recall    float64 `json:"recall"`
}

func (r *recalled) count(found bool) {
	r.Questions++
	if found {
		r.Found++
	}
	r.Recall = float64(r.Found) / float64(r.Questions)
}

// A compressionRow is what summaries of a level cost.
type compressionRow struct {
	Level    summary.Level `json:"level"`
	Set      int           `json:"files_each"`
	Budget   int           `json:"budget"`
	Measured int           `json:"summaries"`
	In       float64       `json:"mean_tokens_in"` // of the files, by the estimate
	Estimate sizes         `json:"estimate"`
	Encoding sizes         `json:"encoding"`
}

// sizes are costs in tokens.
type sizes struct {
	Mean   float64 `json:"mean"`
	Max    int     `json:"max"`
	Within float64 `json:"within_budget"` // share, 0..1
	sum    int
	within int
}

func (s *sizes) add(tokens, budget, n int) {
	s.sum += tokens
	s.Max = max(s.Max, tokens)
	if tokens <= budget {
		s.within++
	}
	s.Mean, s.Within = float64(s.sum)/float64(n), float64(s.within)/float64(n)
}

// The kinds of line that are searched.
var lineKinds = [3]string{"symbols' lines", "symbols' lines without docs", "files' lines"}

// budgets are what summaries of few files are meant to cost.
var summaryBudgets = []struct {
	level  summary.Level
	budget int
}{{summary.L0, 50}, {summary.L1, 200}, {summary.L2, 500}}

// summariesOptions are the flags of summaries.
type summariesOptions struct {
	options
	symbols int // to ask for, and files to summarise
	seed    uint64
	half    string // of the questions: tune, unseen; "": all
	misses  bool
}

func newSummariesCommand() *cobra.Command {
	var o summariesOptions
	cmd := o.command("summaries", "Measure summaries: whether their lines are found, and what they cost",
		`Summaries draws --symbols symbols that have a doc comment of at least four words,
outside tests, as evenly as possible from the repositories, and asks with the comment's
first sentence, without the symbol's name. The right file counts as found if it is among
the first five, ranked by words and vectors together, where a document is one line:
  symbols' lines               "path: symbol: line" of every function, type and
                               the like, as a summary says it. The line of the
                               symbol itself is made of that very sentence.
  symbols' lines without docs  the same, made as if no symbol had a doc comment
                               or docstring: from names, signatures, calls and
                               comments inside bodies. This is the honest,
                               harder figure.
  files' lines                 "path: line" of every file
It also draws the same number of files, and counts what the levels cost for each
alone, and with two others. The questions of the suite are not asked.`, o.run)
	f := cmd.Flags()
	f.IntVar(&o.symbols, "symbols", 200, "symbols to ask for, and files to summarise")
	f.Uint64Var(&o.seed, "seed", 0, "another `number` draws others")
	f.StringVar(&o.half, "half", "", "ask only that `half` of the questions drawn: tune or unseen, by lot")
	f.BoolVar(&o.misses, "misses", false, "tell the questions whose file was not found without docs")
	return cmd
}

func (o *summariesOptions) run(ctx context.Context, e *evaluation.Evaluation) (report, error) {
	if o.symbols < 1 {
		return nil, fmt.Errorf("symbols must be at least 1, not %d", o.symbols)
	}
	if !slices.Contains([]string{"", tuneHalf, unseenHalf}, o.half) {
		return nil, fmt.Errorf("half must be %s or %s, not %q", tuneHalf, unseenHalf, o.half)
	}
	e.Jobs = 1 // what one repository lacks, the next ones make up for
	report := summaryReport{Encoding: encoding, Languages: map[string][3]recalled{}}
	for _, kind := range lineKinds {
		report.Recall = append(report.Recall, recallRow{Documents: kind})
	}
	for _, set := range []int{1, 3} {
		for _, b := range summaryBudgets {
			report.Compression = append(report.Compression, compressionRow{Level: b.level, Set: set, Budget: b.budget})
		}
	}
	s := summaries{summariesOptions: o, count: e.Count, report: &report, languages: map[string]bool{}}
	left, files := o.symbols, o.symbols
	err := e.Each(ctx, func(ctx context.Context, i int, r suite.Repository, x *index.Index) error {
		share := len(e.Suite) - i
		asked, drawn, err := s.measure(ctx, x, r.Name, (left+share-1)/share, (files+share-1)/share)
		left, files = left-asked, files-drawn
		return err
	})
	if err != nil {
		return nil, err
	}
	report.FileLangs = len(s.languages)
	if report.Recall[0].Questions == 0 {
		return nil, errors.New("no symbol has a doc comment of four words")
	}
	return report, nil
}

// summaries are measured, one repository after the other.
type summaries struct {
	*summariesOptions
	count     func(string) int
	report    *summaryReport
	languages map[string]bool // of the files
}

// measure measures one repository with at most so many symbols and files.
func (s *summaries) measure(ctx context.Context, x *index.Index, name string, symbols, files int) (asked, drawn int, err error) {
	with, err := x.SymbolLines(ctx, false)
	if err != nil {
		return 0, 0, err
	}
	without, err := x.SymbolLines(ctx, true)
	if err != nil {
		return 0, 0, err
	}
	whole, err := x.FileLines(ctx)
	if err != nil {
		return 0, 0, err
	}
	questions := docQuestions(s.seed, name, with, symbols)
	asked = len(questions)
	questions = slices.DeleteFunc(questions, func(q docQuestion) bool { return s.half != "" && q.half() != s.half })
	for kind, lines := range [][]brief.SymbolLine{with, without, whole} {
		search, err := x.SearchLines(ctx, lines)
		if err != nil {
			return 0, 0, err
		}
		for _, q := range questions {
			found, err := search.Files(ctx, q.text, foundAmong)
			if err != nil {
				return 0, 0, err
			}
			right := slices.ContainsFunc(found, func(f string) bool { return slices.Contains(q.files, f) })
			s.report.Recall[kind].count(right)
			if s.misses && !right && kind == 1 {
				s.report.Misses = append(s.report.Misses, missed{q.text, q.lang, q.lines(without), found})
			}
			row := s.report.Languages[q.lang]
			row[kind].count(right)
			s.report.Languages[q.lang] = row
		}
	}
	drawn, err = s.compress(ctx, x, name, whole, files)
	return asked, drawn, err
}

// A docQuestion is the first sentence of a doc comment, and the files where it stands.
type docQuestion struct {
	text, lang string
	files      []string
}

// The halves of the questions: what is looked at while lines are changed, and what is not.
const (
	tuneHalf   = "tune"
	unseenHalf = "unseen"
)

// half is the one that a question is in: always the same, whatever else is asked.
func (q *docQuestion) half() string {
	if xxhash.Sum64String("half\x00"+q.text)%2 == 0 {
		return tuneHalf
	}
	return unseenHalf
}

// lines returns those of its symbols.
func (q *docQuestion) lines(all []brief.SymbolLine) (texts []string) {
	for i := range all {
		if l := &all[i]; l.Doc == q.text && slices.Contains(q.files, l.File) {
			texts = append(texts, l.Text())
		}
	}
	return texts
}

// docQuestions draws symbols that have a doc comment, but not in tests: always the same
// ones of the same lines and seed.
func docQuestions(seed uint64, name string, lines []brief.SymbolLine, most int) []docQuestion {
	by := map[string]*docQuestion{}
	for i := range lines {
		l := &lines[i]
		if l.Test || len(strings.Fields(l.Doc)) < fewestWords {
			continue
		}
		q := by[l.Doc]
		if q == nil {
			q = &docQuestion{text: l.Doc, lang: l.Lang}
			by[l.Doc] = q
		}
		if !slices.Contains(q.files, l.File) {
			q.files = append(q.files, l.File)
		}
	}
	maps.DeleteFunc(by, func(_ string, q *docQuestion) bool { return len(q.files) > mostRightFiles })
	texts := slices.Collect(maps.Keys(by))
	hash := func(text string) uint64 {
		return xxhash.Sum64String(fmt.Sprintf("%d\x00%s\x00%s", seed, name, text))
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) })
	var drawn []docQuestion
	for _, t := range texts[:min(len(texts), most)] {
		drawn = append(drawn, *by[t])
	}
	return drawn
}

// compress summarises files of a repository, each alone and in sets of three.
func (s *summaries) compress(ctx context.Context, x *index.Index, name string, lines []brief.SymbolLine, most int) (int, error) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l brief.SymbolLine) bool { return l.Lang == "" })
	draw := rand.New(rand.NewPCG(s.seed, xxhash.Sum64String(name)))
	draw.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	n := min(most, len(lines))
	for i, l := range lines[:n] {
		s.languages[l.Lang] = true
		s.report.Files++
		for c := range s.report.Compression {
			row := &s.report.Compression[c]
			set := []string{l.File}
			for len(set) < row.Set {
				set = append(set, lines[(i+len(set)*7+draw.IntN(len(lines)))%len(lines)].File)
			}
			a, err := x.Summarize(ctx, brief.SummaryQuery{Paths: set, Level: row.Level})
			if err != nil {
				return 0, err
			}
			row.Measured++
			row.In += (float64(a.TokensIn) - row.In) / float64(row.Measured)
			row.Estimate.add(a.TokensOut, row.Budget, row.Measured)
			row.Encoding.add(s.count(a.Text), row.Budget, row.Measured)
		}
	}
	return n, nil
}

func (r summaryReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "recall@%d\tquestions", foundAmong)
	for _, kind := range lineKinds {
		fmt.Fprintf(table, "\t%s", kind)
	}
	fmt.Fprintln(table)
	for _, lang := range slices.Sorted(maps.Keys(r.Languages)) {
		row := r.Languages[lang]
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\n", lang, row[0].Questions, row[0].Recall, row[1].Recall, row[2].Recall)
	}
	fmt.Fprintf(table, "all\t%d\t%.3f\t%.3f\t%.3f\n", r.Recall[0].Questions, r.Recall[0].Recall, r.Recall[1].Recall, r.Recall[2].Recall)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, m := range r.Misses {
		fmt.Fprintf(w, "\n%s: %s\n  %s\n  found: %s\n", m.Lang, m.Question, strings.Join(m.Right, "\n  "), strings.Join(m.Found, ", "))
	}
	fmt.Fprintf(w, "\n%d files in %d languages, each alone and with two others\n", r.Files, r.FileLangs)
	fmt.Fprintln(table, "level\tfiles\tbudget\ttokens in\testimate\tmax\twithin\t"+r.Encoding+"\tmax\twithin")
	for _, c := range r.Compression {
		fmt.Fprintf(table, "%s\t%d\t%d\t%.0f\t%.0f\t%d\t%.1f %%\t%.0f\t%d\t%.1f %%\n", c.Level, c.Set, c.Budget, c.In,
			c.Estimate.Mean, c.Estimate.Max, 100*c.Estimate.Within, c.Encoding.Mean, c.Encoding.Max, 100*c.Encoding.Within)
	}
	return table.Flush()
}
