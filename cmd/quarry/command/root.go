// Package command is the command line of Quarry: one constructor for each
// subcommand, and a shell around packages index, api and watcher.
//
// Every command is made by New, writes its results to the command's
// output and everything else to its error output, and returns an error of one
// sentence, so that a test can run it inside its own process. Settings come
// from flags, from QUARRY_* variables, from one TOML file and from defaults, in
// this order; package config alone reads the environment.
package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// New returns the command quarry with all its subcommands.
func New() *cobra.Command {
	root := newSearchCommand()
	root.Use = "quarry QUERY..."
	root.Short = "Search code by meaning, words and symbols"
	root.Long = `Quarry indexes a project's code and answers questions about it: on the command
line, or as a server that keeps the index current while files change.

Words that name no command are a query: quarry "retry policy" is the same as
quarry search "retry policy", with the same flags and exit codes.

Settings come from flags, from QUARRY_* variables (QUARRY_PORT for --port), from
one TOML file (--config, else quarry/config.toml in the user's configuration
folder, else config.toml in the data folder), and from defaults, in this order.`
	root.Example = `  quarry serve                       serve the folder you are in
  quarry "where is the token checked" -m 5
  quarry index --verbose             see what is indexed, and what is not
  quarry status                      ask the running server`
	search := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return search(cmd, args)
	}
	root.Args = cobra.ArbitraryArgs
	root.Version = buildVersion().Version
	root.SetVersionTemplate("quarry {{.Version}}\n")
	root.SetErrPrefix("quarry:")
	root.SilenceUsage = true
	root.DisableSuggestions = true
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(normalize)
	config.AddCommonFlags(root.PersistentFlags())
	root.AddCommand(
		newServeCommand(),
		newEnsureCommand(),
		newIndexCommand(),
		newSearchCommand(),
		newStructureCommand(),
		newSkeletonCommand(),
		newExtractCommand(),
		newCallsCommand(),
		newImpactCommand(),
		newContextCommand(),
		newTraceCommand(),
		newSummarizeCommand(),
		newStartupCommand(),
		newStatusCommand(),
		newVerifyCommand(),
		newPingCommand(),
		newCacheCommand(),
		newMCPCommand(),
		newTeCommand(),
		newEvalCommand(),
		newInstallCommand(),
		newUninstallCommand(),
		newVersionCommand(),
	)
	return root
}

// normalize lets --project stand for --root.
func normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "project" {
		name = "root"
	}
	return pflag.NormalizedName(name)
}

// An exitError gives the process an exit code other than 1. Without an error
// inside, nothing is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// ExitCode returns the exit code of the process for an error that a command
// returned: 0 for nil, 1 unless the command's help says otherwise.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit := (*exitError)(nil); errors.As(err, &exit) {
		return exit.code
	}
	return 1
}

// silent returns an error that sets the exit code and prints nothing.
func silent(cmd *cobra.Command, code int) error {
	cmd.SilenceErrors = true
	return &exitError{code: code}
}

// interrupted says plainly that a signal ended the command, if one did.
func interrupted(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// flagError gives wrong flags the exit code that the command has for errors.
func flagError(cmd *cobra.Command, err error) error {
	err = errors.New(strings.TrimSuffix(err.Error(), "."))
	if cmd.Name() == "search" || !cmd.HasParent() {
		return &exitError{code: searchFailed, err: err}
	}
	return err
}

// atMostOne accepts no argument or one, named by what.
func atMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("only one %s can be given, not %d", what, len(args))
		}
		return nil
	}
}

// noArguments accepts none.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}
