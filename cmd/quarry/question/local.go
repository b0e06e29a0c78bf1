package question

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
)

// inMemory builds an index, with vectors or without, and drops it after use.
func inMemory(cmd *cobra.Command, s config.Settings, root string, vectors bool, use func(*index.Index) error) (err error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no server is running for %s, building an index in memory\n", root)
	x, _, closeIndex, err := engine.Open(s, root, vectors, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()

	bar := terminal.NewProgress(cmd.ErrOrStderr(), terminal.IsTerminal(cmd.ErrOrStderr()), "")
	_, err = x.BuildOnce(cmd.Context(), bar.Update)
	bar.End()
	if err != nil {
		return invocation.Interrupted(cmd, err)
	}
	return use(x)
}

// notBuilt opens an index for what needs its model only, and drops it after use.
func notBuilt(cmd *cobra.Command, s config.Settings, root string, vectors bool, use func(*index.Index) error) (err error) {
	x, _, closeIndex, err := engine.Open(s, root, vectors, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()
	return use(x)
}
