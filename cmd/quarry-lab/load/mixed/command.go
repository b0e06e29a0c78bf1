package mixed

import "github.com/spf13/cobra"

// Commands returns the commands mixed and hostile.
func Commands() []*cobra.Command {
	return []*cobra.Command{newMixedCommand(), newHostileCommand()}
}
