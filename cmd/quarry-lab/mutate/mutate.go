// Package mutate is the mutation oracle: it breaks functions of a repository one at a time,
// runs its tests, and asks Quarry which tests the change may affect. A test that fails and
// that the answer does not name is a miss; one that is missed by an answer that calls itself
// complete is a broken promise.
//
// It runs the code of the repository. The laboratory may do that, the product never does.
package mutate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// A kind is a way to break a function.
type kind string

const (
	throw    kind = "throw"    // it panics or raises before it does anything
	rename   kind = "rename"   // its definition has another name
	constant kind = "constant" // a number, a string or a truth value in it is another
)

var kinds = []kind{throw, rename, constant}

// An edit puts a text in the place of another.
type edit struct {
	At     int    `json:"at"` // bytes from the start of the file
	Length int    `json:"length"`
	Text   string `json:"text"`
}

func (e edit) apply(text []byte) []byte {
	return slices.Concat(text[:e.At], []byte(e.Text), text[e.At+e.Length:])
}

// A function is a definition of the code that is not tests, and how it can be broken.
type function struct {
	File      string `json:"file"` // from the root, with slashes
	Name      string `json:"name"`
	Line      int    `json:"line"`
	Throw     *edit  `json:"throw"`  // nil: it cannot be done
	Rename    *edit  `json:"rename"` // as above
	Constants []edit `json:"constants"`
}

// A test is a test function; its cases and its parts are one.
type test struct {
	File string `json:"file"` // the file to run
	Name string `json:"name"`
	// Home is the file that it is written in, if that is another: tests are inherited.
	Home string `json:"home,omitempty"`
}

func (t test) String() string { return t.File + ":" + t.Name }

// An outcome is what a run of the tests came to.
type outcome struct {
	failed []test
	// unloaded are the test files that could not be loaded, which runs none of their tests.
	unloaded []string
	unbuilt  bool // the compiler refuses the change
	expired  bool // the run took too long, and says nothing
}

// A language knows how the functions of one language are broken, and runs their tests.
type language interface {
	// functions runs the tests of the tree as it is, and returns the functions that they
	// run, by their places, and the tests that pass each time.
	functions(ctx context.Context) ([]function, []test, error)
	// run runs the tests of the changed tree. Only those that passed count.
	run(ctx context.Context) (outcome, error)
}

// A mutant is one function, broken.
type mutant struct {
	kind
	function
	edit
}

// draw takes n functions by lot for each kind, and for each an edit of that kind. The same
// functions and the same seed give the same mutants, and another number for one kind does
// not change those of another.
func draw(functions []function, n map[kind]int, seed uint64) (all []mutant) {
	for i, k := range kinds {
		lot := rand.New(rand.NewPCG(seed, uint64(i)))
		taken := 0
		for _, at := range lot.Perm(len(functions)) {
			f := functions[at]
			e := f.Throw
			switch {
			case k == rename:
				e = f.Rename
			case k == constant && len(f.Constants) == 0:
				e = nil
			case k == constant:
				e = &f.Constants[lot.IntN(len(f.Constants))]
			}
			if e == nil {
				continue
			}
			if taken == n[k] {
				break
			}
			taken++
			all = append(all, mutant{k, f, *e})
		}
	}
	return all
}

// shares divides a number of mutants among the kinds.
func shares(n int) map[kind]int {
	each := map[kind]int{}
	for i := range n {
		each[kinds[i%len(kinds)]]++
	}
	return each
}

// An experiment is one run of the oracle over a copy of a repository.
type experiment struct {
	root     string // the copy
	language language
	ask      func(ctx context.Context, patch string) (answer, error)
	report   func(format string, args ...any) // progress
	passed   []test
}

// try breaks a function, sees what fails, asks what the change may affect, and mends the
// function again.
func (x *experiment) try(ctx context.Context, m mutant) (r result, err error) {
	path := filepath.Join(x.root, filepath.FromSlash(m.File))
	old, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("mutate: %w", err)
	}
	text := m.apply(old)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return r, fmt.Errorf("mutate: %w", err)
	}
	defer func() {
		if e := os.WriteFile(path, old, 0o644); e != nil && err == nil {
			err = fmt.Errorf("mutate: %w", e)
		}
	}()
	r = result{Kind: m.kind, File: m.File, Line: m.Line, Function: m.Name}
	r.Diff = string(diff.Diff("a/"+m.File, old, "b/"+m.File, text))
	out, err := x.language.run(ctx)
	if err != nil {
		return r, err
	}
	if r.Answer, err = x.ask(ctx, r.Diff); err != nil {
		return r, err
	}
	r.compare(out, x.passed)
	return r, nil
}

// run tries n mutants.
func (x *experiment) run(ctx context.Context, n int, seed uint64) (all results, err error) {
	functions, passed, err := x.language.functions(ctx)
	if err != nil {
		return all, err
	}
	x.passed = passed
	all = results{Functions: len(functions), Tests: len(passed), Files: len(filesOf(passed))}
	if len(functions) == 0 || len(passed) == 0 {
		return all, fmt.Errorf("mutate: %d functions are run by %d tests that pass: there is nothing to measure", len(functions), len(passed))
	}
	x.report("%d functions are run by %d tests in %d files\n", all.Functions, all.Tests, all.Files)
	mutants := draw(functions, shares(n), seed)
	for i, m := range mutants {
		r, err := x.try(ctx, m)
		if err != nil {
			return all, err
		}
		x.report("%d/%d %s %s:%d %s: %s\n", i+1, len(mutants), m.kind, m.File, m.Line, m.Name, r.summary())
		all.Mutants = append(all.Mutants, r)
	}
	return all, nil
}

// filesOf returns the files of tests, by path.
func filesOf(tests []test) []string {
	var files []string
	for _, t := range tests {
		files = append(files, t.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}
