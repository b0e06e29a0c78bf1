package callgraph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

// A measurement says what is measured of a project and how it is printed.
type measurement struct {
	json, verbose bool
	draw          int
	seed          uint64
}

// flags adds the flags that all measurements have.
func (m *measurement) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&m.json, "json", false, "print JSON")
	f.BoolVar(&m.verbose, "verbose", false, "list the edges that only one of the two has")
	f.IntVar(&m.draw, "complete", 0, "draw this `number` of functions, and check the answers about their callers that say they are complete")
	f.Uint64Var(&m.seed, "seed", 1, "`number` that the functions are drawn by")
}

// measure compares the calls of the project in dir with what the other program knows of
// them, checks answers about callers if that is asked for, and prints it.
func (m *measurement) measure(cmd *cobra.Command, dir string, want truth) error {
	r, err := m.result(cmd.Context(), dir, want)
	if err != nil {
		return err
	}
	if m.json {
		return r.writeJSON(cmd.OutOrStdout(), m.verbose)
	}
	return r.writeText(cmd.OutOrStdout(), m.verbose)
}

func (m *measurement) result(ctx context.Context, dir string, want truth) (result, error) {
	x, err := quarryIndex(ctx, dir)
	if err != nil {
		return result{}, err
	}
	defer x.Close()
	given, err := quarryEdges(ctx, x)
	if err != nil {
		return result{}, err
	}
	given = want.adapt(given)
	r := result{Unreached: want.unreached}
	r.Scores, r.Outside = compare(want, given)
	if want.observed {
		sure, _ := compare(want, slices.DeleteFunc(slices.Clone(given), func(f found) bool { return f.several }))
		sure[0].Kind = resolved
		r.Scores, r.Foreign = append(r.Scores, sure[0]), len(want.foreign)
	}
	if m.draw > 0 {
		c, err := checkComplete(ctx, x, want, given, m.draw, m.seed)
		if err != nil {
			return result{}, err
		}
		r.Answers = &c
	}
	return r, nil
}

// against measures the project in dir against what calls returns of it, in the form of readCalls.
// adjust completes what that says, if it is not nil.
func (m *measurement) against(cmd *cobra.Command, dir string, calls func(ctx context.Context, dir string) ([]byte, error), adjust func(*truth)) error {
	text, err := calls(cmd.Context(), dir)
	if err != nil {
		return err
	}
	want, err := readCalls(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if adjust != nil {
		adjust(&want)
	}
	return m.measure(cmd, dir, want)
}

// observe says that the calls are those that ran.
func (t *truth) observe() { t.observed = true }

// ran runs a command of a shell in the folder of a project, with more in its environment, and
// returns what the command has written to the file out.
func ran(ctx context.Context, command, root, out string, environment ...string) ([]byte, error) {
	run := exec.CommandContext(ctx, "sh", "-c", command)
	run.Dir = root
	run.Env = slices.Concat(os.Environ(), environment, []string{"QUARRY_LAB_ROOT=" + root, "QUARRY_LAB_OUT=" + out})
	said, failed := run.CombinedOutput() // tests may fail, as some do
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("callgraph: run %q in %s: %w\n%s", command, root, errors.Join(failed, err), bytes.TrimSpace(said))
	}
	return text, nil
}

// workFor returns the whole path of a project and a folder for what is written of it.
func workFor(dir string) (root, work string, err error) {
	if root, err = filepath.Abs(dir); err != nil {
		return "", "", fmt.Errorf("callgraph: find the project: %w", err)
	}
	if work, err = os.MkdirTemp("", "callgraph-*"); err != nil {
		return "", "", fmt.Errorf("callgraph: make a folder: %w", err)
	}
	return root, work, nil
}

// callsOf runs a program that is part of this one and returns what it prints. command
// makes the command from the file that the program is written to, of the extension ext.
func callsOf(ctx context.Context, program, ext string, command func(file string) *exec.Cmd) ([]byte, error) {
	file, err := os.CreateTemp("", "callgraph-*."+ext)
	if err != nil {
		return nil, fmt.Errorf("write the program: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(program)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("write the program: %w", err)
	}
	return printed(command(file.Name()))
}

// printed runs a command and returns what it prints; an error has what it says of it.
func printed(cmd *exec.Cmd) ([]byte, error) {
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(problems.Bytes()))
	}
	return out.Bytes(), nil
}
