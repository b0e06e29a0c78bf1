package callgraph

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// goOptions are the flags of `quarry-lab callgraph go`.
type goOptions struct {
	module        string
	json, verbose bool
}

func newGoCommand() *cobra.Command {
	o := goOptions{}
	cmd := &cobra.Command{
		Use:   "go --module DIR",
		Short: "Compare with golang.org/x/tools/go/callgraph",
		Long: `Go compares the calls of a Go module with the call graph that is made from its
SSA form: static for direct calls, and by variable type analysis (vta) for calls
through interfaces and of function values. Tests are part of both.

Only calls in the module of functions in the module count, in files of this build:
a call's line and column, and the line of what it calls. Every edge of Quarry
counts, resolved or one of several. Calls that vta has no callee for are left out:
nothing in the module makes a value that arrives there, which does not say that
nobody does.`,
		Example: `  quarry-lab callgraph go --module ~/src/chi
  quarry-lab callgraph go --module . --verbose`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.module, "module", ".", "`folder` of the module; what it needs must be at hand for go build")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.verbose, "verbose", false, "list the edges that only one of the two has")
	return cmd
}

func (o *goOptions) run(cmd *cobra.Command) error {
	want, err := goTruth(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	given, err := quarryEdges(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	scores, outside := compare(want, given)
	r := result{Scores: scores, Unreached: want.unreached, Outside: outside}
	if o.json {
		return r.writeJSON(cmd.OutOrStdout(), o.verbose)
	}
	return r.writeText(cmd.OutOrStdout(), o.verbose)
}

// A result is a comparison to print.
type result struct {
	Scores    []score  `json:"scores"`
	Unreached int      `json:"unreached"` // calls without a callee in the other program
	Outside   int      `json:"outside"`   // edges of Quarry at none of its calls
	Missing   []string `json:"missing,omitempty"`
	Extra     []string `json:"extra,omitempty"`
}

func (r result) writeJSON(w io.Writer, verbose bool) error {
	if verbose {
		r.each(
			func(k kind, e edge) { r.Missing = append(r.Missing, fmt.Sprintf("%s %s", k, e)) },
			func(k kind, e edge) { r.Extra = append(r.Extra, fmt.Sprintf("%s %s", k, e)) })
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}

func (r *result) each(missing, extra func(kind, edge)) {
	for _, s := range r.Scores {
		for _, e := range s.missing {
			missing(s.Kind, e)
		}
		for _, e := range s.extra {
			extra(s.Kind, e)
		}
	}
}

func (r result) writeText(w io.Writer, verbose bool) (err error) {
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	if verbose {
		r.each(
			func(k kind, e edge) { line("missing %-9s %s\n", k, e) },
			func(k kind, e edge) { line("extra   %-9s %s\n", k, e) })
	}
	line("%-9s  %7s %7s %7s %7s  %9s %9s\n", "calls", "sites", "wanted", "given", "common", "precision", "recall")
	for _, s := range r.Scores {
		line("%-9s  %7d %7d %7d %7d  %9.4f %9.4f\n", s.Kind, s.Sites, s.Wanted, s.Given, s.Common, s.Precision, s.Recall)
	}
	line("not compared: %d calls without a callee, %d edges at no call\n", r.Unreached, r.Outside)
	return err
}
