package mutate

import (
	"cmp"
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

//go:embed functions.py
var pythonFunctions string

//go:embed quarry_lab_cover.py
var pythonCover string

// A python runs the tests of a Python project with pytest.
//
// The project is imported from the copy: from its root, or from src if there is one. A file
// that can no longer be collected counts as failing with all its tests. A run that takes too
// long says nothing.
type python struct {
	root    string // the copy
	scratch string // for reports
	program string // the interpreter, which has pytest and what the project needs
	timeout time.Duration

	files  []string // of the project
	tests  []string // those of them that are test code; what the doc comments of the rest have is none
	passed map[pythonCase]bool
}

// isPythonTest says whether a file is test code by its name, or support of the project's
// own kind: neither is broken.
func isPythonTest(file string) bool {
	base := path.Base(file)
	if strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "test.py" || base == "tests.py" || base == "conftest.py" || base == "setup.py" || base == "noxfile.py" {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case "tests", "test", "testing", "docs", "doc", "examples", "benchmarks", "scripts":
			return true
		}
	}
	return false
}

func (p *python) functions(ctx context.Context) ([]function, []test, error) {
	err := fs.WalkDir(os.DirFS(p.root), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(file) == ".py" {
			if p.files = append(p.files, file); isPythonTest(file) {
				p.tests = append(p.tests, file)
			}
		}
		return err
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(p.scratch, "quarry_lab_cover.py"), []byte(pythonCover), 0o600)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("mutate: %w", err)
	}
	// Without a bound: what watches the functions makes it slow.
	first, expired, err := p.suite(ctx, 0, "-p", "quarry_lab_cover")
	if err != nil {
		return nil, nil, err
	}
	second, late, err := p.suite(ctx, p.timeout)
	if err != nil {
		return nil, nil, err
	}
	if expired || late {
		return nil, nil, fmt.Errorf("mutate: the tests take longer than %s without a change", p.timeout)
	}
	p.passed = steady(first.passed, second.passed)
	all, err := p.covered(ctx)
	return all, slices.Compact(sortedTests(p.passed, pythonCase.itself)), err
}

func compareTests(a, b test) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Home, b.Home))
}

// covered returns the functions that ran, outside of the tests.
func (p *python) covered(ctx context.Context) ([]function, error) {
	var question struct {
		Root    string          `json:"root"`
		Files   []string        `json:"files"`
		Covered json.RawMessage `json:"covered"`
	}
	covered, err := os.ReadFile(filepath.Join(p.scratch, "covered.json"))
	if err != nil {
		return nil, fmt.Errorf("mutate: what pytest ran: %w", err)
	}
	question.Root, question.Covered, question.Files = p.root, covered, []string{}
	for _, f := range p.files {
		if !isPythonTest(f) {
			question.Files = append(question.Files, f)
		}
	}
	return askPython(ctx, p.program, question)
}

// askPython runs functions.py.
func askPython(ctx context.Context, program string, question any) ([]function, error) {
	return askFunctions(ctx, program, []string{"-c", pythonFunctions}, question)
}

// suite runs all tests, and says whether that took too long. Traces are not printed: of five
// hundred failures they take ten times as long as the tests. Nothing is kept of one run that
// the next could see: no cache, no compiled files.
func (p *python) suite(ctx context.Context, timeout time.Duration, flags ...string) (r pythonRun, expired bool, err error) {
	report := filepath.Join(p.scratch, "junit.xml")
	if err := removeReport(report); err != nil {
		return r, false, err
	}
	args := slices.Concat([]string{"-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-o", "junit_family=xunit1", "--junitxml=" + report}, flags)
	path := strings.Join([]string{p.root, filepath.Join(p.root, "src"), p.scratch}, string(filepath.ListSeparator))
	said, late, err := runTests(ctx, "pytest", timeout, p.root, func(ctx context.Context) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, p.program, args...)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0",
			"QUARRY_LAB_ROOT="+p.root, "QUARRY_LAB_COVERED="+filepath.Join(p.scratch, "covered.json"))
		return cmd, nil
	})
	if err != nil || late {
		return r, late, err
	}
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) && p.passed != nil {
		// It did not come as far as a report: conftest.py or a plugin imports what is broken.
		return pythonRun{unloaded: p.loaded()}, false, nil
	} else if err != nil {
		return r, false, fmt.Errorf("mutate: pytest wrote no report: %w\n%s", err, said)
	}
	r, err = readJUnit(text, p.tests)
	return r, false, err
}

// loaded returns the test files that can be run without a change.
func (p *python) loaded() []string {
	return filesOf(sortedTests(p.passed, pythonCase.itself))
}

func (p *python) run(ctx context.Context) (out outcome, err error) {
	r, expired, err := p.suite(ctx, p.timeout)
	if err != nil || expired {
		out.Expired = expired
		return out, err
	}
	out.Unloaded = r.unloaded
	for c := range r.failed {
		if p.passed[c] {
			out.Failed = append(out.Failed, c.test)
		}
	}
	slices.SortFunc(out.Failed, compareTests)
	out.Failed = slices.Compact(out.Failed)
	return out, nil
}
