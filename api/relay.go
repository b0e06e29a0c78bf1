package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
)

// maxServiceLines is how many lines of a request to /relay are answered.
const maxServiceLines = 32

// relayBody is the response of /relay.
type relayBody struct {
	Answers    []relayAnswer `json:"answers"`
	Lines      int           `json:"lines"`      // that are not blank
	Understood int           `json:"understood"` // of them: with those that are too many to be answered
}

type relayAnswer struct {
	Line    string          `json:"line"`
	Service string          `json:"service"`
	Action  string          `json:"action"`
	OK      bool            `json:"ok"`
	Text    string          `json:"text"`
	Error   *serviceFailure `json:"error,omitempty"`
}

// relay answers the lines by which agents ask services of the relay, as text that the
// relay can hand on.
func (s *Server) relay(w http.ResponseWriter, r *http.Request) {
	d := s.decodeRelay(w, r)
	lines := d.serviceLines(int(s.limits.Body))
	d.jsonOnly()
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	project := d.text("project", maxPath)
	if d.err != nil {
		s.fail(w, r, d.err)
		return
	}
	body := relayBody{Answers: []relayAnswer{}, Lines: len(lines)}
	for _, line := range lines {
		l, ok := parseLine(line, s.commands)
		if !ok {
			continue
		}
		if body.Understood++; body.Understood > maxServiceLines {
			continue
		}
		if project != "" && l.params["project"] == nil {
			l.params["project"] = project
		}
		text, failure, err := s.answerLine(ctx, d, &l)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		body.Answers = append(body.Answers, relayAnswer{l.line, l.service, l.action, failure == nil, text, failure})
	}
	if len(lines) == 1 && body.Understood == 0 {
		s.fail(w, r, problemf(codeInvalidRequest, "the line asks for no service: it must begin with ->relay:code or ->relay:tldr"))
		return
	}
	s.write(w, r, http.StatusOK, body)
}

// decodeRelay reads a request of /relay. Its body may be JSON or the lines themselves,
// whatever its Content-Type; then the other fields are in the query string. The answer
// is text unless JSON is asked for.
func (s *Server) decodeRelay(w http.ResponseWriter, r *http.Request) *decoder {
	body, err := s.readBody(w, r)
	var d *decoder
	switch body = bytes.TrimSpace(body); {
	case err != nil:
		d = &decoder{err: err}
	case len(body) == 0 || body[0] == '{':
		d = decodeJSON(body)
	default:
		d = decodeQuery(r.URL.RawQuery)
		if d.fields == nil {
			d.fields = map[string]any{}
		}
		d.fields["text"] = strings.ToValidUTF8(string(body), "\uFFFD")
		delete(d.fields, "line")
		delete(d.fields, "lines")
	}
	d.identify(r.Header)
	d.readable = true
	format, _ := d.fields["format"].(string)
	formOf(r).text = format != formatJSON && (format != "" || !prefers(r.Header.Values("Accept"), "application/json"))
	return d
}

// serviceLines returns the lines of a request that are not blank: those of line, lines
// or text.
func (d *decoder) serviceLines(most int) []string {
	var all []string
	fields := 0
	for _, name := range []string{"line", "lines", "text"} {
		if d.has(name) {
			all = append(all, d.texts(name, most)...)
			fields++
		}
	}
	if fields != 1 {
		d.failf("one of line, lines and text is needed")
	}
	var lines []string
	for line := range strings.Lines(strings.Join(all, "\n")) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		d.failf("there is no line that is not blank")
	}
	return lines
}

// answerLine does what a service line asks for and returns what its agent shall read,
// also where that is an error. The last result is that of a client that has gone.
func (s *Server) answerLine(ctx context.Context, d *decoder, l *serviceLine) (text string, failure *serviceFailure, err error) {
	if c := s.commands[l.action]; l.service == "code" && !answered(c) && c.Refusal == "" {
		failure = failf("unknown_command", "Unknown code command: %s; there are %s", l.action, commandNames())
		return failure.Message, failure, nil
	}
	delete(l.params, "format")
	result, failure, err := s.command(by(ctx, wayRelay), l.action, d.named(l.params))
	if err != nil {
		return "", nil, err
	}
	if failure == nil {
		var out []byte
		if out, failure = result.text(); failure == nil {
			return string(out), nil, nil
		}
	}
	return fmt.Sprintf("[%s error] %s", l.service, failure.Message), failure, nil
}
