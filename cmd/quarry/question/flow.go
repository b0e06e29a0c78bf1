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
	"github.com/quarry-search/quarry/index/flow"
)

// flowLanguages says, in the help of the commands, which functions have a flow.
func flowLanguages() string {
	return "The function is in one of these languages: " + strings.Join(flow.Languages(), ", ") + "."
}

func newCfgCommand() *cobra.Command {
	var o askOptions
	var q wire.ControlRequest
	var dot bool
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
  quarry cfg internal/auth/token.go:42 --dot | dot -Tsvg > token.svg`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			return runCfg(cmd, &o, &q, dot)
		},
	}
	fs := cmd.Flags()
	fs.IntVarP(&q.Limit, "limit", "m", 1000, "the most blocks to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "blocks to skip")
	fs.BoolVar(&dot, "dot", false, "print the graph for Graphviz")
	o.addFlags(fs)
	return cmd
}

func runCfg(cmd *cobra.Command, o *askOptions, q *wire.ControlRequest, dot bool) error {
	if err := checkPage(q.Limit, wire.MaxFlow, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		flow.ControlAnswer
	}
	err := o.ask(cmd, &a.source, question{
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
	case dot:
		return printDot(cmd.OutOrStdout(), &a.ControlAnswer)
	}
	printControl(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.ControlAnswer)
	return nil
}

// functionLine names the function that was asked about.
func functionLine(shown func(string) string, f *flow.Function) string {
	return fmt.Sprintf("%s:%d %s", terminal.Visible(shown(f.File)), f.Line, terminal.Visible(cmp.Or(f.Name, "(code)")))
}

// printControl writes a line for each block, with where it leads to, and below it its statements.
func printControl(w io.Writer, shown func(string) string, a *flow.ControlAnswer) {
	fmt.Fprintf(w, "%s: %d blocks, complexity %d, %d loops\n", functionLine(shown, &a.Function), a.Total, a.Complexity, a.Loops)
	for i := range a.Blocks {
		b := &a.Blocks[i]
		fmt.Fprintf(w, "%d %s", b.ID, b.Type)
		if b.Unreachable {
			fmt.Fprint(w, " (unreachable)")
		}
		for _, e := range a.Edges {
			if e.From == b.ID {
				fmt.Fprintf(w, "  %s->%d", e.Kind, e.To)
			}
		}
		fmt.Fprintln(w)
		for j, text := range b.Text {
			line := ""
			if j == 0 {
				line = fmt.Sprint(b.Line)
			}
			fmt.Fprintf(w, "%7s  %s\n", line, terminal.Visible(text))
		}
	}
}

// printDot writes the graph in the language of Graphviz.
func printDot(w io.Writer, a *flow.ControlAnswer) error {
	fmt.Fprintf(w, "digraph %q {\n\tnode [shape=box, fontname=monospace];\n", cmp.Or(a.Function.Name, a.Function.File))
	for i := range a.Blocks {
		b := &a.Blocks[i]
		label := b.Type
		if len(b.Text) > 0 {
			label = fmt.Sprintf("%d: %s", b.Line, strings.Join(b.Text, "\n"))
		}
		fmt.Fprintf(w, "\t%d [label=%s];\n", b.ID, quotedDot(label))
	}
	for _, e := range a.Edges {
		style := ""
		if e.Maybe {
			style = ", style=dashed"
		}
		fmt.Fprintf(w, "\t%d -> %d [label=%s%s];\n", e.From, e.To, quotedDot(e.Kind), style)
	}
	_, err := fmt.Fprintln(w, "}")
	return err
}

// quotedDot is a string of Graphviz, with its lines to the left.
func quotedDot(s string) string {
	s = terminal.Visible(strings.ReplaceAll(s, "\n", "\x00"))
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
	return `"` + strings.ReplaceAll(s, terminal.Visible("\x00"), `\l`) + `"`
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
	fmt.Fprintln(w, functionLine(invocation.ShownFrom(a.Root), &a.Function))
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
			return runSlice(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Direction, "direction", flow.Backward, "backward or forward")
	fs.StringVar(&q.Variable, "variable", "", "only by way of this variable, which the line names")
	fs.StringVar(&q.To, "to", "", "only what lies between the two lines: FILE:LINE")
	fs.IntVar(&q.Depth, "depth", 0, "calls to follow, 0 to 20")
	fs.IntVarP(&q.Limit, "limit", "m", 1000, "the most lines to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "lines to skip")
	o.addFlags(fs)
	return cmd
}

func runSlice(cmd *cobra.Command, o *askOptions, q *wire.SliceRequest) error {
	if err := checkPage(q.Limit, wire.MaxFlow, q.Offset); err != nil {
		return err
	}
	if err := config.OneOf("direction", q.Direction, flow.Backward, flow.Forward); err != nil {
		return err
	}
	if q.Depth < 0 || q.Depth > flow.MaxDepth {
		return fmt.Errorf("depth is 0 to %d, not %d", flow.MaxDepth, q.Depth)
	}
	var a struct {
		source
		flow.SliceAnswer
	}
	err := o.ask(cmd, &a.source, question{
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
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	printSlice(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), &a.SliceAnswer)
	return nil
}

// printSlice writes the lines below the name of their function.
func printSlice(w io.Writer, shown func(string) string, a *flow.SliceAnswer) {
	file, function := "", ""
	for i := range a.Lines {
		l := &a.Lines[i]
		if i == 0 || l.File != file || l.Function != function {
			file, function = l.File, l.Function
			fmt.Fprintf(w, "%s %s\n", terminal.Visible(shown(file)), terminal.Visible(cmp.Or(function, "(code)")))
		}
		why := l.Reason
		if l.Variable != "" {
			why += " " + l.Variable
		}
		if l.Reason != "asked" {
			of := ""
			if l.OfFile != "" && l.OfFile != l.File {
				of = shown(l.OfFile) + ":"
			}
			why += fmt.Sprintf(", %s%d", of, l.Of)
		}
		if l.Reason == "syntax" {
			fmt.Fprintf(w, "%7d  %s\n", l.Line, terminal.Visible(l.Text))
			continue
		}
		fmt.Fprintf(w, "%7d  %s  (%s)\n", l.Line, terminal.Visible(l.Text), terminal.Visible(why))
	}
}
