package text

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// readyBody is an answer that has its text already.
type readyBody struct {
	Text        string         `json:"text"`
	Summary     string         `json:"summary"`
	Fallback    bool           `json:"fallback"`
	LeftOut     []wire.LeftOut `json:"left_out"`
	LeftOutMore int            `json:"left_out_more"`
	whole
	Meta  meta       `json:"meta"`
	Index wire.Index `json:"index"`

	// What was given, of those endpoints that say so.
	Files   []json.RawMessage `json:"files"`
	Callers []json.RawMessage `json:"callers"`
	Callees []json.RawMessage `json:"callees"`
	Paths   []json.RawMessage `json:"paths"`
}

// ready writes the text that an answer brings, which says by itself what its budget
// left out.
func ready(b *builder, body []byte) error {
	var a readyBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	if b.WriteString(a.Text); strings.TrimSpace(a.Text) == "" {
		b.linef("There is nothing to say.")
	}
	for _, l := range a.LeftOut {
		b.note("left out: %s: %s", l.File, l.Reason)
	}
	if a.LeftOutMore > 0 {
		b.note("left out: %d more files", a.LeftOutMore)
	}
	// Of a context the parts are many lists, so how many were given is not told.
	shown := max(len(a.Files), len(a.Callers)+len(a.Callees), len(a.Paths))
	if a.Callees == nil && a.Files == nil && a.Paths == nil {
		shown = a.Meta.Matches
	}
	a.Meta.note(b, shown, "")
	a.whole.note(b)
	noteIndex(b, &a.Index)
	return nil
}

// summarize writes a summary. Nothing comes to nothing.
func summarize(b *builder, body []byte) error {
	var a readyBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	if b.WriteString(a.Summary); a.Fallback {
		b.note("the language model did not answer, so this summary was made without it")
	}
	a.Meta.note(b, a.Meta.Matches, "")
	if len(a.Others) > 0 {
		a.whole.note(b)
	}
	if a.Summary != "" {
		noteIndex(b, &a.Index)
	}
	return nil
}

type symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Signature string `json:"signature"`
	Parent    string `json:"parent"`
	Doc       string `json:"doc"`
}

type file struct {
	File    string   `json:"file"`
	Lang    string   `json:"lang"`
	Lines   int      `json:"lines"`
	Symbols []symbol `json:"symbols"`
	Omitted int      `json:"omitted"`
}

// write writes a file's name, and a line for each of its symbols, those within others
// to the right.
func (f *file) write(b *builder) {
	about := counted(f.Lines, "line")
	if f.Lang != "" {
		about = f.Lang + ", " + about
	}
	b.linef("%s (%s)", f.File, about)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		depth := 1
		if s.Parent != "" {
			depth += 1 + strings.Count(s.Parent, ".")
		}
		b.linef("%s%d: %s", strings.Repeat("  ", depth), s.Line, s.Signature)
	}
	if f.Omitted > 0 {
		b.linef("  and %s", counted(f.Omitted, "more symbol"))
	}
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func structure(b *builder, body []byte) error {
	var a struct {
		Files  []file `json:"files"`
		Totals struct {
			Files   int `json:"files"`
			Symbols int `json:"symbols"`
		} `json:"totals"`
		Meta  meta       `json:"meta"`
		Index wire.Index `json:"index"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	b.linef("%s, %s", counted(a.Totals.Files, "file"), counted(a.Totals.Symbols, "symbol"))
	for i := range a.Files {
		a.Files[i].write(b)
	}
	a.Meta.note(b, len(a.Files), "files")
	noteIndex(b, &a.Index)
	return nil
}

// extractBody is the answer about a definition, or the outline of a file.
type extractBody struct {
	wire.Definition
	Content  string  `json:"content"`
	Calls    []place `json:"calls"`
	CalledBy []place `json:"called_by"`

	Lines          int                `json:"lines"`
	Symbols        []symbol           `json:"symbols"`
	Omitted        int                `json:"omitted"`
	Imports        []wire.FoundImport `json:"imports"`
	ImportsOmitted int                `json:"imports_omitted"`

	whole
	Meta  meta       `json:"meta"`
	Index wire.Index `json:"index"`
}

func extract(b *builder, body []byte) error {
	var a extractBody
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	if a.Symbol == "" {
		outline := file{a.File, a.Lang, a.Lines, a.Symbols, a.Omitted}
		outline.write(b)
		if len(a.Imports) > 0 {
			b.linef("Imports:")
		}
		for i := range a.Imports {
			b.linef("  %s", importText(&a.Imports[i]))
		}
		if a.ImportsOmitted > 0 {
			b.linef("  and %d more", a.ImportsOmitted)
		}
	} else {
		b.linef("%s:%d-%d %s %s", a.File, a.Line, a.EndLine, a.Kind, a.Symbol)
		if a.Doc != "" {
			b.linef("%s", a.Doc)
		}
		b.linef("```%s\n%s\n```", a.Lang, strings.TrimRight(a.Content, "\n"))
		if len(a.Calls) > 0 {
			b.linef("Calls: %s", places(a.Calls))
		}
		if len(a.CalledBy) > 0 {
			b.linef("Called by: %s", places(a.CalledBy))
		}
	}
	shown := a.Meta.Matches
	if a.Symbol == "" {
		shown = len(a.Symbols)
	}
	a.Meta.note(b, shown, "")
	a.whole.note(b)
	noteIndex(b, &a.Index)
	return nil
}
