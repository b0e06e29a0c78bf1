// Package picture has the commands whose answers are to be looked at: the call graph around a symbol,
// and the tree of files by size.
package picture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/listing"
	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/treemap"
)

// Commands returns one of each.
func Commands() []*cobra.Command {
	list := []*cobra.Command{newGraphCommand(), newMapCommand()}
	for _, cmd := range list {
		question.OnScreen(cmd)
	}
	return list
}

// bounded refuses numbers that are too small; those that are too large are lowered.
func bounded(cmd *cobra.Command, limit, mostNodes, depth, mostDepth int) error {
	if limit < 1 {
		return fmt.Errorf("limit must be 1 to %d, not %d", mostNodes, limit)
	}
	if cmd.Flags().Changed("depth") && depth < 1 {
		return fmt.Errorf("depth must be 1 to %d, not %d", mostDepth, depth)
	}
	return nil
}

func newGraphCommand() *cobra.Command {
	var o question.Asking
	var q wire.GraphRequest
	var direction, tests string
	var draw listing.Drawing
	cmd := &cobra.Command{
		Use:   "graph TARGET [TO]",
		Short: "Draw the call graph around a symbol, or between two",
		Long: `Graph shows what calls a target and what it calls as nodes and edges, or with a second
target the shortest chains between the two: a line for each node, and below it what it
calls; with --dot, --mermaid or --svg a drawing. Files, folders or classes can be one node
each. There are 300 nodes at most: the rest are in groups, one for a folder, each with how
many it stands for. --expand with the id of a node, in brackets, shows what it stands for
or, of a symbol, what is one step from it. It asks the running server as search does, or
uses the index that is kept.

` + question.Targets + `

Exit codes: 0 an answer; 1 an error, no such target, or no chain.`,
		Example: `  quarry graph Server.serve --depth 2 --tests without --svg > serve.svg
  quarry graph main Server.serve --mermaid
  quarry graph Server.serve --collapse folder --expand internal/http/`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 || strings.TrimSpace(args[0]) == "":
				return errors.New("a target is needed")
			case len(args) > 2:
				return fmt.Errorf("at most two targets can be given, not %d", len(args))
			case len(args) == 2 && strings.TrimSpace(args[1]) == "":
				return errors.New("the second target is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Target = args[0]; len(args) == 2 {
				q.To = args[1]
			}
			for _, one := range []struct {
				name, value string
				words       []string
			}{{"direction", direction, []string{calls.Callees, calls.Callers, calls.Both}}, {"collapse", q.Collapse, []string{subgraph.ByFile, subgraph.ByFolder, subgraph.ByClass}}} {
				if one.value != "" {
					if err := config.OneOf(one.name, one.value, one.words...); err != nil {
						return err
					}
				}
			}
			q.Direction = wire.Direction(direction)
			var err error
			if q.Tests, err = question.TestsOf(tests); err != nil {
				return err
			}
			return runGraph(cmd, &o, &q, &draw)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&direction, "direction", "", "callees, callers or both (default both)")
	fs.IntVar(&q.Depth, "depth", 0, "steps from the target, 1 to 10 (default 1)")
	fs.StringVar(&q.Collapse, "collapse", "", "what a node is, in place of a symbol: file, folder or class")
	fs.StringArrayVar(&q.Expand, "expand", nil, "the id of a node to expand; repeatable")
	fs.BoolVar(&q.Snippets, "snippets", false, "show the lines of the calls")
	question.AddScope(fs, &q.Path, &q.Glob, &tests)
	fs.IntVarP(&q.Limit, "limit", "m", subgraph.DefaultNodes, "the most nodes, 1 to 300")
	draw.Add(fs, "the nodes")
	o.AddFlags(fs)
	return cmd
}

func runGraph(cmd *cobra.Command, o *question.Asking, q *wire.GraphRequest, draw *listing.Drawing) error {
	form, err := draw.Form(o.JSON())
	if err = cmp.Or(err, bounded(cmd, q.Limit, subgraph.MaxNodes, q.Depth, subgraph.MaxDepth)); err != nil {
		return err
	}
	var a struct {
		question.Source
		subgraph.Answer
	}
	err = o.Ask(cmd, &a.Source, question.Question{
		Endpoint: "/graph", Request: q, Scope: &q.Scope, Answer: &a.Answer,
		Within: func(root string) (err error) {
			if q.Target, err = invocation.TargetPath(root, q.Target, false); err == nil && q.To != "" {
				q.To, err = invocation.TargetPath(root, q.To, false)
			}
			return cmp.Or(err, question.Below(&q.Path)(root))
		},
		Local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Subgraph(ctx, subgraph.Query{
				Target: q.Target, To: q.To, Direction: string(q.Direction), Depth: q.Depth, Collapse: q.Collapse, Expand: q.Expand, Snippets: q.Snippets,
				Limit: q.Limit, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.Answer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	a.Tell(stderr, a.Given(), a.Total, "nodes", &a.Completeness, q.Target, a.Others)
	if a.Backward {
		fmt.Fprintf(stderr, "quarry: no calls lead from %s to %s; these lead back\n", terminal.Visible(q.Target), terminal.Visible(q.To))
	}
	switch {
	case o.JSON():
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	case form != "":
		err = listing.Drawn(cmd.OutOrStdout(), form, &a.Answer)
	default:
		listing.Graph(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.Answer)
	}
	if err == nil && q.To != "" && len(a.Edges) == 0 {
		fmt.Fprintf(stderr, "quarry: no 8 calls or fewer lead from %s to %s, or back\n", terminal.Visible(q.Target), terminal.Visible(q.To))
		return invocation.Silent(cmd, 1)
	}
	return err
}

func newMapCommand() *cobra.Command {
	var o question.Asking
	var q wire.MapRequest
	var tests string
	cmd := &cobra.Command{
		Use:   "map [PATH]",
		Short: "Show folders and files by size, with what depends on them",
		Long: `Map shows the tree of folders and files, the largest first: lines, files, the language with
the most lines, how many files depend on it, of a folder from outside of it, how many of
the last 2,000 commits changed it, and what the index leaves out. The largest folders are
opened first; what else is in a folder is counted in one line. It asks the running server
as search does, or uses the index that is kept.

Exit codes: 0 an answer; 1 an error.`,
		Example: `  quarry map --depth 2
  quarry map internal --tests without --json`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			var err error
			if q.Tests, err = question.TestsOf(tests); err != nil {
				return err
			}
			return runMap(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&q.Depth, "depth", treemap.DefaultDepth, "levels below the folder, 1 to 20")
	invocation.AddGlobFlag(fs, &q.Glob)
	fs.StringSliceVar(&q.Lang, "lang", nil, "only these languages, such as go,python")
	fs.StringVar(&tests, "tests", "", "files of tests: with; without; or only (default with)")
	fs.IntVarP(&q.Limit, "limit", "m", treemap.DefaultNodes, "the most folders and files, 1 to 2000")
	o.AddFlags(fs)
	return cmd
}

func runMap(cmd *cobra.Command, o *question.Asking, q *wire.MapRequest) error {
	if err := bounded(cmd, q.Limit, treemap.MaxNodes, q.Depth, treemap.MaxDepth); err != nil {
		return err
	}
	var a struct {
		question.Source
		treemap.Answer
	}
	err := o.Ask(cmd, &a.Source, question.Question{
		Endpoint: "/map", Request: q, Scope: &q.Scope, Answer: &a.Answer, Within: question.Below(&q.Path),
		Local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Treemap(ctx, treemap.Query{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Tests: string(q.Tests), Depth: q.Depth, Limit: q.Limit})
			a.Answer = found
			return found.State, found.Cuts, cmp.Or(err, question.KnownBelow(x, q.Path))
		},
	})
	if err != nil {
		return err
	}
	a.Tell(cmd.ErrOrStderr(), a.Given(), a.Total, "nodes", &a.Completeness, "", nil)
	if len(a.NotLookedAt) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: not looked at: %s\n", terminal.Visible(strings.Join(a.NotLookedAt, "; ")))
	}
	if o.JSON() {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	listing.Map(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.Answer)
	return nil
}
