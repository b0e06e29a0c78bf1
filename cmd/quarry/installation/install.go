package installation

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/agent"
	"github.com/quarry-search/quarry/cmd/quarry/config"
)

func newInstallCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "install [AGENT...]",
		Short: "Add Quarry's tools to the configuration of coding agents",
		Long: `Install adds an MCP server called quarry, which is "quarry mcp", to the
configuration of ` + strings.Join(agentNames(), ", ") + `: of those that are
named, or else of those that have left a folder on this machine. It shows what will
change and asks; without a terminal, it writes only with --yes.

It writes into the user's configuration, for all projects, and nothing into a
project's folder unless --scope project says so. All bytes of a file except the
entry's stay as they are; an existing entry gets the command and keeps your own
keys. quarry uninstall undoes it.

Exit codes: 0 the entries are there, or with --dry-run were shown, 1 an error with
one of the agents (the others are done), 3 changes were shown and not confirmed.`,
		Example: `  quarry install
  quarry install claude codex --yes
  quarry install cursor --scope project --project ~/src/shop --dry-run`,
		Args: agentArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := o.newRun(cmd)
			if err != nil {
				return err
			}
			command, err := config.AgentCommand()
			if err != nil {
				return err
			}
			present := 0
			for _, a := range chosen(args) {
				if len(args) == 0 && !a.Present(r.places) {
					continue
				}
				present++
				r.plan(agent.PlanInstall(a, r.places, agent.Scope(o.scope), command))
			}
			if present == 0 {
				return fmt.Errorf("no agent has left a folder on this machine: name one of %s", strings.Join(agentNames(), ", "))
			}
			return r.finish()
		},
	}
	o.bind(cmd.Flags())
	return cmd
}
