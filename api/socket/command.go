package socket

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/quarry-search/quarry/api/command"
	of "github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// A row is a command of the table, and what is made here of its endpoint's answer.
type row struct {
	command.Command
	reads string                                               // a field that it reads besides those of its endpoint
	limit int                                                  // where the request has none; 0: the endpoint's own
	shape func(*call, context.Context, fields) (answer, error) // nil: the body is the result
	run   func(*call, context.Context) (answer, error)         // not nil: it does everything itself
}

// table returns all commands by name. Those without a line here are answered as their
// endpoint does.
func table() map[string]row {
	all := map[string]row{
		"ping":          {run: own((*call).ping)},
		"status":        {run: own((*call).status, "session", "skipped")},
		"shutdown":      {run: own((*call).shutdown)},
		"warm":          {run: own((*call).warm)},
		"track":         {run: own((*call).track, "hook", "success", "metrics")},
		"notify":        {shape: (*call).queued},
		"invalidate":    {shape: (*call).queued},
		"semantic":      {run: (*call).semantic, reads: "action"},
		"search":        {run: (*call).search},
		"related":       {shape: (*call).results},
		"context":       {shape: (*call).context},
		"dead":          {limit: 1000, shape: (*call).dead},
		"impact":        {shape: (*call).impact},
		"arch":          {run: (*call).arch},
		"calls":         {run: (*call).calls},
		"change_impact": {run: own((*call).changeImpact, append(impactFields(), "files", "diff", "git", "git_base", "session")...)},
		"structure":     {limit: 100, shape: (*call).structure},
		"extract":       {shape: (*call).extract, reads: "session"},
		"imports":       {shape: (*call).imports},
		"importers":     {limit: 1000, shape: (*call).importers},
		"cfg":           {limit: 10_000, shape: (*call).control},
		"dfg":           {limit: 10_000, shape: (*call).data},
		"diagnostics":   {limit: maxDiagnostics, run: (*call).diagnostics},
		"slice":         {limit: 10_000, shape: (*call).slice},
		"tree":          {run: own((*call).tree, "path", "extensions", "exclude_hidden")},
	}
	for name, c := range command.All() {
		r := all[name]
		r.Command = c
		all[name] = r
	}
	return all
}

// own has a command that reads its fields by itself name those that it does not take, which are an
// error where the request is strict.
func own(run func(*call, context.Context) (answer, error), takes ...string) func(*call, context.Context) (answer, error) {
	return func(c *call, ctx context.Context) (answer, error) {
		d := of.New(c.f)
		d.Spell(struct{}{}, d.Flag("strict"), append([]string{"project", "session_id", "agent_id", "strict"}, takes...)...)
		if d.Err != nil {
			return nil, failf(codeInvalidRequest, "%s", d.Err)
		}
		a, err := run(c, ctx)
		if err == nil && len(d.Ignored) > 0 {
			a["ignored"] = d.Ignored
		}
		return a, err
	}
}

// A call is a request at work.
type call struct {
	*Server
	row
	project string
	f       fields // of the endpoint's request
	asked   fields // as they came
	after   func() // what is done when the reply has been sent
}

// answer does the work of a request. after, if there is one, is to be called when the
// reply has been sent.
func (s *Server) answer(ctx context.Context, r *request, project string) (out reply, after func()) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.opt.Panicked()
			s.log.ErrorContext(ctx, "panic", "command", r.cmd, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out, after = failf(codeInternal, "internal error"), nil
		}
	}()
	s.books.request()
	c := &call{Server: s, project: project}
	a, err := c.do(ctx, r)
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

func (c *call) do(ctx context.Context, r *request) (answer, error) {
	var ok bool
	c.row, ok = c.commands[r.cmd]
	switch {
	case !ok && r.name == "":
		return nil, failf(codeInvalidRequest, "Missing required parameter: cmd")
	case !ok:
		return nil, failf(codeUnknownCommand, "Unknown command: %s", clip(r.name))
	}
	c.asked = r.fields
	if c.f = c.Fields(r.fields); c.f["limit"] == nil && c.limit > 0 {
		c.f["limit"] = c.limit
	}
	delete(c.f, c.reads)
	if c.run != nil {
		return c.run(c, ctx)
	}
	return c.through(ctx, c.shape)
}

// through asks the command's endpoint and shapes its answer.
func (c *call) through(ctx context.Context, shape func(*call, context.Context, fields) (answer, error)) (answer, error) {
	if missing := c.Missing(c.f); missing != "" {
		return nil, failf(codeInvalidRequest, "%s", missing)
	}
	text, body, err := c.ask(ctx, c.Endpoint, c.f)
	switch {
	case err != nil:
		return nil, err
	case body == nil:
		return answer{"result": text}, nil
	case shape == nil:
		return answer{"result": body}, nil
	}
	return shape(c, ctx, body)
}

// ask asks an endpoint about the project. The body is nil where a text was asked for.
func (c *call) ask(ctx context.Context, endpoint string, f fields) (text string, body fields, err error) {
	if f == nil {
		f = fields{}
	}
	if (f["project"] == nil || f["project"] == "") && c.project != "" {
		f["project"] = c.project
	}
	select {
	case c.asks <- struct{}{}:
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	defer func() { <-c.asks }()
	answered, text, err := c.opt.Asker.Ask(ctx, endpoint, f)
	switch p := (*wire.Problem)(nil); {
	case errors.As(err, &p):
		return "", nil, failf(p.Code, "%s", p.Message)
	case err != nil:
		return "", nil, err
	case answered == nil:
		return text, nil, nil
	}
	return "", of.Of(answered), nil
}

// get is ask for an answer that is JSON in any case.
func (c *call) get(ctx context.Context, endpoint string, f fields) (fields, error) {
	delete(f, "format")
	delete(f, "raw")
	_, body, err := c.ask(ctx, endpoint, f)
	return body, err
}

// with returns the answer's marks of what was left out besides the rest.
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
