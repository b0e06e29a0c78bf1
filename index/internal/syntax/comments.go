package syntax

import (
	"bytes"
	"cmp"
	"slices"
)

// A Comment is one comment or docstring of a file.
type Comment struct {
	Start, End int    // byte offsets
	Text       string // as prose, without its marks; at most 2,000 bytes
}

// Comments returns the comments and docstrings of the file that Parse was last
// called for, by Start; src is that file. Comments inside comments are left
// out. Languages without a grammar have only their comments to the end of a
// line.
func (p *Parser) Comments(src []byte) []Comment {
	x := &p.work
	spans := slices.Concat(x.comments, x.docstrings)
	slices.SortFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	out := make([]Comment, 0, len(spans))
	last := 0
	for _, s := range spans {
		for s.End > s.Start && s.End <= len(src) && IsSpace(src[s.End-1]) {
			s.End-- // some grammars count the line break
		}
		if s.Start < last || s.End > len(src) || s.End <= s.Start {
			continue
		}
		last = s.End
		x.buf = appendProse(x.buf[:0], src[s.Start:s.End])
		out = append(out, Comment{s.Start, s.End, toValid(bytes.TrimSpace(cut(bytes.TrimSpace(x.buf), maxDoc)))})
	}
	return out
}
