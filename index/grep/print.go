package grep

import (
	"bytes"
	"strconv"

	"github.com/quarry-search/quarry/index/internal/line"
)

// A Form says what is printed of the lines that match, as grep's options do. The zero value
// is PATH:LINE:TEXT for each.
type Form struct {
	Invert    bool // of the lines that do not match; in what follows those are the matches
	Only      bool // each match on a line of its own, without what is around it
	Count     bool // how many lines match, for every file
	NoZeros   bool // no count of files without a match
	With      bool // the files with a match
	Without   bool // the files without one
	Before    *int // lines before each match; nil: none, and no marks between groups of lines
	After     *int // and after it
	PerFile   int  // matches of a file at most; 0: all
	NoNames   bool // without the path
	NoNumbers bool // without the number of the line
}

// whole reports whether a file is listed that has no match.
func (f *Form) whole() bool { return f.Invert || f.Count && !f.NoZeros || f.Without }

// context reports whether groups of lines are marked.
func (f *Form) context() bool {
	return (f.Before != nil || f.After != nil) && !f.Count && !f.With && !f.Without
}

// A printer prints what one file adds to the output.
type printer struct {
	form   *Form
	name   string
	src    []byte
	search *line.Searcher
	stop   func() bool
	out    *grepBlock

	line, at int // the last line that is printed, or is left out of it, and where the next one begins
}

// print fills the block, with at least so many lines of output, if there are.
func (p *printer) print(enough int) {
	p.lines(func(n, start, end int) bool {
		p.out.matches++
		switch f := p.form; {
		case f.With, f.Without:
			return false
		case !f.Count:
			p.selected(n, start, end)
		}
		return p.out.matches != p.form.PerFile && (enough == 0 || p.out.rows < enough || p.form.Count)
	})
	switch f := p.form; {
	case f.With, f.Without:
		if f.Without != (p.out.matches > 0) {
			p.row(p.name)
		}
	case f.Count && f.NoZeros && p.out.matches == 0:
	case f.Count:
		p.prefix(0, ':')
		p.row(strconv.Itoa(p.out.matches))
	default:
		p.after(int(^uint(0) >> 1))
	}
}

// lines calls yield with the lines that are selected, until it returns false.
func (p *printer) lines(yield func(n, start, end int) bool) {
	if !p.form.Invert {
		p.search.Each(p.src, p.stop, yield)
		return
	}
	next, at, more := 1, 0, true // the first line that is not looked at
	upTo := func(n int) {
		for more && at < len(p.src) && (n == 0 || next < n) {
			end := lineEnd(p.src, at)
			more = yield(next, at, end)
			next, at = next+1, end+1
		}
	}
	complete := p.search.Each(p.src, p.stop, func(n, start, end int) bool {
		upTo(n)
		next, at = n+1, end+1
		return more
	})
	if complete {
		upTo(0)
	}
}

func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(src)
}

// selected prints a line with those before it, and those after the last one.
func (p *printer) selected(n, start, end int) {
	f := p.form
	p.after(n - 1)
	first := n
	from := start
	if f.Before != nil {
		for k := 0; k < *f.Before && first > p.line+1 && from > p.at; k++ {
			from = bytes.LastIndexByte(p.src[:from-1], '\n') + 1
			first--
		}
	}
	if f.context() && (p.out.groups == 0 || first > p.line+1) {
		if p.out.groups++; p.out.groups > 1 {
			p.row("--")
		}
	}
	for ; first < n; first++ {
		to := lineEnd(p.src, from)
		p.text(first, '-', p.src[from:to])
		from = to + 1
	}
	p.text(n, ':', p.src[start:end])
	p.line, p.at = n, end+1
}

// after prints the lines after the last that was selected, up to one.
func (p *printer) after(last int) {
	if p.form.After == nil || p.line == 0 {
		return
	}
	for k := 0; k < *p.form.After && p.line < last && p.at < len(p.src); k++ {
		end := lineEnd(p.src, p.at)
		p.line++
		p.text(p.line, '-', p.src[p.at:end])
		p.at = end + 1
	}
}

// text prints a line, or the matches in it where only those are wanted. grep leaves out those
// of a line that is selected because it has none.
func (p *printer) text(n int, mark byte, text []byte) {
	if p.form.Only {
		if !p.form.Invert || mark == '-' {
			p.search.Matches(text, p.stop, func(from, to int) {
				p.prefix(n, mark)
				p.row(string(text[from:to]))
			})
		}
		return
	}
	p.prefix(n, mark)
	p.out.text = append(append(p.out.text, text...), '\n')
	p.out.rows++
}

// prefix prints the path and, if it is not 0, the number of a line.
func (p *printer) prefix(n int, mark byte) {
	if !p.form.NoNames {
		p.out.text = append(append(p.out.text, p.name...), mark)
	}
	if n > 0 && !p.form.NoNumbers {
		p.out.text = append(strconv.AppendInt(p.out.text, int64(n), 10), mark)
	}
}

func (p *printer) row(text string) {
	p.out.text = append(append(p.out.text, text...), '\n')
	p.out.rows++
}
