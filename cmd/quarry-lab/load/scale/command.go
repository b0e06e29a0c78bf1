package scale

import "github.com/spf13/cobra"

// Commands returns the commands that make large trees and measure them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newGrowCommand(), newScaleCommand(), newLawsCommand()}
}
