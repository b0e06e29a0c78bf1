package flow

import "github.com/spf13/cobra"

// Command returns the command flow.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "flow",
		Short: "Measure control flow, definitions, uses and slices against other programs and runs",
		Args:  cobra.NoArgs,
	}
	root.AddCommand(newGoCommand(), newPythonCommand(), newSlicesCommand(), newScriptsCommand(), newFunctionsCommand(), newCoveredCommand())
	return root
}
