package text

import (
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// ready writes the text that an answer brings, which says by itself what its budget
// left out.
func ready(b *builder, text string) {
	if b.WriteString(text); strings.TrimSpace(text) == "" {
		b.linef("There is nothing to say.")
	}
}

func skeleton(b *builder, a *wire.SkeletonResponse) {
	ready(b, a.Text)
	for _, l := range a.LeftOut {
		b.note("left out: %s: %s", l.File, l.Reason)
	}
	if a.LeftOutMore > 0 {
		b.note("left out: %d more files", a.LeftOutMore)
	}
	noteMeta(b, &a.Meta, len(a.Files))
	noteOthers(b, a.Alternatives)
	noteIndex(b, &a.Index)
}

// summarize writes a summary. Nothing comes to nothing.
func summarize(b *builder, a *wire.SummarizeResponse) {
	if b.WriteString(a.Summary); a.Fallback {
		b.note("the language model did not answer, so this summary was made without it")
	}
	noteMeta(b, &a.Meta, a.Meta.Matches)
	noteOthers(b, a.Alternatives)
	if a.Summary != "" {
		noteIndex(b, &a.Index)
	}
}

// file writes a file's name, and a line for each of its symbols, those within others
// to the right.
func file(b *builder, name, lang string, lines int, symbols []wire.StructureSymbol, omitted int) {
	about := counted(lines, "line")
	if lang != "" {
		about = lang + ", " + about
	}
	b.linef("%s (%s)", name, about)
	for i := range symbols {
		s := &symbols[i]
		depth := 1
		if s.Parent != "" {
			depth += 1 + strings.Count(s.Parent, ".")
		}
		b.linef("%s%d: %s", strings.Repeat("  ", depth), s.Line, s.Signature)
	}
	if omitted > 0 {
		b.linef("  and %s", counted(omitted, "more symbol"))
	}
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func structure(b *builder, a *wire.StructureResponse) {
	b.linef("%s, %s", counted(a.Totals.Files, "file"), counted(a.Totals.Symbols, "symbol"))
	for i := range a.Files {
		f := &a.Files[i]
		file(b, f.File, f.Lang, f.Lines, f.Symbols, f.Omitted)
	}
	noteMeta(b, &a.Meta, len(a.Files), "files")
	noteIndex(b, &a.Index)
}

// extract writes a definition.
func extract(b *builder, a *wire.ExtractedSymbol) {
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
	noteMeta(b, &a.Meta, a.Meta.Matches)
	sure{a.Complete || !a.HasCalls(), a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}

// outline writes what is in a file.
func outline(b *builder, a *wire.ExtractedFile) {
	file(b, a.File, a.Lang, a.Lines, a.Symbols, a.Omitted)
	if len(a.Imports) > 0 {
		b.linef("Imports:")
	}
	for _, i := range a.Imports {
		b.linef("  %s", importText(i.Path, i.Name, i.Alias))
	}
	if a.ImportsOmitted > 0 {
		b.linef("  and %d more", a.ImportsOmitted)
	}
	noteMeta(b, &a.Meta, len(a.Symbols))
	noteIndex(b, &a.Index)
}
