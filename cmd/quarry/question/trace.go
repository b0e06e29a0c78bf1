package question

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/trace"
)

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
