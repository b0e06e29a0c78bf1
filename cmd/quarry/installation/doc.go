// Package installation has the commands install and uninstall, which enter Quarry into the
// configuration of coding agents and take it out again. They show what will change, and ask.
// What is changed in which file is for package agent to say.
package installation

import "github.com/spf13/cobra"

// Commands returns one of each.
func Commands() []*cobra.Command {
	return []*cobra.Command{newInstallCommand(), newUninstallCommand()}
}
