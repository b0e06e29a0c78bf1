package callgraph

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed php.php
var phpProgram string

// phpOptions are the flags of `quarry-lab callgraph php`.
type phpOptions struct {
	command string
	measurement
}

func newPHPCommand() *cobra.Command {
	o := phpOptions{}
	cmd := &cobra.Command{
		Use:   "php DIR --command COMMAND",
		Short: "Compare with the calls that run in a PHP program",
		Long: `Php runs a command in a PHP project, which runs the code of the repository, and
compares the calls that ran with those that Quarry finds. It needs xdebug 3.

A trace has the line of a call, not its column: a name that is called twice on a
line is left out. What else an edge is, and what is by a library, is as with python.`,
		Example: `  quarry-lab callgraph php ~/src/diff --command "phpunit --bootstrap autoload.php tests" --complete 300`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.against(cmd, args[0], o.calls, (*truth).observe)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.command, "command", "phpunit", "`command` of a shell that runs the tests, in DIR")
	o.flags(cmd)
	return cmd
}

// calls runs the program.
func (o *phpOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	root, work, err := workFor(dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "functions.php")
	settings := "auto_prepend_file=" + program + "\nxdebug.mode=trace\nxdebug.start_with_request=yes\nxdebug.trace_format=1\n" +
		"xdebug.use_compression=0\nxdebug.output_dir=" + work + "\nxdebug.trace_output_name=trace.%p\n"
	err = errors.Join(os.WriteFile(program, []byte(phpProgram), 0o600), os.WriteFile(filepath.Join(work, "lab.ini"), []byte(settings), 0o600))
	if err != nil {
		return nil, fmt.Errorf("callgraph: write the program: %w", err)
	}
	text, err := ran(ctx, o.command, root, filepath.Join(work, "functions.json"), "PHP_INI_SCAN_DIR=:"+work)
	if err != nil {
		return nil, err
	}
	traces, _ := filepath.Glob(filepath.Join(work, "trace.*.xt")) // the pattern is a good one
	if len(traces) == 0 {
		return nil, fmt.Errorf("callgraph: %q leaves no trace of xdebug in %s", o.command, dir)
	}
	p := phpTrace{root: root + "/", files: map[string]bool{}, defined: map[string]place{}, lines: map[string][]string{}, seen: map[phpCall]bool{}}
	if err := p.functions(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	for _, name := range traces {
		if err := p.read(name); err != nil {
			return nil, err
		}
	}
	return p.out.Bytes(), nil
}

// A phpTrace makes edges of traces, in the form that readCalls reads.
type phpTrace struct {
	root    string
	files   map[string]bool     // that were loaded
	defined map[string]place    // functions, by the names that traces have for them
	lines   map[string][]string // the texts of files
	seen    map[phpCall]bool
	out     bytes.Buffer
}

func (p *phpTrace) write(line any) error { return json.NewEncoder(&p.out).Encode(line) }

func (p place) spot() spot { return spot{p.path, p.line, p.column} }

// A phpCall is a line of a trace: what ran, from where. by is an internal function that called it.
type phpCall struct{ name, file, line, by string }

// functions reads what php.php prints.
func (p *phpTrace) functions(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var f struct {
			File, Defined, Path, Name string
			Line                      int
			Empty                     bool
		}
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return fmt.Errorf("callgraph: read the functions: %w", err)
		}
		at := place{f.Path, f.Line, 0}
		var err error
		switch {
		case f.File != "":
			p.files[f.File] = true
			err = p.write(map[string]any{"File": f.File})
		case !f.Empty && !phpTests.MatchString(f.Path):
			err = p.write(map[string]any{"Function": at.spot(), "Name": f.Name})
			fallthrough
		default:
			p.defined[strings.ToLower(f.Defined)] = at
		}
		if err != nil {
			return fmt.Errorf("callgraph: write the functions: %w", err)
		}
	}
	return lines.Err()
}

var phpTests = regexp.MustCompile(`(?i)(^|/)tests?/|Test\.php$`)

// read reads a trace of xdebug, whose lines are described at xdebug.org/docs/trace: level, number,
// 0 for an entry, time, memory, function, 1 for one of PHP's own code, file included, file, line.
func (p *phpTrace) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("callgraph: read the trace: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	internal := map[int]string{} // functions of PHP itself that run, by level
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), "\t", 11)
		if len(f) < 10 || f[2] != "0" {
			continue
		}
		level, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		internal[level] = ""
		if f[6] != "1" {
			internal[level] = f[5]
			continue
		}
		if err := p.entered(phpCall{f[5], f[8], f[9], internal[level-1]}); err != nil {
			return fmt.Errorf("callgraph: write the calls: %w", err)
		}
	}
	return lines.Err()
}

func (p *phpTrace) entered(c phpCall) error {
	if p.seen[c] {
		return nil
	}
	p.seen[c] = true
	to, ok := p.defined[strings.ToLower(strings.Replace(c.name, "->", "::", 1))]
	if !ok {
		return nil // a file, or a closure, which stands for what is around it
	}
	from, inside := strings.CutPrefix(c.file, p.root)
	line, _ := strconv.Atoi(c.line)
	at, kind := place{from, line, 0}, "direct"
	if inside = inside && p.files[from]; !inside || c.by != "" {
		kind = "foreign"
		if !inside {
			at = place{}
		}
	} else if at.column = p.column(c, at); at.column == 0 {
		kind = "implicit" // a method that the language calls, or by a computed name
	} else if at.column < 0 {
		kind, at.column = "unclear", 0
	}
	return p.write(map[string]any{"Kind": kind, "At": at.spot(), "To": []spot{to.spot()}})
}

// column finds the name of what is called on a line: 0 where it is not there, -1 where it is there
// more than once.
func (p *phpTrace) column(c phpCall, at place) int {
	texts, ok := p.lines[c.file]
	if !ok {
		text, err := os.ReadFile(c.file)
		if err == nil {
			texts = strings.Split(string(text), "\n")
		}
		p.lines[c.file] = texts
	}
	if at.line < 1 || at.line > len(texts) {
		return 0
	}
	name := c.name[strings.LastIndexAny(c.name, `\>:`)+1:]
	pattern := `(?i)(?:->|::|[^\w$>:]|^)(` + regexp.QuoteMeta(name) + `)\s*\(`
	if name == "__construct" {
		class := c.name[:max(strings.LastIndex(c.name, "->"), strings.LastIndex(c.name, "::"))]
		class = class[strings.LastIndexByte(class, '\\')+1:]
		pattern = `(?i)(?:::(__construct)\s*\(|\bnew\s+(?:[\w\\]*\\)?(` + regexp.QuoteMeta(class) + `|self|static|\w+)\b)`
	}
	found := regexp.MustCompile(pattern).FindAllStringSubmatchIndex(texts[at.line-1], -1)
	if len(found) != 1 {
		return -min(len(found), 1)
	}
	for n := 2; n < len(found[0]); n += 2 {
		if found[0][n] >= 0 {
			return found[0][n] + 1
		}
	}
	return 0
}
