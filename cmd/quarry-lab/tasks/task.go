package tasks

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed suite/*.txtar
var suite embed.FS

// A task is what a coding agent is asked to do in a repository, with its requests.
type task struct {
	Name       string
	Repository string // owner/name at GitHub
	Revision   string
	Language   string
	Goal       string
	Ways       [ways][]step
	Facts      []fact
}

// Ways to ask.
const (
	mcp = iota
	te
	plain
	ways
)

var wayNames = [ways]string{"mcp", "te", "plain"}

// A step is one request: a tool with its arguments, or a line of a shell, with what must hold
// of its own answer.
type step struct {
	Line    string
	Expects []expectation
}

// An expectation of an answer.
type expectation struct {
	Kind string // has, lacks: a text; rows: so many entries of the first list of a tool's answer
	Text string
}

// A fact was read in the source. It is known from an answer that has one of the texts.
type fact []string

func (f fact) String() string { return f[0] }

// builtIn returns the tasks of suite, in the order of their names.
func builtIn() ([]task, error) {
	names, err := fs.Glob(suite, "suite/*.txtar")
	if err != nil {
		return nil, err
	}
	var all []task
	for _, name := range names {
		text, err := suite.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t, err := parse(strings.TrimSuffix(path.Base(name), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// parse reads a task: lines "key: value", then the files mcp, te and plain, with a request a
// line and below it, indented, what must hold of its answer, and facts, with a fact a line:
// texts of which an answer has one, separated by " | ".
func parse(name string, text []byte) (task, error) {
	t := task{Name: name}
	ar := txtar.Parse(text)
	head := map[string]*string{"repository": &t.Repository, "revision": &t.Revision, "language": &t.Language, "goal": &t.Goal}
	for line := range strings.Lines(strings.TrimSpace(string(ar.Comment))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if head[key] == nil || *head[key] != "" || value == "" {
			return t, fmt.Errorf("%q is no line of the head, or stands there twice", line)
		}
		*head[key] = value
	}
	for key, value := range head {
		if *value == "" {
			return t, fmt.Errorf("the head has no %s", key)
		}
	}
	for _, f := range ar.Files {
		if err := t.part(f); err != nil {
			return t, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for way, steps := range t.Ways {
		if len(steps) == 0 {
			return t, fmt.Errorf("there are no requests in %s", wayNames[way])
		}
	}
	if len(t.Facts) == 0 {
		return t, fmt.Errorf("there are no facts")
	}
	return t, nil
}

// part reads one file of a task.
func (t *task) part(f txtar.File) error {
	for line := range strings.Lines(string(f.Data)) {
		line = strings.TrimRight(line, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if f.Name == "facts" {
			t.Facts = append(t.Facts, strings.Split(strings.TrimSpace(line), " | "))
			continue
		}
		way := -1
		for i, name := range wayNames {
			if f.Name == name {
				way = i
			}
		}
		if way < 0 {
			return fmt.Errorf("a task has no such part")
		}
		steps := &t.Ways[way]
		rest, indented := strings.CutPrefix(line, "  ")
		if !indented {
			if err := checkRequest(way, line); err != nil {
				return err
			}
			*steps = append(*steps, step{Line: line})
			continue
		}
		if len(*steps) == 0 || way == plain {
			return fmt.Errorf("%q belongs to no request whose answer is judged", rest)
		}
		e, err := expect(way, rest)
		if err != nil {
			return err
		}
		last := &(*steps)[len(*steps)-1]
		last.Expects = append(last.Expects, e)
	}
	return nil
}

func expect(way int, text string) (expectation, error) {
	kind, rest, ok := strings.Cut(text, " ")
	e := expectation{kind, rest}
	_, err := strconv.Atoi(rest)
	switch {
	case !ok, kind != "has" && kind != "lacks" && kind != "rows":
		return e, fmt.Errorf("%q is no expectation: has TEXT, lacks TEXT, or rows N", text)
	case kind == "rows" && (err != nil || way != mcp):
		return e, fmt.Errorf("%q: rows are a number, of a tool's answer", text)
	}
	return e, nil
}

// programs are what a line of a shell may begin with.
var programs = map[int][]string{te: {"te grep", "te cat", "te find", "te rag search"}, plain: {"grep", "cat", "find", "sed -n"}}

func checkRequest(way int, line string) error {
	if way == mcp {
		name, arguments, _ := strings.Cut(line, " ")
		var fields map[string]any
		if err := json.Unmarshal([]byte(arguments), &fields); err != nil {
			return fmt.Errorf("the arguments of %s: %w", name, err)
		}
		return nil
	}
	for _, program := range programs[way] {
		if strings.HasPrefix(line, program+" ") {
			return nil
		}
	}
	return fmt.Errorf("%q runs none of %s", line, strings.Join(programs[way], ", "))
}
