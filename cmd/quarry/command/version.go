package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

func newVersionCommand() *cobra.Command {
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built from",
		Long: `Version prints the version of this program, and what it was built from. --check lists
the servers of this user that run another one, as they do after an upgrade until they
are restarted. It asks nobody else: whether there is a newer release, it cannot say.

Exit codes: 0, with --check: no server runs another version; 1 one does.`,
		Example: "  quarry version\n  quarry version --check",
		Args:    invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				return checkServers(cmd)
			}
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
	cmd.Flags().BoolVar(&check, "check", false, "list the running servers of another version")
	cmd.MarkFlagsMutuallyExclusive("check", "json")
	return cmd
}

// checkServers lists the servers that run another version than this program's.
func checkServers(cmd *cobra.Command) error {
	s, err := config.Load(cmd)
	if err != nil {
		return err
	}
	all, err := registry.Open(s).All(cmd.Context())
	if err != nil {
		return err
	}
	others := 0
	for _, r := range all {
		if r.Version != version.Release {
			others++
			fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", r.URL, terminal.Visible(r.Root), r.Version)
		}
	}
	if others > 0 {
		return fmt.Errorf("%d of %d servers do not run %s: quarry stop ROOT ends one, and the next quarry ensure starts this program", others, len(all), version.Release)
	}
	return nil
}
