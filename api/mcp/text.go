package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// longest is how long the lists of an answer may be that have no limit of their own.
const longest = 30

// A rest counts what bound has cut.
type rest struct{ tests, files, leftOut, unfollowed int }

// bound cuts such lists of files, and counts what it cuts: a change of what everything rests
// on has hundreds of tests. What it is given stays as it is.
func bound(answer any) (cut any, more rest) {
	switch a := answer.(type) {
	case *wire.ImpactResponse:
		b := *a
		b.Tests, more.tests = begin(a.Tests)
		b.Files, more.files = begin(a.Files)
		b.LeftOut, more.leftOut = begin(a.LeftOut)
		b.Unfollowed, more.unfollowed = begin(a.Unfollowed)
		return &b, more
	case *wire.SkeletonResponse:
		b := *a
		b.Files, _ = begin(a.Files)
		b.LeftOut, more.leftOut = begin(a.LeftOut)
		b.LeftOutMore += more.leftOut
		return &b, more
	}
	return answer, more
}

// begin returns the beginning of a list, and how much comes after it.
func begin[T any](list []T) (first []T, more int) {
	n := min(len(list), longest)
	return list[:n], len(list) - n
}

// more says in a line each how a list that is cut goes on, "" where it does not. What else
// an answer lacks its text says by itself.
func more(out any) string {
	text := ""
	if a, ok := out.(*affected); ok && a.TestsMore > 0 {
		text = fmt.Sprintf("[%d more test files]\n", a.TestsMore)
	}
	if p, ok := out.(interface{ next() int }); ok && p.next() > 0 {
		text += fmt.Sprintf("[offset %d continues]\n", p.next())
	}
	return text
}

// source lists the code of results that were asked for with it.
func (f *found) source() string {
	var b strings.Builder
	for _, r := range f.Results {
		if r.Content == "" {
			continue
		}
		fmt.Fprintf(&b, "\n%s:%d\n%s\n", r.File, r.Line, strings.TrimRight(r.Content, "\n"))
	}
	return b.String()
}

// text says in a few lines what the status is.
func (s *state) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, %s: %d files, %d symbols", s.Root, s.Index.State, s.Index.Freshness, s.Index.Files, s.Index.Symbols)
	if s.Index.Vectors < 1 {
		fmt.Fprintf(&b, ", vectors of %.0f%%", 100*s.Index.Vectors)
	}
	if r := s.Index.Refined; r != nil && *r < 1 {
		fmt.Fprintf(&b, ", refined to %d%%", int(100**r))
	}
	b.WriteString("\nlanguages: " + tally(s.Coverage.Languages))
	if s.Coverage.Skipped > 0 {
		fmt.Fprintf(&b, "\nleft out: %d files (%s)", s.Coverage.Skipped, tally(s.Coverage.Reasons))
	}
	if s.Coverage.ParseErrors > 0 {
		fmt.Fprintf(&b, "\nsyntax errors in %d files", s.Coverage.ParseErrors)
	}
	if len(s.Coverage.Unparsed) > 0 {
		b.WriteString("\nindexed without a syntax tree, so without calls: " + tally(s.Coverage.Unparsed))
	}
	if s.NoModel != "" {
		b.WriteString("\nno search by meaning: " + s.NoModel)
	}
	if s.Index.LastError != "" {
		b.WriteString("\nlast error: " + s.Index.LastError)
	}
	if len(s.Projects) > 1 {
		b.WriteString("\nprojects:")
		for _, p := range s.Projects {
			b.WriteString(" " + p.Name)
		}
	}
	return b.String() + "\n"
}

// tally lists counts, the largest first.
func tally(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, m[name])
	}
	return strings.Join(names, ", ")
}
