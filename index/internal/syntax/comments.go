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
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := make([]Comment, 0, len(spans))
	last := 0
	for _, s := range spans {
		for s.end > s.start && s.end <= len(src) && isSpace(src[s.end-1]) {
			s.end-- // some grammars count the line break
		}
		if s.start < last || s.end > len(src) || s.end <= s.start {
			continue
		}
		last = s.end
		x.buf = appendProse(x.buf[:0], src[s.start:s.end])
		out = append(out, Comment{s.start, s.end, toValid(bytes.TrimSpace(cut(bytes.TrimSpace(x.buf), maxDoc)))})
	}
	return out
}
