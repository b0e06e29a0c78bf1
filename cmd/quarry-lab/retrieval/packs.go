package retrieval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// packSteps are the budgets with which a reader asks, one after the other in one session,
// until it has what it looks for: searches, each for twice as much as the one before, and a
// context of the question's words.
var packSteps = [...]struct {
	Context   bool `json:"context"`
	MaxTokens int  `json:"max_tokens"`
}{{false, 150}, {false, 300}, {false, 600}, {false, 1200}, {true, 2000}}

// packBudgets are the budgets of single packs whose recall is told.
var packBudgets = [...]int{250, 500, 1000, 2000, 4000}

// packResults is how many results a pack may hold.
const packResults = 50

// A packOutcome is what became of one question.
type packOutcome struct {
	single [len(packBudgets)]packed // one search with this budget
	quarry packed                   // the steps, as text
	json   int                      // tokens of the steps as the server writes results and text
	first  struct{ quarry, files packed }
	files  packed                        // whole files, until as much is found as by the steps, within MissTokens
	all    packed                        // tokens of whole files until as much is found as by the steps, or none is left
	recall [len(measure.Budgets)]float64 // of whole files that fit
}

// packed is what something costs, and the share of the targets that is in it.
type packed struct {
	tokens int
	recall float64
}

func newPacksCommand() *cobra.Command {
	var o options
	return o.command("packs", "Show how many tokens packs save compared with whole files",
		`Packs compares two readers: one asks in one session for packs of increasing budget
and a context, until the targets are in them; the other reads whole files, those with
the words of the question as grep finds them, until as much is found.`,
		func(ctx context.Context, e *evaluation.Evaluation) (report, error) {
			all := make([][]packOutcome, len(e.Suite))
			err := e.Each(ctx, func(ctx context.Context, i int, r suite.Repository, x *index.Index) error {
				var err error
				all[i], err = askPacks(ctx, x, r, e.Count)
				return err
			})
			if err != nil {
				return nil, err
			}
			return newPackReport(slices.Concat(all...)), nil
		})
}

// askPacks measures one repository.
func askPacks(ctx context.Context, x *index.Index, r suite.Repository, count func(string) int) (all []packOutcome, err error) {
	files, err := readWhole(ctx, x, r, count)
	if err != nil {
		return nil, err
	}
	for _, q := range r.Queries {
		o, err := askPack(ctx, x, r, q, count)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.Text, err)
		}
		files.ask(q, &o)
		all = append(all, o)
	}
	return all, nil
}

// A hunt looks for the targets of a question.
type hunt struct {
	root    string // of the index, in the repository
	targets []suite.Target
	found   []bool
}

func newHunt(r suite.Repository, q suite.Query) *hunt {
	return &hunt{r.Root, q.Targets, make([]bool, len(q.Targets))}
}

// see notes what lines of a file, relative to the index's root, hold.
func (h *hunt) see(file string, from, to int) {
	for i, t := range h.targets {
		h.found[i] = h.found[i] || t.Holds(path.Join(h.root, file), from, to)
	}
}

func (h *hunt) recall() float64 {
	n := 0
	for _, found := range h.found {
		if found {
			n++
		}
	}
	return float64(n) / float64(len(h.found))
}

// askPack asks for one question's packs.
func askPack(ctx context.Context, x *index.Index, r suite.Repository, q suite.Query, count func(string) int) (o packOutcome, err error) {
	for i, budget := range packBudgets {
		h := newHunt(r, q)
		a, err := x.Search(ctx, search.Query{Text: q.Text, Limit: packResults, MaxTokens: budget})
		if err != nil {
			return o, err
		}
		o.single[i] = packed{count(packText(a.Results)), h.results(a.Results)}
	}
	var sent answer.Sent
	h := newHunt(r, q)
	o.first.quarry.tokens = measure.MissTokens
	for _, step := range packSteps {
		text, written, lines, err := askStep(ctx, x, q.Text, step.Context, step.MaxTokens, &sent)
		if err != nil {
			return o, err
		}
		o.quarry.tokens += count(text)
		o.json += count(written)
		for _, l := range lines {
			sent.Add(l)
			h.see(l.File, l.From, l.To)
		}
		o.quarry.recall = h.recall()
		if o.first.quarry.recall == 0 && o.quarry.recall > 0 {
			o.first.quarry = packed{o.quarry.tokens, 1}
		}
		if o.quarry.recall == 1 {
			break
		}
	}
	return o, nil
}

// results sees all results and returns the recall.
func (h *hunt) results(list []search.Result) float64 {
	for i := range list {
		h.see(list[i].File, list[i].Line, list[i].EndLine)
	}
	return h.recall()
}

// askStep returns what one step of a session gives to read, what of it a server writes as
// JSON, and the lines that are shown.
func askStep(ctx context.Context, x *index.Index, text string, around bool, budget int, sent *answer.Sent) (read, written string, lines []answer.Lines, err error) {
	if around {
		a, err := x.Context(ctx, brief.ContextQuery{Target: text, MaxTokens: budget, Sent: sent})
		var missing *answer.TargetError
		var unsupported *answer.UnsupportedError
		if errors.As(err, &missing) || errors.As(err, &unsupported) {
			return "", "", nil, nil // the reader has paid for nothing
		}
		if err != nil {
			return "", "", nil, err
		}
		written, err := json.Marshal(a.Text)
		return a.Text, string(written), a.Given, err
	}
	a, err := x.Search(ctx, search.Query{Text: text, Limit: packResults, MaxTokens: budget, Sent: sent})
	if err != nil {
		return "", "", nil, err
	}
	for i := range a.Results {
		if !a.Results[i].Sent {
			lines = append(lines, a.Results[i].Lines())
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(a.Results)
	return packText(a.Results), b.String(), lines, err
}

// packText is a pack as a reader is shown it: the place of each result, and its lines.
func packText(results []search.Result) string {
	var b bytes.Buffer
	for _, r := range results {
		fmt.Fprintf(&b, "%s:%d\n%s\n", r.File, r.Line, r.Content)
	}
	return b.String()
}
