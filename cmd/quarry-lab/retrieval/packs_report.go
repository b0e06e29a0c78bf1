package retrieval

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/quarry-search/quarry/index/measure"
)

// A packReport says what packs save. All figures are means over questions; tokens are those
// of cl100k_base.
type packReport struct {
	Questions int        `json:"queries"`
	Packs     []packRow  `json:"packs"`       // one search each
	Files     []filesRow `json:"whole_files"` // by grep, those that fit
	First     packFirst  `json:"first"`
	Equal     packEqual  `json:"equal_recall"`
}

// A packRow is a search with a budget.
type packRow struct {
	MaxTokens int     `json:"max_tokens"`
	Tokens    float64 `json:"tokens"`
	Recall    float64 `json:"recall"`
}

// A filesRow is what whole files within some tokens hold.
type filesRow struct {
	Tokens int     `json:"tokens"`
	Recall float64 `json:"recall"`
}

// A packFirst is what is read until there is a first target; MissTokens where there is none.
type packFirst struct {
	Packs  float64 `json:"packs"`
	Files  float64 `json:"whole_files"`
	Saving float64 `json:"saving"` // 0..1
	Hit    float64 `json:"packs_hit"`
	Missed float64 `json:"whole_files_hit"` // share of the questions with any target at all
}

// A packEqual compares the steps of a session with whole files until these have as much.
type packEqual struct {
	Packs       float64 `json:"packs"`
	JSON        float64 `json:"packs_json"`
	Files       float64 `json:"whole_files"`     // 32,000 at most
	All         float64 `json:"whole_files_all"` // however many there must be
	Recall      float64 `json:"recall"`          // of the packs
	FilesRecall float64 `json:"whole_files_recall"`
	AllRecall   float64 `json:"whole_files_all_recall"` // below recall where no more files match
	Saving      float64 `json:"saving"`
	SavingJSON  float64 `json:"saving_json"`
	SavingAll   float64 `json:"saving_all"`
}

func newPackReport(all []packOutcome) packReport {
	r := packReport{Questions: len(all), Packs: make([]packRow, len(packBudgets)), Files: make([]filesRow, len(measure.Budgets))}
	share := 1 / float64(max(len(all), 1))
	for _, o := range all {
		for i, p := range o.single {
			r.Packs[i].Tokens += share * float64(p.tokens)
			r.Packs[i].Recall += share * p.recall
		}
		for i, recall := range o.recall {
			r.Files[i].Recall += share * recall
		}
		r.First.Packs += share * float64(o.first.quarry.tokens)
		r.First.Files += share * float64(o.first.files.tokens)
		r.First.Hit += share * o.first.quarry.recall
		r.First.Missed += share * o.first.files.recall
		r.Equal.Packs += share * float64(o.quarry.tokens)
		r.Equal.JSON += share * float64(o.json)
		r.Equal.Files += share * float64(o.files.tokens)
		r.Equal.All += share * float64(o.all.tokens)
		r.Equal.AllRecall += share * o.all.recall
		r.Equal.Recall += share * o.quarry.recall
		r.Equal.FilesRecall += share * o.files.recall
	}
	for i, budget := range packBudgets {
		r.Packs[i].MaxTokens = budget
	}
	for i, budget := range measure.Budgets {
		r.Files[i].Tokens = budget
	}
	r.First.Saving = saving(r.First.Packs, r.First.Files)
	r.Equal.SavingAll = saving(r.Equal.Packs, r.Equal.All)
	r.Equal.Saving, r.Equal.SavingJSON = saving(r.Equal.Packs, r.Equal.Files), saving(r.Equal.JSON, r.Equal.Files)
	return r
}

// saving is the share that is saved of what would be spent otherwise; 0 of nothing.
func saving(spent, otherwise float64) float64 {
	if otherwise == 0 {
		return 0
	}
	return 1 - spent/otherwise
}

func (r packReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "one search with max_tokens\ttokens\trecall")
	for _, p := range r.Packs {
		fmt.Fprintf(table, "%d\t%.0f\t%.3f\n", p.MaxTokens, p.Tokens, p.Recall)
	}
	fmt.Fprintln(table, "\t\t")
	fmt.Fprintln(table, "whole files by grep, within\t\trecall")
	for _, f := range r.Files {
		fmt.Fprintf(table, "%d\t\t%.3f\n", f.Tokens, f.Recall)
	}
	fmt.Fprintln(table, "\t\t")
	fmt.Fprintln(table, "until the first answer\ttokens\tquestions with one")
	fmt.Fprintf(table, "packs of a session\t%.0f\t%.3f\n", r.First.Packs, r.First.Hit)
	fmt.Fprintf(table, "whole files by grep\t%.0f\t%.3f\n", r.First.Files, r.First.Missed)
	fmt.Fprintf(table, "saved\t%.1f %%\t\n\t\t\n", 100*r.First.Saving)
	fmt.Fprintln(table, "at equal recall\ttokens\trecall")
	fmt.Fprintf(table, "packs of a session, as text\t%.0f\t%.3f\n", r.Equal.Packs, r.Equal.Recall)
	fmt.Fprintf(table, "the same, as JSON\t%.0f\t%.3f\n", r.Equal.JSON, r.Equal.Recall)
	fmt.Fprintf(table, "whole files by grep, at most 32000\t%.0f\t%.3f\n", r.Equal.Files, r.Equal.FilesRecall)
	fmt.Fprintf(table, "the same, however many match\t%.0f\t%.3f\n", r.Equal.All, r.Equal.AllRecall)
	fmt.Fprintf(table, "saved\t%.1f %%\t\n", 100*r.Equal.Saving)
	fmt.Fprintf(table, "saved, however many match\t%.1f %%\t\n", 100*r.Equal.SavingAll)
	fmt.Fprintf(table, "saved, of JSON\t%.1f %%\t\n", 100*r.Equal.SavingJSON)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d questions; tokens are those of cl100k_base, and means over questions\n", r.Questions)
	return err
}
