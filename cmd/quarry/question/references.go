package question

import (
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
)

func newReferencesCommand() *cobra.Command {
	var o askOptions
	var q wire.ReferencesRequest
	var kind, tests string
	var noTests bool
	cmd := &cobra.Command{
		Use:   "references TARGET",
		Short: "Show every place that names a symbol",
		Long: `References shows the places that name a function, a class, a type, a constant, a
variable, a field or a macro, in all files of the index. It asks the running server as
search does, or uses the index that is kept.

Each line shows a place, the symbol that it is in, and how it uses the name: call, read,
write, type, import, decorator, inherit or string. -> is a place that the call graph, or
the scoping and the imports of its file, know to mean the target; ~> one that has the
name, and no more is known. Places that are known to mean something else are left out,
and so are declarations and comments. Standard error says whether the answer is
complete.

` + targets + `

Exit codes: 0 an answer, which may be empty; 1 an error, or no such target.`,
		Example: `  quarry references maxRetries
  quarry references Config.Timeout --kind write
  quarry references internal/auth/token.go:42 --no-tests --json`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			if kind != "" {
				if err := config.OneOf("kind", kind, references.Kinds()...); err != nil {
					return err
				}
			}
			q.Kind = wire.ReferenceKind(kind)
			var err error
			if q.Tests, err = testsOf(tests, noTests); err != nil {
				return err
			}
			return runReferences(cmd, &o, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&kind, "kind", "", "show only this kind: "+strings.Join(references.Kinds(), ", "))
	addScope(fs, &q.Path, &q.Glob, &tests)
	fs.BoolVar(&noTests, "no-tests", false, "the same as --tests without")
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most entries to list, 1 to 1000")
	fs.IntVar(&q.Offset, "offset", 0, "entries to skip")
	o.addFlags(fs)
	return cmd
}

func runReferences(cmd *cobra.Command, o *askOptions, q *wire.ReferencesRequest) error {
	if err := checkPage(q.Limit, wire.MaxEdges, q.Offset); err != nil {
		return err
	}
	var a struct {
		source
		references.Answer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/references", request: q, scope: &q.Scope, answer: &a.Answer,
		within: targetBelow(&q.Target, &q.Path),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.References(ctx, references.Query{
				Target: q.Target, Kind: string(q.Kind), Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			a.Answer = found
			return found.State, found.Cuts, err
		},
	})
	if err != nil {
		return err
	}
	a.note(cmd.ErrOrStderr(), a.Given(), a.Total, "references")
	a.also(cmd.ErrOrStderr(), q.Target, a.Others)
	completeness(cmd.ErrOrStderr(), &a.Completeness, a.Total == 0)
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	w := terminal.NewPlaces(cmd.OutOrStdout())
	shown := invocation.ShownFrom(a.Root)
	printReferences(w, shown, "->", a.References)
	printReferences(w, shown, "~>", a.Ambiguous)
	return w.Flush()
}

// printReferences writes a line for each place: where, in what, and how it uses the name.
func printReferences(w io.Writer, shown func(string) string, arrow string, list []references.Reference) {
	for i := range list {
		r := &list[i]
		fmt.Fprintf(w, "%s:%d:%d %s %s %s", terminal.Visible(shown(r.File)), r.Line, r.Column, topLevel(r.Symbol), arrow, r.Kind)
		if r.Confidence != "exact" {
			fmt.Fprintf(w, " (%s)", r.Confidence)
		}
		fmt.Fprintln(w)
	}
}
