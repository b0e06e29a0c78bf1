package llm

import (
	"context"

	"github.com/quarry-search/quarry/index/summary"
)

// Replace has the model say what a local summary says, within the same budget: maxTokens as
// count has it, 0: the level's Budget. L0 and L3 need no model and stay as they are, and so
// does a text that was taken as it is. by is the engine that the text is from, "llm" or
// "local".
//
// Whatever goes wrong, the local summary is the answer, and why says what: it is what the
// specification's "truncated raw content" is made better by. Only where that one is not
// shorter than the text, the beginning of the text is.
func (c *Client) Replace(ctx context.Context, content string, local summary.Result, maxTokens int, count func(string) int) (r summary.Result, by string, why error) {
	if local.Level != summary.L1 && local.Level != summary.L2 || local.Text == "" {
		return local, "local", nil
	}
	budget := maxTokens
	if budget <= 0 {
		budget = local.Level.Budget()
	}
	text, err := c.Summarize(ctx, content, local.Level, budget)
	if err != nil {
		if local.TokensOut >= local.TokensIn {
			local.Text = summary.Truncate(content, budget, count)
			local.TokensOut = count(local.Text)
			local.Truncated = local.TokensOut < local.TokensIn
		}
		return local, "local", err
	}
	r = local
	r.Text, r.Truncated = text, false
	if count(text) > budget {
		r.Text, r.Truncated = summary.Truncate(text, budget, count), true
	}
	r.TokensOut = count(r.Text)
	r.Chunks = len(summary.Split(content, chunkTokens))
	return r, "llm", nil
}
