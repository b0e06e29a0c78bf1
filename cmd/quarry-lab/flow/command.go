package flow

import "github.com/spf13/cobra"

// Command returns the command flow.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "flow",
		Short: "Measure control flow, definitions and uses against programs that know them",
		Args:  cobra.NoArgs,
	}
	root.AddCommand(newGoCommand())
	return root
}
