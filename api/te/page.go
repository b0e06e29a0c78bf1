package te

import (
	"fmt"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index"
)

// A Pager divides rows into pages that each fit into a budget.
type Pager struct {
	Budget int   // characters of a page
	Starts []int // the row with which each page begins
	rows   int
	used   int
}

// Add counts the next row; it takes so many characters. A row that is longer than a
// page has one for itself.
func (p *Pager) Add(cost int) {
	if len(p.Starts) == 0 || p.used+cost > p.Budget-reserve {
		p.Starts = append(p.Starts, p.rows)
		p.used = 0
	}
	p.used += cost
	p.rows++
}

// Pages returns how many there are, at least one.
func (p *Pager) Pages() int { return max(len(p.Starts), 1) }

// Page returns the rows of a page, counted from 1: from the first up to before the
// last.
func (p *Pager) Page(n int) (from, to int) {
	if len(p.Starts) == 0 {
		return 0, 0
	}
	from, to = p.Starts[n-1], p.rows
	if n < len(p.Starts) {
		to = p.Starts[n]
	}
	return from, to
}

// Cost returns how many characters a match takes as a row.
func Cost(base Base, l *index.GrepLine) int {
	r := Result{base: base}
	return characters(r.line(l)) + 1
}

// pageCrumb says which part of a result a page is.
func pageCrumb(rows, page, pages int) []Crumb {
	return []Crumb{{rows, fmt.Sprintf("chunk %d of %d", page, pages)}}
}

// GrepPage renders a page of the lines that an answer left out.
func GrepPage(g *index.Grep, lines []index.GrepLine, gone, page, pages int, base Base) *Result {
	r := &Result{Meta: newMeta("grep"), Lines: lines, base: base}
	r.Meta.Matches, r.Meta.Files = &g.Matches, g.Files
	r.Meta.Truncated = page < pages
	r.Crumbs = pageCrumb(len(lines), page, pages)
	if gone > 0 {
		r.note(fmt.Sprintf("%d in files that have changed meanwhile", gone))
	}
	return r
}

// CutText returns how many bytes of a text to show: at most so many lines, if lines
// is not 0, and characters, up to the end of a line where one fits, else in a line.
func CutText(text string, lines, chars int) int {
	end, seen := 0, 0
	for at := 0; at < len(text); {
		_, n := utf8.DecodeRuneInString(text[at:])
		if chars == 0 {
			if end == 0 {
				return at
			}
			return end
		}
		chars--
		at += n
		if text[at-1] == '\n' {
			end = at
			if seen++; seen == lines {
				return end
			}
		}
	}
	return len(text)
}
