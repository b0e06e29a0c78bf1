package callgraph

import (
	"context"
	_ "embed"
	"fmt"
	"os"
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
			return o.against(cmd, args[0], o.calls, (*truth).observe)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.command, "command", "rake test", "`command` of a shell that runs the tests, in DIR")
	o.flags(cmd)
	return cmd
}

// calls runs the program.
func (o *rubyOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	root, work, err := workFor(dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "calls.rb")
	if err := os.WriteFile(program, []byte(rubyProgram), 0o600); err != nil {
		return nil, fmt.Errorf("callgraph: write the program: %w", err)
	}
	return ran(ctx, o.command, root, filepath.Join(work, "calls.json"), "RUBYOPT=-r"+program)
}
