package mutate

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// An answer is what `quarry impact --diff --json` prints, as far as it is compared.
type answer struct {
	Exit       int      `json:"exit"` // 0: nothing is affected; 3: something is, or may be
	Callers    []caller `json:"callers"`
	Ambiguous  []caller `json:"ambiguous"`
	Tests      []string `json:"tests"`
	Complete   bool     `json:"complete"`
	Incomplete []string `json:"incomplete,omitempty"`
	Unfollowed []caller `json:"unfollowed,omitempty"`
	Truncated  bool     `json:"truncated"`
}

// A caller is a dependent in an answer.
type caller struct {
	Symbol string `json:"symbol"` // "" for code that is in no definition
	File   string `json:"file"`
	Line   int    `json:"line"`
	Test   bool   `json:"test,omitempty"`
}

// names returns the files and the test functions that an answer names. A function is known by
// its file and the last part of its name; code in no definition runs when its file is loaded,
// so it stands for all tests there, whose name is then "", as a class does that a file of Java is
// named after: its initial values are made for each test. What only a name speaks for counts
// if the change leaves something to be looked for by name, as the answer's own tests have it.
func (a *answer) names() (files map[string]bool, tests map[test]bool) {
	files, tests = map[string]bool{}, map[test]bool{}
	for _, f := range a.Tests {
		files[f] = true
	}
	list := a.Callers
	if len(a.Unfollowed) > 0 {
		list = slices.Concat(list, a.Ambiguous)
	}
	for _, c := range list {
		if !c.Test {
			continue
		}
		name := c.Symbol[strings.LastIndex(c.Symbol, ".")+1:]
		if path.Base(c.File) == c.Symbol+".java" {
			name = ""
		}
		tests[test{File: c.File, Name: name}] = true
	}
	return files, tests
}

// A result is what became of one mutant.
type result struct {
	Kind     kind   `json:"kind"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Edit     edit   `json:"edit"`
	Diff     string `json:"diff"`
	// Outcome is all that failed. The rest is made of it and of Answer.
	Outcome outcome `json:"outcome"`
	// FailedFiles and Failed are what failed and did not before. A file that cannot be
	// loaded is one file, and has no failed tests of its own: they are all the same failure.
	FailedFiles []string `json:"failed_files"`
	Failed      []test   `json:"failed"`
	MissedFiles []string `json:"missed_files"` // of FailedFiles, not named
	Missed      []test   `json:"missed"`       // of Failed, not named
	// ShareFiles and ShareTests are the part of all test files and functions that is named.
	ShareFiles float64 `json:"share_files"`
	ShareTests float64 `json:"share_tests"`
	Answer     answer  `json:"answer"`
}

// compare holds the answer to the outcome; passed are the tests that pass without a change.
func (r *result) compare(passed []test) {
	r.FailedFiles, r.Failed, r.MissedFiles, r.Missed = nil, nil, nil, nil
	files, tests := r.Answer.names()
	named := func(t test) bool {
		home := t.Home
		if home == "" {
			home = t.File
		}
		return tests[test{File: home, Name: t.Name}] || tests[test{File: home}]
	}
	known := map[test]bool{}
	all := filesOf(passed)
	count := func() (n int) {
		for _, t := range passed {
			known[t] = true
			if named(t) {
				n++
			}
		}
		return n
	}()
	r.ShareTests = part(count, len(passed))
	count = 0
	for _, f := range all {
		if files[f] {
			count++
		}
	}
	r.ShareFiles = part(count, len(all))
	if r.Outcome.Unbuilt || r.Outcome.Expired {
		return
	}
	for _, f := range r.Outcome.Unloaded {
		if slices.Contains(all, f) {
			r.FailedFiles = append(r.FailedFiles, f)
		}
	}
	for _, t := range r.Outcome.Failed {
		if !known[t] || slices.Contains(r.Failed, t) {
			continue
		}
		r.Failed, r.FailedFiles = append(r.Failed, t), append(r.FailedFiles, t.File)
		if !named(t) {
			r.Missed = append(r.Missed, t)
		}
	}
	slices.Sort(r.FailedFiles)
	r.FailedFiles = slices.Compact(r.FailedFiles)
	for _, f := range r.FailedFiles {
		if !files[f] {
			r.MissedFiles = append(r.MissedFiles, f)
		}
	}
}

// fails says whether a test failed that did not before.
func (r *result) fails() bool { return len(r.FailedFiles) > 0 }

// misses says whether something that failed is not named.
func (r *result) misses() bool { return len(r.MissedFiles)+len(r.Missed) > 0 }

// silent says whether the answer to a name that the compiler misses leaves out that something
// depends on it.
func (r *result) silent() bool {
	return r.Outcome.Unbuilt && r.Kind == rename && (r.Answer.Exit == 0 || len(r.Answer.Callers)+len(r.Answer.Ambiguous) == 0)
}

// summary is a line about a result.
func (r *result) summary() string {
	complete := "open"
	if r.Answer.Complete {
		complete = "complete"
	}
	switch {
	case r.Outcome.Expired:
		return "took too long"
	case r.Outcome.Unbuilt:
		return fmt.Sprintf("does not compile; exit code %d, %d dependents, %s", r.Answer.Exit, len(r.Answer.Callers)+len(r.Answer.Ambiguous), complete)
	case !r.fails():
		return "nothing fails, " + complete
	}
	return fmt.Sprintf("%d of %d files and %d of %d tests are named, %s",
		len(r.FailedFiles)-len(r.MissedFiles), len(r.FailedFiles), len(r.Failed)-len(r.Missed), len(r.Failed), complete)
}

// part is a part of all, and 1 of nothing.
func part(some, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(some) / float64(all)
}
