// Quarry-lab measures Quarry: how fast servers answer and what they take, Quarry next to
// other programs, its call graph next to what compilers know, its ranking, and what the tasks
// of an agent cost with it; and it trains the model and fits the weights that it searches with.
// It is a module of its own, so that the product has none of its dependencies.
//
// Exit codes: 0 done, 1 an error or a figure that is out of bounds.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/callgraph"
	"github.com/quarry-search/quarry/cmd/quarry-lab/dead"
	"github.com/quarry-search/quarry/cmd/quarry-lab/fitting"
	"github.com/quarry-search/quarry/cmd/quarry-lab/flow"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/mixed"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/scale"
	"github.com/quarry-search/quarry/cmd/quarry-lab/lsp"
	"github.com/quarry-search/quarry/cmd/quarry-lab/mutate"
	"github.com/quarry-search/quarry/cmd/quarry-lab/peers"
	"github.com/quarry-search/quarry/cmd/quarry-lab/retrieval"
	"github.com/quarry-search/quarry/cmd/quarry-lab/tasks"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if newCommand().ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}

// newCommand returns the command quarry-lab with all experiments.
func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:          "quarry-lab",
		Short:        "Measure Quarry, and make the models that it searches with",
		Args:         cobra.NoArgs,
		SilenceUsage: true,
	}
	root.SetErrPrefix("quarry-lab:")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(load.Commands()...)
	root.AddCommand(mixed.Commands()...)
	root.AddCommand(scale.Commands()...)
	root.AddCommand(peers.Commands()...)
	root.AddCommand(callgraph.Command(), dead.Command(), flow.Command(), lsp.Command(), mutate.Command(), fitting.Command(), retrieval.Command(), tasks.Command())
	return root
}
