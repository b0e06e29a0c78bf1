// Quarry-callgraph measures the call graph: it compares the calls that Quarry
// finds in a project with those that a program finds which knows the language's
// types, or that people have written down, and prints precision and recall.
//
//	quarry-callgraph go --module DIR [--json] [--verbose]
//	quarry-callgraph pycg DIR [--json] [--verbose]
//	quarry-callgraph typescript DIR [--tsconfig FILE] [--compiler DIR] [--json] [--verbose]
//
// Precision is the part of Quarry's edges that the other program has, recall the
// part of the other's that Quarry has. An edge is a call's place and the place of
// the function that it goes to.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if newCommand().ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}

// newCommand returns the command quarry-callgraph.
func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "quarry-callgraph",
		Short:         "Measure the call graph against programs that know a language's types",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: false,
	}
	root.SetErrPrefix("quarry-callgraph:")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newGoCommand(), newPyCGCommand(), newTypeScriptCommand())
	return root
}
