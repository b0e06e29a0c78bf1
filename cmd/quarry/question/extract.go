package question

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

// targets is what every command with a target says of it.
const targets = `A target is, in this order: the path of a file; PATH:LINE, the innermost definition
there; PATH:NAME; or a name, alone or preceded by the names, the file or the folders
around it, such as Server.serve, Server::serve or auth/token.validate. A name in the
same case comes before one in another. If it means several things, the likeliest is
the answer, and the others are named on standard error.`

func newExtractCommand() *cobra.Command {
	var o askOptions
	var q wire.ExtractRequest
	cmd := &cobra.Command{
		Use:   "extract TARGET",
		Short: "Show one definition, or the outline of a file",
		Long: `Extract shows a definition with its text, or what a file imports and defines. It
asks the running server as search does, or uses the index that is kept.

` + targets + `

Exit codes: 0 something is shown, 1 an error, or there is no such thing.`,
		Example: `  quarry extract Server.serve
  quarry extract internal/auth/token.go:42
  quarry extract internal/auth/token.go --json`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Target = args[0]
			return runExtract(cmd, &o, &q)
		},
	}
	cmd.Flags().IntVar(&q.MaxTokens, "max-tokens", 0, "the most tokens that the text may cost, at four characters a token (default any)")
	o.addFlags(cmd.Flags())
	return cmd
}

// oneTarget accepts exactly one argument.
func oneTarget(_ *cobra.Command, args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return errors.New("a target is needed")
	}
	if len(args) > 1 {
		return fmt.Errorf("only one target can be given, not %d", len(args))
	}
	return nil
}

// extractAnswer is what a server or an index says: one of the two is there.
type extractAnswer struct {
	Symbol *outline.ExtractedSymbol
	File   *outline.ExtractedFile
}

// UnmarshalJSON tells the two answers apart: only a definition has a text.
func (a *extractAnswer) UnmarshalJSON(text []byte) error {
	var s outline.ExtractedSymbol
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if s.Content != "" {
		a.Symbol = &s
		return nil
	}
	a.File = new(outline.ExtractedFile)
	return json.Unmarshal(text, a.File)
}

func runExtract(cmd *cobra.Command, o *askOptions, q *wire.ExtractRequest) error {
	if q.MaxTokens < 0 {
		return fmt.Errorf("max-tokens must be 1 or more, not %d", q.MaxTokens)
	}
	var a extractAnswer
	var from source
	err := o.ask(cmd, &from, question{
		endpoint: "/extract", request: q, scope: &q.Scope, answer: &a,
		within: target(&q.Target, false),
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			found, err := x.Extract(ctx, outline.ExtractQuery{Target: q.Target, MaxTokens: q.MaxTokens})
			a = extractAnswer{found.Symbol, found.File}
			return found.State, nil, err
		},
	})
	if err != nil {
		return err
	}
	from.note(cmd.ErrOrStderr(), 0, 0, "")
	shown := invocation.ShownFrom(from.Root)
	out := bufio.NewWriter(cmd.OutOrStdout())
	switch {
	case a.File != nil && o.json:
		err = terminal.PrintJSON(out, struct {
			source
			*outline.ExtractedFile
		}{from, a.File})
	case a.File != nil:
		printOutline(out, shown(a.File.File), a.File)
	case o.json:
		err = terminal.PrintJSON(out, struct {
			source
			*outline.ExtractedSymbol
		}{from, a.Symbol})
	default:
		s := a.Symbol
		fmt.Fprintf(out, "%s:%d-%d %s %s\n", terminal.Visible(shown(s.File)), s.Line, s.EndLine, s.Kind, terminal.Visible(s.Symbol))
		terminal.PrintText(out, s.Content)
		if s.Truncated {
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %d of %d tokens are shown\n", s.Tokens, s.TokensRaw)
		}
	}
	if err != nil {
		return err
	}
	if a.Symbol != nil {
		from.also(cmd.ErrOrStderr(), q.Target, a.Symbol.Others)
	}
	return out.Flush()
}

// printOutline writes the outline of a file for people.
func printOutline(w io.Writer, name string, f *outline.ExtractedFile) {
	printStructure(w, name, &f.FileStructure)
	for _, i := range f.Imports {
		fmt.Fprintf(w, "%6d  imports %s", i.Line, terminal.Visible(i.Path))
		if i.Name != "" && i.Name != i.Path {
			fmt.Fprintf(w, " %s", terminal.Visible(i.Name))
		}
		if i.Alias != "" {
			fmt.Fprintf(w, " as %s", terminal.Visible(i.Alias))
		}
		fmt.Fprintln(w)
	}
	if f.ImportsOmitted > 0 {
		fmt.Fprintf(w, "%6s  and %d more imports\n", "", f.ImportsOmitted)
	}
}
