// Package envelope has the command te: grep, cat and find as the server ranks them, within
// the budget of an agent. Where no server runs, this process answers as one would.
package envelope

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// Commands returns te, and grep, find and cat, which stand for te grep and so on. A flag's
// meaning depends on where it stands: -i before grep is another one than after it. So te
// has a tree of commands of its own, in which each takes the flags behind its name.
func Commands() []*cobra.Command {
	te := inTree()
	te.Use, te.Short, te.Long, te.Example = "te [-i] grep|cat|find|rag|coach ...", "Run grep, cat and find through the envelope", long, example
	list := []*cobra.Command{te}
	for _, of := range []struct{ use, example string }{
		{"grep PATTERN [PATH]", "  quarry grep -w -g '*.py' connect src"},
		{"find [PATH] [-name GLOB] [-type f|d]", "  quarry find . -name '*_test.go'"},
		{"cat FILE", "  quarry cat src/database.py"},
	} {
		name, _, _ := strings.Cut(of.use, " ")
		cmd := inTree(name)
		cmd.Use, cmd.Example = of.use, of.example
		cmd.Short = "The same as te " + name
		cmd.Long = "Quarry " + name + " is a shorter name of quarry te " + name + ", with the same flags; quarry te\n" + name + " --help lists them.\n\n" + exits
		list = append(list, cmd)
	}
	return list
}

// inTree returns a command that runs te with some arguments before its own.
func inTree(first ...string) *cobra.Command {
	return &cobra.Command{
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			inner := newTree()
			inner.SetArgs(rewritten(inner, append(slices.Clip(first), args...)))
			inner.SetIn(cmd.InOrStdin())
			inner.SetOut(cmd.OutOrStdout())
			inner.SetErr(cmd.ErrOrStderr())
			err := inner.ExecuteContext(cmd.Context())
			cmd.SilenceErrors = true // the inner command has said it
			var exit *invocation.ExitError
			if err != nil && !errors.As(err, &exit) {
				err = &invocation.ExitError{Code: invocation.Failed, Err: err}
			}
			return err
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, written string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var out bytes.Buffer
			inner := newTree()
			inner.SetArgs(append(append([]string{cobra.ShellCompRequestCmd}, append(slices.Clip(first), args...)...), written))
			inner.SetOut(&out)
			inner.SetErr(io.Discard)
			if err := inner.ExecuteContext(cmd.Context()); err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			list := strings.Split(strings.TrimSpace(out.String()), "\n")
			last := len(list) - 1
			directive, err := strconv.Atoi(strings.TrimPrefix(list[last], ":"))
			if err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return list[:last], cobra.ShellCompDirective(directive)
		},
	}
}

const exits = "Exit codes: 0 something was found, 1 nothing, 2 an error."

const long = `Te asks the running server for what grep, cat and find would print, ranked and within
the budget of the agent: a header of one line, the best lines first, and breadcrumbs that
count what is left out. The header's handle gives the rest, in chunks.

TE_AGENT_ID names the agent and TE_SESSION_ID the session; without the former, the agent
is human-cli on a terminal, otherwise unknown. With -i before the command, everything is
printed as the command itself does.

Grep takes the options of GNU grep, with basic patterns unless -E, -F or -P says otherwise,
and cat and find those of theirs. It looks through the root's files as grep -rnH does: in
lines, not the standard input; -h leaves the paths out, and the numbers without -n. What it
does not do it refuses.

Without a server the answer is the same, from the index that is kept of the folder, but
has no handle; -i reads the files.

` + exits

const example = `  quarry te grep database_connection
  quarry te grep -w -g '*.py' connect src
  quarry te grep -E -A 2 'def (open|close)' src tests
  quarry te grep -c TODO --include='*.go'
  quarry te cat src/database.py
  quarry te cat -n src/database.py src/pool.py
  quarry te find . -name '*_test.go' -not -path '*/vendor/*'
  quarry te rag search "where are connections pooled"
  quarry te -i grep database_connection
  quarry te --handle res_0123456789ab --chunk 2
  quarry te --stats`

// rewritten makes arguments that are written as grep and find have them those of the
// commands here.
func rewritten(root *cobra.Command, args []string) []string {
	at := slices.IndexFunc(args, func(arg string) bool { return slices.Contains([]string{"grep", "cat", "find", "rag", "coach"}, arg) })
	if at < 0 {
		return slices.Clone(args)
	}
	before, own := slices.Clone(args[:at+1]), args[at+1:]
	switch args[at] {
	case "grep":
		own = grepArguments(own)
	case "find":
		find, _, err := root.Find([]string{"find"})
		if err == nil {
			own = findArguments(find, own)
		}
	}
	return append(before, own...)
}

// options are the flags of te itself.
type options struct {
	raw    bool
	handle string
	chunk  int
	list   bool
	stats  bool
}

func newTree() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use: "te", Long: long, Example: example,
		Annotations:      map[string]string{cobra.CommandDisplayNameAnnotation: "quarry te"},
		TraverseChildren: true, SilenceUsage: true, DisableSuggestions: true,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.stats:
				return printStats(cmd)
			case o.handle != "":
				return o.showHandle(cmd)
			case o.list:
				return get(cmd, "handle", "/handles", nil)
			}
			return cmd.Help()
		},
	}
	root.SetErrPrefix("quarry:")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &invocation.ExitError{Code: invocation.Failed, Err: err}
	})
	root.SetGlobalNormalizationFunc(invocation.Normalize)
	root.CompletionOptions.DisableDefaultCmd = true
	fs := root.Flags()
	fs.BoolVarP(&o.raw, "raw", "i", false, "print everything as the command itself does")
	fs.StringVar(&o.handle, "handle", "", "show what an answer left out")
	fs.IntVar(&o.chunk, "chunk", 1, "which part of it, starting from 1")
	fs.BoolVar(&o.list, "list-handles", false, "list the handles of the session")
	fs.BoolVar(&o.stats, "stats", false, "sum up the telemetry")
	config.AddCommonFlags(root.PersistentFlags())
	config.AddFlags(root.PersistentFlags(), config.RootFlag|config.TokenFlag)
	invocation.AddYesFlag(root.PersistentFlags())
	root.AddCommand(o.newGrep(), o.newCat(), o.newFind(), o.newRag(), newCoach())
	return root
}

// newCoach returns coach report, which shows what the server has learned.
func newCoach() *cobra.Command {
	coach := &cobra.Command{Use: "coach", Short: "Show which form of the envelope works best", Args: invocation.NoArguments, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	coach.AddCommand(&cobra.Command{
		Use: "report", Short: "Show the strategies and how well they do", Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return get(cmd, "coach", "/coach/report", nil) },
	})
	return coach
}
