package question

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
)

func newContextCommand() *cobra.Command {
	var o askOptions
	var q wire.ContextRequest
	cmd := &cobra.Command{
		Use:   "context TARGET",
		Short: "Show what you need to know to work on something",
		Long: `Context shows a definition with its text, what it calls, what calls it, the types
that it uses, its tests and imports, as Markdown, within a budget: first whatever is
worth most per token. No part is cut in two. The last line says what the text costs,
and what the files that it names would cost whole. It asks the running server as
search does, or uses the index that is kept.

` + targets + `
Several words that name nothing are searched for: the best result is the definition,
and what else was found follows as far as the budget goes.

Exit codes: 0 something is shown; 1 an error, or no such target.`,
		Example: `  quarry context Server.serve
  quarry context internal/auth/token.go:42 --max-tokens 2000
  quarry context "where tokens are checked"`,
		Args: someWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = strings.Join(args, " ")
			return runContext(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&q.Depth, "depth", 2, "steps of calls, 1 to 10")
	fs.IntVar(&q.MaxTokens, "max-tokens", 4000, "the most tokens that the text may cost, at four characters a token")
	o.addFlags(fs)
	return cmd
}

// someWords accepts one argument and more.
func someWords(_ *cobra.Command, args []string) error {
	if strings.TrimSpace(strings.Join(args, "")) == "" {
		return fmt.Errorf("a target is needed")
	}
	return nil
}

func runContext(cmd *cobra.Command, o *askOptions, q *wire.ContextRequest) error {
	if err := checkSteps(q.Depth, 1, 1, 0); err != nil {
		return err
	}
	if q.MaxTokens < 1 {
		return fmt.Errorf("max-tokens must be 1 or more, not %d", q.MaxTokens)
	}
	var a struct {
		source
		brief.ContextAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/context", request: q, scope: &q.Scope, answer: &a.ContextAnswer,
		vectors: strings.Contains(strings.TrimSpace(q.Target), " "),
		within:  target(&q.Target, false),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Context(ctx, brief.ContextQuery{Target: q.Target, Depth: q.Depth, MaxTokens: q.MaxTokens})
			a.ContextAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	given := len(a.Functions) + len(a.Callers) + len(a.Types) + len(a.Tests) + len(a.Found)
	if a.Definition != nil {
		given++
	}
	a.note(cmd.ErrOrStderr(), given, a.Total, "parts")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, false)
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	terminal.PrintText(cmd.OutOrStdout(), a.Text)
	return nil
}

func newStartupCommand() *cobra.Command {
	var o askOptions
	var q wire.StartupRequest
	cmd := &cobra.Command{
		Use:   "startup [TASK]...",
		Short: "Show what to know before starting a task",
		Long: `Startup shows the structure of the codebase, the entry point and its surroundings,
and where the code for a task is, as Markdown, within a budget. A part that does not
exist, or does not fit, is left out. Without --entry the entry point is the function
main, if there is only one, in a language that starts there. It asks the running
server as search does, or uses the index that is kept.

` + targets + `

Exit codes: 0 something is shown; 1 an error, no such entry point, or nothing to show.`,
		Example: `  quarry startup let tokens expire after a day
  quarry startup "let tokens expire" --entry Server.login --max-tokens 1000`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Task = strings.TrimSpace(strings.Join(args, " "))
			return runStartup(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.EntryPoint, "entry", "", "the `target` where the program starts")
	fs.IntVarP(&q.Limit, "limit", "m", 5, "the most places of related code")
	fs.IntVar(&q.MaxTokens, "max-tokens", 1500, "the most tokens that the text may cost, at four characters a token")
	o.addFlags(fs)
	return cmd
}

func runStartup(cmd *cobra.Command, o *askOptions, q *wire.StartupRequest) error {
	if err := checkLimit(q.Limit, wire.MaxLimit); err != nil {
		return err
	}
	if q.MaxTokens < 1 {
		return fmt.Errorf("max-tokens must be 1 or more, not %d", q.MaxTokens)
	}
	var a struct {
		source
		brief.StartupAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/startup", request: q, scope: &q.Scope, answer: &a.StartupAnswer, vectors: q.Task != "",
		within: target(&q.EntryPoint, false),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Startup(ctx, brief.StartupQuery{Task: q.Task, Entry: q.EntryPoint, Limit: q.Limit, MaxTokens: q.MaxTokens})
			a.StartupAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), 0, 0, "")
	if slices.Contains(a.Cuts, answer.CutTokens) {
		fmt.Fprintln(cmd.ErrOrStderr(), "quarry: some of it is left out, cut by: max-tokens")
	}
	if a.NoEntry != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: the entry point is left out: %s\n", terminal.Visible(a.NoEntry))
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	if a.Text == "" {
		return &invocation.ExitError{Code: 1}
	}
	terminal.PrintText(cmd.OutOrStdout(), a.Text)
	return nil
}
