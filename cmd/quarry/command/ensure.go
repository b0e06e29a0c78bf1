package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

func newEnsureCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ensure [ROOT]",
		Short: "Make sure that a project's server runs, and print its address",
		Long: `Ensure finds the server of ROOT (by default the working folder), or starts one in
the background and waits until it listens, and prints its address. It may be called
any number of times, even concurrently: the result is one server. Its settings apply
to a server that it starts. Such a server ends after half an hour without a request,
unless --idle-timeout says otherwise; with 0s it never ends by itself.

Exit codes: 0 a server listens, 1 none could be started.`,
		Example: `  quarry ensure
  curl "$(quarry ensure)/search?query=open+the+vault"
  quarry ensure --project ~/src/project --json | jq -r .url`,
		Args: invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, reg, started, err := ensured(cmd, args)
			if err != nil {
				return err
			}
			if asJSON {
				return terminal.PrintJSON(cmd.OutOrStdout(), struct {
					registry.Registration
					Began bool `json:"began"` // by this command
				}{reg, started})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), reg.URL)
			return err
		},
	}
	terminal.AddJSONFlag(cmd.Flags(), &asJSON)
	invocation.AddYesFlag(cmd.Flags())
	config.AddFlags(cmd.Flags(), config.RootFlag|config.ServerFlags)
	return cmd
}

// ensured finds the server of a command's root, or asks whether one may be started and does so.
func ensured(cmd *cobra.Command, args []string) (s config.Settings, reg registry.Registration, started bool, err error) {
	s, root, err := invocation.Load(cmd, args)
	if err != nil {
		return s, reg, false, err
	}
	servers := registry.Open(s)
	if _, ok := servers.Find(cmd.Context(), root); !ok {
		if err := invocation.Confirm(cmd, root); err != nil {
			return s, reg, false, err
		}
	}
	reg, started, err = servers.Start(cmd.Context(), root, serveArgs(cmd, &s, args))
	return s, reg, started, err
}
