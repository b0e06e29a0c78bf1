package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// notes says in a line each what an answer lacks, "" for nothing.
func (t *tool) notes(body []byte) string {
	var a struct {
		Index      indexed
		Meta       meta
		Complete   *bool
		Incomplete []string
		Truncated  bool
		Total      int
		Changed    json.RawMessage // a flag in some answers, a list in others
		Next       int             `json:"next_offset"`
	}
	if json.Unmarshal(body, &a) != nil {
		return ""
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, "note: "+format+"\n", args...) }
	if a.Index.State == "indexing" {
		say("the index is still being built (%.0f%%), there may be more", 100*a.Index.Progress)
	} else if a.Index.Pending > 0 {
		say("%d changed paths are not in the index yet", a.Index.Pending)
	}
	if a.Index.State == "error" {
		say("the index could not be built as a whole: see status")
	}
	// A ranking is always cut at its limit, and what follows is worse.
	ranking := t.endpoint == "/search" || t.endpoint == "/related"
	why := a.Meta.TruncatedBy
	if ranking {
		why = slices.DeleteFunc(slices.Clone(why), func(cut string) bool { return cut == "limit" })
	}
	if a.Truncated || len(why) > 0 {
		text := "the answer is cut"
		if len(why) > 0 {
			text += " by " + strings.Join(why, ", ")
		}
		if a.Total > 0 {
			text += fmt.Sprintf("; there are %d", a.Total)
		}
		if a.Next > 0 {
			text += fmt.Sprintf("; offset %d continues", a.Next)
		}
		say("%s", text)
	}
	if a.Complete != nil && !*a.Complete {
		say("not complete: %s", strings.Join(a.Incomplete, "; "))
	}
	if a.Meta.Changed > 0 {
		say("%d of the files have changed since they were indexed", a.Meta.Changed)
	}
	if string(a.Changed) == "true" {
		say("the index has another content of the file")
	}
	if a.Meta.Unindexed {
		say("the path exists, but nothing at or below it is indexed")
	}
	return b.String()
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
