package mutate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"
)

// runTests runs the command that runs a project's tests, in its folder, and returns what it says;
// that tests fail is no error. late says that it took longer than the timeout, if that is not 0. what
// names the command in errors.
func runTests(ctx context.Context, what string, timeout time.Duration, root string, command func(ctx context.Context) (*exec.Cmd, error)) (said []byte, late bool, err error) {
	bounded := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	cmd, err := command(bounded)
	if err != nil {
		return nil, false, fmt.Errorf("mutate: %w", err)
	}
	cmd.Dir, cmd.WaitDelay = root, 5*time.Second
	said, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, false, fmt.Errorf("mutate: %s: %w", what, ctx.Err())
	case bounded.Err() != nil:
		return nil, true, nil
	case err != nil && !errors.As(err, &exit):
		return nil, false, fmt.Errorf("mutate: %s: %w", what, err)
	}
	return said, false, nil
}

// removeReport takes away what an earlier run has written.
func removeReport(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mutate: %w", err)
	}
	return nil
}

// steady returns the tests that pass in both of two runs.
func steady[T comparable](first, second map[T]bool) map[T]bool {
	both := map[T]bool{}
	for c := range second {
		if first[c] {
			both[c] = true
		}
	}
	return both
}

// sortedTests are tests in the order of their files.
func sortedTests[T comparable](all map[T]bool, of func(T) test) []test {
	var tests []test
	for c := range all {
		tests = append(tests, of(c))
	}
	slices.SortFunc(tests, compareTests)
	return tests
}

func (t test) itself() test { return t }
