package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// A command is one row of the table: where the answer comes from, how the fields of
// all clients become those of the endpoint, and what is made of its answer.
type command struct {
	endpoint string
	fields   []alias
	needs    string // the error when the first of the fields is not there; "": it need not be

	shape func(c *call, body fields) (answer, error) // nil: the body is the result
	run   func(c *call) (answer, error)              // not nil: it does everything itself
}

// An alias is a field of an endpoint and the names that it may have here, the first
// that is there counts. What a relay's parser finds in the first place of a line is
// called query, whatever it is, and in the second place target.
type alias struct {
	to    string
	names []string
}

// The fields that several commands have.
var (
	targetNames = []string{"func", "entry", "symbol", "function", "query", "target"}
	pathNames   = []string{"path", "query", "target", "file"}
	limitNames  = []string{"limit", "k", "top_k", "max_results"}
)

// table returns all commands by name.
func table() map[string]command {
	target, limit := alias{"target", targetNames}, alias{"limit", limitNames}
	return map[string]command{
		"ping":     {run: (*call).ping},
		"status":   {run: (*call).status},
		"shutdown": {run: (*call).shutdown},
		"warm":     {run: (*call).warm},
		"track":    {run: (*call).track},

		"notify":     {needs: "Missing required parameter: file", fields: []alias{{"path", []string{"file", "path", "query", "target"}}}, endpoint: "/invalidate", shape: (*call).queued},
		"invalidate": {fields: []alias{{"path", pathNames}}, endpoint: "/invalidate", shape: (*call).queued},

		"semantic": {run: (*call).semantic},
		"search":   {run: (*call).search},
		"related":  {fields: []alias{{"file", []string{"file", "path", "query", "target"}}, limit}, endpoint: "/related", shape: (*call).results},

		"context": {needs: "Missing required parameter: entry", fields: []alias{target}, endpoint: "/context", shape: (*call).context},
		"impact":  {run: (*call).impact},
		"calls":   {run: (*call).calls},
		"trace":   {needs: "Missing required parameter: symbol", fields: []alias{{"symbol", targetNames}, limit}, endpoint: "/trace"},

		"change_impact": {run: (*call).changeImpact},

		"structure": {run: (*call).structure},
		"extract":   {run: (*call).extract},
		"imports":   {needs: "Missing required parameter: file", fields: []alias{{"path", []string{"file", "path", "query", "target"}}}, endpoint: "/imports", shape: (*call).imports},
		"importers": {run: (*call).importers},
		"tree":      {run: (*call).tree},
		"skeleton":  {needs: "Missing required parameter: path", fields: []alias{{"path", append(pathNames, "symbol")}, limit}, endpoint: "/skeleton"},

		"summarize": {endpoint: "/summarize"},
		"startup":   {fields: []alias{{"task", []string{"task", "query"}}, {"entry_point", []string{"entry_point", "entry", "target"}}, limit}, endpoint: "/startup"},
		"grep":      {needs: "Missing required parameter: pattern", fields: []alias{{"pattern", []string{"pattern", "query"}}, {"path", []string{"path", "target"}}, limit}, endpoint: "/grep"},
		"cat":       {needs: "Missing required parameter: path", fields: []alias{{"path", pathNames}}, endpoint: "/cat"},
		"find":      {fields: []alias{{"name", []string{"name", "query"}}, {"path", []string{"path", "target"}}, limit}, endpoint: "/find"},

		"cfg":         unmade("Missing required parameters: file, function", "control flow"),
		"dfg":         unmade("Missing required parameters: file, function", "data flow"),
		"slice":       unmade("Missing required parameters: file, function, line", "slices"),
		"dead":        unmade("", "dead code"),
		"arch":        unmade("", "layers"),
		"diagnostics": unmade("", "diagnostics"),
	}
}

// unmade is the row of a command for which there is no analysis yet.
func unmade(needs, what string) command {
	return command{needs: needs, fields: []alias{{"target", append(slices.Clone(targetNames), "file")}}, run: func(*call) (answer, error) {
		return nil, failf(codeNotSupported, "this server has no analysis of %s", what)
	}}
}

// supported returns the names of the commands that have an answer, sorted.
func supported(all map[string]command) []string {
	var names []string
	for name := range all {
		switch name {
		case "cfg", "dfg", "slice", "dead", "arch", "diagnostics":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A call is a request at work.
type call struct {
	*Server
	ctx     context.Context
	project string
	f       fields // of the request, as far as they have not been put in place
	after   func() // what is done when the reply has been sent
}

// answer does the work of a request. after, if there is one, is to be called when the
// reply has been sent.
func (s *Server) answer(ctx context.Context, r *request, project string) (out reply, after func()) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(ctx, "panic", "command", r.cmd, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out, after = failf(codeInternal, "internal error"), nil
		}
	}()
	s.books.request()
	c := &call{Server: s, ctx: ctx, project: project, f: r.fields}
	a, err := c.do(r)
	var f *failure
	switch {
	case err == nil:
		return a, c.after
	case errors.As(err, &f):
		return f, nil
	case errors.Is(err, context.DeadlineExceeded):
		return failf(codeTimeout, "the request did not finish in time"), nil
	case errors.Is(err, context.Canceled):
		return failf(codeInternal, "the server is ending"), nil
	}
	s.log.WarnContext(ctx, "request failed", "command", r.cmd, "err", err)
	return failf(codeInternal, "the answer cannot be sent: it is too large, or damaged"), nil
}

func (c *call) do(r *request) (answer, error) {
	cmd, ok := c.commands[r.cmd]
	switch {
	case !ok && r.name == "":
		return nil, failf(codeInvalidRequest, "Missing required parameter: cmd")
	case !ok:
		return nil, failf(codeUnknownCommand, "Unknown command: %s", clip(r.name))
	}
	for i, a := range cmd.fields {
		if !c.f.first(a.to, a.names...) && i == 0 && cmd.needs != "" {
			return nil, failf(codeInvalidRequest, "%s", cmd.needs)
		}
	}
	if cmd.run != nil {
		return cmd.run(c)
	}
	return c.through(cmd.endpoint, c.f, cmd.shape)
}

// through asks an endpoint and shapes its answer.
func (c *call) through(endpoint string, f fields, shape func(*call, fields) (answer, error)) (answer, error) {
	text, body, err := c.ask(endpoint, f)
	switch {
	case err != nil:
		return nil, err
	case body == nil:
		return answer{"result": text}, nil
	case shape == nil:
		return answer{"result": body}, nil
	}
	return shape(c, body)
}

// ask asks an endpoint about the project. The body is nil where a text was asked for.
func (c *call) ask(endpoint string, f fields) (text string, body fields, err error) {
	if f == nil {
		f = fields{}
	}
	if (f["project"] == nil || f["project"] == "") && c.project != "" {
		f["project"] = c.project
	}
	select {
	case c.asks <- struct{}{}:
	case <-c.ctx.Done():
		return "", nil, c.ctx.Err()
	}
	defer func() { <-c.asks }()
	status, answered, err := c.opt.Asker.Ask(c.ctx, endpoint, f)
	if err != nil {
		return "", nil, err
	}
	if format := f.text("format"); status < 400 && (format != "" && format != "json" || f.flag("raw")) {
		return string(answered), nil, nil
	}
	if f := toolFailure(answered); status >= 400 && f != nil {
		return "", nil, f
	}
	d := json.NewDecoder(bytes.NewReader(answered))
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		return "", nil, fmt.Errorf("socket: the answer of %s: %w", endpoint, err)
	}
	if code := body.text("error"); status >= 400 && code != "" {
		return "", nil, failf(code, "%s", body.text("message"))
	}
	return "", body, nil
}

// toolFailure reads an error as grep, cat and find say it where a text was asked for: a
// header of JSON between two marks, and a sentence; nil for what is none.
func toolFailure(text []byte) *failure {
	lines := strings.Split(string(text), "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "# TE_") {
		return nil
	}
	var head struct{ Error string }
	if json.Unmarshal([]byte(lines[1]), &head) != nil || head.Error == "" {
		return nil
	}
	message := strings.TrimPrefix(strings.TrimSpace(strings.Join(lines[3:], "\n")), "[TE] ")
	return &failure{head.Error, message}
}

// get is ask for an answer that is JSON in any case.
func (c *call) get(endpoint string, f fields) (fields, error) {
	delete(f, "format")
	delete(f, "raw")
	_, body, err := c.ask(endpoint, f)
	return body, err
}

// with returns the answer's marks of what was left out beside the rest.
func (a answer) with(body fields) answer {
	for _, name := range []string{"index", "meta", "total", "truncated", "next_offset", "complete", "incomplete"} {
		if v, ok := body[name]; ok && a[name] == nil {
			a[name] = v
		}
	}
	return a
}

// clip bounds what is repeated from a request.
func clip(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "..."
	}
	return text
}

// languages returns the names that the index has for a language of llm-tldr; nil for all.
func (f fields) languages() []string {
	lang := f.text("lang")
	if lang == "" {
		lang = f.text("language")
	}
	switch lang {
	case "", "auto", "all":
		return nil
	case "typescript":
		return []string{"typescript", "tsx"}
	case "c#", "csharp":
		return []string{"csharp"}
	}
	return []string{lang}
}
