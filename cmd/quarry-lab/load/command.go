package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	errNumbers = errors.New("numbers must be 1 or more")
	errDir     = errors.New("--dir is needed")
)

// Commands returns a command for each thing that is measured.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newLoadCommand(), newEditCommand(), newRestartCommand(), newSoakCommand(), newKillCommand(),
		newWorktreesCommand(), newGrepCommand(), newAgentsCommand(), newContentionCommand(),
		newMixedCommand(), newHostileCommand(), newGrowCommand(), newScaleCommand(), newLawsCommand(),
	}
}

// output says how a report is written.
type output struct{ json bool }

// command returns a command without arguments that runs run, with the flag of output.
func (o *output) command(use, short, long string, run func(context.Context, io.Writer) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), cmd.OutOrStdout()) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// print writes a report as JSON, if that was asked for, or else as text.
func (o *output) print(out io.Writer, report any, format string, args ...any) error {
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// served is what all share that serve a folder by themselves.
type served struct {
	output
	program, dir string
	seed         uint64
}

func (o *served) bind(fs *pflag.FlagSet) {
	fs.StringVar(&o.program, "program", "quarry", "the program that serves")
	fs.StringVar(&o.dir, "dir", "", "the folder to copy and serve")
	fs.Uint64Var(&o.seed, "seed", 1, "of the choice of queries and words")
}
