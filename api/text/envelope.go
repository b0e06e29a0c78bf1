package text

import (
	"fmt"
	"path"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// grep writes lines as grep prints them with their numbers.
func grep(b *builder, a *wire.GrepResponse) {
	if a.Rows != nil {
		rows(b, a.Rows)
		noteRest(b, &a.Meta, a.Breadcrumbs)
	} else {
		matches(b, a.Matches)
		rest(b, len(a.Matches), &a.Meta, a.Breadcrumbs)
	}
	if a.Unread > 0 {
		b.note("files that could not be read: %d", a.Unread)
	}
	noteClamped(b, a.Clamped)
	noteIndex(b, &a.Index)
	noteUnasked(b, a.Unasked)
}

func matches(b *builder, list []wire.GrepMatch) {
	for _, m := range list {
		b.linef("%s:%d: %s", path.Join(m.Project, m.File), m.Line, strings.TrimRight(m.Content, "\n"))
	}
}

// rows writes what grep prints.
func rows(b *builder, list []string) {
	if len(list) == 0 {
		b.linef("No results found")
	}
	for _, row := range list {
		b.linef("%s", row)
	}
}

// cat writes the lines of a file as they are, below a line that says which.
func cat(b *builder, a *wire.CatResponse) {
	n := strings.Count(a.Content, "\n")
	if a.Content != "" && !strings.HasSuffix(a.Content, "\n") {
		n++
	}
	part := "no lines"
	if n > 0 {
		part = fmt.Sprintf("lines %d-%d", a.Start, a.Start+n-1)
	}
	b.linef("%s (%s of %d)", a.File, part, a.Meta.Lines)
	b.WriteString(a.Content)
	noteRest(b, &a.Meta, a.Breadcrumbs)
	if a.Changed {
		b.note("the file has changed since it was indexed")
	}
	noteClamped(b, a.Clamped)
	noteIndex(b, &a.Index)
}

// find writes paths one by one.
func find(b *builder, a *wire.FindResponse) {
	paths(b, a.Paths)
	rest(b, len(a.Paths), &a.Meta, a.Breadcrumbs)
	noteClamped(b, a.Clamped)
	noteIndex(b, &a.Index)
}

func paths(b *builder, list []wire.FoundPath) {
	for _, p := range list {
		if p.Dir {
			p.Path += "/"
		}
		b.linef("%s", p.Path)
	}
}

// handle writes a part of what one of them left out.
func handle(b *builder, a *wire.HandleResponse) {
	matches(b, a.Matches)
	for _, row := range a.Rows {
		b.linef("%s", row)
	}
	b.WriteString(a.Content)
	paths(b, a.Paths)
	for i := range a.Results {
		row(b, &a.Results[i])
	}
	if len(a.Matches)+len(a.Rows)+len(a.Paths)+len(a.Results) == 0 && a.Meta.Command != "cat" {
		b.linef("No results found")
	}
	for _, c := range a.Breadcrumbs {
		b.note("%s", c)
	}
	switch {
	case a.Chunk < a.Chunks:
		b.note("part %d of %d; the next: GET /handles/%s?chunk=%d", a.Chunk, a.Chunks, a.Handle, a.Chunk+1)
	case a.Meta.Handle != "":
		b.note("the rest: GET /handles/%s", a.Meta.Handle)
	}
	noteClamped(b, a.Clamped)
	noteIndex(b, &a.Index)
}

// rest notes how much of a list is shown.
func rest(b *builder, shown int, m *wire.EnvelopeMeta, crumbs []string) {
	if shown == 0 {
		b.linef("No results found")
	}
	if m.Matches > shown {
		b.note("%d of %d shown", shown, m.Matches)
	}
	noteRest(b, m, crumbs)
}

func noteRest(b *builder, m *wire.EnvelopeMeta, crumbs []string) {
	noteIgnored(b, m.Ignored)
	for _, c := range crumbs {
		b.note("%s", c)
	}
	switch {
	case m.Handle != "":
		b.note("the rest: GET /handles/%s", m.Handle)
	case m.Truncated:
		b.note("not all is shown")
	}
}

func noteClamped(b *builder, clamped []string) {
	if len(clamped) > 0 {
		b.note("lowered to the maximum: %s", strings.Join(clamped, ", "))
	}
}

// relay writes the answers to service lines. Each of several stands below what was
// asked, without the arrow: a relay that reads the text must not take it for a request.
func relay(b *builder, a *wire.RelayResponse) {
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
}
