package measure

import (
	"slices"

	"github.com/quarry-search/quarry/index/suite"
)

const (
	// TokenDepth is how many results a reader goes through, and MissTokens
	// what is counted for a question that none of them answers: both as in
	// the published figures (MinishLab/semble, benchmarks/token_efficiency.py,
	// 348 tokens), so that ours can stand alongside them.
	TokenDepth = 50
	MissTokens = 32_000
)

// Budgets are the numbers of tokens at which recall is reported.
var Budgets = [...]int{500, 1000, 2000, 4000, 8000, 16_000, 32_000}

// A Cost says what reading results in order costs: of one question, or means over
// questions. A result costs the tokens of its content.
type Cost struct {
	Tokens float64               `json:"tokens"`           // up to and with the first right result; MissTokens if there is none
	Spent  float64               `json:"tokens_spent"`     // the same, but all results' where none is right
	Recall [len(Budgets)]float64 `json:"recall_at_tokens"` // share of the targets, 0..1, in the results that fit each of Budgets as a whole
}

// Spend goes through the first TokenDepth hits; tokens returns what the hit of
// an index costs, and is called in order, no further than it matters.
func Spend(targets []suite.Target, hits []Hit, tokens func(i int) int) Cost {
	c := Cost{Tokens: MissTokens}
	found := make([]bool, len(targets))
	each, spent := 1/float64(len(targets)), 0
	for i, h := range hits[:min(len(hits), TokenDepth)] {
		if !slices.Contains(found, false) {
			break
		}
		spent += tokens(i)
		for n, t := range targets {
			if found[n] || !t.Holds(h.File, h.Line, h.End) {
				continue
			}
			if !slices.Contains(found, true) {
				c.Tokens, c.Spent = float64(spent), float64(spent)
			}
			found[n] = true
			for b, budget := range Budgets {
				if spent <= budget {
					c.Recall[b] += each
				}
			}
		}
	}
	if !slices.Contains(found, true) {
		c.Spent = float64(spent)
	}
	return c
}
