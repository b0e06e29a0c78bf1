package question

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/trace"
)

// callsAnswer is the response to it.
type callsAnswer struct {
	calls.CallsAnswer
	Across *wire.AcrossCalls `json:"across,omitempty"` // of a server with several projects
}

func newCallsCommand() *cobra.Command {
	var o askOptions
	var q wire.CallsRequest
	var direction, tests string
	cmd := &cobra.Command{
		Use:   "calls [TARGET]",
		Short: "Show what a symbol calls, or what calls it",
		Long: `Calls shows the edges of the call graph around a target; without one, all edges.
It asks the running server as search does, or uses the index that is kept.

Each line shows where a call is, the caller, and the callee: -> one that is resolved,
with its position; ~> one of several, or found by its name alone; ?? one that is not
resolved, and why; !! one that is not in the index. => is a call between the project
and another one of the server, whose name follows in brackets. Standard error says
whether the answer is complete.

` + targets + `
A class stands for its methods, a file for all in it.

Exit codes: 0 an answer, which may be empty; 1 an error, or no such target.`,
		Example: `  quarry calls Server.serve
  quarry calls internal/auth/token.go:42 --direction callers --depth 2
  quarry calls -m 1000 --json`,
		Args: invocation.AtMostOne("target"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Target = args[0]
			}
			if err := config.OneOf("direction", direction, calls.Callees, calls.Callers, calls.Both, references.Direction); err != nil {
				return err
			}
			var err error
			if q.Tests, err = testsOf(tests, false); err != nil {
				return err
			}
			q.Direction = wire.Direction(direction)
			return runCalls(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&direction, "direction", calls.Callees, "callees, callers, both, or references: whatever names the target")
	addSteps(fs, &q.Depth, 1)
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most entries to list, 1 to 1000")
	fs.IntVar(&q.Offset, "offset", 0, "entries to skip")
	addScope(fs, &q.Path, &q.Glob, &tests)
	fs.BoolVar(&q.Group, "group", false, "one line for each caller and callee, with the lines of its calls")
	fs.BoolVar(&q.External, "external", false, "also list calls of what is not in the index")
	o.addFlags(fs)
	return cmd
}

// checkSteps checks what the commands about the call graph have in common.
func checkSteps(depth, limit, maxLimit, offset int) error {
	if depth < 1 {
		return fmt.Errorf("depth must be 1 to %d, not %d", wire.MaxSteps, depth)
	}
	return checkPage(limit, maxLimit, offset)
}

// checkPage checks which part of a list is asked for.
func checkPage(limit, maxLimit, offset int) error {
	if err := checkLimit(limit, maxLimit); err != nil {
		return err
	}
	if offset < 0 {
		return fmt.Errorf("offset must be 0 or more, not %d", offset)
	}
	return nil
}

func runCalls(cmd *cobra.Command, o *askOptions, q *wire.CallsRequest) error {
	if err := checkSteps(q.Depth, q.Limit, wire.MaxEdges, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		callsAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/calls", request: q, scope: &q.Scope, answer: &a.callsAnswer,
		within: targetBelow(&q.Target, &q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Calls(ctx, calls.CallsQuery{
				Target: q.Target, Direction: string(q.Direction), Depth: q.Depth, Limit: q.Limit, Offset: q.Offset, External: q.External,
				Group: q.Group, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.CallsAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	given := a.Given()
	a.note(cmd.ErrOrStderr(), given, a.Total, "calls")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, a.Total == 0 && (a.Across == nil || a.Across.Total == 0))
	if a.Across != nil {
		noteAcross(cmd.ErrOrStderr(), &a.Across.AcrossMeta, len(a.Across.Calls), "calls")
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	w := terminal.NewPlaces(cmd.OutOrStdout())
	shown := invocation.ShownFrom(a.Root)
	for _, e := range a.Edges {
		printEdge(w, shown, "->", &e)
	}
	for _, e := range a.Ambiguous {
		printEdge(w, shown, "~>", &e)
	}
	for _, s := range a.Unresolved {
		fmt.Fprintf(w, "%s:%d:%d %s ?? %s (%s)\n", terminal.Visible(shown(s.From.File)), s.Line, s.Column, topLevel(s.From.Symbol), terminal.Visible(cmp.Or(s.Name, "an expression")), siteNotes(&s))
	}
	for _, e := range a.External {
		printEdge(w, shown, "!!", &e)
	}
	if a.Across != nil {
		printAcrossCalls(w, a.Across, shown)
	}
	return w.Flush()
}

// completeness says on the error output whether an answer has all there is.
func completeness(w io.Writer, c *answer.Completeness, empty bool) {
	switch {
	case !c.Complete:
		fmt.Fprintf(w, "quarry: the answer may not be complete: %s\n", terminal.Visible(strings.Join(c.Because, "; ")))
	case empty:
		fmt.Fprintln(w, "quarry: there are none in the index")
	}
}

// topLevel names a symbol, or the code that is in none.
func topLevel(symbol string) string { return terminal.Visible(cmp.Or(symbol, "(top level)")) }

// siteNotes says why a call is not resolved, and where else the caller has it.
func siteNotes(s *calls.CallSite) string {
	if len(s.CallSites) > 1 {
		return s.Reason + ", " + lines(s.CallSites)
	}
	return s.Reason
}

// printEdge writes one call.
func printEdge(w io.Writer, shown func(string) string, arrow string, e *calls.CallEdge) {
	to := terminal.Visible(cmp.Or(e.To.Symbol, "(top level)"))
	if e.To.Literal {
		to = "a function in " + to
	}
	fmt.Fprintf(w, "%s:%d:%d %s %s %s", terminal.Visible(shown(e.From.File)), e.Line, e.Column, topLevel(e.From.Symbol), arrow, to)
	if e.To.File != nil && e.To.Line != nil {
		fmt.Fprintf(w, " %s:%d", terminal.Visible(shown(*e.To.File)), *e.To.Line)
	}
	var notes []string
	if len(e.CallSites) > 1 {
		notes = append(notes, lines(e.CallSites))
	}
	if e.Kind == "references" {
		notes = append(notes, "by "+e.Rule)
	}
	if e.Confidence != "exact" {
		notes = append(notes, e.Confidence)
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, " (%s)", strings.Join(notes, ", "))
	}
	fmt.Fprintln(w)
}

func newTraceCommand() *cobra.Command {
	var o askOptions
	var q wire.TraceRequest
	cmd := &cobra.Command{
		Use:   "trace TARGET [TO]",
		Short: "Show the call graph around a symbol, or the paths between two",
		Long: `Trace shows the callers and callees of a target, with their signatures. With a
second target it shows the shortest chains of at most 8 calls from the first to the
second; if there are none, those in the other direction. It asks the running server as
search does, or uses the index that is kept.

` + targets + `

Exit codes: 0 something is shown; 1 an error, no such target, or no chain.`,
		Example: `  quarry trace Server.serve --depth 2
  quarry trace main Server.serve`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return cmp.Or(oneTarget(cmd, args[:1]), oneTarget(cmd, args[1:]))
			}
			return oneTarget(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			if len(args) == 2 {
				q.To = args[1]
			}
			return runTrace(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	addSteps(fs, &q.Depth, 1)
	fs.IntVarP(&q.Limit, "limit", "m", 0, "the most callers and callees, each (default 50), or chains (default 5); up to 100")
	o.addFlags(fs)
	return cmd
}

func runTrace(cmd *cobra.Command, o *askOptions, q *wire.TraceRequest) error {
	if err := checkSteps(q.Depth, cmp.Or(q.Limit, 1), wire.MaxLimit, 0); err != nil {
		return err
	}
	var a struct {
		source
		trace.Answer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/trace", request: q, scope: &q.Scope, answer: &a.Answer,
		within: func(root string) (err error) {
			if q.To, err = invocation.TargetPath(root, q.To, false); err != nil {
				return err
			}
			q.Target, err = invocation.TargetPath(root, q.Target, false)
			return err
		},
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Trace(ctx, trace.Query{Target: q.Target, To: q.To, Depth: q.Depth, Limit: q.Limit})
			a.Answer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), len(a.Callers)+len(a.Callees)+len(a.Paths), a.Total, "ways")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, false)
	if a.Backward {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no calls lead from %s to %s; these lead back\n", terminal.Visible(q.Target), terminal.Visible(q.To))
	}
	if o.json {
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	} else {
		terminal.PrintText(cmd.OutOrStdout(), a.Text)
	}
	if err == nil && q.To != "" && len(a.Paths) == 0 {
		return invocation.Silent(cmd, 1)
	}
	return err
}
