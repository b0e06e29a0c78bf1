package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

func newPingCommand() *cobra.Command {
	var ready bool
	var address string
	cmd := &cobra.Command{
		Use:   "ping",
		Short: "Check whether a server is running",
		Long: `Ping checks whether the server answers, and prints its address and root. It is
made for health checks: it takes less than a second, and its exit
code is the answer.

It asks the server of --root; otherwise that of the nearest folder around the
working folder; otherwise the only one that runs; otherwise whatever listens on
the configured port.

Exit codes: 0 the server answers (with --ready: and its first build has finished),
1 it does not.`,
		Example: `  quarry ping
  quarry ping --ready --root ~/src/project`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), registry.ProbeTimeout)
			defer cancel()
			reg, err := registry.Locate(ctx, cmd, s, address)
			if err != nil {
				return err
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			server := reg.Remote(token)
			h, err := server.Health(ctx)
			if err != nil {
				return err
			}
			state := "ok"
			if ready {
				ok, err := server.Ready(ctx)
				if err != nil {
					return err
				}
				if !ok {
					return fmt.Errorf("%s is not ready yet", reg.URL)
				}
				state = "ready"
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), state, reg.URL, cmp.Or(reg.Root, h.Root))
			return err
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "fail while the first build runs")
	registry.AddURLFlag(cmd.Flags(), &address)
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
	return cmd
}
