package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// maxServiceLines is how many lines of a request to /relay are answered.
const maxServiceLines = 32

// relay answers the lines by which agents ask services of the relay, as text that the
// relay can hand on.
func (s *Server) relay(w http.ResponseWriter, r *http.Request, c *exchange) {
	c.asks = true
	d := s.decodeRelay(w, r, c)
	who := identify(d, r)
	lines := serviceLines(d, int(s.limits.Body))
	if f := d.Text("format", fields.MaxName); f != "" && f != "json" && f != "text" {
		d.Failf("format %q is not supported; the formats are json and text", f)
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	d.Text("project", fields.MaxPath)
	c.notice(w, d, "line", "lines", "text", "format", "timeout_ms", "project")
	if d.Err != nil {
		s.fail(w, r, c, d.Err)
		return
	}
	body := &wire.RelayResponse{Answers: []wire.RelayAnswer{}, Lines: len(lines), Ignored: c.Ignored}
	for _, line := range lines {
		l, ok := parseLine(line, s.commands)
		if !ok {
			continue
		}
		if body.Understood++; body.Understood > maxServiceLines {
			continue
		}
		for _, name := range []string{"project", "strict"} {
			if d.Has(name) && l.params[name] == nil {
				l.params[name] = d.Values[name]
			}
		}
		said, failure, err := s.answerLine(ctx, c, who, &l)
		if err != nil {
			s.fail(w, r, c, err)
			return
		}
		body.Answers = append(body.Answers, wire.RelayAnswer{Line: l.line, Service: l.service, Action: l.action, OK: failure == nil, Text: said, Error: failure})
	}
	if len(lines) == 1 && body.Understood == 0 {
		s.fail(w, r, c, wire.Problemf(wire.CodeInvalidRequest, "the line asks for no service: it must begin with ->relay:code or ->relay:tldr"))
		return
	}
	s.write(w, r, c, http.StatusOK, body)
}

// decodeRelay reads a request of /relay. Its body may be JSON or the lines themselves,
// whatever its Content-Type; then the other fields are in the query string. The answer
// is text unless JSON is asked for.
func (s *Server) decodeRelay(w http.ResponseWriter, r *http.Request, c *exchange) *fields.Fields {
	body, err := s.readBody(w, r)
	var d *fields.Fields
	switch body = bytes.TrimSpace(body); {
	case err != nil:
		d = &fields.Fields{Err: err}
	case len(body) == 0 || body[0] == '{':
		d = fields.JSON(body)
	default:
		d = fields.Query(r.URL.RawQuery)
		if d.Values == nil {
			d.Values = map[string]any{}
		}
		d.Values["text"] = strings.ToValidUTF8(string(body), "\uFFFD")
		delete(d.Values, "line")
		delete(d.Values, "lines")
	}
	format, _ := d.Values["format"].(string)
	c.Form.Text = format != "json" && (format != "" || !prefers(r.Header.Values("Accept"), "application/json"))
	return d
}

// serviceLines returns the lines of a request that are not blank: those of line, lines
// or text.
func serviceLines(d *fields.Fields, most int) []string {
	var all []string
	fields := 0
	for _, name := range []string{"line", "lines", "text"} {
		if d.Has(name) {
			all = append(all, d.Texts(name, most)...)
			fields++
		}
	}
	if fields != 1 {
		d.Failf("one of line, lines and text is needed")
	}
	var lines []string
	for line := range strings.Lines(strings.Join(all, "\n")) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		d.Failf("there is no line that is not blank")
	}
	return lines
}

// answerLine does what a service line asks for and returns what its agent shall read,
// also where that is an error. The last result is that of a client that has gone.
func (s *Server) answerLine(ctx context.Context, c *exchange, who caller, l *serviceLine) (said string, failure *wire.ServiceFailure, err error) {
	if known := s.commands[l.action]; l.service == "code" && !answered(known) {
		failure = failf("unknown_command", "Unknown code command: %s; there are %s", l.action, commandNames())
		return failure.Message, failure, nil
	}
	delete(l.params, "format")
	result, failure, err := s.command(ctx, wayRelay, c.ID, l.action, who.named(l.params))
	if err != nil {
		return "", nil, err
	}
	if failure == nil {
		if said, failure = result.text(); failure == nil {
			return said, nil, nil
		}
	}
	return fmt.Sprintf("[%s error] %s", l.service, failure.Message), failure, nil
}

// servicePattern is a line by which an agent asks a service, as the relay recognises it,
// except that nothing needs to follow the command.
var servicePattern = regexp.MustCompile(`^->relay:(code|tldr|quarry)(?:\s+(\S+)(?:\s+(.*))?)?$`)

// A serviceLine is such a line, taken apart.
type serviceLine struct {
	line    string // without white space around it
	service string
	action  string // "": none was given
	params  map[string]any
}

// parseLine takes a service line apart, whose action may be one of the commands, and
// reports whether it is one.
func parseLine(line string, commands map[string]command.Command) (serviceLine, bool) {
	line = strings.TrimSpace(line)
	m := servicePattern.FindStringSubmatch(line)
	if m == nil {
		return serviceLine{}, false
	}
	return serviceLine{line: line, service: m[1], action: m[2], params: parseWords(m[3], commands[m[2]].Free)}, true
}

// positionals are the parameters that the words of a line are, in their order.
var positionals = [...]string{"query", "target", "path"}

// parseWords makes parameters of the words after a command: --name value, or --name
// alone for true, and else the positionals. Values stay text but for true and false.
// With free, words without quotes are one: who searches for authentication middleware
// means both.
func parseWords(text string, free bool) map[string]any {
	params := map[string]any{}
	words := tokenize(text)
	var plain []token
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i].text, "--")
		if !isFlag || words[i].quoted || name == "" {
			plain = append(plain, words[i])
			continue
		}
		name, value, set := strings.Cut(name, "=")
		next := i + 1
		if !set && next < len(words) && (words[next].quoted || !strings.HasPrefix(words[next].text, "--")) {
			value, set = words[next].text, true
			i = next
		}
		params[strings.ReplaceAll(name, "-", "_")] = flagValue(value, set)
	}
	if free && len(plain) > 1 && !plain[0].quoted {
		all := make([]string, len(plain))
		for i, w := range plain {
			all[i] = w.text
		}
		plain = []token{{text: strings.Join(all, " ")}}
	}
	for i, w := range plain {
		if i == len(positionals) {
			break
		}
		params[positionals[i]] = w.text
	}
	return params
}

func flagValue(value string, set bool) any {
	switch {
	case !set, value == "true":
		return true
	case value == "false":
		return false
	}
	return value
}

// A token is a word of a line.
type token struct {
	text   string
	quoted bool // it began with a quote, and so is no flag
}

// tokenize takes a line apart at its white space. A word that begins with a quote, " or ',
// ends at the same quote, or with the line where there is none; within it a
// backslash stands before that quote or before a backslash. Outside of quotes it stands
// before white space, a quote or a backslash. Every other backslash is one, so that a
// regular expression needs no second one.
func tokenize(text string) []token {
	var words []token
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return words
		}
		end, special := " \t\r\n", ` "'\`
		quoted := text[0] == '"' || text[0] == '\''
		if quoted {
			end = text[:1]
			special = end + `\`
			text = text[1:]
		}
		var word strings.Builder
		i := 0
		for ; i < len(text) && !strings.ContainsRune(end, rune(text[i])); i++ {
			if text[i] == '\\' && i+1 < len(text) && strings.ContainsRune(special, rune(text[i+1])) {
				i++
			}
			word.WriteByte(text[i])
		}
		if text = text[i:]; quoted && text != "" {
			text = text[1:]
		}
		words = append(words, token{word.String(), quoted})
	}
}
