package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// more says in a line how a list that is cut goes on, "" where it does not. What else
// an answer lacks its text says by itself.
func more(body []byte) string {
	var a struct {
		Next int `json:"next_offset"`
	}
	if json.Unmarshal(body, &a) != nil || a.Next == 0 {
		return ""
	}
	return fmt.Sprintf("[offset %d continues]\n", a.Next)
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
	b.WriteString("\nlanguages: " + tally(s.Coverage.Languages))
	if s.Coverage.Skipped > 0 {
		fmt.Fprintf(&b, "\nleft out: %d files (%s)", s.Coverage.Skipped, tally(s.Coverage.Reasons))
	}
	if s.Coverage.ParseErrors > 0 {
		fmt.Fprintf(&b, "\nsyntax errors in %d files", s.Coverage.ParseErrors)
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
