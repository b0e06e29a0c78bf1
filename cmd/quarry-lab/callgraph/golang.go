package callgraph

import (
	"github.com/spf13/cobra"
)

// goOptions are the flags of `quarry-lab callgraph go`.
type goOptions struct {
	module string
	measurement
}

func newGoCommand() *cobra.Command {
	o := goOptions{}
	cmd := &cobra.Command{
		Use:   "go --module DIR",
		Short: "Compare with golang.org/x/tools/go/callgraph",
		Long: `Go compares the calls of a Go module with the call graph that is made from its
SSA form: static for direct calls, and by variable type analysis (vta) for calls
through interfaces and of function values. Tests are part of both.

Only calls in the module of functions in the module count, in files of this build:
a call's line and column, and the line of what it calls. Every edge of Quarry
counts, resolved or one of several. Calls that vta has no callee for are left out:
nothing in the module makes a value that arrives there, which does not say that
nobody does.`,
		Example: `  quarry-lab callgraph go --module ~/src/chi
  quarry-lab callgraph go --module . --verbose`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().StringVar(&o.module, "module", ".", "`folder` of the module; what it needs must be at hand for go build")
	o.flags(cmd)
	return cmd
}

func (o *goOptions) run(cmd *cobra.Command) error {
	want, err := goTruth(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	return o.measure(cmd, o.module, want)
}
