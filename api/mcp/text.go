package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// longest is how long the lists of an answer may be that have no limit of their own.
const longest = 30

// bound cuts such lists of files, and counts what it cuts under the list's name and
// _more: a change of what everything rests on has hundreds of tests.
func bound(body []byte) ([]byte, error) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	cut := false
	for _, name := range []string{"tests", "files", "left_out", "unfollowed"} {
		var list []json.RawMessage
		var before int // that are not in the list already
		if json.Unmarshal(answer[name], &list) != nil || len(list) <= longest {
			continue
		}
		if text, ok := answer[name+"_more"]; ok {
			if err := json.Unmarshal(text, &before); err != nil {
				return nil, err
			}
		}
		var err error
		if answer[name], err = json.Marshal(list[:longest]); err != nil {
			return nil, err
		}
		answer[name+"_more"] = json.RawMessage(strconv.Itoa(before + len(list) - longest))
		cut = true
	}
	if !cut {
		return body, nil
	}
	return json.Marshal(answer)
}

// more says in a line each how a list that is cut goes on, "" where it does not. What else
// an answer lacks its text says by itself.
func more(body []byte) string {
	var a struct {
		Next  int `json:"next_offset"`
		Tests int `json:"tests_more"`
	}
	if json.Unmarshal(body, &a) != nil {
		return ""
	}
	text := ""
	if a.Tests > 0 {
		text = fmt.Sprintf("[%d more test files]\n", a.Tests)
	}
	if a.Next > 0 {
		text += fmt.Sprintf("[offset %d continues]\n", a.Next)
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
