package question

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/listing"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/diagnostics"
	"github.com/quarry-search/quarry/index/flow"
)

// flowLanguages says, in the help of the commands, which functions have a flow.
func flowLanguages() string {
	return "The function is in one of these languages: " + strings.Join(flow.Languages(), ", ") + "."
}

func newCfgCommand() *cobra.Command {
	var o askOptions
	var q wire.ControlRequest
	var draw listing.Drawing
	cmd := &cobra.Command{
		Use:   "cfg TARGET",
		Short: "Show how control moves through a function",
		Long: `Cfg shows the control flow of a function: blocks of code that run as a whole, and the edges
between them, errors that a "try" catches included; loops, cyclomatic complexity, and lines
that nothing leads to. A line means the function around it, a file its code outside of
functions. It asks the running server as search does, or uses the index that is kept.

` + flowLanguages() + `

` + targets + `

Exit codes: 0 an answer; 1 an error, or no such target.`,
		Example: `  quarry cfg TokenService.validate
  quarry cfg internal/auth/token.go:42 --svg > token.svg`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			return runCfg(cmd, &o, &q, &draw)
		},
	}
	fs := cmd.Flags()
	fs.IntVarP(&q.Limit, "limit", "m", 1000, "the most blocks to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "blocks to skip")
	draw.Add(fs, "the blocks")
	o.addFlags(fs)
	return cmd
}

func runCfg(cmd *cobra.Command, o *askOptions, q *wire.ControlRequest, draw *listing.Drawing) error {
	form, err := draw.Form(o.json)
	if err = cmp.Or(err, checkPage(q.Limit, wire.MaxFlow, q.Offset)); err != nil {
		return err
	}
	var a struct {
		source
		flow.ControlAnswer
	}
	err = o.ask(cmd, &a.source, question{
		endpoint: "/cfg", request: q, scope: &q.Scope, answer: &a.ControlAnswer,
		within: target(&q.Target, false),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Control(ctx, flow.ControlQuery{Target: q.Target, Limit: q.Limit, Offset: q.Offset})
			a.ControlAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), a.Given(), a.Total, "blocks")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, false)
	switch {
	case o.json:
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	case form != "":
		return listing.Drawn(cmd.OutOrStdout(), form, &a.ControlAnswer)
	}
	listing.Control(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.ControlAnswer)
	return nil
}

func newDfgCommand() *cobra.Command {
	var o askOptions
	var q wire.DataRequest
	cmd := &cobra.Command{
		Use:   "dfg TARGET",
		Short: "Show where the values of a function's variables come from",
		Long: `Dfg shows the data flow of a function: for each place that reads a variable, or a part of
one, the places whose value it may be. ~ marks what may happen and need not: in a part
that is not always evaluated, by a call that is given the object, by a function inside.
It asks the running server as search does, or uses the index that is kept.

` + flowLanguages() + `

` + targets + `

Exit codes: 0 an answer; 1 an error, or no such target.`,
		Example: `  quarry dfg TokenService.validate
  quarry dfg internal/auth/token.go:42 --variable claims --json`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			return runDfg(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Variable, "variable", "", "only this variable")
	fs.IntVarP(&q.Limit, "limit", "m", 1000, "the most pairs to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "pairs to skip")
	o.addFlags(fs)
	return cmd
}

func runDfg(cmd *cobra.Command, o *askOptions, q *wire.DataRequest) error {
	if err := checkPage(q.Limit, wire.MaxFlow, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		flow.DataAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/dfg", request: q, scope: &q.Scope, answer: &a.DataAnswer,
		within: target(&q.Target, false),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Data(ctx, flow.DataQuery{Target: q.Target, Variable: q.Variable, Limit: q.Limit, Offset: q.Offset})
			a.DataAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), a.Given(), a.Total, "pairs")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, a.Total == 0)
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintln(w, listing.FunctionLine(invocation.ShownFrom(a.Root), &a.Function))
	last := flow.Ref{}
	for i := range a.Edges {
		e := &a.Edges[i]
		if e.Use != last {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%7d:%d  %s%s <-", e.Use.Line, e.Use.Column, e.Use.Name, e.Use.Part)
			last = e.Use
		}
		sign := " "
		if e.Maybe {
			sign = " ~"
		}
		fmt.Fprintf(w, "%s%d:%d", sign, e.Def.Line, e.Def.Column)
	}
	if len(a.Edges) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}

func newSliceCommand() *cobra.Command {
	var o askOptions
	var q wire.SliceRequest
	var draw listing.Drawing
	cmd := &cobra.Command{
		Use:   "slice FILE:LINE",
		Short: "Show what a line depends on, or what depends on it",
		Long: `Slice shows the lines that decide what happens in a line: those that write what it reads,
those that decide whether it runs, and what these depend on. With --direction forward it
shows what the line may change. With --depth N it follows calls, N deep: to callers for
the values of parameters, and into what is called. With --to it shows what lies between
two lines. Behind each line is why it is there; standard error says what could not be
followed. It asks the running server as search does, or uses the index that is kept.

` + flowLanguages() + `

Exit codes: 0 an answer; 1 an error, or no such line.`,
		Example: `  quarry slice internal/auth/token.go:42
  quarry slice app/views.py:17 --variable user --depth 3
  quarry slice src/cart.ts:8 --direction forward --to src/cart.ts:30`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			return runSlice(cmd, &o, &q, &draw)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Direction, "direction", flow.Backward, "backward or forward")
	fs.StringVar(&q.Variable, "variable", "", "only by way of this variable, which the line names")
	fs.StringVar(&q.To, "to", "", "only what lies between the two lines: FILE:LINE")
	fs.IntVar(&q.Depth, "depth", 0, "calls to follow, 0 to 20")
	fs.IntVarP(&q.Limit, "limit", "m", 1000, "the most lines to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "lines to skip")
	draw.Add(fs, "the lines, with arrows to what depends on them,")
	o.addFlags(fs)
	return cmd
}

func runSlice(cmd *cobra.Command, o *askOptions, q *wire.SliceRequest, draw *listing.Drawing) error {
	form, err := draw.Form(o.json)
	if err = cmp.Or(err, checkPage(q.Limit, wire.MaxFlow, q.Offset), config.OneOf("direction", q.Direction, flow.Backward, flow.Forward)); err != nil {
		return err
	}
	if q.Depth < 0 || q.Depth > flow.MaxDepth {
		return fmt.Errorf("depth is 0 to %d, not %d", flow.MaxDepth, q.Depth)
	}
	var a struct {
		source
		flow.SliceAnswer
	}
	err = o.ask(cmd, &a.source, question{
		endpoint: "/slice", request: q, scope: &q.Scope, answer: &a.SliceAnswer,
		within: func(root string) (err error) {
			if q.To != "" {
				if q.To, err = invocation.TargetPath(root, q.To, true); err != nil {
					return err
				}
			}
			return target(&q.Target, false)(root)
		},
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Slice(ctx, flow.SliceQuery{
				Target: q.Target, Direction: q.Direction, Variable: q.Variable, To: q.To, Depth: q.Depth, Limit: q.Limit, Offset: q.Offset,
			})
			a.SliceAnswer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), a.Given(), a.Total, "lines")
	completeness(cmd.ErrOrStderr(), &a.Completeness, a.Total == 0)
	switch {
	case o.json:
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	case form != "":
		return listing.Drawn(cmd.OutOrStdout(), form, &a.SliceAnswer)
	}
	listing.Slice(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.SliceAnswer)
	return nil
}

func newFlowsCommand() *cobra.Command {
	var o askOptions
	var q wire.FlowsRequest
	var tests, format string
	cmd := &cobra.Command{
		Use:   "flows [PATH]",
		Short: "Show how values come from sources to sinks",
		Long: `Flows shows the paths of values from sources to sinks, each with its steps: within a
function by which definition reaches which use, and across calls by the call graph. A
preset has the sources, sinks and sanitizers of what requests should not get into: exec,
commands and code that is run; sql, texts of queries; path, names of files; html, pages;
or all of them. With --source, --sink and --sanitizer patterns of names take their place:

  *.FormValue  a call or a read      exec.Command(1-)  these arguments of a call
  @Param       annotated parameters  func:handle*      parameters of functions
  *.innerHTML= an assignment         preset:sql        those of a preset

A path is exact, or as sure as its weakest call; that it is there does not say that a
run takes it. With PATH only paths that end there are shown. Standard error says what
could not be followed. It asks the running server as search does, or uses the index that
is kept.

Exit codes: 0 there are no paths; 3 there are some; 1 an error.`,
		Example: `  quarry flows --preset sql
  quarry flows src --preset all --tests without --format sarif > flows.sarif
  quarry flows --source '*.FormValue' --sink 'exec.Command(1-)'`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			if err := o.formatOf(cmd.Flags(), &format); err != nil {
				return err
			}
			if q.Preset != "" {
				if err := config.OneOf("preset", q.Preset, flow.Presets()...); err != nil {
					return err
				}
			}
			var err error
			if q.Tests, err = testsOf(tests, false); err != nil {
				return err
			}
			return runFlows(cmd, &o, &q, format)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Preset, "preset", "", strings.Join(flow.Presets(), ", "))
	fs.StringArrayVar(&q.Source, "source", nil, "a pattern of where values come from; repeatable (default preset:request)")
	fs.StringArrayVar(&q.Sink, "sink", nil, "a pattern of where they go; repeatable (default those of the preset)")
	fs.StringArrayVar(&q.Sanitizer, "sanitizer", nil, "a pattern of what makes them harmless, or none; repeatable (default preset:default)")
	fs.IntVar(&q.Depth, "depth", flow.DefaultFlowDepth, "calls to follow, 1 to 20")
	fs.IntVar(&q.Functions, "max-functions", flow.DefaultFunctions, "functions to look into for a preset, 1 to 20000")
	fs.StringVar(&tests, "tests", "", "paths that begin or end in test code: with; without; or only (default with)")
	addFormat(fs, &format)
	invocation.AddGlobFlag(fs, &q.Glob)
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most paths to list, 1 to 1000")
	fs.IntVar(&q.Offset, "offset", 0, "paths to skip")
	o.addFlags(fs)
	return cmd
}

func runFlows(cmd *cobra.Command, o *askOptions, q *wire.FlowsRequest, format string) error {
	if err := checkPage(q.Limit, wire.MaxEdges, q.Offset); err != nil {
		return err
	}
	if q.Depth < 1 || q.Depth > flow.MaxDepth {
		return fmt.Errorf("depth is 1 to %d, not %d", flow.MaxDepth, q.Depth)
	}
	if q.Functions < 1 || q.Functions > flow.MaxFunctions {
		return fmt.Errorf("max-functions is 1 to %d, not %d", flow.MaxFunctions, q.Functions)
	}
	var a struct {
		source
		flow.FlowsAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/flows", request: q, scope: &q.Scope, answer: &a.FlowsAnswer,
		within: below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Flows(ctx, flow.FlowsQuery{
				Preset: q.Preset, Source: q.Source, Sink: q.Sink, Sanitizer: q.Sanitizer, Depth: q.Depth, Functions: q.Functions,
				Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.FlowsAnswer = found
			if err == nil && found.Total == 0 {
				err = knownBelow(x, q.Path)
			}
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	a.note(stderr, a.Given(), a.Total, "paths")
	fmt.Fprintf(stderr, "quarry: %d sources, %d sinks, %d functions looked into\n", a.Sources, a.Sinks, a.Looked)
	if len(a.NotLooked) > 0 {
		fmt.Fprintf(stderr, "quarry: not looked at: %s\n", strings.Join(a.NotLooked, ", "))
	}
	completeness(stderr, &a.Completeness, false)
	switch format {
	case "json":
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	case "sarif":
		err = diagnostics.WriteSARIF(cmd.OutOrStdout(), flowFindings(a.Flows), version.Release)
	default:
		listing.Flows(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), a.Flows)
	}
	if err == nil && a.Total > 0 {
		return invocation.Silent(cmd, Findings)
	}
	return err
}

// flowFindings are paths as findings about their sinks.
func flowFindings(list []flow.Flow) []diagnostics.Finding {
	found := make([]diagnostics.Finding, 0, len(list))
	for i := range list {
		f := &list[i]
		found = append(found, diagnostics.Finding{
			Severity: "warning", File: f.Sink.File, Line: f.Sink.Line, Column: f.Sink.Column, Rule: "flow/" + cmp.Or(f.Preset, "own"), Source: diagnostics.Source,
			Message: fmt.Sprintf("%s gets a value of %s in %s:%d", f.Sink.Name, f.Source.Name, f.Source.File, f.Source.Line),
			Symbol:  f.Steps[len(f.Steps)-1].Function,
		})
	}
	return found
}
