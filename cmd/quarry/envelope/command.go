// Package envelope has the command te: grep, cat and find as the server ranks them, within
// the budget of an agent. Where no server runs, people get the plain result from the files.
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
			inner.SetArgs(findFlags(append(slices.Clip(first), args...)))
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

Without a server, people and -i get the plain result, from the files; others get an
internal error.

` + exits

const example = `  quarry te grep database_connection
  quarry te grep -w -g '*.py' connect src
  quarry te cat src/database.py
  quarry te find . -name '*_test.go'
  quarry te rag search "where are connections pooled"
  quarry te -i grep database_connection
  quarry te --handle res_0123456789ab --chunk 2
  quarry te --stats`

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
	root.AddCommand(o.newGrep(), o.newCat(), o.newFind(), o.newRag(), newCoach())
	return root
}

// findFlags lets find's own flags be written as find has them, with one dash.
func findFlags(args []string) []string {
	out := slices.Clone(args)
	at := slices.IndexFunc(args, func(arg string) bool { return slices.Contains([]string{"grep", "cat", "find", "rag", "coach"}, arg) })
	if at < 0 || args[at] != "find" {
		return out
	}
	for i, arg := range out[at:] {
		if arg == "-name" || arg == "-iname" || arg == "-type" {
			out[at+i] = "-" + arg
		}
	}
	return out
}

func (o *options) newGrep() *cobra.Command {
	var q grepRequest
	cmd := &cobra.Command{
		Use: "grep PATTERN [PATH]", Short: "Find lines, the best first",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("a pattern is needed, and one path can be given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Pattern = args[0]
			if len(args) > 1 {
				q.Path = args[1]
			}
			return ask(cmd, "grep", o.raw, &q)
		},
	}
	fs := cmd.Flags()
	fs.BoolVarP(&q.IgnoreCase, "ignore-case", "i", false, "ignore case")
	fs.BoolVarP(&q.Word, "word-regexp", "w", false, "only whole words")
	fs.BoolVarP(&q.Literal, "fixed-strings", "F", false, "the pattern is plain text")
	invocation.AddGlobFlag(fs, &q.Glob)
	fs.StringArrayVar(&q.Glob, "include", nil, "the same as --glob")
	fs.IntVarP(&q.Limit, "max-count", "m", 0, "the most lines, of all files together")
	// What is done anyway.
	for _, same := range []struct{ name, short string }{
		{"line-number", "n"}, {"recursive", "r"}, {"dereference-recursive", "R"}, {"extended-regexp", "E"}, {"with-filename", "H"},
	} {
		fs.BoolP(same.name, same.short, true, "what is done anyway")
		_ = fs.MarkHidden(same.name) // it is there
	}
	return cmd
}

func (o *options) newCat() *cobra.Command {
	var q catRequest
	cmd := &cobra.Command{
		Use: "cat FILE", Short: "Show the lines of a file",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("one file must be given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Path = args[0]
			return ask(cmd, "cat", o.raw, &q)
		},
	}
	cmd.Flags().IntVar(&q.Start, "start", 0, "the first line")
	cmd.Flags().IntVar(&q.End, "end", 0, "the last line")
	return cmd
}

func (o *options) newFind() *cobra.Command {
	var q findRequest
	var folded []string
	cmd := &cobra.Command{
		Use: "find [PATH] [-name GLOB] [-type f|d]", Short: "List files and folders, the most likely first",
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				q.Path = args[0]
			}
			for _, glob := range folded {
				q.Name = append(q.Name, eitherCase(glob))
			}
			return ask(cmd, "find", o.raw, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&q.Name, "name", nil, "only names that match; may be given several times")
	fs.StringArrayVar(&folded, "iname", nil, "like --name, ignoring case")
	fs.StringVar(&q.Type, "type", "", "f: files, d: folders")
	fs.IntVarP(&q.Limit, "limit", "m", 0, "the most paths")
	return cmd
}

// eitherCase returns a glob that matches letters in either case.
func eitherCase(glob string) string {
	var b strings.Builder
	inClass := false
	for _, r := range glob {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		switch {
		case lower == upper:
			b.WriteRune(r)
		case inClass:
			b.WriteString(lower + upper)
		default:
			b.WriteString("[" + lower + upper + "]")
		}
		inClass = r == '[' || inClass && r != ']'
	}
	return b.String()
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
