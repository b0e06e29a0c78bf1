// Package text renders the answers of the endpoints for a model that reads them as
// text, in the formats in which the relay hands them to its agents.
//
// It knows the structs of api/wire only, so that whoever has an answer can render it: the
// server for format: text, and a program that asked a server.
//
// A text says all that its reader must know to trust it: lines in square brackets at
// its end tell what was left out, what is not known, and whether the index is behind
// the files. There is none where nothing is to be told.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// Render returns the text of an answer, or of a *wire.Problem, given a pointer to it. query is
// that of a search, which its answer does not repeat: where nothing was found, the text
// names it. An answer that has no text of its own is indented JSON.
func Render(answer any, query string) (string, error) {
	b := &builder{query: query}
	switch a := answer.(type) {
	case *wire.Problem:
		return "[quarry error] " + a.Message, nil
	case *wire.SearchResponse:
		found(b, a)
	case *wire.BatchResponse:
		batch(b, a)
	case *wire.ImpactResponse:
		impact(b, a)
	case *wire.ArchResponse:
		arch(b, a)
	case *wire.CallsResponse:
		calls(b, a)
	case *wire.DeadResponse:
		dead(b, a)
	case *wire.DefinitionResponse:
		definition(b, a)
	case *wire.ReferencesResponse:
		references(b, a)
	case *wire.ContextResponse:
		ready(b, a.Text)
		noteMeta(b, &a.Meta, a.Meta.Matches)
		sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
		noteIndex(b, &a.Index)
	case *wire.TraceResponse:
		ready(b, a.Text)
		noteMeta(b, &a.Meta, max(len(a.Callers)+len(a.Callees), len(a.Paths)))
		sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
		noteIndex(b, &a.Index)
	case *wire.SkeletonResponse:
		skeleton(b, a)
	case *wire.StartupResponse:
		ready(b, a.Text)
		noteMeta(b, &a.Meta, a.Meta.Matches)
		noteIndex(b, &a.Index)
	case *wire.StructureResponse:
		structure(b, a)
	case *wire.ExtractedSymbol:
		extract(b, a)
	case *wire.ExtractedFile:
		outline(b, a)
	case *wire.ImportsResponse:
		imports(b, a)
	case *wire.SummarizeResponse:
		summarize(b, a)
	case *wire.ControlResponse:
		control(b, a)
	case *wire.DataResponse:
		data(b, a)
	case *wire.DiagnosticsResponse:
		diagnostics(b, a)
	case *wire.SliceResponse:
		slice(b, a)
	case *wire.FlowsResponse:
		flows(b, a)
	case *wire.GraphResponse:
		graph(b, a)
	case *wire.MapResponse:
		tree(b, a)
	case *wire.GrepResponse:
		grep(b, a)
	case *wire.CatResponse:
		cat(b, a)
	case *wire.FindResponse:
		find(b, a)
	case *wire.HandleResponse:
		handle(b, a)
	case *wire.RelayResponse:
		relay(b, a)
	default:
		if err := indented(b, answer); err != nil {
			return "", fmt.Errorf("text: %w", err)
		}
	}
	return b.text(), nil
}

// A builder is a text that grows, and the notes that will end it.
type builder struct {
	strings.Builder
	query string
	notes []string
}

func (b *builder) linef(format string, args ...any) {
	fmt.Fprintf(b, format, args...)
	b.WriteByte('\n')
}

// note adds a line to the end, once.
func (b *builder) note(format string, args ...any) {
	if n := "[" + fmt.Sprintf(format, args...) + "]"; !slices.Contains(b.notes, n) {
		b.notes = append(b.notes, n)
	}
}

// text returns what was written, and the notes below an empty line.
func (b *builder) text() string {
	text := strings.ToValidUTF8(strings.TrimRight(b.String(), "\n"), "\uFFFD")
	if len(b.notes) == 0 {
		return text
	}
	notes := strings.Join(b.notes, "\n")
	if text == "" {
		return notes
	}
	return text + "\n\n" + notes
}

func indented(b *builder, answer any) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(answer); err != nil {
		return err
	}
	b.Write(out.Bytes())
	return nil
}
