package te

import (
	"fmt"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/grep"
)

// A Pager divides rows into pages that each fit into a budget. Rows can be added
// whenever they are needed.
type Pager struct {
	Budget int   // characters of a page
	Starts []int // the row with which each page begins
	Rows   int   // that were added
	used   int   // characters of the last page
}

// Add counts the next row; it takes so many characters. A row that is longer than a
// page has one for itself.
func (p *Pager) Add(cost int) {
	if len(p.Starts) == 0 || p.used+cost > p.Budget-reserve {
		p.Starts = append(p.Starts, p.Rows)
		p.used = 0
	}
	p.used += cost
	p.Rows++
}

// Pages returns how many there are, at least one. Rows that come after those that were
// added are counted by what they take together, in characters.
func (p *Pager) Pages(rest int64) int {
	return max(len(p.Starts), 1) + int(rest/int64(max(p.Budget-reserve, 1)))
}

// Has reports whether a page, counted from 1, is known to its end.
func (p *Pager) Has(n int) bool { return len(p.Starts) > n }

// Page returns the rows of a page: from the first up to before the last.
func (p *Pager) Page(n int) (from, to int) {
	if n > len(p.Starts) {
		return p.Rows, p.Rows
	}
	from, to = p.Starts[n-1], p.Rows
	if p.Has(n) {
		to = p.Starts[n]
	}
	return from, to
}

// Cost returns how many characters a match takes as a row.
func Cost(base Base, l *grep.GrepLine) int {
	r := Result{base: base}
	return characters(r.line(l)) + 1
}

// A Place says which page of how many one is.
type Place struct {
	Page, Pages int
	About       bool // nobody has counted the pages
}

// last reports whether no page comes after it.
func (p Place) last() bool { return p.Page >= p.Pages && !p.About }

// crumb says which part of a result a page with so many rows is.
func (p Place) crumb(rows int) []Crumb {
	of := "of"
	if p.About {
		of = "of about"
	}
	return []Crumb{{rows, fmt.Sprintf("chunk %d %s %d", p.Page, of, p.Pages)}}
}

// GrepPage renders a page of the lines that an answer left out.
func GrepPage(g *grep.GrepAnswer, lines []grep.GrepLine, gone int, at Place, base Base) *Result {
	r := &Result{Meta: newMeta("grep"), Lines: lines, base: base}
	r.Meta.Matches, r.Meta.Files = &g.Matches, g.Files
	r.Meta.Truncated = !at.last()
	r.Crumbs = at.crumb(len(lines))
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
