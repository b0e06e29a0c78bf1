// Package command is the command line of Quarry: the tree of its commands, with those about
// servers and indexes. Packages question, envelope, eval and installation have the others.
//
// Every command is made by New, writes its results to the command's
// output and everything else to its error output, and returns an error of one
// sentence, so that a test can run it inside its own process. Settings come
// from flags, from QUARRY_* variables, from one TOML file and from defaults, in
// this order; package config alone reads the environment.
package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/envelope"
	"github.com/quarry-search/quarry/cmd/quarry/eval"
	"github.com/quarry-search/quarry/cmd/quarry/installation"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

// New returns the command quarry with all its subcommands.
func New() *cobra.Command {
	root := question.NewSearchCommand()
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
	root.Version = version.Read().Version
	root.SetVersionTemplate("quarry {{.Version}}\n")
	root.SetErrPrefix("quarry:")
	root.SilenceUsage = true
	root.DisableSuggestions = true
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(invocation.Normalize)
	config.AddCommonFlags(root.PersistentFlags())
	root.AddCommand(question.Commands()...)
	root.AddCommand(installation.Commands()...)
	root.AddCommand(
		newServeCommand(),
		newEnsureCommand(),
		newIndexCommand(),
		newExportCommand(),
		newStatusCommand(),
		newVerifyCommand(),
		newPingCommand(),
		newCacheCommand(),
		newMCPCommand(),
		envelope.NewCommand(),
		eval.NewCommand(),
		newVersionCommand(),
	)
	return root
}

// flagError gives wrong flags the exit code that the command has for errors.
func flagError(cmd *cobra.Command, err error) error {
	said := strings.TrimSuffix(err.Error(), ".")
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := fields.Nearest(unknown.GetSpecifiedName(), names); near != "" && unknown.GetSpecifiedShortnames() == "" {
			said += ": did you mean --" + near + "?"
		}
	}
	err = errors.New(said)
	if cmd.Name() == "search" || !cmd.HasParent() {
		return &invocation.ExitError{Code: invocation.Failed, Err: err}
	}
	return err
}
