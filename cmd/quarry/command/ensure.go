package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

func newEnsureCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ensure [ROOT]",
		Short: "See that a server of a project runs, and say where",
		Long: `Ensure finds the server of ROOT (the working folder unless given), or starts one
in the background and waits until it listens, and prints its address. It may be
called again at will, also by several at once: there is one server in the end.
The settings that it is given count for a server that it starts. That one ends by
itself when nobody has asked it anything for half an hour, unless --idle-timeout says
otherwise; 0s: it stays.

Exit codes: 0 a server listens, 1 none could be started.`,
		Example: `  quarry ensure
  curl "$(quarry ensure)/search?query=open+the+vault"
  quarry ensure --project ~/src/project --json | jq -r .url`,
		Args: atMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			root, err := projectRoot(cmd, s, args)
			if err != nil {
				return err
			}
			reg, started, err := background(cmd.Context(), openRegistry(s), root, serveArgs(cmd, &s, args))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					registration
					Began bool `json:"began"` // by this command
				}{reg, started})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), reg.URL)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	config.AddFlags(cmd.Flags(), config.RootFlag|config.ServerFlags)
	return cmd
}
