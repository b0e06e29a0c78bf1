package text

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// maxShown is how much of a result's content the relay shows, in the units of
// JavaScript's strings.
const maxShown = 100

type result struct {
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Content   string  `json:"content"`
	Score     float64 `json:"score"`
	Signature string  `json:"signature"`
	Project   string  `json:"project"`
	Changed   bool    `json:"changed"`
	Sent      bool    `json:"sent"`
}

// remarks are what the relay's own formats have no place for.
func (r *result) remarks() string {
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
func (r *result) score() string { return fmt.Sprintf("(%.0f%%)", math.Round(r.Score*100)) }

type answer struct {
	Query   string   `json:"query"`
	Results []result `json:"results"`
	Meta    meta     `json:"meta"`
}

type searchBody struct {
	answer
	Answers  []answer   `json:"answers"`
	Index    wire.Index `json:"index"`
	Projects []struct {
		Name  string     `json:"project"`
		Index wire.Index `json:"index"`
	} `json:"projects"`
}

// note says what the answers left out, and how far the indexes can be trusted.
func (s *searchBody) note(b *builder) {
	if len(s.Projects) == 0 {
		noteIndex(b, &s.Index)
	}
	for i := range s.Projects {
		p := &s.Projects[i]
		one := &builder{}
		noteIndex(one, &p.Index)
		for _, n := range one.notes {
			b.note("%s: %s", p.Name, strings.Trim(n, "[]"))
		}
	}
}

func search(b *builder, body []byte) error { return found(b, body, "## Search Results") }

func related(b *builder, body []byte) error { return found(b, body, "## Related Code") }

func found(b *builder, body []byte, title string) error {
	var s searchBody
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	if s.Answers == nil {
		s.Query = b.query
		s.answer.write(b, title)
		s.answer.Meta.note(b, len(s.Results), "")
	}
	for i := range s.Answers {
		a := &s.Answers[i]
		a.write(b, fmt.Sprintf("%s: %q", title, a.Query))
		one := &builder{}
		if a.Meta.note(one, len(a.Results), ""); len(one.notes) > 0 {
			b.linef("\n%s", strings.Join(one.notes, "\n"))
		}
		b.WriteString("\n")
	}
	s.note(b)
	return nil
}

// write writes results as the relay shows those of its command search.
func (a *answer) write(b *builder, title string) {
	if len(a.Results) == 0 && a.Meta.Matches > 0 {
		b.linef("No results are shown")
		return
	}
	if len(a.Results) == 0 {
		nothing(b, a.Query)
		return
	}
	b.linef("%s", title)
	for i := range a.Results {
		r := &a.Results[i]
		score := ""
		if r.Score != 0 {
			score = " " + r.score()
		}
		b.linef("\n%d. %s:%d%s%s\n   %s", i+1, r.File, r.Line, score, r.remarks(), clip(strings.TrimSpace(r.Content)))
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

// semantic writes results as the relay shows a list that a service gives. The body is
// that list, or the answer that it is from.
func semantic(b *builder, body []byte) error {
	var s searchBody
	var err error
	if len(body) > 0 && body[0] == '[' {
		err = json.Unmarshal(body, &s.Results)
	} else if err = json.Unmarshal(body, &s); err == nil {
		s.answer.Meta.note(b, len(s.Results), "")
		s.note(b)
	}
	if err != nil {
		return err
	}
	switch {
	case len(s.Results) > 0:
	case s.answer.Meta.Matches > 0:
		b.linef("No results are shown")
	default:
		nothing(b, b.query)
	}
	for i := range s.Results {
		r := &s.Results[i]
		b.linef("%s:%d %s %s%s", r.File, r.Line, r.Signature, r.score(), r.remarks())
	}
	return nil
}
