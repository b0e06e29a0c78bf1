// Package text renders the answers of the endpoints for a model that reads them as
// text, in the formats in which the relay hands them to its agents.
//
// It knows JSON bodies only, as openapi.yaml describes them, so that whoever has an
// answer can render it: the server for format: text, and a program that asked a server.
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
)

// Semantic is the name under which Render takes the results of a search, or the whole
// answer, for the list that the command semantic gives: a line for each place.
const Semantic = "semantic"

// A renderer writes the answer of one endpoint.
type renderer func(b *builder, body []byte) error

// of returns what renders the answers of an endpoint, nil for one that has no text of its own.
func of(endpoint string) renderer {
	switch endpoint {
	case "/search":
		return search
	case "/related":
		return related
	case Semantic:
		return semantic
	case "/impact":
		return impact
	case "/calls":
		return calls
	case "/context", "/trace", "/skeleton", "/startup":
		return ready
	case "/structure":
		return structure
	case "/extract":
		return extract
	case "/imports":
		return imports
	case "/summarize":
		return summarize
	case "/grep", "/cat", "/find", "/handles/{id}":
		return envelope
	case "/relay":
		return relay
	}
	return nil
}

// Readable reports whether an endpoint's answers have a text of their own: one that
// format: text asks for.
func Readable(endpoint string) bool { return endpoint != Semantic && of(endpoint) != nil }

// Render returns the text of an endpoint's answer, such as "/search", or of its error.
// An answer that has no text of its own is indented JSON. It fails for a body that is
// not JSON of the form that openapi.yaml gives the endpoint.
func Render(endpoint string, body []byte) (string, error) { return RenderQuery(endpoint, "", body) }

// RenderQuery is Render for one who knows the query of a search, which its answer does
// not repeat: where nothing was found, the text names it.
func RenderQuery(endpoint, query string, body []byte) (string, error) {
	b := &builder{query: query}
	if message, ok := failure(body); ok {
		return "[quarry error] " + message, nil
	}
	render := of(endpoint)
	if render == nil {
		render = indented
	}
	if err := render(b, bytes.TrimSpace(body)); err != nil {
		return "", fmt.Errorf("text: the answer of %s: %w", endpoint, err)
	}
	return b.text(), nil
}

// failure returns the message of an error's body.
func failure(body []byte) (message string, ok bool) {
	var p struct {
		Error     string `json:"error"`
		Message   string `json:"message"`
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(body, &p) != nil || p.Error == "" || p.Message == "" {
		return "", false
	}
	return p.Message, true
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

func indented(b *builder, body []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return err
	}
	b.Write(out.Bytes())
	return nil
}
