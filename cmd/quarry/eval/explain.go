package eval

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// explainDepth is how many candidates of a question are shown.
const explainDepth = 30

// Explained is a question with its candidates.
type Explained struct {
	Number     int            `json:"number"` // in the suite, from 1; 0: it is not in the suite
	Repository string         `json:"repository"`
	Category   string         `json:"category,omitempty"`
	Query      string         `json:"query"`
	Targets    []suite.Target `json:"targets"`
	Candidates []Candidate    `json:"candidates"`
}

// A Candidate is a result with what ranked it.
type Candidate struct {
	File    string          `json:"file"` // relative to the repository
	Line    int             `json:"line"`
	EndLine int             `json:"end_line"`
	Symbol  string          `json:"symbol,omitempty"`
	Right   bool            `json:"right"`
	Score   float64         `json:"score"`
	Ranking float64         `json:"ranking"` // the sum of what the signals added
	Signals []search.Signal `json:"signals"` // what added most first
}

// explain shows how the question that the user named is answered, in every
// repository that has it.
func (o *options) explainOne(ctx context.Context, e *evaluation.Evaluation, out io.Writer) error {
	questions, err := findQuestions(e.Suite, o.explain)
	if err != nil {
		return err
	}
	for i := range questions {
		if err := questions[i].ask(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", questions[i].Repository, err)
		}
	}
	if o.json {
		return terminal.PrintJSON(out, questions)
	}
	w := bufio.NewWriter(out)
	for i, q := range questions {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := q.Print(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// findQuestions returns the questions that a number or a text stands for.
func findQuestions(all suite.Suite, asked string) ([]Explained, error) {
	wanted, err := strconv.Atoi(asked)
	isNumber := err == nil
	var found []Explained
	number := 0
	for _, r := range all {
		for _, q := range r.Queries {
			number++
			if number == wanted || !isNumber && strings.EqualFold(q.Text, asked) {
				found = append(found, Explained{Number: number, Repository: r.Name, Category: q.Category, Query: q.Text, Targets: q.Targets})
			}
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case isNumber:
		return nil, fmt.Errorf("there is no question %d: the suite has %d", wanted, number)
	case strings.TrimSpace(asked) == "":
		return nil, errors.New("a question to explain is needed")
	case len(all) > 1:
		return nil, fmt.Errorf("the suite has no question %q, and a new one needs a suite of one repository", asked)
	}
	return []Explained{{Repository: all[0].Name, Query: asked, Targets: []suite.Target{}}}, nil
}

// ask asks the question's repository for the candidates.
func (q *Explained) ask(ctx context.Context, e *evaluation.Evaluation) (err error) {
	r := e.Suite[slices.IndexFunc(e.Suite, func(r suite.Repository) bool { return r.Name == q.Repository })]
	x, stop, err := e.Index(ctx, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	answer, err := x.Search(ctx, search.Query{Text: q.Query, Limit: explainDepth, Explain: true})
	if err != nil {
		return err
	}
	q.Candidates = make([]Candidate, len(answer.Results))
	for i, h := range evaluation.Hits(r, answer.Results) {
		c := Candidate{File: h.File, Line: h.Line, EndLine: h.End, Symbol: answer.Results[i].Symbol,
			Right: measure.Right(q.Targets, h), Score: h.Score, Signals: slices.Clone(answer.Results[i].Explain)}
		for _, s := range c.Signals {
			c.Ranking += s.Added
		}
		slices.SortFunc(c.Signals, func(a, b search.Signal) int {
			return cmp.Or(cmp.Compare(math.Abs(b.Added), math.Abs(a.Added)), cmp.Compare(a.Name, b.Name))
		})
		q.Candidates[i] = c
	}
	return nil
}

// Print writes a block for each candidate: what it is, then a line for each
// signal that added something.
func (q Explained) Print(w io.Writer) error {
	if q.Number > 0 {
		fmt.Fprintf(w, "question %d, %s, %s: ", q.Number, terminal.Visible(q.Repository), terminal.Visible(q.Category))
	} else {
		fmt.Fprintf(w, "%s: ", terminal.Visible(q.Repository))
	}
	fmt.Fprintln(w, terminal.Visible(q.Query))
	for _, t := range q.Targets {
		at := slices.IndexFunc(q.Candidates, func(c Candidate) bool { return t.Holds(c.File, c.Line, c.EndLine) })
		if at < 0 {
			fmt.Fprintf(w, "target %s: not among the first %d\n", terminal.Visible(t.String()), explainDepth)
		} else {
			fmt.Fprintf(w, "target %s: %d\n", terminal.Visible(t.String()), at+1)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	for i, c := range q.Candidates {
		mark := " "
		if c.Right {
			mark = "*"
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "%2d %s %s:%d-%d", i+1, mark, terminal.Visible(c.File), c.Line, c.EndLine)
		if c.Symbol != "" {
			fmt.Fprintf(w, " %s", terminal.Visible(c.Symbol))
		}
		fmt.Fprintf(w, ", score %.4f", c.Score)
		if len(c.Signals) > 0 {
			fmt.Fprintf(w, ", ranking %.4f", c.Ranking)
		}
		fmt.Fprintln(w)
		for _, s := range c.Signals {
			if s.Added != 0 {
				fmt.Fprintf(table, "     %s\t%.4f\tx %.4f\t= %+.4f\t\n", terminal.Visible(s.Name), s.Value, s.Weight, s.Added)
			}
		}
	}
	return table.Flush()
}
