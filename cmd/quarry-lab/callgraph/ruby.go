package callgraph

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:embed ruby.rb
var rubyProgram string

// rubyOptions are the flags of `quarry-lab callgraph ruby`.
type rubyOptions struct {
	command string
	measurement
}

func newRubyCommand() *cobra.Command {
	o := rubyOptions{}
	cmd := &cobra.Command{
		Use:   "ruby DIR --command COMMAND",
		Short: "Compare with the calls that run in a Ruby program",
		Long: `Ruby runs a command in a Ruby project, which runs the code of the repository, and
compares the calls that ran with those that Quarry finds. It needs CRuby 3.1 or 3.2.

What an edge is, and what is implicit or by a library, is as with python.`,
		Example: `  quarry-lab callgraph ruby ~/src/tilt --command "ruby -Ilib -Itest test/all.rb" --complete 300`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			want, err := o.truth(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return o.measure(cmd, args[0], want)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.command, "command", "rake test", "`command` of a shell that runs the tests, in DIR")
	o.flags(cmd)
	return cmd
}

func (o *rubyOptions) truth(ctx context.Context, dir string) (truth, error) {
	text, err := o.calls(ctx, dir)
	if err != nil {
		return truth{}, err
	}
	t, err := readCalls(bytes.NewReader(text))
	t.observed = true
	return t, err
}

// calls runs the program.
func (o *rubyOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	work, err := os.MkdirTemp("", "callgraph-")
	if err != nil {
		return nil, fmt.Errorf("callgraph: make a folder for the calls: %w", err)
	}
	defer os.RemoveAll(work)
	program, out := filepath.Join(work, "calls.rb"), filepath.Join(work, "calls.json")
	if err := os.WriteFile(program, []byte(rubyProgram), 0o600); err != nil {
		return nil, fmt.Errorf("callgraph: write the program: %w", err)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the project: %w", err)
	}
	run := exec.CommandContext(ctx, "sh", "-c", o.command)
	run.Dir = dir
	run.Env = append(os.Environ(), "RUBYOPT=-r"+program, "QUARRY_LAB_ROOT="+root, "QUARRY_LAB_OUT="+out)
	said, failed := run.CombinedOutput() // tests may fail, as some do
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("callgraph: run %q in %s: %w\n%s", o.command, dir, errors.Join(failed, err), bytes.TrimSpace(said))
	}
	return text, nil
}
