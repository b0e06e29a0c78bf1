package search

import (
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
)

// Tokens estimates what a result costs whoever reads it: a quarter of the
// characters of its file, signature and content, rounded up.
func (r *Result) Tokens() int {
	return answer.Tokens(utf8.RuneCountInString(r.File) + utf8.RuneCountInString(r.Signature) + utf8.RuneCountInString(r.Content))
}

// fit leaves out from the end what exceeds a budget of tokens; 0: nothing does.
func (a *Answer) fit(budget int) {
	if budget <= 0 {
		return
	}
	left := budget
	for i := range a.Results {
		r := &a.Results[i]
		if left -= r.Tokens(); left >= 0 {
			continue
		}
		a.cut(answer.CutTokens)
		if i == 0 && r.shorten(budget) {
			i = 1
		}
		a.Results = a.Results[:i]
		return
	}
}

// shorten cuts a result's content after the last line with which it fits the
// budget, and reports whether there is one.
func (r *Result) shorten(budget int) bool {
	whole, end := r.Content, r.EndLine
	for {
		i := strings.LastIndexByte(r.Content, '\n')
		if i <= 0 {
			r.Content, r.EndLine = whole, end
			return false
		}
		r.Content = strings.TrimRight(r.Content[:i], " \t\r\n")
		r.EndLine = r.Line + strings.Count(r.Content, "\n")
		if r.Tokens() <= budget {
			return true
		}
	}
}
