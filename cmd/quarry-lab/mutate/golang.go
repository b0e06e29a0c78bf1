package mutate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A golang runs the tests of a Go module.
//
// A panic ends a test binary, and with it the tests that would have come next. So where a
// package fails, those of its tests that have no outcome are run again, each in a process of
// its own, until the time is up: what is then left counts as passing. A test that fails alone
// without the change, too, does not count. A change that the compiler refuses runs nothing
// and is unbuilt.
type golang struct {
	root    string // the copy
	scratch string // for what is built
	timeout time.Duration

	packages []goPackage
	where    map[goTest]test
	passed   map[goTest]bool
	alone    map[goTest]bool // whether a test passes alone without a change, as far as it was asked
}

// A goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir                              string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

func (p *goPackage) tests() []string { return slices.Concat(p.TestGoFiles, p.XTestGoFiles) }

// command makes a command that runs in a folder. A workspace around the module is left out,
// and what vet thinks of a mutant does not matter.
func (g *golang) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	return cmd
}

func (g *golang) functions(ctx context.Context) ([]function, []test, error) {
	if err := g.list(ctx); err != nil {
		return nil, nil, err
	}
	profile := filepath.Join(g.scratch, "cover.out")
	first, err := g.suite(ctx, "-coverpkg=./...", "-coverprofile="+profile)
	if err != nil {
		return nil, nil, err
	}
	second, err := g.suite(ctx)
	if err != nil {
		return nil, nil, err
	}
	var tests []test
	for t, at := range g.where {
		if first.passed[t] && second.passed[t] {
			g.passed[t] = true
			tests = append(tests, at)
		}
	}
	slices.SortFunc(tests, func(a, b test) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name)) })
	for _, p := range g.packages {
		if len(p.tests()) == 0 {
			continue
		}
		// Built now: later the tree has a change in it.
		out, err := g.command(ctx, g.root, "go", "test", "-c", "-vet=off", "-o", g.binary("before", p), p.ImportPath).CombinedOutput()
		if err != nil && g.passes(p.ImportPath) {
			return nil, nil, fmt.Errorf("mutate: go test -c: %w\n%s", err, out)
		}
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, nil, fmt.Errorf("mutate: %w", err)
	}
	covered, err := goCovered(string(text))
	if err != nil {
		return nil, nil, err
	}
	var all []function
	for _, p := range g.packages {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			spans := covered[p.ImportPath+"/"+name]
			path, text, err := g.read(p.Dir, name)
			if err != nil {
				return nil, nil, err
			}
			found, err := goFunctions(path, text, func(first, last int) bool {
				return slices.ContainsFunc(spans, func(s span) bool { return first <= s.first && s.last <= last })
			})
			if err != nil {
				return nil, nil, err
			}
			all = append(all, found...)
		}
	}
	return all, tests, nil
}

// list finds the packages and where their tests are.
func (g *golang) list(ctx context.Context) error {
	g.where, g.passed, g.alone = map[goTest]test{}, map[goTest]bool{}, map[goTest]bool{}
	cmd := g.command(ctx, g.root, "go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./...")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("mutate: go list: %w\n%s", err, complaint.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("mutate: go list: %w", err)
		}
		g.packages = append(g.packages, p)
		for _, name := range p.tests() {
			path, text, err := g.read(p.Dir, name)
			if err != nil {
				return err
			}
			names, err := goTests(path, text)
			if err != nil {
				return err
			}
			for _, n := range names {
				g.where[goTest{p.ImportPath, n}] = test{File: path, Name: n}
			}
		}
	}
	return nil
}

// read returns a file's path from the root, and its text.
func (g *golang) read(dir, name string) (string, []byte, error) {
	path, err := filepath.Rel(g.root, filepath.Join(dir, name))
	if err != nil {
		return "", nil, fmt.Errorf("mutate: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", nil, fmt.Errorf("mutate: %w", err)
	}
	return filepath.ToSlash(path), text, nil
}

// suite runs all tests. Go ends a binary that takes too long, and names the test.
func (g *golang) suite(ctx context.Context, flags ...string) (goRun, error) {
	args := slices.Concat([]string{"test", "-json", "-vet=off", "-count=1", "-timeout", g.timeout.String()}, flags, []string{"./..."})
	cmd := g.command(ctx, g.root, "go", args...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return goRun{}, fmt.Errorf("mutate: go test: %w", cmp.Or(ctx.Err(), err))
	}
	return readGo(out)
}

func (g *golang) run(ctx context.Context) (out outcome, err error) {
	started := time.Now()
	said, err := g.suite(ctx)
	if err != nil {
		return out, err
	}
	for pkg := range said.broken {
		if out.Unbuilt = g.passes(pkg); out.Unbuilt {
			return out, nil
		}
	}
	for _, p := range g.packages {
		var rest []goTest
		for t := range g.passed {
			switch {
			case t.pkg != p.ImportPath:
			case said.failed[t]:
				out.Failed = append(out.Failed, g.where[t])
			case !said.passed[t] && said.fell[p.ImportPath]:
				rest = append(rest, t)
			}
		}
		if len(rest) == 0 {
			continue
		}
		slices.SortFunc(rest, func(a, b goTest) int { return cmp.Compare(a.name, b.name) })
		failed, err := g.each(ctx, p, rest, started.Add(g.timeout))
		if err != nil {
			return out, err
		}
		out.Failed = append(out.Failed, failed...)
	}
	slices.SortFunc(out.Failed, func(a, b test) int { return strings.Compare(a.String(), b.String()) })
	return out, nil
}

// each runs tests of a package one by one, and returns those that fail because of the change.
func (g *golang) each(ctx context.Context, p goPackage, tests []goTest, end time.Time) (failed []test, err error) {
	out, err := g.command(ctx, g.root, "go", "test", "-c", "-vet=off", "-o", g.binary("after", p), p.ImportPath).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("mutate: go test -c: %w\n%s", err, out)
	}
	for _, t := range tests {
		if time.Now().After(end) {
			break
		}
		passes, err := g.single(ctx, "after", p, t.name)
		if err != nil {
			return nil, err
		}
		if passes {
			continue
		}
		if _, asked := g.alone[t]; !asked {
			if g.alone[t], err = g.single(ctx, "before", p, t.name); err != nil {
				return nil, err
			}
		}
		if g.alone[t] {
			failed = append(failed, g.where[t])
		}
	}
	return failed, nil
}

// single says whether a test passes in a process of its own.
func (g *golang) single(ctx context.Context, state string, p goPackage, name string) (bool, error) {
	cmd := g.command(ctx, p.Dir, g.binary(state, p), "-test.run", "^"+name+"$", "-test.timeout", (g.timeout / 4).String())
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return false, fmt.Errorf("mutate: run a test: %w", cmp.Or(ctx.Err(), err))
	}
	return err == nil, nil
}

// binary returns where a package's tests are built, before or after the change.
func (g *golang) binary(state string, p goPackage) string {
	i := slices.IndexFunc(g.packages, func(q goPackage) bool { return q.ImportPath == p.ImportPath })
	return filepath.Join(g.scratch, state+strconv.Itoa(i)+".test")
}

// passes says whether a package has tests that pass without a change.
func (g *golang) passes(pkg string) bool {
	for t := range g.passed {
		if t.pkg == pkg {
			return true
		}
	}
	return false
}
