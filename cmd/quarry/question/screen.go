package question

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// OnScreen has a command write to a screen where its output goes to a terminal, or is to
// look as if it did.
func OnScreen(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := config.Load(cmd)
		if err != nil {
			return run(cmd, args) // which says the same
		}
		out := cmd.OutOrStdout()
		onTerminal := terminal.IsTerminal(out)
		colour := s.InColour(onTerminal)
		if !onTerminal && !colour {
			return run(cmd, args)
		}
		program, environment := "", []string(nil)
		if onTerminal {
			program, environment = s.PagerProgram()
		}
		screen := terminal.NewScreen(out, colour, program, environment...)
		cmd.SetOut(screen)
		defer cmd.SetOut(out)
		return errors.Join(run(cmd, args), screen.Close())
	}
}
