package search

import (
	"strings"

	"github.com/quarry-search/quarry/index/answer"
)

// Lines returns the lines of its file that a result shows, or, when the reader has them,
// refers to.
func (r *Result) Lines() answer.Lines {
	return answer.Lines{File: r.File, Hash: r.FileHash, From: r.Line, To: r.EndLine}
}

// pack fills the budget of a query.
func (a *Answer) pack(q Query) {
	if q.MaxTokens <= 0 {
		return
	}
	packed, cut := Pack(a.Results, q.MaxTokens, func(r *Result) bool { return q.Sent.Has(r.Lines()) })
	if a.Results = packed; cut {
		a.cut(answer.CutTokens)
	}
}

// Pack fills a budget of tokens with results, which are in the order of their scores and
// stay in it. A result is given whole, or brief: the lines of its signature; or not at all.
// One that the reader has, as sent says, is given as a reference, which costs what a brief
// one does. The first is given whole if it fits, else up to the last line that does, and
// when there is none, nothing is. Of the others those are given, or made whole, that add
// most of their score for a token. cut reports whether any is brief or left out. The
// results themselves are not changed.
func Pack(results []Result, budget int, sent func(*Result) bool) (packed []Result, cut bool) {
	packed = make([]Result, 0, len(results))
	choices := make([]choice, len(results))
	offers := make([]*Offer, len(results))
	left := budget
	for i := range results {
		choices[i] = newChoice(&results[i], sent(&results[i]))
		offers[i] = &choices[i].Offer
		if i > 0 {
			continue
		}
		if left -= choices[0].first(budget); choices[0].Given == Nowhere {
			return packed, true
		}
	}
	Fill(offers, nil, left)
	for i := range choices {
		c := &choices[i]
		cut = cut || c.Given != c.Most || c.shortened
		if c.Given != Nowhere {
			packed = append(packed, c.forms[c.Given])
		}
	}
	return packed, cut
}

// briefWorth is what a brief form is worth, of the result's score: it says where to look,
// and whether to. On the development half of the benchmark, ten results in 500, 1,000 and
// 2,000 tokens hold 92.5, 96.9 and 97.5 % of the answers; whole results from the top alone
// 85.4, 93.5 and 97.5 %. From 0.2 to 0.5 that hardly changes.
const briefWorth = 0.3

// A choice is a result in its forms. One that is as long when it is brief has no short form, one
// that was sent no full one.
type choice struct {
	Offer
	forms     [3]Result
	shortened bool // the full form is not all of it
}

func newChoice(r *Result, sent bool) choice {
	c := choice{Offer: Offer{Worth: [forms]float64{Short: briefWorth * r.Score, Full: r.Score}, Most: Full}}
	if c.forms[Short] = r.BriefOf(); sent {
		c.forms[Short] = r.Reference()
	}
	if c.Cost[Short] = c.forms[Short].Tokens(); sent {
		c.Most = Short
		return c
	}
	c.forms[Full], c.Cost[Full] = *r, r.Tokens()
	if c.Cost[Short] >= c.Cost[Full] {
		c.Cost[Short] = 0
	}
	return c
}

// first gives the first result of all, and returns what that costs.
func (c *choice) first(budget int) int {
	switch f := c.Most; {
	case c.Cost[f] <= budget:
		c.Given = f
	case f == Full && c.forms[Full].shorten(budget):
		c.Cost[Full] = c.forms[Full].Tokens()
		c.Given, c.shortened = Full, true
	}
	return c.Cost[c.Given]
}

// Reference returns what stands for a result that the reader has.
func (r *Result) Reference() Result {
	b := r.BriefOf()
	b.Brief, b.Sent, b.EndLine = false, true, r.EndLine
	return b
}

// MaxSignatureLines bounds the lines that a signature is looked for on.
const MaxSignatureLines = 8

// BriefOf returns a result with the lines of its signature only: those that hold all of it,
// or the first one with text.
func (r *Result) BriefOf() Result {
	want := len(strings.Join(strings.Fields(r.Signature), ""))
	n, end := 0, 0
	for range MaxSignatureLines {
		line := r.Content[end:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		for _, word := range strings.Fields(line) {
			n += len(word)
		}
		if end += len(line); n >= want || end == len(r.Content) {
			break
		}
	}
	b := *r
	b.Content = strings.TrimRight(r.Content[:end], " \t\r\n")
	b.EndLine = r.Line + strings.Count(b.Content, "\n")
	b.Brief = true
	return b
}
