package question

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/diagnostics"
)

// Findings is the exit code of diagnostics where there are some.
const Findings = 3

// Bounds of a log of another tool: what is read, and what a request to a server may have of it.
const (
	maxLog  = 64 << 20
	maxSent = 900 << 10
)

func newDiagnosticsCommand() *cobra.Command {
	var o askOptions
	var q wire.DiagnosticsRequest
	var log, format string
	cmd := &cobra.Command{
		Use:   "diagnostics [PATH]",
		Short: "Show what is wrong with files, without running anything",
		Long: `Diagnostics shows errors of syntax, code that nothing leads to, assignments to local
variables whose value nothing reads, imports that lead to nothing, names that mean nothing,
calls with a wrong number of arguments, and errors that are lost because their variable
hides another one. Nothing of the project is run, and no other tool.
With --sarif it shows the findings of another tool in place of its own (--kind adds its
own), each with the definition that it is in. Standard error says what was not looked at.
It asks the running server as search does, or uses the index that is kept.

The page diagnostics of the documentation says what is found in which language, and how
often that was right.

Exit codes: 0 there are no findings; 3 there are some; 1 an error.`,
		Example: `  quarry diagnostics
  quarry diagnostics internal --kind unreachable --format sarif > quarry.sarif
  quarry diagnostics --sarif lint.sarif`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			if err := o.formatOf(cmd.Flags(), &format); err != nil {
				return err
			}
			for _, kind := range q.Kind {
				if err := config.OneOf("kind", kind, append(diagnostics.Kinds(), diagnostics.Reported)...); err != nil {
					return err
				}
			}
			if log != "" {
				var err error
				if q.SARIF, err = readLog(log); err != nil {
					return err
				}
			}
			return runDiagnostics(cmd, &o, &q, format)
		},
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&q.Kind, "kind", nil, "of findings: "+strings.Join(diagnostics.Kinds(), ", ")+", reported (default all but reported; with --sarif reported)")
	fs.StringVar(&log, "sarif", "", "read the findings of another tool from this file, in SARIF 2.1.0")
	addFormat(fs, &format)
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most findings to list, 1 to 10000")
	fs.IntVar(&q.Offset, "offset", 0, "findings to skip")
	o.addFlags(fs)
	return cmd
}

// readLog reads a log of another tool, and returns what is used of it.
func readLog(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLog+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", name, folder.Reason(err))
	case len(text) > maxLog:
		return "", fmt.Errorf("%s is larger than %d bytes", name, maxLog)
	}
	found, err := diagnostics.ReadSARIF(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var b bytes.Buffer
	if err := diagnostics.WriteSARIF(&b, found, ""); err != nil {
		return "", err
	}
	if b.Len() > maxSent {
		return "", fmt.Errorf("%s has %d findings, more than can be asked about at once: have the tool look at less", name, len(found))
	}
	return b.String(), nil
}

func runDiagnostics(cmd *cobra.Command, o *askOptions, q *wire.DiagnosticsRequest, format string) error {
	if err := checkPage(q.Limit, wire.MaxFlow, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		diagnostics.Answer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/diagnostics", request: q, scope: &q.Scope, answer: &a.Answer,
		within: below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Diagnostics(ctx, diagnostics.Query{
				Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, SARIF: q.SARIF, Limit: q.Limit, Offset: q.Offset,
			})
			a.Answer = found
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
	a.note(stderr, a.Given(), a.Total, "findings")
	for _, why := range a.NotLookedAt {
		fmt.Fprintf(stderr, "quarry: not looked at: %s\n", terminal.Visible(why))
	}
	switch format {
	case "json":
		err = terminal.PrintJSON(cmd.OutOrStdout(), a)
	case "sarif":
		err = diagnostics.WriteSARIF(cmd.OutOrStdout(), a.Findings, version.Release)
	default:
		err = printFindings(cmd.OutOrStdout(), invocation.ShownFrom(a.Root), a.Findings)
	}
	if err == nil && a.Total > 0 {
		return invocation.Silent(cmd, Findings)
	}
	return err
}

// printFindings writes a line for each.
func printFindings(out io.Writer, shown func(string) string, found []diagnostics.Finding) error {
	w := terminal.NewPlaces(out)
	for i := range found {
		f := &found[i]
		place := "-"
		if f.File != "" {
			place = fmt.Sprintf("%s:%d:%d", shown(f.File), f.Line, max(1, f.Column))
		}
		rule := f.Source
		if f.Rule != "" {
			rule += " " + f.Rule
		}
		text := fmt.Sprintf("%s: %s: %s [%s]", place, f.Severity, f.Message, rule)
		if f.Symbol != "" {
			text += " in " + f.Symbol
		}
		fmt.Fprintln(w, terminal.Visible(text))
	}
	return w.Flush()
}
