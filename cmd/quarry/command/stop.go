package command

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

func newServersCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the running servers of this user",
		Long: `Status lists the servers that this user has started and that answer, with their
roots and addresses. quarry status shows what one of them has indexed.

Exit codes: 0 there is one, 1 there is none.`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			all, err := registry.Open(s).All(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = terminal.PrintJSON(cmd.OutOrStdout(), struct {
					Servers []registry.Registration `json:"servers"`
				}{all})
			} else {
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, r := range all {
					fmt.Fprintf(w, "%s\t%s\tpid %d\tsince %s\n", r.URL, terminal.Visible(r.Root), r.PID, r.Started.Local().Format(time.DateTime))
				}
				err = w.Flush()
			}
			if err == nil && len(all) == 0 {
				return invocation.Silent(cmd, 1)
			}
			return err
		},
	}
	terminal.AddJSONFlag(cmd.Flags(), &asJSON)
	return cmd
}

// newStopCommand returns stop, which is called so: stop or serve stop.
func newStopCommand(name string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop [ROOT]",
		Short: "End a server, and wait until it has ended",
		Long: `Stop asks the server of ROOT to end, by default that of the nearest folder around the
working folder that has one, and waits until it has saved its index and ended. A server
of several roots ends for all of them; to remove one, see DELETE /projects. A process is
only asked to end if the server at the registered address says that it is this process.

Exit codes: 0 it has ended, 1 none runs for the root, or an error.`,
		Example: "  quarry " + name + "\n  quarry " + name + " --all",
		Args:    invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			servers := registry.Open(s)
			var stop []registry.Registration
			if all {
				if stop, err = servers.All(cmd.Context()); err != nil {
					return err
				}
			} else {
				root, err := invocation.ProjectRoot(cmd, s, args)
				if err != nil {
					return err
				}
				find := servers.Find
				if len(args) == 0 && !s.RootGiven {
					find = servers.Containing
				}
				one, ok := find(cmd.Context(), root)
				if !ok {
					return fmt.Errorf("no server of %s runs", root)
				}
				stop = []registry.Registration{one}
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			ended := map[int]bool{} // a server of several roots is registered for each
			for _, one := range stop {
				if ended[one.PID] {
					continue
				}
				ended[one.PID] = true
				if err := servers.Stop(cmd.Context(), one, token); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "stopped the server of %s\n", terminal.Visible(one.Root))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all servers of this user")
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
	return cmd
}
