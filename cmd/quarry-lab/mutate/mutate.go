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
	Failed []test `json:"failed"`
	// Unloaded are the test files that could not be loaded, which runs none of their tests.
	Unloaded []string `json:"unloaded,omitempty"`
	Unbuilt  bool     `json:"unbuilt,omitempty"` // the compiler refuses the change
	Expired  bool     `json:"expired,omitempty"` // the run took too long, and says nothing
}

// A language knows how the functions of one language are broken, and runs their tests.
type language interface {
	// functions runs the tests of the tree as it is, and returns the functions that they
	// run, or may run, by their places, and the tests that pass each time.
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
	root     string   // the copy
	language language // nil: what fails is known from an earlier run
	ask      func(ctx context.Context, patch string) (answer, error)
	report   func(format string, args ...any) // progress
}

// try breaks a function, sees what fails, unless that is known, asks what the change may
// affect, and mends the function again.
func (x *experiment) try(ctx context.Context, r *result) (err error) {
	path := filepath.Join(x.root, filepath.FromSlash(r.File))
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	if r.Edit.At < 0 || r.Edit.Length < 0 || r.Edit.At+r.Edit.Length > len(old) {
		return fmt.Errorf("mutate: %s is not the file that was changed", r.File)
	}
	text := r.Edit.apply(old)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	defer func() {
		if e := os.WriteFile(path, old, 0o644); e != nil && err == nil {
			err = fmt.Errorf("mutate: %w", e)
		}
	}()
	patch := string(diff.Diff("a/"+r.File, old, "b/"+r.File, text))
	switch {
	case x.language == nil && patch != r.Diff:
		return fmt.Errorf("mutate: %s is not the file that was changed", r.File)
	case x.language != nil:
		r.Diff = patch
		if r.Outcome, err = x.language.run(ctx); err != nil {
			return err
		}
	}
	r.Answer, err = x.ask(ctx, r.Diff)
	return err
}

// run tries n mutants.
func (x *experiment) run(ctx context.Context, n int, seed uint64) (all results, err error) {
	functions, passed, err := x.language.functions(ctx)
	if err != nil {
		return all, err
	}
	all = results{Functions: len(functions), Passed: passed}
	if len(functions) == 0 || len(passed) == 0 {
		return all, fmt.Errorf("mutate: %d functions are run by %d tests that pass: there is nothing to measure", len(functions), len(passed))
	}
	x.report("%d functions are run by %d tests in %d files\n", len(functions), len(passed), len(filesOf(passed)))
	for _, m := range draw(functions, shares(n), seed) {
		all.Mutants = append(all.Mutants, result{Kind: m.kind, File: m.File, Line: m.Line, Function: m.Name, Edit: m.edit})
	}
	return all, x.each(ctx, &all)
}

// each tries the mutants of a run.
func (x *experiment) each(ctx context.Context, all *results) error {
	for i := range all.Mutants {
		r := &all.Mutants[i]
		if err := x.try(ctx, r); err != nil {
			return err
		}
		r.compare(all.Passed)
		x.report("%d/%d %s %s:%d %s: %s\n", i+1, len(all.Mutants), r.Kind, r.File, r.Line, r.Function, r.summary())
	}
	return nil
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
