package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// maxShown is how much of a result's content the relay shows, in the units of
// JavaScript's strings.
const maxShown = 100

// remarks are what the relay's own formats have no place for.
func remarks(r *wire.SearchResult) string {
	text := ""
	if r.Project != "" {
		text += " [" + r.Project + "]"
	}
	if r.Changed {
		text += " [changed since]"
	}
	if r.Sent {
		text += " [sent before]"
	}
	return text
}

// score is the relay's: in percent, without a digit after the point.
func score(r *wire.SearchResult) string { return fmt.Sprintf("(%.0f%%)", math.Round(r.Score*100)) }

// noteIndexes says how far the indexes of a search can be trusted.
func noteIndexes(b *builder, index *wire.Index, projects []wire.ProjectState) {
	if len(projects) == 0 {
		noteIndex(b, index)
	}
	for i := range projects {
		p := &projects[i]
		one := &builder{}
		noteIndex(one, &p.Index)
		for _, n := range one.notes {
			b.note("%s: %s", p.Project, strings.Trim(n, "[]"))
		}
	}
}

// noteUnasked names projects that have nothing in the answer, whatever they have.
func noteUnasked(b *builder, u *wire.Unasked) {
	if u == nil {
		return
	}
	const most = 10
	var names []string
	for _, p := range u.Projects[:min(len(u.Projects), most)] {
		names = append(names, fmt.Sprintf("%s (%s)", p.Project, p.Reason))
	}
	if left := u.Total - len(names); left > 0 {
		names = append(names, fmt.Sprintf("and %d more", left))
	}
	b.note("projects that were not asked: %s", strings.Join(names, ", "))
}

// resultsTitle is the line above the results of a search, or of what is like a place.
func resultsTitle(m *wire.Meta) string {
	if m.Command == "related" {
		return "## Related Code"
	}
	return "## Search Results"
}

func found(b *builder, a *wire.SearchResponse) {
	results(b, a.Results, &a.Meta, b.query, resultsTitle(&a.Meta))
	noteMeta(b, &a.Meta, len(a.Results))
	noteIndexes(b, &a.Index, a.Projects)
	noteUnasked(b, a.Unasked)
}

func batch(b *builder, a *wire.BatchResponse) {
	for i := range a.Answers {
		one := &a.Answers[i]
		results(b, one.Results, &one.Meta, one.Query, fmt.Sprintf("%s: %q", resultsTitle(&one.Meta), one.Query))
		notes := &builder{}
		if noteMeta(notes, &one.Meta, len(one.Results)); len(notes.notes) > 0 {
			b.linef("\n%s", strings.Join(notes.notes, "\n"))
		}
		b.WriteString("\n")
	}
	noteIndexes(b, &a.Index, a.Projects)
	noteUnasked(b, a.Unasked)
}

// results writes results as the relay shows those of its command search.
func results(b *builder, list []wire.SearchResult, m *wire.Meta, query, title string) {
	if len(list) == 0 && m.Matches > 0 {
		b.linef("No results are shown")
		return
	}
	if len(list) == 0 {
		nothing(b, query)
		return
	}
	b.linef("%s", title)
	for i := range list {
		r := &list[i]
		percent := ""
		if r.Score != 0 {
			percent = " " + score(r)
		}
		b.linef("\n%d. %s:%d%s%s\n   %s", i+1, r.File, r.Line, percent, remarks(r), clip(strings.TrimSpace(r.Content)))
		if r.Why != nil {
			b.linef("   why: %s", r.Why.Text())
		}
	}
}

func nothing(b *builder, query string) {
	if query == "" {
		b.linef("No results found")
		return
	}
	b.linef(`No results found for: "%s"`, query)
}

// clip returns as much of a text as the relay shows, never half of a character.
func clip(text string) string {
	n := 0
	for i, c := range text {
		if n++; c > 0xFFFF { // a pair, in JavaScript
			n++
		}
		if n > maxShown {
			return text[:i]
		}
	}
	return text
}

// List returns the text of an answer to a search as the relay shows a list that a service
// gives: a line for each place. Other answers are as Render gives them.
func List(answer any, query string) (string, error) {
	b := &builder{query: query}
	a, ok := answer.(*wire.SearchResponse)
	if batch, several := answer.(*wire.BatchResponse); several {
		a, ok = &wire.SearchResponse{Index: batch.Index, Projects: batch.Projects, Unasked: batch.Unasked}, true
	}
	if !ok {
		return Render(answer, query)
	}
	noteMeta(b, &a.Meta, len(a.Results))
	noteIndexes(b, &a.Index, a.Projects)
	noteUnasked(b, a.Unasked)
	switch {
	case len(a.Results) > 0:
	case a.Meta.Matches > 0:
		b.linef("No results are shown")
	default:
		nothing(b, b.query)
	}
	for i := range a.Results {
		row(b, &a.Results[i])
	}
	return b.text(), nil
}

// row writes a result as a line.
func row(b *builder, r *wire.SearchResult) {
	why := ""
	if r.Why != nil {
		why = " [why: " + r.Why.Text() + "]"
	}
	b.linef("%s:%d %s %s%s%s", r.File, r.Line, r.Signature, score(r), remarks(r), why)
}
