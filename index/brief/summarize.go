package brief

import (
	"context"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/summary"
)

// A SummaryQuery asks what some code is about: one of Paths, Symbol and Query.
type SummaryQuery struct {
	Paths     []string         // files and folders, relative to the root; "": the whole root
	Symbol    string           // as Extract reads it
	Query     string           // words: the files of the best results of a search
	Level     summary.Level    // "": Auto, by what the code costs
	MaxTokens int              // what the summary may cost; 0: the level's Budget
	Count     func(string) int // tokens of a text; nil: a quarter of the characters, rounded up
}

// A TextQuery asks what a text is about that is not in the index.
type TextQuery struct {
	Text      string
	Level     summary.Level    // "": L1
	MaxTokens int              // 0: the level's Budget
	Count     func(string) int // as in SummaryQuery
}

// A Summary is what a longer text comes to.
type Summary struct {
	Text      string         // "" for nothing
	Level     summary.Level  // never Auto
	TokensIn  int            // of what was summarised, whole
	TokensOut int            // of Text
	Truncated bool           // there was more at this level than MaxTokens allows
	Chunks    int            // pieces that the input was taken in; 1 unless it is long
	Files     []string       // whose code it is of, by path; at most 100
	Others    []answer.Place // what a symbol's name could mean, too
	State     answer.State
	answer.Checked
}

// Summarizer is what an Index offers of summaries.
type Summarizer interface {
	Summarize(ctx context.Context, q SummaryQuery) (Summary, error)
	SummarizeText(ctx context.Context, q TextQuery) (Summary, error)
}
