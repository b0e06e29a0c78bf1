package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// An outcome is what became of a task.
type outcome struct {
	Task       string       `json:"task"`
	Repository string       `json:"repository"`
	Language   string       `json:"language"`
	Goal       string       `json:"goal"`
	Facts      int          `json:"facts"`
	Ways       [ways]figure `json:"ways"` // mcp, te, plain
	Complaints []string     `json:"complaints,omitempty"`
}

// A figure is what one way took.
type figure struct {
	Requests int `json:"requests"`
	Found    int `json:"found"`                // facts
	Tokens   int `json:"tokens"`               // of the requests and the texts that came
	Typed    int `json:"structured,omitempty"` // with the structured answers instead, of mcp
}

// A runner runs one task.
type runner struct {
	task    task
	program string
	count   func(string) int
	said    io.Writer // takes the requests and answers; nil: nobody does

	out outcome
}

// run runs the task in its repository, served by a server of its own.
func (r *runner) run(ctx context.Context, corpus string) (outcome, error) {
	t := r.task
	root := filepath.Join(corpus, strings.ReplaceAll(t.Repository, "/", "+"))
	at, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "HEAD").Output()
	if err != nil {
		return r.out, fmt.Errorf("the revision of %s: %w", root, err)
	}
	if at := strings.TrimSpace(string(at)); at != t.Revision {
		return r.out, fmt.Errorf("%s is at %s, and the task is about %s", root, at, t.Revision)
	}
	return r.in(ctx, root)
}

// in runs the task in a folder.
func (r *runner) in(ctx context.Context, root string) (_ outcome, err error) {
	t := r.task
	r.out = outcome{Task: t.Name, Repository: t.Repository, Language: t.Language, Goal: t.Goal, Facts: len(t.Facts)}
	data, err := os.MkdirTemp("", "quarry-tasks-")
	if err != nil {
		return r.out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	server, err := rig.Start(ctx, r.program, root, data)
	if err != nil {
		return r.out, err
	}
	defer func() { err = errors.Join(err, server.End()) }()
	if err := r.asked(ctx, root, data); err != nil {
		return r.out, err
	}
	return r.out, errors.Join(r.typed(ctx, te, root, data), r.typed(ctx, plain, root, data))
}

// asked runs the requests to the tools.
func (r *runner) asked(ctx context.Context, root, data string) (err error) {
	c, err := connect(ctx, r.program, "mcp", "--root", root, "--data-dir", data, "--no-start")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := settled(ctx, c); err != nil {
		return err
	}
	f := &r.out.Ways[mcp]
	var text, structured strings.Builder
	for _, s := range r.task.Ways[mcp] {
		tool, arguments, _ := strings.Cut(s.Line, " ")
		a, err := c.call(tool, json.RawMessage(arguments))
		if err != nil {
			return err
		}
		said := a.text()
		r.tell(s.Line, said)
		f.Requests++
		asked := r.count(s.Line)
		f.Tokens += asked + r.count(said)
		f.Typed += asked + r.count(string(a.StructuredContent))
		if a.IsError {
			r.complain("%s: %s", s.Line, said)
			continue
		}
		var value any
		if err := json.Unmarshal(a.StructuredContent, &value); err != nil {
			return fmt.Errorf("%s: %w", s.Line, err)
		}
		readable := said + "\n" + string(a.StructuredContent)
		for _, e := range s.Expects {
			if e.Kind == "rows" {
				if n := fmt.Sprint(rows(value)); n != e.Text {
					r.complain("%s: %s rows instead of %s", s.Line, n, e.Text)
				}
				continue
			}
			r.judge(s.Line, readable, e)
		}
		text.WriteString(said + "\n")
		places(&structured, value)
	}
	f.Found = r.facts(text.String(), "the texts of mcp")
	r.facts(structured.String(), "the structured answers of mcp")
	return nil
}

// settled waits until no vector is to be replaced by a better one: before, a search may rank
// otherwise.
func settled(ctx context.Context, c *client) error {
	for {
		a, err := c.call("status", json.RawMessage("{}"))
		if err != nil {
			return err
		}
		var now struct {
			Index struct {
				State   string
				Refined *float64
			}
		}
		if err := json.Unmarshal(a.StructuredContent, &now); err != nil {
			return err
		}
		if now.Index.State == "ready" && (now.Index.Refined == nil || *now.Index.Refined == 1) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rig.SampleEvery):
		}
	}
}

// typed runs the lines of a shell.
func (r *runner) typed(ctx context.Context, way int, root, data string) error {
	f := &r.out.Ways[way]
	var text strings.Builder
	for _, s := range r.task.Ways[way] {
		// The agent's name decides how much it is shown: this one has the budget of those
		// that nobody knows.
		cmd := exec.CommandContext(ctx, "sh", "-c", `te() { "$LAB_PROGRAM" te --data-dir "$LAB_DATA" "$@"; }`+"\n"+s.Line)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "LAB_PROGRAM="+r.program, "LAB_DATA="+data, "LC_ALL=C.UTF-8")
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
			return fmt.Errorf("%s: %w: %s", s.Line, err, complaint.String())
		}
		r.tell(s.Line, string(out)+complaint.String())
		f.Requests++
		f.Tokens += r.count(s.Line) + r.count(string(out))
		for _, e := range s.Expects {
			r.judge(s.Line, string(out), e)
		}
		text.Write(out)
	}
	if way == plain { // of which nothing is promised
		f.Found = len(r.task.Facts) - len(r.missing(text.String()))
		return nil
	}
	f.Found = r.facts(text.String(), wayNames[way])
	return nil
}

func (r *runner) complain(format string, args ...any) {
	r.out.Complaints = append(r.out.Complaints, fmt.Sprintf(format, args...))
}

func (r *runner) judge(line, text string, e expectation) {
	if strings.Contains(text, e.Text) != (e.Kind == "has") {
		r.complain("%s: it %s %q", line, map[bool]string{true: "does not have", false: "has"}[e.Kind == "has"], e.Text)
	}
}

// missing returns the facts that a text does not have.
func (r *runner) missing(text string) (lost []fact) {
	for _, f := range r.task.Facts {
		if !slices.ContainsFunc(f, func(one string) bool { return strings.Contains(text, one) }) {
			lost = append(lost, f)
		}
	}
	return lost
}

// facts counts the facts that a text has, and complains about the others.
func (r *runner) facts(text, where string) int {
	lost := r.missing(text)
	for _, f := range lost {
		r.complain("%s lack %s", where, f)
	}
	return len(r.task.Facts) - len(lost)
}

func (r *runner) tell(line, answer string) {
	if r.said != nil {
		fmt.Fprintf(r.said, "$ %s\n%s\n", line, strings.TrimRight(answer, "\n"))
	}
}
