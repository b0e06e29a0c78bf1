package load

import "github.com/spf13/cobra"

// Commands returns a command for each thing that is measured.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newLoadCommand(), newEditCommand(), newRestartCommand(), newSoakCommand(), newKillCommand(),
		newWorktreesCommand(), newGrepCommand(), newAgentsCommand(), newContentionCommand(),
	}
}
