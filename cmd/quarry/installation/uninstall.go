package installation

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/agent"
)

func newUninstallCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "uninstall [AGENT...]",
		Short: "Remove Quarry's tools from the configuration of coding agents",
		Long: `Uninstall undoes quarry install for the agents that are named, or else for all of
` + strings.Join(agentNames(), ", ") + `: each file gets back the
bytes that it had, even if you have edited other parts of it. An entry of your own
that install had changed comes back as it was, unless it was edited since; another
quarry uninstall removes it as well. A file or a folder that install created is
removed if nothing else is in it.

What install found is noted in agents.json in the data folder. Without that note the
entry is removed all the same, but an empty table or file may stay.

Exit codes: 0 no entry is left, or with --dry-run changes were shown, 1 an error
with one of the agents (the others are done), 3 changes were shown and not confirmed.`,
		Example: `  quarry uninstall
  quarry uninstall codex --dry-run
  quarry uninstall cursor --scope project --project ~/src/shop --yes`,
		Args: agentArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := o.newRun(cmd)
			if err != nil {
				return err
			}
			for _, a := range chosen(args) {
				for _, p := range agent.PlanUninstall(a, r.places, agent.Scope(o.scope), r.ledger) {
					if p.Err == nil && !p.Change.Changes() && len(args) == 0 {
						continue // an agent that nobody has asked about
					}
					r.plan(p.Change, p.Err)
				}
			}
			if len(r.report.Files) == 0 && !o.asJSON {
				fmt.Fprintln(cmd.OutOrStdout(), "there is nothing to uninstall")
			}
			return r.finish()
		},
	}
	o.bind(cmd.Flags())
	return cmd
}
