package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built from",
		Args:  invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := version.Read()
			if asJSON {
				return terminal.PrintJSON(cmd.OutOrStdout(), b)
			}
			line := fmt.Sprintf("quarry %s %s %s", b.Version, b.Go, b.Platform)
			if b.Commit != "" {
				line += " " + b.Commit
			}
			if b.Modified {
				line += " (modified)"
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), line)
			return err
		},
	}
	terminal.AddJSONFlag(cmd.Flags(), &asJSON)
	return cmd
}
