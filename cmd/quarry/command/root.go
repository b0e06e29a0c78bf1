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
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/cmd/quarry/cluster"
	"github.com/quarry-search/quarry/cmd/quarry/completion"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/envelope"
	"github.com/quarry-search/quarry/cmd/quarry/eval"
	"github.com/quarry-search/quarry/cmd/quarry/installation"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/naming"
	"github.com/quarry-search/quarry/cmd/quarry/picture"
	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index/edit"
)

// New returns the command quarry with all its subcommands.
func New() *cobra.Command {
	root := question.NewSearchCommand()
	root.Use = "quarry QUERY..."
	root.Short = "Search code by meaning, words and symbols"
	root.Long = `Quarry indexes a project's code and answers questions about it: on the command
line, or as a server that keeps the index current while files change.

Words that name no command are a query: quarry "retry policy" is the same as
quarry search "retry policy", with the same flags and exit codes. A single word that
looks like a misspelt command is an error; quarry search searches for any word.

Settings come from flags, from QUARRY_* variables (QUARRY_PORT for --port), from
one TOML file (--config, else quarry/config.toml in the user's configuration
folder, else config.toml in the data folder), and from defaults, in this order.`
	root.Example = `  quarry serve                       serve the folder you are in
  quarry "where is the token checked" -m 5
  quarry index --verbose             see what is indexed, and what is not
  quarry status                      ask the running server`
	question.OnScreen(root)
	search := root.RunE
	// Cobra's own flag, with words of one's own, would have the linker keep each method of
	// each type: templates find them by their names.
	asked := root.Flags().BoolP("version", "v", false, "version for quarry")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *asked:
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "quarry", version.Read().Version)
			return err
		case len(args) == 0:
			return cmd.Help()
		case len(args) == 1:
			if name := meant(cmd, args[0]); name != "" {
				return &invocation.ExitError{Code: invocation.Failed, Err: fmt.Errorf(
					"%q is no command; did you mean quarry %s? To search for the word: quarry search %s", args[0], name, args[0])}
			}
		}
		return search(cmd, args)
	}
	root.Args = cobra.ArbitraryArgs
	root.SetErrPrefix("quarry:")
	root.SilenceUsage = true
	root.DisableSuggestions = true
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(invocation.Normalize)
	config.AddCommonFlags(root.PersistentFlags())
	root.AddCommand(question.Commands()...)
	root.AddCommand(installation.Commands()...)
	root.AddCommand(picture.Commands()...)
	root.AddCommand(naming.Commands()...)
	root.AddCommand(envelope.Commands()...)
	root.AddCommand(cluster.Commands()...)
	root.AddCommand(
		newServeCommand(),
		newEnsureCommand(),
		newIndexCommand(),
		newExportCommand(),
		newStopCommand("stop"),
		newReindexCommand(),
		newInvalidateCommand(),
		newStatusCommand(),
		newVerifyCommand(),
		newPingCommand(),
		newCacheCommand(),
		newLSPCommand(),
		newMCPCommand(),
		newOpenCommand(),
		eval.NewCommand(),
		newVersionCommand(),
	)
	completion.Add(root)
	return root
}

// meant returns the command that a single word was probably meant to be, "" for a word that
// is one to search for. A part of a name, or a name with an ending, is such a word: server,
// call. Otherwise the letters may be in another order, or, in longer names, one or two may be
// wrong.
func meant(root *cobra.Command, word string) string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && !strings.Contains(word, c.Name()) && !strings.Contains(c.Name(), word) {
			names = append(names, c.Name())
		}
	}
	name := fields.Nearest(word, names)
	letters := func(s string) string { return string(slices.Sorted(slices.Values([]byte(strings.ToLower(s))))) }
	off := edit.Distance(strings.ToLower(word), name, 2, make([]int, 3*(len(word)+1)))
	if len(name) >= 4 && letters(name) == letters(word) || len(name) >= 6 && off == 1 || len(name) >= 9 && off == 2 {
		return name
	}
	return ""
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
	if cmd.Name() == "search" || cmd.Name() == "related" || !cmd.HasParent() {
		return &invocation.ExitError{Code: invocation.Failed, Err: err}
	}
	return err
}
