package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a command says when a flag lacks.
var (
	ErrNumbers = errors.New("numbers must be 1 or more")
	ErrDir     = errors.New("--dir is needed")
)

// Output says how a report is written.
type Output struct{ JSON bool }

// Command returns a command without arguments that runs run, with the flag of output.
func (o *Output) Command(use, short, long string, run func(context.Context, io.Writer) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), cmd.OutOrStdout()) },
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return cmd
}

// Print writes a report as JSON, if that was asked for, or else as text.
func (o *Output) Print(out io.Writer, report any, format string, args ...any) error {
	if o.JSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// Served is what experiments share that serve a folder themselves.
type Served struct {
	Output
	Program, Dir string
	Seed         uint64
}

// Bind adds its flags.
func (o *Served) Bind(fs *pflag.FlagSet) {
	fs.StringVar(&o.Program, "program", "quarry", "the program that serves")
	fs.StringVar(&o.Dir, "dir", "", "the folder to copy and serve")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the choice of queries and words")
}
