package te

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/index/grep"
)

// A Listing is an answer to find.
type Listing struct {
	Meta   Meta // without the handle
	Paths  []grep.FoundPath
	Crumbs []Crumb
	base   Base
}

// NewListing takes as many paths as fit, at most the strategy's preview.
func NewListing(f *grep.Found, o Options) *Listing {
	l := &Listing{Meta: o.meta("find"), base: o.Base}
	l.Meta.Matches = &f.Total
	n := min(len(f.Paths), max(o.Strategy.Preview, 1))
	if o.Limit > 0 {
		n = min(len(f.Paths), o.Limit)
	}
	left := o.Budget - reserve
	for i, p := range f.Paths[:n] {
		if left -= characters(l.row(p)) + 1; left < 0 && i > 0 {
			n = i
			break
		}
	}
	l.Paths = f.Paths[:n]
	if rest := f.Paths[n:]; len(rest) > 0 {
		l.Meta.Truncated = true
		l.Crumbs = append(l.Crumbs, Crumb{n, l.leftOf(rest)})
	}
	if text := Unlisted(f.Secret); text != "" {
		l.Crumbs = append(l.Crumbs, Crumb{n, text})
	}
	return l
}

// Unlisted says how many files are left out of a list for their names, "" for none.
func Unlisted(secret int) string {
	if secret == 0 {
		return ""
	}
	return fmt.Sprintf("%d with names of keys or credentials are not listed", secret)
}

// leftOf says how many paths are left, and in which folder most of them are.
func (l *Listing) leftOf(rest []grep.FoundPath) string {
	in := map[string]int{}
	best := ""
	for _, p := range rest {
		dir, _, below := strings.Cut(p.Path, "/")
		if !below {
			continue
		}
		in[dir]++
		if cmp.Or(cmp.Compare(in[dir], in[best]), strings.Compare(best, dir)) > 0 {
			best = dir
		}
	}
	if 2*in[best] < len(rest) || best == "" {
		return fmt.Sprintf("%d more", len(rest))
	}
	text := fmt.Sprintf("%d more in %s/", in[best], l.base.Path(best))
	if n := len(rest) - in[best]; n > 0 {
		text += fmt.Sprintf(", %d elsewhere", n)
	}
	return text
}

// ListingPage renders a page of the paths that an answer left out.
func ListingPage(total int, paths []grep.FoundPath, at Place, base Base) *Listing {
	l := &Listing{Meta: newMeta("find"), Paths: paths, Crumbs: at.crumb(len(paths)), base: base}
	l.Meta.Matches, l.Meta.Truncated = &total, !at.last()
	return l
}

// PathCost returns how many characters a path takes as a row.
func PathCost(base Base, p grep.FoundPath) int {
	l := Listing{base: base}
	return characters(l.row(p)) + 1
}

// row renders a path; a folder ends with a slash.
func (l *Listing) row(p grep.FoundPath) string {
	if p.Dir {
		return strings.TrimSuffix(l.base.Path(p.Path), "/") + "/"
	}
	return l.base.Path(p.Path)
}

// Text renders the answer; the header has the handle, if there is one.
func (l *Listing) Text(handle string) string {
	l.Meta.Handle = handle
	return render(l.Meta, l.rows(), l.Crumbs)
}

func (l *Listing) rows() []string {
	rows := make([]string, len(l.Paths))
	for i, p := range l.Paths {
		rows[i] = l.row(p)
	}
	return rows
}

// RawPaths renders paths as find does.
func RawPaths(base Base, paths []grep.FoundPath) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(base.Path(p.Path) + "\n")
	}
	return b.String()
}
