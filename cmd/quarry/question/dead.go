package question

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
)

func newDeadCommand() *cobra.Command {
	var o askOptions
	var q wire.DeadRequest
	var kind, confidence, exports, tests string
	cmd := &cobra.Command{
		Use:   "dead [PATH]",
		Short: "Find code that nothing uses",
		Long: `Dead finds functions, methods, types, constants and variables that nothing uses: what
is not reached from main functions, tests, what libraries export, what is registered by a
decorator, and the entry points that are named, by calls or by any other use. It asks the
running server as search does, or uses the index that is kept.

Each line shows a place, the symbol, its kind, and how sure it is: certain, where nothing
names it that is not itself dead or known to mean something else; likely, where its name
stands in code and the call graph knows no use; possible, where a string, a setting or a
convention may have it used. What is dead with something else is indented below that. A
line that begins with "but" says what could still use it.

With --kind assignment, import or parameter it finds what is bound within files and not read;
by default it does not look for those.

Exit codes: 0 an answer, which may be empty; 1 an error, or no such entry point.`,
		Example: `  quarry dead
  quarry dead internal --confidence certain --kind function
  quarry dead --entry-points plugin.go:Register --tests without --json`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				q.Path = args[0]
			}
			for _, one := range []struct {
				name, value string
				words       []string
			}{{"kind", kind, dead.Kinds()}, {"confidence", confidence, dead.Confidences()}, {"exports", exports, []string{dead.AutoExports, dead.RootExports, dead.IgnoreExports}}} {
				if one.value != "" {
					if err := config.OneOf(one.name, one.value, one.words...); err != nil {
						return err
					}
				}
			}
			for _, lang := range q.Lang {
				if err := config.OneOf("lang", lang, dead.Languages()...); err != nil {
					return err
				}
			}
			if len(q.Entry) > 0 && slices.Contains(dead.WithinFiles(), kind) {
				return fmt.Errorf("--entry-points say what is run, which makes no difference to --kind %s", kind)
			}
			q.Kind, q.Confidence, q.Exports = wire.DeadKind(kind), wire.DeadConfidence(confidence), wire.Exports(exports)
			var err error
			if q.Tests, err = testsOf(tests, false); err != nil {
				return err
			}
			return runDead(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&kind, "kind", "", "find only this kind: "+strings.Join(dead.Kinds(), ", "))
	fs.StringVar(&confidence, "confidence", dead.Likely, "find what is at least this sure: "+strings.Join(dead.Confidences(), ", "))
	fs.StringVar(&exports, "exports", dead.AutoExports, "what is exported is used: auto, if others import the package; roots, always; ignore, never")
	fs.StringArrayVar(&q.Entry, "entry-points", nil, "a name, or file:name, of code that something else runs; repeatable")
	fs.StringVar(&tests, "tests", "", "with: tests are users; without: what only tests use is dead, too; only: only that (default with)")
	invocation.AddGlobFlag(fs, &q.Glob)
	addLang(fs, &q.Lang)
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most findings to list, 1 to 1000")
	fs.IntVar(&q.Offset, "offset", 0, "findings to skip")
	o.addFlags(fs)
	return cmd
}

func runDead(cmd *cobra.Command, o *askOptions, q *wire.DeadRequest) error {
	if err := checkPage(q.Limit, wire.MaxEdges, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		dead.Answer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/dead", request: q, scope: &q.Scope, answer: &a.Answer,
		within: below(&q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Dead(ctx, dead.Query{
				Lang: q.Lang, Kind: string(q.Kind), Confidence: string(q.Confidence), Exports: string(q.Exports), Entries: q.Entry,
				Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
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
	a.note(cmd.ErrOrStderr(), a.Given(), a.Total, "findings")
	if len(a.NotLooked) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: not looked for: %s\n", strings.Join(a.NotLooked, ", "))
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	w := terminal.NewPlaces(cmd.OutOrStdout())
	printDead(w, invocation.ShownFrom(a.Root), a.Dead)
	return w.Flush()
}

// printDead writes a line for each finding, and one for what could still use it.
func printDead(w io.Writer, shown func(string) string, list []dead.Finding) {
	for i := range list {
		f := &list[i]
		lead := ""
		if f.Root != nil {
			lead = "  "
		}
		fmt.Fprintf(w, "%s%s:%d %s %s %s", lead, terminal.Visible(shown(f.File)), f.Line, f.Symbol, f.Kind, f.Confidence)
		if f.Reason != dead.Unused {
			fmt.Fprintf(w, " (%s)", strings.ReplaceAll(f.Reason, "_", " "))
		}
		fmt.Fprintln(w)
		if f.Why != "" {
			fmt.Fprintf(w, "%s  but %s\n", lead, terminal.Visible(f.Why))
		}
	}
}
