package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// grepOptions are the flags of grep.
type grepOptions struct {
	rig.Served
	n            int
	rg, patterns string
}

func newGrepCommand() *cobra.Command {
	var o grepOptions
	cmd := o.Command("grep --dir DIR", "Compare quarry te grep with ripgrep", `Grep serves a folder as it is and runs quarry te grep against ripgrep on ten patterns, or
those of a file with one a line, after its flags, which must be flags of both. First it
compares the lines that both find, those of quarry te -i grep with those of a ripgrep that
looks at the same files, and says why which lines are found by one only. Then it runs
ripgrep, quarry te grep and quarry te -i grep by turns, n times each, and reads their
outputs through a pipe. Times are those of whole processes.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureGrep(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.Lookup("dir").Usage = "the folder to serve as it is"
	fs.IntVarP(&o.n, "number", "n", 15, "runs")
	fs.StringVar(&o.rg, "rg", "rg", "the ripgrep program")
	fs.StringVar(&o.patterns, "patterns", "", "file with one pattern a line, after its flags")
	return cmd
}

// grepReport is the outcome of grep.
type grepReport struct {
	Ripgrep     string       `json:"ripgrep"` // its version
	Files       int          `json:"files"`   // indexed
	SourceBytes int64        `json:"source_bytes"`
	Repeats     int          `json:"repeats"`
	Rows        []grepRow    `json:"patterns"`
	Equal       int          `json:"equal_sets"` // patterns with which both find the same lines
	Failed      int          `json:"failed"`     // patterns that could not be measured
	Envelope    float64      `json:"envelope_by_rg"`
	Raw         float64      `json:"raw_by_rg"` // both: the medians of the patterns' ratios
	Differences []difference `json:"differences"`
	Notes       []string     `json:"notes"` // what the programs said on their error output
}

// grepRow is what was found with a pattern, and how fast.
type grepRow struct {
	Pattern string  `json:"pattern"` // with its flags
	Lines   int     `json:"lines"`   // that ripgrep finds
	Missing int     `json:"missing"` // of these, not found by quarry
	Extra   int     `json:"extra"`   // found by quarry only
	First   float64 `json:"first_envelope_ms"`
	Times   struct {
		Ripgrep  rig.Summary `json:"rg"`
		Envelope rig.Summary `json:"envelope"`
		Raw      rig.Summary `json:"raw"`
	} `json:"times"`
	Bytes struct {
		Ripgrep  int64 `json:"rg"`
		Envelope int64 `json:"envelope"`
		Raw      int64 `json:"raw"`
	} `json:"bytes"` // of output
	Envelope float64 `json:"envelope_by_rg"`
	Raw      float64 `json:"raw_by_rg"` // both: by the medians
	Error    string  `json:"error,omitempty"`
}

// grepPatterns are what is looked for unless there is a file: one of each sort, for
// sources in Go. The last but one must not match itself.
const grepPatterns = `ReadFile
-w err
Lock|Unlock|RLock
func TestMain\(
return
^func \(
-i error
[\p{Greek}\p{Han}]
qzx[j]qvkw
^
`

// rgFlags have ripgrep look at the files that quarry looks at, and print what quarry
// prints: no settings of its own and no ignore files of its own, hidden files, and what
// .gitignore says also outside of a git work tree.
var rgFlags = []string{"--no-config", "--no-heading", "-n", "--color=never", "--hidden", "--no-ignore-dot", "--no-require-git", "--glob", "!.git"}

// A grepper runs both programs in the served folder.
type grepper struct {
	o     grepOptions
	dir   string
	env   []string // of quarry: it finds the server in the data folder
	notes []string
}

// measureGrep serves a folder as it is, and compares quarry te grep with ripgrep: which
// lines they find, and how long they take.
func measureGrep(ctx context.Context, o grepOptions, out io.Writer) (err error) {
	cases, err := readPatterns(o.patterns)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	for _, name := range []*string{&o.Program, &o.rg} { // they run in another folder
		if *name, err = exec.LookPath(*name); err != nil {
			return err
		}
		if *name, err = filepath.Abs(*name); err != nil {
			return err
		}
	}
	data, err := os.MkdirTemp("", "quarry-grep-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	p, err := rig.Start(ctx, o.Program, dir, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.End()) }()
	if err := p.Until(ctx, p.Ready); err != nil {
		return err
	}
	g := &grepper{o: o, dir: dir, env: grepEnvironment(os.Environ(), data)}
	c, r, err := g.prepare(ctx, p)
	if err != nil {
		return err
	}
	for _, pattern := range cases {
		row, err := g.row(ctx, c, pattern)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			row.Error = err.Error()
			r.Failed++
		} else if row.Missing+row.Extra == 0 {
			r.Equal++
		}
		r.Rows = append(r.Rows, row)
	}
	r.sum()
	r.Differences, r.Notes = c.differences(), g.notes
	if err := o.Print(out, r, "%s", r); err != nil {
		return err
	}
	if r.Failed > 0 {
		return fmt.Errorf("%d patterns could not be measured", r.Failed)
	}
	return nil
}

// grepEnvironment has quarry look for its server in the data folder, and be nobody in
// particular.
func grepEnvironment(env []string, data string) []string {
	own := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "TE_") || strings.HasPrefix(v, "LLMC_TE_") || strings.HasPrefix(v, "QUARRY_ROOT=")
	})
	return append(own, "QUARRY_DATA_DIR="+data)
}

// prepare asks both which files there are.
func (g *grepper) prepare(ctx context.Context, p *rig.Server) (*comparison, grepReport, error) {
	r := grepReport{Repeats: g.o.n, Notes: []string{}}
	version, err := exec.CommandContext(ctx, g.o.rg, "--version").Output()
	if err != nil {
		return nil, r, fmt.Errorf("%s --version: %w", g.o.rg, err)
	}
	first, _, _ := bytes.Cut(version, []byte("\n"))
	r.Ripgrep = string(first)
	var status struct {
		rig.IndexStatus
		Coverage struct {
			Files []struct {
				Path   string `json:"path"`
				Reason string `json:"reason"`
			} `json:"files"`
			Truncated bool `json:"truncated"`
		} `json:"coverage"`
	}
	if err := p.Get(ctx, "/status?skipped=10000", &status); err != nil {
		return nil, r, err
	}
	r.Files, r.SourceBytes = status.Index.Files, status.Index.SourceBytes
	c := newComparison()
	for _, f := range status.Coverage.Files {
		c.left[f.Path] = f.Reason
	}
	if status.Coverage.Truncated {
		g.notes = append(g.notes, "more than 10000 files are left out of the index: of the others, the reason is not known")
	}
	var list bytes.Buffer
	if _, err := g.run(ctx, g.o.rg, append(slices.Clone(rgFlags), "--files", "."), &list); err != nil {
		return nil, r, err
	}
	for path := range strings.Lines(list.String()) {
		c.listed[strings.TrimPrefix(strings.TrimSuffix(path, "\n"), "./")] = true
	}
	return c, r, nil
}

// row compares what both find with a pattern, then times them by turns.
func (g *grepper) row(ctx context.Context, c *comparison, pattern []string) (grepRow, error) {
	row := grepRow{Pattern: strings.Join(pattern, " ")}
	flags, text := pattern[:len(pattern)-1], pattern[len(pattern)-1]
	rg := slices.Concat(rgFlags, flags, []string{"--", text, "."})
	envelope := slices.Concat([]string{"te", "grep", "-P"}, flags, []string{"--", text})
	raw := slices.Concat([]string{"te", "-i", "grep", "-P"}, flags, []string{"--", text})

	// The first envelope comes before anything that could help it.
	took, err := g.run(ctx, g.o.Program, envelope, io.Discard)
	if err != nil {
		return row, err
	}
	row.First = rig.Summarize([]time.Duration{took}).P50
	var want, got strings.Builder // they may be large; a Buffer's String is a copy
	if _, err := g.run(ctx, g.o.rg, rg, &want); err != nil {
		return row, err
	}
	if _, err := g.run(ctx, g.o.Program, raw, &got); err != nil {
		return row, err
	}
	row.Lines, row.Missing, row.Extra = c.compare(want.String(), got.String())

	tools := []struct {
		name  string
		args  []string
		times []time.Duration
		bytes *int64
		into  *rig.Summary
	}{
		{g.o.rg, rg, nil, &row.Bytes.Ripgrep, &row.Times.Ripgrep},
		{g.o.Program, envelope, nil, &row.Bytes.Envelope, &row.Times.Envelope},
		{g.o.Program, raw, nil, &row.Bytes.Raw, &row.Times.Raw},
	}
	for i := range g.o.n {
		for k := range tools {
			t := &tools[(i+k)%len(tools)]
			var size counter
			took, err := g.run(ctx, t.name, t.args, &size)
			if err != nil {
				return row, err
			}
			t.times = append(t.times, took)
			*t.bytes = int64(size)
		}
	}
	for _, t := range tools {
		*t.into = rig.Summarize(t.times)
	}
	base := max(row.Times.Ripgrep.P50, 1e-3)
	row.Envelope, row.Raw = row.Times.Envelope.P50/base, row.Times.Raw.P50/base
	return row, nil
}

// run runs a program in the folder, reads its output through a pipe, and measures from
// its start to its end. To find nothing, exit code 1, is no error.
func (g *grepper) run(ctx context.Context, name string, args []string, out io.Writer) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = g.dir
	if name == g.o.Program {
		cmd.Env = g.env
	}
	var said bytes.Buffer
	// No file: ripgrep stops at the first match where its output is /dev/null.
	cmd.Stdout, cmd.Stderr = struct{ io.Writer }{out}, &said
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && first == "" {
		err = nil
	}
	if err != nil {
		return took, fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, first)
	}
	if note := filepath.Base(name) + ": " + first; first != "" && !slices.Contains(g.notes, note) {
		g.notes = append(g.notes, note)
	}
	return took, nil
}

// A counter counts the bytes that are written to it.
type counter int64

// Write counts p.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// readPatterns reads one pattern a line, after its flags; without a file, those for Go.
// The last element of each is the pattern, the others are flags.
func readPatterns(path string) ([][]string, error) {
	text := grepPatterns
	if path != "" {
		read, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		text = string(read)
	}
	var cases [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		var c []string
		for strings.HasPrefix(line, "-") {
			flag, rest, _ := strings.Cut(line, " ")
			line = rest
			if flag == "--" { // the pattern begins with a hyphen
				break
			}
			c = append(c, flag)
		}
		if line == "" {
			return nil, fmt.Errorf("patterns: %q has flags and no pattern", strings.Join(c, " "))
		}
		cases = append(cases, append(c, line))
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s holds no pattern", path)
	}
	return cases, nil
}
