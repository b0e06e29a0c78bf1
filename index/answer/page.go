package answer

import (
	"slices"
)

// A Page says how much of an answer there is, and how much of it was given.
type Page struct {
	Total     int   `json:"total"` // before limit and budget
	Truncated bool  `json:"truncated"`
	Next      int   `json:"next_offset,omitempty"` // the offset with which to ask for what comes next; 0: nothing does
	Cuts      []Cut `json:"-"`                     // what left something out; none unless Truncated
	Checked   `json:"-"`
}

// Cut notes that something was left out.
func (p *Page) Cut(c Cut) {
	p.Truncated = true
	if !slices.Contains(p.Cuts, c) {
		p.Cuts = append(p.Cuts, c)
	}
}

// PageOf returns the part of a list that a request asks for, and notes what comes
// after it.
func PageOf[T any](p *Page, list []T, offset, limit int) []T {
	p.Total = len(list)
	offset = min(max(offset, 0), len(list))
	end := min(offset+limit, len(list))
	if end < len(list) {
		p.Cut(CutLimit)
		p.Next = end
	}
	return list[offset:end]
}

// Shorten notes that only n entries of a list that began at an offset are given,
// because of a bound of the caller's.
func (p *Page) Shorten(offset, n int, why Cut) {
	p.Cut(why)
	p.Next = offset + n
}

// Fewer returns how many of n entries an answer keeps that is to be about a share of what it
// is, because of a bound of the caller's: fewer than before, but one at least. Of one entry,
// or of none, it keeps all.
func Fewer(n int, share float64) int {
	return max(min(n, 1), min(int(share*float64(n)), n-1))
}

// SomeOf is the part of a list that Fewer keeps.
func SomeOf[T any](list []T, share float64) []T { return list[:Fewer(len(list), share)] }

// Omit leaves out what someOf does not keep, counts it, and reports whether that is any.
func Omit[T any](list *[]T, omitted *int, share float64) bool {
	before := len(*list)
	*list = SomeOf(*list, share)
	*omitted += before - len(*list)
	return len(*list) < before
}

// A Cut is a bound that left something out of an Answer.
type Cut string

// The cuts.
const (
	CutLimit   Cut = "limit"      // Query.Limit
	CutPerFile Cut = "per_file"   // Query.PerFile, or where nobody says the 5 chunks that a ranking gives of one file
	CutScore   Cut = "min_score"  // Query.MinScore
	CutTokens  Cut = "max_tokens" // Query.MaxTokens
	CutMatches Cut = "matches"    // lines beyond the first 10,000 are not counted: Matches is a lower bound
	CutLeftOut Cut = "left_out"   // lines of files that the index leaves out for their form match, too, with Regex: Grep has them
	CutTime    Cut = "time"       // the deadline: what comes after in the order was not looked at
)

func Tokens(characters int) int { return (characters + 3) / 4 }
