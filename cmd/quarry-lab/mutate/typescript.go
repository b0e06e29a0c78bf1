package mutate

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed functions.mjs
var typescriptFunctions string

// A nodeRunner is a program that runs the tests of JavaScript and TypeScript.
type nodeRunner struct {
	name     string
	command  string // to run it, if the project has no other
	report   string // flags; FILE is where the results are written
	coverage string // flags, or the command that runs it if that is to note what runs; DIR is where that is written
	before   bool   // coverage is a command
	read     func(text []byte, root string) (nodeRun, error)
}

var nodeRunners = []nodeRunner{
	{"vitest", "npx vitest run", "--reporter=json --outputFile=FILE", "--coverage.enabled --coverage.reporter=json --coverage.reportsDirectory=DIR", false, readJest},
	{"jest", "npx jest", "--json --outputFile=FILE", "--coverage --coverageReporters=json --coverageDirectory=DIR", false, readJest},
	{"mocha", "npx mocha", "--reporter json --reporter-option output=FILE", "npx c8 -r json -o DIR", true, readMocha},
}

// A nodeRun is what a run of tests came to. The name of a test is that of its groups and its own.
type nodeRun struct {
	passed, failed map[test]bool
	unloaded       []string
}

// A typescript runs the tests of a project of TypeScript or JavaScript.
//
// Packages are those of the repository's node_modules. A run that writes no report says
// nothing: mocha loads all files before it runs a test, and ends where it cannot.
type typescript struct {
	repo    string // has node_modules
	root    string // the copy
	scratch string
	command string // of the tests; "": the runner's own
	timeout time.Duration

	runner nodeRunner
	passed map[test]bool
}

// isNodeTest says whether a file is test code, or no code of the project's own, by its path.
func isNodeTest(file string) bool {
	base := path.Base(file)
	if strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.Contains(base, ".config.") || strings.HasSuffix(base, ".d.ts") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case "tests", "test", "__tests__", "__mocks__", "docs", "examples", "example", "benchmarks", "scripts", "node_modules", "dist":
			return true
		}
	}
	return false
}

// choose finds the runner, and puts the packages where the copy finds them.
func (t *typescript) choose() error {
	said := t.command
	if said == "" {
		text, err := os.ReadFile(filepath.Join(t.root, "package.json"))
		if err != nil {
			return fmt.Errorf("mutate: %w", err)
		}
		var manifest struct {
			Dev map[string]string `json:"devDependencies"`
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			return fmt.Errorf("mutate: package.json: %w", err)
		}
		for name := range manifest.Dev {
			said += " " + name
		}
	}
	i := slices.IndexFunc(nodeRunners, func(r nodeRunner) bool {
		return slices.ContainsFunc(strings.Fields(said), func(word string) bool { return strings.Contains(strings.TrimSuffix(path.Base(word), ".js"), r.name) })
	})
	if i < 0 {
		return errors.New("mutate: the tests are run by neither vitest, jest nor mocha")
	}
	if t.runner = nodeRunners[i]; t.command == "" {
		t.command = t.runner.command
	}
	modules, err := filepath.Abs(filepath.Join(t.repo, "node_modules"))
	if err == nil {
		err = os.Symlink(modules, filepath.Join(t.root, "node_modules"))
	}
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	return nil
}

func (t *typescript) functions(ctx context.Context) ([]function, []test, error) {
	if err := t.choose(); err != nil {
		return nil, nil, err
	}
	covered := filepath.Join(t.scratch, "coverage")
	first, expired, err := t.suite(ctx, 0, covered)
	if err != nil {
		return nil, nil, err
	}
	second, late, err := t.suite(ctx, t.timeout, "")
	if err != nil {
		return nil, nil, err
	}
	if expired || late {
		return nil, nil, fmt.Errorf("mutate: the tests write no report, or take longer than %s, without a change", t.timeout)
	}
	t.passed = steady(first.passed, second.passed)
	all, err := t.covered(ctx, covered)
	return all, sortedTests(t.passed, test.itself), err
}

// covered returns the functions that ran, outside of the tests. What ran is told in the format
// of Istanbul: https://github.com/istanbuljs/istanbuljs, coverage-final.json.
func (t *typescript) covered(ctx context.Context, dir string) ([]function, error) {
	text, err := os.ReadFile(filepath.Join(dir, "coverage-final.json"))
	if err != nil {
		return nil, fmt.Errorf("mutate: what the tests ran: %w", err)
	}
	type place struct {
		Start struct {
			Line int `json:"line"`
		} `json:"start"`
	}
	var report map[string]struct {
		Functions map[string]struct {
			Decl place `json:"decl"`
			Loc  place `json:"loc"`
		} `json:"fnMap"`
		Counts map[string]int `json:"f"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("mutate: what the tests ran: %w", err)
	}
	var question struct {
		Root       string           `json:"root"`
		Files      []string         `json:"files"`
		TypeScript string           `json:"typescript"`
		Covered    map[string][]int `json:"covered"`
	}
	question.Root, question.Covered, question.Files = t.root, map[string][]int{}, []string{}
	question.TypeScript = filepath.Join(t.root, "node_modules", "typescript")
	for name, f := range report {
		file, ok := within(t.root, name)
		if !ok || isNodeTest(file) {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			continue // what a build has put in
		}
		question.Files = append(question.Files, file)
		for id, fn := range f.Functions {
			if f.Counts[id] > 0 {
				question.Covered[file] = append(question.Covered[file], fn.Decl.Start.Line, fn.Loc.Start.Line)
			}
		}
	}
	slices.Sort(question.Files)
	return askFunctions(ctx, "node", []string{"--input-type=module", "-e", typescriptFunctions}, question)
}

// within returns the path of a file from the root.
func within(root, name string) (string, bool) {
	rel, err := filepath.Rel(root, name)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// suite runs all tests, and notes what runs if there is a folder for that. late says that there
// is no report.
func (t *typescript) suite(ctx context.Context, timeout time.Duration, coverage string) (r nodeRun, late bool, err error) {
	report := filepath.Join(t.scratch, "report.json")
	if err := removeReport(report); err != nil {
		return r, false, err
	}
	args := slices.Concat(strings.Fields(t.command), strings.Fields(strings.ReplaceAll(t.runner.report, "FILE", report)))
	if note := strings.Fields(strings.ReplaceAll(t.runner.coverage, "DIR", coverage)); coverage != "" && t.runner.before {
		args = slices.Concat(note, args)
	} else if coverage != "" {
		args = slices.Concat(args, note)
	}
	said, late, err := runTests(ctx, t.runner.name, timeout, t.root, func(ctx context.Context) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "CI=1")
		return cmd, nil
	})
	if err != nil || late {
		return r, late, err
	}
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) && t.passed != nil {
		return r, true, nil
	} else if err != nil {
		return r, false, fmt.Errorf("mutate: %s wrote no report: %w\n%s", t.runner.name, err, said)
	}
	r, err = t.runner.read(text, t.root)
	return r, false, err
}

// readJest reads the results that jest and vitest write.
func readJest(text []byte, root string) (nodeRun, error) {
	r := nodeRun{passed: map[test]bool{}, failed: map[test]bool{}}
	var report struct {
		Results []struct {
			Name   string `json:"name"`
			Status string `json:"status"`
			Tests  []struct {
				Name   string `json:"fullName"`
				Status string `json:"status"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return r, fmt.Errorf("mutate: the results of the tests: %w", err)
	}
	for _, f := range report.Results {
		file, ok := within(root, f.Name)
		if !ok {
			continue
		}
		if len(f.Tests) == 0 && f.Status == "failed" {
			r.unloaded = append(r.unloaded, file)
		}
		for _, one := range f.Tests {
			r.note(test{File: file, Name: one.Name}, one.Status == "passed", one.Status == "failed")
		}
	}
	slices.Sort(r.unloaded)
	return r, nil
}

// readMocha reads what mocha's reporter json writes.
func readMocha(text []byte, root string) (nodeRun, error) {
	r := nodeRun{passed: map[test]bool{}, failed: map[test]bool{}}
	type one struct {
		Name string `json:"fullTitle"`
		File string `json:"file"`
	}
	var report struct {
		Passes   []one `json:"passes"`
		Failures []one `json:"failures"`
		Tests    []one `json:"tests"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return r, fmt.Errorf("mutate: the results of the tests: %w", err)
	}
	for n, list := range [][]one{report.Passes, report.Failures} {
		for _, t := range list {
			if file, ok := within(root, t.File); ok {
				r.note(test{File: file, Name: t.Name}, n == 0, n == 1)
			}
		}
	}
	return r, nil
}

// note notes a test. Of several of one name one that fails is enough.
func (r *nodeRun) note(t test, passed, failed bool) {
	if failed {
		r.failed[t] = true
		delete(r.passed, t)
	} else if passed && !r.failed[t] {
		r.passed[t] = true
	}
}

func (t *typescript) run(ctx context.Context) (out outcome, err error) {
	r, late, err := t.suite(ctx, t.timeout, "")
	if err != nil || late {
		out.Expired = late
		return out, err
	}
	out.Unloaded = r.unloaded
	ran := map[string]bool{}
	for c := range r.passed {
		ran[c.File] = true
	}
	for c := range r.failed {
		if ran[c.File] = true; t.passed[c] {
			out.Failed = append(out.Failed, c)
		}
	}
	// A hook that fails has a name of its own, and keeps the tests after it from being run.
	for c := range t.passed {
		if ran[c.File] && !r.passed[c] && !r.failed[c] {
			out.Failed = append(out.Failed, c)
		}
	}
	slices.SortFunc(out.Failed, compareTests)
	return out, nil
}

// askFunctions runs a program that lists functions.
func askFunctions(ctx context.Context, program string, args []string, question any) (all []function, err error) {
	text, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &complaint
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("mutate: find the functions: %w\n%s", err, complaint.Bytes())
	}
	return all, nil
}
