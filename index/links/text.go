package links

import (
	"bytes"
	"regexp"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A sourceText is the text of the file whose sites are gone through.
type sourceText struct {
	of    *store.Record
	text  []byte
	lines []int // where they begin
}

// names reports whether a call says the name that it goes by, or another one that an
// import gives it. The value that a function returned goes by the function's path, too:
// calling that is not calling the function.
func (t *sourceText) names(r *store.Record, s graph.Site) bool {
	if r == nil {
		return false
	}
	if t.of != r {
		t.of, t.text, t.lines = r, r.Text.All(), append(t.lines[:0], 0)
		for i := 0; ; {
			n := bytes.IndexByte(t.text[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			t.lines = append(t.lines, i)
		}
	}
	if n := s.Pos.Line(); n < 1 || n > len(t.lines) {
		return false
	}
	start := t.lines[s.Pos.Line()-1] + s.Pos.Column() - 1
	end := start
	for end < len(t.text) && isWordByte(t.text[end]) {
		end++
	}
	if start >= end {
		return false
	}
	said := string(t.text[start:end])
	_, name, _ := calls.LastPart(s.Name)
	switch said {
	case name, "super", "base", "parent": // the last ones run a constructor
		return true
	}
	alias := regexp.MustCompile(`\bas\s+` + regexp.QuoteMeta(said) + `\b|\busing\s+` + regexp.QuoteMeta(said) + `\s*=`)
	return r.Lang != "go" && alias.Match(t.text)
}
