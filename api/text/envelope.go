package text

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// An envelopeBody is what /grep, /cat, /find or a handle's chunk has.
type envelopeBody struct {
	Matches []struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Content string `json:"content"`
		Symbol  string `json:"symbol"`
	} `json:"matches"`
	Content *string `json:"content"`
	File    string  `json:"file"`
	Start   int     `json:"start"`
	Paths   []struct {
		Path string `json:"path"`
		Dir  bool   `json:"dir"`
	} `json:"paths"`
	Results []result `json:"results"`

	Handle      string     `json:"handle"`
	Chunk       int        `json:"chunk"`
	Chunks      int        `json:"chunks"`
	Breadcrumbs []string   `json:"breadcrumbs"`
	Changed     bool       `json:"changed"`
	Unread      int        `json:"unread"`
	Clamped     []string   `json:"clamped"`
	Index       wire.Index `json:"index"`
	Meta        struct {
		Cmd       string `json:"cmd"`
		Matches   *int   `json:"matches"`
		Lines     *int   `json:"lines"`
		Truncated bool   `json:"truncated"`
		Handle    string `json:"handle"`
	} `json:"meta"`
}

// envelope writes lines as grep prints them with their numbers, the lines of a file as
// they are, and paths one by one.
func envelope(b *builder, body []byte) error {
	var a envelopeBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	shown := len(a.Matches) + len(a.Paths) + len(a.Results)
	for _, m := range a.Matches {
		b.linef("%s:%d: %s", m.File, m.Line, strings.TrimRight(m.Content, "\n"))
	}
	if a.Content != nil {
		a.lines(b)
	}
	for _, p := range a.Paths {
		if p.Dir {
			p.Path += "/"
		}
		b.linef("%s", p.Path)
	}
	for i := range a.Results {
		r := &a.Results[i]
		b.linef("%s:%d %s %s%s", r.File, r.Line, r.Signature, r.score(), r.remarks())
	}
	if shown == 0 && a.Content == nil {
		b.linef("No results found")
	}
	if m := a.Meta.Matches; m != nil && a.Chunk == 0 && *m > shown {
		b.note("%d of %d shown", shown, *m)
	}
	for _, c := range a.Breadcrumbs {
		b.note("%s", c)
	}
	switch {
	case a.Chunk > 0 && a.Chunk < a.Chunks:
		b.note("part %d of %d; the next: GET /handles/%s?chunk=%d", a.Chunk, a.Chunks, a.Handle, a.Chunk+1)
	case a.Meta.Handle != "":
		b.note("the rest: GET /handles/%s", a.Meta.Handle)
	case a.Meta.Truncated && a.Chunk == 0:
		b.note("not all is shown")
	}
	a.remarks(b)
	return nil
}

// lines writes a part of a file below a line that says which.
func (a *envelopeBody) lines(b *builder) {
	n := strings.Count(*a.Content, "\n")
	if *a.Content != "" && !strings.HasSuffix(*a.Content, "\n") {
		n++
	}
	if a.File != "" {
		all := ""
		if a.Meta.Lines != nil {
			all = fmt.Sprintf(" of %d", *a.Meta.Lines)
		}
		part := "no lines"
		if n > 0 {
			part = fmt.Sprintf("lines %d-%d", a.Start, a.Start+n-1)
		}
		b.linef("%s (%s%s)", a.File, part, all)
	}
	b.WriteString(*a.Content)
}

// remarks notes what the answer's form does not say.
func (a *envelopeBody) remarks(b *builder) {
	if a.Changed {
		b.note("the file has changed since it was indexed")
	}
	if a.Unread > 0 {
		b.note("files that could not be read: %d", a.Unread)
	}
	if len(a.Clamped) > 0 {
		b.note("lowered to the maximum: %s", strings.Join(a.Clamped, ", "))
	}
	noteIndex(b, &a.Index)
}

// relay writes the answers to service lines. Each of several stands below what was
// asked, without the arrow: a relay that reads the text must not take it for a request.
func relay(b *builder, body []byte) error {
	var a struct {
		Answers []struct {
			Service string `json:"service"`
			Line    string `json:"line"`
			Text    string `json:"text"`
		} `json:"answers"`
		Lines      int `json:"lines"`
		Understood int `json:"understood"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	for i, one := range a.Answers {
		if a.Lines > 1 {
			if i > 0 {
				b.WriteString("\n")
			}
			b.linef("## %s", strings.TrimPrefix(one.Line, "->relay:"))
		}
		b.linef("%s", one.Text)
	}
	switch {
	case a.Understood > len(a.Answers):
		b.note("%d of %d lines were requests, and the first %d of them are answered", a.Understood, a.Lines, len(a.Answers))
	case a.Lines > 1:
		b.note("%d of %d lines were requests", a.Understood, a.Lines)
	}
	return nil
}
